#include "io/operand.hpp"

#include <algorithm>
#include <climits>
#include <limits>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "base/text/text.hpp"
#include "io/array/stored_array.hpp"
#include "io/json/json_cursor.hpp"

namespace tensorop {
namespace {

// 2024-05-01 and 010 are file names.
bool is_json_number(std::string_view text) {
  const auto [length, missing] = json_number(text);
  return missing.empty() && length == text.size();
}

// Whether the text is JSON, whatever files exist. Its first and last characters decide: a list, an object or
// a string; or the whole text: a number, true or false. The contents may be malformed.
bool is_inline_json(std::string_view text) {
  const std::string_view value = trimmed(text);
  const auto is_within = [&](char first, char last) {
    return value.size() > 1 && value.front() == first && value.back() == last;
  };
  return is_within('[', ']') || is_within('{', '}') || is_within('"', '"') || value == "true" ||
         value == "false" || is_json_number(value);
}

// Whether a text that is no file name is probably meant as JSON: by its first character, or as a number that
// may be malformed. 2024.npy is a file: the whole text must be a number.
bool looks_like_json(std::string_view text) {
  const std::string_view value = trimmed(text);
  if (value.empty()) return false;
  if (value[0] == '[' || value[0] == '{' || value[0] == '"') return true;
  const bool is_number = value[0] == '-' || (value[0] >= '0' && value[0] <= '9');
  return is_number && value.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

std::string_view without_blanks(std::string_view dim) {
  dim = after_any(dim, " ");
  return dim.substr(0, dim.find_last_not_of(' ') + 1);
}

// Reads the dimensions of a header; `may_be_open`: one of them may be "?". Throws Error.
void read_dimensions(std::string_view dims, bool may_be_open, RawHeader& out) {
  while (!dims.empty()) {
    const std::size_t comma = dims.find(',');
    const std::string_view dim = without_blanks(dims.substr(0, comma));
    const bool is_open = may_be_open && dim == "?";
    const auto size = is_open ? 0 : parse_int64(dim);
    if (!size || *size < 0) throw Error("dimensions must be non-negative integers");
    if (is_open && out.open) throw Error("only one dimension can be \"?\"");
    if (out.shape.size() == kMaxRank) throw Error(cat("more than ", kMaxRank, " dimensions"));
    if (is_open) out.open = out.shape.size();
    out.shape.push_back(*size);
    if (comma == std::string_view::npos) break;
    dims.remove_prefix(comma + 1);
    if (without_blanks(dims).empty()) throw Error("a dimension is missing after the last comma");
  }
  if (may_be_open && out.dtype == DType::string) throw Error("raw binary has no strings");
  require_fits(out.shape, element_size(out.dtype));
}

// DTYPE[DIM,...]@FILE or DTYPE[DIM,...]: the header, and the length of the text in front of FILE, which is 0
// in the second form. Nothing for other texts.
struct HeaderText {
  RawHeader header;
  std::size_t file;
};
std::optional<HeaderText> parse_header(const std::string& text) {
  const std::size_t begin = text.find('[');
  if (begin == std::string::npos) return std::nullopt;
  const auto dtype = parse_dtype(std::string_view(text).substr(0, begin));
  if (!dtype) return std::nullopt;
  const std::size_t at = text.find("]@", begin);
  const bool has_file = at < text.size() - 2;
  const std::size_t end = has_file ? at : text.size() - 1;
  if (text[end] != ']') return std::nullopt;
  HeaderText out{{*dtype, {}, {}}, has_file ? at + 2 : 0};
  try {
    with_context(printable(text), [&] {
      read_dimensions(std::string_view(text).substr(begin + 1, end - begin - 1), has_file, out.header);
    });
  } catch (const Error& error) {
    out.header.fault = std::make_shared<const Error>(error);
  }
  return out;
}

// Reads "-12"; an integer beyond int64 becomes the limit on its side. Nothing: the text is not an integer.
std::optional<std::int64_t> parse_bound(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (!is_digits(text.substr(is_negative ? 1 : 0))) return std::nullopt;
  using Int64 = std::numeric_limits<std::int64_t>;
  return parse_int64(text).value_or(is_negative ? Int64::min() : Int64::max());
}

std::optional<IndexRange> parse_range(std::string_view text) {
  std::vector<std::optional<std::int64_t>> bounds;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    bounds.push_back(parse_bound(part));
    if (!part.empty() && !bounds.back()) return std::nullopt;
    if (bounds.size() > 3) return std::nullopt;
    begin = end + 1;
  }
  if (bounds.size() < 2) return std::nullopt;
  bounds.resize(3);
  return IndexRange{bounds[0], bounds[1], bounds[2].value_or(1)};
}

}  // namespace

std::int64_t RawHeader::enough_bytes() const {
  return open ? StreamReading::kUnknown : saturated(checked_add(packed_bytes(dtype, shape), 1));
}

Operand::Operand(std::string as_written) : text(std::move(as_written)) {
  if (is_inline_json(text)) {
    form_ = InlineJson{owned_span(text)};
    return;
  }
  if (text == "-") {
    form_ = StandardInput();
    return;
  }
  path = text;
  if (auto header = parse_header(text)) {
    path.erase(0, header->file);
    if (header->file == 0) {
      form_ = AbstractTensor{std::move(header->header)};
    } else {
      form_ = RawBytes{std::move(header->header)};
    }
  } else if (const auto range = parse_range(text)) {
    form_ = RangeText{*range};
  } else {
    form_ = NamedFile{looks_like_json(text)};
  }
}

Operand Operand::of_path(std::string file) {
  Operand out;
  out.text = std::move(file);
  out.path = out.text;
  return out;
}

Operand Operand::of_file(std::string as_written) {
  Operand out(std::move(as_written));
  return out.is_tensor() ? of_path(std::move(out.text)) : out;
}

Operand Operand::of_bytes(DType dtype, const Shape& shape, std::string file) {
  const std::string dims = to_string(shape);
  Operand out;
  out.text = cat(name(dtype), "[", std::string_view(dims).substr(1, dims.size() - 2), "]@", file);
  out.path = std::move(file);
  out.form_ = RawBytes{{dtype, shape, {}}};
  return out;
}

Operand Operand::of_result(std::string id) {
  Operand out;
  out.text = std::move(id);
  out.form_ = JobResult();
  return out;
}

std::string Operand::shown() const {
  if (const auto* const json = as<InlineJson>()) return std::string(json->text.text);
  if (as<RawBytes>() == nullptr) return path.empty() || as<RangeText>() != nullptr ? text : path;
  return cat(std::string_view(text).substr(0, text.find("]@") + 2), path);
}

Operand Operand::in_folder(const std::string& folder) const {
  Operand out = *this;
  if (!path.empty() && !is_standard_input()) out.path = path_from(folder, path);
  return out;
}

void Operand::set(Tensor tensor) {
  text.clear();
  path.clear();
  form_ = std::move(tensor);
}

std::vector<NameInFile> split_path(const std::string& path) {
  std::vector<NameInFile> out;
  for (std::size_t colon = path.find(':'); colon < PATH_MAX; colon = path.find(':', colon + 1))
    out.push_back({path.substr(0, colon), path.substr(colon + 1)});
  return out;
}

std::vector<NameInFile> possible_files(const Operand& operand) {
  if (operand.path.empty() || operand.is_standard_input()) return {};
  std::vector<NameInFile> out;
  if (operand.is_path()) out = split_path(operand.path);
  if (!out.empty() && file_exists(operand.path)) out.clear();
  out.insert(out.begin(), {operand.path});
  return out;
}

std::string operand_hint(const Operand& operand) {
  const std::string& text = operand.text;
  if (text.find_first_of("0123456789:") == std::string::npos) return {};
  if (text.find_first_not_of("0123456789,.+- eE") == std::string::npos)
    return cat("a list of numbers is written in brackets: '[", text, "]'");
  if (text.find(',') == std::string::npos || text.find_first_not_of("0123456789,:- ") != std::string::npos)
    return {};
  return "a range selects along one axis: give the ranges of several axes to one call after the other, each "
         "with "
         "--axis";
}

}  // namespace tensorop
