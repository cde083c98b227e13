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

FileContent inspect_archive(OpenedFile file) {
  const auto held = std::make_shared<OpenedFile>(std::move(file));
  const OpenedFile& opened = *held;
  const std::shared_ptr<const Archive> archive = open_archive(*held);
  FileContent content;
  content.open = [held, archive](const FileInfo& array, const Source::Options& options) {
    return Source::of_member(*archive, array.member, printable(array.path), held->file.mapping(), options);
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

FileInfo inspect_single(OpenedFile opened) {
  std::string path = opened.shown;
  FileInfo info = with_context(printable(path), [&] {
    const Format& format = *opened.format;
    if (format.read_text == nullptr) return format.describe(opened.file);
    JsonText text = text_of(std::move(opened));
    return info_of(format.read_text(text, {}).take());
  });
  info.path = std::move(path);
  return info;
}

// A source with a tensor.
Source open_resolved(OpenedFile opened, const Source::Options& options) {
  Source source = Source::of_file(std::move(opened), options);
  if (source.tensor() == nullptr) source.resolve(source.natural_dtype());
  return source;
}

// Text is read once, and so is a stream, of which nothing says how its elements were stored.
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
  OpenedFile opened = open_file(path, text_format);
  const Format& format = *opened.format;
  FileContent content;
  std::string shown = opened.shown;
  if (format.open_archive != nullptr) {
    content = inspect_archive(std::move(opened));
  } else if (elements != nullptr && (format.read_text != nullptr || !opened.file.mapping())) {
    content = inspect_elements(std::move(opened), *elements);
  } else {
    content.arrays.push_back(inspect_single(std::move(opened)));
    content.open = [path, text_format](const FileInfo&, const Source::Options& options) {
      return open_resolved(open_file(path, text_format), options);
    };
  }
  content.path = std::move(shown);
  content.format = format.name;
  for (FileInfo& file : content.arrays) file.format = format.name;
  return content;
}

}  // namespace tensorop
