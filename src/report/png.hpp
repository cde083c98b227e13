// Encodes a picture of at most 16 colours as PNG (ISO/IEC 15948): four bits per pixel and a palette.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tensorop {

struct Rgba {
  std::uint8_t red;
  std::uint8_t green;
  std::uint8_t blue;
  std::uint8_t alpha;
};

// `pixels`: width * height colour numbers, row by row; width and height are at least 1.
[[nodiscard]] std::string png(std::int64_t width, std::int64_t height, std::span<const std::uint8_t> pixels,
                              std::span<const Rgba> colours);

// Base64 with padding (RFC 4648, "Base 64 Encoding").
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace tensorop
