#include "jobs/onnx_call.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// A name from the model, for a message.
std::string quoted_name(std::string_view name) {
  return cat("\"", printable(name), "\"");
}

std::string type_name(std::int64_t type) {
  constexpr std::string_view kNames[] = {
      "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
      "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
  const bool is_known = type >= 0 && type < std::ssize(kNames);
  return is_known ? std::string(kNames[type]) : cat(type);
}

std::string field_name(OnnxAttributeType type) {
  constexpr std::string_view kNames[] = {
      "nothing",        "f",    "i",          "s",       "t",      "g",
      "floats",         "ints", "strings",    "tensors", "graphs", "sparse_tensor",
      "sparse_tensors", "tp",   "type_protos"};
  return std::string(kNames[static_cast<std::size_t>(type)]);
}

// Returns the type of the attribute's value. Models of the first IR versions do not state it.
OnnxAttributeType type_of(const OnnxAttribute& attribute) {
  const std::string shown = cat("attribute ", quoted_name(attribute.name));
  if (attribute.refers_to_function) {
    throw Error(cat(shown, " refers to an attribute of a function (ref_attr_name)"));
  }
  if (attribute.stated_type == 0) {
    if (attribute.held.size() == 1) return attribute.held[0];
    throw Error(cat(
        shown, attribute.held.empty() ? " has neither a type nor a value" : " has two values and no type"));
  }
  // A value that is 0 or has no elements may be omitted.
  for (const OnnxAttributeType held : attribute.held) {
    if (static_cast<std::int64_t>(held) == attribute.stated_type) continue;
    throw Error(cat(shown, " is typed ", type_name(attribute.stated_type), " and holds ", field_name(held)));
  }
  if (attribute.stated_type < 0 ||
      attribute.stated_type > static_cast<std::int64_t>(OnnxAttributeType::type_protos)) {
    throw Error(cat(shown, " has type ", attribute.stated_type, ", which is not known"));
  }
  return static_cast<OnnxAttributeType>(attribute.stated_type);
}

// Returns the tensor of a node `Constant` whose value is a tensor; otherwise null.
const OnnxTensor* constant_of(const OnnxNode& node) {
  if (node.op_type != "Constant" || !node.is_onnx() || node.attributes.size() != 1) return nullptr;
  const OnnxAttribute& value = node.attributes[0];
  const bool is_tensor =
      value.name == "value" && value.held.size() == 1 && value.held[0] == OnnxAttributeType::tensor;
  return is_tensor && node.outputs.size() == 1 ? &value.tensor : nullptr;
}

// Returns the operator with this name in ONNX.
FoundOperator find_onnx_operator(const std::string& op_type) {
  const FoundOperator found = find_operator(op_type, "onnx");
  if (found.op == nullptr) return {};
  const bool is_onnx = std::ranges::any_of(found.op->versions, [&](const Version& version) {
    return version.framework == Framework::onnx && version.published == op_type &&
           means(*found.name, version);
  });
  return is_onnx ? found : FoundOperator();
}

// Returns "a graph of 3 nodes (Equal, Greater, Or)".
std::string several_text(const std::vector<const OnnxNode*>& nodes) {
  constexpr std::size_t kMostShown = 5;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(nodes.size(), kMostShown); ++i)
    names.push_back(printable(nodes[i]->title()));
  if (nodes.size() > kMostShown) names.emplace_back("...");
  return cat("a graph of ", nodes.size(), " nodes (", join(names), ")");
}

// Returns the nodes that compute something from inputs; if there are none, all nodes.
std::vector<const OnnxNode*> computing_nodes(const OnnxModel& model) {
  std::vector<const OnnxNode*> out;
  for (const OnnxNode& node : model.nodes) {
    if (constant_of(node) == nullptr) out.push_back(&node);
  }
  if (out.empty()) {
    for (const OnnxNode& node : model.nodes) out.push_back(&node);
  }
  return out;
}

// Returns the reason why tensorop does not have the call; nothing if it has it.
std::optional<Skipped> find_skipped(const OnnxModel& model, const std::vector<const OnnxNode*>& nodes) {
  if (nodes.size() > 1) return Skipped{"graphs of several nodes", several_text(nodes)};
  const OnnxNode& node = *nodes[0];
  const std::string title = printable(node.title());
  if (!node.is_onnx() || find_onnx_operator(node.op_type).op == nullptr) {
    return Skipped{title, cat(title, " is not offered")};
  }
  const auto is_node = [&](const OnnxFunction& function) {
    const bool is_onnx = function.domain.empty() || function.domain == "ai.onnx";
    return is_onnx && function.name == node.op_type;
  };
  if (!node.overload.empty() || std::ranges::any_of(model.functions, is_node)) {
    return Skipped{title, cat(title, " is a function of the model")};
  }
  for (const auto& [values, role] :
       {std::pair{&model.inputs, "input"}, std::pair{&model.outputs, "output"}}) {
    for (const OnnxValue& value : *values) {
      if (value.kind == OnnxValueKind::tensor || value.kind == OnnxValueKind::untyped) continue;
      return Skipped{title,
                     cat(std::string_view(role), " ", quoted_name(value.name), " is ", noun_of(value.kind))};
    }
  }
  if (model.has_sparse_initializer) return Skipped{title, "the graph has a sparse initializer"};
  if (const std::int64_t opset = model.opset(); opset > publisher_of(Framework::onnx).newest) {
    return Skipped{title, cat("opset ", opset, " is not known")};
  }
  return std::nullopt;
}

