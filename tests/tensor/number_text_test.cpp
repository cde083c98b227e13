// Numbers as text: the rounding of every dtype at its hardest places, and the shortest text.
#include "tensor/number_text.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "io/text/number_scan.hpp"
#include "support/catch.hpp"
#include "tensor/dtype.hpp"

namespace tensorop::tensor_number_text_test {
namespace {

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  if (parse_number(text, value) != NumberStatus::ok) return std::nullopt;
  return value;
}

template <class T>
NumberStatus status_of(std::string_view text) {
  T value{};
  return parse_number(text, value);
}

template <class T>
std::string written(T value) {
  char text[kNumberTextSize];
  return {text, write_number(text, value)};
}

// All significant digits of `value`, in scientific notation: "1.0009765625000...e+00".
std::string exact_text(double value) {
  char text[200];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 140).ptr};
}

// `text` of exact_text() made larger in its last digit.
std::string just_above(std::string text) {
  return text.insert(text.find('e'), "0000000001");
}

// `text` of exact_text() made smaller: one taken from its last digit that is not 0, and nines after it.
std::string just_below(std::string text) {
  std::size_t at = text.find('e');
  std::string nines;
  while (text[--at] == '0' || text[at] == '.') nines += text[at] == '0' ? "9" : "";
  --text[at];
  text = text.substr(0, at + 1) + (at == 0 ? "." : "") + nines + text.substr(text.find('e'));
  return text;
}

struct Integers {
  std::string text;
  NumberStatus as_int8;
  NumberStatus as_uint8;
  NumberStatus as_int64;
  NumberStatus as_uint64;
};

