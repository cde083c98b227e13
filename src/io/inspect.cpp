#include "io/inspect.hpp"

#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/source.hpp"

namespace tensorop {
namespace {

std::string stored_as(const NpyHeader& header) {
  switch (header.encoding) {
    case NpyEncoding::native:
      return std::string(info(header.dtype).npy);
    case NpyEncoding::swapped:
      return cat('>', info(header.dtype).npy.substr(1));
    case NpyEncoding::utf32:
      return cat("<U", header.item_bytes / 4);
    case NpyEncoding::utf32_swapped:
      return cat(">U", header.item_bytes / 4);
    case NpyEncoding::bytes:
      return cat("|S", header.item_bytes);
  }
  __builtin_unreachable();
}

FileInfo of_header(std::string path, std::string format, const NpyHeader& header) {
  FileInfo file;
  file.path = std::move(path);
  file.format = std::move(format);
  file.dtype = header.dtype;
  file.shape = header.shape;
  file.stored = stored_as(header);
  file.fortran_order = header.fortran_order;
  file.bytes = count(header.shape) * header.item_bytes;
  return file;
}

FileInfo inspect_member(const OpenedFile& opened, const NpzArchive& archive, const ZipMember& member) {
  std::string path = array_path(opened, member);
  return with_context(printable(path), [&] {
    FileInfo file = of_header(std::move(path), "npz", archive.read_header(member));
    file.compression = member.method == kZipStored ? "stored" : "deflated";
    return file;
  });
}

std::vector<FileInfo> inspect_archive(const OpenedFile& opened) {
  const NpzArchive archive = open_archive(opened);
  const auto in_archive = [&](const auto& body) { return with_context(printable(opened.shown), body); };
  if (opened.array) {
    const ZipMember& member = in_archive([&]() -> const ZipMember& { return archive.find(*opened.array); });
    return {inspect_member(opened, archive, member)};
  }
  std::vector<FileInfo> files;
  for (const ZipMember& member : archive.members()) {
    if (is_array(member)) files.push_back(inspect_member(opened, archive, member));
  }
  if (files.empty()) in_archive([] { throw Error("the archive holds no arrays"); });
  return files;
}

}  // namespace

std::vector<FileInfo> inspect_file(const std::string& path) {
  OpenedFile opened = open_file(path);
  if (opened.kind == FileKind::npz) return inspect_archive(opened);
  return with_context(printable(opened.shown), [&]() -> std::vector<FileInfo> {
    if (opened.kind == FileKind::npy) {
      const NpyHeader header = read_npy_header(opened.file, std::as_bytes(std::span(opened.head)));
      return {of_header(opened.shown, "npy", header)};
    }
    std::string shown = opened.shown;
    JsonText text = json_text(std::move(opened));
    const Tensor tensor = read_json(text, std::nullopt).tensor;
    return {{std::move(shown), "json", tensor.dtype(), tensor.shape(), "", false, tensor.bytes(), ""}};
  });
}

}  // namespace tensorop
