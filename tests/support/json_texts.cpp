#include "support/json_texts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "tensor/dtype.hpp"
#include "tensor/half.hpp"
#include "tensor/shape.hpp"

namespace tensorop {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string digits(Random& random, std::int64_t count) {
  std::string out;
  for (std::int64_t i = 0; i < count; ++i) out += static_cast<char>('0' + random.between(0, 9));
  return out;
}

std::string printed(long double value, int precision, bool exponent) {
  std::array<char, 1200> out{};
  if (exponent) {
    std::snprintf(out.data(), out.size(), "%.*Le", precision, value);
  } else {
    std::snprintf(out.data(), out.size(), "%.*Lf", precision, value);
  }
  return out.data();
}

// What a text has, and how often it is not quite right.
struct TextPlan {
  DType dtype = DType::int64;
  bool named = false;       // with its dtype
  bool not_finite = false;  // among the numbers
  bool fractions = false;   // numbers of an untyped text
  bool extreme = false;     // numbers beyond their dtype
  int wrong = 0;            // elements of another kind, in a thousand
  int ragged = 0;           // lists with another length, in a thousand
};

std::string integer(Random& random, const TextPlan& plan) {
  static const std::vector<std::string> kBounds = words(
      "-0 0 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 2147483648 "
      "-2147483648 -2147483649 4294967295 4294967296 9007199254740993 9223372036854775807 "
      "9223372036854775808 -9223372036854775808 -9223372036854775809 18446744073709551615 "
      "18446744073709551616");
  if (!plan.extreme || random.chance(80)) return cat(random.between(-100, 127));
  if (random.chance(30)) return random.pick(kBounds);
  if (random.chance(5)) return "9" + digits(random, random.between(15, 400));
  return cat(static_cast<std::int64_t>(random.bits()) >> random.between(0, 62));
}

// An integer that the dtype has, unless the plan wants others.
std::string integer_of(Random& random, const TextPlan& plan) {
  if (plan.extreme && random.chance(5)) return integer(random, plan);
  const bool is_signed = info(plan.dtype).kind == DTypeKind::signed_integer;
  if (random.chance(60)) return cat(random.between(is_signed ? -100 : 0, 100));
  const std::uint64_t bits = random.bits() >> (64 - 8 * element_size(plan.dtype));
  return is_signed ? cat(static_cast<std::int64_t>(bits >> 1) * (random.chance(50) ? -1 : 1)) : cat(bits);
}

// A value of the dtype, or one halfway between two of them, of any magnitude.
long double value_near(Random& random, const TextPlan& plan) {
  // Without the upper bit of the exponent it is less than 2 in every dtype.
  const std::uint64_t bits = random.bits() & (plan.extreme ? ~std::uint64_t{0} : ~(std::uint64_t{1} << 62));
  const auto between = [&](long double a, long double b) {
    return std::isfinite(a) && std::isfinite(b) && random.chance(60) ? a + (b - a) / 2 : a;
  };
  const auto half = static_cast<std::uint16_t>(bits << 1 >> 49);
  const auto next = static_cast<std::uint16_t>(half + 1);
  switch (plan.dtype) {
    case DType::float16:
      return between(to_float(Float16{half}), to_float(Float16{next}));
    case DType::bfloat16:
      return between(to_float(BFloat16{half}), to_float(BFloat16{next}));
    case DType::float32:
    case DType::complex64: {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits << 1 >> 33));
      return between(value, std::nextafter(value, HUGE_VALF));
    }
    case DType::float8_e4m3fn:
    case DType::float8_e4m3fnuz:
    case DType::float8_e5m2:
    case DType::float8_e5m2fnuz:
    case DType::float8_e8m0fnu:
    case DType::float4_e2m1fn:
      return dispatch(plan.dtype, [&]<class T>(TypeTag<T>) -> long double {
        if constexpr (SmallFloat<T>) {
          const auto below = static_cast<std::uint8_t>(random.between(0, T::kLayout.largest - 1));
          const float value = to_float(T{below});
          // Of powers of two float32 decides.
          if (!T::kLayout.has_zero) return between(value, std::nextafter(value, HUGE_VALF));
          return between(value, to_float(T{static_cast<std::uint8_t>(below + 1)}));
        }
        return 0;
      });
    default: {
      // Half of them of magnitudes whose exact digits are few.
      constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
      const auto exponent = static_cast<std::uint64_t>(random.between(1000, 1050)) << 52;
      const auto value =
          std::bit_cast<double>(random.chance(50) ? bits << 1 >> 1 : exponent | (bits & kFraction));
      return between(value, std::nextafter(value, HUGE_VAL));
    }
  }
}