// Makes the call of a node that tensorop supports.
class CallMaker {
 public:
  CallMaker(const OnnxModel& model, const OnnxNode& node) : model_(model), node_(node) {}

  OnnxCall make() {
    call_.op = find_onnx_operator(node_.op_type);
    call_.opset = model_.opset();
    collect_values();
    for (const OnnxAttribute& attribute : node_.attributes) add_attribute(attribute);
    for (const std::string& input : used_inputs()) add_operand(input);
    find_output();
    return std::move(call_);
  }

 private:
  // A tensor in the model, and the dtype if the model also declares it as an input.
  struct Held {
    const OnnxTensor* tensor = nullptr;
    std::optional<DType> declared = {};
  };

  // Collects the tensors in the model, and the graph inputs that the caller must provide.
  void collect_values() {
    for (const OnnxTensor& tensor : model_.initializers) {
      if (held_.emplace(tensor.name, Held{&tensor}).second) continue;
      throw Error(cat("initializer ", quoted_name(tensor.name), " stands twice"));
    }
    std::set<std::string> names;
    for (const OnnxValue& value : model_.inputs) {
      if (!names.insert(value.name).second)
        throw Error(cat("input ", quoted_name(value.name), " stands twice"));
      const auto dtype = with_context("input", [&] { return declared_dtype(value); });
      if (const auto held = held_.find(value.name); held != held_.end()) {
        held->second.declared = dtype;
        continue;
      }
      inputs_.emplace(value.name, call_.inputs.size());
      call_.inputs.push_back({value.name, dtype});
    }
    for (const OnnxTensor& tensor : model_.initializers) names.insert(tensor.name);
    for (const OnnxNode& node : model_.nodes) collect_outputs(node, names);
  }

  // Adds the outputs of a node to `names`, the names of all values so far; they must be new.
  void collect_outputs(const OnnxNode& node, std::set<std::string>& names) {
    for (const std::string& output : node.outputs) {
      if (output.empty() || names.insert(output).second) continue;
      throw Error(cat("output ", quoted_name(output), " of ", node.op_type, " is the name of another value"));
    }
    if (&node == &node_) return;
    if (!node.inputs.empty()) throw Error(cat("Constant has no input, not ", node.inputs.size()), kCallRule);
    held_.emplace(node.outputs[0], Held{constant_of(node)});
  }

  // Inputs that are omitted at the end do not count.
  [[nodiscard]] std::vector<std::string> used_inputs() const {
    std::vector<std::string> out = node_.inputs;
    while (!out.empty() && out.back().empty()) out.pop_back();
    return out;
  }

  void add_operand(const std::string& name) {
    if (name.empty()) {
      throw Error(
          cat("node 0: input ", call_.operands.size(), " is left out, and ", node_.op_type, " needs it"),
          kCallRule);
    }
    if (const auto found = held_.find(name); found != held_.end()) {
      const Held& held = found->second;
      Tensor tensor = with_context(cat("initializer ", quoted_name(name)),
                                   [&] { return read_onnx_tensor(*held.tensor, model_); });
      if (held.declared && *held.declared != tensor.dtype()) {
        throw Error(cat("initializer ", quoted_name(name), " is ", tensorop::name(tensor.dtype()),
                        ", but is declared as ", tensorop::name(*held.declared)));
      }
      call_.operands.push_back({0, std::move(tensor)});
    } else if (const auto input = inputs_.find(name); input != inputs_.end()) {
      call_.operands.push_back({input->second});
    } else {
      throw Error(cat("node 0: input ", quoted_name(name), " is neither a graph input nor an initializer"));
    }
  }

