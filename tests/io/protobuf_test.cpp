// Protobuf's wire format: fields of every wire type, and the exact message for what is no field.
#include "io/onnx/protobuf.hpp"

#include <array>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/hex.hpp"

namespace tensorop::io_protobuf_test {
namespace {

constexpr std::array kNames = {ProtoName{1, "count"}, ProtoName{2, "text"}};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string describe(const ProtoField& field) {
  std::string out = cat(field.number(), "@", field.byte(), "/", field.value_byte(), " ", field.name(), " ");
  switch (field.wire()) {
    case ProtoWire::varint:
      return cat(out, field.integer(), ";");
    case ProtoWire::bytes:
      return cat(out, "'", field.text(), "' ", field.bytes().size(), ";");
    case ProtoWire::fixed32:
      return cat(out, field.fixed_numbers(4).size(), " bytes;");
    case ProtoWire::fixed64:
      return cat(out, field.fixed_numbers(8).size(), " bytes;");
  }
  __builtin_unreachable();
}

std::string fields_of(const std::string& bytes) {
  std::string out;
  for (ProtoMessage message(bytes_of(bytes), 100, kNames); message.next();) out += describe(message.field());
  return out;
}

}  // namespace

TEST_CASE("fields of every wire type have their numbers, values and positions", "[io][protobuf]") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", ""},
      {"08 00", "1@0/1 count 0;"},
      {"08 ff*9 01", "1@0/1 count -1;"},
      {"08 80*9 01", "1@0/1 count -9223372036854775808;"},
      {"08 80 00", "1@0/1 count 0;"},
      {"88 80 00 05", "1@0/3 count 5;"},
      {"12 00 12 02 61 62", "2@0/2 text '' 0;2@2/4 text 'ab' 2;"},
      {"1d 00 00 80 3f", "3@0/1 field 3 4 bytes;"},
      {"f9 ff ff ff 0f 01*8", "536870911@0/5 field 536870911 8 bytes;"},
      {"22 82 00 61 62 08 01", "4@0/3 field 4 'ab' 2;1@5/6 count 1;"},
      {"c0 b8 02 05", "5000@0/3 field 5000 5;"},
      {"c0 a3 09 05", "19000@0/3 field 19000 5;"},
  };
  for (const auto& [hex, expected] : rows) {
    CAPTURE(hex);
    const std::string bytes = from_hex(hex);
    // In memory the message begins at byte 100.
    std::string in_memory;
    for (ProtoMessage message(bytes_of(bytes), 0, kNames); message.next();)
      in_memory += describe(message.field());
    CHECK(in_memory == expected);
  }
  CHECK(fields_of(from_hex("08 05")) == "1@100/101 count 5;");
}

TEST_CASE("what is no field is refused with its byte", "[io][protobuf]") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"08", "ends inside a number (byte 1)"},
      {"08 80", "ends inside a number (byte 1)"},
      {"80", "ends inside a number (byte 0)"},
      {"08 80*10 01", "a number is longer than 10 bytes (byte 1)"},
      {"08 80*10", "a number is longer than 10 bytes (byte 1)"},
      {"08 ff*9 02", "a number does not fit in 64 bits (byte 1)"},
      {"08 ff*9 7f", "a number does not fit in 64 bits (byte 1)"},
      {"12 ff*9 01", "ends inside text (byte 11): 18446744073709551615 bytes announced, 0 left"},
      {"08 01 12 03 61", "ends inside text (byte 4): 3 bytes announced, 1 left"},
      {"12 ff ff ff ff 7f", "ends inside text (byte 6): 34359738367 bytes announced, 0 left"},
      {"1d 00 00 80", "ends inside field 3 (byte 1): 4 bytes announced, 3 left"},
      {"19 00", "ends inside field 3 (byte 1): 8 bytes announced, 1 left"},
      {"00", "field number 0 (byte 0)"},
      {"08 01 02 00", "field number 0 (byte 2)"},
      {"0b", "wire type 3 of field 1 (count) is not read (byte 0)"},
      {"24", "wire type 4 of field 4 is not read (byte 0)"},
      {"0e 00", "wire type 6 of field 1 (count) is not read (byte 0)"},
      {"0f 00", "wire type 7 of field 1 (count) is not read (byte 0)"},
      {"80 80 80 80 10 01", "field number 536870912 (byte 0) is above 536870911"},
      {"88 80*8 01 05", "field number 1152921504606846977 (byte 0) is above 536870911"},
  };
  for (const auto& [hex, message] : rows) {
    CAPTURE(hex);
    const std::string bytes = from_hex(hex);
    CHECK(error_of([&] {
            for (ProtoMessage fields(bytes_of(bytes), 0, kNames); fields.next();) {
            }
          }) == message);
  }
}

TEST_CASE("a value of another wire type is refused", "[io][protobuf]") {
  const std::string bytes = from_hex("08 01 12 01 61 1d 00 00 80 3f");
  ProtoMessage message(bytes_of(bytes), 0, kNames);
  REQUIRE(message.next());
  CHECK(error_of([&] { (void)message.field().bytes(); }) ==
        "field 1 (count) has wire type 0, not 2 (byte 0)");
  CHECK(error_of([&] { (void)message.field().float32(); }) ==
        "field 1 (count) has wire type 0, not 5 (byte 0)");
  CHECK(error_of([&] { (void)message.field().fixed_numbers(8); }) ==
        "field 1 (count) has wire type 0, not 1 (byte 0)");
  REQUIRE(message.next());
  CHECK(error_of([&] { (void)message.field().integer(); }) ==
        "field 2 (text) has wire type 2, not 0 (byte 2)");
  CHECK(error_of([&] { (void)message.field().fixed_numbers(4); }) ==
        "text: 1 bytes are not a multiple of 4 (byte 2)");
  REQUIRE(message.next());
  CHECK(message.field().float32() == 1.0F);
  CHECK(error_of([&] { ProtoVarints numbers(message.field()); }) ==
        "field 3 has wire type 5, not 0 (byte 5)");
  CHECK_FALSE(message.next());
}

TEST_CASE("a message in a message has the positions of the file", "[io][protobuf]") {
  const std::string bytes = from_hex("08 01 12 04 08 05 12 05");
  ProtoMessage message(bytes_of(bytes), 0, kNames);
  REQUIRE((message.next() && message.next()));
  ProtoMessage inner = message.field().message(kNames);
  REQUIRE(inner.next());
  CHECK(inner.field().byte() == 4);
  CHECK(error_of([&] { (void)inner.next(); }) == "ends inside text (byte 8): 5 bytes announced, 0 left");
}

TEST_CASE("fields are written as protobuf's own writers do", "[io][protobuf]") {
  std::string out;
  append_proto_integer(out, 1, 300);
  append_proto_integer(out, 3, -1);
  append_proto_bytes(out, 2, "ab");
  append_proto_length(out, 100, 200);
  CHECK(out == from_hex("08 ac 02 18 ff*9 01 12 02 61 62 a2 06 c8 01"));
  CHECK(proto_field_bytes(2, 2) == 4);
  CHECK(proto_field_bytes(16, 200) == 204);
}

}  // namespace tensorop::io_protobuf_test
