// One tensor element of the naive reference, and arithmetic on it, as docs/ops/elementwise.md and
// docs/ops/scatter.md define it. Integers are computed exactly in 128 bits and wrapped once,
// floats in double and rounded by a routine that knows nothing but powers of two.
// Must not use: anything of src/kernels, src/ops, src/engine, nor the conversions of tensor/half.hpp.
#pragma once

#include <complex>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop::reference {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

// A refused call: the violated rule and, where one element is to blame, its row-major
// position in a tensor of `shape` (the indices for IX-1 and IX-2, the output for EW-7 and EW-8).
struct ReferenceError : std::exception {
  explicit ReferenceError(std::string violated, std::int64_t at = -1, Shape within = {})
      : rule(std::move(violated)), position(at), shape(std::move(within)) {}
  [[nodiscard]] const char* what() const noexcept override { return rule.c_str(); }
  std::string rule;
  std::int64_t position;
  Shape shape;
};

// An element is its dtype and its bytes as they lie in memory; a string is its text.
struct Element {
  DType dtype = DType::boolean;
  std::string bytes;
};

// The value of an integer or bool (0 or 1).
[[nodiscard]] Wide integer(const Element& element);
// The value of a float, exactly.
[[nodiscard]] double real(const Element& element);
// The value of a complex number, exactly.
[[nodiscard]] std::complex<double> complex(const Element& element);

// The integer modulo 2^bits of `dtype`; for bool whether it is not 0.
[[nodiscard]] Element make_integer(DType dtype, Wide value);
// The float nearest to `value`, ties to even; overflow gives infinity.
[[nodiscard]] Element make_real(DType dtype, double value);
[[nodiscard]] Element make_complex(DType dtype, std::complex<double> value);
[[nodiscard]] Element make_bool(bool value);
// 0, +0.0, false or the empty string.
[[nodiscard]] Element make_zero(DType dtype);

[[nodiscard]] bool is_nan(const Element& element);

// `value` as the compute type of `dtype` holds it: float32 for the types up to 32 bits.
[[nodiscard]] double in_compute_type(DType dtype, double value);

// One element-wise operator, by its name ("add", "mod"); `variant` is what its attributes make
// of it: "floor" or "trunc" for div and mod, "left" or "right" for bitshift. Throws ReferenceError without a
// position for EW-7 and EW-8.
[[nodiscard]] Element combine(std::string_view op, std::string_view variant, const Element& a,
                              const Element& b);

}  // namespace tensorop::reference
