#include "report/describe_model.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/json/json_writer.hpp"
#include "jobs/onnx_call.hpp"
#include "report/json_object.hpp"

namespace tensorop {
namespace {

template <class Items, class Text>
std::string joined(const Items& items, const Text& text_of, std::string_view separator = ", ") {
  std::string out;
  for (const auto& item : items) out += cat(out.empty() ? "" : separator, text_of(item));
  return out;
}

template <class Items, class Json>
std::string json_list(const Items& items, const Json& json_of) {
  return cat("[", joined(items, json_of, ","), "]");
}

// "13", "ai.onnx.ml 2".
std::string opset_text(const OnnxOpset& opset) {
  const bool is_onnx = opset.domain.empty() || opset.domain == "ai.onnx";
  return cat(is_onnx ? "" : cat(printable(opset.domain), " "), opset.version);
}

std::string opsets_text(const OnnxModel& model) {
  return model.opsets.empty() ? "no opset" : cat("opset ", joined(model.opsets, opset_text));
}

// The declared dtype; of what is not a known tensor what it is.
std::string dtype_text(const OnnxValue& value) {
  if (value.kind != OnnxValueKind::tensor) return std::string(noun_of(value.kind));
  try {
    const auto dtype = declared_dtype(value);
    return dtype ? std::string(name(*dtype)) : "a tensor";
  } catch (const Error&) {
    return cat("data type ", value.element_type);
  }
}

std::string dim_text(const OnnxDim& dim) {
  if (dim.size) return cat(*dim.size);
  return dim.name.empty() ? "?" : printable(dim.name);
}

// "float32 (2,N)".
std::string type_text(const OnnxValue& value) {
  return cat(dtype_text(value), value.shape ? cat(" (", joined(*value.shape, dim_text, ","), ")") : "");
}

std::string float_text(float value) {
  std::string out;
  append_json_element(out, DType::float32, reinterpret_cast<const std::byte*>(&value));
  return out;
}

// The type of the value; none where there are several values, or nothing says what it is.
OnnxAttributeType value_type(const OnnxAttribute& attribute) {
  if (attribute.held.size() == 1) return attribute.held[0];
  const std::int64_t stated = attribute.stated_type;
  const bool is_known = stated > 0 && stated <= static_cast<std::int64_t>(OnnxAttributeType::type_protos);
  // A value of 0 or without elements may be left out.
  return attribute.held.empty() && is_known ? static_cast<OnnxAttributeType>(stated)
                                            : OnnxAttributeType::none;
}

std::string integer_text(std::int64_t value) {
  return cat(value);
}

std::string quoted_text(const std::string& text) {
  return cat("\"", printable(text), "\"");
}

// "[1,2,3]".
template <class T, class Text>
std::string short_list(const std::vector<T>& items, const Text& text_of) {
  constexpr std::size_t kMostShown = 8;
  const std::span shown(items.data(), std::min(items.size(), kMostShown));
  return cat("[", joined(shown, text_of, ","), items.size() > kMostShown ? ",..." : "", "]");
}

// The value where it is of numbers or text.
std::string value_text(const OnnxAttribute& attribute) {
  switch (value_type(attribute)) {
    case OnnxAttributeType::float_number:
      return float_text(attribute.number);
    case OnnxAttributeType::integer:
      return integer_text(attribute.integer);
    case OnnxAttributeType::text:
      return quoted_text(attribute.text);
    case OnnxAttributeType::floats:
      return short_list(attribute.numbers, float_text);
    case OnnxAttributeType::integers:
      return short_list(attribute.integers, integer_text);
    case OnnxAttributeType::texts:
      return short_list(attribute.texts, quoted_text);
    default:
      return "...";
  }
}

std::string value_json(const OnnxAttribute& attribute) {
  switch (value_type(attribute)) {
    case OnnxAttributeType::float_number:
      return float_text(attribute.number);
    case OnnxAttributeType::integer:
      return integer_text(attribute.integer);
    case OnnxAttributeType::text:
      return json_string(attribute.text);
    case OnnxAttributeType::floats:
      return json_list(attribute.numbers, float_text);
    case OnnxAttributeType::integers:
      return json_list(attribute.integers, integer_text);
    case OnnxAttributeType::texts:
      return json_list(attribute.texts, json_string);
    default:
      return "null";
  }
}

// "y = Gather(data, indices), axis = 0".
std::string node_text(const OnnxNode& node) {
  const auto shown = [](const std::string& name) { return printable(name); };
  const std::string attributes = joined(node.attributes, [](const OnnxAttribute& attribute) {
    return cat(printable(attribute.name), " = ", value_text(attribute));
  });
  return cat(joined(node.outputs, shown), " = ", printable(node.title()), "(", joined(node.inputs, shown),
             ")", attributes.empty() ? "" : ", ", attributes);
}

std::string values_text(const std::vector<OnnxValue>& values, std::string_view role) {
  std::string out;
  for (const OnnxValue& value : values) {
    out += cat("  ", role, " ", printable(value.name), ": ", type_text(value), "\n");
  }
  return out;
}

// What the graph computes: "Gather", "a graph of 3 nodes".
std::string graph_text(const OnnxModel& model) {
  return model.nodes.size() == 1 ? printable(model.nodes[0].title())
                                 : cat("a graph of ", model.nodes.size(), " nodes");
}

// Why `check` does not run it: skipped, or an error; empty where it does.
struct Obstacle {
  std::string skipped;
  std::string error;
};
Obstacle obstacle_of(const OnnxModel& model) {
  try {
    const auto call = call_of_model(model);
    const auto* skipped = std::get_if<Skipped>(&call);
    return {skipped == nullptr ? "" : skipped->reason, ""};
  } catch (const Error& error) {
    return {"", error.what()};
  }
}

std::string obstacle_text(const Obstacle& obstacle) {
  if (!obstacle.error.empty()) return cat("error: ", obstacle.error);
  return obstacle.skipped.empty() ? "" : cat("skipped: ", obstacle.skipped);
}

std::string text_or_null(const std::string& text) {
  return text.empty() ? "null" : json_string(text);
}

std::string dim_json(const OnnxDim& dim) {
  if (dim.size) return cat(*dim.size);
  return text_or_null(dim.name);
}

std::string value_json(const OnnxValue& value) {
  return JsonObjectText()
      .add("name", json_string(value.name))
      .add("type", json_string(dtype_text(value)))
      .add("shape", value.shape ? json_list(*value.shape, dim_json) : "null")
      .text();
}

std::string node_json(const OnnxNode& node) {
  std::map<std::string, int> times;  // that a name stands
  for (const OnnxAttribute& attribute : node.attributes) ++times[json_string(attribute.name)];
  JsonObjectText attributes;
  for (const OnnxAttribute& attribute : node.attributes) {
    const std::string key = json_string(attribute.name);
    const int count = std::exchange(times[key], 0);
    if (count == 0) continue;
    attributes.add(std::string_view(key).substr(1, key.size() - 2),
                   count == 1 ? value_json(attribute) : "null");
  }
  return JsonObjectText()
      .add("op_type", json_string(node.op_type))
      .add("domain", json_string(node.domain))
      .add("inputs", json_list(node.inputs, json_string))
      .add("outputs", json_list(node.outputs, json_string))
      .add("attributes", attributes.text())
      .text();
}

JsonObjectText model_json(const OnnxModel& model, const std::string& path) {
  const Obstacle obstacle = obstacle_of(model);
  JsonObjectText out;
  out.add("path", json_string(path))
      .add("format", json_string("onnx"))
      .add("ir_version", cat(model.ir_version))
      .add("opsets", json_list(model.opsets,
                               [](const OnnxOpset& opset) {
                                 return JsonObjectText()
                                     .add("domain", json_string(opset.domain))
                                     .add("version", cat(opset.version))
                                     .text();
                               }))
      .add("nodes", json_list(model.nodes, node_json))
      .add("inputs", json_list(model.inputs, [](const OnnxValue& value) { return value_json(value); }))
      .add("outputs", json_list(model.outputs, [](const OnnxValue& value) { return value_json(value); }))
      .add("initializers",
           json_list(model.initializers, [](const OnnxTensor& tensor) { return json_string(tensor.name); }))
      .add("skipped", text_or_null(obstacle.skipped))
      .add("error", text_or_null(obstacle.error));
  return out;
}

}  // namespace

std::string describe_text(const OnnxModel& model, const std::string& path) {
  std::string out = cat(printable(path), ": ONNX model, IR version ", model.ir_version, ", ",
                        opsets_text(model), ", ", graph_text(model), "\n");
  for (const OnnxNode& node : model.nodes) out += cat("  node ", node_text(node), "\n");
  out += values_text(model.inputs, "input");
  out += values_text(model.outputs, "output");
  for (const OnnxTensor& tensor : model.initializers) {
    out += cat("  initializer ", printable(tensor.name), ": ",
               counted(static_cast<std::int64_t>(tensor.bytes.size()), "byte"), "\n");
  }
  if (const std::string obstacle = obstacle_text(obstacle_of(model)); !obstacle.empty()) {
    out += cat("  ", obstacle, "\n");
  }
  return out;
}

std::string describe_json(const OnnxModel& model, const std::string& path) {
  return model_json(model, path).text() + "\n";
}

std::string describe_case_text(const OnnxModel& model, const std::string& folder, std::int64_t data_sets) {
  const auto declared = [](const OnnxValue& value) {
    return cat(printable(value.name), " ", type_text(value));
  };
  const std::string obstacle = obstacle_text(obstacle_of(model));
  const std::string values = cat(": ", joined(model.inputs, declared), " -> ",
                                 joined(model.outputs, declared), ", ", counted(data_sets, "data set"));
  return cat(printable(folder), ": ", graph_text(model), ", ", opsets_text(model),
             obstacle.empty() ? values : cat(", ", obstacle), "\n");
}

std::string describe_case_json(const OnnxModel& model, const std::string& folder, std::int64_t data_sets) {
  JsonObjectText out = model_json(model, folder);
  return out.add("data_sets", cat(data_sets)).text() + "\n";
}

}  // namespace tensorop
