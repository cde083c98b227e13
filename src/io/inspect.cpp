#include "io/inspect.hpp"

#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/opened_file.hpp"

namespace tensorop {
namespace {

FileInfo inspect_member(const OpenedFile& opened, const Archive& archive, std::size_t member) {
  std::string path = array_path(opened, archive, member);
  FileInfo info = with_context(printable(path), [&] { return archive.describe(member); });
  info.path = std::move(path);
  info.member = member;
  return info;
}

FileContent inspect_archive(const OpenedFile& opened) {
  const std::shared_ptr<const Archive> archive = open_archive(opened);
  FileContent content;
  content.open = [archive](const FileInfo& array, const Source::Options& options) {
    return Source::of_member(*archive, array.member, printable(array.path), options);
  };
  for (const std::string& line : archive->warnings_for(!opened.array)) {
    content.warnings.push_back(cat(printable(opened.shown), ": ", line));
  }
  if (opened.array) {
    content.arrays = {inspect_member(opened, *archive, chosen_member(opened, *archive))};
    return content;
  }
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

FileInfo info_of(const Tensor& tensor) {
  FileInfo info;
  info.dtype = tensor.dtype();
  info.shape = tensor.shape();
  if (tensor.dtype() != DType::string) {
    info.bytes = tensor.bytes();
  } else {
    for (const StringRef& string : tensor.strings()) info.bytes += string.size;
  }
  return info;
}

FileInfo inspect_single(const OpenedFile& opened) {
  FileInfo info = with_context(printable(opened.shown), [&] {
    const Format& format = *opened.format;
    if (format.read_text == nullptr) return format.describe(opened.file);
    return info_of(format.read_text(text_of(opened).text, {}).take());
  });
  info.path = opened.shown;
  return info;
}

// A source with a tensor.
Source open_resolved(OpenedFile opened, const Source::Options& options) {
  Source source = Source::of_file(std::move(opened), options);
  if (source.tensor() == nullptr) source.resolve(source.natural_dtype());
  return source;
}

// Text is read once.
FileContent inspect_elements(OpenedFile opened, const Source::Options& options) {
  std::string path = opened.shown;
  const auto source = std::make_shared<Source>(open_resolved(std::move(opened), options));
  FileContent content{.arrays = {info_of(*source->tensor())}};
  content.arrays[0].path = std::move(path);
  content.open = [source](const FileInfo&, const Source::Options&) { return *source; };
  return content;
}

}  // namespace

FileContent inspect_file(const std::string& path, const Format* text_format,
                         const Source::Options* elements) {
  OpenedFile opened = open_file(path, text_format, elements == nullptr ? ArrayReading() : elements->arrays);
  const Format& format = *opened.format;
  FileContent content;
  std::string shown = opened.shown;
  if (format.open_archive != nullptr) {
    content = inspect_archive(opened);
  } else if (elements != nullptr && format.read_text != nullptr) {
    content = inspect_elements(std::move(opened), *elements);
  } else {
    content.arrays.push_back(inspect_single(opened));
    content.open = [opened](const FileInfo&, const Source::Options& options) {
      return open_resolved(opened, options);
    };
  }
  content.path = std::move(shown);
  content.format = format.name;
  for (FileInfo& file : content.arrays) file.format = format.name;
  return content;
}

}  // namespace tensorop
