// Elements of 4 bits, two to a byte. Their values: convert_elements_test.cpp.
#include "io/array/stored_array.hpp"

#include <vector>

#include "support/catch.hpp"

namespace tensorop::io_stored_array_test {
namespace {

TEST_CASE("4-bit elements are packed with the first one low", "[tensor][small]") {
  const auto bytes = [](std::initializer_list<int> values) {
    std::vector<std::byte> out;
    for (const int value : values) out.push_back(static_cast<std::byte>(value));
    return out;
  };
  struct Row {
    std::vector<std::byte> elements;
    std::vector<std::byte> packed;
  };
  // The first one is example 6 of the specification: int4 7, -8, -1.
  const std::vector<Row> rows = {{bytes({7, 8, 15}), bytes({0x87, 0x0F})},
                                 {bytes({1, 14}), bytes({0xE1})},
                                 {bytes({5}), bytes({0x05})},
                                 {{}, {}}};
  for (const Row& row : rows) {
    std::vector<std::byte> packed(row.packed.size(), std::byte{0xFF});
    pack_nibbles(row.elements, packed);
    CHECK(packed == row.packed);
    std::vector<std::byte> elements(row.elements.size(), std::byte{0xFF});
    unpack_nibbles(row.packed, elements);
    CHECK(elements == row.elements);
  }
  std::vector<std::byte> packed(2);
  pack_nibbles(bytes({0xF7, 0xA8, 0xFF}), packed);
  CHECK(packed == bytes({0x87, 0x0F}));
  std::vector<std::byte> element(1);
  unpack_nibbles(bytes({0xF5}), element);  // any padding is read
  CHECK(element == bytes({0x05}));
}

}  // namespace
}  // namespace tensorop::io_stored_array_test
