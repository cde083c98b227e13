// What the fields of a TensorProto say of its tensor: all but the values of its elements, and those values
// where they are not stored as in memory. The trust boundary of the format: everything that
// io/onnx/tensor_proto.cpp relies on is checked here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/onnx/protobuf.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Where the elements of a tensor of a model are that another file has.
struct ExternalData {
  std::string location = {};  // a path from the folder of the model; any bytes
  std::int64_t offset = 0;    // not negative
};

// What is known of a tensor when the fields of its message have been seen.
class TensorProtoHeader {
 public:
  // Reads all fields. Throws Error, also where the elements are in another file unless `may_be_external`.
  explicit TensorProtoHeader(ProtoMessage message, bool may_be_external = false);
  // Throws the Error for which the bytes up to here are enough, of a message that goes on.
  static void require_possible(ProtoMessage front);

  [[nodiscard]] DType dtype() const { return *dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // The field that the elements are in; 0 where there is none.
  [[nodiscard]] std::uint32_t data_field() const { return data_field_; }
  // The bytes of raw_data in the message.
  [[nodiscard]] std::span<const std::byte> raw() const { return raw_; }
  [[nodiscard]] std::int64_t string_bytes() const { return string_bytes_; }
  // Of elements in another file, as many bytes as dtype and shape take; else nothing.
  [[nodiscard]] const std::optional<ExternalData>& external() const { return external_; }
  // The line of the warning about fields that are not known; empty where there are none.
  [[nodiscard]] std::string warning() const;

 private:
  TensorProtoHeader() = default;
  void require_known_wire(const ProtoField& of);
  void take(const ProtoField& of);
  void finish(bool may_be_external);
  void require_once(const ProtoField& of);
  void take_dims(const ProtoField& of);
  void take_data(const ProtoField& of);
  void take_unknown(const ProtoField& of);
  void take_external(const ProtoField& of);
  [[noreturn]] void refuse_external() const;
  void require_external() const;
  void require_right_field() const;
  void require_raw_bytes() const;
  void require_numbers() const;
  [[nodiscard]] std::string foreign_hint() const;
  [[noreturn]] void wrong_size(const std::string& has, std::int64_t needed) const;

  bool is_empty_ = true;
  std::uint32_t singles_ = 0;  // the fields that were met which are single: a bit for each number
  Shape shape_;
  bool packed_dims_ = false;
  std::optional<DType> dtype_;
  std::string name_;
  std::uint32_t data_field_ = 0;
  std::int64_t numbers_ = 0;  // in a typed field
  std::span<const std::byte> raw_;
  std::int64_t string_bytes_ = 0;
  std::optional<ExternalData> external_;
  std::optional<std::int64_t> external_bytes_;  // where they are stated
  std::vector<std::uint32_t> unknown_;
};

// Of a message in memory, which begins at `byte` of its file. Throws Error, which says what the message is
// where its fields are not those of a tensor and that is known.
[[nodiscard]] TensorProtoHeader read_tensor_proto_header(std::span<const std::byte> message,
                                                         std::int64_t byte, bool may_be_external = false);

// The bytes of so many elements where those of less than 8 bits are packed; nothing where int64 does not hold
// them.
[[nodiscard]] std::optional<std::int64_t> packed_bytes(DType dtype, std::int64_t elements);

// How many numbers, or strings, a field of typed data holds. Throws Error.
[[nodiscard]] std::int64_t count_numbers(const ProtoField& field);

// The tensor whose elements are in the typed field of `dtype`, in a message that begins at `byte` of its file
// and has as many of them as `shape` wants. Throws Error naming the first element that is not one.
[[nodiscard]] Tensor decode_typed_data(std::span<const std::byte> message, std::int64_t byte, DType dtype,
                                       const Shape& shape);

}  // namespace tensorop
