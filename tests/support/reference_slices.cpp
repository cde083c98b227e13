// The gather, scatter and dynamic slices of the StableHLO spec: windows that begin where index vectors say,
// written as loops over all elements.
#include <algorithm>

#include "support/reference_array.hpp"

namespace tensorop::reference {
namespace {

bool holds(const Coordinate& list, std::int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// The dimension numbers by the letters of the specification: O or W, C or I, B, B', M and v.
struct Numbers {
  Coordinate o, c, b, b_indices, m;
  std::int64_t v = 0;
};

Numbers numbers_of(const Arguments& arguments) {
  Numbers n;
  if (arguments.op.starts_with("dynamic")) {
    for (std::int64_t d = 0; d < arguments.operands[0].rank(); ++d) n.o.push_back(d);
    n.m = n.o;
    return n;
  }
  const bool gathers = arguments.op == "gatherslices";
  n.o = numbers(arguments, gathers ? "offset_dims" : "update_window_dims");
  n.c = numbers(arguments, gathers ? "collapsed_slice_dims" : "inserted_window_dims");
  n.b = numbers(arguments, gathers ? "operand_batching_dims" : "input_batching_dims");
  n.b_indices = numbers(arguments, gathers ? "start_indices_batching_dims" : "scatter_indices_batching_dims");
  n.m = numbers(arguments, gathers ? "start_index_map" : "scatter_dims_to_operand_dims");
  n.v = number(arguments, "index_vector_dim", 0);
  return n;
}

bool increasing(const Coordinate& list) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list[i] <= list[i - 1]) return false;
  }
  return true;
}

bool within(const Coordinate& list, std::int64_t end) {
  return std::ranges::all_of(list, [&](std::int64_t x) { return 0 <= x && x < end; });
}

bool distinct(Coordinate list) {
  std::ranges::sort(list);
  return std::ranges::adjacent_find(list) == list.end();
}

void check(const Numbers& n, const Shape& data, const Shape& starts, std::int64_t windowed_rank) {
  const auto r = static_cast<std::int64_t>(data.size());
  const auto q = static_cast<std::int64_t>(starts.size());
  require(data.size() == n.o.size() + n.c.size() + n.b.size(), "SG-1");
  require(0 <= n.v && n.v <= q, "SG-2");
  const std::int64_t components = n.v == q ? 1 : starts[static_cast<std::size_t>(n.v)];
  require(static_cast<std::int64_t>(n.m.size()) == components, "SG-2");
  require(increasing(n.o) && within(n.o, windowed_rank), "SG-4");
  require(increasing(n.c) && increasing(n.b) && distinct(n.c + n.b) && within(n.c + n.b, r), "SG-5");
  require(distinct(n.b_indices) && within(n.b_indices, q) && !holds(n.b_indices, n.v), "SG-7");
  require(n.b.size() == n.b_indices.size(), "SG-7");
  for (std::size_t i = 0; i < n.b.size(); ++i) {
    require(data[static_cast<std::size_t>(n.b[i])] == starts[static_cast<std::size_t>(n.b_indices[i])],
            "SG-7");
  }
  require(distinct(n.m + n.b) && within(n.m, r), "SG-8");
}

// start_indices.shape without dimension v.
Shape batch_of(const Numbers& n, const Shape& starts) {
  Shape batch;
  for (std::size_t d = 0; d < starts.size(); ++d) {
    if (static_cast<std::int64_t>(d) != n.v) batch.push_back(starts[d]);
  }
  return batch;
}

// The dimensions of Q in order at the positions not in O, those of the window at the positions O.
Shape interleaved(const Numbers& n, const Shape& batch, const Shape& window) {
  Shape out;
  std::size_t at_batch = 0;
  std::size_t at_window = 0;
  while (out.size() < batch.size() + window.size()) {
    const bool is_window = holds(n.o, static_cast<std::int64_t>(out.size()));
    out.push_back(is_window ? window[at_window++] : batch[at_batch++]);
  }
  return out;
}

Shape window_of(const Numbers& n, const Shape& sizes) {
  Shape window;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (!holds(n.c + n.b, static_cast<std::int64_t>(d))) window.push_back(sizes[d]);
  }
  return window;
}

// The start of a window: moved so that the window is inside, or unchanged.
enum class Starts : std::uint8_t { clamped, raw };

// full + batch + off, for the position p of the result or of updates. `sizes` are those of the window. Beyond
// any coordinate where a start is.
std::vector<Wide> operand_position(const Numbers& n, const Shape& data, const Array& starts,
                                   const Shape& sizes, const Coordinate& p, Starts meaning) {
  Coordinate b;
  Coordinate o;
  for (std::size_t d = 0; d < p.size(); ++d)
    (holds(n.o, static_cast<std::int64_t>(d)) ? o : b).push_back(p[d]);
  std::vector<Wide> at(data.size(), 0);
  for (std::size_t j = 0; j < n.m.size(); ++j) {
    Coordinate vector = b;
    if (n.v < starts.rank()) vector.insert(vector.begin() + n.v, static_cast<std::int64_t>(j));
    const auto d = static_cast<std::size_t>(n.m[j]);
    const Wide most = Wide{data[d]} - sizes[d];
    Wide start = integer(starts.at(vector));
    if (meaning == Starts::clamped) start = std::clamp<Wide>(start, 0, most);
    at[d] = start;
  }
  for (std::size_t i = 0; i < n.b.size(); ++i) {
    const std::int64_t other = n.b_indices[i];
    at[static_cast<std::size_t>(n.b[i])] = b[static_cast<std::size_t>(other - (other > n.v ? 1 : 0))];
  }
  std::size_t next = 0;
  for (std::size_t d = 0; d < data.size(); ++d) {
    if (!holds(n.c + n.b, static_cast<std::int64_t>(d))) at[d] += o[next++];
  }
  return at;
}

