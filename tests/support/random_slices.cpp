// Windows that begin where index vectors say: random calls.
#include <algorithm>
#include <array>
#include <numeric>

#include "base/text.hpp"
#include "support/random_operators.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

using reference::list_text;
using Dims = std::vector<std::int64_t>;

void shuffle(Random& random, Dims& list) {
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1],
              list[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
}

// So many of the numbers below `end`, in order.
Dims some_below(Random& random, std::size_t count, std::size_t end) {
  Dims all(end);
  std::iota(all.begin(), all.end(), 0);
  shuffle(random, all);
  all.resize(count);
  std::ranges::sort(all);
  return all;
}

// Breaks one of the rules of dimension numbers.
void spoil_list(Random& random, std::map<std::string, std::string>& attributes) {
  std::vector<std::string> names;
  for (const auto& [name, text] : attributes) {
    if (name != "index_vector_dim" && name != "reduction") names.push_back(name);
  }
  if (names.empty()) return;
  std::string& text = attributes[random.pick(names)];
  switch (random.between(0, 2)) {
    case 0:
      text = text == "[]" ? "0" : text + ",0";
      break;
    case 1:
      text = text == "[]" ? "-1"
                          : cat(random.between(-1, 5), text.substr(std::min(text.find(','), text.size())));
      break;
    default:
      text = "[]";
  }
}

struct Windows {
  Shape data, sizes, starts, windowed;
  std::map<std::string, std::string> attributes;
  Dims map;
};

// The names of the dimension numbers, in the order of the specification.
constexpr std::array<const char*, 5> kGatherNames = {"offset_dims", "collapsed_slice_dims",
                                                     "operand_batching_dims", "start_indices_batching_dims",
                                                     "start_index_map"};
constexpr std::array<const char*, 5> kScatterNames = {"update_window_dims", "inserted_window_dims",
                                                      "input_batching_dims", "scatter_indices_batching_dims",
                                                      "scatter_dims_to_operand_dims"};

Windows draw_windows(Random& random, bool gathers, bool has_batches, std::int64_t elements) {
  Windows out;
  out.data = random_shape(random, random.between(0, 5), elements);
  Dims collapsed;
  Dims batching;
  Shape window;
  for (std::size_t d = 0; d < out.data.size(); ++d) {
    const std::int64_t size = out.data[d];
    const auto kind = random.between(0, 9);
    const auto dim = static_cast<std::int64_t>(d);
    const bool is_batch = has_batches && kind == 0;
    const bool is_collapsed = !is_batch && kind < 4;
    if (is_batch) batching.push_back(dim);
    if (is_collapsed) collapsed.push_back(dim);
    const bool is_whole = random.chance(elements == 0 ? 50 : 80);
    const std::int64_t part =
        is_whole ? size : random.between(random.chance(5) ? 0 : std::min<std::int64_t>(1, size), size);
    out.sizes.push_back(is_batch || is_collapsed ? std::min<std::int64_t>(1, size) : part);
    if (!is_batch && !is_collapsed) window.push_back(out.sizes.back());
    if (!is_batch && random.chance(70)) out.map.push_back(dim);
  }
  shuffle(random, out.map);
  // The dimensions of indices without the index vectors: the batches in any order, and others.
  const std::int64_t slice = std::max<std::int64_t>(1, elements_in(window));
  Shape batch = random_shape(random, random.between(0, 2), elements / slice);
  Dims paired = some_below(random, batching.size(), batching.size() + batch.size());
  shuffle(random, paired);
  Shape all(batching.size() + batch.size(), -1);
  for (std::size_t i = 0; i < paired.size(); ++i)
    all[static_cast<std::size_t>(paired[i])] = out.data[static_cast<std::size_t>(batching[i])];
  for (std::int64_t& dim : all) {
    if (dim != -1) continue;
    dim = batch.back();
    batch.pop_back();
  }
  out.starts = all;
  const auto ranks = static_cast<std::int64_t>(all.size());
  const bool implicit = out.map.size() == 1 && random.chance(50);
  const std::int64_t vector_dim = implicit || random.chance(60) ? ranks : random.between(0, ranks);
  if (!implicit) {
    out.starts.insert(out.starts.begin() + vector_dim, static_cast<std::int64_t>(out.map.size()));
    for (std::int64_t& dim : paired) dim += dim >= vector_dim ? 1 : 0;
  }
  const std::size_t rank = all.size() + window.size();
  Dims offsets = some_below(random, window.size(), rank);
  if (random.chance(60)) std::iota(offsets.begin(), offsets.end(), ranks);
  for (std::size_t d = 0, next = 0; d < rank; ++d) {
    const bool is_window = std::ranges::find(offsets, static_cast<std::int64_t>(d)) != offsets.end();
    out.windowed.push_back(is_window ? window[next] : all[d - next]);
    next += is_window ? 1 : 0;
  }
  const auto& names = gathers ? kGatherNames : kScatterNames;
  const std::array<const Dims*, 5> lists = {&offsets, &collapsed, &batching, &paired, &out.map};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const bool is_known = has_batches || (i != 2 && i != 3);
    if (is_known && (!lists[i]->empty() || random.chance(10)))
      out.attributes[names[i]] = list_text(*lists[i]);
  }
  if (vector_dim != 0 || random.chance(50)) out.attributes["index_vector_dim"] = cat(vector_dim);
  if (gathers) out.attributes["slice_sizes"] = list_text(out.sizes);
  return out;
}