// The same number with its point `places` further to the right, which an exponent makes up for: with many
// zeros.
std::string shifted(Random& random, const std::string& text, std::int64_t places) {
  const std::size_t e = std::min(text.find('e'), text.size());
  const std::size_t point = text.find('.');
  const std::int64_t exponent = e == text.size() ? 0 : std::stoll(text.substr(e + 1));
  std::string before = text.substr(0, point);
  std::string after = text.substr(point + 1, e - point - 1);
  const auto zeros = [](std::int64_t count) {
    return std::string(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), '0');
  };
  after += zeros(places - std::ssize(after) + 1);
  before.insert(0, zeros(1 - places - std::ssize(before)));
  const std::string all = before + after;
  const auto at = static_cast<std::size_t>(std::ssize(before) + places);
  const std::size_t first = std::min(all.find_first_not_of('0'), at - 1);
  const std::int64_t made_up = exponent - places;
  return cat(all.substr(first, at - first), '.', all.substr(at), random.chance(50) ? "e" : "E",
             made_up < 0         ? "-"
             : random.chance(50) ? "+"
                                 : "",
             random.chance(50) ? "000" : "", std::abs(made_up));
}

// Digits that lie at, just below or just above a value or the middle of two.
std::string boundary(Random& random, const TextPlan& plan) {
  const long double value = value_near(random, plan);
  if (!std::isfinite(value)) return "0.5";
  const int precision = static_cast<int>(random.chance(50) ? random.between(0, 20) : random.between(20, 800));
  const bool exponent = random.chance(80) || value > 1e30;
  std::string text = printed(value, precision, exponent);
  const std::size_t e = std::min(text.find('e'), text.size());
  if (text.find('.') < e) {
    // One more digit after all of the others moves the number off a boundary, whatever the exact digits are.
    if (random.chance(30)) text.insert(e, "1");
    if (random.chance(30)) text[e - 1] = static_cast<char>('0' + random.between(0, 9));
    if (random.chance(10))
      text = shifted(random, text, random.pick<std::int64_t>({-400, -30, -1, 1, 30, 400}));
  }
  return text;
}

std::string number(Random& random, const TextPlan& plan) {
  if (random.chance(30)) return integer(random, plan);
  std::string text = random.chance(30) ? "-" : "";
  if (random.chance(30)) return text + boundary(random, plan);
  text += random.chance(40) ? "0" : cat(random.between(1, 999));
  if (random.chance(80)) text += cat('.', digits(random, random.between(1, 12)));
  if (random.chance(30)) {
    text += random.chance(50) ? "e" : "E";
    if (!plan.extreme || random.chance(50)) {
      text += cat("-", random.between(0, 9));
    } else {
      text += random.chance(50) ? "+" : "";
      text += random.chance(10) ? digits(random, random.between(1, 25)) : cat(random.between(0, 4));
    }
  }
  return text;
}

std::string characters(Random& random) {
  static const std::vector<std::string> kPieces = words(
      R"(a xyz \" \\ \/ \b\f\n\r\t \u0041 \u00e9 \u0000 \uFFFF \ud83d\ude00 \uDBFF\uDFFF é 日 😀 , [ ] } :)"
      R"( {\"data\": 1,2],[3 NaN ' // e5 null)");
  std::string out;
  for (std::int64_t i = random.between(0, 4); i > 0; --i) {
    out += random.pick(kPieces);
    if (random.chance(10)) out += ' ';
  }
  if (random.chance(2)) out += std::string(static_cast<std::size_t>(random.between(10, 300)), 'z');
  return out;
}

std::string not_finite(Random& random) {
  static const std::vector<std::string> kWords = words(R"("NaN" "Infinity" "-Infinity" "\u004eaN")");
  return random.pick(kWords);
}

// Puts white space between the tokens of what it writes, or none.
class Writer {
 public:
  explicit Writer(Random& random) : random_(random), spaced_(random.chance(40)) {}

  Writer& operator<<(std::string_view token) {
    static const std::vector<std::string> kSpaces = {" ", "\t", "\n", "\r", "\r\n  ", "        "};
    if (spaced_ && random_.chance(30)) text_ += random_.pick(kSpaces);
    text_ += token;
    return *this;
  }
  std::string take() {
    *this << "";
    return std::move(text_);
  }

