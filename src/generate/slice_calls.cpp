// Calls of operators on windows: StableHLO's gather and scatter, and the dynamic slices.
#include <algorithm>
#include <iterator>

#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "generate/drawing.hpp"
#include "generate/weights.hpp"
#include "ops/slices.hpp"

namespace tensorop {
namespace {

// Which dimensions of data the window has, and which it lacks.
SliceDims pick_slice_dims(Drawing& drawing, const Shape& data) {
  Random& random = drawing.random();
  const auto& attributes = drawing.subject().op.op->attributes;
  const std::string collapsed = drawing.pick("collapsed dimensions", {"none", "some", "all"});
  const bool has_batch =
      drawing.has(attributes[2].name) && drawing.pick("batching dimensions", {"no", "yes"}) == "yes";
  SliceDims dims;
  for (std::int64_t d = 0; d < rank(data); ++d) {
    if (has_batch && random.chance(weights::kBatchingDim)) {
      dims.batching.push_back(d);
      continue;
    }
    dims.index_map.insert(dims.index_map.begin() + random.between(0, rank(dims.index_map)), d);
    if (collapsed == "all" || (collapsed == "some" && random.chance(50))) dims.collapsed.push_back(d);
  }
  const std::string vectors = drawing.pick("index vectors", {"1", "some", "all"});
  const std::int64_t most = rank(dims.index_map);
  if (vectors != "all")
    dims.index_map.resize(
        static_cast<std::size_t>(vectors == "1" ? std::min<std::int64_t>(1, most) : random.between(0, most)));
  return dims;
}

}  // namespace

void draw_windows(Drawing& drawing) {
  Random& random = drawing.random();
  const auto& attributes = drawing.subject().op.op->attributes;
  const Shape data = drawing.pick_shape(drawing.pick_rank(0));
  SliceDims dims = pick_slice_dims(drawing, data);
  const auto window = window_dims_of_data(dims, data);
  const bool is_whole = drawing.pick("windows", {"whole", "smaller"}) == "whole";
  Shape sizes(data.size(), 1);
  for (const std::size_t d : window)
    sizes[d] = is_whole ? data[d] : random.between(std::min<std::int64_t>(1, data[d]), data[d]);

  // Batching dimensions first, at which indices are paired with data, then others, then the index vectors.
  Shape indices;
  for (const std::int64_t d : dims.batching) indices.push_back(data[static_cast<std::size_t>(d)]);
  std::int64_t row_elements = count(indices);
  for (const std::size_t d : window) row_elements *= sizes[d];
  const Shape further = drawing.enlarged(drawing.pick_dims("further dimensions of indices", 2), row_elements);
  indices.insert(indices.end(), further.begin(), further.end());
  std::vector<std::string> places = {"0", "last"};
  if (dims.index_map.size() == 1) places.emplace_back("rank");  // each index is a vector
  const std::string place = drawing.pick_attribute(attributes[5].name, places);
  dims.vector_dim = place == "0" ? 0 : rank(indices);
  if (place != "rank") indices.insert(indices.begin() + dims.vector_dim, rank(dims.index_map));
  for (std::int64_t i = 0; i < rank(dims.batching); ++i)
    dims.indices_batching.push_back(place == "0" ? i + 1 : i);

  const std::int64_t batch = rank(batch_shape(dims, indices));
  const auto windows = static_cast<std::int64_t>(window.size());
  const bool is_mixed = drawing.pick("dimensions of windows", {"last", "mixed"}) == "mixed";
  for (std::int64_t d = 0; d < batch + windows; ++d) {
    const std::int64_t left = windows - rank(dims.windows);
    const bool fits = is_mixed && left > 0 && random.chance(50);
    if (fits || left == batch + windows - d) dims.windows.push_back(d);
  }

  const Shape* const lists[] = {&dims.windows, &dims.collapsed, &dims.batching, &dims.indices_batching,
                                &dims.index_map};
  for (std::size_t i = 0; i < std::size(lists); ++i) {
    if (drawing.has(attributes[i].name)) drawing.set(attributes[i].name, list_text(*lists[i]));
  }
  drawing.set(attributes[5].name, cat(dims.vector_dim));
  drawing.add_data(data);
  const Shape inner(indices.begin() + std::min(dims.vector_dim + 1, rank(indices)), indices.end());
  drawing.add_indices(indices, [&](std::int64_t position) {
    const auto component = static_cast<std::size_t>(
        place == "rank" ? 0 : position / std::max<std::int64_t>(count(inner), 1) % rank(dims.index_map));
    const auto d = static_cast<std::size_t>(dims.index_map[component]);
    return data[d] - sizes[d] + 1;
  });
  if (drawing.has("slice_sizes")) {
    drawing.set("slice_sizes", list_text(sizes));
  } else {
    drawing.add_data(windowed_shape(dims, data, indices, sizes));
  }
}

void draw_dynamic_window(Drawing& drawing) {
  const Shape data = drawing.pick_shape(drawing.pick_rank(0));
  Shape sizes = data;
  const bool is_whole = drawing.pick("windows", {"whole", "smaller"}) == "whole";
  for (std::int64_t& size : sizes) size = is_whole ? size : drawing.random().between(0, size);
  drawing.add_data(data);
  drawing.add_indices({rank(data)}, [&](std::int64_t position) {
    const auto d = static_cast<std::size_t>(position);
    return data[d] - sizes[d] + 1;
  });
  if (drawing.has("slice_sizes")) {
    drawing.set("slice_sizes", list_text(sizes));
  } else {
    drawing.add_data(sizes);
  }
}

}  // namespace tensorop
