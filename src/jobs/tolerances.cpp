#include "jobs/tolerances.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

struct Automatic {
  DTypeSet dtypes;
  double rtol;
  double atol;
};

// The rounding error of a few operations in sequence; integer operations are exact.
constexpr Automatic kAutomatic[] = {
    {DType::float16, 1e-3, 1e-5},
    {DType::bfloat16, 1.6e-2, 1e-5},
    {{DType::float32, DType::complex64}, 1.3e-6, 1e-5},
    {{DType::float64, DType::complex128}, 1e-7, 1e-7},
};

// Returns the name of the tolerance in the form in which it was given, for messages.
std::string shown(const ToleranceText& given) {
  return given.is_option ? option_name(given.name) : given.name;
}

double parse_tolerance(const ToleranceText& given) {
  std::string_view text = given.text;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() ||
      (status != std::errc{} && status != std::errc::result_out_of_range)) {
    throw Error(cat(shown(given), " ", in_quotes(given.text), " is not a number"));
  }
  if (status == std::errc::result_out_of_range) {
    throw Error(cat(shown(given), " ", in_quotes(given.text), " does not fit in float64"));
  }
  if (!std::isfinite(value) || value < 0) {
    throw Error(cat(shown(given), " ", in_quotes(given.text), " is not a finite non-negative number"));
  }
  return std::abs(value);  // -0 is 0
}

std::optional<std::int64_t> parse_count(std::string_view text) {
  const auto number = parse_int64(text);
  return number && *number >= 0 ? number : std::nullopt;
}

// Distances of float64 and of 64-bit integers exceed int64.
std::uint64_t parse_max_ulp(const ToleranceText& given) {
  std::uint64_t value = 0;
  const char* const end = given.text.data() + given.text.size();
  const auto [stop, status] = std::from_chars(given.text.data(), end, value);
  if (status != std::errc{} || stop != end) {
    throw Error(cat(shown(given), " ", in_quotes(given.text), " is not an integer from 0 to 2^64-1"));
  }
  return value;
}

MismatchLimit parse_max_mismatch(const ToleranceText& given) {
  MismatchLimit limit;
  limit.text = given.text;
  if (given.text.ends_with('%')) {
    limit.parts = parse_millionths(std::string_view(given.text).substr(0, given.text.size() - 1));
    if (limit.parts && *limit.parts <= MismatchLimit::kWhole) return limit;
  } else if (const auto number = parse_count(given.text)) {
    limit.count = *number;
    return limit;
  }
  throw Error(cat(shown(given), " ", in_quotes(given.text),
                  " is neither a non-negative integer nor a percentage 0%..100% (at most 6 decimals)"));
}

bool parse_flag(const ToleranceText& given) {
  if (given.text == "true") return true;
  if (given.text == "false") return false;
  throw Error(cat(shown(given), " ", in_quotes(given.text), " is not one of true, false"));
}

void read_max_ulp(const ToleranceText& given, Tolerances& out) {
  out.max_ulp = parse_max_ulp(given);
  out.max_ulp_name = shown(given);
}

void read_min_cosine(const ToleranceText& given, Tolerances& out) {
  out.min_cosine = parse_tolerance(given);
  out.metric_name = shown(given);
  if (*out.min_cosine > 1) {
    throw Error(cat(out.metric_name, " ", in_quotes(given.text), " is not a number from 0 to 1"));
  }
}

void read_max_rms(const ToleranceText& given, Tolerances& out) {
  out.max_rms = parse_tolerance(given);
  out.metric_name = shown(given);
}

void read_max_mismatch(const ToleranceText& given, Tolerances& out) {
  out.max_mismatch = parse_max_mismatch(given);
  out.has_max_mismatch = true;
}

void read_default(const ToleranceText& given, Tolerances& out) {
  if (lower(given.text) != "auto") {
    throw Error(cat(shown(given), " ", in_quotes(given.text), " is not auto"), "",
                given.is_option ? "--rtol, --atol and --max-ulp take numbers"
                                : "rtol, atol and max_ulp take numbers");
  }
  out.by_default = ToleranceDefault::automatic;
}

