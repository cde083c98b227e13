#include "support/json_texts.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "tensor/dtype.hpp"
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

// The parts of a text, and how often one of them is slightly wrong.
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

std::string number(Random& random, const TextPlan& plan) {
  if (random.chance(30)) return integer(random, plan);
  std::string text = random.chance(30) ? "-" : "";
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
  std::string take_text() {
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
      return cat(plan.dtype != DType::float8_e8m0fnu && random.chance(30) ? "-" : "", random.between(0, 5),
                 '.', digits(random, random.between(1, 30)));
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
  return out.take_text();
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
  // Some of these numbers do not fit in a small dtype.
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
    rows += cat(count == 0 ? "" : ",", row.take_text());
    ++count;
  }
  if (!plan.named) return cat('[', rows, ']');
  const std::string head = cat(R"("dtype":")", name(plan.dtype), R"(","shape":[)", count, ',', columns, ']');
  const std::string data = cat(R"("data":[)", rows, ']');
  return random.chance(50) ? cat('{', head, ',', data, '}') : cat('{', data, ',', head, '}');
}

}  // namespace tensorop
