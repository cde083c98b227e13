#include "support/npy_writer.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

namespace tensorop {
namespace {

// One code point from the front of valid UTF-8.
std::uint32_t take_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text.at(i)));
  };
  const std::uint32_t first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  std::uint32_t code = length == 1 ? first : first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3F);
  text.remove_prefix(length);
  return code;
}

std::string utf32(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::uint32_t code = take_code_point(text);
    for (int i = 0; i < 4; ++i) out += static_cast<char>(code >> (8 * i) & 255U);
  }
  return out;
}

// Elements in row-major order, each of as many bytes as its file form has.
struct Elements {
  std::string bytes;
  std::size_t width;
};

// Strings are padded to equal length.
Elements strings_of(const Tensor& tensor, bool bytes_strings) {
  std::vector<std::string> elements;
  std::size_t width = bytes_strings ? 1 : 4;
  for (const StringRef& string : tensor.strings()) {
    elements.push_back(bytes_strings ? std::string(string.view()) : utf32(string.view()));
    width = std::max(width, elements.back().size());
  }
  Elements out{"", width};
  for (std::string& element : elements) {
    element.resize(width, '\0');
    out.bytes += element;
  }
  return out;
}

Elements elements_of(const Tensor& tensor, bool bytes_strings) {
  if (tensor.dtype() == DType::string) return strings_of(tensor, bytes_strings);
  return {{reinterpret_cast<const char*>(tensor.data()), static_cast<std::size_t>(tensor.bytes())},
          static_cast<std::size_t>(element_size(tensor.dtype()))};
}

// How many bytes are reversed at a time in big-endian files.
std::size_t unit_of(DType dtype) {
  if (dtype == DType::string) return 4;
  if (dtype == DType::bfloat16) return 1;  // raw bytes to NumPy
  return static_cast<std::size_t>(element_size(dtype)) / (kComplexTypes.contains(dtype) ? 2 : 1);
}

// The code after the byte order; with '|' or '<' if the dtype has only one byte order.
const std::map<DType, std::string> kCodes = {
    {DType::boolean, "|b1"},   {DType::int8, "|i1"},     {DType::uint8, "|u1"},
    {DType::int16, "i2"},      {DType::int32, "i4"},     {DType::int64, "i8"},
    {DType::uint16, "u2"},     {DType::uint32, "u4"},    {DType::uint64, "u8"},
    {DType::float16, "f2"},    {DType::bfloat16, "<V2"}, {DType::float32, "f4"},
    {DType::float64, "f8"},    {DType::complex64, "c8"}, {DType::complex128, "c16"},
    {DType::float8_e5m2, "f1"}};

std::string descr_of(DType dtype, const NpyLayout& layout, std::size_t string_bytes) {
  const std::string order = layout.big_endian ? ">" : "<";
  if (dtype == DType::string)
    return layout.bytes_strings ? "|S" + std::to_string(string_bytes)
                                : order + "U" + std::to_string(string_bytes / 4);
  const auto code = kCodes.find(dtype);
  if (code == kCodes.end()) return std::string(name(dtype));  // small numbers
  return code->second.find_first_of("|<") == 0 ? code->second : order + code->second;
}

// Python's way to write a tuple.
std::string tuple(const Shape& shape) {
  std::string out = "(";
  for (std::size_t d = 0; d < shape.size(); ++d) {
    out += std::to_string(shape[d]) + (d + 1 < shape.size() ? ", " : shape.size() == 1 ? "," : "");
  }
  return out + ")";
}

std::string header(const std::string& dictionary, int version) {
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::string text = dictionary;
  while ((8 + length_bytes + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i) out += static_cast<char>(text.size() >> (8 * i) & 255U);
  return out + text;
}

// Row-major positions in the order a Fortran file has them: the first coordinate runs fastest.
std::vector<std::size_t> fortran_positions(const Shape& shape, std::size_t count) {
  std::vector<std::size_t> positions;
  std::vector<std::int64_t> at(shape.size(), 0);
  while (positions.size() < count) {
    std::size_t position = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      position = position * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(at[d]);
    }
    positions.push_back(position);
    for (std::size_t d = 0; d < shape.size() && ++at[d] == shape[d]; ++d) at[d] = 0;
  }
  return positions;
}

}  // namespace

std::string npy_bytes(const Tensor& tensor, const NpyLayout& layout) {
  auto [bytes, width] = elements_of(tensor, layout.bytes_strings);
  const std::string dictionary = "{'descr': '" + descr_of(tensor.dtype(), layout, width) +
                                 "', 'fortran_order': " + (layout.fortran_order ? "True" : "False") +
                                 ", 'shape': " + tuple(tensor.shape()) + ", }";
  std::string out = header(dictionary, layout.version);
  const bool whole = tensor.dtype() == DType::string && layout.bytes_strings;
  if (layout.big_endian && !whole) {
    const auto unit = static_cast<std::ptrdiff_t>(unit_of(tensor.dtype()));
    for (auto at = bytes.begin(); at != bytes.end(); at += unit) std::reverse(at, at + unit);
  }
  if (layout.fortran_order) {
    for (const std::size_t at : fortran_positions(tensor.shape(), bytes.size() / width))
      out.append(bytes, at * width, width);
  } else {
    out += bytes;
  }
  return out;
}

void write_file(const std::string& path, const std::string& bytes) {
  (void)std::remove(path.c_str());
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace tensorop
