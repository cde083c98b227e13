#include "support/reference_element.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace tensorop::reference {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read and written byte by byte");

// A binary interchange format of IEEE 754, or bfloat16, which is made the same way.
struct BinaryFormat {
  int fraction;  // stored bits of the fraction
  int exponent;  // bits of the exponent
  int bytes;
  // The smallest positive value is 2^least.
  [[nodiscard]] int least() const { return 2 - (1 << (exponent - 1)) - fraction; }
};

BinaryFormat format_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return {10, 5, 2};
    case DType::bfloat16:
      return {7, 8, 2};
    case DType::float32:
    case DType::complex64:
      return {23, 8, 4};
    case DType::float64:
    case DType::complex128:
      return {52, 11, 8};
    default:
      throw std::logic_error("not a float");
  }
}

std::uint64_t bits_of(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
  return bits;
}

std::string bytes_of(std::uint64_t bits, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(bits >> (8 * i) & 255U);
  return bytes;
}

double decode(const BinaryFormat& format, std::string_view bytes) {
  const std::uint64_t bits = bits_of(bytes);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.fraction) - 1);
  const int ones = (1 << format.exponent) - 1;
  const int exponent = static_cast<int>(bits >> format.fraction) & ones;
  const bool negative = (bits >> (format.fraction + format.exponent)) != 0;
  double magnitude = 0;
  if (exponent == ones) {
    magnitude =
        fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), format.least());
  } else {
    const double significand = static_cast<double>(fraction) + std::ldexp(1.0, format.fraction);
    magnitude = std::ldexp(significand, format.least() + exponent - 1);
  }
  return negative ? -magnitude : magnitude;
}

std::string encode(const BinaryFormat& format, double value) {
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent) - 1) << format.fraction;
  const std::uint64_t sign =
      std::signbit(value) ? std::uint64_t{1} << (format.fraction + format.exponent) : 0;
  if (std::isnan(value)) return bytes_of(infinity | std::uint64_t{1} << (format.fraction - 1), format.bytes);
  if (std::isinf(value)) return bytes_of(sign | infinity, format.bytes);
  if (value == 0) return bytes_of(sign, format.bytes);
  // In units of the last bit it can keep, the value is rounded to an integer (ties to even). Those integers,
  // counted from the smallest subnormal on, are the encodings, one after the other up to infinity.
  int exponent = 0;
  (void)std::frexp(value, &exponent);
  const int unit = std::max(exponent - 1 - format.fraction, format.least());
  const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(std::fabs(value), -unit)));
  const auto binade = static_cast<std::uint64_t>(unit - format.least());
  return bytes_of(sign | std::min((binade << format.fraction) + units, infinity), format.bytes);
}

bool is_signed(DType dtype) {
  return kSignedTypes.contains(dtype);
}

Wide power_of_two(int exponent) {
  return Wide{1} << exponent;
}

Wide floor_divide(Wide a, Wide b) {
  const Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Wide shift(std::string_view direction, DType dtype, Wide a, Wide amount) {
  if (amount < 0) throw ReferenceError("EW-8");
  const bool all = amount >= 8 * element_size(dtype);
  if (direction == "logical")
    return all ? 0 : (a & (power_of_two(8 * element_size(dtype)) - 1)) >> static_cast<int>(amount);
  if (direction == "left") return all ? 0 : a * power_of_two(static_cast<int>(amount));
  return all ? (a < 0 ? -1 : 0) : floor_divide(a, power_of_two(static_cast<int>(amount)));
}

// 6.4, integer base and exponent: the real value, truncated, modulo 2^64 and so modulo any narrower type.
Wide integer_power(Wide base, Wide exponent) {
  if (exponent < 0) {
    if (base == 0) throw ReferenceError("EW-7");
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  const auto modulus_mask = static_cast<UnsignedWide>(std::numeric_limits<std::uint64_t>::max());
  UnsignedWide result = 1;
  UnsignedWide square = static_cast<UnsignedWide>(base) & modulus_mask;
  for (Wide left = exponent; left > 0; left /= 2) {
    if (left % 2 == 1) result = result * square & modulus_mask;
    square = square * square & modulus_mask;
  }
  return static_cast<Wide>(result);
}

Element power(const Element& a, const Element& b) {
  const bool integer_base = kIntegerTypes.contains(a.dtype);
  if (integer_base && kIntegerTypes.contains(b.dtype)) {
    return make_integer(a.dtype, integer_power(integer(a), integer(b)));
  }
  const double exponent = kIntegerTypes.contains(b.dtype) ? static_cast<double>(integer(b)) : real(b);
  if (!integer_base) return make_real(a.dtype, std::pow(real(a), exponent));
  const double exact = std::trunc(std::pow(static_cast<double>(integer(a)), exponent));
  const int bits = 8 * element_size(a.dtype) - (is_signed(a.dtype) ? 1 : 0);
  const double limit = std::ldexp(1.0, bits);
  const double least = is_signed(a.dtype) ? -limit : 0.0;
  if (!(exact >= least && exact < limit)) throw ReferenceError("EW-8");
  return make_integer(a.dtype, static_cast<Wide>(exact));
}

Element integers(std::string_view op, std::string_view variant, const Element& left, const Element& right) {
  const DType dtype = left.dtype;
  const Wide a = integer(left);
  const Wide b = integer(right);
  const auto wrapped = [&](Wide value) { return make_integer(dtype, value); };
  if (op == "add") return wrapped(a + b);
  if (op == "sub") return wrapped(a - b);
  // The product of two 64-bit values needs 128 bits without a sign; only its low bits are kept.
  if (op == "mul")
    return wrapped(static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b)));
  if (op == "squareddifference") {
    return wrapped(static_cast<Wide>(static_cast<UnsignedWide>(a - b) * static_cast<UnsignedWide>(a - b)));
  }
  if (op == "div" || op == "mod" || op == "floormod") {
    if (b == 0) throw ReferenceError("EW-7");
    const Wide quotient = variant == "floor" || op == "floormod" ? floor_divide(a, b) : a / b;
    return wrapped(op == "div" ? quotient : a - quotient * b);
  }
  if (op == "prelu") return a >= 0 ? left : combine("mul", "", left, right);
  if (op == "min") return a <= b ? left : right;
  if (op == "max") return a >= b ? left : right;
  if (op == "bitwiseand" || op == "and") return wrapped(a & b);
  if (op == "bitwiseor" || op == "or") return wrapped(a | b);
  if (op == "bitwisexor" || op == "xor") return wrapped(a ^ b);
  if (op == "bitshift") return wrapped(shift(variant, dtype, a, b));
  throw std::logic_error("no such operator on integers: " + std::string(op));
}

