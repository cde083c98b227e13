#include "io/array/array_reading.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "io/format.hpp"

namespace tensorop {

bool ArrayReading::needs_scratch(std::int64_t bytes) const {
  // Finding out how much memory there is takes longer than reading a small array.
  constexpr std::int64_t kSmall = 16 << 20;
  if (scratch == nullptr) return false;
  return (memory != 0 || bytes > kSmall) && bytes > memory_part(memory, memory_sharers);
}

std::int64_t ArrayReading::buffer_bytes() const {
  // Longer runs of blocks gain nothing.
  constexpr std::int64_t kLeast = 64 << 10;
  constexpr std::int64_t kMost = 256 << 20;
  return std::clamp(memory_part(memory, memory_sharers), kLeast, kMost);
}

void refuse_unnamed(const std::string& stored) {
  throw Error(
      cat("dtype ", in_quotes(stored), " does not say what the elements are (", kSmallTypes.names(), ")"), "",
      cat("convert FILE --view DTYPE -o x", endings_naming(kSmallTypes).front(),
          " names it; for convert and for data of operators --dtype does"));
}

}  // namespace tensorop
