#include "kernels/measures/error_picture.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "base/checked.hpp"
#include "kernels/measures/difference_walk.hpp"

namespace tensorop {
namespace {

// Finds the cell of each element; cheap for consecutive elements.
class GridCursor {
 public:
  explicit GridCursor(ErrorGrid& grid) : grid_(grid) {}

  std::size_t cell_of(std::int64_t at) {
    if (at < begin_ || at >= end_) move_to(at);
    return cell_;
  }

 private:
  void move_to(std::int64_t at) {
    const std::int64_t row = at / grid_.columns;
    const std::int64_t column = (at - row * grid_.columns) / grid_.cell_columns;
    cell_ = to_size(row / grid_.cell_rows * grid_.across + column);
    begin_ = row * grid_.columns + column * grid_.cell_columns;
    end_ = std::min(begin_ + grid_.cell_columns, (row + 1) * grid_.columns);
  }

  ErrorGrid& grid_;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::size_t cell_ = 0;
};

class PictureRecorder : public walk::ElementRules {
 public:
  PictureRecorder(const ElementTolerance& tolerance, const Tensor* left_out, ErrorPicture& out)
      : ElementRules(tolerance, left_out), out_(out), cursor_(out.grid) {}

  void add_other_bits() {}
  void pass_but_for_bits(bool has_same_bits, std::int64_t at) {
    if (!has_same_bits && exact_bits()) fail(at);
  }
  void fail(std::int64_t at) { ++out_.grid.differing[cursor_.cell_of(at)]; }
  void fail_unfixable(std::int64_t at) {
    fail(at);
    out_.grid.largest[cursor_.cell_of(at)] = Difference::kNone;
  }

  template <class D>
  [[gnu::always_inline]] void measure(const walk::Deviation<D>& deviation, std::uint64_t ulp, std::int64_t at,
                                      double unit = 1) {
    const auto distance = static_cast<double>(deviation.distance);
    out_.absolute.add(distance * unit);
    if (deviation.magnitude == 0) {
      ++out_.without_relative;
    } else {
      // A quotient may underflow to 0 although the error is not 0.
      out_.relative.add(std::max(distance / static_cast<double>(deviation.magnitude),
                                 std::numeric_limits<double>::denorm_min()));
    }
    if (ulp != 0) out_.ulp.add(static_cast<double>(ulp));
    double& largest = out_.grid.largest[cursor_.cell_of(at)];
    largest = std::max(largest, distance * unit);
    if (!is_within_bound(deviation, unit) && !is_within_ulp(ulp)) fail(at);
  }

