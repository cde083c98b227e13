#include "io/onnx/tensor_proto_header.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/array/stored_array.hpp"
#include "io/onnx/message_kind.hpp"
#include "io/onnx/tensor_proto_fields.hpp"

namespace tensorop {
namespace {

namespace field = tensor_proto;
using Bytes = std::span<const std::byte>;

std::string at_byte(const ProtoField& of) {
  return cat(" (byte ", of.byte(), ')');
}

static_assert(std::ranges::none_of(kDTypes, [](const DTypeInfo& row) { return row.onnx == 0; }),
              "a dtype without a number in TensorProto must be among Format::missing of its formats");

DType read_data_type(const ProtoField& of, const std::string& hint) {
  const std::int64_t number = of.integer();
  const auto* const row = std::ranges::find(kDTypes, number, &DTypeInfo::onnx);
  if (row != kDTypes.end()) return row->dtype;
  throw Error(cat(field::refused_data_type(number), at_byte(of)), "", hint);
}

class TensorProtoReader {
 public:
  TensorProtoHeader read(ProtoMessage message, bool may_be_external) {
    for (; message.next(); is_empty_ = false) take_field(message.field());
    finish(may_be_external);
    warn_of_unknown();
    return {.dtype = *dtype_,
            .shape = shape_,
            .name = name_,
            .data_field = data_field_,
            .raw = raw_,
            .string_bytes = string_bytes_,
            .external = external_,
            .warnings = std::move(warnings_)};
  }

  void take_field(const ProtoField& of) {
    if (of.number() == field::kSegment) {
      throw Error(cat("holds a segment, or is an ONNX sequence or optional", at_byte(of),
                      "; single tensors are read"));
    }
    if (of.number() == field::kNeverAssigned)
      throw Error(cat("not an ONNX tensor: it has a field ", of.number(), at_byte(of)));
    require_known_wire(of);
    if (field::field_of(of.number()).is_single) require_once(of);
    switch (of.number()) {
      case field::kDims:
        return take_dims(of);
      case field::kDataType:
        dtype_ = read_data_type(of, foreign_hint());
        return require_right_field();
      case field::kName:
        name_ = of.text();
        return;
      case field::kExternalData:
        return take_external(of);
      case field::kDataLocation:
        if (of.integer() == 1 && !external_) external_.emplace();
        if (of.integer() != 0 && of.integer() != 1)
          throw Error(cat("data_location = ", of.integer(), " is not known", at_byte(of)));
        return;
      case field::kDocString:
      case field::kMetadata:
        return;
      default:
        return field::field_of(of.number()).is_data ? take_data(of) : take_unknown(of);
    }
  }

 private:
  // A field with a wire type other than TensorProto's shows that the message is not a tensor.
  void require_known_wire(const ProtoField& of) {
    const field::Field& known = field::field_of(of.number());
    if (!known.wire || (known.may_be_packed && of.wire() == ProtoWire::bytes)) return;
    try {
      of.require(*known.wire);
    } catch (const Error& error) {
      const bool may_be_model = of.number() == field::kDataType && of.wire() == ProtoWire::bytes;
      throw Error(cat("not an ONNX tensor: ", error.what()), "",
                  may_be_model ? "perhaps it is an ONNX model, or a part of one" : "");
    }
  }

  void finish(bool may_be_external) {
    if (is_empty_) throw Error("is empty");
    if (external_ && !may_be_external) refuse_external();
    if (!dtype_) throw Error(cat("not an ONNX tensor: no data_type (field ", field::kDataType, ')'));
    try {
      require_fits(shape_, element_size(*dtype_));
    } catch (const Error& error) {
      if (!packed_dims_) throw;
      throw Error(error.what(), "", foreign_hint());
    }
    if (external_) return require_external();
    if (data_field_ == 0) {
      if (count(shape_) == 0) return;
      throw Error(cat("has no data: ", tensorop::name(*dtype_), ' ', to_string(shape_)), "", foreign_hint());
    }
    data_field_ == field::kRawData ? require_raw_bytes() : require_numbers();
  }