constexpr ToleranceKey kTolerances[] = {
    {"rtol", "R", "an element passes when |a-e| <= atol + rtol*|e|; default 0",
     [](const ToleranceText& given, Tolerances& out) { out.rtol = parse_tolerance(given); }},
    {"atol", "A", "see rtol; default 0",
     [](const ToleranceText& given, Tolerances& out) { out.atol = parse_tolerance(given); }},
    {"max_ulp", "N", "an element also passes when the values differ by at most N ULP", read_max_ulp},
    {"max_mismatch", "N|N%", "at most N elements, or N percent, may differ; default 0", read_max_mismatch},
    {"tolerance", "auto", "auto: default rtol and atol for the dtype, unless given", read_default},
    {"nan_unequal", "", "NaN is not equal to NaN",
     [](const ToleranceText& given, Tolerances& out) { out.nan_unequal = parse_flag(given); }, true},
    {"exact_bits", "", "elements are equal bit for bit: -0.0 is not 0.0, nor NaN another NaN",
     [](const ToleranceText& given, Tolerances& out) { out.exact_bits = parse_flag(given); }, true},
    {"min_cosine", "X",
     "the cosine of the angle between both tensors is at least X; elements count too if another tolerance is "
     "given",
     read_min_cosine},
    {"max_rms", "X",
     "the root of the mean square error is at most X; elements count too if another tolerance is given",
     read_max_rms},
};

}  // namespace

std::optional<std::int64_t> parse_millionths(std::string_view text) {
  constexpr std::size_t kMostDecimals = 6;
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  std::string decimals(text.substr(std::min(point + 1, text.size())));
  if (!is_digits(cat(whole, decimals))) return std::nullopt;
  if (decimals.size() > kMostDecimals) return std::nullopt;
  decimals.resize(kMostDecimals, '0');
  return parse_int64(cat(whole, decimals));
}

std::int64_t MismatchLimit::allowed(std::int64_t elements) const {
  if (!parts) return count;
  // Computes elements * parts / kWhole, rounded down, without the product, which may overflow.
  return elements / kWhole * *parts + elements % kWhole * *parts / kWhole;
}

ElementTolerance Tolerances::for_dtype(DType dtype, const std::vector<DType>& stored) const {
  const bool has_ulp = kUlpTypes.contains(dtype);
  if (max_ulp && !has_ulp && !any_dtype) {
    throw Error(
        cat(max_ulp_name, " cannot be used with ", name(dtype), " (allowed: ", kUlpTypes.names(), ")"));
  }
  if (has_metrics() && !kToleranceTypes.contains(dtype) && !any_dtype) {
    throw Error(
        cat(metric_name, " cannot be used with ", name(dtype), " (allowed: ", kToleranceTypes.names(), ")"));
  }
  ElementTolerance out;
  out.nan_unequal = nan_unequal;
  out.exact_bits = exact_bits.value_or(false);
  if (out.exact_bits) return out;
  if (!kToleranceTypes.contains(dtype)) return out;
  if (by_default == ToleranceDefault::onnx && (kFloatTypes | kComplexTypes).contains(dtype)) {
    out.rtol = kOnnxRtol;
    out.atol = kOnnxAtol;
  }
  if (by_default == ToleranceDefault::automatic) {
    for (const Automatic& row : kAutomatic) {
      const auto has = [&](DType each) { return row.dtypes.contains(each); };
      if (stored.empty() ? !has(dtype) : std::ranges::none_of(stored, has)) continue;
      out.rtol = std::max(out.rtol, row.rtol);
      out.atol = std::max(out.atol, row.atol);
    }
  }
  out.rtol = rtol.value_or(out.rtol);
  out.atol = atol.value_or(out.atol);
  if (has_ulp) out.max_ulp = max_ulp;
  return out;
}

std::span<const ToleranceKey> tolerance_keys() {
  return kTolerances;
}

const ToleranceKey* find_tolerance(std::string_view name) {
  const auto* const key = std::ranges::find(kTolerances, name, &ToleranceKey::name);
  return key == std::end(kTolerances) ? nullptr : key;
}

std::vector<ToleranceText> join_tolerances(std::vector<ToleranceText> general,
                                           const std::vector<ToleranceText>& special) {
  const auto is_loose = [](const ToleranceText& given) {
    const ToleranceKey* const key = find_tolerance(given.name);
    return key == nullptr || !key->is_strict;
  };
  const auto decides = [&](const ToleranceText& given) {
    return is_loose(given) || (given.name == "exact_bits" && given.text == "true");
  };
  if (std::ranges::any_of(special, decides)) std::erase_if(general, is_loose);
  general.insert(general.end(), special.begin(), special.end());
  return general;
}

Tolerances parse_tolerances(const std::vector<ToleranceText>& texts) {
  Tolerances out;
  for (const ToleranceText& given : texts) {
    const ToleranceKey* const key = find_tolerance(given.name);
    if (key == nullptr) {
      const std::string names = join(kTolerances, ", ", [](const ToleranceKey& each) { return each.name; });
      throw Error(cat("unknown tolerance ", in_quotes(given.name), " (allowed: ", names, ")"));
    }
    key->read(given, out);
  }
  return out;
}

}  // namespace tensorop
