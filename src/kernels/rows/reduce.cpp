#include "kernels/rows/reduce.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/checked.hpp"
#include "kernels/bits.hpp"
#include "kernels/cache.hpp"
#include "kernels/elements/binary_logic.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

constexpr DTypeSet kHalves = {DType::float16, DType::bfloat16};

// Targets ascend, but rows of updates are anywhere. The beginning of the next rows is prefetched; the
// hardware prefetches the rest of a long row.
constexpr std::int64_t kRowsAhead = 2;
constexpr std::int64_t kPrefetchedBytes = 512;

struct Replace {
  template <class T>
  static T apply(T /*old*/, T update) {
    return update;
  }
};

// Applies an update of a 16-bit float to a float32 accumulator.
template <class Formula>
struct Widened {
  template <Half T>
  static float apply(float old, T update) {
    return Formula::compute(old, to_float(update));
  }
};

// `Target` is T, or the type of the accumulators.
template <class T, class Op, class Target = T>
void reduce(const MoveTarget& rows, const Move* moves, std::int64_t count) {
  auto* target = reinterpret_cast<Target*>(rows.target);
  const StoredElements<T> updates(rows.updates);
  if (rows.columns == 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      Target& element = target[moves[i].target * rows.row_elements];
      element = Op::apply(element, updates[moves[i].update * rows.update_step]);
    }
    return;
  }
  const std::int64_t prefetched = std::min(rows.columns * std::int64_t{sizeof(T)}, kPrefetchedBytes);
  const auto update_of = [&](std::int64_t i) { return updates + moves[i].update * rows.update_step; };
  for (std::int64_t i = 0; i < count; ++i) {
    Target* row = target + moves[i].target * rows.row_elements;
    const StoredElements<T> update = update_of(i);
    if (i + kRowsAhead < count) prefetch(update_of(i + kRowsAhead).bytes(), prefetched);
    if constexpr (std::is_same_v<Op, Replace>) {
      std::memcpy(row, update.bytes(), to_size(rows.columns) * sizeof(T));
    } else {
      for (std::int64_t c = 0; c < rows.columns; ++c) row[c] = Op::apply(row[c], update[c]);
    }
  }
}

ReduceLoop replace_loop(DType dtype) {
  return dispatch_width(element_size(dtype),
                        []<class Word>(TypeTag<Word>) -> ReduceLoop { return reduce<Word, Replace>; });
}

template <class T, class Op>
concept Applicable = requires(T a) {
  Op::apply(a, a);
};

template <class Op>
ReduceLoop typed_loop(DType dtype) {
  return dispatch(dtype, []<class T>(TypeTag<T>) -> ReduceLoop {
    if constexpr (Applicable<T, Op>) {
      return reduce<T, Op>;
    } else {
      return nullptr;
    }
  });
}

