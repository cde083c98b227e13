#include "kernels/elements/open_tests.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/bits.hpp"
#include "tensor/convert_elements.hpp"
#include "tensor/element.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

struct IsNan {
  template <AnyFloat T>
  static bool apply(T value) {
    if constexpr (Half<T>) {
      return (value.bits & 0x7FFF) > HalfTraits<T>::kInfinity;
    } else {
      return value != value;
    }
  }
};

template <AnyFloat T>
bool is_zero(T value) {
  return to_double(value) == 0;
}

// Decides whether the result of the operands' elements is unspecified.
template <bool kNan, bool kZeros>
struct OpenExtreme {
  template <AnyFloat T, class Operand>
  static bool apply(std::size_t operands, const Operand& operand, T result) {
    bool nan = false;
    bool signs[2] = {false, false};
    for (std::size_t i = 0; i < operands; ++i) {
      const T value = operand(i);
      nan = nan || IsNan::apply(value);
      if (is_zero(value)) signs[std::signbit(to_double(value)) ? 1 : 0] = true;
    }
    return (kNan && nan) || (kZeros && is_zero(result) && signs[0] && signs[1]);
  }
};

struct ZeroDivisor {
  template <AnyFloat T, class Operand>
  static bool apply(std::size_t operands, const Operand& operand, T /*result*/) {
    return is_zero(operand(operands - 1));
  }
};

template <bool kOverflow>
struct OpenShift {
  template <std::integral T, class Operand>
  static bool apply(std::size_t /*operands*/, const Operand& operand, T result) {
    const T amount = operand(1);
    if (std::cmp_greater_equal(amount, 8 * sizeof(T))) return true;
    return kOverflow && std::is_signed_v<T> && static_cast<T>(result >> amount) != operand(0);
  }
};

// Few elements pass the test: a loop without branches finds the blocks that have such an element.
template <class Test, class T>
void mark_elements(const std::byte* bytes, std::int64_t stride, std::int64_t count, std::uint64_t* bits,
                   std::int64_t at) {
  constexpr std::int64_t kBlock = 256;
  const StoredElements<T> elements(bytes);
  if (stride == 0 && !Test::apply(*elements)) return;
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const std::int64_t n = std::min(kBlock, count - first);
    int found = stride == 0 ? 1 : 0;
    if (stride != 0) {
      for (std::int64_t i = first; i < first + n; ++i) found |= Test::apply(elements[i]) ? 1 : 0;
    }
    if (found == 0) continue;
    for (std::int64_t i = first; i < first + n; ++i) or_bit(bits, at + i, Test::apply(elements[i * stride]));
  }
}

template <class Test, class T>
void mark_results(std::span<const SegmentOperand> segment, const std::byte* results, std::int64_t count,
                  std::uint64_t* bits, std::int64_t at) {
  const StoredElements<T> result(results);
  for (std::int64_t i = 0; i < count; ++i, ++at) {
    const auto operand = [&](std::size_t of) {
      return T{StoredElements<T>(segment[of].data)[i * segment[of].stride]};
    };
    if (Test::apply(segment.size(), operand, T{result[i]})) or_bit(bits, at);
  }
}

template <class Test>
OpenResultTest test_of(DType dtype) {
  return dispatch(dtype, []<class T>(TypeTag<T>) -> OpenResultTest {
    const auto operand = [](std::size_t) { return T{}; };
    if constexpr (requires { Test::apply(std::size_t{2}, operand, T{}); }) {
      return mark_results<Test, T>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace

OpenTest nan_test(DType dtype) {
  return dispatch(dtype, []<class T>(TypeTag<T>) -> OpenTest {
    if constexpr (AnyFloat<T>) {
      return mark_elements<IsNan, T>;
    } else {
      return nullptr;
    }
  });
}

OpenResultTest open_result_test(OpenReason reason, DType dtype) {
  switch (reason) {
    case OpenReason::nan_in_extreme:
      return test_of<OpenExtreme<true, false>>(dtype);
    case OpenReason::zeros_in_extreme:
      return test_of<OpenExtreme<false, true>>(dtype);
    case OpenReason::nan_or_zeros:
      return test_of<OpenExtreme<true, true>>(dtype);
    case OpenReason::zero_divisor:
      return test_of<ZeroDivisor>(dtype);
    case OpenReason::wide_shift:
      return test_of<OpenShift<false>>(dtype);
    case OpenReason::wide_or_overflow:
      return test_of<OpenShift<true>>(dtype);
    case OpenReason::none:
    case OpenReason::duplicate_updates:
      return nullptr;
  }
  __builtin_unreachable();
}

}  // namespace tensorop
