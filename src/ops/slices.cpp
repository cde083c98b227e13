#include "ops/slices.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/row_plans.hpp"

namespace tensorop {
namespace {

std::string_view list_name(const Call& call, std::size_t i) {
  return call.op->attributes[i].name;
}

std::string entries(std::size_t count) {
  return cat(count, count == 1 ? " entry" : " entries");
}

// Returns an entry in the form "offset_dims[1] = 3".
std::string entry(std::string_view list, std::size_t i, std::int64_t value) {
  return cat(list, "[", i, "] = ", value);
}

void require_below(std::string_view name, const Shape& list, std::int64_t end, const std::string& of,
                   std::string_view rule) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] >= 0 && list[i] < end) continue;
    throw Error(cat(entry(name, i, list[i]), " is out of range for ", of,
                    end == 0 ? "" : cat(" (allowed 0..", end - 1, ")")),
                rule);
  }
}

void require_increasing(std::string_view name, const Shape& list, std::string_view rule) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list[i] > list[i - 1]) continue;
    throw Error(cat(entry(name, i, list[i]), " must be greater than ", entry(name, i - 1, list[i - 1])),
                rule);
  }
}

// Throws Error [rule] if an entry of `list` is duplicate or also in `others`.
void require_distinct(std::string_view name, const Shape& list, std::string_view others_name,
                      const Shape& others, std::string_view rule) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto before = std::find(list.begin(), list.begin() + to_int64(i), list[i]);
    const auto other = std::ranges::find(others, list[i]);
    const bool is_repeated = before != list.begin() + to_int64(i);
    if (!is_repeated && other == others.end()) continue;
    throw Error(cat(entry(name, i, list[i]), " is also ",
                    is_repeated ? cat(name, "[", before - list.begin(), "]")
                                : cat(others_name, "[", other - others.begin(), "]")),
                rule);
  }
}

void check_batching(const Call& call, const SliceDims& dims) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  const std::string_view name = list_name(call, 3);
  require_below(name, dims.indices_batching, rank(indices), cat("indices ", to_string(indices)), "SG-7");
  require_distinct(name, dims.indices_batching, "", {}, "SG-7");
  if (has_dim(dims.indices_batching, to_size(dims.vector_dim)))
    throw Error(cat(name, " has ", dims.vector_dim, ", which is index_vector_dim"), "SG-7");
  if (dims.indices_batching.size() != dims.batching.size()) {
    throw Error(cat(name, " has ", entries(dims.indices_batching.size()), ", ", list_name(call, 2), " has ",
                    dims.batching.size(), "; they are paired"),
                "SG-7");
  }
  for (std::size_t i = 0; i < dims.batching.size(); ++i) {
    const std::int64_t own = data[to_size(dims.batching[i])];
    const std::int64_t other = indices[to_size(dims.indices_batching[i])];
    if (own == other) continue;
    throw Error(cat("batching dimension ", dims.batching[i], " of data ", to_string(data), " is ", own,
                    ", dimension ", dims.indices_batching[i], " of indices ", to_string(indices), " is ",
                    other, "; they must be equal"),
                "SG-7");
  }
}

}  // namespace

SliceDims slice_dims(const Call& call) {
  const auto list = [&](std::size_t i) {
    return call.attributes[i].in_version ? call.get(AttributeKey<Shape>{i}) : Shape{};
  };
  return {list(0), list(1), list(2), list(3), list(4), call.get(AttributeKey<std::int64_t>{5})};
}

void check_slice_dims(const Call& call, const SliceDims& dims) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  const std::string of_data = cat("data ", to_string(data));
  const std::size_t named = dims.windows.size() + dims.collapsed.size() + dims.batching.size();
  if (named != data.size()) {
    throw Error(
        cat(list_name(call, 0), ", ", list_name(call, 1), " and ", list_name(call, 2), " have ",
            entries(named), " in all; ", of_data, " needs ", data.size(), ", one for each of its dimensions"),
        "SG-1");
  }
  if (dims.vector_dim < 0 || dims.vector_dim > rank(indices)) {
    throw Error(cat(list_name(call, 5), " ", dims.vector_dim, " is out of range for indices ",
                    to_string(indices), " (allowed 0..", rank(indices), ")"),
                "SG-2");
  }
  const bool has_vectors = dims.vector_dim < rank(indices);
  const std::int64_t components = has_vectors ? indices[to_size(dims.vector_dim)] : 1;
  if (to_int64(dims.index_map.size()) != components) {
    throw Error(cat(list_name(call, 4), " has ", entries(dims.index_map.size()),
                    "; the index vectors of indices ", to_string(indices), " have ", components,
                    has_vectors ? cat(", along dimension ", dims.vector_dim) : ": each element is one"),
                "SG-2");
  }
  const std::int64_t windowed_rank = call.operands.size() == 3
                                         ? call.operands[2].rank()
                                         : rank(batch_shape(dims, indices)) + to_int64(dims.windows.size());
  require_increasing(list_name(call, 0), dims.windows, "SG-4");
  require_below(list_name(call, 0), dims.windows, windowed_rank,
                cat(call.operands.size() == 3 ? "updates" : "a result", " of rank ", windowed_rank), "SG-4");
  require_below(list_name(call, 1), dims.collapsed, rank(data), of_data, "SG-5");
  require_below(list_name(call, 2), dims.batching, rank(data), of_data, "SG-5");
  require_increasing(list_name(call, 1), dims.collapsed, "SG-5");
  require_increasing(list_name(call, 2), dims.batching, "SG-5");
  require_distinct(list_name(call, 2), dims.batching, list_name(call, 1), dims.collapsed, "SG-5");
  check_batching(call, dims);
  require_below(list_name(call, 4), dims.index_map, rank(data), of_data, "SG-8");
  require_distinct(list_name(call, 4), dims.index_map, list_name(call, 2), dims.batching, "SG-8");
}

Planned plan_windows(const Call& call, const SliceDims& dims, const Shape& sizes) {
  const Tensor& data = call.operands[0];
  Shape shape = windowed_shape(dims, data.shape(), call.operands[1].shape(), sizes);
  return plan_gather(call, checked_output(data.dtype(), shape), {dims, sizes, shape});
}

SliceDims check_dynamic_slice(const Call& call, const Shape& sizes, std::string_view sizes_name) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  if (indices != Shape{rank(data)}) {
    throw Error(cat("indices ", to_string(indices), " must have shape (", rank(data),
                    "): a start for each dimension of data ", to_string(data)),
                "SD-1");
  }
  const auto fits = [](std::int64_t size, std::int64_t whole) { return size >= 0 && size <= whole; };
  if (sizes.size() != data.size() || !std::ranges::equal(sizes, data, fits)) {
    throw Error(cat(sizes_name, " ", to_string(sizes), " must have a size for each dimension of data ",
                    to_string(data), ", no larger than it"),
                "SD-2");
  }
  SliceDims dims;
  dims.windows.resize(data.size());
  std::iota(dims.windows.begin(), dims.windows.end(), 0);
  dims.index_map = dims.windows;
  return dims;
}

}  // namespace tensorop
