#include "io/inspect.hpp"

#include <span>
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
  return info;
}

FileContent inspect_archive(OpenedFile& opened) {
  const auto archive = open_archive(opened);
  FileContent content;
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

std::int64_t string_bytes(const Tensor& tensor) {
  std::int64_t bytes = 0;
  for (const StringRef& string : tensor.strings()) bytes += string.size;
  return bytes;
}

FileInfo inspect_text(OpenedFile opened) {
  const Format& format = *opened.format;
  JsonText text = text_of(std::move(opened));
  const Tensor tensor = format.read_text(text, {}).take();
  FileInfo info;
  info.dtype = tensor.dtype();
  info.shape = tensor.shape();
  info.bytes = tensor.dtype() == DType::string ? string_bytes(tensor) : tensor.bytes();
  return info;
}

FileInfo inspect_single(OpenedFile opened) {
  std::string path = opened.shown;
  FileInfo info = with_context(printable(path), [&] {
    if (opened.format->read_text != nullptr) return inspect_text(std::move(opened));
    return opened.format->describe(opened.file);
  });
  info.path = std::move(path);
  return info;
}

}  // namespace

FileContent inspect_file(const std::string& path, const Format* text_format) {
  OpenedFile opened = open_file(path, text_format);
  const Format& format = *opened.format;
  FileContent content;
  std::string shown = opened.shown;
  if (format.open_archive != nullptr) {
    content = inspect_archive(opened);
  } else {
    content.arrays.push_back(inspect_single(std::move(opened)));
  }
  content.path = std::move(shown);
  content.format = format.name;
  for (FileInfo& file : content.arrays) file.format = format.name;
  return content;
}

}  // namespace tensorop