Element booleans(std::string_view op, const Element& left, const Element& right) {
  const bool a = integer(left) != 0;
  const bool b = integer(right) != 0;
  if (op == "and" || op == "bitwiseand" || op == "min" || op == "mul") return make_bool(a && b);
  if (op == "or" || op == "bitwiseor" || op == "max" || op == "add") return make_bool(a || b);
  if (op == "xor" || op == "bitwisexor" || op == "sub") return make_bool(a != b);
  throw std::logic_error("no such operator on bool: " + std::string(op));
}

// 6.5. fmod of two values of a type is a value of that type.
double floor_remainder(DType dtype, double x, double y, bool keeps_zero) {
  const double remainder = std::fmod(x, y);
  if (std::isnan(remainder) || (remainder == 0 && keeps_zero)) return remainder;
  if (remainder == 0) return std::copysign(0.0, y);
  return (remainder < 0) != (y < 0) ? in_compute_type(dtype, remainder + y) : remainder;
}

// The element with its NaN made quiet: the highest bit of the fraction set.
Element quiet(Element nan) {
  const BinaryFormat format = format_of(nan.dtype);
  const int bit = format.fraction - 1;
  char& byte = nan.bytes[static_cast<std::size_t>(bit / 8)];
  byte = static_cast<char>(static_cast<unsigned char>(byte) | 1U << (bit % 8));
  return nan;
}

// NaN wins, the first one with its payload; of two zeros -0 is the smaller one.
Element extreme(bool largest, const Element& left, const Element& right) {
  const double a = real(left);
  const double b = real(right);
  if (std::isnan(a)) return quiet(left);
  if (std::isnan(b)) return quiet(right);
  if (a == b) return std::signbit(a) == largest ? right : left;
  return (a < b) == largest ? right : left;
}

Element reals(std::string_view op, std::string_view variant, const Element& left, const Element& right) {
  const DType dtype = left.dtype;
  const double a = real(left);
  const double b = real(right);
  // A double has more than twice the digits of float32 plus two: rounding the double result of one operation
  // to float32 is what one float32 operation gives.
  const auto rounded = [&](double value) { return make_real(dtype, in_compute_type(dtype, value)); };
  if (op == "add") return rounded(a + b);
  if (op == "sub") return rounded(a - b);
  if (op == "mul") return rounded(a * b);
  if (op == "div") return rounded(a / b);
  if (op == "prelu") return a >= 0 ? left : rounded(a * b);
  if (op == "squareddifference") {
    const double difference = in_compute_type(dtype, a - b);
    return rounded(difference * difference);
  }
  if (op == "mod" && variant == "trunc") return rounded(std::fmod(a, b));
  if (op == "mod" || op == "floormod") return rounded(floor_remainder(dtype, a, b, variant == "keeps_zero"));
  if (op == "min" || op == "max") return extreme(op == "max", left, right);
  throw std::logic_error("no such operator on floats: " + std::string(op));
}

std::complex<double> multiply(DType dtype, std::complex<double> x, std::complex<double> y) {
  const auto part = [&](double value) { return in_compute_type(dtype, value); };
  return {part(part(x.real() * y.real()) - part(x.imag() * y.imag())),
          part(part(x.real() * y.imag()) + part(x.imag() * y.real()))};
}

