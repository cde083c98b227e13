#include "report/describe_file.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/json.hpp"
#include "base/text/text.hpp"
#include "io/json/json_writer.hpp"
#include "io/onnx/tensor_proto.hpp"
#include "jobs/onnx_call.hpp"
#include "report/finding_json.hpp"

namespace tensorop {
namespace {

// "13", "ai.onnx.ml 2".
std::string opset_text(const OnnxOpset& opset) {
  const bool is_onnx = opset.domain.empty() || opset.domain == "ai.onnx";
  return cat(is_onnx ? "" : cat(printable(opset.domain), " "), opset.version);
}

std::string opsets_text(const OnnxModel& model) {
  return model.opsets.empty() ? "no opset" : cat("opset ", join(model.opsets, ", ", opset_text));
}

// The declared dtype; for a value that is not a known tensor, its kind.
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
  return cat(dtype_text(value), value.shape ? cat(" (", join(*value.shape, ",", dim_text), ")") : "");
}

// The type of the value; none if there are several values, or nothing states the type.
OnnxAttributeType value_type(const OnnxAttribute& attribute) {
  if (attribute.held.size() == 1) return attribute.held[0];
  const std::int64_t stated = attribute.stated_type;
  const bool is_known = stated > 0 && stated <= static_cast<std::int64_t>(OnnxAttributeType::type_protos);
  // A value of 0 or without elements may be omitted.
  return attribute.held.empty() && is_known ? static_cast<OnnxAttributeType>(stated)
                                            : OnnxAttributeType::none;
}

// Calls `visit` with the value if it is a number, a text, or a list of these.
template <class Visit>
auto of_value(const OnnxAttribute& attribute, const Visit& visit) -> decltype(visit(attribute.integer)) {
  switch (value_type(attribute)) {
    case OnnxAttributeType::float_number:
      return visit(attribute.number);
    case OnnxAttributeType::integer:
      return visit(attribute.integer);
    case OnnxAttributeType::text:
      return visit(attribute.text);
    case OnnxAttributeType::floats:
      return visit(attribute.numbers);
    case OnnxAttributeType::integers:
      return visit(attribute.integers);
    case OnnxAttributeType::texts:
      return visit(attribute.texts);
    default:
      return {};
  }
}

struct ValueText {
  std::string operator()(float value) const {
    return json_element(DType::float32, reinterpret_cast<const std::byte*>(&value));
  }
  std::string operator()(std::int64_t value) const { return cat(value); }
  std::string operator()(const std::string& text) const { return cat("\"", printable(text), "\""); }
  // "[1,2,3]".
  template <class T>
  std::string operator()(const std::vector<T>& items) const {
    constexpr std::size_t kMostShown = 8;
    const std::span shown(items.data(), std::min(items.size(), kMostShown));
    return cat("[", join(shown, ",", *this), items.size() > kMostShown ? ",..." : "", "]");
  }
};

struct ValueJson {
  template <class T>
  Json operator()(const T& value) const {
    return {value};
  }
  template <class T>
  Json operator()(const std::vector<T>& items) const {
    return Json::list(items);
  }
};

// "y = Gather(data, indices), axis = 0".
std::string node_text(const OnnxNode& node) {
  const auto shown = [](const std::string& name) { return printable(name); };
  const std::string attributes = join(node.attributes, ", ", [](const OnnxAttribute& attribute) {
    const std::string value = of_value(attribute, ValueText());
    return cat(printable(attribute.name), " = ", value.empty() ? "..." : value);
  });
  return cat(join(node.outputs, ", ", shown), " = ", printable(node.title()), "(",
             join(node.inputs, ", ", shown), ")", attributes.empty() ? "" : ", ", attributes);
}

std::string values_text(const std::vector<OnnxValue>& values, std::string_view role) {
  std::string out;
  for (const OnnxValue& value : values) {
    out += cat("  ", role, " ", printable(value.name), ": ", type_text(value), "\n");
  }
  return out;
}

// The computation of the graph: "Gather", "a graph of 3 nodes".
std::string graph_text(const OnnxModel& model) {
  return model.nodes.size() == 1 ? printable(model.nodes[0].title())
                                 : cat("a graph of ", model.nodes.size(), " nodes");
}

// The reason why `check` does not run the model: skipped, or an error; empty if it runs.
struct Obstacle {
  std::optional<Skipped> skipped = {};
  std::optional<Failure> error = {};
};
Obstacle obstacle_of(const OnnxModel& model) {
  try {
    const auto call = call_of_model(model);
    const auto* skipped = std::get_if<Skipped>(&call);
    return {.skipped = skipped == nullptr ? std::nullopt : std::optional(*skipped)};
  } catch (const Error& error) {
    return {.error = error};
  }
}

std::string obstacle_text(const Obstacle& obstacle) {
  if (obstacle.error) return cat("error: ", std::string_view(obstacle.error->what()));
  return obstacle.skipped ? cat("skipped: ", obstacle.skipped->reason) : "";
}

// "float32 (2,3), 24 bytes, in w.bin".
std::string initializer_text(const OnnxTensor& tensor) {
  try {
    const ArrayEntry array = tensor_proto_entry(tensor.bytes, tensor.byte, nullptr, true);
    return cat(name(*array.dtype), " ", to_string(array.shape), ", ", counted(array.bytes, "byte"),
               array.file.empty() ? "" : cat(", in ", printable(array.file)));
  } catch (const Error& error) {
    return cat("error: ", std::string_view(error.what()));
  }
}

Json initializer_json(const OnnxTensor& tensor) {
  std::optional<ArrayEntry> array;
  std::optional<Failure> fault;
  try {
    array = tensor_proto_entry(tensor.bytes, tensor.byte, nullptr, true);
  } catch (const Error& error) {
    fault = error;
  }
  return Json::object()
      .add("name", tensor.name)
      .add("dtype", array ? Json(name(*array->dtype)) : Json())
      .add("shape", array ? Json::list(array->shape) : Json())
      .add("bytes", array ? Json(array->bytes) : Json())
      .add("file", array ? Json::or_null(array->file) : Json())
      .add("error", error_json(fault ? &*fault : nullptr));
}

Json dim_json(const OnnxDim& dim) {
  return dim.size ? Json(*dim.size) : Json::or_null(dim.name);
}

Json value_info_json(const OnnxValue& value) {
  return Json::object()
      .add("name", value.name)
      .add("type", dtype_text(value))
      .add("shape", value.shape ? Json::list(*value.shape, dim_json) : Json());
}

Json node_json(const OnnxNode& node) {
  std::map<std::string_view, int> times;  // number of uses of a name
  for (const OnnxAttribute& attribute : node.attributes) ++times[attribute.name];
  Json attributes = Json::object();
  for (const OnnxAttribute& attribute : node.attributes) {
    const int count = std::exchange(times[attribute.name], 0);
    if (count != 0) attributes.add(attribute.name, count == 1 ? of_value(attribute, ValueJson()) : Json());
  }
  return Json::object()
      .add("op_type", node.op_type)
      .add("domain", node.domain)
      .add("inputs", Json::list(node.inputs))
      .add("outputs", Json::list(node.outputs))
      .add("attributes", attributes);
}

Json file_head(const std::string& path, std::string_view format, const Metadata& metadata,
               const Json& model) {
  Json entries = Json::object();
  // Keys are unique.
  for (const auto& [key, value] : metadata) entries.add(key, value);
  return Json::object()
      .add("path", path)
      .add("format", Json::or_null(format))
      .add("metadata", metadata.empty() ? Json() : entries)
      .add("model", model);
}

}  // namespace

