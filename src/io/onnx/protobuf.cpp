#include "io/onnx/protobuf.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"

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

// Takes a varint from the front of `rest`, which begins at `byte`: seven bits in each byte, the lowest first.
std::uint64_t take_varint(Bytes& rest, std::int64_t& byte) {
  const std::size_t most = std::min(rest.size(), kLongestVarint);
  const std::byte* const at = rest.data();
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const std::byte part = at[i];  // once: a mapped file may change
    value |= std::to_integer<std::uint64_t>(part & std::byte{0x7F}) << 7 * i;
    if (continues(part)) continue;
    // Of the tenth byte one bit is left.
    if (i + 1 == kLongestVarint && part > std::byte{1}) {
      throw Error(cat("a number does not fit in 64 bits", at_byte(byte)));
    }
    rest = rest.subspan(i + 1);
    byte += to_int64(i + 1);
    return value;
  }
  if (most < kLongestVarint) throw Error(cat("ends inside a number", at_byte(byte)));
  throw Error(cat("a number is longer than ", kLongestVarint, " bytes", at_byte(byte)));
}

// Empty where it has none.
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

// Takes the number and the wire type of a field.
Tag take_tag(Bytes& rest, std::int64_t& byte, ProtoNames names) {
  const std::int64_t begin = byte;
  const std::uint64_t tag = take_varint(rest, byte);
  const std::uint64_t number = tag >> 3U;
  const auto wire = static_cast<int>(tag & 7U);
  if (number == 0) throw Error(cat("field number 0", at_byte(begin)));
  if (number > kMostNumber) {
    throw Error(cat("field number ", number, at_byte(begin), " is above ", kMostNumber));
  }
  const auto known = static_cast<std::uint32_t>(number);
  if (wire != 0 && wire != 1 && wire != 2 && wire != 5) {
    throw Error(cat("wire type ", wire, " of ", numbered(names, known), " is not read", at_byte(begin)));
  }
  return {known, static_cast<ProtoWire>(wire)};
}

std::string ends_inside(const ProtoField& field, std::uint64_t length, std::int64_t left) {
  return cat("ends inside ", field.name(), at_byte(field.value_byte()), ": ", length, " bytes announced, ",
             left, " left");
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
  return static_cast<std::int64_t>(unsigned_integer());
}

