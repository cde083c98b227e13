// Bytes as the specification writes them.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace tensorop {

// The bytes of "08 02 ff*9 01": two digits each, "*N" repeats one. Anything else is an exception.
[[nodiscard]] inline std::string from_hex(const std::string& hex) {
  std::istringstream words(hex);
  std::string out;
  for (std::string word; words >> word;) {
    std::size_t digits = 0;
    const int byte = std::stoi(word, &digits, 16);
    const bool is_repeated = word.size() > 3 && word[2] == '*';
    if (digits != 2 || (word.size() != 2 && !is_repeated)) throw std::invalid_argument(word);
    out.append(is_repeated ? std::stoul(word.substr(3)) : 1, static_cast<char>(byte));
  }
  return out;
}

}  // namespace tensorop
