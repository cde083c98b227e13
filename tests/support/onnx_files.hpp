// ONNX models, tensors and case folders for tests, as bytes: nothing of src is used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

// A protobuf message, field by field.
class Proto {
 public:
  Proto& integer(int field, std::int64_t value);
  Proto& fixed32(int field, float value);
  Proto& bytes(int field, std::string_view value);
  Proto& message(int field, const Proto& value) { return bytes(field, value.text()); }
  Proto& raw(std::string_view text);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void varint(std::uint64_t value);

  std::string text_;
};

// data_type of TensorProto.
inline constexpr int kOnnxFloat = 1;
inline constexpr int kOnnxInt32 = 6;
inline constexpr int kOnnxInt64 = 7;

// A TensorProto with raw_data.
[[nodiscard]] Proto onnx_tensor(int data_type, const std::vector<std::int64_t>& dims, std::string_view raw,
                                std::string_view name = {});
[[nodiscard]] std::string onnx_floats(const std::vector<std::int64_t>& dims, const std::vector<float>& values,
                                      std::string_view name = {});
[[nodiscard]] std::string onnx_int64s(const std::vector<std::int64_t>& dims,
                                      const std::vector<std::int64_t>& values, std::string_view name = {});

// AttributeProto.
[[nodiscard]] Proto onnx_attribute(std::string_view name, std::int64_t value);
[[nodiscard]] Proto onnx_attribute(std::string_view name, std::string_view value);
// ValueInfoProto of a tensor.
[[nodiscard]] Proto onnx_value(std::string_view name, int data_type);
// NodeProto.
[[nodiscard]] Proto onnx_node(std::string_view op_type, const std::vector<std::string>& inputs,
                              const std::vector<Proto>& attributes = {}, const std::string& output = "y");
// GraphProto with nodes; inputs and outputs are added by the test, or are those of the first node.
[[nodiscard]] Proto onnx_graph(const std::vector<Proto>& nodes, const std::vector<Proto>& inputs,
                               const std::vector<Proto>& outputs);
// ModelProto of the ONNX domain.
[[nodiscard]] Proto onnx_model(const Proto& graph, std::int64_t opset = 13, std::int64_t ir_version = 7);

// A model of y = Gather(data, indices) along axis 0: float32 data, int64 indices.
[[nodiscard]] Proto gather_model(std::int64_t opset = 13);

// Makes DIR/model.onnx and DIR/test_data_set_0 with these data files, in order.
void write_onnx_case(const std::string& folder, const Proto& model, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, const std::string& set = "test_data_set_0");
// The case of gather_model() with data [1,2,3] and indices [2,0]; `expected` is what output_0.pb has.
void write_gather_case(const std::string& folder, const std::vector<float>& expected = {3, 1},
                       const std::string& set = "test_data_set_0");

}  // namespace tensorop
