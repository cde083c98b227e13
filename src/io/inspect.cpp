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

std::vector<FileInfo> inspect_archive(const OpenedFile& opened) {
  const auto archive = open_archive(opened);
  if (opened.array) return {inspect_member(opened, *archive, chosen_member(opened, *archive))};
  std::vector<FileInfo> files;
  for (std::size_t i = 0; i < archive->size(); ++i) {
    if (archive->is_array(i)) files.push_back(inspect_member(opened, *archive, i));
  }
  if (files.empty()) throw Error(cat(printable(opened.shown), ": the archive holds no arrays"));
  return files;
}

FileInfo inspect_text(OpenedFile opened) {
  const Format& format = *opened.format;
  JsonText text = text_of(std::move(opened));
  const Tensor tensor = format.read_text(text, {}).take();
  FileInfo info;
  info.dtype = tensor.dtype();
  info.shape = tensor.shape();
  info.bytes = tensor.bytes();
  return info;
}

FileInfo inspect_single(OpenedFile opened) {
  std::string path = opened.shown;
  FileInfo info = with_context(printable(path), [&] {
    if (opened.format->read_text != nullptr) return inspect_text(std::move(opened));
    return opened.format->describe(opened.file, std::as_bytes(std::span(opened.head)));
  });
  info.path = std::move(path);
  return info;
}

}  // namespace

std::vector<FileInfo> inspect_file(const std::string& path, const Format* text_format) {
  OpenedFile opened = open_file(path, text_format);
  const Format& format = *opened.format;
  std::vector<FileInfo> files = format.open_archive != nullptr
                                    ? inspect_archive(opened)
                                    : std::vector<FileInfo>{inspect_single(std::move(opened))};
  for (FileInfo& file : files) file.format = format.name;
  return files;
}

}  // namespace tensorop