 private:
  Random& random_;
  bool spaced_;
  std::string text_;
};

std::string scalar(Random& random, const TextPlan& plan) {
  switch (info(plan.dtype).kind) {
    case DTypeKind::boolean:
      return random.chance(50) ? "true" : "false";
    case DTypeKind::string:
      return random.chance(2) ? not_finite(random) : cat('"', characters(random), '"');
    case DTypeKind::signed_integer:
    case DTypeKind::unsigned_integer:
      if (plan.named || !plan.fractions || random.chance(90)) return integer_of(random, plan);
      return number(random, plan);
    case DTypeKind::floating:
    case DTypeKind::complex:
      if (plan.not_finite && random.chance(20)) return not_finite(random);
      return number(random, plan);
    case DTypeKind::small_floating:
      if (plan.not_finite && random.chance(20)) return not_finite(random);
      if (random.chance(5)) return number(random, plan);
      return cat(plan.dtype != DType::float8_e8m0fnu && random.chance(30) ? "-" : "", boundary(random, plan));
    case DTypeKind::small_integer:
      if (random.chance(5)) return number(random, plan);
      return cat(plan.dtype == DType::int4 ? random.between(-8, 7) : random.between(0, 15));
  }
  return "";
}

void write_element(Writer& out, Random& random, const TextPlan& plan) {
  static const std::vector<std::string> kOthers = words(R"(null true 1 0.5 "x" {} [] [1] {"data":1})");
  if (random.between(0, 999) < plan.wrong) {
    out << random.pick(kOthers);
  } else if (info(plan.dtype).kind == DTypeKind::complex) {
    out << "[" << scalar(random, plan) << "," << scalar(random, plan) << "]";
  } else {
    out << scalar(random, plan);
  }
}

void write_list(Writer& out, Random& random, const TextPlan& plan, const Shape& shape,
                std::size_t depth = 0) {
  if (depth == shape.size()) return write_element(out, random, plan);
  std::int64_t length = shape[depth];
  if (random.between(0, 999) < plan.ragged) length += random.chance(50) && length > 0 ? -1 : 1;
  out << "[";
  for (std::int64_t i = 0; i < length; ++i) {
    if (i > 0) out << ",";
    write_list(out, random, plan, shape, depth + 1);
  }
  out << "]";
}

Shape random_shape(Random& random) {
  // About as deep as lists may be.
  if (random.chance(1)) return Shape(static_cast<std::size_t>(random.between(60, 67)), 1);
  Shape shape(static_cast<std::size_t>(random.between(0, 4)));
  std::int64_t most = 60;
  for (std::int64_t& dimension : shape) {
    dimension =
        random.chance(5) ? 0 : random.between(1, std::max<std::int64_t>(1, std::min<std::int64_t>(most, 8)));
    most /= std::max<std::int64_t>(1, dimension);
  }
  if (shape.size() == 1 && random.chance(20)) shape[0] = random.between(0, 200);
  return shape;
}

std::string key(Random& random, std::string_view name) {
  static const std::vector<std::string> kOthers = {"dtyp", "Data", "", "order", "data", "shape", "dtype"};
  if (random.chance(1)) return cat('"', random.pick(kOthers), '"');
  if (random.chance(2)) return cat("\"\\u00", name[0] == 'd' ? "64" : "73", name.substr(1), '"');
  return cat('"', name, '"');
}

void write_dtype(Writer& out, Random& random, DType dtype) {
  static const std::vector<std::string> kOthers = words(R"("float" "Int8" 3 null ["int8"] "")");
  if (random.chance(1)) {
    out << random.pick(kOthers);
  } else {
    out << cat('"', name(dtype), '"');
  }
}

void write_shape(Writer& out, Random& random, const Shape& shape) {
  static const std::vector<std::string> kOthers =
      words(R"(-1 -0 1.0 1e0 null [1] 9223372036854775807 9223372036854775808 "1" 0 1)");
  out << "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out << ",";
    out << (random.chance(1) ? random.pick(kOthers) : cat(shape[i]));
  }
  out << "]";
}

