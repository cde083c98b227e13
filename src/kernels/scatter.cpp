#include "kernels/scatter.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/checked.hpp"
#include "kernels/arithmetic.hpp"

namespace tensorop {
namespace {

// The elements of each row that one call works on.
struct Columns {
  std::int64_t row_elements;
  std::int64_t begin;
  std::int64_t count;
};

// A row of updates and the place it goes to.
struct Move {
  std::int64_t place;
  std::int64_t row;
};

struct Replace {
  template <class T>
  static T apply(T /*old*/, T update) {
    return update;
  }
};

using Apply = void (*)(std::byte* out, const std::byte* updates, const Move* moves, std::int64_t count,
                       const Columns& columns);

template <class T, class Op>
void apply(std::byte* out_bytes, const std::byte* update_bytes, const Move* moves, std::int64_t count,
           const Columns& columns) {
  auto* out = reinterpret_cast<T*>(out_bytes) + columns.begin;
  const auto* updates = reinterpret_cast<const T*>(update_bytes) + columns.begin;
  if (columns.count == 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      T& target = out[moves[i].place * columns.row_elements];
      target = Op::apply(target, updates[moves[i].row * columns.row_elements]);
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    T* target = out + moves[i].place * columns.row_elements;
    const T* update = updates + moves[i].row * columns.row_elements;
    if constexpr (std::is_same_v<Op, Replace>) {
      std::memcpy(target, update, to_size(columns.count) * sizeof(T));
    } else {
      for (std::int64_t c = 0; c < columns.count; ++c) target[c] = Op::apply(target[c], update[c]);
    }
  }
}

// A stand-in for any element of a width, moved as it is.
template <std::size_t kWidth>
struct Opaque {
  std::byte bytes[kWidth];
};

Apply apply_replace(DType dtype) {
  switch (element_size(dtype)) {
    case 1:
      return apply<Opaque<1>, Replace>;
    case 2:
      return apply<Opaque<2>, Replace>;
    case 4:
      return apply<Opaque<4>, Replace>;
    case 8:
      return apply<Opaque<8>, Replace>;
    default:
      return apply<Opaque<16>, Replace>;
  }
}

template <class T, class Op>
concept Applicable = requires(T a) {
  Op::apply(a, a);
};

template <class Op>
Apply apply_typed(DType dtype) {
  return dispatch(dtype, []<class T>(TypeTag<T>) -> Apply {
    if constexpr (Applicable<T, Op>) {
      return apply<T, Op>;
    } else {
      return nullptr;
    }
  });
}

Apply apply_for(Reduction reduction, DType dtype) {
  switch (reduction) {
    case Reduction::none:
      return apply_replace(dtype);
    case Reduction::add:
      return apply_typed<Add>(dtype);
    case Reduction::sub:
      return apply_typed<Sub>(dtype);
    case Reduction::mul:
      return apply_typed<Mul>(dtype);
    case Reduction::min:
      return apply_typed<Min>(dtype);
    case Reduction::max:
      return apply_typed<Max>(dtype);
    case Reduction::mean:
      break;
  }
  return nullptr;
}

// The sum that mean divides: exact for integers, rounded to T at every step for floats.
template <class T>
struct MeanSum {
  T sum;
  explicit MeanSum(T first) : sum(first) {}
  void add(T value) { sum = Add::apply(sum, value); }
  [[nodiscard]] T divided_by(std::int64_t count) const {
    if constexpr (Half<T>) {
      return round_half<T>(to_float(sum) / static_cast<float>(count));
    } else if constexpr (Complex<T>) {
      using Part = typename T::value_type;
      return {sum.real() / static_cast<Part>(count), sum.imag() / static_cast<Part>(count)};
    } else {
      return sum / static_cast<T>(count);
    }
  }
};

template <std::integral T>
struct MeanSum<T> {
  __extension__ using Exact = __int128;  // 2^63 elements of 64 bits each fit
  Exact sum;
  explicit MeanSum(T first) : sum(first) {}
  void add(T value) { sum += value; }
  [[nodiscard]] T divided_by(std::int64_t count) const {
    const Exact quotient = sum / count;
    return static_cast<T>(sum % count < 0 ? quotient - 1 : quotient);
  }
};

template <class T>
concept Averageable = std::integral<T> || Floating<T> || Half<T> || Complex<T>;

// All updates of one place at once, in order, so that a fold may begin with the first of them and a mean
// knows their number.
template <class T>
void fold_mean(std::byte* out_bytes, const std::byte* update_bytes, const Move* moves, std::int64_t count,
               const ScatterSpec& spec, const Columns& columns) {
  T* target = reinterpret_cast<T*>(out_bytes) + moves[0].place * columns.row_elements + columns.begin;
  const auto* updates = reinterpret_cast<const T*>(update_bytes) + columns.begin;
  for (std::int64_t c = 0; c < columns.count; ++c) {
    const auto update = [&](std::int64_t i) { return updates[moves[i].row * columns.row_elements + c]; };
    MeanSum<T> sum(spec.use_init_val ? target[c] : update(0));
    for (std::int64_t i = spec.use_init_val ? 0 : 1; i < count; ++i) sum.add(update(i));
    target[c] = sum.divided_by(spec.use_init_val ? count + 1 : count);
  }
}

using Fold = void (*)(std::byte* out, const std::byte* updates, const Move* moves, std::int64_t count,
                      const ScatterSpec& spec, const Columns& columns);

void fold_from_first(std::byte* out, const std::byte* updates, const Move* moves, std::int64_t count,
                     const ScatterSpec& spec, const Columns& columns) {
  apply_replace(spec.dtype)(out, updates, moves, 1, columns);
  apply_for(spec.reduction, spec.dtype)(out, updates, moves + 1, count - 1, columns);
}

Fold fold_for(Reduction reduction, DType dtype) {
  if (reduction != Reduction::mean) return fold_from_first;
  return dispatch(dtype, []<class T>(TypeTag<T>) -> Fold {
    if constexpr (Averageable<T>) {
      return fold_mean<T>;
    } else {
      return nullptr;
    }
  });
}

// Which part of the work one part does: some rows of updates, those that go to some places, or some columns.
struct Share {
  Columns columns;
  std::int64_t place_begin;
  std::int64_t place_end;
};

}  // namespace

bool is_defined(Reduction reduction, DType dtype) {
  return reduction == Reduction::mean ? fold_for(reduction, dtype) != nullptr
                                      : apply_for(reduction, dtype) != nullptr;
}

void scatter_rows(std::byte* out, std::int64_t out_rows, const Locator& locator, const std::byte* updates,
                  const ScatterSpec& spec, std::int64_t part, std::int64_t parts) {
  Share share{{spec.row_elements, 0, spec.row_elements}, 0, out_rows};
  // Long rows are shared out by columns, which is even whatever the indices are; a cache line is never
  // shared.
  constexpr std::int64_t kLongRow = 4096;
  const std::int64_t row_bytes = spec.row_elements * element_size(spec.dtype);
  std::vector<Move> kept;
  const bool folds =
      spec.reduction == Reduction::mean || (spec.reduction != Reduction::none && !spec.use_init_val);
  const Apply apply_moves = folds ? nullptr : apply_for(spec.reduction, spec.dtype);

  const Locator::Range range = [&](std::int64_t first, std::int64_t count) {
    std::int64_t places[kIndexBlock];
    Move moves[kIndexBlock];
    for (const std::int64_t end = first + count; first < end; first += kIndexBlock) {
      const std::int64_t n = std::min(kIndexBlock, end - first);
      locator.locate(first, n, places);
      std::int64_t mine = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        // kSkip is below every place. Written always, counted when it is ours: no branch to mispredict.
        moves[mine] = {places[i], first + i};
        mine += places[i] >= share.place_begin && places[i] < share.place_end ? 1 : 0;
      }
      if (folds) {
        kept.insert(kept.end(), moves, moves + mine);
      } else {
        apply_moves(out, updates, moves, mine, share.columns);
      }
    }
  };
  if (row_bytes >= kLongRow && spec.row_elements >= parts) {
    share.columns.begin = part_bound(spec.row_elements, part, parts);
    share.columns.count = part_bound(spec.row_elements, part + 1, parts) - share.columns.begin;
    range(0, locator.rows());
  } else if (!locator.split(part, parts, range)) {
    share.place_begin = part_bound(out_rows, part, parts);
    share.place_end = part_bound(out_rows, part + 1, parts);
    range(0, locator.rows());
  }
  if (!folds) return;
  std::ranges::stable_sort(kept, {}, &Move::place);
  const Fold fold = fold_for(spec.reduction, spec.dtype);
  for (std::size_t i = 0; i < kept.size();) {
    std::size_t end = i + 1;
    while (end < kept.size() && kept[end].place == kept[i].place) ++end;
    fold(out, updates, kept.data() + i, to_int64(end - i), spec, share.columns);
    i = end;
  }
}

}  // namespace tensorop
