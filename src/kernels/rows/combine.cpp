#include "kernels/rows/combine.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/checked.hpp"
#include "kernels/cache.hpp"
#include "kernels/elements/binary_logic.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

// Targets ascend, but rows of updates are anywhere: the next ones are prefetched, the rest of a long row by
// the hardware.
constexpr std::int64_t kRowsAhead = 2;
constexpr std::int64_t kPrefetchedBytes = 512;

struct Replace {
  template <class T>
  static T apply(T /*old*/, T update) {
    return update;
  }
};

template <class T, class Op>
void combine(const MoveTarget& rows, const Move* moves, std::int64_t count) {
  auto* target = reinterpret_cast<T*>(rows.target);
  const StoredElements<T> updates(rows.updates);
  if (rows.columns == 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      T& element = target[moves[i].target * rows.row_elements];
      element = Op::apply(element, updates[moves[i].update * rows.update_step]);
    }
    return;
  }
  const std::int64_t prefetched = std::min(rows.columns * std::int64_t{sizeof(T)}, kPrefetchedBytes);
  const auto update_of = [&](std::int64_t i) { return updates + moves[i].update * rows.update_step; };
  for (std::int64_t i = 0; i < count; ++i) {
    T* row = target + moves[i].target * rows.row_elements;
    const StoredElements<T> update = update_of(i);
    if (i + kRowsAhead < count) prefetch(update_of(i + kRowsAhead).bytes(), prefetched);
    if constexpr (std::is_same_v<Op, Replace>) {
      std::memcpy(row, update.bytes(), to_size(rows.columns) * sizeof(T));
    } else {
      for (std::int64_t c = 0; c < rows.columns; ++c) row[c] = Op::apply(row[c], update[c]);
    }
  }
}

Combine replace_loop(DType dtype) {
  return dispatch_width(element_size(dtype),
                        []<class Word>(TypeTag<Word>) -> Combine { return combine<Word, Replace>; });
}

template <class T, class Op>
concept Applicable = requires(T a) {
  Op::apply(a, a);
};

template <class Op>
Combine typed_loop(DType dtype) {
  return dispatch(dtype, []<class T>(TypeTag<T>) -> Combine {
    if constexpr (Applicable<T, Op>) {
      return combine<T, Op>;
    } else {
      return nullptr;
    }
  });
}

// The sum that mean divides: exact for integers, rounded to T at every step for floats.
template <class T>
struct MeanSum {
  T sum;
  explicit MeanSum(T first) : sum(first) {}
  void add(T value) { sum = Add::apply(sum, value); }
  [[nodiscard]] T divided_by(std::int64_t count) const {
    if constexpr (Half<T>) {
      return canonical(round_half<T>(to_float(sum) / static_cast<float>(count)));
    } else if constexpr (Complex<T>) {
      const auto divisor = static_cast<Part<T>>(count);
      return canonical(T{sum.real() / divisor, sum.imag() / divisor});
    } else {
      return canonical(sum / static_cast<T>(count));
    }
  }
};

template <std::integral T>
struct MeanSum<T> {
  __extension__ using Exact = __int128;  // holds 2^63 elements of 64 bits
  Exact sum;
  explicit MeanSum(T first) : sum(first) {}
  void add(T value) { sum += value; }
  [[nodiscard]] T divided_by(std::int64_t count) const {
    const Exact quotient = sum / count;
    return static_cast<T>(sum % count < 0 ? quotient - 1 : quotient);
  }
};

template <class T>
concept Averageable = Real<T> || Complex<T>;

template <class T>
void average(const MoveTarget& rows, const Move* moves, std::int64_t count, bool use_init_val) {
  T* target = reinterpret_cast<T*>(rows.target) + moves[0].target * rows.row_elements;
  const StoredElements<T> updates(rows.updates);
  for (std::int64_t c = 0; c < rows.columns; ++c) {
    const auto update = [&](std::int64_t i) { return updates[moves[i].update * rows.update_step + c]; };
    MeanSum<T> sum(use_init_val ? target[c] : update(0));
    for (std::int64_t i = use_init_val ? 0 : 1; i < count; ++i) sum.add(update(i));
    target[c] = sum.divided_by(use_init_val ? count + 1 : count);
  }
}

}  // namespace

Combine combine_loop(Reduction reduction, DType dtype) {
  switch (reduction) {
    case Reduction::none:
      return replace_loop(dtype);
    case Reduction::add:
      return typed_loop<Add>(dtype);
    case Reduction::sub:
      return typed_loop<Sub>(dtype);
    case Reduction::mul:
      return typed_loop<Mul>(dtype);
    case Reduction::min:
      return typed_loop<Min>(dtype);
    case Reduction::max:
      return typed_loop<Max>(dtype);
    case Reduction::and_bits:
      return typed_loop<And>(dtype);
    case Reduction::or_bits:
      return typed_loop<Or>(dtype);
    case Reduction::xor_bits:
      return typed_loop<Xor>(dtype);
    case Reduction::mean:
      break;
  }
  return nullptr;
}

Average average_loop(DType dtype) {
  return dispatch(dtype, []<class T>(TypeTag<T>) -> Average {
    if constexpr (Averageable<T>) {
      return average<T>;
    } else {
      return nullptr;
    }
  });
}

bool is_defined(Reduction reduction, DType dtype) {
  return reduction == Reduction::mean ? average_loop(dtype) != nullptr
                                      : combine_loop(reduction, dtype) != nullptr;
}

}  // namespace tensorop