// A self-describing tensor.
void write_object(Writer& out, Random& random, const TextPlan& plan, const Shape& shape) {
  std::vector<std::string_view> keys = {"data"};
  if (plan.named) keys.insert(keys.begin() + random.between(0, 1), "dtype");
  const bool stated = random.chance(60);
  if (stated) keys.insert(keys.begin() + random.between(0, static_cast<std::int64_t>(keys.size())), "shape");
  if (random.chance(1)) keys.push_back(random.pick(keys));
  if (random.chance(1)) keys.erase(keys.begin());
  Shape lists = shape;
  if (stated && random.chance(50)) lists = {element_count(shape).value_or(0)};
  out << "{";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0) out << ",";
    out << key(random, keys[i]) << ":";
    if (keys[i] == "dtype") {
      write_dtype(out, random, plan.dtype);
    } else if (keys[i] == "shape") {
      write_shape(out, random, shape);
    } else {
      write_list(out, random, plan, lists);
    }
  }
  out << "}";
}

TextPlan random_plan(Random& random) {
  TextPlan plan;
  plan.dtype = static_cast<DType>(random.between(0, kDTypeCount - 1));
  plan.not_finite = random.chance(40);
  plan.fractions = random.chance(40);
  plan.extreme = random.chance(40);
  plan.wrong = random.chance(10) ? 30 : 0;
  plan.ragged = random.chance(10) ? 50 : 0;
  return plan;
}

}  // namespace

std::string random_json_tensor(Random& random) {
  TextPlan plan = random_plan(random);
  const Shape shape = random_shape(random);
  Writer out(random);
  if (random.chance(2)) out << "\xEF\xBB\xBF";
  if (random.chance(40)) {
    plan.named = random.chance(75);
    write_object(out, random, plan, shape);
  } else {
    write_list(out, random, plan, shape);
  }
  if (random.chance(1)) out << (random.chance(50) ? "," : "1");
  return out.take();
}

std::string mutated_json(Random& random, std::string text) {
  static const std::vector<std::string> kPieces = words(
      R"([ ] { } , : " \ - + . 0 1 9 e E u t f n true null NaN "NaN" [] [[ ]] ],[ \u \ud800 1e309 e-5)");
  static const std::string kBytes("\0\x01\x1f\x7f\x80\xc3\xed\xef\xf4\xff \n\t\r\f", 15);
  const auto piece = [&] {
    if (random.chance(70)) return random.pick(kPieces);
    return std::string(1, kBytes[static_cast<std::size_t>(random.between(0, 14))]);
  };
  for (std::int64_t changes = random.between(1, 4); changes > 0; --changes) {
    const auto size = static_cast<std::int64_t>(text.size());
    const auto at = static_cast<std::size_t>(random.between(0, size));
    const std::size_t left = text.size() - at;
    const std::size_t some =
        std::min(left, static_cast<std::size_t>(random.between(1, random.chance(80) ? 2 : 30)));
    const auto other = static_cast<std::size_t>(random.between(0, size));
    switch (random.between(0, 6)) {
      case 0:
        text.erase(at, some);
        break;
      case 1:
      case 2:
        text.insert(at, piece());
        break;
      case 3:
        text.replace(at, some, piece());
        break;
      case 4:
        if (left > 0 && other < text.size()) std::swap(text[at], text[other]);
        break;
      case 5:
        if (random.chance(30)) text.resize(at);
        break;
      default:
        text.insert(other, text.substr(at, some));
    }
  }
  return text;
}

std::string large_json_tensor(Random& random, std::size_t bytes) {
  TextPlan plan = random_plan(random);
  plan.wrong = plan.ragged = 0;
  plan.extreme = false;
  // Among so many numbers some do not fit in a small dtype.
  if (types_of({DTypeKind::small_floating, DTypeKind::small_integer}).contains(plan.dtype))
    plan.dtype = DType::float32;
  plan.named = random.chance(60);
  if (!plan.named && plan.dtype == DType::uint64) plan.dtype = DType::int64;
  // Rows until there are enough; then the shape is known.
  const std::int64_t columns = random.between(1, 50);
  std::string rows;
  std::int64_t count = 0;
  while (rows.size() < bytes) {
    Writer row(random);
    write_list(row, random, plan, {columns});
    rows += cat(count == 0 ? "" : ",", row.take());
    ++count;
  }
  if (!plan.named) return cat('[', rows, ']');
  const std::string head = cat(R"("dtype":")", name(plan.dtype), R"(","shape":[)", count, ',', columns, ']');
  const std::string data = cat(R"("data":[)", rows, ']');
  return random.chance(50) ? cat('{', head, ',', data, '}') : cat('{', data, ',', head, '}');
}

}  // namespace tensorop
