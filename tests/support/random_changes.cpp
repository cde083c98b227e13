#include "support/random_changes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text/text.hpp"
#include "generate/values.hpp"
#include "support/operator_facts.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

using reference::Arguments;
using reference::Array;
using reference::list_text;
using reference::make_integer;
using reference::numbers;
using reference::Wide;

bool has(const Arguments& arguments, const std::string& name, const std::string& text) {
  const auto given = arguments.attributes.find(name);
  return given != arguments.attributes.end() && given->second == text;
}

bool is_scatter(const Arguments& arguments) {
  return arguments.op.starts_with("scatter");
}

void draw_again(Random& random, Tensor& operand, const Shape& shape) {
  operand = random_tensor(random, operand.dtype(), shape);
}

Shape with_ones(Random& random, Shape shape, int percent, std::int64_t but = -1) {
  for (std::int64_t d = 0; d < rank(shape); ++d) {
    std::int64_t& dim = shape[static_cast<std::size_t>(d)];
    if (d != but && random.chance(percent)) dim = std::min<std::int64_t>(dim, 1);
  }
  return shape;
}

// The elements that the smaller shape has room for.
Tensor first_elements(const Tensor& tensor, const Shape& shape) {
  Array out(tensor.dtype(), shape);
  std::ranges::copy_n(Array(tensor).elements.begin(), std::ssize(out.elements), out.elements.begin());
  return out.tensor();
}

// Whether the version repeats data and indices to each other, or updates, without being asked.
void vary_repeated(Random& random, Arguments& arguments) {
  const reference::Rules& rules = arguments.rules;
  auto& operands = arguments.operands;
  const bool is_flat = reference::flag(arguments, "flat", false);
  if (rules.off_axis && !(is_flat && arguments.op == "gatherelements")) {
    const std::int64_t r = operands[0].rank();
    const std::int64_t given = reference::number(arguments, "axis", 0);
    const std::int64_t axis = given < 0 ? given + r : given;
    draw_again(random, operands[0], with_ones(random, operands[0].shape(), 15, axis));
    operands[1] = first_elements(operands[1], with_ones(random, operands[1].shape(), 15, axis));
  }
  if (!is_scatter(arguments)) return;
  const Shape updates = operands[2].shape();
  if ((rules.off_axis || rules.repeats_updates) && random.chance(30))
    draw_again(random, operands[2], shrunk(random, updates, random.between(0, rank(updates))));
  if (rules.torch_shapes && arguments.op == "scatterelements" && random.chance(40)) {
    Shape larger = updates;
    for (std::int64_t& dim : larger) dim += random.chance(40) ? random.between(1, 2) : 0;
    draw_again(random, operands[2], larger);
  }
}

// Ones at the end of what is placed at an axis are trimmed, even where they reach beyond the end.
void vary_placed(Random& random, Arguments& arguments) {
  const bool is_placed = has(arguments, "auto_broadcast", "pdpd") || has(arguments, "mode", "pdpd");
  if (!is_placed || !random.chance(30)) return;
  Tensor& last = arguments.operands.back();
  Shape longer = last.shape();
  longer.push_back(1);
  draw_again(random, last, longer);
}

// Axes in another order, and dimensions that are left to data: where the version has either.
void vary_target(Random& random, Arguments& arguments) {
  auto& attributes = arguments.attributes;
  if (arguments.rules.any_order && arguments.op == "broadcast" && random.chance(60)) {
    Shape axes = numbers(arguments, "axes_mapping");
    Shape data = arguments.operands[0].shape();
    std::ranges::reverse(axes);
    std::ranges::reverse(data);
    draw_again(random, arguments.operands[0], data);
    attributes["axes_mapping"] = list_text(axes);
  }
  if (!arguments.rules.keeps_dims) return;
  Shape target = numbers(arguments, "shape");
  for (std::int64_t& dim : target) dim = random.chance(15) ? -1 : dim;
  attributes["shape"] = list_text(target);
}

