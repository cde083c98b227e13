#include "io/foreign_format.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view name;
};

// Longer ones come before those that they begin with.
constexpr Signature kSignatures[] = {
    {"version https://git-lfs"sv, "a Git LFS pointer; git lfs pull fetches the file"sv},
    {"version https://hawser"sv, "a Git LFS pointer; git lfs pull fetches the file"sv},
    {"\x1f\x8b"sv, "gzip; gunzip unpacks it"sv},
    {"BZh"sv, "bzip2; bunzip2 unpacks it"sv},
    {"\xfd"
     "7zXZ\0"sv,
     "xz; unxz unpacks it"sv},
    {"\x28\xb5\x2f\xfd"sv, "Zstandard; unzstd unpacks it"sv},
    {"7z\xbc\xaf\x27\x1c"sv, "7-Zip"sv},
    {"\x89HDF\r\n\x1a\n"sv, "HDF5"sv},
    {"CDF\x01"sv, "NetCDF"sv},
    {"CDF\x02"sv, "NetCDF"sv},
    {"PAR1"sv, "Parquet"sv},
    {"ARROW1"sv, "Arrow"sv},
    {"MATLAB 5.0"sv, "a MATLAB file"sv},
    {"\x93"sv, "a damaged NPY file"sv},
    {"\xc2\x93NUMPY"sv, "an NPY file that was changed as if it were text"sv},
    {"\xef\xbf\xbdNUMPY"sv, "an NPY file that was changed as if it were text"sv},
    {"NUMPY"sv, "an NPY file without its first byte"sv},
    {"\x80\x02"sv, "a Python pickle"sv},
    {"\x80\x03"sv, "a Python pickle"sv},
    {"\x80\x04"sv, "a Python pickle"sv},
    {"\x80\x05"sv, "a Python pickle"sv},
    {"\xff\xfe"sv, "text in UTF-16; iconv -f UTF-16 -t UTF-8 converts it"sv},
    {"\xfe\xff"sv, "text in UTF-16; iconv -f UTF-16 -t UTF-8 converts it"sv},
    {"\x89PNG"sv, "a PNG picture"sv},
    {"\xff\xd8\xff"sv, "a JPEG picture"sv},
    {"%PDF"sv, "PDF"sv},
    {"\x7f"
     "ELF"sv,
     "a program"sv},
    {"<"sv, "HTML or XML"sv},
    {"dims:"sv, "protobuf text, which is not read"sv},
    {"data_type:"sv, "protobuf text, which is not read"sv},
    {"ir_version:"sv, "protobuf text, which is not read"sv},
};

bool is_text(std::string_view head) {
  return std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7f;
  });
}

}  // namespace

std::string_view foreign_format(std::string_view head) {
  const auto* const found = std::ranges::find_if(
      kSignatures, [&](const Signature& signature) { return head.starts_with(signature.bytes); });
  return found == std::end(kSignatures) ? "" : found->name;
}

std::string first_bytes(std::string_view head) {
  constexpr std::size_t kMostText = 24;
  constexpr std::size_t kMostBytes = 8;
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  std::string_view shown = line.substr(0, kMostText);
  // A character is shown whole or not at all.
  while (!shown.empty() && !is_utf8(shown) && shown.size() + 4 > std::min(kMostText, line.size())) {
    shown.remove_suffix(1);
  }
  if (!shown.empty() && is_text(shown) && is_utf8(shown)) {
    return cat('\'', printable(shown), shown.size() < line.size() ? "..." : "", '\'');
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "bytes";
  for (const char c : head.substr(0, kMostBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    out += {' ', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

}  // namespace tensorop
