#include "io/onnx/protobuf.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kLongestVarint = 10;
constexpr std::uint32_t kMostNumber = (1U << 29U) - 1;

bool continues(std::byte byte) {
  return (byte & std::byte{0x80}) != std::byte{0};
}

std::string at_byte(std::int64_t byte) {
  return cat(" (byte ", byte, ')');
}

// Reads a varint from the front of `rest`, which begins at `byte`: seven bits in each byte, lowest first.
std::uint64_t take_varint(Bytes& rest, std::int64_t& byte) {
  const std::size_t most = std::min(rest.size(), kLongestVarint);
  const std::byte* const at = rest.data();
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const std::byte part = at[i];  // read once: a mapped file may change
    value |= std::to_integer<std::uint64_t>(part & std::byte{0x7F}) << 7 * i;
    if (continues(part)) continue;
    // The tenth byte has only one significant bit.
    if (i + 1 == kLongestVarint && part > std::byte{1})
      throw Error(cat("a number does not fit in 64 bits", at_byte(byte)));
    rest = rest.subspan(i + 1);
    byte += to_int64(i + 1);
    return value;
  }
  if (most < kLongestVarint) throw ProtoCutError(cat("ends inside a number", at_byte(byte)));
  throw Error(cat("a number is longer than ", kLongestVarint, " bytes", at_byte(byte)));
}

// Empty if the field has no name.
std::string_view name_of(ProtoNames names, std::uint32_t number) {
  const auto found = std::ranges::find(names, number, &ProtoName::number);
  return found == names.end() ? std::string_view() : found->name;
}

// "field 2 (data_type)".
std::string numbered(ProtoNames names, std::uint32_t number) {
  const std::string_view name = name_of(names, number);
  return name.empty() ? cat("field ", number) : cat("field ", number, " (", name, ')');
}

struct Tag {
  std::uint32_t number;
  ProtoWire wire;
};

// Reads the number and the wire type of a field.
Tag take_tag(Bytes& rest, std::int64_t& byte, ProtoNames names) {
  const std::int64_t begin = byte;
  const std::uint64_t tag = take_varint(rest, byte);
  const std::uint64_t number = tag >> 3U;
  const auto wire = static_cast<int>(tag & 7U);
  if (number == 0) throw Error(cat("field number 0", at_byte(begin)));
  if (number > kMostNumber)
    throw Error(cat("field number ", number, at_byte(begin), " is above ", kMostNumber));
  const auto known = static_cast<std::uint32_t>(number);
  if (wire != 0 && wire != 1 && wire != 2 && wire != 5)
    throw Error(cat("wire type ", wire, " of ", numbered(names, known), " is not read", at_byte(begin)));
  return {known, static_cast<ProtoWire>(wire)};
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  out += static_cast<char>(value);
}

void append_tag(std::string& out, std::uint32_t number, ProtoWire wire) {
  append_varint(out, std::uint64_t{number} << 3U | static_cast<std::uint64_t>(wire));
}

}  // namespace

std::string ProtoField::name() const {
  const std::string_view name = name_of(names_, number_);
  return name.empty() ? cat("field ", number_) : std::string(name);
}

void ProtoField::require(ProtoWire wanted) const {
  if (wire_ == wanted) return;
  throw Error(cat(numbered(names_, number_), " has wire type ", static_cast<int>(wire_), ", not ",
                  static_cast<int>(wanted), at_byte(byte_)));
}

std::int64_t ProtoField::integer() const {
  require(ProtoWire::varint);
  return static_cast<std::int64_t>(integer_);
}

float ProtoField::float32() const {
  require(ProtoWire::fixed32);
  float value = 0;
  std::memcpy(&value, value_.data(), sizeof value);
  return value;
}

Bytes ProtoField::bytes() const {
  require(ProtoWire::bytes);
  return value_;
}

std::string_view ProtoField::text() const {
  return bytes_text(bytes());
}

ProtoMessage ProtoField::message(ProtoNames names) const {
  return {bytes(), value_byte_, names};
}

Bytes ProtoField::fixed_numbers(std::int64_t width) const {
  if (wire_ != ProtoWire::bytes) require(width == 4 ? ProtoWire::fixed32 : ProtoWire::fixed64);
  if (to_int64(value_.size()) % width != 0)
    throw Error(cat(name(), ": ", value_.size(), " bytes are not a multiple of ", width, at_byte(byte_)));
  return value_;
}

ProtoVarints::ProtoVarints(const ProtoField& field) : rest_(field.value_), byte_(field.value_byte_) {
  if (field.wire_ != ProtoWire::bytes) field.require(ProtoWire::varint);
}

std::optional<std::uint64_t> ProtoVarints::next() {
  if (rest_.empty()) return std::nullopt;
  return take_varint(rest_, byte_);
}

Bytes ProtoMessage::read_bytes(std::uint64_t size) {
  // Compared as unsigned: a length may have 64 bits.
  if (rest_.size() < size) {
    const std::string text = cat("ends inside ", field_.name(), at_byte(field_.value_byte_), ": ", size,
                                 " bytes announced, ", rest_.size(), " left");
    // No valid message is so long.
    if (size > static_cast<std::uint64_t>(kMostProtoBytes)) throw Error(text);
    throw ProtoCutError(text);
  }
  const Bytes value = rest_.first(size);
  rest_ = rest_.subspan(size);
  byte_ += static_cast<std::int64_t>(size);
  return value;
}

bool ProtoMessage::next() {
  if (rest_.empty()) return false;
  field_ = ProtoField();
  field_.names_ = names_;
  field_.byte_ = byte_;
  const Tag tag = take_tag(rest_, byte_, names_);
  field_.number_ = tag.number;
  field_.wire_ = tag.wire;
  field_.value_byte_ = byte_;
  if (tag.wire == ProtoWire::fixed32 || tag.wire == ProtoWire::fixed64) {
    field_.value_ = read_bytes(tag.wire == ProtoWire::fixed64 ? 8 : 4);
    return true;
  }
  const Bytes varint = rest_;
  field_.integer_ = take_varint(rest_, byte_);
  if (tag.wire == ProtoWire::varint) {
    field_.value_ = varint.first(varint.size() - rest_.size());
  } else {
    field_.value_byte_ = byte_;
    field_.value_ = read_bytes(field_.integer_);
  }
  return true;
}

void append_proto_integer(std::string& out, std::uint32_t number, std::int64_t value) {
  append_tag(out, number, ProtoWire::varint);
  append_varint(out, static_cast<std::uint64_t>(value));
}

void append_proto_length(std::string& out, std::uint32_t number, std::int64_t length) {
  append_tag(out, number, ProtoWire::bytes);
  append_varint(out, static_cast<std::uint64_t>(length));
}

void append_proto_bytes(std::string& out, std::uint32_t number, std::string_view bytes) {
  append_proto_length(out, number, to_int64(bytes.size()));
  out += bytes;
}

std::int64_t proto_field_bytes(std::uint32_t number, std::int64_t length) {
  std::string prefix;
  append_proto_length(prefix, number, length);
  return to_int64(prefix.size()) + length;
}

}  // namespace tensorop
