// Random calls: shapes, index values, versions. What the generators of all operators share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "generate/values.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// A call that can be made of the engine and of the reference alike.
struct RandomCase {
  std::string typed;  // the operator's name as typed
  std::string spec;   // "onnx-13"; empty: the default semantics
  reference::Arguments arguments;
};

// A call of `op` under the default semantics or under a random published version that has it.
[[nodiscard]] RandomCase random_call(Random& random, const std::string& op);

// `rank` dimensions: without `elements` mostly 1 to 4, at times 0, at times longer where the rank is low;
// with it, as many elements as that, more or less (one where the rank is 0).
[[nodiscard]] Shape random_shape(Random& random, std::int64_t rank, std::int64_t elements = 0);
[[nodiscard]] std::int64_t elements_in(const Shape& shape);

// Index values for a call: `extent` is the size of the dimension that the element at a coordinate of `shape`
// addresses. Most calls get valid values only; some get one bad value or two, and those under a version or
// --oob that allows it many.
[[nodiscard]] Tensor random_indices(
    Random& random, const RandomCase& call, const Shape& shape,
    const std::function<std::int64_t(const std::vector<std::int64_t>&)>& extent);

// Under the default semantics an --oob now and then, of these choices.
void maybe_oob(Random& random, RandomCase& call, const std::vector<std::string>& choices);

// The elements of what both shapes, of one rank, are repeated to off an axis.
[[nodiscard]] std::int64_t repeated_elements(const Shape& indices, const Shape& data, std::size_t axis);
// Whether the operands of the call are flat: always, or now and then where the version has the attribute.
[[nodiscard]] bool set_flat(Random& random, RandomCase& call);
// The value that is filled in, where the policy of the call is fill.
void maybe_fill(Random& random, RandomCase& call, DType dtype);

// The axis as an attribute: left out where it is the default, at times counted from the end.
void set_axis(Random& random, RandomCase& call, std::int64_t axis, std::int64_t rank);

}  // namespace tensorop
