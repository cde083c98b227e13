// Protobuf's wire format: the fields of a message in memory, and how they are written. The
// trust boundary of every format made of protobuf messages: a field is either whole and within its message,
// or an Error says what is wrong and at which byte. Source: the protobuf encoding guide; docs/formats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tensorop {

// The most bytes of a message, and of a field: readers of protobuf accept no more.
inline constexpr std::int64_t kMostProtoBytes = 2147483647;

// How a value is stored. Groups (3 and 4) are refused.
enum class ProtoWire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// What a field of a message is called. For messages: "field 2 (data_type)".
struct ProtoName {
  std::uint32_t number;
  std::string_view name;  // may be empty
};
using ProtoNames = std::span<const ProtoName>;

class ProtoMessage;

// The message ends within a field: more bytes could make it whole.
class ProtoCutError : public Error {
 public:
  using Error::Error;
};

// A field that is whole. It views the bytes of its message. Each function that returns the value throws Error
// where the wire type is not the one of that value.
class ProtoField {
 public:
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] ProtoWire wire() const { return wire_; }
  // Where it begins, and where its value does, in bytes from the beginning of the file.
  [[nodiscard]] std::int64_t byte() const { return byte_; }
  [[nodiscard]] std::int64_t value_byte() const { return value_byte_; }
  // "raw_data", or "field 17".
  [[nodiscard]] std::string name() const;

  [[nodiscard]] std::int64_t integer() const;  // int32, int64, enum: two's complement of 64 bits
  [[nodiscard]] float float32() const;
  [[nodiscard]] std::span<const std::byte> bytes() const;
  [[nodiscard]] std::string_view text() const;  // the same: any bytes
  // The same as a message, whose positions are those of the file.
  [[nodiscard]] ProtoMessage message(ProtoNames names) const;
  // The numbers of `width` bytes (4 or 8) of a repeated field, packed or a single one, one after the other,
  // little-endian, at any address.
  [[nodiscard]] std::span<const std::byte> fixed_numbers(std::int64_t width) const;

  // Throws Error: the value is of another wire type than `wanted`.
  void require(ProtoWire wanted) const;

 private:
  friend class ProtoMessage;
  friend class ProtoVarints;

  std::uint32_t number_ = 0;
  ProtoWire wire_ = ProtoWire::varint;
  std::int64_t byte_ = 0;
  std::int64_t value_byte_ = 0;
  std::uint64_t integer_ = 0;         // of a varint
  std::span<const std::byte> value_;  // of bytes: these; else the value as stored
  ProtoNames names_;
};

// The varints of a repeated field, packed or a single one, one after the other.
class ProtoVarints {
 public:
  explicit ProtoVarints(const ProtoField& field);
  // Nothing at the end. Throws Error.
  [[nodiscard]] std::optional<std::uint64_t> next();

 private:
  std::span<const std::byte> rest_;
  std::int64_t byte_;
};

// A message: its fields in the order of the file. Views; nothing is copied.
class ProtoMessage {
 public:
  // `byte`: where `bytes` begin in the file.
  ProtoMessage(std::span<const std::byte> bytes, std::int64_t byte, ProtoNames names)
      : rest_(bytes), byte_(byte), names_(names) {}

  // Goes to the next field; false at the end. A field is skipped by going to the next one. Throws Error where
  // the field is of no valid number or wire type, and ProtoCutError where it is not whole.
  bool next();
  // Valid after next() has returned true, until the next call.
  [[nodiscard]] const ProtoField& field() const { return field_; }

 private:
  std::span<const std::byte> take(std::uint64_t size);

  std::span<const std::byte> rest_;  // what was not taken
  std::int64_t byte_;                // of rest_
  ProtoNames names_;
  ProtoField field_;
};

// Writing: each appends one field.
void append_proto_integer(std::string& out, std::uint32_t number, std::int64_t value);
void append_proto_bytes(std::string& out, std::uint32_t number, std::string_view bytes);
// The beginning of a field of `length` bytes, which follow.
void append_proto_length(std::string& out, std::uint32_t number, std::int64_t length);
// The bytes of a field of `length` bytes, all together.
[[nodiscard]] std::int64_t proto_field_bytes(std::uint32_t number, std::int64_t length);

}  // namespace tensorop
