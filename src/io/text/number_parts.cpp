#include "io/text/number_parts.hpp"

#include <algorithm>

namespace tensorop {

std::vector<NumberPart> divide_numbers(std::string_view text, char mark, std::size_t size) {
  std::vector<NumberPart> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(mark, std::min(size, text.size()) - 1);
    parts.push_back({text.substr(0, end + 1)});
    text.remove_prefix(end + 1);
  }
  return parts;
}

}  // namespace tensorop