  void require_once(const ProtoField& of) {
    const std::uint32_t bit = 1U << of.number();
    if ((singles_ & bit) != 0)
      throw Error(cat("field ", of.number(), " (", of.name(), ") stands twice", at_byte(of)));
    singles_ |= bit;
  }

  void take_dims(const ProtoField& of) {
    if (of.wire() == ProtoWire::bytes) packed_dims_ = true;
    ProtoVarints dims(of);
    while (const auto dim = dims.next()) {
      const auto value = static_cast<std::int64_t>(*dim);
      if (value < 0) throw Error(cat("dims[", shape_.size(), "] = ", value, " is negative", at_byte(of)));
      if (shape_.size() == kMaxRank)
        throw Error(cat("more than ", kMaxRank, " dims", at_byte(of), ": rank is at most ", kMaxRank));
      shape_.push_back(value);
    }
  }

  void take_data(const ProtoField& of) {
    if (data_field_ != 0 && data_field_ != of.number())
      throw Error(cat("has data in ", field::field_of(data_field_).name, " and in ", of.name(), at_byte(of)));
    data_field_ = of.number();
    require_right_field();
    if (of.number() == field::kRawData) {
      raw_ = of.bytes();
    } else {
      numbers_ += count_numbers(of);
      if (of.number() == field::kStringData) string_bytes_ += to_int64(of.bytes().size());
    }
  }

  void take_unknown(const ProtoField& of) {
    constexpr std::size_t kMostListed = 8;
    if (unknown_.size() == kMostListed || std::ranges::find(unknown_, of.number()) != unknown_.end()) return;
    unknown_.push_back(of.number());
  }
  // Reads an entry: a key and its value. Other keys, such as a checksum, are ignored.
  void take_external(const ProtoField& of) {
    constexpr std::array kEntry = {ProtoName{1, "key"}, ProtoName{2, "value"}};
    if (!external_) external_.emplace();
    std::string_view key;
    std::string_view value;
    for (ProtoMessage entry = of.message(kEntry); entry.next();) {
      if (entry.field().number() == 1) key = entry.field().text();
      if (entry.field().number() == 2) value = entry.field().text();
    }
    if (key == "location" && external_->location.empty()) external_->location = value;
    if (key != "offset" && key != "length") return;
    const auto number = parse_int64(value);
    if (!number || *number < 0)
      throw Error(cat("the ", key, " of external data, ", in_quotes(value), ", is not a number of bytes",
                      at_byte(of)));
    key == "offset" ? void(external_->offset = *number) : void(external_bytes_ = *number);
  }

  void warn_of_unknown() {
    if (unknown_.empty()) return;
    std::vector<std::string> numbers;
    for (const std::uint32_t number : unknown_) numbers.push_back(cat(number));
    warnings_.push_back(unknown_.size() == 1 ? cat("field ", numbers[0], " is not known and was skipped")
                                             : cat("fields ", join_words(std::move(numbers), "and"),
                                                   " are not known and were skipped"));
  }

  void refuse_external() const {
    throw Error(cat("the data is in another file (external data",
                    external_->location.empty() ? "" : cat(", location ", in_quotes(external_->location)),
                    "), which is not read"));
  }
  void require_external() {
    if (external_->location.empty()) throw Error("the data is in another file without a location");
    if (data_field_ != 0)
      throw Error(cat("has data in ", field::field_of(data_field_).name, " and in another file"));
    if (*dtype_ == DType::string) throw Error("strings in another file are not read");
    const std::int64_t needed = packed_bytes(*dtype_, shape_);
    // Some programs write length 0 for everything after the offset.
    if (external_bytes_ == 0 && needed != 0)
      return warnings_.push_back(cat("the length of its external data is 0: read as the ",
                                     counted(needed, "byte"), " of ", tensorop::name(*dtype_), ' ',
                                     to_string(shape_)));
    if (external_bytes_ && *external_bytes_ != needed)
      throw Error(cat("the length of external data is ", *external_bytes_, ", ", tensorop::name(*dtype_), ' ',
                      to_string(shape_), " needs ", counted(needed, "byte")));
  }

