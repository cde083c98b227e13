#include "report/png.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <new>
#include <string_view>

#include "base/checked.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// Big-endian.
std::string four_bytes(std::uint64_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
  return out;
}

std::string png_chunk(std::string_view kind, std::string_view data) {
  const std::string body = cat(kind, data);
  const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return cat(four_bytes(data.size()), body, four_bytes(sum));
}

}  // namespace

std::string png(std::int64_t width, std::int64_t height, std::span<const std::uint8_t> pixels,
                std::span<const Rgba> colours) {
  std::string rows;
  for (std::int64_t row = 0; row < height; ++row) {
    rows += '\0';  // no filter
    for (std::int64_t i = 0; i < width; i += 2) {
      const std::size_t at = to_size(row * width + i);
      const unsigned next = i + 1 < width ? pixels[at + 1] : 0;
      rows += static_cast<char>(unsigned{pixels[at]} << 4 | next);
    }
  }
  std::string packed(::compressBound(rows.size()), '\0');
  uLongf size = packed.size();
  if (::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
                  rows.size(), Z_BEST_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();
  }
  packed.resize(size);
  std::string palette;
  std::string alpha;
  for (const Rgba& colour : colours) {
    for (const std::uint8_t value : {colour.red, colour.green, colour.blue})
      palette += static_cast<char>(value);
    alpha += static_cast<char>(colour.alpha);
  }
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  constexpr std::string_view kFourBitPalette("\4\3\0\0\0", 5);
  return cat(kSignature,
             png_chunk("IHDR", cat(four_bytes(to_size(width)), four_bytes(to_size(height)), kFourBitPalette)),
             png_chunk("PLTE", palette), png_chunk("tRNS", alpha), png_chunk("IDAT", packed),
             png_chunk("IEND", ""));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      group = group << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
  }
  return out;
}

}  // namespace tensorop
