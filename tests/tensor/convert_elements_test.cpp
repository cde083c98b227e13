// Casting: what each dtype can hold, one rounding on the way, and which element is refused.
#include "tensor/convert_elements.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tensorop {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
constexpr double kTwo63 = 0x1p63;

template <class T>
constexpr DType dtype_of() {
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto dtype = static_cast<DType>(d);
    const bool same = dispatch(dtype, []<class U>(TypeTag<U>) { return std::is_same_v<T, U>; });
    if (same) return dtype;
  }
  return DType::string;
}

// A value and what becomes of it; nothing where it is refused.
template <class From, class To>
struct Row {
  From value;
  std::optional<To> result;
};

// Its bytes as hexadecimal digits: -0 and 0 differ, and a failure can be read.
template <class T>
std::string raw(const T& value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  std::string out;
  for (const char c : bytes) {
    for (const int shift : {4, 0}) out += "0123456789abcdef"[(static_cast<unsigned char>(c) >> shift) & 15];
  }
  return out;
}

template <class From, class To>
void check(const std::vector<Row<From, To>>& rows) {
  std::size_t number = 0;
  for (const Row<From, To>& row : rows) {
    CAPTURE(name(dtype_of<From>()), name(dtype_of<To>()), number++);
    To result{};
    const std::int64_t bad =
        cast_elements(reinterpret_cast<std::byte*>(&result), dtype_of<To>(),
                      reinterpret_cast<const std::byte*>(&row.value), dtype_of<From>(), 1);
    CHECK(bad == (row.result ? -1 : 0));
    if (bad < 0 && row.result) CHECK(raw(result) == raw(*row.result));
  }
}

constexpr std::nullopt_t kNo = std::nullopt;

Float16 half(float value) {
  return to_float16(value);
}
BFloat16 brain(float value) {
  return to_bfloat16(value);
}

TEST_CASE("floats become integers by truncation, or not at all", "[tensor]") {
  check<double, std::int64_t>({{1.9, 1},
                               {-1.9, -1},
                               {-0.0, 0},
                               {0.999, 0},
                               {-0.999, 0},
                               {kTwo63, kNo},
                               {std::nextafter(kTwo63, 0.0), 9223372036854774784},
                               {-kTwo63, kMin},
                               {std::nextafter(-kTwo63, -kInf), kNo},
                               {kNan, kNo},
                               {kInf, kNo},
                               {-kInf, kNo},
                               {1e300, kNo}});
  check<double, std::uint64_t>({{0x1p64, kNo},
                                {std::nextafter(0x1p64, 0.0), 18446744073709549568U},
                                {kTwo63, std::uint64_t{1} << 63},
                                {-0.999, 0},
                                {-1.0, kNo},
                                {kNan, kNo}});
  check<double, std::int8_t>(
      {{127.999, 127}, {128.0, kNo}, {-128.999, -128}, {-129.0, kNo}, {kNan, kNo}, {-0.5, 0}});
  check<double, std::uint8_t>({{255.999, 255}, {256.0, kNo}, {-0.999, 0}, {-1.0, kNo}});
  check<double, std::int32_t>(
      {{2147483647.5, 2147483647}, {2147483648.0, kNo}, {-2147483648.5, -2147483648}});
  check<double, std::uint32_t>({{4294967295.5, 4294967295}, {4294967296.0, kNo}});
  check<float, std::int32_t>({{0x1p31F, kNo}, {-0x1p31F, -2147483648}, {2147483520.0F, 2147483520}});
  check<float, std::int64_t>({{0x1p63F, kNo}, {-0x1p63F, kMin}});
  check<Float16, std::int16_t>({{half(65504), kNo}, {half(-32768), -32768}, {half(1.999F), 1}});
  check<Float16, std::uint16_t>({{half(65504), 65504}, {half(-1), kNo}});
  check<BFloat16, std::int8_t>({{brain(127.5F), 127}, {brain(128), kNo}, {brain(-129), kNo}});
  check<BFloat16, std::uint64_t>({{brain(0x1p63F), std::uint64_t{1} << 63}, {brain(0x1p64F), kNo}});
}

