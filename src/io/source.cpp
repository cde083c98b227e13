#include "io/source.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/opened_file.hpp"
#include "io/table/table_parts.hpp"

namespace tensorop {

Source Source::of_tensor(Tensor tensor) {
  Source source;
  source.take_tensor(std::move(tensor));
  return source;
}

Source Source::of_entry(const Archive& archive, ArrayEntry array, std::string name, const Options& options) {
  Source source;
  source.name_ = std::move(name);
  source.warn_ = options.warn;
  source.take_array(archive, std::move(array), options);
  source.finish_opening(options);
  return source;
}

Source Source::of_file(const OpenedFile& opened, const Options& options) {
  Source source;
  source.threads_ = options.arrays.threads;
  source.warn_ = options.warn;
  source.take_file(opened, options);
  source.finish_opening(options);
  return source;
}

Source Source::of_json(TextSpan text, const Options& options) {
  Source source;
  source.threads_ = options.arrays.threads;
  source.warn_ = options.warn;
  source.format_ = &kJsonFormat;
  source.text_ = std::move(text);
  source.finish_opening(options);
  return source;
}

Source Source::open(const Operand& operand, const Options& options) {
  if (const Tensor* const tensor = operand.as<Tensor>()) return of_tensor(*tensor);
  if (const InlineJson* const json = operand.as<InlineJson>()) return of_json(json->text, options);
  if (operand.text.empty()) throw Error("an empty operand is neither a file nor a tensor");
  std::optional<OpenedFile> opened = open_whole_path(operand, options.text_format, options.arrays);
  if (!opened) {
    // No file has that name: a tensor without elements, malformed JSON, or a missing file.
    const int reason = errno;
    if (const AbstractTensor* const abstract = operand.as<AbstractTensor>()) {
      if (options.allow_abstract) return of_tensor(Tensor(abstract->header.dtype, abstract->header.shape));
      throw Error(
          cat(in_quotes(operand.text), " is a dtype and a shape without elements: only a dry run takes it"));
    }
    if (operand.may_be_json()) return of_json(owned_span(operand.text), options);
    opened = open_archive_path(operand);
    errno = reason;
    if (!opened) refuse_missing(operand);
  }
  return of_file(*opened, options);
}

void Source::finish_opening(const Options& options) {
  if (tensor_) return;
  if (bytes_) {
    if (options.unnamed_as) {
      tensor_ = std::exchange(bytes_, std::nullopt)->viewed_as(*options.unnamed_as);
    } else if (!options.read_later)
      (void)natural_dtype();
    return;
  }
  if (!options.read_later) read();
}

template <class Body>
auto Source::in_context(const Body& body) const {
  return name_.empty() ? body() : with_context(name_, body);
}

void Source::take_file(const OpenedFile& opened, const Options& options) {
  name_ = printable(opened.shown());
  format_ = opened.format;
  if (format_->read_text != nullptr) {
    const Format* const named = find_format_by_ending(opened.shown());
    has_strings_ =
        !format_->is_table || options.text_format != nullptr || (named != nullptr && named->is_table);
    mapping_ = opened.file.mapping();
    text_ = text_of(opened);
    is_table_ = format_->is_table;
    if (is_table_ && options.column) {
      text_ = owned_span(in_context([&] { return table_column(text_->text, *format_, *options.column); }));
      format_ = &kTextFormat;
    }
    return;
  }
  ArchiveCache own(0);
  const auto archive = (options.archives == nullptr ? own : *options.archives).open(opened).archive;
  for (const std::string& line : archive->warnings_for(!opened.array)) warn_of(line);
  const std::size_t member = chosen_member(opened, *archive);
  name_ = printable(array_path(opened, *archive, member));
  take_array(*archive, in_context([&] { return archive->entry(member); }), options);
}

void Source::take_tensor(Tensor tensor) {
  tensor_ = std::move(tensor);
  natural_.reset();
  text_.reset();
  mapping_ = tensor_->mapping();
}

void Source::take_array(const Archive& archive, ArrayEntry array, const Options& options) {
  in_context([&] {
    const ArrayEntry entry = archive.readable(std::move(array));
    for (const std::string& line : entry.warnings) warn_of(line);
    take_tensor(options.header_only ? Tensor(*entry.dtype, entry.shape)
                                    : archive.read(entry, options.arrays));
    if (entry.names_dtype) return;
    unnamed_ = entry.stored;
    bytes_ = std::exchange(tensor_, std::nullopt);
  });
}

std::string Source::comments_text() const {
  if (comments_ == 0) return {};
  return cat(counted(comments_, "comment"), comments_ == 1 ? " is" : " are", " left out");
}

void Source::warn_of(const std::string& line) const {
  if (warn_ && !line.empty()) warn_(cat(name_, name_.empty() ? "" : ": ", line));
}

DType Source::natural_dtype() const {
  if (bytes_) in_context([&] { refuse_unnamed(unnamed_); });
  return natural_->tensor.dtype();
}

TextTensor Source::read_text(const TextReading& reading) const {
  TextReading own = reading;
  own.threads = threads_;
  own.strings = reading.strings && has_strings_;
  const auto read = [&] {
    try {
      return format_->read_text(text_->text, own);
    } catch (const MemoryError& error) {
      throw MemoryError(error.what(), error.rule(),
                        "text is read into memory as a whole: convert it to NPY where there is more memory");
    }
  };
  // The text will not be read again; but if the file changed during reading, the data read is not valid.
  const auto require_unchanged = [this] {
    if (mapping_) mapping_->require_unchanged();
  };
  try {
    TextTensor out = in_context(read);
    comments_ = out.comments;
    require_unchanged();
    return out;
  } catch (const Failure&) {
    require_unchanged();
    throw;
  }
}

void Source::read(const TextReading& reading) {
  if (!is_unread()) return;
  TextTensor json = read_text(reading);
  if (json.typed) {
    take_tensor(std::move(json.tensor));
  } else {
    natural_ = std::move(json);
  }
}

void Source::read_to_cast(DType dtype, Overflow overflow) {
  if (!is_unread()) return;
  if (dtype == DType::string) return resolve(dtype);
  TextReading reading{.strings = false, .cast = true, .overflow = overflow};
  if ((kFloatTypes | kSmallFloatTypes).contains(dtype)) {
    reading.as = dtype;
    return take_tensor(read_text(reading).checked_tensor());
  }
  if (!kComplexTypes.contains(dtype)) reading.exactness = Exactness::all_fit;
  read(reading);
  if (!tensor_) resolve(natural_->refused ? natural_->wider : natural_->tensor.dtype(), reading.exactness);
}

void Source::resolve(DType dtype, Exactness exactness) {
  if (bytes_) {
    if (!kSmallTypes.contains(dtype)) in_context([&] { refuse_unnamed(unnamed_); });
    tensor_ = bytes_->viewed_as(dtype);
    bytes_.reset();
    return;
  }
  const bool is_natural = natural_ && natural_->tensor.dtype() == dtype;
  take_tensor(is_natural ? in_context([&] { return natural_->checked_tensor(); })
                         : read_text({.as = dtype, .exactness = exactness}).checked_tensor());
}

}  // namespace tensorop
