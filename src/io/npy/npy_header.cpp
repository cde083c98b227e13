// The header of an NPY file: a Python literal of three known keys, parsed by hand and never evaluated.
#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/little_endian.hpp"
#include "io/npy/npy.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kMagicAndVersion = 8;
// A header with 64 dimensions of 19 digits is below 2 KiB; NumPy pads by at most 64 bytes. A longer header
// does not describe an array, although version 2.0 allows it.
constexpr std::int64_t kLongestHeader = 1 << 16;

[[noreturn]] void malformed(const std::string& what) {
  throw Error(cat("malformed NPY header: ", what));
}

// Parses the literal from front to back.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  // Python's white space between tokens.
  void skip_space() { position_ = std::min(text_.find_first_not_of(" \t\n\r\f", position_), text_.size()); }
  [[nodiscard]] bool at_end() {
    skip_space();
    return position_ == text_.size();
  }
  [[nodiscard]] bool take_char(char c) {
    skip_space();
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  void expect(char c, std::string_view where) {
    if (!take_char(c)) malformed(cat("expected '", c, "' ", where, " at byte ", position_));
  }
  [[nodiscard]] char peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  std::string_view string(std::string_view what) {
    // Accepts u'<f8', as written by Python 2.
    if (peek() == 'u') ++position_;
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed(cat("expected a string for ", what, " at byte ", position_));
    const std::size_t begin = ++position_;
    while (position_ < text_.size() && text_[position_] != quote) {
      if (text_[position_] == '\\') malformed(cat("escape sequence at byte ", position_));
      ++position_;
    }
    if (position_ == text_.size()) malformed(cat("unterminated string for ", what));
    return text_.substr(begin, position_++ - begin);
  }

  bool boolean(std::string_view what) {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(position_).starts_with(word)) {
        position_ += word.size();
        return value;
      }
    }
    malformed(cat("expected True or False for ", what, " at byte ", position_));
  }

  // Reads from an opening bracket to its closing bracket.
  std::string_view brackets() {
    skip_space();
    const std::size_t begin = position_;
    int depth = 0;
    for (char quote = '\0'; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '(' || c == '[') {
        ++depth;
      } else if ((c == ')' || c == ']') && --depth == 0) {
        return text_.substr(begin, ++position_ - begin);
      }
    }
    malformed("unterminated dtype");
  }

  std::int64_t dimension() {
    skip_space();
    const std::size_t begin = position_;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') ++position_;
    const std::string_view digits = text_.substr(begin, position_ - begin);
    if (digits.empty()) malformed(cat("expected a dimension at byte ", begin));
    // Python refuses 02, formerly octal, but accepts 00.
    if (digits[0] == '0' && digits.find_first_not_of('0') != std::string_view::npos)
      malformed(cat("dimension ", printable(digits), " begins with 0"));
    const auto value = parse_int64(digits);
    if (!value) malformed(cat("dimension ", printable(digits), " is too large"));
    // Accepts 3L, a long integer of Python 2.
    if (position_ < text_.size() && text_[position_] == 'L') ++position_;
    return *value;
  }

  Shape tuple() {
    expect('(', "before the shape");
    Shape shape;
    while (!take_char(')')) {
      if (shape.size() == kMaxRank) malformed(cat("more than ", kMaxRank, " dimensions"));
      shape.push_back(dimension());
      if (take_char(',')) continue;
      if (shape.size() == 1) malformed("a shape of one dimension is written (n,)");
      expect(')', "after the shape");
      break;
    }
    return shape;
  }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

struct Element {
  DType dtype;
  StoredEncoding encoding;
  std::int64_t bytes;
  std::string descr;  // as in ArrayEntry::stored
  bool names_dtype = true;
  // For an unsupported dtype: the message, and a Python command that converts the array.
  std::string refused = {};
  std::string hint = {};
};

// A Python command that saves `expression`, where `a` is the array in the file.
std::string numpy_hint(std::string_view expression) {
  return cat("python3 -c 'import numpy; a = numpy.load(\"FILE\"); numpy.save(\"x.npy\", ", expression,
             ")' writes a plain array to x.npy");
}

// Shortens text of the file for messages.
std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 80;
  return printable(text.substr(0, kMost)) + (text.size() > kMost ? "..." : "");
}