// Smith's method: scale by the larger part of the divisor.
std::complex<double> divide(DType dtype, std::complex<double> x, std::complex<double> y) {
  const auto part = [&](double value) { return in_compute_type(dtype, value); };
  const double a = x.real();
  const double b = x.imag();
  const double c = y.real();
  const double d = y.imag();
  if (std::fabs(c) >= std::fabs(d)) {
    const double ratio = part(d / c);
    const double divisor = part(c + part(d * ratio));
    return {part(part(a + part(b * ratio)) / divisor), part(part(b - part(a * ratio)) / divisor)};
  }
  const double ratio = part(c / d);
  const double divisor = part(part(c * ratio) + d);
  return {part(part(part(a * ratio) + b) / divisor), part(part(part(b * ratio) - a) / divisor)};
}

Element complexes(std::string_view op, const Element& left, const Element& right) {
  const DType dtype = left.dtype;
  const std::complex<double> a = complex(left);
  const std::complex<double> b = complex(right);
  const auto part = [&](double value) { return in_compute_type(dtype, value); };
  const std::complex<double> difference(part(a.real() - b.real()), part(a.imag() - b.imag()));
  if (op == "add") return make_complex(dtype, {part(a.real() + b.real()), part(a.imag() + b.imag())});
  if (op == "sub") return make_complex(dtype, difference);
  if (op == "mul") return make_complex(dtype, multiply(dtype, a, b));
  if (op == "div") return make_complex(dtype, divide(dtype, a, b));
  if (op == "squareddifference") return make_complex(dtype, multiply(dtype, difference, difference));
  throw std::logic_error("no such operator on complex numbers: " + std::string(op));
}

// -1, 0, 1, or 2 where the two are unordered (a NaN among them, or complex numbers that are not equal).
int compare(const Element& a, const Element& b) {
  const auto sign = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2; };
  if (a.dtype == DType::string) return a.bytes == b.bytes ? 0 : 2;
  if (kComplexTypes.contains(a.dtype)) return complex(a) == complex(b) ? 0 : 2;
  if (kFloatTypes.contains(a.dtype)) return sign(real(a), real(b));
  return sign(integer(a), integer(b));
}

}  // namespace

Wide integer(const Element& element) {
  if (element.dtype == DType::boolean) return element.bytes[0] != 0 ? 1 : 0;
  Wide value = 0;
  for (std::size_t i = element.bytes.size(); i-- > 0;) {
    value = value * 256 + static_cast<unsigned char>(element.bytes[i]);
  }
  const Wide modulus = power_of_two(8 * element_size(element.dtype));
  return is_signed(element.dtype) && value >= modulus / 2 ? value - modulus : value;
}

double real(const Element& element) {
  return decode(format_of(element.dtype), element.bytes);
}

std::complex<double> complex(const Element& element) {
  const BinaryFormat format = format_of(element.dtype);
  const std::string_view bytes = element.bytes;
  const auto half = static_cast<std::size_t>(format.bytes);
  return {decode(format, bytes.substr(0, half)), decode(format, bytes.substr(half))};
}

Element make_integer(DType dtype, Wide value) {
  if (dtype == DType::boolean) return make_bool(value != 0);
  const auto low_bits = static_cast<std::uint64_t>(static_cast<UnsignedWide>(value));
  return {dtype, bytes_of(low_bits, element_size(dtype))};
}

Element make_real(DType dtype, double value) {
  return {dtype, encode(format_of(dtype), value)};
}

Element make_complex(DType dtype, std::complex<double> value) {
  const BinaryFormat format = format_of(dtype);
  return {dtype, encode(format, value.real()) + encode(format, value.imag())};
}

Element make_bool(bool value) {
  return {DType::boolean, std::string(1, value ? '\1' : '\0')};
}

Element make_zero(DType dtype) {
  if (dtype == DType::string) return {dtype, ""};
  return {dtype, std::string(static_cast<std::size_t>(element_size(dtype)), '\0')};
}

bool is_nan(const Element& element) {
  if (kFloatTypes.contains(element.dtype)) return std::isnan(real(element));
  if (!kComplexTypes.contains(element.dtype)) return false;
  return std::isnan(complex(element).real()) || std::isnan(complex(element).imag());
}

double in_compute_type(DType dtype, double value) {
  const bool wide = dtype == DType::float64 || dtype == DType::complex128;
  return wide ? value : real(make_real(DType::float32, value));
}

Element combine(std::string_view op, std::string_view variant, const Element& a, const Element& b) {
  if (op == "join") return {a.dtype, a.bytes + b.bytes};  // of origins()
  if (op == "pow") return power(a, b);
  if (op == "equal") return make_bool(compare(a, b) == 0);
  if (op == "notequal") return make_bool(compare(a, b) != 0);
  if (op == "less") return make_bool(compare(a, b) == -1);
  if (op == "lessorequal") return make_bool(compare(a, b) == -1 || compare(a, b) == 0);
  if (op == "greater") return make_bool(compare(a, b) == 1);
  if (op == "greaterorequal") return make_bool(compare(a, b) == 1 || compare(a, b) == 0);
  if (a.dtype == DType::boolean) return booleans(op, a, b);
  if (kIntegerTypes.contains(a.dtype)) return integers(op, variant, a, b);
  if (kFloatTypes.contains(a.dtype)) return reals(op, variant, a, b);
  return complexes(op, a, b);
}

}  // namespace tensorop::reference
