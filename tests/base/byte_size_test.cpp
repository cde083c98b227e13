// Numbers of bytes as people read and write them.
#include "base/text/byte_size.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "support/catch.hpp"

namespace tensorop::base_byte_size_test {

TEST_CASE("a size is a positive integer with K, M, G or nothing after it", "[base][size]") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  using namespace std::string_view_literals;
  const std::pair<std::string_view, std::optional<std::int64_t>> rows[] = {
      {"1", 1},
      {"010", 10},
      {"1K", 1024},
      {"3k", 3072},
      {"512M", 536870912},
      {"512m", 536870912},
      {"16G", 17179869184},
      {"16g", 17179869184},
      {"9223372036854775807", kMost},
      {"9223372036854775808", {}},
      {"8589934591G", kMost - (1 << 30) + 1},
      {"8589934592G", {}},
      {"99999999999999999999K", {}},
      {"", {}},
      {"K", {}},
      {"0", {}},
      {"0G", {}},
      {"-1", {}},
      {"-1M", {}},
      {"1.5G", {}},
      {"1 G", {}},
      {"1G ", {}},
      {"1GB", {}},
      {"1GiB", {}},
      {"1T", {}},
      {"1KK", {}},
      {"0x10", {}},
      {"half", {}},
      {"1G\0"sv, {}},
  };
  for (const auto& [text, bytes] : rows) {
    CAPTURE(text);
    CHECK(parse_byte_size(text) == bytes);
  }
}

TEST_CASE("a size is shown in the largest unit that it fills", "[base][size]") {
  CHECK(byte_size_text(0) == "0 bytes");
  CHECK(byte_size_text(1) == "1 byte");
  CHECK(byte_size_text(1023) == "1023 bytes");
  CHECK(byte_size_text(1024) == "1.0 KiB");
  CHECK(byte_size_text(1536) == "1.5 KiB");
  CHECK(byte_size_text(std::int64_t{5} << 20) == "5.0 MiB");
  CHECK(byte_size_text((std::int64_t{5} << 30) + (1 << 29)) == "5.5 GiB");
  CHECK(byte_size_text(std::int64_t{20} << 40) == "20.0 TiB");
}

}  // namespace tensorop::base_byte_size_test
