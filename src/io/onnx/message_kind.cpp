#include "io/onnx/message_kind.hpp"

#include <optional>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "io/onnx/onnx_fields.hpp"
#include "io/onnx/protobuf.hpp"
#include "io/onnx/tensor_proto_fields.hpp"

namespace tensorop {
namespace {

namespace model = onnx_fields::model;

// The evidence from the fields read so far.
struct Evidence {
  bool has_version = false;    // field 1 is an integer: a model's version, or a dimension
  bool has_text = false;       // field 1 is bytes: a sequence's name, or dimensions
  bool has_data_type = false;  // field 2 is an integer; in a model it is the producer's name
  bool has_producer = false;
  bool has_graph = false;
  bool has_messages = false;  // field 3 is bytes: in a sequence, or a tensor's segment
  bool may_be_model = true;   // all fields have a model's wire types

  // The kind if no further field can change it.
  [[nodiscard]] std::optional<MessageKind> decided(std::uint32_t last) const {
    if (has_data_type && last > tensor_proto::kSegment)
      return has_text && has_messages ? MessageKind::sequence : MessageKind::tensor;
    if (has_producer && has_graph && may_be_model) return MessageKind::model;
    return std::nullopt;
  }
};

void add_evidence(const ProtoField& field, std::span<const std::byte> bytes, Evidence& evidence) {
  const std::uint32_t number = field.number();
  const bool is_bytes = field.wire() == ProtoWire::bytes;
  if (number <= model::opset_import)
    evidence.may_be_model &= field.wire() == onnx_fields::wire_of_model(number);
  if (number == model::ir_version) (is_bytes ? evidence.has_text : evidence.has_version) = true;
  if (number == tensor_proto::kDataType) (is_bytes ? evidence.has_producer : evidence.has_data_type) = true;
  if (number == tensor_proto::kSegment) evidence.has_messages |= is_bytes;
  if (number != model::graph || !is_bytes) return;
  // In a TensorProto field 7 is int64_data. All fields of a graph are messages or texts.
  const auto first = to_size(field.value_byte());
  const bool is_graph =
      first >= bytes.size() || (bytes[first] & std::byte{7}) == std::byte(std::uint8_t(ProtoWire::bytes));
  evidence.has_graph |= is_graph;
  evidence.may_be_model &= is_graph;
}

}  // namespace

MessageKind classify_message(std::span<const std::byte> bytes) {
  Evidence evidence;
  ProtoMessage fields(bytes, 0, {});
  bool is_whole = true;
  try {
    while (fields.next()) {
      add_evidence(fields.field(), bytes, evidence);
      if (const auto kind = evidence.decided(fields.field().number())) return *kind;
    }
  } catch (const Error&) {
    // Number and wire type of the last, cut field count if they are present.
    is_whole = false;
    if (fields.field().number() != 0) add_evidence(fields.field(), bytes, evidence);
  }
  if (evidence.has_data_type)
    return evidence.has_text && evidence.has_messages ? MessageKind::sequence : MessageKind::tensor;
  // If the message is cut, the graph may follow.
  const bool is_model = evidence.has_graph || (evidence.has_version && evidence.has_producer && !is_whole);
  if (is_model && evidence.may_be_model) return MessageKind::model;
  return is_whole && evidence.has_text ? MessageKind::other : MessageKind::none;
}

}  // namespace tensorop
