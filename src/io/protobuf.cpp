#include "io/protobuf.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

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

std::string_view name_of(ProtoNames names, std::uint32_t number) {
  return number < names.size() ? names[number] : std::string_view();
}

// "field 2 (data_type)".
std::string numbered(std::uint32_t number, std::string_view name) {
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
    throw Error(cat("wire type ", wire, " of ", numbered(known, name_of(names, known)), " is not read",
                    at_byte(begin)));
  }
  return {known, static_cast<ProtoWire>(wire)};
}

std::string ends_inside(const ProtoField& field, std::int64_t length, std::int64_t left) {
  return cat("ends inside ", field.name(), at_byte(field.value_byte()), ": ", length, " bytes announced, ",
             left, " left");
}

}  // namespace

std::string ProtoField::name() const {
  return name_.empty() ? cat("field ", number_) : std::string(name_);
}

void ProtoField::require(ProtoWire wanted) const {
  if (wire_ == wanted) return;
  throw Error(cat(numbered(number_, name_), " has wire type ", static_cast<int>(wire_), ", not ",
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

bool ProtoMessage::next() {
  if (rest_.empty()) return false;
  field_ = ProtoField();
  field_.byte_ = byte_;
  const Tag tag = take_tag(rest_, byte_, names_);
  field_.number_ = tag.number;
  field_.wire_ = tag.wire;
  field_.name_ = name_of(names_, tag.number);
  field_.value_byte_ = byte_;
  const Bytes value = rest_;
  std::int64_t size = tag.wire == ProtoWire::fixed64 ? 8 : 4;
  if (tag.wire == ProtoWire::varint) {
    field_.integer_ = take_varint(rest_, byte_);
    field_.value_ = value.first(value.size() - rest_.size());
    return true;
  }
  if (tag.wire == ProtoWire::bytes) {
    const std::uint64_t length = take_varint(rest_, byte_);
    field_.value_byte_ = byte_;
    if (length > rest_.size()) {
      // Not as a signed number: a length may have 64 bits.
      throw Error(cat("ends inside ", field_.name(), at_byte(byte_), ": ", length, " bytes announced, ",
                      rest_.size(), " left"));
    }
    field_.integer_ = length;
    size = static_cast<std::int64_t>(length);
  }
  if (size > to_int64(rest_.size())) throw Error(ends_inside(field_, size, to_int64(rest_.size())));
  field_.value_ = rest_.first(to_size(size));
  rest_ = rest_.subspan(to_size(size));
  byte_ += size;
  return true;
}

ProtoStream::ProtoStream(Read read, ProtoNames names) : read_(std::move(read)), names_(names) {}

// Fills the buffer and returns how much of it; less only at the end.
std::size_t ProtoStream::pull(std::span<std::byte> buffer) {
  std::size_t done = std::min(buffer.size(), ahead_.size() - used_);
  std::copy_n(ahead_.begin() + static_cast<std::ptrdiff_t>(used_), done, buffer.begin());
  used_ += done;
  while (done < buffer.size()) {
    const std::size_t got = read_(buffer.subspan(done));
    if (got == 0) break;
    done += got;
  }
  position_ += to_int64(done);
  if (position_ > kMostProtoBytes) throw Error(cat("a message of more than ", kMostProtoBytes, " bytes"));
  return done;
}

bool ProtoStream::keep_byte() {
  constexpr std::size_t kAhead = 1 << 16;
  if (used_ == ahead_.size()) {
    ahead_.resize(kAhead);
    used_ = 0;
    ahead_.resize(read_(ahead_));
  }
  std::byte byte{};
  if (pull({&byte, 1}) == 0) return false;
  kept_.push_back(byte);
  return true;
}

void ProtoStream::keep_varint() {
  for (std::size_t i = 0; i < kLongestVarint; ++i) {
    if (!keep_byte() || !continues(kept_.back())) return;
  }
}

bool ProtoStream::next() {
  const std::size_t front = kept_.size();
  const std::int64_t begin = position_;
  keep_varint();
  if (kept_.size() == front) return false;
  const auto so_far = [&] { return Bytes(kept_).subspan(front); };
  Bytes rest = so_far();
  std::int64_t byte = begin;
  const Tag tag = take_tag(rest, byte, names_);
  const auto tag_bytes = static_cast<std::size_t>(byte - begin);
  if (tag.wire == ProtoWire::varint || tag.wire == ProtoWire::bytes) {
    keep_varint();
  } else {
    for (int i = tag.wire == ProtoWire::fixed64 ? 8 : 4; i > 0 && keep_byte(); --i) {
    }
  }
  if (tag.wire != ProtoWire::bytes) {
    ProtoMessage whole(so_far(), begin, names_);
    whole.next();
    field_ = whole.field();
    return true;
  }
  rest = so_far().subspan(tag_bytes);
  const std::uint64_t length = take_varint(rest, byte);
  field_ = ProtoField();
  field_.number_ = tag.number;
  field_.wire_ = tag.wire;
  field_.name_ = name_of(names_, tag.number);
  field_.byte_ = begin;
  field_.value_byte_ = byte;
  field_.integer_ = length;
  const std::int64_t most = kMostProtoBytes - byte;
  if (length > static_cast<std::uint64_t>(most)) {
    throw Error(cat(field_.name(), at_byte(byte), ": ", length, " bytes announced, at most ", most));
  }
  done_ = 0;
  return true;
}

void ProtoStream::keep() {
  constexpr std::int64_t kBlock = 1 << 20;
  const std::size_t front = kept_.size();
  const std::int64_t length = field_.length();
  while (done_ < length) {
    // After the first block has arrived: bytes much fewer than announced are reported as such.
    if (done_ != 0 && kept_.capacity() < front + to_size(length)) {
      require_memory(length, field_.name());
      kept_.reserve(front + to_size(length));
    }
    const std::size_t have = kept_.size();
    kept_.resize(have + to_size(std::min(kBlock, length - done_)));
    read(std::span(kept_).subspan(have));
  }
  field_.value_ = Bytes(kept_).subspan(front);
}

void ProtoStream::read(std::span<std::byte> buffer) {
  const std::size_t got = pull(buffer);
  done_ += to_int64(got);
  if (got < buffer.size()) throw Error(ends_inside(field_, field_.length(), done_));
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
