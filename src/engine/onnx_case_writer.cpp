#include "engine/onnx_case_writer.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/checked.hpp"
#include "base/files/output_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/execute.hpp"
#include "engine/version.hpp"
#include "io/onnx/onnx_model_writer.hpp"
#include "io/onnx/tensor_proto.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kDataSet = "test_data_set_0";

// Returns the index, in the operator's description, of the operand that is input `i` of the ONNX node.
std::size_t own_place(const Operator& op, std::size_t i) {
  if (op.onnx_order.empty()) return i;
  return to_size(std::ranges::find(op.operands, op.onnx_order[i], &OperandSpec::name) - op.operands.begin());
}

std::string input_name(const Call& call, std::size_t i) {
  const PublishedNames* const names = published_names(*call.op, Framework::onnx);
  if (call.op->operands.back().variadic) return cat(names->operands[0], i);
  const std::size_t own = i < call.op->operands.size() ? own_place(*call.op, i) : i;
  return std::string(names == nullptr ? call.op->operands[own].name : names->operands[own]);
}

std::string output_name(const Call& call) {
  const PublishedNames* const names = published_names(*call.op, Framework::onnx);
  return names == nullptr ? "output" : std::string(names->output);
}

// Returns a list of integers as a tensor.
Tensor tensor_of(const Shape& values) {
  auto storage = std::make_shared<Storage>(to_int64(values.size()) * element_size(DType::int64));
  std::ranges::copy(values, reinterpret_cast<std::int64_t*>(storage->data()));
  return {DType::int64, {to_int64(values.size())}, storage};
}

// Whether ONNX has the attribute as an input.
bool is_input(const Operator& op, const AttributeSpec& spec) {
  const PublishedNames* const names = published_names(op, Framework::onnx);
  return names != nullptr && std::ranges::find(names->operands, spec.name) != names->operands.end();
}

// Returns the inputs of the node: the operands, then the attributes that are inputs.
std::vector<Tensor> inputs_of(const Call& call) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const std::size_t at = own_place(*call.op, i);
    if (call.left_out != at) inputs.push_back(call.operands[at]);
  }
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    if (is_input(*call.op, call.op->attributes[i]))
      inputs.push_back(tensor_of(std::get<Shape>(call.attributes[i].value)));
  }
  return inputs;
}

std::string upper(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// Returns the value with its ONNX type: a word that is a number ("broadcast") becomes an INT, and directions
// are in capitals.
OnnxAttributeValue attribute_of(const AttributeSpec& spec, const Attribute& attribute) {
  OnnxAttributeValue out{std::string(spec.name), {}};
  if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    out.value = *integer;
  } else if (const auto* flag = std::get_if<bool>(&attribute.value)) {
    out.value = std::int64_t{*flag};
  } else if (const auto* list = std::get_if<Shape>(&attribute.value)) {
    out.value = std::vector<std::int64_t>(list->begin(), list->end());
  } else {
    const std::string_view word = spec.choices[std::get<ChosenWord>(attribute.value).at].word;
    const auto number = parse_int64(word);
    if (number) {
      out.value = *number;
    } else {
      out.value = spec.name == "direction" ? upper(word) : std::string(word);
    }
  }
  return out;
}

// Returns the attributes that were given; ONNX has the same defaults.
std::vector<OnnxAttributeValue> attributes_of(const Call& call) {
  std::vector<OnnxAttributeValue> out;
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const AttributeSpec& spec = call.op->attributes[i];
    if (call.attributes[i].is_given && !is_input(*call.op, spec))
      out.push_back(attribute_of(spec, call.attributes[i]));
  }
  return out;
}

OnnxNodeModel model_of(const Call& call, const std::vector<Tensor>& inputs, const OutputInfo& output) {
  OnnxNodeModel model;
  model.opset = call.opset;
  model.op_type = call.version->published;
  model.attributes = attributes_of(call);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    model.inputs.push_back({input_name(call, i), inputs[i].dtype(), inputs[i].shape()});
  }
  model.output = {output_name(call), output.dtype, output.shape};
  return model;
}

}  // namespace

void require_onnx(const Request& request) {
  const std::string_view wanted = request.from_job ? "\"spec\":\"onnx-N\"" : "--spec onnx-N";
  const Spec spec = parse_spec(request.spec);
  if (spec.framework == Framework::onnx) return;
  throw Error(request.spec ? cat("a case is an ONNX model: it needs ", wanted, ", not ", lower(*request.spec))
                           : cat("a case is an ONNX model: it needs ", wanted));
}

OnnxCase::OnnxCase(const CaseDestination& destination, const Bound& bound, const Threads& threads)
    : folder_(destination.folder, destination.durable),
      durable_(destination.durable),
      output_name_(output_name(bound.call)) {
  const Call& call = bound.call;
  if (call.version->rules.deprecated) {
    throw Error(cat(call.version_name(), " is deprecated, and no valid ONNX model has it"));
  }
  const std::vector<Tensor> inputs = inputs_of(call);
  const OutputInfo& output = bound.planned.output;
  const OnnxNodeModel model = model_of(call, inputs, output);
  // Refuses a result that is too large before it is computed.
  with_context(output_name_,
               [&] { (void)tensor_proto_encoding(output.dtype, output.shape, 0, output_name_); });
  write_model(encode_onnx_model(model));
  folder_.make_folder(std::string(kDataSet));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    write_file(cat("input_", i, ".pb"), model.inputs[i].name, inputs[i], bound.inputs, threads);
  }
}

void OnnxCase::write_output(const Tensor& result, const Threads& threads) {
  write_file("output_0.pb", output_name_, result, Inputs(), threads);
}

void OnnxCase::write_model(std::string_view bytes) const {
  const std::string name(kOnnxModelFile);
  OutputFile file = OutputFile::create(folder_.path_of(name), durable_, folder_.shown_path_of(name));
  file.append(std::as_bytes(std::span(bytes)));
  file.commit();
}

void OnnxCase::write_file(const std::string& file, const std::string& name, const Tensor& tensor,
                          const Inputs& inputs, const Threads& threads) const {
  const std::string path = cat(kDataSet, "/", file);
  const Destination destination{.path = folder_.path_of(path),
                                .format = find_format("pb"),
                                .durable = durable_,
                                .array = name,
                                .shown = folder_.shown_path_of(path)};
  with_context(name, [&] { write_tensor(tensor, inputs, destination, {.threads = threads}); });
}

}  // namespace tensorop