TEST_CASE("integers are exact or refused", "[number_text]") {
  using enum NumberStatus;
  const std::vector<Integers> cases = {
      {"0", ok, ok, ok, ok},
      {"-0", ok, ok, ok, ok},
      {"127", ok, ok, ok, ok},
      {"128", range, ok, ok, ok},
      {"255", range, ok, ok, ok},
      {"256", range, range, ok, ok},
      {"-1", ok, range, ok, range},
      {"-128", ok, range, ok, range},
      {"-129", range, range, ok, range},
      {"9223372036854775807", range, range, ok, ok},
      {"9223372036854775808", range, range, range, ok},
      {"-9223372036854775808", range, range, ok, range},
      {"-9223372036854775809", range, range, range, range},
      {"18446744073709551615", range, range, range, ok},
      {"18446744073709551616", range, range, range, range},
      {"1.0", fraction, fraction, fraction, fraction},
      {"-1.5", fraction, fraction, fraction, fraction},
      {"1e3", fraction, fraction, fraction, fraction},
      {"1E400", fraction, fraction, fraction, fraction},
      {"-99999999999999999999.5", fraction, fraction, fraction, fraction},
  };
  for (const Integers& row : cases) {
    INFO(row.text);
    CHECK(status_of<std::int8_t>(row.text) == row.as_int8);
    CHECK(status_of<std::uint8_t>(row.text) == row.as_uint8);
    CHECK(status_of<std::int64_t>(row.text) == row.as_int64);
    CHECK(status_of<std::uint64_t>(row.text) == row.as_uint64);
  }
  CHECK(parsed<std::int64_t>("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(parsed<std::uint64_t>("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("float32 and float64 are rounded once from their text", "[number_text]") {
  CHECK(parsed<double>("0.1") == 0.1);
  CHECK(parsed<double>("9007199254740993") == 9007199254740992.0);
  CHECK(parsed<double>("9007199254740993.0000000000000000000000000000001") == 9007199254740994.0);
  // The midpoint of 1 and its neighbour in float32, a little below and above it: by way of double, all three
  // would be the midpoint itself.
  CHECK(parsed<float>("1.000000059604644775390625") == 1.0F);
  CHECK(parsed<float>("1.00000005960464477539062500000000000000001") == 0x1.000002p0F);
  CHECK(parsed<float>("1.00000017881393432617187499999999999999999") == 0x1.000002p0F);
  CHECK(parsed<float>("1.000000178813934326171875") == 0x1.000004p0F);
}

TEST_CASE("a number that names no dtype fits in one or does not", "[number_text]") {
  using enum NumberStatus;
  struct Row {
    DType dtype;
    std::string_view text;
    NumberStatus status;
  };
  // 2^11 + 1, 2^8 + 1, 2^24 + 1 and 2^53 + 1 are the first integers that the floats do not hold. The largest
  // values are 65504, 3.3895e38, 3.40282346638528859812e38 and 1.79769313486231570815e308, the least ones
  // 2^-24, 2^-133, 2^-149 and 2^-1074.
  const Row rows[] = {
      {DType::float16, "2048", ok},
      {DType::float16, "2049", inexact},
      {DType::float16, "2049.0", ok},
      {DType::float16, "65504", ok},
      {DType::float16, "6.55e4", ok},
      {DType::float16, "65504.1", inexact},
      {DType::float16, "-65519.9", inexact},
      {DType::float16, "65520.0", range},
      {DType::float16, "6e-8", ok},
      {DType::float16, "-2.9e-8", inexact},
      {DType::float16, "0e5", ok},
      {DType::bfloat16, "256", ok},
      {DType::bfloat16, "-257", inexact},
      {DType::bfloat16, "3.39e38", ok},
      {DType::bfloat16, "3.392e38", inexact},
      {DType::float32, "16777216", ok},
      {DType::float32, "16777217", inexact},
      {DType::float32, "25000001", inexact},
      {DType::float32, "16777217.0", ok},
      {DType::float32, "0.1", ok},
      {DType::float32, "-0", ok},
      {DType::float32, "1e-45", ok},
      {DType::float32, "1e-50", inexact},
      {DType::float32, "3.4028235e38", ok},
      {DType::float32, "3.40282347e+38", ok},
      {DType::float32, "3.4028234663852886e38", ok},
      {DType::float32, "3.40282348e38", inexact},
      {DType::float64, "9007199254740992", ok},
      {DType::float64, "-9007199254740993", inexact},
      {DType::float64, "18446744073709551616", ok},
      {DType::float64, "18446744073709551617", inexact},
      {DType::float64, "10000000000000000000000", ok},
      {DType::float64, "100000000000000000000000", inexact},
      {DType::float64, "1e23", ok},
      {DType::float64, "1e-400", inexact},
      {DType::float64, "1.7976931348623157e308", ok},
      {DType::float8_e4m3fn, "448", ok},
      {DType::float8_e4m3fn, "17", inexact},
      {DType::float8_e4m3fn, "0.125", ok},
      {DType::float8_e4m3fn, "0.1", inexact},
      {DType::float8_e4m3fn, "0.12500000000000000001", inexact},
      {DType::float4_e2m1fn, "0.5", ok},
      {DType::float4_e2m1fn, "0.4", inexact},
      {DType::float4_e2m1fn, "-1.50", ok},
      {DType::float4_e2m1fn, "5", inexact},
      {DType::int8, "127", ok},
      {DType::int8, "128", range},
      {DType::int8, "1.0", fraction},
      {DType::int4, "-8", ok},
      {DType::int4, "8", range},
  };
  for (const auto& row : rows) {
    CAPTURE(name(row.dtype), row.text);
    dispatch(row.dtype, [&]<class T>(TypeTag<T>) {
      if constexpr (Number<T>) {
        T value{};
        CHECK(parse_fitting(row.text, value) == row.status);
        // Long texts are read in parts, by the same rule.
        const std::string with_end = cat(row.text, ",");
        const char* at = with_end.data();
        T scanned{};
        const bool is_read = scan_number(at, with_end.data() + with_end.size(), scanned, Exactness::all_fit);
        CHECK(is_read == (row.status == ok));
        if (is_read) CHECK(std::memcmp(&scanned, &value, sizeof value) == 0);
      }
    });
  }
}

TEST_CASE("floats keep the sign of zero, underflow to zero and refuse to overflow", "[number_text]") {
  for (const char* text :
       {"-0", "-0.0", "-0e5", "-1e-400", "-1e-99999999999999999999", "-0.0e999999999999"}) {
    INFO(text);
    CHECK((parsed<double>(text) == 0.0 && std::signbit(*parsed<double>(text))));
    CHECK((parsed<float>(text) == 0.0F && std::signbit(*parsed<float>(text))));
    CHECK(parsed<Float16>(text).value().bits == 0x8000);
    CHECK(parsed<BFloat16>(text).value().bits == 0x8000);
  }
  CHECK(parsed<double>("5e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(parsed<double>("2e-324") == 0.0);
  CHECK(parsed<float>("1e-46") == 0.0F);
  CHECK(parsed<double>("0." + std::string(500, '0') + "1e501") == 1.0);
  CHECK(parsed<double>("1" + std::string(500, '0') + "e-500") == 1.0);
  CHECK(parsed<double>("0." + std::string(500, '0') + "1") == 0.0);
  CHECK(parsed<double>("0.034e-9223372036854775808") == 0.0);

  CHECK(status_of<double>("1.7976931348623158e308") == NumberStatus::ok);
  for (const char* text : {"1.7976931348623159e308", "-1e309", "1e400", "1e99999999999999999999",
                           "34e9223372036854775807", "3.4e9223372036854775807"}) {
    INFO(text);
    CHECK(status_of<double>(text) == NumberStatus::range);
    CHECK(status_of<float>(text) == NumberStatus::range);
    CHECK(status_of<Float16>(text) == NumberStatus::range);
    CHECK(status_of<BFloat16>(text) == NumberStatus::range);
  }
  CHECK(status_of<double>("1" + std::string(400, '0')) == NumberStatus::range);
  CHECK(status_of<float>("340282356779733661637539395458142568448") == NumberStatus::range);
  CHECK(parsed<float>("340282356779733661637539395458142568447") == std::numeric_limits<float>::max());
  CHECK(status_of<float>("-1e39") == NumberStatus::range);
  CHECK(status_of<Float16>("65520") == NumberStatus::range);
  CHECK(status_of<Float16>("-65520.0") == NumberStatus::range);
  CHECK(parsed<Float16>("65519.9999999999999999999999").value().bits == 0x7BFF);
  CHECK(status_of<Float16>("65536") == NumberStatus::range);
  // The midpoint of the largest bfloat16 and 2^128.
  CHECK(status_of<BFloat16>("339617752923046005526922703901628039168") == NumberStatus::range);
  CHECK(parsed<BFloat16>("339617752923046005526922703901628039167").value().bits == 0x7F7F);
}

// A float of 16 bits or fewer: its positive finite values are in the order of their bits, up to kLargest.
template <class T>
struct Narrow {
  using Bits = decltype(T::bits);
  static constexpr int kLargest = HalfTraits<T>::kInfinity - 1;
  static constexpr int kSign = 0x8000;
};
template <SmallFloat T>
struct Narrow<T> {
  using Bits = std::uint8_t;
  static constexpr int kLargest = T::kLayout.largest;
  static constexpr int kSign = 1 << (T::kLayout.bits - 1);
};
template <class T>
T narrow(int bits) {
  return {static_cast<typename Narrow<T>::Bits>(bits)};
}

#define TENSOROP_NARROW_FLOATS \
  Float16, BFloat16, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float4E2M1FN

// At the midpoint of any two neighbours ties go to the even one, and the smallest step off it decides.
TEMPLATE_TEST_CASE("floats of 16 bits and fewer are rounded once at every midpoint", "[release][number_text]",
                   TENSOROP_NARROW_FLOATS) {
  using T = TestType;
  REQUIRE(just_below("1.5000e+00") == "1.4999e+00");
  REQUIRE(just_below("1.0000e+00") == "0.9999e+00");
  std::string wrong;
  for (int low = 0; low < Narrow<T>::kLargest && wrong.empty(); ++low) {
    const int high = low + 1;
    const double middle = (double{to_float(narrow<T>(low))} + double{to_float(narrow<T>(high))}) / 2;
    const std::string text = exact_text(middle);
    const auto bits = [](const std::string& number) { return parsed<T>(number).value().bits; };
    if (bits(text) != (low % 2 == 0 ? low : high)) wrong = text;
    if (bits(just_above(text)) != high) wrong = just_above(text);
    if (bits(just_below(text)) != low) wrong = just_below(text);
    if (low != 0 && bits("-" + just_below(text)) != (low | Narrow<T>::kSign)) wrong = "-" + just_below(text);
    // Texts whose nearest double is a neighbour of the midpoint.
    const std::string under = just_above(exact_text(std::nextafter(middle, 0.0)));
    const std::string over = just_below(exact_text(std::nextafter(middle, 1e300)));
    if (bits(under) != low) wrong = under;
    if (bits(over) != high) wrong = over;
  }
  INFO(wrong);
  CHECK(wrong.empty());
}

// Every finite value reads back from its text, no decimal with fewer digits would, and of those with as many
// the nearest one is taken. The notation is a double's.
TEMPLATE_TEST_CASE("floats of 16 bits and fewer are written as the shortest text that reads back",
                   "[number_text]", TENSOROP_NARROW_FLOATS) {
  using T = TestType;
  std::string wrong;
  for (int bits = 0; bits <= Narrow<T>::kLargest && wrong.empty(); ++bits) {
    const T value = narrow<T>(bits);
    const std::string text = written(value);
    if (parsed<T>(text).value().bits != bits) wrong = text;
    if (bits == 0) continue;
    if (written(narrow<T>(bits | Narrow<T>::kSign)) != "-" + text) wrong = "-" + text;
    double decimal = 0;
    std::from_chars(text.data(), text.data() + text.size(), decimal);
    char scientific[64];
    const auto end = std::to_chars(scientific, scientific + 64, decimal, std::chars_format::scientific).ptr;
    const std::string shortest(scientific, end);
    const std::size_t digits = shortest.find('e') - (shortest.find('.') == std::string::npos ? 0 : 1);
    if (text != written(decimal)) wrong = text + ": another notation than a double's";
    // The nearest decimal of as many digits, unless it is another value.
    const std::string nearest(scientific,
                              std::to_chars(scientific, scientific + 64, double{to_float(value)},
                                            std::chars_format::scientific, static_cast<int>(digits) - 1)
                                  .ptr);
    if (parsed<T>(nearest).value_or(T{}).bits == bits && parsed<double>(nearest) != decimal)
      wrong = text + ": " + nearest;
    if (digits == 1) continue;
    // The decimals of one digit less on both sides of the value.
    const int exponent = static_cast<int>(std::floor(std::log10(decimal))) - static_cast<int>(digits) + 2;
    const double unit = std::pow(10.0, exponent);
    for (const double step : {-1.0, 0.0, 1.0, 2.0}) {
      const auto mantissa = static_cast<std::int64_t>(std::floor(double{to_float(value)} / unit) + step);
      if (mantissa <= 0) continue;
      const auto shorter = parsed<T>(std::to_string(mantissa) + "e" + std::to_string(exponent));
      if (shorter && shorter->bits == bits) wrong = text + ": " + std::to_string(mantissa);
    }
  }
  INFO(wrong);
  CHECK(wrong.empty());
}

// A power of two in float8_e8m0fnu is the least that is not below the float32 of its text.
TEST_CASE("every float8_e8m0fnu reads back from the texts of float32 and float64", "[number_text]") {
  std::string wrong;
  for (int bits = 0; bits < 255; ++bits) {
    const double value = std::ldexp(1.0, bits - 127);
    const auto single = static_cast<float>(value);
    const float above = std::nextafter(single, HUGE_VALF);
    for (const std::string& text : {written(value), written(single), exact_text(value)}) {
      const auto read = parsed<Float8E8M0FNU>(text);
      if (!read || read->bits != bits) wrong = text;
    }
    if (written(Float8E8M0FNU{static_cast<std::uint8_t>(bits)}) != written(single)) wrong = written(single);
    const auto next = parsed<Float8E8M0FNU>(written(above));
    if (next ? next->bits != bits + 1 : bits != 254) wrong = written(above);
  }
  INFO(wrong);
  CHECK(wrong.empty());
  CHECK(parsed<Float8E8M0FNU>("1.1754944e-38").value().bits == 1);
  CHECK(parsed<Float8E8M0FNU>("1e-45").value().bits == 0);
  for (const char* text : {"0", "-0.0", "1e-50", "-1", "-1e-50", "1.7014121e38", "1e39", "1e400"}) {
    INFO(text);
    CHECK(status_of<Float8E8M0FNU>(text) == NumberStatus::range);
  }
}

TEST_CASE("numbers are written as the shortest text, floats with a point or an exponent", "[number_text]") {
  CHECK(written(std::int8_t{-128}) == "-128");
  CHECK(written(std::uint8_t{255}) == "255");
  CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(written(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(written(1.0) == "1.0");
  CHECK(written(-0.0) == "-0.0");
  CHECK(written(0.1) == "0.1");
  CHECK(written(0.1F) == "0.1");
  CHECK(written(1e20) == "1e+20");
  CHECK(written(1e20F) == "1e+20");
  CHECK(written(123456789.0) == "123456789.0");
  CHECK(written(16777216.0F) == "16777216.0");
  CHECK(written(5e-324) == "5e-324");
  CHECK(written(-std::numeric_limits<double>::max()) == "-1.7976931348623157e+308");
  CHECK(written(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(written(-std::numeric_limits<float>::quiet_NaN()) == "NaN");
  CHECK(written(-std::numeric_limits<float>::infinity()) == "-Infinity");
  CHECK(written(Float16{0x3C00}) == "1.0");
  CHECK(written(Float16{0x8000}) == "-0.0");
  CHECK(written(Float16{0x2E66}) == "0.1");
  CHECK(written(Float16{0x7BFF}) == "65500.0");
  CHECK(written(Float16{0x0001}) == "6e-08");
  // 2^-6: the nearest decimal of four digits, 0.01562, is another value; 0.01563 reads back.
  CHECK(written(Float16{0x2400}) == "0.01563");
  CHECK(written(Float16{0xFC00}) == "-Infinity");
  CHECK(written(Float16{0xFE01}) == "NaN");
  CHECK(written(BFloat16{0x3F80}) == "1.0");
  CHECK(written(BFloat16{0x7F7F}) == "3.39e+38");
  CHECK(written(BFloat16{0x0001}) == "9e-41");
  CHECK(written(BFloat16{0x7F80}) == "Infinity");
}

TEST_CASE("not-finite numbers have three names", "[number_text]") {
  CHECK(std::isnan(parse_not_finite("NaN").value()));
  CHECK(parse_not_finite("Infinity") == std::numeric_limits<double>::infinity());
  CHECK(parse_not_finite("-Infinity") == -std::numeric_limits<double>::infinity());
  for (const char* text : {"", "nan", "inf", "Inf", "+Infinity", "infinity", "NaN "}) {
    CHECK_FALSE(parse_not_finite(text).has_value());
  }
}

TEST_CASE("the range of a dtype is shown for messages", "[number_text]") {
  CHECK(range_text(DType::int8) == "-128..127");
  CHECK(range_text(DType::uint64) == "0..18446744073709551615");
  CHECK(range_text(DType::float16) == "-65504.0..65504.0");
  CHECK(range_text(DType::bfloat16) == "-3.3895314e+38..3.3895314e+38");
  CHECK(range_text(DType::complex64) == "-3.4028235e+38..3.4028235e+38");
}

}  // namespace
}  // namespace tensorop::tensor_number_text_test