std::uint64_t ProtoField::unsigned_integer() const {
  require(ProtoWire::varint);
  return integer_;
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
  const Bytes value = bytes();
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

ProtoMessage ProtoField::message(ProtoNames names) const {
  return {bytes(), value_byte_, names};
}

std::int64_t ProtoField::length() const {
  require(ProtoWire::bytes);
  return static_cast<std::int64_t>(integer_);
}

Bytes ProtoField::fixed_numbers(std::int64_t width) const {
  if (wire_ != ProtoWire::bytes) require(width == 4 ? ProtoWire::fixed32 : ProtoWire::fixed64);
  if (to_int64(value_.size()) % width != 0) {
    throw Error(cat(name(), ": ", value_.size(), " bytes are not a multiple of ", width, at_byte(byte_)));
  }
  return value_;
}

ProtoVarints::ProtoVarints(const ProtoField& field) : rest_(field.value_), byte_(field.value_byte_) {
  if (field.wire_ != ProtoWire::bytes) field.require(ProtoWire::varint);
}

std::optional<std::uint64_t> ProtoVarints::next() {
  if (rest_.empty()) return std::nullopt;
  return take_varint(rest_, byte_);
}

// Reads until `rest`, the end of what was kept, has `size` bytes, those of `field`; false where the message
// ends first.
bool ProtoStream::extend(Bytes& rest, std::size_t size, const ProtoField& field) {
  constexpr std::size_t kLeast = 1 << 16;
  constexpr std::size_t kBlock = 1 << 20;
  const std::size_t used = kept_.size() - rest.size();
  while (rest.size() < size) {
    // After the first block has arrived: bytes much fewer than announced are reported as such.
    if (rest.size() >= kBlock && kept_.capacity() < used + size) {
      require_memory(to_int64(size), field.name());
      // With space to read ahead, and to find the end.
      kept_.reserve(std::max(used + size + 2 * kLeast, 2 * used));
    }
    const std::size_t have = kept_.size();
    const std::size_t wanted = std::min(size - rest.size(), kBlock);
    kept_.resize(have + std::max(wanted, kLeast));
    // No more than is there now, once that is enough: what is wrong with it shows soon.
    std::size_t got = 0;
    while (got < wanted) {
      const std::size_t more = pull(std::span(kept_).subspan(have + got));
      if (more == 0) break;
      got += more;
    }
    kept_.resize(have + got);
    rest = Bytes(kept_).subspan(used);
    if (got < wanted) return false;
  }
  return true;
}

std::size_t ProtoStream::pull(std::span<std::byte> buffer) {
  const std::size_t got = read_(buffer);
  arrived_ += to_int64(got);
  if (arrived_ > kMostProtoBytes) throw Error(cat("a message of more than ", kMostProtoBytes, " bytes"));
  return got;
}

// Whether the message goes on for `size` bytes, which rest_ then has.
bool ProtoMessage::await(std::size_t size) {
  return rest_.size() >= size || (stream_ != nullptr && stream_->extend(rest_, size, field_));
}

// Has all bytes of a number in rest_, as far as the message has them.
void ProtoMessage::await_varint() {
  if (stream_ == nullptr) return;
  for (std::size_t i = 0; i < kLongestVarint; ++i) {
    if (!await(i + 1) || !continues(rest_[i])) return;
  }
}

Bytes ProtoMessage::take(std::uint64_t size) {
  // Not as a signed number: a length may have 64 bits.
  if (!await(size)) throw Error(ends_inside(field_, size, to_int64(rest_.size())));
  const Bytes value = rest_.first(size);
  rest_ = rest_.subspan(size);
  byte_ += static_cast<std::int64_t>(size);
  return value;
}

bool ProtoMessage::begin() {
  if (!await(1)) return false;
  field_ = ProtoField();
  field_.names_ = names_;
  field_.byte_ = byte_;
  await_varint();
  const Tag tag = take_tag(rest_, byte_, names_);
  field_.number_ = tag.number;
  field_.wire_ = tag.wire;
  field_.value_byte_ = byte_;
  if (tag.wire == ProtoWire::fixed32 || tag.wire == ProtoWire::fixed64) {
    field_.value_ = take(tag.wire == ProtoWire::fixed64 ? 8 : 4);
    return true;
  }
  await_varint();
  const Bytes value = rest_;
  field_.integer_ = take_varint(rest_, byte_);
  if (tag.wire == ProtoWire::varint) {
    field_.value_ = value.first(value.size() - rest_.size());
    return true;
  }
  field_.value_byte_ = byte_;
  const std::int64_t most = kMostProtoBytes - byte_;
  if (stream_ != nullptr && field_.integer_ > static_cast<std::uint64_t>(most)) {
    throw Error(
        cat(field_.name(), at_byte(byte_), ": ", field_.integer_, " bytes announced, at most ", most));
  }
  return true;
}

void ProtoMessage::finish() {
  if (field_.wire_ == ProtoWire::bytes) field_.value_ = take(field_.integer_);
}

bool ProtoMessage::next() {
  if (!begin()) return false;
  finish();
  return true;
}

void ProtoMessage::read(std::span<std::byte> buffer) {
  std::size_t done = std::min(buffer.size(), rest_.size());
  std::ranges::copy(take(done), buffer.begin());
  while (done < buffer.size()) {
    const std::size_t got = stream_->pull(buffer.subspan(done));
    if (got == 0) throw Error(ends_inside(field_, field_.integer_, byte_ - field_.value_byte_));
    done += got;
    byte_ += to_int64(got);
  }
}

namespace {

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  out += static_cast<char>(value);
}

void append_tag(std::string& out, std::uint32_t number, ProtoWire wire) {
  append_varint(out, std::uint64_t{number} << 3U | static_cast<std::uint64_t>(wire));
}

}  // namespace

void append_proto_integer(std::string& out, std::uint32_t number, std::int64_t value) {
  append_tag(out, number, ProtoWire::varint);
  append_varint(out, static_cast<std::uint64_t>(value));
}

void append_proto_float(std::string& out, std::uint32_t number, float value) {
  append_tag(out, number, ProtoWire::fixed32);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
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
