// Random tensors: values of data that find faults, and index values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generate/random.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

enum class ValueKind : std::uint8_t {
  small,    // near zero
  special,  // -0.0, NaN, infinities, subnormals; the ends of the range of integers
  bits,     // any bits: NaN with payloads among them
  order,    // floats: large ones, their negatives, and some too small to change these; integers: bits
  mixed,    // each element of any kind
  series,   // as order, and any four floats in a row along an axis add up to a small number
};

// Strings have characters of one to four bytes, whatever the kind.
[[nodiscard]] Tensor random_tensor(Random& random, DType dtype, const Shape& shape, ValueKind kind);
// Draws the kind too.
[[nodiscard]] Tensor random_tensor(Random& random, DType dtype, const Shape& shape);

// The classes of elements that find faults (NaN, -0, maximum), which `dtype` has; none for complex, small and
// other dtypes.
[[nodiscard]] std::vector<std::string> element_classes(DType dtype);
// The tensor, of a dtype that has these classes, with an element of a class at each of these flat positions.
[[nodiscard]] Tensor planted(const Tensor& tensor, const std::map<std::int64_t, std::string>& classes);

// Integers of `dtype`: `value` returns the integer of a flat position. One that does not fit in the dtype
// becomes the nearest that does.
[[nodiscard]] Tensor integer_tensor(DType dtype, const Shape& shape,
                                    const std::function<std::int64_t(std::int64_t position)>& value);

// The element of a tensor of integers at a flat position; the nearest int64. 0 in a tensor of another dtype.
[[nodiscard]] std::int64_t integer_at(const Tensor& tensor, std::int64_t position);

// Any dtype of a set that is not empty.
[[nodiscard]] DType random_dtype(Random& random, const DTypeSet& from);

// A shape that broadcasts to `shape`: its last dimensions, some of them 1.
[[nodiscard]] Shape shrunk(Random& random, const Shape& shape, std::int64_t rank);

// The shape with longer dimensions, for about `elements` elements or more; unchanged if it cannot grow.
[[nodiscard]] Shape grown(Random& random, Shape shape, std::int64_t elements);

// The shape with one random dimension (if any) made one longer: a fault for a check to find.
[[nodiscard]] Shape spoiled(Random& random, Shape shape);

}  // namespace tensorop
