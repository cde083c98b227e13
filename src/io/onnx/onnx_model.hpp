// ONNX models: the graph, its nodes and their attributes, as plain data. What is needed to run a graph of one
// node, and to describe it, is read; everything else is skipped. Knows nothing of operators.
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

#include "base/error.hpp"
#include "tensor/dtype.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

inline constexpr std::size_t kMostModelBytes = std::size_t{64} << 20;

// A TensorProto within the model, not read yet. A view into the bytes of the model.
struct OnnxTensor {
  std::string name = {};
  std::span<const std::byte> bytes = {};
  std::int64_t byte = 0;  // of the file, where `bytes` begin
};

// The types of attributes, numbered as AttributeProto.type has them.
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
  std::int64_t stated_type = 0;              // as the file has it: any number
  std::vector<OnnxAttributeType> held = {};  // the types of the values that are there, each once
  // The values that are numbers or text, and lists of them; else 0 and empty.
  float number = 0;
  std::int64_t integer = 0;
  std::string text = {};
  std::vector<float> numbers = {};
  std::vector<std::int64_t> integers = {};
  std::vector<std::string> texts = {};
  OnnxTensor tensor = {};
  bool refers_to_function = false;  // ref_attr_name is there
};

struct OnnxNode {
  std::vector<std::string> inputs = {};
  std::vector<std::string> outputs = {};
  std::string op_type = {};
  std::string domain = {};
  std::string overload = {};
  std::vector<OnnxAttribute> attributes = {};

  // Of the ONNX domain, which has two names: "" and "ai.onnx".
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

// An input or output of a graph.
struct OnnxValue {
  std::string name = {};
  OnnxValueKind kind = OnnxValueKind::untyped;
  std::int64_t element_type = 0;  // of a tensor, as the file has it; 0: not stated
  std::optional<std::vector<OnnxDim>> shape = {};
};

// A function or an opset, by its domain.
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
  // Of the graph.
  std::vector<OnnxNode> nodes = {};
  std::vector<OnnxTensor> initializers = {};
  bool has_sparse_initializer = false;
  std::vector<OnnxValue> inputs = {};
  std::vector<OnnxValue> outputs = {};
  std::shared_ptr<const MappedFile> owner = {};  // of the bytes that tensors are views into

  // The version of the ONNX operators: the highest where the model states several; 1 for an ir_version before
  // 3, which has none. Throws Error where a later one states none, or one below 1.
  [[nodiscard]] std::int64_t opset() const;
};

// It is a model, as far as it was read, and has more bytes or fields than are read.
class OnnxSizeError : public Error {
 public:
  explicit OnnxSizeError(const std::string& text) : Error(text), reason(text) {}

  std::string reason;  // without contexts
};

// The model in `bytes`, which `owner` keeps alive. Throws Error naming the byte, and OnnxSizeError.
[[nodiscard]] OnnxModel read_onnx_model(std::span<const std::byte> bytes,
                                        std::shared_ptr<const MappedFile> owner);
// The model in the file of that path, a regular one. Throws the same naming the path.
[[nodiscard]] OnnxModel read_onnx_model(const std::string& path);

// The dtype that the value declares; nothing where it states none. Throws Error where the number is not one
// of a dtype.
[[nodiscard]] std::optional<DType> declared_dtype(const OnnxValue& value);

// The elements of a tensor of the model. Throws Error naming what is wrong and the byte.
[[nodiscard]] Tensor read_onnx_tensor(const OnnxTensor& tensor,
                                      const std::shared_ptr<const MappedFile>& owner);

}  // namespace tensorop
