// Reads and writes protobuf's wire format in memory. The trust boundary of every format made of protobuf
// messages: a field is either whole and within its message, or an Error says what is wrong and at which byte.
// Source: the Protocol Buffers documentation, "Encoding"; docs/formats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text/error.hpp"

namespace tensorop {

// Maximum bytes of a message and of a field: the limit of protobuf parsers.
inline constexpr std::int64_t kMostProtoBytes = 2147483647;

// Wire types. Groups (3 and 4) are refused.
enum class ProtoWire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// The name of a field, for messages: "field 2 (data_type)".
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

// A complete field, as a view into its message. Each function that returns the value throws Error if the
// field has another wire type.
class ProtoField {
 public:
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] ProtoWire wire() const { return wire_; }
  // Offsets of the field and of its value in the file.
  [[nodiscard]] std::int64_t byte() const { return byte_; }
  [[nodiscard]] std::int64_t value_byte() const { return value_byte_; }
  // "raw_data", or "field 17".
  [[nodiscard]] std::string name() const;

  [[nodiscard]] std::int64_t integer() const;  // int32, int64, enum: 64-bit two's complement
  [[nodiscard]] float float32() const;
  [[nodiscard]] std::span<const std::byte> bytes() const;
  [[nodiscard]] std::string_view text() const;  // any bytes, not checked to be UTF-8
  // The bytes as a message; its positions are offsets in the file.
  [[nodiscard]] ProtoMessage message(ProtoNames names) const;
  // The numbers of `width` bytes (4 or 8) of a repeated field, packed or single, consecutive, little-endian,
  // unaligned.
  [[nodiscard]] std::span<const std::byte> fixed_numbers(std::int64_t width) const;

  // Throws Error if the wire type is not `wanted`.
  void require(ProtoWire wanted) const;

 private:
  friend class ProtoMessage;
  friend class ProtoVarints;

  std::uint32_t number_ = 0;
  ProtoWire wire_ = ProtoWire::varint;
  std::int64_t byte_ = 0;
  std::int64_t value_byte_ = 0;
  std::uint64_t integer_ = 0;         // value of a varint
  std::span<const std::byte> value_;  // bytes field: its contents; else the value as stored
  ProtoNames names_;
};

// The varints of a repeated field, packed or single, in order.
class ProtoVarints {
 public:
  explicit ProtoVarints(const ProtoField& field);
  // Returns nothing at the end. Throws Error.
  [[nodiscard]] std::optional<std::uint64_t> next();

 private:
  std::span<const std::byte> rest_;
  std::int64_t byte_;
};

// A message: its fields in file order. A view; nothing is copied.
class ProtoMessage {
 public:
  // `byte`: the offset of `bytes` in the file.
  ProtoMessage(std::span<const std::byte> bytes, std::int64_t byte, ProtoNames names)
      : rest_(bytes), byte_(byte), names_(names) {}

  // Advances to the next field; false at the end. Throws Error if the field has an invalid number or wire
  // type, and ProtoCutError if it is cut.
  bool next();
  // Valid after next() has returned true, until the next call.
  [[nodiscard]] const ProtoField& field() const { return field_; }

 private:
  std::span<const std::byte> read_bytes(std::uint64_t size);

  std::span<const std::byte> rest_;  // the bytes not yet read
  std::int64_t byte_;                // offset of rest_
  ProtoNames names_;
  ProtoField field_;
};

// Append one field.
void append_proto_integer(std::string& out, std::uint32_t number, std::int64_t value);
void append_proto_bytes(std::string& out, std::uint32_t number, std::string_view bytes);
// Appends the tag and length of a field; `length` bytes must follow.
void append_proto_length(std::string& out, std::uint32_t number, std::int64_t length);
// The total bytes of a field whose contents have `length` bytes.
[[nodiscard]] std::int64_t proto_field_bytes(std::uint32_t number, std::int64_t length);

}  // namespace tensorop