 private:
  ErrorPicture& out_;
  GridCursor cursor_;
};

// Adds an element as one real number, or as two if it is complex.
template <class T>
void add_element(T a, T e, ErrorSums& sums) {
  if constexpr (Complex<T>) {
    add_element(a.real(), e.real(), sums);
    add_element(a.imag(), e.imag(), sums);
  } else {
    const double x = to_double(a);
    const double y = to_double(e);
    const double error = x - y;
    const auto is_tiny = [](double value) { return value != 0 && std::abs(value) < ErrorSums::kTiny; };
    sums.has_tiny_errors |= is_tiny(error);
    sums.has_tiny_elements |= is_tiny(x) || is_tiny(y);
    sums.error2 += error * error;
    sums.actual2 += x * x;
    sums.expected2 += y * y;
    sums.product += x * y;
  }
}

template <class T>
double in_range_of(T value) {
  return to_double(value);
}
template <class T>
double in_range_of(std::complex<T> value) {
  return walk::modulus(to_double(value.real()), to_double(value.imag()));
}

// Returns the sums of a block, in the order of its elements.
template <class T>
ErrorSums sum_block(StoredElements<T> actual, StoredElements<T> expected, std::int64_t first,
                    std::int64_t count, const walk::ElementRules& rules) {
  ErrorSums sums;
  for (std::int64_t i = 0; i < count; ++i) {
    T a = actual[i];
    T e = expected[i];
    if (rules.leaves_out(first + i)) continue;
    if constexpr (!std::integral<T> && !SmallInteger<T>) {
      if (!walk::is_finite(a) || !walk::is_finite(e)) {
        if (rules.nan_unequal() && walk::is_nan(a)) continue;
        walk::drop_same(a, e);
        if (!walk::is_finite(a) || !walk::is_finite(e)) continue;
      }
      add_element(a, e, sums);
    } else {
      const auto x = walk::integer_of(a);
      const auto y = walk::integer_of(e);
      using Unsigned = std::make_unsigned_t<std::remove_const_t<decltype(x)>>;
      // The difference of two integers is exact in the unsigned type of the same width.
      const auto larger = static_cast<Unsigned>(std::max(x, y));
      const auto error =
          static_cast<double>(static_cast<Unsigned>(larger - static_cast<Unsigned>(std::min(x, y))));
      const auto p = static_cast<double>(x);
      const auto q = static_cast<double>(y);
      sums.error2 += error * error;
      sums.actual2 += p * p;
      sums.expected2 += q * q;
      sums.product += p * q;
    }
    ++sums.count;
    const double value = in_range_of(e);
    sums.lowest = std::min(sums.lowest, value);
    sums.highest = std::max(sums.highest, value);
  }
  return sums;
}

ErrorGrid grid_of(const Shape& shape) {
  ErrorGrid out;
  if (!shape.empty()) {
    out.columns = shape.back();
    out.rows = count(std::span(shape).first(shape.size() - 1));
  }
  out.cell_rows = ceil_div(out.rows, ErrorGrid::kMostCells);
  out.cell_columns = ceil_div(out.columns, ErrorGrid::kMostCells);
  out.down = ceil_div(out.rows, out.cell_rows);
  out.across = ceil_div(out.columns, out.cell_columns);
  out.differing.resize(to_size(out.down * out.across));
  out.largest.resize(out.differing.size());
  return out;
}

// Adds elements [first, first + count), in whole blocks except for the last one.
ErrorSums picture_range(const Tensor& actual, const Tensor& expected, std::int64_t first, std::int64_t count,
                        PictureRecorder& recorder) {
  const std::int64_t block_elements = walk::kBlockBytes / element_size(actual.dtype());
  ErrorSums sums;
  for (std::int64_t at = first; at < first + count; at += block_elements) {
    const std::int64_t block = std::min(block_elements, first + count - at);
    dispatch(actual.dtype(), [&]<class T>(TypeTag<T>) {
      const StoredElements<T> a = actual.as<T>() + at;
      const StoredElements<T> e = expected.as<T>() + at;
      walk::compare_block(a, e, at, block, recorder);
      if constexpr (!std::is_same_v<T, Bool> && !std::is_same_v<T, StringRef>) {
        sums.add(sum_block(a, e, at, block, recorder));
      }
    });
  }
  return sums;
}

void merge(ErrorPicture& to, const ErrorPicture& from) {
  to.without_relative += from.without_relative;
  to.absolute.merge(from.absolute);
  to.relative.merge(from.relative);
  to.ulp.merge(from.ulp);
  for (std::size_t i = 0; i < to.grid.differing.size(); ++i) {
    to.grid.differing[i] += from.grid.differing[i];
    to.grid.largest[i] = std::max(to.grid.largest[i], from.grid.largest[i]);
  }
}

}  // namespace

void ErrorSums::add(const ErrorSums& next) {
  count += next.count;
  error2 += next.error2;
  actual2 += next.actual2;
  expected2 += next.expected2;
  product += next.product;
  has_tiny_errors |= next.has_tiny_errors;
  has_tiny_elements |= next.has_tiny_elements;
  lowest = std::min(lowest, next.lowest);
  highest = std::max(highest, next.highest);
}

ErrorPicture picture_errors(const Tensor& actual, const Tensor& expected, const ElementTolerance& tolerance,
                            const Tensor* left_out, const Threads& threads) {
  constexpr std::int64_t kMostRanges = 1024;
  const std::int64_t elements = actual.size();
  ErrorPicture out;
  if (elements == 0) return out;
  out.grid = grid_of(actual.shape());
  const std::int64_t width = element_size(actual.dtype());
  const std::int64_t block = walk::kBlockBytes / width;
  const std::int64_t range =
      block * std::max<std::int64_t>(64, ceil_div(ceil_div(elements, block), kMostRanges));
  const std::int64_t ranges = ceil_div(elements, range);
  threads.expect(2 * elements * width);
  std::vector<ErrorPicture> parts(to_size(std::min<std::int64_t>(threads.count(), ranges)) - 1, out);
  std::vector<ErrorSums> sums(to_size(ranges));
  threads.for_each(ranges, [&](std::int64_t i, int worker) {
    PictureRecorder recorder(tolerance, left_out, worker == 0 ? out : parts[to_size(worker - 1)]);
    const std::int64_t count = std::min(range, elements - i * range);
    sums[to_size(i)] = picture_range(actual, expected, i * range, count, recorder);
    threads.advance(2 * count * width);
  });
  for (const ErrorPicture& part : parts) merge(out, part);
  for (const ErrorSums& part : sums) out.sums.add(part);
  return out;
}

}  // namespace tensorop
