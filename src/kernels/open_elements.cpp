#include "kernels/open_elements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "kernels/bits.hpp"
#include "kernels/index/row_map.hpp"
#include "tensor/convert_elements.hpp"
#include "tensor/element.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

// Number of elements that a thread marks at a time. If marking a range looks through all updates, ranges are
// as large as memory allows, and at least kLargeChunk.
constexpr std::int64_t kChunk = std::int64_t{1} << 20;
constexpr std::int64_t kLargeChunk = std::int64_t{1} << 22;

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
void mark_results(std::span<const RunOperand> run, const std::byte* results, std::int64_t count,
                  std::uint64_t* bits, std::int64_t at) {
  const StoredElements<T> result(results);
  for (std::int64_t i = 0; i < count; ++i, ++at) {
    const auto operand = [&](std::size_t of) {
      return T{StoredElements<T>(run[of].data)[i * run[of].stride]};
    };
    if (Test::apply(run.size(), operand, T{result[i]})) or_bit(bits, at);
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

// Whether marking a range looks through all updates because they are neither sorted nor in groups.
bool looks_through_all(const Plan& plan) {
  const std::optional<RowMoves>& moves = plan.facts().moves;
  return moves && moves->is_scatter() && moves->map->group_size() == 0 && !plan.decision().sorts();
}

// Number of elements that a thread marks at a time: a multiple of 64, so that ranges share no word.
std::int64_t chunk_of(const Plan& plan, std::int64_t elements, std::int64_t memory, const Threads& threads) {
  if (!looks_through_all(plan)) return kChunk;
  // The marks of an element and the search for them take three bits.
  const std::int64_t most = std::max(kLargeChunk, memory / threads.count());
  return ceil_div(std::clamp(ceil_div(elements, threads.count()), kLargeChunk, most), 64) * 64;
}

using MarkBits = std::vector<std::uint64_t>;

// Calls mark(part, bits) for parts of the elements, on all threads, and take(range, bits) for ranges in
// ascending order with the bits that mark() has set.
template <class Mark, class Take>
void for_each_marked(const Plan& plan, std::int64_t elements, std::int64_t memory, const Threads& threads,
                     const Mark& mark, const Take& take) {
  // A range that looks through all updates is never short; rather fewer threads mark.
  const Threads own = looks_through_all(plan) ? threads.at_most(memory / kLargeChunk) : threads;
  const std::int64_t chunk = chunk_of(plan, elements, memory, own);
  MarkBits bits;
  for_each_range({0, elements}, chunk * own.count(), Threads(1), [&](Range range, int /*worker*/) {
    bits.assign(words_of_bits(range.count), 0);
    for_each_range(range, chunk, own, [&](Range part, int /*worker*/) {
      mark(part, bits.data() + (part.first - range.first) / 64);
    });
    take(range, bits);
  });
}

// Counts the bits that mark(range, bits) sets.
template <class Mark>
OpenCount count_marked(const Plan& plan, std::int64_t elements, const Threads& threads, const Mark& mark) {
  OpenCount all;
  for_each_marked(plan, elements, 0, threads, mark, [&](Range range, const MarkBits& bits) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (bits[i] == 0) continue;
      if (all.count == 0) all.first = range.first + to_int64(i) * 64 + std::countr_zero(bits[i]);
      all.count += std::popcount(bits[i]);
    }
  });
  return all;
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

OpenCount count_open(const Plan& plan, std::int64_t elements, const Threads& threads) {
  if (plan.facts().open_reason == OpenReason::none) return {};
  return count_marked(plan, elements, threads,
                      [&](Range range, std::uint64_t* bits) { plan.mark_open(range, bits); });
}

OpenCount count_rounded(const Plan& plan, std::int64_t elements, const Threads& threads) {
  if (plan.facts().rounding != Rounding::each_step) return {};
  return count_marked(plan, elements, threads,
                      [&](Range range, std::uint64_t* bits) { plan.mark_rounded(range, bits); });
}

void write_open(const Plan& plan, std::int64_t elements, std::int64_t memory, const ElementTarget& target,
                const Threads& threads) {
  constexpr std::int64_t kPiece = 1 << 20;
  std::vector<std::byte> bytes(to_size(std::min(elements, kPiece)));
  threads.expect(elements);
  const auto mark = [&](Range range, std::uint64_t* bits) { plan.mark_open(range, bits); };
  for_each_marked(plan, elements, memory, threads, mark, [&](Range range, const MarkBits& bits) {
    for (std::int64_t first = 0; first < range.count; first += kPiece) {
      const std::int64_t n = std::min(kPiece, range.count - first);
      for (std::int64_t i = 0; i < n; ++i)
        bytes[to_size(i)] = static_cast<std::byte>(has_bit(bits.data(), first + i));
      target.write({range.first + first, n}, bytes.data());
      if (target.anywhere) threads.advance(n);
    }
  });
}

}  // namespace tensorop
