#include "generate/reduction_bound.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "engine/bind.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/row_updates.hpp"
#include "tensor/convert_elements.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kDataOperand = 0;
constexpr std::size_t kUpdateOperand = 2;

struct FloatLimits {
  int digits = 0;           // bits of the significand; 0: no float
  double least_normal = 0;  // the smallest positive number with all of these
  double largest = 0;       // finite
};

template <AnyFloat T>
FloatLimits limits_of() {
  // The ranges of exponents are symmetric: the least normal number times the largest one is nearly 4.
  const double largest = to_double(largest_finite<T>());
  int exponent = 0;
  std::frexp(largest, &exponent);
  return {float_digits<T>(), std::ldexp(1.0, 2 - exponent), largest};
}

// The limits of a dtype, or of the parts of a complex dtype.
FloatLimits limits_of(DType dtype) {
  FloatLimits out;
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (AnyFloat<T>) out = limits_of<T>();
    if constexpr (Complex<T>) out = limits_of<Part<T>>();
  });
  return out;
}

// The magnitude of each element; for a complex number the sum of the magnitudes of its parts.
std::vector<double> magnitudes(const Tensor& tensor) {
  std::vector<double> out(static_cast<std::size_t>(tensor.size()));
  dispatch(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    const auto* elements = reinterpret_cast<const T*>(tensor.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
      if constexpr (AnyFloat<T>) out[i] = std::abs(to_double(elements[i]));
      if constexpr (Complex<T>) {
        out[i] = std::abs(to_double(elements[i].real())) + std::abs(to_double(elements[i].imag()));
      }
    }
  });
  return out;
}

constexpr int kMostExponent = std::numeric_limits<double>::max_exponent;

// The exponent of the lowest bit of a finite number above 0.
int lowest_bit(double value) {
  constexpr int kDigits = std::numeric_limits<double>::digits;
  int exponent = 0;
  const auto bits = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), kDigits));
  return exponent - kDigits + std::countr_zero(bits);
}

// Sums and products of the magnitudes of an element and of its updates.
struct Terms {
  std::int64_t updates = 0;
  double sum = 0;      // of the finite ones
  double above_1 = 1;  // the product of those above 1
  double below_1 = 1;  // the product of those below 1
  double product = 1;  // of all finite ones

  // All magnitudes are multiples of two to the power of this.
  int quantum = std::numeric_limits<int>::max();

  // Whether every partial sum, in any order, has at most `digits` bits, so that no sum is rounded.
  [[nodiscard]] bool is_exact_sum(int digits) const {
    return sum == 0 || sum <= std::ldexp(1.0, std::min(quantum, kMostExponent) + digits);
  }

  void add(double magnitude) {
    // A NaN or an infinity gives the same result in any order, unless a sum of finite numbers overflows.
    if (!std::isfinite(magnitude)) return;
    if (magnitude != 0) quantum = std::min(quantum, lowest_bit(magnitude));
    sum += magnitude;
    product *= magnitude;
    if (magnitude > 1) above_1 *= magnitude;
    if (magnitude < 1 && magnitude != 0) below_1 *= magnitude;
  }
};

std::vector<Terms> terms_of(const RowMoves& moves, const Call& call) {
  const RowUpdates& rule = *moves.row_updates;
  const std::vector<double> data = magnitudes(call.operands[kDataOperand]);
  const std::vector<double> updates = magnitudes(call.operands[kUpdateOperand]);
  std::vector<Terms> out(data.size());
  if (rule.starts_from_data()) {
    for (std::size_t i = 0; i < data.size(); ++i) out[i].add(data[i]);
  }
  moves.map.for_each_block(
      {0, moves.map.rows()}, [&](std::int64_t first, std::int64_t count, const std::int64_t* offsets) {
        for (std::int64_t i = 0; i < count; ++i) {
          if (offsets[i] == kSkip) continue;
          for (std::int64_t column = 0; column < moves.row_elements; ++column) {
            const std::int64_t from = (first + i) * moves.row_elements + column;
            Terms& terms = out[static_cast<std::size_t>(offsets[i] * moves.row_elements + column)];
            ++terms.updates;
            terms.add(updates[static_cast<std::size_t>(rule.repeats() ? rule.position(from) : from)]);
          }
        }
      });
  return out;
}

// (1 + unit)^steps - 1: the largest relative change by that many roundings. `unit` may be lost beside 1.
double growth(double unit, std::int64_t steps) {
  double out = 0;
  for (std::int64_t i = 0; i < steps; ++i) out += unit + out * unit;
  return out;
}

// A number of two decimal digits that is at least `value`, and at most a tenth larger. The same on every
// machine.
double rounded_up(double value) {
  constexpr double kHalfDigit = 1.05;  // rounding to two digits takes at most 0.05 away from 1.0 and more
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.begin(), text.end(), value * kHalfDigit, std::chars_format::scientific, 1);
  double out = 0;
  std::from_chars(text.begin(), end.ptr, out);
  return out;
}

}  // namespace

std::optional<ReductionBound> reduction_bound(const Request& request, const Settings& settings) {
  const Bound bound = bind(request, settings);
  const auto& moves = bound.planned.plan.moves();
  if (!moves || !moves->is_scatter()) return std::nullopt;
  const Reduction reduction = moves->row_updates->reduction();
  const bool is_sum =
      reduction == Reduction::add || reduction == Reduction::sub || reduction == Reduction::mean;
  const FloatLimits limits = limits_of(moves->dtype());
  if (limits.digits == 0 || (!is_sum && reduction != Reduction::mul)) return std::nullopt;
  const bool is_complex = kComplexTypes.contains(moves->dtype());
  const double unit = std::ldexp(1.0, -limits.digits);
  ReductionBound out;
  for (const Terms& terms : terms_of(*moves, bound.call)) {
    if (terms.updates == 0) continue;
    const bool has_own = moves->row_updates->starts_from_data();
    const std::int64_t steps = terms.updates - (has_own ? 0 : 1) + (reduction == Reduction::mean ? 1 : 0);
    // One operation has one result: the correctly rounded one.
    if (steps == 0 || (steps == 1 && (is_sum || !is_complex))) continue;
    if (is_sum && reduction != Reduction::mean && terms.is_exact_sum(limits.digits)) continue;
    out.updates = std::max(out.updates, terms.updates);
    // A part of a complex product has two products and their sum.
    const double relative = 2 * growth(unit, is_complex && !is_sum ? 3 * steps : steps);
    const double most = is_sum ? terms.sum : terms.above_1;
    const bool overflows = !(most * (1 + relative) <= limits.largest);
    const bool underflows = !is_sum && terms.below_1 * (1 - std::min(relative, 0.5)) <= limits.least_normal;
    out.is_unbounded |= overflows || underflows;
    if (is_sum) {
      const std::int64_t terms_of_mean = terms.updates + (has_own ? 1 : 0);
      const double whole = relative * terms.sum;
      out.atol = std::max(out.atol,
                          reduction == Reduction::mean ? whole / static_cast<double>(terms_of_mean) : whole);
    } else if (is_complex) {
      out.atol = std::max(out.atol, relative * terms.product);
    } else {
      // The exact product may be that much larger than the expected one.
      out.is_unbounded |= relative >= 1;
      out.rtol = std::max(out.rtol, relative / (1 - relative / 2));
    }
  }
  if (out.updates == 0) return std::nullopt;
  out.atol = rounded_up(out.atol);
  out.rtol = rounded_up(out.rtol);
  return out;
}

}  // namespace tensorop
