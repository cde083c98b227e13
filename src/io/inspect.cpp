#include "io/inspect.hpp"

#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/npy.hpp"
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

}  // namespace

FileInfo inspect_file(const std::string& path) {
  OpenedFile opened = open_file(path);
  const std::string shown = path == "-" ? opened.file.name() : path;
  return with_context(printable(shown), [&]() -> FileInfo {
    if (opened.is_npy) {
      const NpyHeader header = read_npy_header(opened.file, std::as_bytes(std::span(opened.head)));
      return {shown,
              "npy",
              header.dtype,
              header.shape,
              stored_as(header),
              header.fortran_order,
              count(header.shape) * header.item_bytes};
    }
    JsonText text = json_text(std::move(opened));
    const Tensor tensor = read_json(text, std::nullopt).tensor;
    return {shown, "json", tensor.dtype(), tensor.shape(), "", false, tensor.bytes()};
  });
}

}  // namespace tensorop