TEST_CASE("integers become integers where they fit", "[tensor]") {
  check<std::int64_t, std::uint64_t>(
      {{kMax, static_cast<std::uint64_t>(kMax)}, {-1, kNo}, {kMin, kNo}, {0, 0}});
  check<std::uint64_t, std::int64_t>(
      {{kAll, kNo}, {std::uint64_t{1} << 63, kNo}, {(std::uint64_t{1} << 63) - 1, kMax}});
  check<std::int64_t, std::int8_t>({{127, 127}, {128, kNo}, {-128, -128}, {-129, kNo}, {256, kNo}});
  check<std::uint64_t, std::uint8_t>({{255, 255}, {256, kNo}});
  check<std::int32_t, std::uint16_t>({{65535, 65535}, {65536, kNo}, {-1, kNo}});
  check<std::uint32_t, std::int32_t>({{4294967295U, kNo}, {2147483647U, 2147483647}});
}

TEST_CASE("integers are rounded once on their way to a float", "[tensor]") {
  check<std::int64_t, double>({{9007199254740993, 9007199254740992.0},
                               {9007199254740995, 9007199254740996.0},
                               {kMax, kTwo63},
                               {kMin, -kTwo63}});
  // Just above the middle between two floats; through double it would come to lie in the middle.
  check<std::int64_t, float>({{9007199254740993, 9007199254740992.0F},
                              {(std::int64_t{1} << 53) + (std::int64_t{1} << 29) + 1, 0x1.000002p53F},
                              {(std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1, 0x1.000002p60F},
                              {(std::int64_t{1} << 60) + (std::int64_t{1} << 36), 0x1p60F},
                              {-(std::int64_t{1} << 60) - (std::int64_t{1} << 36) - 1, -0x1.000002p60F},
                              {kMin, -0x1p63F}});
  check<std::uint64_t, float>({{kAll, 0x1p64F},
                               {(std::uint64_t{1} << 63) + (std::uint64_t{1} << 39) + 1, 0x1.000002p63F},
                               {(std::uint64_t{1} << 63) + (std::uint64_t{1} << 39), 0x1p63F}});
  check<std::uint64_t, double>({{kAll, 0x1p64}, {kAll - 1024, 0x1p64 - 2048.0}, {kAll - 1023, 0x1p64}});
  check<std::int64_t, BFloat16>({{(std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1, brain(0x1.02p60F)},
                                 {(std::int64_t{1} << 60) + (std::int64_t{1} << 52), brain(0x1p60F)},
                                 {-(std::int64_t{1} << 60) - (std::int64_t{1} << 52) - 1, brain(-0x1.02p60F)},
                                 {9007199254740993, brain(0x1p53F)},
                                 {257, brain(256)},
                                 {259, brain(260)},
                                 {kMin, brain(-0x1p63F)}});
  check<std::uint64_t, BFloat16>(
      {{kAll, brain(0x1p64F)},
       {(std::uint64_t{1} << 63) + (std::uint64_t{1} << 55) + 1, brain(0x1.02p63F)},
       {(std::uint64_t{1} << 63) + (std::uint64_t{1} << 55), brain(0x1p63F)}});
  check<std::int64_t, Float16>({{2049, half(2048)},
                                {2051, half(2052)},
                                {65504, half(65504)},
                                {65519, half(65504)},
                                {65520, kNo},
                                {-65519, half(-65504)},
                                {-65520, kNo},
                                {kMax, kNo},
                                {kMin, kNo}});
  check<std::uint64_t, Float16>({{65519, half(65504)}, {kAll, kNo}});
}

TEST_CASE("floats become narrower floats with one rounding, but never infinite by it", "[tensor]") {
  check<double, float>({{1.0 + 0x1p-24, 1.0F},
                        {1.0 + 0x1.8p-24, 0x1.000002p0F},
                        {0x1.fffffefp127, std::numeric_limits<float>::max()},
                        {0x1.ffffffp127, kNo},
                        {-1e39, kNo},
                        {kInf, static_cast<float>(kInf)},
                        {-kInf, static_cast<float>(-kInf)},
                        {-0.0, -0.0F},
                        {0x1p-150, 0.0F},
                        {0x1.8p-149, 0x1p-148F}});
  // Through float each of these would land in the middle and then on the even neighbour.
  check<double, Float16>({{1.0 + 0x1p-11 + 0x1p-40, half(1.0F + 0x1p-10F)},
                          {1.0 + 0x1p-11, half(1)},
                          {1.0 + 0x1.8p-10 - 0x1p-40, half(1.0F + 0x1p-10F)},
                          {65519.999999, half(65504)},
                          {65520.0, kNo},
                          {-kInf, half(-std::numeric_limits<float>::infinity())},
                          {0x1p-25, half(0)},
                          {0x1p-25 + 0x1p-70, half(0x1p-24F)}});
  check<double, BFloat16>({{1.0 + 0x1p-8 + 0x1p-40, brain(1.0F + 0x1p-7F)},
                           {1.0 + 0x1p-8, brain(1)},
                           {0x1.fefp127, brain(0x1.fep127F)},
                           {0x1.ffp127, kNo},
                           {0x1p-134 + 0x1p-180, brain(0x1p-133F)}});
  check<float, Float16>({{65519.0F, half(65504)}, {65520.0F, kNo}, {-0.0F, half(-0.0F)}});
  check<float, BFloat16>({{0x1.fefffep127F, brain(0x1.fep127F)}, {0x1.ffp127F, kNo}});
  check<Float16, BFloat16>({{half(65504), brain(65536)}, {half(1), brain(1)}});
  check<BFloat16, Float16>({{brain(65536), kNo}, {brain(0x1p-24F), half(0x1p-24F)}});
  check<Float16, double>({{half(0x1p-24F), 0x1p-24}, {half(-0.0F), -0.0}, {half(65504), 65504.0}});
  check<float, double>({{0.1F, static_cast<double>(0.1F)}, {static_cast<float>(kInf), kInf}});
}

TEST_CASE("NaN stays NaN in every float", "[tensor]") {
  for (const DType from : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    for (const DType to : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
      std::byte nan[8] = {};
      std::byte out[8] = {};
      std::byte back[8] = {};
      REQUIRE(cast_elements(nan, from, reinterpret_cast<const std::byte*>(&kNan), DType::float64, 1) == -1);
      REQUIRE(cast_elements(out, to, nan, from, 1) == -1);
      REQUIRE(cast_elements(back, DType::float64, out, to, 1) == -1);
      double value = 0;
      std::memcpy(&value, back, sizeof value);
      CAPTURE(name(from), name(to));
      CHECK(std::isnan(value));
    }
  }
}

TEST_CASE("complex numbers lose an imaginary part of zero and no other", "[tensor]") {
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  check<C128, double>({{{1.5, 0.0}, 1.5}, {{1.5, -0.0}, 1.5}, {{1.5, 1e-300}, kNo}, {{1.5, kNan}, kNo}});
  check<C64, std::int32_t>({{{2.9F, 0.0F}, 2}, {{2.0F, 1.0F}, kNo}, {{3e9F, 0.0F}, kNo}});
  check<C128, C64>({{{1.0 + 0x1p-24, -2.0}, C64{1.0F, -2.0F}},
                    {{1e39, 0.0}, kNo},
                    {{0.0, -1e39}, kNo},
                    {{kInf, 0.0}, C64{static_cast<float>(kInf), 0.0F}}});
  check<C64, C128>({{{0.1F, -0.0F}, C128{static_cast<double>(0.1F), -0.0}}});
  check<double, C64>({{1.5, C64{1.5F, 0.0F}}, {1e39, kNo}});
  check<std::uint64_t, C128>({{kAll, C128{0x1p64, 0.0}}});
  check<std::int64_t, C64>(
      {{(std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1, C64{0x1.000002p60F, 0.0F}}});
  check<C128, Float16>({{{65520.0, 0.0}, kNo}, {{1.0 + 0x1p-11 + 0x1p-40, 0.0}, half(1.0F + 0x1p-10F)}});
  check<C128, Bool>({{{0.0, 0.0}, Bool{0}}, {{0.0, 1.0}, Bool{1}}, {{-0.0, -0.0}, Bool{0}}});
}

TEST_CASE("bool is whether a value differs from zero, and 0 or 1 as a number", "[tensor]") {
  check<double, Bool>({{0.0, Bool{0}}, {-0.0, Bool{0}}, {0.1, Bool{1}}, {kNan, Bool{1}}, {-kInf, Bool{1}}});
  check<std::int64_t, Bool>({{0, Bool{0}}, {256, Bool{1}}, {kMin, Bool{1}}});
  check<Float16, Bool>({{half(-0.0F), Bool{0}}, {half(0x1p-24F), Bool{1}}});
  check<Bool, std::int8_t>({{Bool{0}, 0}, {Bool{1}, 1}, {Bool{2}, 1}});
  check<Bool, double>({{Bool{255}, 1.0}});
  check<Bool, std::complex<float>>({{Bool{1}, std::complex<float>{1, 0}}});
  check<Bool, Bool>({{Bool{2}, Bool{2}}});  // no cast at all
}

TEST_CASE("small numbers are converted from and to every kind of number", "[tensor][small]") {
  check<double, Int4>(
      {{-8.9, Int4{8}}, {7.9, Int4{7}}, {-0.5, Int4{0}}, {8.0, kNo}, {-9.0, kNo}, {kNan, kNo}});
  check<double, UInt4>({{15.9, UInt4{15}}, {-0.5, UInt4{0}}, {16.0, kNo}, {-1.0, kNo}, {1e300, kNo}});
  check<std::int64_t, Int4>({{-1, Int4{15}}, {-9, kNo}, {8, kNo}, {kMin, kNo}});
  check<std::uint64_t, UInt4>({{15, UInt4{15}}, {16, kNo}, {kAll, kNo}});
  check<Int4, double>({{Int4{0xF8}, -8.0}, {Int4{7}, 7.0}});
  check<Int4, UInt4>({{Int4{7}, UInt4{7}}, {Int4{15}, kNo}});
  check<UInt4, Int4>({{UInt4{7}, Int4{7}}, {UInt4{8}, kNo}});
  check<Int4, Int4>({{Int4{0xF8}, Int4{0xF8}}});  // no cast at all
  check<std::int64_t, Float8E4M3FN>(
      {{448, Float8E4M3FN{0x7E}}, {465, kNo}, {-1, Float8E4M3FN{0xB8}}, {kMax, kNo}});
  check<std::uint64_t, Float8E5M2>({{57344, Float8E5M2{0x7B}}, {kAll, kNo}});
  // Up, by a bit that float64 does not hold.
  check<std::int64_t, Float8E8M0FNU>(
      {{(std::int64_t{1} << 60) + 1, Float8E8M0FNU{127 + 61}}, {0, kNo}, {-4, kNo}});
  // Through float it would come to lie in the middle.
  check<double, Float8E4M3FN>({{1.0625 + 0x1p-50, Float8E4M3FN{0x39}}, {kInf, kNo}});
  check<float, Float8E5M2>({{65504.0F, kNo}, {static_cast<float>(kInf), Float8E5M2{0x7C}}});
  check<Float8E5M2, Float8E4M3FN>({{Float8E5M2{0x7B}, kNo}, {Float8E5M2{0x3C}, Float8E4M3FN{0x38}}});
  check<Float8E4M3FN, Float16>({{Float8E4M3FN{0x7E}, half(448)}, {Float8E4M3FN{0x80}, half(-0.0F)}});
  check<Float8E4M3FN, std::int8_t>({{Float8E4M3FN{0x3C}, std::int8_t{1}}, {Float8E4M3FN{0x7E}, kNo}});
  check<Float8E4M3FN, Bool>({{Float8E4M3FN{0x80}, Bool{0}}, {Float8E4M3FN{0x7F}, Bool{1}}});
  check<Float4E2M1FN, std::complex<float>>({{Float4E2M1FN{15}, std::complex<float>{-6, 0}}});
  check<std::complex<double>, Float4E2M1FN>(
      {{{6.0, 0.0}, Float4E2M1FN{7}}, {{6.0, 1.0}, kNo}, {{7.0, 0.0}, kNo}});
  check<Bool, Float8E8M0FNU>({{Bool{1}, Float8E8M0FNU{127}}, {Bool{0}, kNo}});
  check<Bool, UInt4>({{Bool{2}, UInt4{1}}});
}

TEST_CASE("what a small float does not have is cast as it is asked for", "[tensor][small]") {
  const std::vector<float> values = {500, static_cast<float>(-kInf), 1};
  const auto* const in = reinterpret_cast<const std::byte*>(values.data());
  std::uint8_t out[3];
  auto* const bytes = reinterpret_cast<std::byte*>(out);
  CHECK(cast_elements(bytes, DType::float8_e4m3fn, in, DType::float32, 3) == 0);
  CHECK(cast_elements(bytes, DType::float8_e4m3fn, in, DType::float32, 3, Overflow::saturate) == -1);
  CHECK((out[0] == 0x7E && out[1] == 0xFE && out[2] == 0x38));
  CHECK(cast_elements(bytes, DType::float8_e4m3fn, in, DType::float32, 3, Overflow::nan) == -1);
  CHECK((out[0] == 0x7F && out[1] == 0xFF && out[2] == 0x38));
  // Of no other dtype.
  CHECK(cast_elements(bytes, DType::int4, in, DType::float32, 3, Overflow::saturate) == 0);
}

TEST_CASE("the first element that does not fit is reported, wherever it stands", "[tensor]") {
  for (const std::int64_t bad : {0, 1, 511, 512, 513, 1999}) {
    std::vector<std::int64_t> in(2000, 7);
    in[static_cast<std::size_t>(bad)] = 300;
    in.back() = 300;
    std::vector<std::int8_t> out(2000);
    CHECK(cast_elements(reinterpret_cast<std::byte*>(out.data()), DType::int8,
                        reinterpret_cast<const std::byte*>(in.data()), DType::int64, 2000) == bad);
    for (std::int64_t i = 0; i < bad; ++i) CHECK(out[static_cast<std::size_t>(i)] == 7);
  }
}

TEST_CASE("strings are cast to strings alone", "[tensor]") {
  for (int f = 0; f < kDTypeCount; ++f) {
    for (int t = 0; t < kDTypeCount; ++t) {
      const bool strings = (f == static_cast<int>(DType::string)) != (t == static_cast<int>(DType::string));
      CHECK(can_cast(static_cast<DType>(f), static_cast<DType>(t)) == !strings);
    }
  }
}

TEST_CASE("every dtype that can hold it carries a small integer through every other", "[tensor]") {
  for (int f = 0; f < kDTypeCount; ++f) {
    for (int t = 0; t < kDTypeCount; ++t) {
      const auto from = static_cast<DType>(f);
      const auto to = static_cast<DType>(t);
      if (from == DType::string || to == DType::string) continue;
      const DTypeSet few = {DType::boolean, DType::float4_e2m1fn, kSmallIntegerTypes};
      // A power of two is in every float.
      const std::int64_t value = from == DType::boolean || to == DType::boolean ? 1
                                 : few.contains(from) || few.contains(to)       ? 4
                                                                                : 64;
      std::byte first[16] = {};
      std::byte second[16] = {};
      std::int64_t back = 0;
      CAPTURE(name(from), name(to));
      CHECK(cast_elements(first, from, reinterpret_cast<const std::byte*>(&value), DType::int64, 1) == -1);
      CHECK(cast_elements(second, to, first, from, 1) == -1);
      CHECK(cast_elements(reinterpret_cast<std::byte*>(&back), DType::int64, second, to, 1) == -1);
      CHECK(back == value);
    }
  }
}

}  // namespace
}  // namespace tensorop