// A fixed-width string dtype: the number of code points or bytes.
Element string_element(std::string_view descr, char order) {
  const bool wide = descr[1] == 'U';
  const auto width = is_digits(descr.substr(2)) ? parse_int64(descr.substr(2)) : std::nullopt;
  if (!width) malformed(cat("descr ", in_quotes(descr), " has no width"));
  const auto bytes = checked_mul(*width, wide ? 4 : 1);
  if (!bytes) malformed(cat("descr ", in_quotes(descr), " is too wide"));
  if (!wide) return {DType::string, StoredEncoding::bytes, *bytes, cat("|S", *width)};
  if (order == '>') return {DType::string, StoredEncoding::utf32_swapped, *bytes, cat(">U", *width)};
  return {DType::string, StoredEncoding::utf32, *bytes, cat("<U", *width)};
}

Element refused(std::string what, std::string hint = {}) {
  Element element{};
  element.refused = std::move(what);
  element.hint = std::move(hint);
  return element;
}

Element refused_descr(std::string_view descr) {
  const char kind = descr.size() > 1 ? descr[1] : '\0';
  const std::string shown = cat("dtype ", in_quotes(descr));
  if (descr.ends_with('O'))
    throw Error(shown + " (pickled Python objects) is not supported: nothing in a file is ever executed");
  for (const std::string_view extended : {"f12", "f16", "c24", "c32"}) {
    if (descr.ends_with(extended))
      return refused(shown + " (extended precision) is not supported",
                     numpy_hint(kind == 'c' ? "a.astype(\"complex128\")" : "a.astype(\"float64\")"));
  }
  if (kind == 'M' || kind == 'm')
    return refused(shown + " (datetime or timedelta) is not supported", numpy_hint("a.view(\"int64\")"));
  if (kind == 'V') return refused(shown + " (raw bytes) is not supported; '<V2' is bfloat16");
  return refused(shown + " is not supported");
}

// The dtype that numpy.dtype accepts as `descr` without a byte order, or that has this name in ml_dtypes.
// NumPy never writes such codes; codes whose size depends on the system are not accepted.
std::optional<DType> dtype_without_order(std::string_view descr) {
  struct Code {
    char character;
    DType dtype;
  };
  constexpr Code kCodes[] = {
      {'?', DType::boolean},   {'b', DType::int8},       {'h', DType::int16},   {'i', DType::int32},
      {'q', DType::int64},     {'B', DType::uint8},      {'H', DType::uint16},  {'I', DType::uint32},
      {'Q', DType::uint64},    {'e', DType::float16},    {'f', DType::float32}, {'d', DType::float64},
      {'F', DType::complex64}, {'D', DType::complex128},
  };
  const auto* const code =
      std::ranges::find(kCodes, descr, [](const Code& row) { return std::string_view(&row.character, 1); });
  if (code != std::end(kCodes)) return code->dtype;
  const auto* const row = std::ranges::find_if(
      kDTypes, [&](const DTypeInfo& dtype) { return dtype.name == descr || npy_code(dtype) == descr; });
  if (row == kDTypes.end() || row->dtype == DType::string) return std::nullopt;
  return row->dtype;
}

Element parse_descr(std::string_view descr) {
  if (const auto dtype = dtype_without_order(descr))
    return {*dtype, StoredEncoding::native, element_size(*dtype), std::string(descr)};
  if (descr.size() >= 3) {
    const char order = descr[0];
    const bool ordered = order == '<' || order == '>' || order == '|' || order == '=';
    if (ordered && descr.substr(1) == "f1")
      return {DType::float8_e5m2, StoredEncoding::native, 1, std::string(descr)};
    if (ordered && descr.substr(1) == "V1")
      return {DType::uint8, StoredEncoding::native, 1, std::string(descr), false};
    if (ordered && (descr[1] == 'U' || descr[1] == 'S')) return string_element(descr, order);
    for (int i = 0; ordered && i < kDTypeCount; ++i) {
      const DTypeInfo& row = info(static_cast<DType>(i));
      if (row.npy.empty() || row.npy.substr(1) != descr.substr(1)) continue;
      // Numbers of two or more bytes need a byte order; '|' means that there is none.
      if (order == '|' && row.size > 1 && row.dtype != DType::bfloat16) break;
      if (order == '>' && row.size > 1)
        return {row.dtype, StoredEncoding::swapped, row.size, cat('>', row.npy.substr(1))};
      return {row.dtype, StoredEncoding::native, row.size, std::string(row.npy)};
    }
  }
  return refused_descr(descr);
}

Element parse_element(Cursor& cursor) {
  const char first = cursor.peek();
  if (first == '[')
    return refused(
        cat("structured dtypes are not supported: ", shortened(cursor.brackets())),
        "python3 -c 'import numpy; a = numpy.load(\"FILE\"); numpy.savez(\"x.npz\", **{n: a[n] for n in "
        "a.dtype.names})' writes each field as an array to x.npz");
  if (first == '(')
    return refused(cat("subarray dtypes are not supported: ", shortened(cursor.brackets())), numpy_hint("a"));
  return parse_descr(cursor.string("descr"));
}

