// Small numbers: the values of their bits, and one rounding on the way to them. Expected values are those of
// the specification's tables 4.2 and 4.3 and of its example 9 (official ONNX data); the Python script beside
// this file computes all of them with fractions.
#include "tensor/small_number.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "tensor/convert_elements.hpp"
#include "tensor/packed_nibbles.hpp"

namespace tensorop {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Value {
  int bits;
  double value;
};

template <SmallFloat T>
void check_values(const std::vector<Value>& rows) {
  for (const auto& [bits, value] : rows) {
    CAPTURE(bits, value);
    const double found = to_float(T{static_cast<std::uint8_t>(bits)});
    CHECK((std::isnan(value) ? std::isnan(found) : found == value));
    CHECK(std::signbit(found) == std::signbit(value));
  }
}

TEST_CASE("the bits of small floats have the values of the specification's table", "[tensor][small]") {
  check_values<Float8E4M3FN>({{0x00, 0.0},
                              {0x80, -0.0},
                              {0x7E, 448},
                              {0xFE, -448},
                              {0x08, 0x1p-6},
                              {0x01, 0x1p-9},
                              {0x07, 0x7p-9},
                              {0x7F, kNan},
                              {0xFF, -kNan},
                              {0x38, 1}});
  check_values<Float8E4M3FNUZ>(
      {{0x00, 0.0}, {0x80, -kNan}, {0x7F, 240}, {0xFF, -240}, {0x08, 0x1p-7}, {0x01, 0x1p-10}, {0x40, 1}});
  check_values<Float8E5M2>({{0x00, 0.0},
                            {0x80, -0.0},
                            {0x7B, 57344},
                            {0x7C, kInf},
                            {0xFC, -kInf},
                            {0x7D, kNan},
                            {0x7F, kNan},
                            {0xFE, -kNan},
                            {0x04, 0x1p-14},
                            {0x01, 0x1p-16},
                            {0x3C, 1}});
  check_values<Float8E5M2FNUZ>({{0x00, 0.0},
                                {0x80, -kNan},
                                {0x7F, 57344},
                                {0xFF, -57344},
                                {0x04, 0x1p-15},
                                {0x01, 0x1p-17},
                                {0x40, 1}});
  check_values<Float8E8M0FNU>(
      {{0x00, 0x1p-127}, {0x01, 0x1p-126}, {0x7F, 1}, {0x80, 2}, {0xFE, 0x1p127}, {0xFF, kNan}});
  // Magnitudes 0 0.5 1 1.5 2 3 4 6; the upper half of the byte is ignored.
  check_values<Float4E2M1FN>({{0, 0.0},
                              {1, 0.5},
                              {2, 1},
                              {3, 1.5},
                              {4, 2},
                              {5, 3},
                              {6, 4},
                              {7, 6},
                              {8, -0.0},
                              {9, -0.5},
                              {15, -6},
                              {0xF7, 6},
                              {0xA9, -0.5}});
}

TEST_CASE("int4 and uint4 are the lower half of a byte", "[tensor][small]") {
  for (int byte = 0; byte < 256; ++byte) {
    const int low = byte % 16;
    const auto bits = static_cast<std::uint8_t>(byte);
    CAPTURE(byte);
    CHECK(to_integer(UInt4{bits}) == low);
    CHECK(to_integer(Int4{bits}) == (low < 8 ? low : low - 16));
  }
}

// What a value becomes in the three ways; nothing where it is refused.
struct Rounded {
  double value;
  std::optional<int> error;
  std::optional<int> saturate;
  std::optional<int> nan;
};

template <SmallFloat T>
void check_rounding(const std::vector<Rounded>& rows) {
  const auto round = [](double value, Overflow overflow) -> std::optional<int> {
    T out;
    if (!round_small(value, out, overflow)) return std::nullopt;
    return out.bits;
  };
  for (const Rounded& row : rows) {
    CAPTURE(row.value);
    CHECK(round(row.value, Overflow::error) == row.error);
    CHECK(round(row.value, Overflow::saturate) == row.saturate);
    CHECK(round(row.value, Overflow::nan) == row.nan);
  }
}

constexpr std::nullopt_t kNo = std::nullopt;
// The same in all three ways.
Rounded all(double value, std::optional<int> bits) {
  return {value, bits, bits, bits};
}

TEST_CASE("values are rounded once to a small float, or refused, or as ONNX Cast does", "[tensor][small]") {
  check_rounding<Float8E4M3FN>({all(0.47892547, 0x2F),
                                all(-1e-7, 0x80),
                                all(-0.0, 0x80),
                                all(448, 0x7E),
                                all(464, 0x7E),
                                {464.001, kNo, 0x7E, 0x7F},
                                {1e6, kNo, 0x7E, 0x7F},
                                {-1e6, kNo, 0xFE, 0xFF},
                                {kInf, kNo, 0x7E, 0x7F},
                                {-kInf, kNo, 0xFE, 0xFF},
                                all(kNan, 0x7F),
                                all(-kNan, 0xFF),
                                all(1.0625, 0x38),
                                all(1.0625 + 0x1p-50, 0x39),
                                all(1.1875, 0x3A),
                                all(0x1p-10, 0x00),
                                all(0x1p-10 + 0x1p-60, 0x01),
                                all(0x3p-10, 0x02),
                                all(5e-324, 0x00)});
  check_rounding<Float8E4M3FNUZ>({all(0.47892547, 0x37),
                                  all(-1e-7, 0x00),
                                  all(-0.0, 0x00),
                                  all(247.99, 0x7F),
                                  {248, kNo, 0x7F, 0x80},
                                  {1e6, kNo, 0x7F, 0x80},
                                  {-1e6, kNo, 0xFF, 0x80},
                                  {-kInf, kNo, 0xFF, 0x80},
                                  all(kNan, 0x80)});
  check_rounding<Float8E5M2>({all(0.47892547, 0x38),
                              all(-1e-7, 0x80),
                              all(61439.9, 0x7B),
                              {61440, kNo, 0x7B, 0x7C},
                              {1e6, kNo, 0x7B, 0x7C},
                              {-1e6, kNo, 0xFB, 0xFC},
                              {kInf, 0x7C, 0x7B, 0x7C},
                              {-kInf, 0xFC, 0xFB, 0xFC},
                              all(kNan, 0x7E),
                              all(-kNan, 0xFE)});
  check_rounding<Float8E5M2FNUZ>({all(0.47892547, 0x3C),
                                  all(-1e-7, 0x00),
                                  {61440, kNo, 0x7F, 0x80},
                                  {1e6, kNo, 0x7F, 0x80},
                                  {kInf, kNo, 0x7F, 0x80},
                                  all(kNan, 0x80)});
  // Up, as ONNX Cast does by default.
  check_rounding<Float8E8M0FNU>({all(0.124, 0x7C),
                                 all(1.1, 0x80),
                                 all(8, 0x82),
                                 all(0x1p127, 0xFE),
                                 {0x1.000002p127, kNo, 0xFE, 0xFF},
                                 {kInf, kNo, 0xFE, 0xFF},
                                 {0.0, kNo, 0x00, 0xFF},
                                 {-0.0, kNo, 0x00, 0xFF},
                                 all(0x1p-127, 0x00),
                                 all(1e-300, 0x00),
                                 all(0x1.8p-127, 0x01),
                                 all(-1, kNo),
                                 all(-kInf, kNo),
                                 all(kNan, 0xFF)});
  // It always saturates where it is not refused; ONNX's page and data differ on NaN.
  check_rounding<Float4E2M1FN>({all(0.48, 1),
                                all(0.25, 0),
                                all(1.05, 2),
                                all(-3.5, 14),
                                all(-0.1, 8),
                                all(5, 6),
                                all(5.01, 7),
                                all(6.99, 7),
                                {7, kNo, 7, 7},
                                {-kInf, kNo, 15, 15},
                                all(kNan, kNo)});
}

template <SmallFloat T>
void check_round_trip() {
  for (int byte = 0; byte < 1 << T::kLayout.bits; ++byte) {
    const T element{static_cast<std::uint8_t>(byte)};
    T back;
    CAPTURE(byte);
    const float value = to_float(element);
    CHECK((round_small(value, back) || std::isnan(value)));
    if (!std::isnan(value)) CHECK(back.bits == element.bits);
  }
}

TEST_CASE("a small float is what its value is rounded to", "[tensor][small]") {
  check_round_trip<Float8E4M3FN>();
  check_round_trip<Float8E4M3FNUZ>();
  check_round_trip<Float8E5M2>();
  check_round_trip<Float8E5M2FNUZ>();
  check_round_trip<Float8E8M0FNU>();
  check_round_trip<Float4E2M1FN>();
}

TEST_CASE("4-bit elements are packed with the first one low", "[tensor][small]") {
  const auto bytes = [](std::initializer_list<int> values) {
    std::vector<std::byte> out;
    for (const int value : values) out.push_back(static_cast<std::byte>(value));
    return out;
  };
  struct Row {
    std::vector<std::byte> elements;
    std::vector<std::byte> packed;
  };
  // The first one is example 6 of the specification: int4 7, -8, -1.
  const std::vector<Row> rows = {{bytes({7, 8, 15}), bytes({0x87, 0x0F})},
                                 {bytes({1, 14}), bytes({0xE1})},
                                 {bytes({5}), bytes({0x05})},
                                 {{}, {}}};
  for (const Row& row : rows) {
    std::vector<std::byte> packed(row.packed.size(), std::byte{0xFF});
    pack_nibbles(row.elements, packed);
    CHECK(packed == row.packed);
    std::vector<std::byte> elements(row.elements.size(), std::byte{0xFF});
    unpack_nibbles(row.packed, elements);
    CHECK(elements == row.elements);
  }
  std::vector<std::byte> packed(2);
  pack_nibbles(bytes({0xF7, 0xA8, 0xFF}), packed);
  CHECK(packed == bytes({0x87, 0x0F}));
  std::vector<std::byte> element(1);
  unpack_nibbles(bytes({0xF5}), element);  // any padding is read
  CHECK(element == bytes({0x05}));
}

}  // namespace
}  // namespace tensorop
