// What the fields of a TensorProto say of its tensor: all but the values of its elements. The trust boundary
// of the format: everything that io/tensor_proto.cpp relies on is checked here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/protobuf.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// What is known of a tensor when the fields of its message have been seen.
class TensorProtoHeader {
 public:
  // In the order of the file: first expect(), which looks at no bytes of a value, then take(). Throw Error.
  void expect(const ProtoField& of);
  void take(const ProtoField& of);
  // After the last field. Throws Error.
  void finish();

  [[nodiscard]] DType dtype() const { return *dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // The field that the elements are in; 0 where there is none.
  [[nodiscard]] std::uint32_t data_field() const { return data_field_; }
  // Of raw_data: its bytes, where they are in memory.
  [[nodiscard]] std::span<const std::byte> raw() const { return raw_; }
  [[nodiscard]] std::int64_t raw_bytes() const { return raw_bytes_; }
  [[nodiscard]] std::int64_t string_bytes() const { return string_bytes_; }
  // The line of the warning about fields that are not known; empty where there are none.
  [[nodiscard]] std::string warning() const;

 private:
  void require_once(const ProtoField& of, bool& seen);
  void take_dims(const ProtoField& of);
  void expect_data(const ProtoField& of);
  void take_data(const ProtoField& of);
  void take_unknown(const ProtoField& of);
  [[noreturn]] void refuse_external() const;
  void require_right_field() const;
  void require_raw_bytes() const;
  void require_numbers() const;
  [[nodiscard]] std::string foreign_hint() const;
  [[noreturn]] void wrong_size(const std::string& has, std::int64_t needed) const;

  bool is_empty_ = true;
  Shape shape_;
  bool packed_dims_ = false;
  std::optional<DType> dtype_;
  bool has_name_ = false;
  std::string name_;
  std::uint32_t data_field_ = 0;
  std::int64_t numbers_ = 0;  // in a typed field
  bool has_raw_ = false;
  std::span<const std::byte> raw_;
  std::int64_t raw_bytes_ = 0;
  std::int64_t string_bytes_ = 0;
  bool has_location_ = false;
  bool is_external_ = false;
  std::optional<std::string> location_;
  std::vector<std::uint32_t> unknown_;
};

// Of a message in memory, which begins at `byte` of its file. Throws Error, which says what the message is
// where its fields are not those of a tensor and that is known.
[[nodiscard]] TensorProtoHeader read_tensor_proto_header(std::span<const std::byte> message,
                                                         std::int64_t byte);

}  // namespace tensorop