  void add_attribute(const OnnxAttribute& attribute) {
    // The arithmetic operators have it in version 1, without effect.
    constexpr std::int64_t kFirstWithout = 6;
    if (attribute.name == "consumed_inputs" && call_.opset < kFirstWithout) return;
    const std::string shown = cat("attribute ", quoted_name(attribute.name));
    if (std::ranges::find(call_.attributes, attribute.name, &NamedText::name) != call_.attributes.end()) {
      throw Error(cat(shown, " stands twice"));
    }
    const OnnxAttributeType type = type_of(attribute);
    const AttributeSpec* spec = find_attribute(*call_.op.op, attribute.name);
    // A list is an input in ONNX, such as the shape of Expand.
    if (spec == nullptr || spec->kind == AttributeKind::integers) {
      throw Error(cat(node_.op_type, " has no ", shown), kCallRule);
    }
    // The choices of `broadcast` are numbers; other attributes have words.
    const bool is_word = spec->kind == AttributeKind::choice && !parse_int64(spec->choices[0].word);
    if (type != (is_word ? OnnxAttributeType::text : OnnxAttributeType::integer)) {
      throw Error(cat(shown, " is typed ", type_name(static_cast<std::int64_t>(type)), ", and ",
                      node_.op_type, " takes ", is_word ? "STRING" : "INT"),
                  spec->rule);
    }
    // Limits memory, since each case of a folder has a copy. Valid words are shorter.
    constexpr std::size_t kMostOfWord = 1000;
    call_.attributes.push_back(
        {attribute.name, is_word ? attribute.text.substr(0, kMostOfWord) : cat(attribute.integer)});
  }

  void find_output() {
    if (model_.outputs.empty()) throw Error("the graph has no output");
    std::set<std::string> names;
    for (const OnnxValue& value : model_.outputs) {
      if (!names.insert(value.name).second)
        throw Error(cat("output ", quoted_name(value.name), " stands twice"));
      if (std::ranges::find(node_.outputs, value.name) != node_.outputs.end()) continue;
      throw Error(cat("output ", quoted_name(value.name), " of the graph is not made by the node"));
    }
    if (node_.outputs.size() != 1) {
      throw Error(cat(node_.op_type, " has 1 output, not ", node_.outputs.size()), kCallRule);
    }
    call_.output = std::make_shared<std::string>(model_.outputs[0].name);
    call_.output_dtype = with_context("output", [&] { return declared_dtype(model_.outputs[0]); });
  }

  const OnnxModel& model_;
  const OnnxNode& node_;
  OnnxCall call_;
  std::map<std::string, Held, std::less<>> held_;
  std::map<std::string, std::size_t, std::less<>> inputs_;
};

}  // namespace

std::variant<OnnxCall, Skipped> call_of_model(const OnnxModel& model) {
  const std::vector<const OnnxNode*> nodes = computing_nodes(model);
  if (nodes.empty()) throw Error("the graph has no node");
  if (nodes.size() == 1 && nodes[0]->op_type.empty()) throw Error("node 0 has no op_type");
  if (auto skipped = find_skipped(model, nodes)) return *std::move(skipped);
  return CallMaker(model, *nodes[0]).make();
}

OnnxCall read_onnx_call(const std::string& path) {
  const OnnxModel model = read_onnx_model(path);
  auto call = with_context(printable(path), [&] { return call_of_model(model); });
  if (const auto* skipped = std::get_if<Skipped>(&call))
    throw Error(cat(printable(path), ": cannot be called: ", skipped->reason));
  return std::get<OnnxCall>(std::move(call));
}

std::vector<Operand> inputs_in_order(const OnnxCall& call, const std::vector<NamedText>& given) {
  for (const NamedText& input : given) {
    if (std::ranges::find(call.inputs, input.name, &OnnxInput::name) != call.inputs.end()) continue;
    const auto shown = [](const OnnxInput& known) { return printable(known.name); };
    throw Error(cat("the model has no input ", quoted_name(input.name),
                    " (its inputs: ", join(call.inputs, ", ", shown), ")"));
  }
  std::vector<Operand> out;
  for (const OnnxInput& input : call.inputs) {
    const auto found = std::ranges::find(given, input.name, &NamedText::name);
    if (found == given.end()) throw Error(cat("input ", quoted_name(input.name), " of the model is missing"));
    out.emplace_back(*found);
  }
  return out;
}

Request request_of(const OnnxCall& call, const std::vector<Operand>& inputs) {
  // Each input of the node is an operand, except the last input of Expand, which is an attribute.
  constexpr std::string_view kShape = "shape";
  Request request;
  request.op = call.op;
  request.spec = spec_name(Framework::onnx, static_cast<int>(call.opset));
  request.attributes = call.attributes;
  request.declared = call.output_dtype;
  request.from_job = true;
  const std::size_t operands = call.op.op->operands.size();
  const bool has_shape =
      !call.op.op->operands.back().variadic && find_attribute(*call.op.op, kShape) != nullptr;
  const WordList order = call.op.op->onnx_order;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const auto& [input, initializer] = call.operands[i];
    Operand operand = initializer ? Operand(*initializer) : inputs[input];
    if (!initializer) operand.declared = call.inputs[input].dtype;
    if (has_shape && i == operands) {
      request.attributes.emplace_back(std::string(kShape), std::move(operand));
    } else if (i < order.size()) {
      request.named.emplace_back(std::string(order[i]), std::move(operand));
    } else {
      request.positional.push_back(std::move(operand));
    }
  }
  return request;
}

}  // namespace tensorop