// Of each start: what lies inside for a gather; for a scatter anywhere in data.
std::function<std::int64_t(const std::vector<std::int64_t>&)> extent_of(const Windows& windows,
                                                                        bool gathers) {
  const auto given = windows.attributes.find("index_vector_dim");
  const auto vector_dim = given == windows.attributes.end() ? std::size_t{0} : std::stoul(given->second);
  return [windows, gathers, vector_dim](const std::vector<std::int64_t>& at) {
    const std::size_t component = vector_dim < at.size() ? static_cast<std::size_t>(at[vector_dim]) : 0;
    if (component >= windows.map.size()) return std::int64_t{1};
    const auto d = static_cast<std::size_t>(windows.map[component]);
    return gathers ? windows.data[d] - windows.sizes[d] + 1 : windows.data[d];
  };
}

}  // namespace

RandomCase slices_case(Random& random, const std::string& op, std::int64_t elements) {
  while (true) {
    RandomCase call = random_call(random, op);
    const bool gathers = op == "gatherslices" || op == "dynamicslice";
    Windows windows = draw_windows(random, gathers, call.arguments.rules.batch_dims, elements);
    if (op.starts_with("dynamic")) {
      windows.map.clear();
      windows.attributes.clear();
      for (std::size_t d = 0; d < windows.data.size(); ++d)
        windows.map.push_back(static_cast<std::int64_t>(d));
      windows.starts = {static_cast<std::int64_t>(windows.data.size())};
      windows.windowed = windows.sizes;
      if (gathers) windows.attributes["slice_sizes"] = list_text(windows.sizes);
    }
    const std::int64_t most = elements == 0 ? 700 : 3 * elements;
    if (elements_in(windows.data) > most || elements_in(windows.starts) > most ||
        elements_in(windows.windowed) > most)
      continue;
    if (op == "gatherslices") maybe_oob(random, call, {"clamp", "zero"});
    if (op == "scatterslices") maybe_oob(random, call, {"clamp", "drop"});
    const auto extent = extent_of(windows, gathers);
    if (random.chance(3)) spoil_list(random, windows.attributes);
    call.arguments.attributes = windows.attributes;
    if (random.chance(1)) windows.starts = spoiled(random, windows.starts);
    if (random.chance(2)) windows.windowed = spoiled(random, windows.windowed);
    const DType dtype = random_dtype(random, random.chance(1) ? kAllTypes : call.arguments.rules.types);
    call.arguments.operands = {random_tensor(random, dtype, windows.data),
                               random_indices(random, call, windows.starts, extent)};
    if (gathers) return call;
    call.arguments.operands.push_back(
        random_tensor(random, random.chance(1) ? random_dtype(random, kAllTypes) : dtype, windows.windowed));
    if (op == "scatterslices" && random.chance(60)) {
      // Most draws that the dtype has no reduction for are drawn again.
      const bool is_number = !kSmallTypes.contains(dtype) && dtype != DType::string;
      const bool is_exact = (kIntegerTypes | DTypeSet(DType::boolean)).contains(dtype);
      std::vector<std::string> words = {"none"};
      if (is_number || random.chance(5)) words = {"add", "mul", "none"};
      if ((is_number && !kComplexTypes.contains(dtype)) || random.chance(5))
        words.insert(words.end(), {"min", "max"});
      if (is_exact || random.chance(5)) words.insert(words.end(), {"and", "or", "xor"});
      call.arguments.attributes["reduction"] = random.pick(words);
    } else if (op == "scatterslices" && random.chance(10)) {
      call.arguments.duplicates = "error";
    }
    return call;
  }
}

}  // namespace tensorop
