// The gather family: random calls.
#include <algorithm>

#include "base/text.hpp"
#include "support/random_operators.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

using reference::operator+;
using reference::slice;

const std::vector<std::string> kOob = {"error", "zero", "clip", "clamp", "wrap", "fill"};

// Tensors above this many elements are drawn again: the reference is slow.
std::int64_t most_elements(std::int64_t elements) {
  return elements == 0 ? 500 : 3 * elements;
}

// How many elements data has where the result has some `elements` (0: few).
std::int64_t data_elements(Random& random, std::int64_t elements) {
  return elements == 0 ? 0 : elements / random.pick(std::vector<std::int64_t>{1, 1, 20, 500});
}

void set_operands(Random& random, RandomCase& call, const Shape& data, const Shape& indices,
                  const std::function<std::int64_t(const std::vector<std::int64_t>&)>& extent) {
  maybe_oob(random, call, kOob);
  const DType dtype = random_dtype(random, random.chance(1) ? kAllTypes : call.arguments.rules.types);
  maybe_fill(random, call, dtype);
  call.arguments.operands = {random_tensor(random, dtype, data),
                             random_indices(random, call, indices, extent)};
}

// A negative batch_dims counts from the end of indices, if the version and GA-3 let it.
void set_batch_dims(Random& random, RandomCase& call, std::int64_t b, std::int64_t most_negative,
                    std::int64_t q) {
  if (!call.arguments.rules.batch_dims || (b == 0 && random.chance(60))) return;
  if (random.chance(20) && b < q && b - q >= most_negative) b -= q;
  if (random.chance(2)) b += random.between(1, 2);
  call.arguments.attributes["batch_dims"] = cat(b);
}

}  // namespace

RandomCase gather_case(Random& random, const std::string& op, std::int64_t elements) {
  while (true) {
    RandomCase call = random_call(random, op);
    const std::int64_t r = random.between(random.chance(1) ? 0 : 1, 6);
    const Shape data = random_shape(random, r, data_elements(random, elements));
    const bool flat = set_flat(random, call);
    const std::int64_t axis = r == 0 ? 0 : random.between(0, r - 1);
    const std::int64_t b = call.arguments.rules.batch_dims && !flat ? random.between(0, axis) : 0;
    const std::int64_t d = flat || r == 0 ? elements_in(data) : data[static_cast<std::size_t>(axis)];
    const std::int64_t slices = std::max<std::int64_t>(elements_in(data) / std::max<std::int64_t>(d, 1), 1);
    const bool has_vector = call.arguments.rules.vector_index && !random.chance(2);
    const Shape picked = random_shape(random, random.between(0, has_vector ? 1 : 2), elements / slices);
    Shape indices = slice(data, 0, b) + picked;
    if (random.chance(1)) indices = spoiled(random, indices);
    const std::int64_t q = rank(indices);
    const std::int64_t most = most_elements(elements);
    if (elements_in(data) > most || elements_in(indices) > most || slices * elements_in(picked) > most)
      continue;
    if (!flat) {
      set_axis(random, call, axis, r);
      set_batch_dims(random, call, b, -std::min(r, q), q);
    }
    set_operands(random, call, data, indices, [&](const auto&) { return d; });
    return call;
  }
}

RandomCase gather_elements_case(Random& random, const std::string& op, std::int64_t elements) {
  while (true) {
    RandomCase call = random_call(random, op);
    const std::int64_t r = random.between(random.chance(1) ? 0 : 1, 6);
    Shape data = random_shape(random, r, data_elements(random, elements));
    const std::int64_t axis = r == 0 ? 0 : random.between(0, r - 1);
    const auto a = static_cast<std::size_t>(axis);
    // Where zeros are read for what is out of range, there is a result however few elements data has.
    if (r > 0 && random.chance(5)) data[a] = 0;
    const bool flat = set_flat(random, call);
    Shape indices = data;
    for (std::size_t dim = 0; dim < indices.size(); ++dim) {
      if (call.arguments.rules.off_axis) {
        if (random.chance(20)) indices[dim] = 1;
        if (dim != a && random.chance(20)) data[dim] = 1;
      } else if (!call.arguments.rules.equal_off_axis && random.chance(40)) {
        indices[dim] = random.between(indices[dim] > 0 ? 1 : 0, indices[dim]);
      }
    }
    if (r > 0) {
      indices[a] = 1;
      const std::int64_t lanes = std::max<std::int64_t>(elements_in(indices), 1);
      indices[a] = elements == 0 ? random.between(random.chance(3) ? 0 : 1, 6) : elements / lanes + 1;
    }
    if (random.chance(2)) indices = spoiled(random, indices);
    if (random.chance(1)) indices.push_back(1);
    const std::int64_t most = most_elements(elements);
    if (elements_in(data) > most || elements_in(indices) > most) continue;
    if (call.arguments.rules.off_axis && repeated_elements(indices, data, a) > most) continue;
    if (!flat) set_axis(random, call, axis, r);
    set_operands(random, call, data, indices,
                 [&](const auto&) { return flat || r == 0 ? elements_in(data) : data[a]; });
    return call;
  }
}

RandomCase gather_nd_case(Random& random, const std::string& op, std::int64_t elements) {
  while (true) {
    RandomCase call = random_call(random, op);
    const reference::Rules& rules = call.arguments.rules;
    const std::int64_t r = random.between(random.chance(1) ? 0 : 1, 6);
    Shape data = random_shape(random, r, data_elements(random, elements));
    const std::int64_t b =
        rules.batch_dims && r > 0 ? random.between(0, std::min<std::int64_t>(r - 1, 3)) : 0;
    Shape indices = slice(data, 0, b);
    for (std::size_t d = 0; d < indices.size() && rules.broadcast_batch_dims; ++d) {
      if (random.chance(15)) indices[d] = 1;
      if (random.chance(15)) data[d] = 1;
    }
    const bool empty_tuple = rules.empty_tuples || random.chance(2);
    const std::int64_t k = r == 0 ? 0 : random.between(empty_tuple && random.chance(15) ? 0 : 1, r - b);
    const std::int64_t batches = std::max(elements_in(indices), elements_in(slice(data, 0, b)));
    const std::int64_t each = std::max<std::int64_t>(batches * elements_in(slice(data, b + k, r)), 1);
    const Shape tuples = random_shape(random, random.between(0, 2), elements / each);
    indices = indices + tuples + Shape{k + (random.chance(1) ? 1 : 0)};
    if (random.chance(1)) indices = spoiled(random, indices);
    const std::int64_t q = rank(indices);
    const std::int64_t most = most_elements(elements);
    if (elements_in(data) > most || elements_in(indices) > most || each * elements_in(tuples) > most)
      continue;
    set_batch_dims(random, call, b, rules.negative_batch_dims ? -q : 0, q);
    set_operands(random, call, data, indices, [&](const auto& c) {
      const auto component = static_cast<std::size_t>(b + c.back());
      return component < data.size() ? data[component] : 1;
    });
    return call;
  }
}

}  // namespace tensorop
