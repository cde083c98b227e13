// Hashes of text that are the same on every machine.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tensorop {

// FNV-1a: a number that different texts rarely share.
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

// 16 digits.
[[nodiscard]] inline std::string hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace tensorop
