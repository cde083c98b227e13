#include "io/inspect.hpp"

#include <memory>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/opened_file.hpp"

namespace tensorop {
namespace {

ArrayEntry inspect_member(const OpenedFile& opened, const Archive& archive, std::size_t member) {
  std::string path = array_path(opened, archive, member);
  ArrayEntry info = with_context(printable(path), [&] { return archive.entry(member); });
  info.path = std::move(path);
  if (opened.format->is_archive()) info.name = archive.name(member);
  return info;
}

FileContent inspect_arrays(const OpenedFile& opened) {
  const std::shared_ptr<const Archive> archive = open_archive(opened);
  FileContent content;
  content.open = [archive](const ArrayEntry& array, const Source::Options& options) {
    return Source::of_entry(*archive, array, printable(array.path), options);
  };
  for (const std::string& line : archive->warnings_for(!opened.array)) {
    content.warnings.push_back(cat(printable(opened.shown()), ": ", line));
  }
  if (opened.array || !opened.format->is_archive()) {
    content.arrays = {inspect_member(opened, *archive, chosen_member(opened, *archive))};
    return content;
  }
  content.arrays.reserve(archive->size());
  for (std::size_t i = 0; i < archive->size(); ++i) {
    if (!archive->is_array(i)) continue;
    try {
      content.arrays.push_back(inspect_member(opened, *archive, i));
    } catch (const Error& error) {
      content.faults.push_back(error);
    }
  }
  content.is_whole = true;
  content.metadata = archive->metadata();
  return content;
}

ArrayEntry info_of(const Tensor& tensor) {
  ArrayEntry info;
  info.dtype = tensor.dtype();
  info.shape = tensor.shape();
  if (tensor.dtype() != DType::string) {
    info.bytes = tensor.bytes();
  } else {
    for (const StringRef& string : tensor.strings()) info.bytes += string.size;
  }
  return info;
}

// Reads text once: the source keeps the elements.
FileContent inspect_text(const OpenedFile& opened, const Source::Options& options) {
  const auto source = std::make_shared<Source>(Source::of_file(opened, options));
  if (source->tensor() == nullptr) source->resolve(source->natural_dtype());
  FileContent content{.arrays = {info_of(*source->tensor())}};
  ArrayEntry& info = content.arrays[0];
  info.path = opened.shown();
  if (std::string comments = source->comments_text(); !comments.empty())
    info.warnings.push_back(std::move(comments));
  content.open = [source](const ArrayEntry&, const Source::Options&) { return *source; };
  return content;
}

}  // namespace

FileContent inspect_file(const Operand& operand, const Format* text_format, const Source::Options* elements) {
  const OpenedFile opened =
      open_file(operand, text_format, elements == nullptr ? ArrayReading() : elements->arrays);
  const Format& format = *opened.format;
  FileContent content;
  if (format.read_text == nullptr) {
    content = inspect_arrays(opened);
  } else {
    Source::Options options = elements == nullptr ? Source::Options() : *elements;
    options.text_format = text_format;
    content = inspect_text(opened, options);
  }
  content.path = opened.shown();
  content.format = format.name;
  for (ArrayEntry& file : content.arrays) file.format = format.name;
  return content;
}

}  // namespace tensorop
