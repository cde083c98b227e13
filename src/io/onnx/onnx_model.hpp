// ONNX models: the graph, its nodes and their attributes, as plain data. Reads the fields needed to run or
// describe a graph of one node; skips all others. Knows nothing of operators.
//
// The fields are those of onnx.proto (ModelProto, GraphProto, NodeProto, AttributeProto, ValueInfoProto). A
// model has at most kMostModelBytes bytes, 100000 fields, and messages nested 16 deep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/error.hpp"
#include "tensor/dtype.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

inline constexpr std::size_t kMostModelBytes = std::size_t{64} << 20;

// A TensorProto in the model, not decoded yet. A view into the bytes of the model.
struct OnnxTensor {
  std::string name = {};
  std::span<const std::byte> bytes = {};
  std::int64_t byte = 0;  // offset of `bytes` in the file
};

// The types of attributes, with the numbers of AttributeProto.type.
enum class OnnxAttributeType : std::uint8_t {
  none,  // not stated
  float_number,
  integer,
  text,
  tensor,
  graph,
  floats,
  integers,
  texts,
  tensors,
  graphs,
  sparse_tensor,
  sparse_tensors,
  type_proto,
  type_protos,
};

struct OnnxAttribute {
  std::string name = {};
  std::int64_t stated_type = 0;              // the number in the file, unchecked
  std::vector<OnnxAttributeType> held = {};  // the types of the values present, without duplicates
  // Values that are numbers, texts, or lists of them; otherwise 0 and empty.
  float number = 0;
  std::int64_t integer = 0;
  std::string text = {};
  std::vector<float> numbers = {};
  std::vector<std::int64_t> integers = {};
  std::vector<std::string> texts = {};
  OnnxTensor tensor = {};
  bool refers_to_function = false;  // ref_attr_name is set
};

struct OnnxNode {
  std::vector<std::string> inputs = {};
  std::vector<std::string> outputs = {};
  std::string op_type = {};
  std::string domain = {};
  std::string overload = {};
  std::vector<OnnxAttribute> attributes = {};

  // Whether the domain is ONNX's, which has two names: "" and "ai.onnx".
  [[nodiscard]] bool is_onnx() const { return domain.empty() || domain == "ai.onnx"; }
  // "Gather", "com.microsoft::Gather".
  [[nodiscard]] std::string title() const;
};

enum class OnnxValueKind : std::uint8_t { untyped, tensor, sequence, map, opaque, sparse, optional };
// "a sequence".
[[nodiscard]] std::string_view noun_of(OnnxValueKind kind);

// A dimension of a declared shape: a size, a name, or neither.
struct OnnxDim {
  std::optional<std::int64_t> size = {};
  std::string name = {};
};

// An input or output of the graph.
struct OnnxValue {
  std::string name = {};
  OnnxValueKind kind = OnnxValueKind::untyped;
  std::int64_t element_type = 0;  // element type of a tensor, the number in the file; 0: not stated
  std::optional<std::vector<OnnxDim>> shape = {};
};

// The key of a function or an opset.
struct OnnxFunction {
  std::string domain = {};
  std::string name = {};
};
struct OnnxOpset {
  std::string domain = {};
  std::int64_t version = 0;
};

struct OnnxModel {
  std::int64_t ir_version = 0;  // 0: not stated
  std::vector<OnnxOpset> opsets = {};
  std::vector<OnnxFunction> functions = {};
  // Contents of the graph.
  std::vector<OnnxNode> nodes = {};
  std::vector<OnnxTensor> initializers = {};
  bool has_sparse_initializer = false;
  std::vector<OnnxValue> inputs = {};
  std::vector<OnnxValue> outputs = {};
  std::shared_ptr<const MappedFile> owner = {};  // owner of the bytes that tensors are views into
  std::string path = {};                         // of its file; empty: none

  // The version of the ONNX operators: the highest if the model states several; 1 for an ir_version before 3,
  // whose models state none. Throws Error if a model with a later ir_version states none, or a version below
  // 1.
  [[nodiscard]] std::int64_t opset() const;
};

// A model, as far as it was read, with more bytes or fields than the limit.
class OnnxSizeError : public Error {
 public:
  explicit OnnxSizeError(const std::string& text) : Error(text), reason(text) {}

  std::string reason;  // message without contexts
};

// Reads the model in `bytes`, which `owner` keeps alive. Throws Error naming the byte, and OnnxSizeError.
[[nodiscard]] OnnxModel read_onnx_model(std::span<const std::byte> bytes,
                                        std::shared_ptr<const MappedFile> owner);
// Reads the model in a regular file. Throws the same errors, naming the path.
[[nodiscard]] OnnxModel read_onnx_model(const std::string& path);

// The dtype that the value declares; nothing if it declares none. Throws Error if the number is not a dtype.
[[nodiscard]] std::optional<DType> declared_dtype(const OnnxValue& value);

// Decodes the elements of a tensor of the model, which may be in a file beside it. Throws Error naming the
// fault and the byte.
[[nodiscard]] Tensor read_onnx_tensor(const OnnxTensor& tensor, const OnnxModel& model);

}  // namespace tensorop