std::optional<Coordinate> inside(const std::vector<Wide>& at, const Shape& shape) {
  Coordinate out;
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (at[d] < 0 || at[d] >= shape[d]) return std::nullopt;
    out.push_back(static_cast<std::int64_t>(at[d]));
  }
  return out;
}

void check_dynamic(const Arguments& arguments, const Shape& sizes) {
  const Shape& data = arguments.operands[0].shape();
  require(arguments.operands[1].shape() == Shape{static_cast<std::int64_t>(data.size())}, "SD-1");
  require(sizes.size() == data.size(), "SD-2");
  for (std::size_t d = 0; d < data.size(); ++d) require(0 <= sizes[d] && sizes[d] <= data[d], "SD-2");
}

}  // namespace

Array gather_slices(const Arguments& arguments) {
  const Array data(arguments.operands[0]);
  const Array starts(arguments.operands[1]);
  const Numbers n = numbers_of(arguments);
  const Shape sizes = numbers(arguments, "slice_sizes");
  const Shape batch = batch_of(n, starts.shape);
  if (arguments.op == "dynamicslice") {
    check_dynamic(arguments, sizes);
  } else {
    check(n, data.shape, starts.shape, static_cast<std::int64_t>(batch.size() + n.o.size()));
    for (const std::int64_t d : n.c + n.b)
      require(static_cast<std::size_t>(d) >= sizes.size() || sizes[static_cast<std::size_t>(d)] <= 1, "SG-6");
    require(sizes.size() == data.shape.size(), "SG-9");
    for (std::size_t d = 0; d < sizes.size(); ++d)
      require(0 <= sizes[d] && sizes[d] <= data.shape[d], "SG-9");
  }
  Array out(data.dtype, interleaved(n, batch, window_of(n, sizes)));
  require(out.elements.empty() || std::ranges::find(sizes, 0) == sizes.end(), "SG-6");
  for (const Coordinate& p : coordinates_of(out.shape)) {
    const bool is_raw = arguments.oob == "zero";
    auto at = operand_position(n, data.shape, starts, sizes, p, is_raw ? Starts::raw : Starts::clamped);
    // Under --oob zero a window that is partly out of range is zero as a whole.
    const bool is_moved = is_raw && at != operand_position(n, data.shape, starts, sizes, p, Starts::clamped);
    out.at(p) = is_moved ? make_zero(data.dtype) : data.at(inside(at, data.shape).value());
  }
  return out;
}

std::vector<std::optional<Coordinate>> slice_targets(const Arguments& arguments) {
  const Shape& data = arguments.operands[0].shape();
  const Array starts(arguments.operands[1]);
  const Shape& updates = arguments.operands[2].shape();
  const Numbers n = numbers_of(arguments);
  Shape sizes(data.size(), 1);
  if (arguments.op == "dynamicupdateslice") {
    sizes = updates;
    check_dynamic(arguments, sizes);
  } else {
    check(n, data, starts.shape, static_cast<std::int64_t>(updates.size()));
    const Shape batch = batch_of(n, starts.shape);
    require(updates.size() == batch.size() + n.o.size(), "SS-7");
    std::size_t next = 0;
    for (std::size_t d = 0; d < data.size(); ++d) {
      if (holds(n.c + n.b, static_cast<std::int64_t>(d))) continue;
      sizes[d] = updates[static_cast<std::size_t>(n.o[next++])];
      require(sizes[d] <= data[d], "SS-7");
    }
    require(interleaved(n, batch, window_of(n, sizes)) == updates, "SS-7");
  }
  const bool is_clamped = arguments.op == "dynamicupdateslice" || arguments.oob == "clamp";
  // Nothing is the nearest element of a dimension that has none.
  for (const Coordinate& at : coordinates_of(starts.shape)) {
    const auto component =
        n.v < starts.rank() ? static_cast<std::size_t>(at[static_cast<std::size_t>(n.v)]) : 0;
    const auto d = static_cast<std::size_t>(n.m[component]);
    if (is_clamped && sizes[d] > data[d])
      throw ReferenceError("IX-1", position_of(at, starts.shape), starts.shape);
  }
  std::vector<std::optional<Coordinate>> targets;
  for (const Coordinate& p : coordinates_of(updates)) {
    targets.push_back(inside(
        operand_position(n, data, starts, sizes, p, is_clamped ? Starts::clamped : Starts::raw), data));
  }
  return targets;
}

}  // namespace tensorop::reference