std::string describe_text(const OnnxModel& model, const std::string& path) {
  std::string out = cat(printable(path), ": ONNX model, IR version ", model.ir_version, ", ",
                        opsets_text(model), ", ", graph_text(model), "\n");
  for (const OnnxNode& node : model.nodes) out += cat("  node ", node_text(node), "\n");
  out += values_text(model.inputs, "input");
  out += values_text(model.outputs, "output");
  for (const OnnxTensor& tensor : model.initializers) {
    out += cat("  initializer ", printable(tensor.name), ": ", initializer_text(tensor), "\n");
  }
  if (const std::string obstacle = obstacle_text(obstacle_of(model)); !obstacle.empty()) {
    out += cat("  ", obstacle, "\n");
  }
  return out;
}

FileEntry file_entry(const OnnxModel& model, const std::string& path, std::optional<std::int64_t> data_sets) {
  const Obstacle obstacle = obstacle_of(model);
  const auto opset_json = [](const OnnxOpset& opset) {
    return Json::object().add("domain", opset.domain).add("version", opset.version);
  };
  Json out = Json::object()
                 .add("ir_version", model.ir_version)
                 .add("opsets", Json::list(model.opsets, opset_json))
                 .add("nodes", Json::list(model.nodes, node_json))
                 .add("inputs", Json::list(model.inputs, value_info_json))
                 .add("outputs", Json::list(model.outputs, value_info_json))
                 .add("initializers", Json::list(model.initializers, initializer_json))
                 .add("data_sets", data_sets)
                 .add("skipped", skipped_json(obstacle.skipped));
  return {.head = file_head(path, "onnx", {}, out), .error = obstacle.error};
}