// The sum for a mean: exact for integers, rounded to T at every step for floats.
template <class T, Rounding kRounding>
struct MeanSum {
  static constexpr bool kKeepsOne = false;
  T sum;
  explicit MeanSum(T first) : sum(first) {}
  void add(T value) { sum = Add::apply(sum, value); }
  [[nodiscard]] T result(std::int64_t count) const {
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

template <std::integral T, Rounding kRounding>
struct MeanSum<T, kRounding> {
  __extension__ using Exact = __int128;  // holds 2^63 elements of 64 bits
  static constexpr bool kKeepsOne = false;
  Exact sum;
  explicit MeanSum(T first) : sum(first) {}
  void add(T value) {
    sum += value;
    if constexpr (kRounding == Rounding::sum_and_mean) sum = static_cast<T>(sum);
  }
  [[nodiscard]] T result(std::int64_t count) const {
    const Exact quotient = sum / count;
    return static_cast<T>(sum % count < 0 ? quotient - 1 : quotient);
  }
};

template <Half T, Rounding kRounding>
requires(kRounding != Rounding::each_step) struct MeanSum<T, kRounding> {
  static constexpr bool kKeepsOne = false;
  float sum;
  explicit MeanSum(T first) : sum(to_float(first)) {}
  void add(T value) { sum += to_float(value); }
  [[nodiscard]] T result(std::int64_t count) const {
    const float dividend = kRounding == Rounding::once ? sum : to_float(round_half<T>(sum));
    return canonical(round_half<T>(dividend / static_cast<float>(count)));
  }
};

// The fold of a reduction other than mean, in float32.
template <Half T, class Formula>
struct WideFold {
  static constexpr bool kKeepsOne = true;  // one update alone is copied, a NaN with its bits
  float value;
  explicit WideFold(T first) : value(to_float(first)) {}
  void add(T update) { value = Widened<Formula>::apply(value, update); }
  [[nodiscard]] T result(std::int64_t /*count*/) const { return canonical(round_half<T>(value)); }
};

template <class T>
concept Averageable = Real<T> || Complex<T>;

template <class T, class Accumulator>
void fold(const MoveTarget& rows, const Move* moves, std::int64_t count, bool use_init_val) {
  T* target = reinterpret_cast<T*>(rows.target) + moves[0].target * rows.row_elements;
  const StoredElements<T> updates(rows.updates);
  for (std::int64_t c = 0; c < rows.columns; ++c) {
    const auto update = [&](std::int64_t i) { return updates[moves[i].update * rows.update_step + c]; };
    if (Accumulator::kKeepsOne && !use_init_val && count == 1) {
      target[c] = update(0);
      continue;
    }
    Accumulator accumulator(use_init_val ? target[c] : update(0));
    for (std::int64_t i = use_init_val ? 0 : 1; i < count; ++i) accumulator.add(update(i));
    target[c] = accumulator.result(use_init_val ? count + 1 : count);
  }
}

template <class T>
Fold mean_loop(Rounding rounding) {
  if constexpr (!Averageable<T>)
    return nullptr;
  else if constexpr (Half<T>) {
    if (rounding == Rounding::once) return fold<T, MeanSum<T, Rounding::once>>;
    if (rounding == Rounding::sum_and_mean) return fold<T, MeanSum<T, Rounding::sum_and_mean>>;
    return fold<T, MeanSum<T, Rounding::each_step>>;
  } else if (std::is_integral_v<T> && rounding == Rounding::sum_and_mean) {
    return fold<T, MeanSum<T, Rounding::sum_and_mean>>;
  } else {
    return fold<T, MeanSum<T, Rounding::each_step>>;
  }
}

// Calls make() with the formula of a reduction other than mean that accumulates_wide().
template <class Make>
auto with_formula(Reduction reduction, const Make& make) {
  if (reduction == Reduction::add) return make(formula::Sum{});
  return reduction == Reduction::sub ? make(formula::Difference{}) : make(formula::Product{});
}

template <Half T>
void begin_wide(WideRows& rows, const Move* moves, std::int64_t count) {
  const T* const target = reinterpret_cast<const T*>(rows.target);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = moves[i].target;
    if (set_bit(rows.begun.data(), row)) continue;
    const std::int64_t first = row * rows.row_elements;
    for (std::int64_t c = 0; c < rows.columns; ++c)
      rows.accumulators[to_size(first + c)] = to_float(target[first + c]);
  }
}

template <Half T>
void end_wide(const WideRows& rows) {
  T* const target = reinterpret_cast<T*>(rows.target);
  for_each_bit(rows.begun, [&](std::int64_t row) {
    const std::int64_t first = row * rows.row_elements;
    for (std::int64_t c = 0; c < rows.columns; ++c)
      target[first + c] = canonical(round_half<T>(rows.accumulators[to_size(first + c)]));
  });
}

}  // namespace

ReduceLoop reduce_loop(Reduction reduction, DType dtype) {
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

bool accumulates_wide(Reduction reduction, DType dtype, Rounding rounding) {
  const bool rounds = reduction == Reduction::add || reduction == Reduction::sub ||
                      reduction == Reduction::mul || reduction == Reduction::mean;
  return rounds && rounding != Rounding::each_step && kHalves.contains(dtype);
}

Fold fold_loop(Reduction reduction, DType dtype, Rounding rounding) {
  return dispatch(dtype, [&]<class T>(TypeTag<T>) -> Fold {
    if (reduction == Reduction::mean) return mean_loop<T>(rounding);
    if constexpr (Half<T>) {
      if (accumulates_wide(reduction, dtype, rounding))
        return with_formula(reduction,
                            []<class Formula>(Formula) -> Fold { return fold<T, WideFold<T, Formula>>; });
    }
    return nullptr;
  });
}

WideLoops wide_loops(Reduction reduction, DType dtype, Rounding rounding) {
  if (reduction == Reduction::mean || !accumulates_wide(reduction, dtype, rounding)) return {};
  return dispatch(dtype, [&]<class T>(TypeTag<T>) -> WideLoops {
    if constexpr (Half<T>) {
      return with_formula(reduction, []<class Formula>(Formula) -> WideLoops {
        return {begin_wide<T>, reduce<T, Widened<Formula>, float>, end_wide<T>};
      });
    } else {
      return {};
    }
  });
}

bool is_defined(Reduction reduction, DType dtype) {
  return reduction == Reduction::mean ? fold_loop(reduction, dtype, Rounding::each_step) != nullptr
                                      : reduce_loop(reduction, dtype) != nullptr;
}

}  // namespace tensorop