  // The data field and the dtype may come in any order.
  void require_right_field() const {
    if (!dtype_ || data_field_ == 0) return;
    const std::uint32_t typed = field::typed_field(*dtype_);
    const bool is_string = *dtype_ == DType::string;
    if (data_field_ == typed || (data_field_ == field::kRawData && !is_string)) return;
    throw Error(cat(tensorop::name(*dtype_), " is kept in ", field::field_of(typed).name,
                    is_string ? "" : " or raw_data", ", not in ", field::field_of(data_field_).name));
  }

  void require_raw_bytes() const {
    // Does not overflow: the elements fit in memory.
    const std::int64_t needed = packed_bytes(*dtype_, shape_);
    if (to_int64(raw_.size()) != needed) wrong_size(counted(to_int64(raw_.size()), "byte"), needed);
  }
  void require_numbers() const {
    const std::int64_t elements = count(shape_);
    const bool is_complex = info(*dtype_).kind == DTypeKind::complex;
    const std::int64_t needed = is_complex                   ? 2 * elements
                                : element_size(*dtype_) == 1 ? packed_bytes(*dtype_, elements)
                                                             : elements;
    if (numbers_ != needed)
      wrong_size(counted(numbers_, *dtype_ == DType::string ? "string" : "number"), needed);
  }

  // A sequence or optional has its name in the field of dims.
  [[nodiscard]] std::string foreign_hint() const {
    return packed_dims_ ? "perhaps it is an ONNX sequence or optional; single tensors are read" : "";
  }
  void wrong_size(const std::string& has, std::int64_t needed) const {
    throw Error(cat(field::field_of(data_field_).name, " has ", has, ", ", tensorop::name(*dtype_), ' ',
                    to_string(shape_), " needs ", needed),
                "", foreign_hint());
  }

  bool is_empty_ = true;
  std::uint32_t singles_ = 0;  // one bit for each singular field that was met
  Shape shape_;
  bool packed_dims_ = false;
  std::optional<DType> dtype_;
  std::string name_;
  std::uint32_t data_field_ = 0;
  std::int64_t numbers_ = 0;  // numbers in a typed field
  std::span<const std::byte> raw_;
  std::int64_t string_bytes_ = 0;
  std::optional<ExternalData> external_;
  std::optional<std::int64_t> external_bytes_;  // if stated
  std::vector<std::uint32_t> unknown_;
  std::vector<std::string> warnings_;
};

// Throws the Error for a message that is not a tensor, if its kind can be detected.
void refuse_foreign_message(Bytes message) {
  switch (classify_message(message)) {
    case MessageKind::model:
      throw Error("is an ONNX model, not a tensor", "",
                  "tensorop check FOLDER checks the folder of its case");
    case MessageKind::sequence:
      throw Error("holds a segment, or is an ONNX sequence or optional; single tensors are read");
    case MessageKind::other:
      throw Error(cat("not an ONNX tensor: no data_type (field ", field::kDataType, ')'));
    case MessageKind::tensor:
    case MessageKind::none:
      return;
  }
}

}  // namespace

void require_possible_tensor(ProtoMessage front) {
  try {
    for (TensorProtoReader reader; front.next();) reader.take_field(front.field());
  } catch (const ProtoCutError&) {  // more bytes will follow
  }
}

TensorProtoHeader read_tensor_proto_header(Bytes message, std::int64_t byte, bool may_be_external) {
  if (to_int64(message.size()) > kMostProtoBytes)
    throw Error(cat("a message of more than ", kMostProtoBytes, " bytes, the most of a TensorProto"));
  try {
    return TensorProtoReader().read(ProtoMessage(message, byte, field::kNames), may_be_external);
  } catch (const Error&) {
    if (!message.empty()) refuse_foreign_message(message);
    throw;
  }
}

}  // namespace tensorop
