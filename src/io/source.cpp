#include "io/source.hpp"

#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace tensorop {

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
    if (!dim || *dim < 0) throw Error(cat(printable(text), ": dimensions must be non-negative integers"));
    if (shape.size() == kMaxRank) throw Error(cat(printable(text), ": more than ", kMaxRank, " dimensions"));
    shape.push_back(*dim);
    if (comma == std::string_view::npos) break;
    dims.remove_prefix(comma + 1);
    if (dims.empty()) throw Error(cat(printable(text), ": a dimension is missing after the last comma"));
  }
  with_context(printable(text), [&] { require_fits(shape, element_size(*dtype)); });
  return Tensor(*dtype, std::move(shape));
}

Source Source::of(Tensor tensor) {
  Source source;
  source.tensor_ = std::move(tensor);
  return source;
}

Source Source::open(const std::string& text, const Options& options) {
  if (text.empty()) throw Error("an empty operand is neither a file nor a tensor");
  Source source;
  std::optional<OpenedFile> opened;
  if (!options.is_json) opened = open_whole_path(text);
  if (!opened) {
    // No file of that name: the tensor itself, or an error that is reported as a missing file.
    const int reason = errno;
    if (options.allow_abstract && !options.is_json) {
      if (auto abstract = parse_abstract(text)) return of(std::move(*abstract));
    }
    if (options.is_json || looks_like_json(text)) {
      source.format_ = &default_format();
      auto own = std::make_shared<const std::string>(text);
      source.text_ = std::make_shared<JsonText>(*own, own);
    } else {
      opened = open_archive_path(text);
      errno = reason;
      if (!opened) throw_errno(text, "cannot open");
    }
  }
  if (opened) source.take_file(std::move(*opened), options.header_only);
  if (source.tensor_) return source;
  if (options.untyped_as) {
    source.resolve(*options.untyped_as);
  } else if (!options.read_later) {
    source.read();
  }
  return source;
}

template <class Body>
auto Source::in_context(const Body& body) const {
  return name_.empty() ? body() : with_context(name_, body);
}

void Source::take_file(OpenedFile opened, bool header_only) {
  name_ = printable(opened.shown);
  mapping_ = opened.file.mapping();
  format_ = opened.format;
  if (format_->read_text != nullptr) {
    text_ = std::make_shared<JsonText>(text_of(std::move(opened)));
  } else if (format_->open_archive != nullptr) {
    const auto archive = open_archive(opened);
    const std::size_t member = chosen_member(opened, *archive);
    name_ = printable(array_path(opened, *archive, member));
    take_tensor(with_context(name_, [&] { return archive->read(member, header_only); }));
  } else {
    const auto head = std::as_bytes(std::span(opened.head));
    take_tensor(with_context(name_, [&] { return format_->read(opened.file, head, header_only); }));
  }
}

void Source::take_tensor(Tensor tensor) {
  tensor_ = std::move(tensor);
  natural_.reset();
  text_.reset();
  if (!mapping_) return;
  const auto bytes = mapping_->bytes();
  const std::byte* data = tensor_->data();
  const bool lies_in_it = data >= bytes.data() && data < bytes.data() + bytes.size();
  if (!lies_in_it) mapping_.reset();
}

JsonTensor Source::read_natural() const {
  try {
    text_->rewind();
    return format_->read_text(*text_, std::nullopt);
  } catch (const MemoryError&) {
    throw;
  } catch (const Error&) {
    // Integers that do not fit in int64 may fit in the dtype, which is not known yet: there are no elements
    // until it is.
    try {
      text_->rewind();
      JsonTensor json = format_->read_text(*text_, DType::float64);
      json.tensor = Tensor(DType::int64, json.tensor.shape());
      return json;
    } catch (const Error&) {  // not abstract: the first error is reported
    }
    throw;
  }
}

void Source::read() {
  if (!is_unread()) return;
  JsonTensor json = in_context([&] { return read_natural(); });
  if (json.typed) {
    take_tensor(std::move(json.tensor));
  } else {
    natural_ = std::move(json);
  }
}

void Source::resolve(DType dtype) {
  if (natural_ && natural_->tensor.dtype() == dtype) {
    const bool is_read = natural_->tensor.data() != nullptr || natural_->tensor.size() == 0;
    if (is_read) return take_tensor(std::move(natural_->tensor));
  }
  text_->rewind();
  take_tensor(in_context([&] { return format_->read_text(*text_, dtype).tensor; }));
}

}  // namespace tensorop
