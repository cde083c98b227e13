// Calls of operators with indices. A maker draws what looks valid; what a version refuses is found out by
// binding the call, so makers know no rules of versions.
#include <algorithm>

#include "generate/drawing.hpp"
#include "generate/values.hpp"
#include "ops/axes.hpp"

namespace tensorop {
namespace {

std::int64_t& dim_at(Shape& shape, std::int64_t at) {
  return shape[static_cast<std::size_t>(at)];
}

// At one position of the axis.
std::int64_t elements_beside(const Shape& data, std::int64_t axis) {
  return count(data) / std::max<std::int64_t>(data[static_cast<std::size_t>(axis)], 1);
}

void extend(Shape& shape, const Shape& more) {
  shape.insert(shape.end(), more.begin(), more.end());
}

// Updates of that shape, or of one that broadcasts to it.
void add_updates(Drawing& drawing, const Shape& shape) {
  const bool repeats = drawing.picked("broadcast_updates") == "true";
  drawing.add_data(repeats ? shrunk(drawing.random(), shape, drawing.random().between(0, rank(shape)))
                           : shape);
}

// Whether indices refer to the elements of flat data.
bool draws_flat(const Drawing& drawing) {
  return drawing.picked("flat") == "true";
}

void add_flat_indices(Drawing& drawing, const Shape& indices, const Shape& data) {
  drawing.add_data(data);
  drawing.add_indices(indices, [size = count(data)](std::int64_t) { return size; });
}

// A shape of indices for single elements: except along the axis, no larger than data's.
Shape pick_element_indices(Drawing& drawing, const Shape& data, std::int64_t axis) {
  Shape indices = data;
  const bool smaller = drawing.pick("indices beside the axis", {"equal", "smaller"}) == "smaller";
  for (std::int64_t& size : indices) {
    if (smaller && size > 1) size = drawing.random().between(1, size);
  }
  const std::int64_t size = data[static_cast<std::size_t>(axis)];
  const std::string along =
      drawing.pick("indices along the axis", {"equal", "equal", "fewer", "fewer", "more", "more", "none"});
  dim_at(indices, axis) = along == "equal"   ? size
                          : along == "fewer" ? drawing.random().between(std::min<std::int64_t>(1, size), size)
                          : along == "more"  ? size + drawing.random().between(1, 3)
                                             : 0;
  if (along == "more") {
    const std::int64_t beside = std::max<std::int64_t>(elements_beside(indices, axis), 1);
    const std::int64_t least = drawing.subject().min_elements / beside;
    dim_at(indices, axis) = std::max(dim_at(indices, axis), least);
  }
  return indices;
}

// k; at most `most` dimensions can be indexed.
std::int64_t pick_tuple_length(Drawing& drawing, std::int64_t most) {
  std::vector<std::string> words = {"1", "rank", "0"};
  if (most > 2) words.emplace_back("between");
  const std::string word = drawing.pick("k", words);
  return word == "1" ? 1 : word == "rank" ? most : word == "0" ? 0 : drawing.random().between(2, most - 1);
}

}  // namespace

void draw_gather(Drawing& drawing) {
  Shape data = drawing.pick_shape(drawing.pick_rank(1));
  if (draws_flat(drawing))
    return add_flat_indices(drawing, drawing.enlarged(drawing.pick_dims("further dimensions of indices", 2)),
                            data);
  const std::int64_t axis = drawing.pick_axis(rank(data));
  const Shape picked =
      drawing.enlarged(drawing.pick_dims("further dimensions of indices", 2), elements_beside(data, axis));
  const std::int64_t b = drawing.pick_batch_dims(axis, rank(picked));
  Shape indices = slice(data, 0, b);
  extend(indices, picked);
  drawing.add_data(data);
  drawing.add_indices(indices, [&](std::int64_t) { return dim_at(data, axis); });
}

void draw_gather_elements(Drawing& drawing) {
  Shape data = drawing.pick_shape(drawing.pick_rank(1));
  if (draws_flat(drawing))
    return add_flat_indices(drawing, drawing.enlarged({drawing.random().between(0, 5)}), data);
  const std::int64_t axis = drawing.pick_axis(rank(data));
  drawing.add_data(data);
  drawing.add_indices(pick_element_indices(drawing, data, axis),
                      [&](std::int64_t) { return dim_at(data, axis); });
}

void draw_scatter_elements(Drawing& drawing) {
  Shape data = drawing.pick_shape(drawing.pick_rank(1));
  if (draws_flat(drawing)) {
    const Shape places = drawing.enlarged({drawing.random().between(0, 5)});
    add_flat_indices(drawing, places, data);
    return add_updates(drawing, places);
  }
  const std::int64_t axis = drawing.pick_axis(rank(data));
  const Shape indices = pick_element_indices(drawing, data, axis);
  drawing.add_data(data);
  drawing.add_indices(indices, [&](std::int64_t) { return dim_at(data, axis); });
  add_updates(drawing, indices);
}

void draw_scatter_update(Drawing& drawing) {
  Shape data = drawing.pick_shape(drawing.pick_rank(1));
  if (draws_flat(drawing)) {
    const Shape places = drawing.enlarged(drawing.pick_dims("rank of indices", 2));
    add_flat_indices(drawing, places, data);
    return add_updates(drawing, places);
  }
  const std::int64_t axis = drawing.pick_axis(rank(data));
  const Shape indices =
      drawing.enlarged(drawing.pick_dims("rank of indices", 2), elements_beside(data, axis));
  Shape updates = slice(data, 0, axis);
  extend(updates, indices);
  extend(updates, slice(data, axis + 1, rank(data)));
  drawing.add_data(data);
  drawing.add_indices(indices, [&](std::int64_t) { return dim_at(data, axis); });
  add_updates(drawing, updates);
}

void draw_gather_nd(Drawing& drawing) {
  Shape data = drawing.pick_shape(drawing.pick_rank(1));
  const Shape tuples = drawing.pick_dims("dimensions of tuples", 2);
  const std::int64_t b = drawing.pick_batch_dims(rank(data) - 1, rank(tuples) + 1);
  const std::int64_t k = pick_tuple_length(drawing, rank(data) - b);
  Shape indices = slice(data, 0, b);
  if (b > 0) {
    const std::string sizes = drawing.pick("batch sizes", {"equal", "1 in data", "1 in indices"});
    if (sizes != "equal")
      dim_at(sizes == "1 in data" ? data : indices, drawing.random().between(0, b - 1)) = 1;
  }
  const Shape rows = slice(data, b + k, rank(data));
  extend(indices, drawing.enlarged(tuples, count(slice(data, 0, b)) * count(rows)));
  indices.push_back(k);
  drawing.add_data(data);
  drawing.add_indices(indices, [&](std::int64_t position) { return dim_at(data, b + position % k); });
}

void draw_scatter_nd(Drawing& drawing) {
  Shape data = drawing.pick_shape(drawing.pick_rank(1));
  Shape indices = drawing.pick_dims("dimensions of tuples", 2);
  const std::int64_t k = pick_tuple_length(drawing, rank(data));
  const Shape row = slice(data, k, rank(data));
  indices = drawing.enlarged(std::move(indices), count(row));
  Shape updates = indices;
  extend(updates, row);
  indices.push_back(k);
  drawing.add_data(data);
  drawing.add_indices(indices, [&](std::int64_t position) { return dim_at(data, position % k); });
  add_updates(drawing, updates);
}

void draw_tensor_scatter(Drawing& drawing) {
  Shape data = drawing.pick_shape(drawing.pick_rank(2));
  const std::int64_t axis = drawing.pick_axis(rank(data));
  const std::int64_t size = dim_at(data, axis);
  const std::string steps = drawing.pick("updates along the axis", {"1", "some", "all", "none"});
  Shape updates = data;
  dim_at(updates, axis) = steps == "1" ? 1 : steps == "none" ? 0 : steps == "all" ? size : (size + 1) / 2;
  const bool wraps = drawing.picked("mode") == "circular";
  const std::int64_t begins = wraps ? 3 * size : size - dim_at(updates, axis) + 1;
  drawing.add_data(data);
  if (drawing.pick("indices given", {"yes", "no"}) == "yes") {
    drawing.add_indices({data[0]}, [&](std::int64_t) { return begins; });
  } else {
    drawing.leave_out();
  }
  drawing.add_data(updates);
}

}  // namespace tensorop
