#include "support/onnx_files.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tensorop {
namespace {

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

void Proto::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
  text_ += static_cast<char>(value);
}

Proto& Proto::integer(int field, std::int64_t value) {
  varint(static_cast<std::uint64_t>(field) << 3);
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

Proto& Proto::fixed32(int field, float value) {
  varint(static_cast<std::uint64_t>(field) << 3 | 5);
  text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  return *this;
}

Proto& Proto::bytes(int field, std::string_view value) {
  varint(static_cast<std::uint64_t>(field) << 3 | 2);
  varint(value.size());
  text_ += value;
  return *this;
}

Proto& Proto::raw(std::string_view text) {
  text_ += text;
  return *this;
}

Proto onnx_tensor(int data_type, const std::vector<std::int64_t>& dims, std::string_view raw,
                  std::string_view name) {
  Proto out;
  for (const std::int64_t dim : dims) out.integer(1, dim);
  out.integer(2, data_type);
  if (!name.empty()) out.bytes(8, name);
  return out.bytes(9, raw);
}

std::string onnx_floats(const std::vector<std::int64_t>& dims, const std::vector<float>& values,
                        std::string_view name) {
  return onnx_tensor(kOnnxFloat, dims, bytes_of(values), name).text();
}

std::string onnx_int64s(const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& values,
                        std::string_view name) {
  return onnx_tensor(kOnnxInt64, dims, bytes_of(values), name).text();
}

Proto onnx_attribute(std::string_view name, std::int64_t value) {
  return Proto().bytes(1, name).integer(3, value).integer(20, 2);
}

Proto onnx_attribute(std::string_view name, std::string_view value) {
  return Proto().bytes(1, name).bytes(4, value).integer(20, 3);
}

Proto onnx_value(std::string_view name, int data_type) {
  return Proto().bytes(1, name).message(2, Proto().message(1, Proto().integer(1, data_type)));
}

Proto onnx_node(std::string_view op_type, const std::vector<std::string>& inputs,
                const std::vector<Proto>& attributes, const std::string& output) {
  Proto out;
  for (const std::string& input : inputs) out.bytes(1, input);
  out.bytes(2, output).bytes(4, op_type);
  for (const Proto& attribute : attributes) out.message(5, attribute);
  return out;
}

Proto onnx_graph(const std::vector<Proto>& nodes, const std::vector<Proto>& inputs,
                 const std::vector<Proto>& outputs) {
  Proto out;
  for (const Proto& node : nodes) out.message(1, node);
  out.bytes(2, "graph");
  for (const Proto& input : inputs) out.message(11, input);
  for (const Proto& output : outputs) out.message(12, output);
  return out;
}

Proto onnx_model(const Proto& graph, std::int64_t opset, std::int64_t ir_version) {
  return Proto()
      .integer(1, ir_version)
      .bytes(2, "test")
      .message(7, graph)
      .message(8, Proto().bytes(1, "").integer(2, opset));
}

Proto gather_model(std::int64_t opset) {
  return onnx_model(onnx_graph({onnx_node("Gather", {"data", "indices"}, {onnx_attribute("axis", 0)})},
                               {onnx_value("data", kOnnxFloat), onnx_value("indices", kOnnxInt64)},
                               {onnx_value("y", kOnnxFloat)}),
                    opset);
}

void write_onnx_case(const std::string& folder, const Proto& model, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, const std::string& set) {
  const std::filesystem::path data = std::filesystem::path(folder) / set;
  std::filesystem::create_directories(data);
  write(std::filesystem::path(folder) / "model.onnx", model.text());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    write(data / ("input_" + std::to_string(i) + ".pb"), inputs[i]);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    write(data / ("output_" + std::to_string(i) + ".pb"), outputs[i]);
}

void write_gather_case(const std::string& folder, const std::vector<float>& expected,
                       const std::string& set) {
  write_onnx_case(folder, gather_model(),
                  {onnx_floats({3}, {1, 2, 3}, "data"), onnx_int64s({2}, {2, 0}, "indices")},
                  {onnx_floats({2}, expected, "y")}, set);
}

}  // namespace tensorop
