#include "io/source.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "io/npy.hpp"

namespace tensorop {
// A list, an object or a string by how it begins; a number, true or false only as a whole: 2024.npy is a
// file.
bool looks_like_json(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return false;
  const std::string_view value = text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
  if (value[0] == '[' || value[0] == '{' || value[0] == '"') return true;
  if (value == "true" || value == "false") return true;
  const bool is_number = value[0] == '-' || (value[0] >= '0' && value[0] <= '9');
  return is_number && value.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

std::optional<Tensor> parse_abstract(const std::string& text) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string::npos || !text.ends_with(']')) return std::nullopt;
  const auto dtype = parse_dtype(std::string_view(text).substr(0, bracket));
  if (!dtype) return std::nullopt;
  Shape shape;
  std::string_view dims = std::string_view(text).substr(bracket + 1, text.size() - bracket - 2);
  while (!dims.empty()) {
    const std::size_t comma = dims.find(',');
    const auto dim = parse_int64(dims.substr(0, comma));
    if (!dim || *dim < 0) throw Error(cat(printable(text), ": dimensions are numbers from 0 on"));
    if (shape.size() == kMaxRank) throw Error(cat(printable(text), ": more than ", kMaxRank, " dimensions"));
    shape.push_back(*dim);
    if (comma == std::string_view::npos) break;
    dims.remove_prefix(comma + 1);
    if (dims.empty()) throw Error(cat(printable(text), ": a dimension is missing behind the last comma"));
  }
  with_context(printable(text), [&] { require_fits(shape, element_size(*dtype)); });
  return Tensor(*dtype, std::move(shape));
}

Source Source::of(Tensor tensor) {
  Source source;
  source.tensor_ = std::move(tensor);
  return source;
}

OpenedFile open_file(const std::string& path) {
  InputFile file = path == "-" ? InputFile::standard_input() : InputFile::open(path);
  std::string head;
  std::string_view front;
  if (file.mapping()) {
    const auto bytes = file.mapping()->bytes();
    front = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } else {
    head.resize(kNpyMagic.size());
    head.resize(file.read(std::as_writable_bytes(std::span(head))));
    front = head;
  }
  const bool is_npy = front.starts_with(kNpyMagic);
  return {std::move(file), std::move(head), is_npy};
}

JsonText json_text(OpenedFile opened) {
  const auto mapping = opened.file.mapping();
  if (!mapping) return {std::move(opened.file), std::move(opened.head)};
  return {std::string_view(reinterpret_cast<const char*>(mapping->bytes().data()), mapping->bytes().size()),
          mapping};
}

Source Source::open(const std::string& text, const Options& options) {
  if (text.empty()) throw Error("an empty text is neither a file nor a tensor");
  Source source;
  if (options.is_json) {
    source.text_ = std::make_shared<JsonText>(text, nullptr);
  } else if (text != "-" && !file_exists(text)) {
    if (options.allow_abstract) {
      if (auto abstract = parse_abstract(text)) return of(std::move(*abstract));
    }
    // Not a file of that name: the tensor itself, or a mistake that is best called a missing file.
    if (looks_like_json(text)) source.text_ = std::make_shared<JsonText>(text, nullptr);
  }
  if (!source.text_) {
    source.name_ = text == "-" ? "standard input" : printable(text);
    OpenedFile opened = open_file(text);
    if (opened.is_npy) {
      const auto head = std::as_bytes(std::span(opened.head));
      source.tensor_ =
          with_context(source.name_, [&] { return read_npy(opened.file, head, options.header_only); });
      return source;
    }
    source.text_ = std::make_shared<JsonText>(json_text(std::move(opened)));
  }
  const auto read = [&] {
    return options.untyped_as ? read_json(*source.text_, options.untyped_as) : source.read_natural();
  };
  JsonTensor json = source.name_.empty() ? read() : with_context(source.name_, read);
  if (json.typed || options.untyped_as) {
    source.tensor_ = std::move(json.tensor);
    source.text_.reset();
  } else {
    source.natural_ = std::move(json);
  }
  return source;
}

JsonTensor Source::read_natural() const {
  try {
    return read_json(*text_, std::nullopt);
  } catch (const Error&) {
    // Integers beyond int64 are well in another dtype, and which it will be is not known yet: they go without
    // elements here, and are read, or refused, when it is.
    try {
      text_->rewind();
      JsonTensor json = read_json(*text_, DType::float64);
      json.tensor = Tensor(DType::int64, json.tensor.shape());
      return json;
    } catch (const Error&) {  // not that: the first error stands
    }
    throw;
  }
}

void Source::resolve(DType dtype) {
  const bool is_read = natural_->tensor.data() != nullptr || natural_->tensor.size() == 0;
  if (dtype == natural_->tensor.dtype() && is_read) {
    tensor_ = std::move(natural_->tensor);
  } else {
    text_->rewind();
    const auto read = [&] { return read_json(*text_, dtype).tensor; };
    tensor_ = name_.empty() ? read() : with_context(name_, read);
  }
  natural_.reset();
  text_.reset();
}

}  // namespace tensorop