// Offset and length of the literal.
struct Frame {
  std::size_t begin;
  std::int64_t length;
};

Frame parse_frame(std::span<const std::byte> file) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(file[i]); };
  if (!begins_as_npy(bytes_text(file))) throw Error("is not an NPY file");
  if (file.size() < kMagicAndVersion) malformed("the file ends within the magic string");
  const std::uint32_t major = byte(6);
  const std::uint32_t minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    throw Error(cat("NPY version ", major, ".", minor, " is not supported (1.0, 2.0 and 3.0 are)"));
  const std::size_t count_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = kMagicAndVersion + count_bytes;
  if (file.size() < begin) malformed("the file ends within the header's length");
  const auto length = static_cast<std::int64_t>(little_endian(file.subspan(kMagicAndVersion, count_bytes)));
  if (length > kLongestHeader) malformed(cat("it claims ", length, " bytes (at most ", kLongestHeader, ")"));
  if (to_int64(file.size() - begin) < length)
    malformed(cat("it claims ", length, " bytes, the file holds ", file.size() - begin));
  return {begin, length};
}

}  // namespace

ArrayEntry parse_npy_header(std::span<const std::byte> file) {
  const Frame frame = parse_frame(file);
  const std::string_view text = bytes_text(file).substr(frame.begin, to_size(frame.length));
  Cursor cursor(text);
  std::optional<Element> element;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
  const auto once = [](const auto& value, std::string_view key) {
    if (value) malformed(cat("the key '", key, "' appears twice"));
  };
  cursor.expect('{', "before the keys");
  while (!cursor.take_char('}')) {
    const std::string_view key = cursor.string("a key");
    cursor.expect(':', "after a key");
    if (key == "descr") {
      once(element, key);
      element = parse_element(cursor);
    } else if (key == "fortran_order") {
      once(fortran_order, key);
      fortran_order = cursor.boolean(key);
    } else if (key == "shape") {
      once(shape, key);
      shape = cursor.tuple();
    } else {
      malformed(cat("unknown key ", in_quotes(key)));
    }
    if (cursor.take_char(',')) continue;
    cursor.expect('}', "after the keys");
    break;
  }
  if (!cursor.at_end()) malformed("text after the closing '}'");
  if (!element) malformed("the key 'descr' is missing");
  if (!fortran_order) malformed("the key 'fortran_order' is missing");
  if (!shape) malformed("the key 'shape' is missing");
  if (!element->refused.empty())
    throw Error(cat(element->refused, element->hint.empty() ? "" : cat(", shape ", to_string(*shape))), "",
                element->hint);
  // Strings of width 0 take no bytes in the file but some in memory.
  constexpr std::int64_t kMostEmpty = 1'000'000;
  if (element->bytes == 0 && element_count(*shape).value_or(kMostEmpty + 1) > kMostEmpty)
    throw Error(cat("more than ", kMostEmpty, " strings of width 0"));
  // Checks the size as stored and, for strings, the size in memory.
  require_fits(*shape, element->bytes);
  require_fits(*shape, element_size(element->dtype));
  const std::int64_t bytes = count(*shape) * element->bytes;
  return {.names_dtype = element->names_dtype,
          .dtype = element->dtype,
          .shape = std::move(*shape),
          .stored = element->descr,
          .encoding = element->encoding,
          .item_bytes = element->bytes,
          .fortran_order = *fortran_order,
          .bytes = bytes,
          .offset = to_int64(frame.begin) + frame.length};
}

std::string npy_header(DType dtype, const Shape& shape, std::int64_t characters) {
  std::string tuple = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) tuple += cat(i == 0 ? "" : ", ", shape[i]);
  tuple += shape.size() == 1 ? ",)" : ")";
  const std::string descr = dtype == DType::string ? cat("<U", characters) : std::string(info(dtype).npy);
  std::string text = cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", tuple, ", }");
  // NumPy reserves room for the first dimension to grow to 21 digits in place.
  constexpr std::size_t kGrowthDigits = 21;
  if (!shape.empty()) text.append(kGrowthDigits - cat(shape[0]).size(), ' ');

  // 64 dimensions stay far below the limit of 65535 bytes of version 1.0.
  constexpr std::size_t kAlign = 64;
  constexpr std::size_t kFrame = kMagicAndVersion + 2;
  // NumPy pads a header that is already aligned by 64 more bytes.
  text.append(kAlign - (kFrame + text.size() + 1) % kAlign, ' ');
  text += '\n';
  std::string out = cat(kNpyMagic, '\1', '\0');
  append_little_endian(out, text.size(), 2);
  return out + text;
}

}  // namespace tensorop
