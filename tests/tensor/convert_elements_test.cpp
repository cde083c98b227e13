// Casting between any two dtypes of numbers against an exact oracle: what the bits of each dtype mean, and
// rounding as a search among all of them.
#include "tensor/convert_elements.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::tensor_convert_elements_test {
namespace {

// Holds every number of 64 bits, every middle between two floats, infinity, NaN and the signs of all of them.
using Exact = long double;
static_assert(std::numeric_limits<Exact>::digits >= 64);
constexpr Exact kInf = std::numeric_limits<Exact>::infinity();
constexpr Exact kNan = std::numeric_limits<Exact>::quiet_NaN();

// The parameters of a float in IEEE 754, and of a small dtype in docs/formats.md, "Small dtypes".
struct FloatFormat {
  DType dtype;
  int bits;
  int fraction;
  int bias;
  std::uint64_t largest;   // the bits of the largest magnitude
  std::uint64_t infinity;  // 0: there is none
  std::uint64_t nan;       // of one NaN; 0: there is none
  bool sign = true;
  bool minus_zero = true;  // and a sign of NaN
  bool zero = true;

  [[nodiscard]] std::uint64_t sign_bit() const { return sign ? std::uint64_t{1} << (bits - 1) : 0; }
  // The magnitudes are in the order of their bits.
  [[nodiscard]] Exact magnitude(std::uint64_t of) const {
    const auto part = static_cast<Exact>(of & ((std::uint64_t{1} << fraction) - 1));
    const auto exponent = static_cast<int>(of >> fraction);
    if (exponent == 0 && zero) return std::ldexp(part, 1 - bias - fraction);
    return std::ldexp(part + std::ldexp(Exact{1}, fraction), exponent - bias - fraction);
  }
};

const std::vector<FloatFormat> kFormats = {
    {DType::float16, 16, 10, 15, 0x7BFF, 0x7C00, 0x7E00},
    {DType::bfloat16, 16, 7, 127, 0x7F7F, 0x7F80, 0x7FC0},
    {DType::float32, 32, 23, 127, 0x7F7FFFFF, 0x7F800000, 0x7FC00000},
    {DType::float64, 64, 52, 1023, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000},
    {DType::float8_e4m3fn, 8, 3, 7, 0x7E, 0, 0x7F},
    {DType::float8_e4m3fnuz, 8, 3, 8, 0x7F, 0, 0x80, true, false},
    {DType::float8_e5m2, 8, 2, 15, 0x7B, 0x7C, 0x7E},
    {DType::float8_e5m2fnuz, 8, 2, 16, 0x7F, 0, 0x80, true, false},
    {DType::float8_e8m0fnu, 8, 0, 127, 0xFE, 0, 0xFF, false, false, false},
    {DType::float4_e2m1fn, 4, 1, 1, 7, 0, 0},
};

// Null: no float.
const FloatFormat* format_of(DType dtype) {
  const auto found = std::ranges::find(kFormats, dtype, &FloatFormat::dtype);
  return found == kFormats.end() ? nullptr : &*found;
}

bool is_signed(DType dtype) {
  return kSignedTypes.contains(dtype) || dtype == DType::int4;
}

Exact least_integer(DType dtype) {
  return is_signed(dtype) ? -std::ldexp(Exact{1}, info(dtype).bits - 1) : 0;
}

Exact greatest_integer(DType dtype) {
  return std::ldexp(Exact{1}, info(dtype).bits - (is_signed(dtype) ? 1 : 0)) - 1;
}

std::uint64_t low_bits(std::uint64_t raw, int bits) {
  return raw & (~std::uint64_t{0} >> (64 - bits));
}

// The value of an element of a real dtype or bool, from its bytes.
Exact decode(DType dtype, std::uint64_t raw) {
  if (dtype == DType::boolean) return raw != 0 ? 1 : 0;
  const int bits = info(dtype).bits;
  raw = low_bits(raw, bits);
  const FloatFormat* format = format_of(dtype);
  if (format == nullptr) {
    const bool negative = is_signed(dtype) && (raw >> (bits - 1)) != 0;
    return static_cast<Exact>(raw) - (negative ? std::ldexp(Exact{1}, bits) : 0);
  }
  const bool negative = (raw & format->sign_bit()) != 0;
  const std::uint64_t magnitude = raw & ~format->sign_bit();
  Exact value = format->magnitude(magnitude);
  if (format->infinity != 0 && magnitude == format->infinity) value = kInf;
  if (magnitude > std::max(format->largest, format->infinity)) value = kNan;
  if (negative && magnitude == 0 && !format->minus_zero) value = kNan;
  return negative ? -value : value;
}

// The bits of the nearest magnitude, of two the even one (without zero: the one that is not below); nothing
// beyond the largest.
std::optional<std::uint64_t> nearest(const FloatFormat& format, Exact magnitude) {
  // The first one that is larger.
  std::uint64_t above = 0;
  for (std::uint64_t end = format.largest + 1; above < end;) {
    const std::uint64_t middle = above + (end - above) / 2;
    if (format.magnitude(middle) <= magnitude) {
      above = middle + 1;
    } else {
      end = middle;
    }
  }
  if (above != 0) {
    const std::uint64_t below = above - 1;
    const Exact low = format.magnitude(below);
    const Exact high =
        below < format.largest ? format.magnitude(above) : 2 * low - format.magnitude(below - 1);
    const Exact middle = (low + high) / 2;
    const bool up =
        format.zero ? magnitude > middle || (magnitude == middle && below % 2 == 1) : magnitude > low;
    above = below + (up ? 1 : 0);
  }
  return above > format.largest ? std::nullopt : std::optional(above);
}

std::optional<std::uint64_t> encode_float(const FloatFormat& format, Exact value, Overflow overflow) {
  const std::uint64_t sign = std::signbit(value) ? format.sign_bit() : 0;
  const std::uint64_t special_sign = format.minus_zero ? sign : 0;
  if (std::isnan(value)) return format.nan == 0 ? std::nullopt : std::optional(format.nan | special_sign);
  if (value < 0 && !format.sign) return std::nullopt;
  const bool ends = value == 0 && !format.zero;
  const auto bits = std::isinf(value) || ends ? std::nullopt : nearest(format, std::fabs(value));
  if (bits) return *bits | (*bits != 0 || format.minus_zero ? sign : 0);
  const std::uint64_t infinity = format.infinity | special_sign;
  if (!kSmallFloatTypes.contains(format.dtype)) {
    // Large floats keep infinities, and have no NaN for a number.
    if (std::isinf(value)) return infinity;
    return overflow == Overflow::saturate ? std::optional(format.largest | sign) : std::nullopt;
  }
  if (overflow == Overflow::error)
    return std::isinf(value) && format.infinity != 0 ? std::optional(infinity) : std::nullopt;
  if (overflow == Overflow::saturate || format.nan == 0) return ends ? 0 : format.largest | sign;
  return format.infinity != 0 ? infinity : format.nan | special_sign;
}

std::optional<std::uint64_t> encode(DType dtype, Exact value, Overflow overflow) {
  if (dtype == DType::boolean) return value != 0 ? 1 : 0;
  if (const FloatFormat* format = format_of(dtype)) return encode_float(*format, value, overflow);
  if (overflow == Overflow::saturate && !std::isnan(value))
    value = std::min(std::max(value, least_integer(dtype)), greatest_integer(dtype));
  const Exact whole = std::trunc(value);  // NaN is in no range
  if (!(whole >= least_integer(dtype) && whole <= greatest_integer(dtype))) return std::nullopt;
  const auto raw = whole < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                             : static_cast<std::uint64_t>(whole);
  return low_bits(raw, info(dtype).bits);
}

// The bytes of an element: a number, or the two parts of a complex one.
struct Element {
  std::uint64_t real = 0;
  std::uint64_t imag = 0;
  bool operator==(const Element&) const = default;
};

bool is_complex(DType dtype) {
  return kComplexTypes.contains(dtype);
}

DType part_of(DType dtype) {
  return dtype == DType::complex64 ? DType::float32 : dtype == DType::complex128 ? DType::float64 : dtype;
}

std::optional<Element> expected_cast(DType from, DType to, const Element& element, Overflow overflow) {
  // A cast to the same dtype keeps all bits, but for infinities that are to be saturated.
  if (from == to) {
    const bool saturates = overflow == Overflow::saturate && kSmallFloatTypes.contains(to) &&
                           std::isinf(decode(to, element.real));
    if (!saturates) return element;
  }
  const Exact real = decode(part_of(from), element.real);
  const Exact imag = is_complex(from) ? decode(part_of(from), element.imag) : 0;
  if (to == DType::boolean) return Element{real != 0 || imag != 0 ? 1U : 0U};
  if (!is_complex(to) && imag != 0) return std::nullopt;
  const auto first = encode(part_of(to), real, overflow);
  const auto second = is_complex(to) ? encode(part_of(to), imag, overflow) : 0;
  if (!first || !second) return std::nullopt;
  return Element{*first, *second};
}

void store(DType dtype, const Element& element, std::byte* out) {
  const auto size = static_cast<std::size_t>(element_size(part_of(dtype)));
  std::memcpy(out, &element.real, size);
  if (is_complex(dtype)) std::memcpy(out + size, &element.imag, size);
}

Element load(DType dtype, const std::byte* from) {
  Element element;
  const auto size = static_cast<std::size_t>(element_size(part_of(dtype)));
  std::memcpy(&element.real, from, size);
  if (is_complex(dtype)) std::memcpy(&element.imag, from + size, size);
  return element;
}

// What the casts of the elements give, in calls of as many as fit: loops over many elements differ from those
// over one.
std::vector<std::optional<Element>> cast(DType from, DType to, const std::vector<Element>& elements,
                                         Overflow overflow) {
  const auto width = static_cast<std::size_t>(element_size(from));
  const auto out_width = static_cast<std::size_t>(element_size(to));
  std::vector<std::byte> in(elements.size() * width);
  std::vector<std::byte> out(elements.size() * out_width);
  for (std::size_t i = 0; i < elements.size(); ++i) store(from, elements[i], in.data() + i * width);
  std::vector<std::optional<Element>> found;
  while (found.size() < elements.size()) {
    const std::size_t first = found.size();
    const std::int64_t bad =
        cast_elements(out.data() + first * out_width, to, in.data() + first * width, from,
                      static_cast<std::int64_t>(elements.size() - first), overflow);
    const std::size_t end = bad < 0 ? elements.size() : first + static_cast<std::size_t>(bad);
    for (std::size_t i = first; i < end; ++i) found.emplace_back(load(to, out.data() + i * out_width));
    if (bad >= 0) found.emplace_back(std::nullopt);
  }
  return found;
}

// Which NaN a large float gets is not prescribed, but for its sign.
bool same(DType dtype, const Element& a, const Element& b) {
  const auto same_part = [&](std::uint64_t x, std::uint64_t y) {
    if (x == y) return true;
    if (kSmallTypes.contains(dtype)) return false;
    const Exact u = decode(part_of(dtype), x);
    const Exact v = decode(part_of(dtype), y);
    return std::isnan(u) && std::isnan(v) && std::signbit(u) == std::signbit(v);
  };
  return same_part(a.real, b.real) && same_part(a.imag, b.imag);
}

// Numbers where a cast to the dtype changes: its values, the middles between them, its ends. `all`: of floats
// of up to 16 bits all of them.
std::vector<Exact> numbers_about(Random& random, DType dtype, bool all) {
  std::vector<Exact> out;
  if (const FloatFormat* format = format_of(dtype)) {
    std::vector<std::uint64_t> magnitudes = {0, 1, 2, format->largest - 1, format->largest};
    all = format->bits <= (all ? 16 : 8);
    for (std::uint64_t i = 0; i < (all ? format->largest : 40); ++i) {
      magnitudes.push_back(all ? i : random.bits() % format->largest);
      // The sizes of integers.
      const auto integer = static_cast<Exact>(random.bits() >> random.between(0, 63));
      if (const auto bits = nearest(*format, integer)) magnitudes.push_back(*bits);
    }
    for (const std::uint64_t bits : magnitudes) {
      const Exact value = format->magnitude(bits);
      const Exact next =
          bits == format->largest ? 2 * value - format->magnitude(bits - 1) : format->magnitude(bits + 1);
      for (const Exact number : {value, (value + next) / 2, next}) out.insert(out.end(), {number, -number});
    }
    return out;
  }
  std::vector<Exact> wholes = {least_integer(dtype), greatest_integer(dtype), 0, 256};
  for (int i = 0; i < 20; ++i) wholes.push_back(static_cast<Exact>(random.bits() >> random.between(0, 63)));
  for (const Exact whole : wholes) {
    for (const Exact off : {-1.0L, -0.5L, 0.0L, 0.5L, 1.0L})
      out.insert(out.end(), {whole + off, -(whole + off)});
  }
  return out;
}

// The parts that an element of `from` is tried with: the numbers and their neighbours, and special ones.
std::vector<std::uint64_t> parts_about(Random& random, DType from, const std::vector<Exact>& numbers,
                                       bool all) {
  const int width = 8 * element_size(from);
  const bool every = width <= (all ? 16 : 8);
  std::vector<std::uint64_t> out;
  for (const Exact number : numbers) {
    const auto raw = encode(from, number, Overflow::error);
    if (!raw) continue;
    for (const std::uint64_t near : {*raw - 1, *raw, *raw + 1}) out.push_back(low_bits(near, width));
  }
  for (int i = 0; i < (every ? 1 << width : 20); ++i)
    out.push_back(every ? static_cast<std::uint64_t>(i) : low_bits(random.bits(), width));
  if (const FloatFormat* format = format_of(from)) {
    for (const std::uint64_t raw : {format->infinity, format->nan, format->largest, std::uint64_t{0}})
      out.insert(out.end(), {raw, raw | format->sign_bit()});
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

TEST_CASE("a cast between any two dtypes of numbers rounds once, truncates, or refuses", "[tensor][random]") {
  const std::uint64_t seed = random_seed();
  std::int64_t kept = 0;
  std::int64_t refused = 0;
  for (int pair = 0; pair < kDTypeCount * kDTypeCount; ++pair) {
    const auto from = static_cast<DType>(pair / kDTypeCount);
    const auto to = static_cast<DType>(pair % kDTypeCount);
    if (from == DType::string || to == DType::string) continue;
    CAPTURE(seed, name(from), name(to));
    Random random(seed, static_cast<std::uint64_t>(pair));
    int wrong = 0;
    // Every cast of floats goes by way of float32 or float64: with them all values of 16 bits are tried.
    const auto is_wide = [](DType dtype) { return dtype == DType::float32 || dtype == DType::float64; };
    const bool all = !kAnySanitizer && is_wide(from) != is_wide(to);
    const auto numbers = numbers_about(random, part_of(to), all);
    std::vector<Element> elements;
    for (const std::uint64_t part : parts_about(random, part_of(from), numbers, all)) {
      Element element = {part};
      if (is_complex(from)) {
        const std::uint64_t minus = format_of(part_of(from))->sign_bit();
        const auto other = low_bits(random.bits(), 8 * element_size(part_of(from)));
        element.imag = random.pick(std::vector<std::uint64_t>{0, 0, minus, 1, other});
        if (is_complex(to) && random.chance(50)) std::swap(element.real, element.imag);
      }
      elements.push_back(element);
    }
    // A NaN for what a dtype does not have can be asked for of small floats alone.
    for (const Overflow overflow : {Overflow::error, Overflow::saturate, Overflow::nan}) {
      if (all && overflow != Overflow::error && !kSmallFloatTypes.contains(to)) continue;
      const auto found = cast(from, to, elements, overflow);
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto expected = expected_cast(from, to, elements[i], overflow);
        (expected ? kept : refused) += 1;
        if (expected && found[i] ? same(to, *found[i], *expected) : expected == found[i]) continue;
        if (wrong++ != 0) continue;
        const auto shown = [](const std::optional<Element>& of) {
          return of ? cat(of->real, " ", of->imag) : std::string("refused");
        };
        UNSCOPED_INFO("the bits " << shown(elements[i]) << " become " << shown(found[i]) << ", not "
                                  << shown(expected) << ", with overflow " << static_cast<int>(overflow));
      }
    }
    CHECK(wrong == 0);
  }
  // Guards the test itself.
  CHECK(kept > 100'000);
  CHECK(refused > 20'000);
}

// Example 9 of the specification of formats, which is ONNX's own data.
TEST_CASE("small floats of ONNX's examples have the bits that ONNX gives them", "[tensor][small]") {
  struct Row {
    float value;
    std::vector<int> bits;  // of e4m3fn, e4m3fnuz, e5m2, e5m2fnuz
    Overflow overflow = Overflow::saturate;
  };
  const auto bits_of = [](float value, DType to, Overflow overflow) {
    std::uint8_t bits = 0;
    CHECK(cast_elements(reinterpret_cast<std::byte*>(&bits), to, reinterpret_cast<const std::byte*>(&value),
                        DType::float32, 1, overflow) == -1);
    return int{bits};
  };
  for (const Row& row : std::vector<Row>{{0.47892547F, {0x2F, 0x37, 0x38, 0x3C}},
                                         {1e6F, {0x7E, 0x7F, 0x7B, 0x7F}},
                                         {1e6F, {0x7F, 0x80, 0x7C, 0x80}, Overflow::nan},
                                         {-1e-7F, {0x80, 0x00, 0x80, 0x00}}}) {
    std::vector<int> found;
    for (const DType to :
         {DType::float8_e4m3fn, DType::float8_e4m3fnuz, DType::float8_e5m2, DType::float8_e5m2fnuz})
      found.push_back(bits_of(row.value, to, row.overflow));
    CHECK(found == row.bits);
  }
  std::vector<int> found;
  for (const float value : {0.48F, 0.25F, 1.05F, -3.5F})
    found.push_back(bits_of(value, DType::float4_e2m1fn, Overflow::error));
  for (const float value : {0.124F, 1.1F, 8.0F})
    found.push_back(bits_of(value, DType::float8_e8m0fnu, Overflow::error));
  CHECK(found == std::vector<int>{1, 0, 2, 14, 0x7C, 0x80, 0x82});
}

// Left-aligned the bits of the fraction stay, as many as there is room for.
TEST_CASE("a NaN that is cast to another float keeps its sign and payload, and becomes quiet", "[tensor]") {
  const auto fraction_mask = [](const FloatFormat& format) {
    return (std::uint64_t{1} << format.fraction) - 1;
  };
  for (const FloatFormat& from : kFormats) {
    for (const FloatFormat& to : kFormats) {
      if (from.bits < 16 || to.bits < 16 || from.dtype == to.dtype) continue;
      CAPTURE(name(from.dtype), name(to.dtype));
      std::vector<Element> elements;
      std::vector<std::optional<Element>> expected;
      for (std::uint64_t i = 0; i < 1024; ++i) {
        // Some low bits and some high ones, signalling or quiet, of both signs.
        const std::uint64_t fraction = ((i & 31) | ((i >> 5) << (from.fraction - 5))) & fraction_mask(from);
        if (fraction == 0) continue;
        const std::uint64_t kept = from.fraction > to.fraction ? fraction >> (from.fraction - to.fraction)
                                                               : fraction << (to.fraction - from.fraction);
        const std::uint64_t quiet = std::uint64_t{1} << (to.fraction - 1);
        for (const bool sign : {false, true}) {
          elements.push_back({from.infinity | fraction | (sign ? from.sign_bit() : 0)});
          expected.push_back(Element{to.infinity | kept | quiet | (sign ? to.sign_bit() : 0)});
        }
      }
      CHECK(cast(from.dtype, to.dtype, elements, Overflow::error) == expected);
    }
  }
  const std::vector<Element> signalling = {{0x7F800001}, {0xFFA12345}};
  const std::vector<std::optional<Element>> quiet = {Element{0x7FC00001}, Element{0xFFE12345}};
  CHECK(cast(DType::float32, DType::complex64, signalling, Overflow::error) == quiet);
}

TEST_CASE("the first element that does not fit is reported, wherever it stands", "[tensor]") {
  struct Row {
    DType from;
    DType to;
    double misfit;
  };
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  for (const Row& row : std::vector<Row>{{DType::int64, DType::int8, 300},
                                         {DType::int64, DType::int32, 0x1p31},
                                         {DType::int64, DType::uint64, -1},
                                         {DType::uint64, DType::int8, 128},
                                         {DType::int32, DType::uint8, -1},
                                         {DType::uint32, DType::int32, 0x1p31},
                                         {DType::float16, DType::int8, -129},
                                         {DType::float32, DType::int8, kNotANumber},
                                         {DType::float32, DType::int32, 0x1p31},
                                         {DType::float64, DType::int64, -0x1.0000000000001p63},
                                         {DType::float32, DType::float16, 65520},
                                         {DType::float64, DType::bfloat16, -0x1.FFp127},
                                         {DType::float64, DType::float32, 0x1.FFFFFFp127},
                                         {DType::float32, DType::float8_e4m3fn, 1000},
                                         {DType::float32, DType::int4, 8}}) {
    CAPTURE(name(row.from), name(row.to));
    constexpr std::size_t kCount = 2000;
    for (const std::size_t bad : {0U, 1U, 510U, 511U, 512U, 513U, 1999U}) {
      std::vector<double> values(kCount, 7);
      values[bad] = row.misfit;
      values.back() = row.misfit;
      if (bad + 1 < kCount) values[bad + 1] = row.misfit;
      std::vector<std::byte> in(kCount * 8);
      std::vector<std::byte> out(kCount * 8);
      REQUIRE(cast_elements(in.data(), row.from, reinterpret_cast<const std::byte*>(values.data()),
                            DType::float64, kCount) == -1);
      CHECK(cast_elements(out.data(), row.to, in.data(), row.from, kCount) == static_cast<std::int64_t>(bad));
      std::vector<double> back(kCount);
      REQUIRE(cast_elements(reinterpret_cast<std::byte*>(back.data()), DType::float64, out.data(), row.to,
                            static_cast<std::int64_t>(bad)) == -1);
      CHECK(std::ranges::count(back, 7) == static_cast<std::int64_t>(bad));
    }
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

}  // namespace
}  // namespace tensorop::tensor_convert_elements_test
