// Protobuf's wire format: the fields of a message, from memory or a stream, and how they are written. The
// trust boundary of every format made of protobuf messages: a field is either whole and within its message,
// or an Error says what is wrong and at which byte. Source: the protobuf encoding guide; docs/formats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  [[nodiscard]] std::uint64_t unsigned_integer() const;
  [[nodiscard]] float float32() const;
  [[nodiscard]] std::span<const std::byte> bytes() const;
  [[nodiscard]] std::string_view text() const;  // the same: any bytes
  // The same as a message, whose positions are those of the file.
  [[nodiscard]] ProtoMessage message(ProtoNames names) const;
  // The numbers of `width` bytes (4 or 8) of a repeated field, packed or a single one, one after the other,
  // little-endian, at any address.
  [[nodiscard]] std::span<const std::byte> fixed_numbers(std::int64_t width) const;
  // The number of bytes of bytes(), also before these are there.
  [[nodiscard]] std::int64_t length() const;

  // Throws Error: the value is of another wire type than `wanted`.
  void require(ProtoWire wanted) const;

 private:
  friend class ProtoMessage;
  friend class ProtoVarints;

  std::uint32_t number_ = 0;
  ProtoWire wire_ = ProtoWire::varint;
  std::int64_t byte_ = 0;
  std::int64_t value_byte_ = 0;
  std::uint64_t integer_ = 0;         // of a varint; of bytes: their number
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

// The bytes of a message that arrives. Memory grows with them.
class ProtoStream {
 public:
  // Fills a part of the buffer, at least one byte; returns how much, 0 only at the end.
  using Read = std::function<std::size_t(std::span<std::byte> buffer)>;

  explicit ProtoStream(Read read) : read_(std::move(read)) {}

  // All that was read of the message, if nothing of it was taken by ProtoMessage::read().
  [[nodiscard]] std::span<const std::byte> kept() const { return kept_; }

 private:
  friend class ProtoMessage;

  bool extend(std::span<const std::byte>& rest, std::size_t size, const ProtoField& field);
  std::size_t pull(std::span<std::byte> buffer);

  Read read_;
  std::vector<std::byte> kept_;
  std::int64_t arrived_ = 0;  // bytes
};

// A message: its fields in the order of the file. Views; nothing is copied.
class ProtoMessage {
 public:
  // In memory. `byte`: where `bytes` begin in the file.
  ProtoMessage(std::span<const std::byte> bytes, std::int64_t byte, ProtoNames names)
      : rest_(bytes), byte_(byte), names_(names) {}
  // One that arrives, from its first byte. The end of the stream, which outlives it, is its end.
  ProtoMessage(ProtoStream& stream, ProtoNames names) : byte_(0), names_(names), stream_(&stream) {}

  // Goes to the next field; false at the end. A field is skipped by going to the next one. Throws Error where
  // the field is not whole, or of no valid number or wire type.
  bool next();
  // The same in two steps, for a reader that refuses a field before its bytes are there: of a field of bytes
  // only the length() is known until finish().
  bool begin();
  void finish();
  // Instead of finish(), of a message that arrives: fills `buffer` with the next bytes of the field, which
  // are not kept. All of them are to be read. Throws Error where the message ends first.
  void read(std::span<std::byte> buffer);
  // Valid after next() or begin() has returned true, until the next call.
  [[nodiscard]] const ProtoField& field() const { return field_; }

 private:
  bool await(std::size_t size);
  void await_varint();
  std::span<const std::byte> take(std::uint64_t size);

  std::span<const std::byte> rest_;  // what was not taken; of a stream: the end of what was kept
  std::int64_t byte_;                // of rest_
  ProtoNames names_;
  ProtoField field_;
  ProtoStream* stream_ = nullptr;
};

// Writing: each appends one field.
void append_proto_integer(std::string& out, std::uint32_t number, std::int64_t value);
void append_proto_float(std::string& out, std::uint32_t number, float value);
void append_proto_bytes(std::string& out, std::uint32_t number, std::string_view bytes);
// The beginning of a field of `length` bytes, which follow.
void append_proto_length(std::string& out, std::uint32_t number, std::int64_t length);
// The bytes of a field of `length` bytes, all together.
[[nodiscard]] std::int64_t proto_field_bytes(std::uint32_t number, std::int64_t length);

}  // namespace tensorop
