// A picture of at most 16 colours as PNG (ISO/IEC 15948): four bits a pixel and a palette.
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

// `pixels`: numbers of colours, row by row, width * height of them; width and height at least 1.
[[nodiscard]] std::string png(std::int64_t width, std::int64_t height, std::span<const std::uint8_t> pixels,
                              std::span<const Rgba> colours);

// RFC 4648, section 4.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace tensorop