// The dimensions of the indices of windows in any order: those of the batch and the one of index vectors. The
// batch of updates has the same order.
void vary_windows(Random& random, Arguments& arguments) {
  const bool gathers = arguments.op == "gatherslices";
  constexpr std::int64_t kMostIndices = 2000;  // it takes long
  if (!gathers && arguments.op != "scatterslices") return;
  if (arguments.operands[1].size() > kMostIndices) return;
  const std::string paired = gathers ? "start_indices_batching_dims" : "scatter_indices_batching_dims";
  const Array before(arguments.operands[1]);
  const std::int64_t vectors = reference::number(arguments, "index_vector_dim", 0);
  Shape order(before.shape.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  const auto place_of = [&](std::int64_t dim) { return std::ranges::find(order, dim) - order.begin(); };

  Array indices(before.dtype, before.shape);
  for (std::size_t d = 0; d < order.size(); ++d)
    indices.shape[d] = before.shape[static_cast<std::size_t>(order[d])];
  Shape batch;
  for (std::size_t d = 0; d < order.size(); ++d) {
    if (order[d] != vectors) batch.push_back(indices.shape[d]);
  }
  for (const auto& c : reference::coordinates_of(before.shape)) {
    reference::Coordinate at;
    for (const std::int64_t dim : order) at.push_back(c[static_cast<std::size_t>(dim)]);
    indices.at(at) = before.at(c);
  }
  arguments.operands[1] = indices.tensor();
  arguments.attributes["index_vector_dim"] = cat(place_of(vectors));  // of their rank: the rank
  if (arguments.attributes.contains(paired)) {
    Shape places = numbers(arguments, paired);
    for (std::int64_t& dim : places) dim = place_of(dim);
    arguments.attributes[paired] = list_text(places);
  }
  if (gathers) return;
  const Shape windows = numbers(arguments, "update_window_dims");
  Shape updates = arguments.operands[2].shape();
  for (std::size_t d = 0, next = 0; d < updates.size(); ++d) {
    if (std::ranges::count(windows, static_cast<std::int64_t>(d)) == 0) updates[d] = batch[next++];
  }
  draw_again(random, arguments.operands[2], updates);
}

// Attributes that are elements, which have few values.
void vary_elements(Random& random, Arguments& arguments) {
  auto& attributes = arguments.attributes;
  const DType dtype = arguments.operands[0].dtype();
  const bool is_small = kSmallTypes.contains(dtype);
  attributes.erase("fill_value");
  if (reference::policy_of(arguments) != "fill") return;
  if (is_small) arguments.oob = "error";
  if (is_small || (arguments.oob != "fill" && random.chance(50))) return;
  const bool is_bool = dtype == DType::boolean;
  attributes["fill_value"] =
      !is_bool ? cat(random.between(0, 9)) : std::string(random.chance(50) ? "true" : "false");
}

// Most attributes that exclude each other, or the dtype, are left out.
void vary_defaults(Random& random, Arguments& arguments) {
  auto& attributes = arguments.attributes;
  const DType dtype = arguments.operands[0].dtype();
  const bool is_only_moved = dtype == DType::string || kSmallTypes.contains(dtype);
  const reference::ReductionFacts* const reduction =
      reference::find_reduction(reference::word(arguments, "reduction", "none"));
  const bool is_undefined = reduction != nullptr && !reduction->is_defined(dtype);
  const bool has_none = std::ranges::count(arguments.rules.reductions, "none") != 0;
  if (has_none && (is_only_moved || is_undefined) && random.chance(90)) attributes.erase("reduction");
  if (attributes.contains("broadcast") && random.chance(90)) attributes.erase("auto_broadcast");
  if (attributes.contains("axis") && has(arguments, "flat", "false") && random.chance(70))
    attributes.erase("flat");
  if (reference::word(arguments, "reduction", "none") != "none" && random.chance(90))
    arguments.duplicates = "last";
}

// Just outside on either side, or as far off as the dtype allows. Some are valid all the same.
Wide bad_index(Random& random, DType dtype, std::int64_t extent) {
  const int bits = 8 * element_size(dtype);
  const bool is_unsigned = kUnsignedTypes.contains(dtype);
  const Wide least = is_unsigned ? 0 : -(Wide{1} << (bits - 1));
  const Wide most = is_unsigned ? (Wide{1} << bits) - 1 : (Wide{1} << (bits - 1)) - 1;
  const std::vector<Wide> values = {extent, -extent - 1, least,
                                    most,   -1,          random.between(-3 * extent - 2, 3 * extent + 2)};
  return std::clamp(random.pick(values), least, most);
}

// Some of all indices, where they are no error, else one or two.
void vary_indices(Random& random, Arguments& arguments) {
  const reference::Rules& rules = arguments.rules;
  const bool is_indexed = is_scatter(arguments) || arguments.op.starts_with("gather") ||
                          arguments.op.starts_with("dynamic") || arguments.op == "tensorscatter";
  if (!is_indexed || arguments.left_out || arguments.operands[1].size() == 0) return;
  const bool is_tolerant = rules.zero_fill || rules.any_index || reference::policy_of(arguments) != "error";
  if (!random.chance(is_tolerant ? 60 : 12)) return;
  Array indices(arguments.operands[1]);
  const Shape& data = arguments.operands[0].shape();
  const std::int64_t size = arguments.operands[1].size();
  const std::int64_t bad =
      is_tolerant ? random.between(1, std::max<std::int64_t>(2, size / 2)) : random.between(1, 2);
  for (std::int64_t i = 0; i < bad; ++i) {
    const std::int64_t extent = data.empty() ? 1 : random.pick(data);
    indices.elements[static_cast<std::size_t>(random.between(0, size - 1))] =
        make_integer(indices.dtype, bad_index(random, indices.dtype, extent));
  }
  arguments.operands[1] = indices.tensor();
}

// pow(x, 0) of a signalling NaN is NaN or 1, depending on the library.
void quiet_operands(Arguments& arguments) {
  if (!facts_of(arguments.op).is_inexact) return;
  for (Tensor& operand : arguments.operands) {
    Array array(operand);
    if (!kFloatTypes.contains(array.dtype)) continue;
    for (reference::Element& element : array.elements)
      element = reference::make_real(array.dtype, reference::real(element));
    operand = array.tensor();
  }
}

}  // namespace

void vary_call(Random& random, Arguments& arguments) {
  vary_repeated(random, arguments);
  vary_placed(random, arguments);
  vary_target(random, arguments);
  vary_windows(random, arguments);
  vary_elements(random, arguments);
  vary_defaults(random, arguments);
  vary_indices(random, arguments);
  quiet_operands(arguments);
}

}  // namespace tensorop
