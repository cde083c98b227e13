// The typed loops of binary_kernel.hpp and the concepts that they use.
#include "kernels/elements/binary_kernel.hpp"

#include <algorithm>

#include "tensor/stored_elements.hpp"

namespace tensorop {

// Operators whose apply() always has a result for the two types (Total), or a result or a Fault (Partial).
template <class Op, class A, class B>
concept Total = requires(A a, B b) {
  Op::apply(a, b);
};
template <class Op, class A, class B>
concept Partial = requires(A a, B b, Fault& fault) {
  Op::apply(a, b, fault);
};

template <class Op, class... Ops>
inline constexpr bool kIsOneOf = (std::is_same_v<Op, Ops> || ...);
// Operators whose result bits are the same for signed and unsigned integers: one loop serves both.
template <class Op>
inline constexpr bool kSignless =
    kIsOneOf<Op, Add, Sub, Mul, SquaredDifference, Equal, NotEqual, And, Or, Xor>;

template <class Op, class A, class B>
bool compute_total(const std::byte* a_bytes, std::int64_t stride_a, const std::byte* b_bytes,
                   std::int64_t stride_b, std::byte* out_bytes, std::int64_t count) {
  using Result = decltype(Op::apply(A{}, B{}));
  const StoredElements<A> a(a_bytes);
  const StoredElements<B> b(b_bytes);
  auto* out = reinterpret_cast<Result*>(out_bytes);
  // No iteration reads an element that another one writes, even if `out` is an operand. The pragma saves the
  // compiler a check at run time.
  if (stride_a == 1 && stride_b == 1) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = Op::apply(a[i], b[i]);
  } else if (stride_a == 1) {
    const B scalar = *b;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = Op::apply(a[i], scalar);
  } else if (stride_b == 1) {
    const A scalar = *a;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = Op::apply(scalar, b[i]);
  } else if (count > 0) {
    std::fill_n(out, count, Op::apply(*a, *b));
  }
  return true;
}

template <class Op, class A, class B>
bool compute_partial(const std::byte* a_bytes, std::int64_t stride_a, const std::byte* b_bytes,
                     std::int64_t stride_b, std::byte* out_bytes, std::int64_t count) {
  StoredElements<A> a(a_bytes);
  StoredElements<B> b(b_bytes);
  auto* out = reinterpret_cast<A*>(out_bytes);
  bool sound = true;
  for (std::int64_t i = 0; i < count; ++i) {
    Fault fault = Fault::none;
    out[i] = Op::apply(*a, *b, fault);
    sound = sound && fault == Fault::none;
    a = a + stride_a;
    b = b + stride_b;
  }
  return sound;
}

template <class Op, class A, class B>
FaultPlace find_fault(const std::byte* a_bytes, std::int64_t stride_a, const std::byte* b_bytes,
                      std::int64_t stride_b, std::int64_t count) {
  const StoredElements<A> a(a_bytes);
  const StoredElements<B> b(b_bytes);
  for (std::int64_t i = 0; i < count; ++i) {
    Fault fault = Fault::none;
    (void)Op::apply(a[i * stride_a], b[i * stride_b], fault);
    if (fault != Fault::none) return {i, fault};
  }
  return {count, Fault::none};
}

template <class Op, class A, class B>
BinaryKernel make_kernel(DType operand) {
  if constexpr (Partial<Op, A, B>) {
    return {operand, compute_partial<Op, A, B>, find_fault<Op, A, B>};
  } else if constexpr (Total<Op, A, B>) {
    const bool is_bool = std::is_same_v<decltype(Op::apply(A{}, B{})), Bool>;
    return {is_bool ? DType::boolean : operand, compute_total<Op, A, B>, nullptr};
  } else {
    return {};
  }
}

// The type whose loop serves T.
template <class Op, class T>
struct LoopType {
  using type = T;
};
template <class Op, std::signed_integral T>
requires kSignless<Op>
struct LoopType<Op, T> {
  using type = std::make_unsigned_t<T>;
};

template <class Op>
BinaryKernel find_kernel(DType a, DType b) {
  if (a != b) return {};
  return dispatch(a, [&]<class T>(TypeTag<T>) -> BinaryKernel {
    using Loop = typename LoopType<Op, T>::type;
    return make_kernel<Op, Loop, Loop>(a);
  });
}

template BinaryKernel find_kernel<Add>(DType, DType);
template BinaryKernel find_kernel<Sub>(DType, DType);
template BinaryKernel find_kernel<Mul>(DType, DType);
template BinaryKernel find_kernel<Div>(DType, DType);
template BinaryKernel find_kernel<FloorDiv>(DType, DType);
template BinaryKernel find_kernel<Mod>(DType, DType);
template BinaryKernel find_kernel<FloorMod>(DType, DType);
template BinaryKernel find_kernel<FloorModKeepingZero>(DType, DType);
template BinaryKernel find_kernel<PowOfZero>(DType, DType);
template BinaryKernel find_kernel<NaturalPow>(DType, DType);
template BinaryKernel find_kernel<SquaredDifference>(DType, DType);
template BinaryKernel find_kernel<SquaredDistance>(DType, DType);
template BinaryKernel find_kernel<Prelu>(DType, DType);
template BinaryKernel find_kernel<Min>(DType, DType);
template BinaryKernel find_kernel<Max>(DType, DType);

template BinaryKernel find_kernel<Equal>(DType, DType);
template BinaryKernel find_kernel<NotEqual>(DType, DType);
template BinaryKernel find_kernel<Less>(DType, DType);
template BinaryKernel find_kernel<LessOrEqual>(DType, DType);
template BinaryKernel find_kernel<Greater>(DType, DType);
template BinaryKernel find_kernel<GreaterOrEqual>(DType, DType);
template BinaryKernel find_kernel<WithoutNan<Less>>(DType, DType);
template BinaryKernel find_kernel<WithoutNan<LessOrEqual>>(DType, DType);
template BinaryKernel find_kernel<WithoutNan<Greater>>(DType, DType);
template BinaryKernel find_kernel<WithoutNan<GreaterOrEqual>>(DType, DType);
template BinaryKernel find_kernel<FirstIf<Less>>(DType, DType);
template BinaryKernel find_kernel<FirstIf<Greater>>(DType, DType);
template BinaryKernel find_kernel<FirstIfOrNan<LessOrEqual>>(DType, DType);
template BinaryKernel find_kernel<FirstIfOrNan<GreaterOrEqual>>(DType, DType);
template BinaryKernel find_kernel<And>(DType, DType);
template BinaryKernel find_kernel<Or>(DType, DType);
template BinaryKernel find_kernel<Xor>(DType, DType);
template BinaryKernel find_kernel<LogicalAnd>(DType, DType);
template BinaryKernel find_kernel<LogicalOr>(DType, DType);
template BinaryKernel find_kernel<LogicalXor>(DType, DType);
template BinaryKernel find_kernel<ShiftLeft>(DType, DType);
template BinaryKernel find_kernel<ShiftRight>(DType, DType);
template BinaryKernel find_kernel<AnyShiftLeft>(DType, DType);
template BinaryKernel find_kernel<AnyShiftRight>(DType, DType);
template BinaryKernel find_kernel<ShiftRightLogical>(DType, DType);

// The exponent of Pow has a dtype of its own.
template <>
BinaryKernel find_kernel<Pow>(DType a, DType b) {
  return dispatch(a, [&]<class T>(TypeTag<T>) {
    return dispatch(b, [&]<class E>(TypeTag<E>) -> BinaryKernel { return make_kernel<Pow, T, E>(a); });
  });
}

}  // namespace tensorop