std::string describe_case_text(const OnnxModel& model, const std::string& folder, std::int64_t data_sets) {
  const auto declared = [](const OnnxValue& value) {
    return cat(printable(value.name), " ", type_text(value));
  };
  const std::string obstacle = obstacle_text(obstacle_of(model));
  const std::string values = cat(": ", join(model.inputs, ", ", declared), " -> ",
                                 join(model.outputs, ", ", declared), ", ", counted(data_sets, "data set"));
  return cat(printable(folder), ": ", graph_text(model), ", ", opsets_text(model),
             obstacle.empty() ? values : cat(", ", obstacle), "\n");
}

std::string array_text(const ArrayEntry& file) {
  std::string out = cat(printable(file.path), ": ",
                        !file.names_dtype     ? "unknown dtype"
                        : file.dtype          ? std::string(name(*file.dtype))
                        : file.stored.empty() ? "dtype ''"
                                              : printable(file.stored),
                        " ", to_string(file.shape), ", ",
                        file.knows_bytes ? counted(file.bytes, "byte") : "size unknown", ", ", file.format);
  if (!file.stored.empty())
    out += cat(" ", printable(file.stored), ", ", file.fortran_order ? "Fortran" : "C", " order");
  if (file.is_unaligned) out += ", unaligned";
  if (!file.compression.empty()) out += cat(", ", file.compression);
  if (!file.file.empty()) out += cat(", in ", printable(file.file));
  if (!file.name.empty() && !file.path.ends_with(cat(':', file.name)))
    out += cat(", name ", in_quotes(file.name));
  return out + "\n";
}

Json array_json(const ArrayEntry& file) {
  const bool has_code = !file.stored.empty() || file.refused != nullptr;  // text has none
  return Json::object()
      .add("path", file.path)
      .add("format", file.format)
      .add("dtype", file.names_dtype && file.dtype ? Json(name(*file.dtype)) : Json())
      .add("shape", Json::list(file.shape))
      .add("bytes", file.knows_bytes ? Json(file.bytes) : Json())
      .add("stored", has_code ? Json(file.stored) : Json())
      .add("order", has_code ? Json(file.fortran_order ? "F" : "C") : Json())
      .add("unaligned", file.is_unaligned)
      .add("compression", Json::or_null(file.compression))
      .add("file", Json::or_null(file.file))
      .add("name", Json::or_null(file.name))
      .add("warnings", Json::list(file.warnings));
}

std::string describe_text(const FileContent& content) {
  std::string out;
  for (const auto& [key, value] : content.metadata) {
    out += cat(printable(content.path), ": metadata ", printable(key), " = ", printable(value), "\n");
  }
  std::set<std::string_view> files;
  std::int64_t bytes = 0;
  for (const ArrayEntry& file : content.arrays) {
    out += array_text(file);
    if (!file.file.empty()) files.insert(file.file);
    bytes += file.bytes;
  }
  if (!files.empty() && content.is_whole)
    out += cat(printable(content.path), ": ", counted(to_int64(content.arrays.size()), "array"), " in ",
               counted(to_int64(files.size()), "file"), ", ", counted(bytes, "byte"), "\n");
  if (content.arrays.empty()) out += cat(printable(content.path), ": no arrays, ", content.format, "\n");
  return out;
}

FileEntry file_entry(const FileContent& content) {
  return {.head = file_head(content.path, content.format, content.metadata, {}),
          .warnings = content.warnings};
}

FileEntry file_entry(const std::string& path, const Failure& error) {
  return {.head = file_head(path, "", {}, {}), .error = error};
}

}  // namespace tensorop
