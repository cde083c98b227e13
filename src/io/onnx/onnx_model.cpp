#include "io/onnx/onnx_model.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <variant>

#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/onnx/external_files.hpp"
#include "io/onnx/message_kind.hpp"
#include "io/onnx/onnx_fields.hpp"
#include "io/onnx/protobuf.hpp"
#include "io/onnx/tensor_proto.hpp"
#include "io/onnx/tensor_proto_fields.hpp"

namespace tensorop {
namespace {

using namespace onnx_fields;

constexpr std::int64_t kMostFields = 100'000;
constexpr int kMostNesting = 16;

[[noreturn]] void refuse_size(const std::string& text, bool is_model) {
  if (is_model) throw OnnxSizeError(text);
  throw Error(text);
}

// Reads one model. Duplicates of a singular field are refused: protobuf uses the last one, so two readers
// might see two models.
class ModelReader {
 public:
  OnnxModel read_model(ProtoMessage message) {
    constexpr std::string_view kNoGraph = "not an ONNX model: no graph (field 7)";
    OnnxModel model;
    try {
      read_fields(message, {{model::ir_version, &model.ir_version}, {model::graph}},
                  [&](const ProtoField& field) { read_model_field(field, model); });
    } catch (Failure& error) {
      if (!has_graph_) error.add_context(kNoGraph);
      throw;
    }
    if (!has_graph_) throw Error(std::string(kNoGraph));
    return model;
  }

 private:
  // Refuses a duplicate of a singular field, or a second one of alternative fields.
  class Once {
   public:
    void add_field(const ProtoField& field) {
      const std::string earlier = std::exchange(met_, field.name());
      if (earlier.empty()) return;
      throw Error(cat("field ", field.number(), " (", field.name(), ")",
                      earlier == met_ ? " stands twice" : cat(" stands beside ", earlier), " (byte ",
                      field.byte(), ")"));
    }

   private:
    std::string met_;  // name of the field that was met
  };

  // A singular field, and the place for its value: one of the members.
  struct Single {
    std::uint32_t number;
    std::variant<std::monostate, std::string*, std::int64_t*, float*> value = {};
    Once once = {};

    void set_value(const ProtoField& field) {
      once.add_field(field);
      if (auto* const text = std::get_if<std::string*>(&value)) **text = field.text();
      if (auto* const integer = std::get_if<std::int64_t*>(&value)) **integer = field.integer();
      if (auto* const real = std::get_if<float*>(&value)) **real = field.float32();
    }
  };

  using Use = std::function<void(const ProtoField& field)>;

  // Sets the values of fields in `singles`; calls use(field) for all other fields of a message.
  void read_fields(ProtoMessage message, std::vector<Single> singles, const Use& use = nullptr) {
    while (message.next()) {
      const ProtoField& field = message.field();
      if (++fields_ > kMostFields) {
        refuse_size(cat("the model has more than ", kMostFields, " fields (byte ", field.byte(), ")"),
                    has_graph_);
      }
      const auto single = std::ranges::find(singles, field.number(), &Single::number);
      if (single != singles.end()) single->set_value(field);
      if (use) use(field);
    }
  }

  static std::string text_of(const ProtoField& field) { return std::string(field.text()); }

  void read_model_field(const ProtoField& field, OnnxModel& model) {
    const std::uint32_t number = field.number();
    if (number <= model::opset_import) field.require(wire_of_model(number));
    if (number == model::graph) {
      const ProtoMessage graph = field.message(graph::kNames);
      has_graph_ = true;
      read_graph(graph, model);
    }
    if (number == model::opset_import) {
      OnnxOpset& opset = model.opsets.emplace_back();
      read_fields(field.message(opset::kNames),
                  {{opset::domain, &opset.domain}, {opset::version, &opset.version}});
    }
    if (number == model::functions) {
      OnnxFunction& function = model.functions.emplace_back();
      read_fields(field.message(function::kNames),
                  {{function::name, &function.name}, {function::domain, &function.domain}});
    }
  }

  void read_graph(ProtoMessage message, OnnxModel& model) {
    read_fields(message, {}, [&](const ProtoField& field) {
      const std::uint32_t number = field.number();
      field.require(ProtoWire::bytes);  // by which classify_message() knows a graph
      if (number == graph::node) model.nodes.push_back(read_node(field.message(node::kNames)));
      if (number == graph::initializer) model.initializers.push_back(read_tensor(field));
      if (number == graph::input) model.inputs.push_back(read_value(field.message(value::kNames)));
      if (number == graph::output) model.outputs.push_back(read_value(field.message(value::kNames)));
      if (number == graph::sparse_initializer) model.has_sparse_initializer = true;
    });
  }

  OnnxNode read_node(ProtoMessage message) {
    OnnxNode read;
    read_fields(
        message,
        {{node::op_type, &read.op_type}, {node::domain, &read.domain}, {node::overload, &read.overload}},
        [&](const ProtoField& field) {
          if (field.number() == node::input) read.inputs.push_back(text_of(field));
          if (field.number() == node::output) read.outputs.push_back(text_of(field));
          if (field.number() == node::attribute) {
            read.attributes.push_back(read_attribute(field.message(attribute::kNames)));
          }
        });
    return read;
  }

  OnnxAttribute read_attribute(ProtoMessage message) {
    OnnxAttribute read;
    const std::vector<Single> singles = {{attribute::name, &read.name},
                                         {attribute::f, &read.number},
                                         {attribute::i, &read.integer},
                                         {attribute::s, &read.text},
                                         {attribute::t},
                                         {attribute::g},
                                         {attribute::doc_string},
                                         {attribute::tp},
                                         {attribute::type, &read.stated_type},
                                         {attribute::ref_attr_name},
                                         {attribute::sparse_tensor}};
    read_fields(message, singles, [&](const ProtoField& field) {
      if (field.number() == attribute::ref_attr_name) read.refers_to_function = true;
      const OnnxAttributeType held = type_of_field(field.number());
      if (held == OnnxAttributeType::none) return;
      if (std::ranges::find(read.held, held) == read.held.end()) read.held.push_back(held);
      read_attribute_value(held, field, read);
    });
    return read;
  }

  // Reads the values of attributes, except single numbers and texts.
  void read_attribute_value(OnnxAttributeType held, const ProtoField& field, OnnxAttribute& attribute) {
    switch (held) {
      case OnnxAttributeType::tensor:
        attribute.tensor = read_tensor(field);
        break;
      case OnnxAttributeType::floats:
        append_floats(field.fixed_numbers(sizeof(float)), attribute.numbers);
        break;
      case OnnxAttributeType::integers:
        for (ProtoVarints numbers(field); const auto number = numbers.next();)
          attribute.integers.push_back(static_cast<std::int64_t>(*number));
        break;
      case OnnxAttributeType::texts:
        attribute.texts.push_back(text_of(field));
        break;
      case OnnxAttributeType::graph:
      case OnnxAttributeType::graphs:
        // Depth 5: model, graph, node, attribute, subgraph.
        skim(field, Skimmed::graph, 5);
        break;
      default:
        break;
    }
  }

  static void append_floats(std::span<const std::byte> bytes, std::vector<float>& out) {
    const std::size_t before = out.size();
    out.resize(before + bytes.size() / sizeof(float));
    if (!bytes.empty()) std::memcpy(out.data() + before, bytes.data(), bytes.size());
  }

  enum class Skimmed : std::uint8_t { graph, node, attribute };

  // Checks only the nesting of a graph within a node. `depth` counts this message and the ones around it.
  void skim(const ProtoField& field, Skimmed kind, int depth) {
    if (depth > kMostNesting) throw Error(cat("nesting above ", kMostNesting, " (byte ", field.byte(), ")"));
    const ProtoNames names = kind == Skimmed::graph  ? ProtoNames(graph::kNames)
                             : kind == Skimmed::node ? ProtoNames(node::kNames)
                                                     : ProtoNames(attribute::kNames);
    read_fields(field.message(names), {}, [&](const ProtoField& inner) {
      const std::uint32_t number = inner.number();
      if (kind == Skimmed::graph && number == graph::node) skim(inner, Skimmed::node, depth + 1);
      if (kind == Skimmed::node && number == node::attribute) skim(inner, Skimmed::attribute, depth + 1);
      const bool is_graph = number == attribute::g || number == attribute::graphs;
      if (kind == Skimmed::attribute && is_graph) skim(inner, Skimmed::graph, depth + 1);
    });
  }

  // Reads only the name of a tensor; its other fields are read with its elements.
  OnnxTensor read_tensor(const ProtoField& field) {
    OnnxTensor tensor{.bytes = field.bytes(), .byte = field.value_byte()};
    read_fields(field.message(tensor_proto::kNames), {{tensor_proto::kName, &tensor.name}});
    return tensor;
  }

  OnnxValue read_value(ProtoMessage message) {
    OnnxValue read;
    read_fields(message, {{value::name, &read.name}, {value::type}}, [&](const ProtoField& field) {
      if (field.number() == value::type) read_type(field.message(type::kNames), read);
    });
    return read;
  }

  void read_type(ProtoMessage message, OnnxValue& value) {
    Once once;
    read_fields(message, {}, [&](const ProtoField& field) {
      const OnnxValueKind kind = kind_of_field(field.number());
      if (kind == OnnxValueKind::untyped) return;
      once.add_field(field);
      value.kind = kind;
      if (kind == OnnxValueKind::tensor) read_tensor_type(field.message(tensor_type::kNames), value);
    });
  }

  void read_tensor_type(ProtoMessage message, OnnxValue& value) {
    read_fields(message, {{tensor_type::elem_type, &value.element_type}, {tensor_type::shape}},
                [&](const ProtoField& field) {
                  if (field.number() == tensor_type::shape)
                    value.shape = read_shape(field.message(shape::kNames));
                });
  }

  std::vector<OnnxDim> read_shape(ProtoMessage message) {
    std::vector<OnnxDim> dims;
    read_fields(message, {}, [&](const ProtoField& field) {
      if (field.number() != shape::dim) return;
      OnnxDim& read = dims.emplace_back();
      Once once;
      read_fields(field.message(dim::kNames), {}, [&](const ProtoField& inside) {
        const std::uint32_t number = inside.number();
        if (number == dim::dim_value || number == dim::dim_param) once.add_field(inside);
        if (number == dim::dim_value) read.size = inside.integer();
        if (number == dim::dim_param) read.name = text_of(inside);
      });
    });
    return dims;
  }

  std::int64_t fields_ = 0;
  bool has_graph_ = false;
};

}  // namespace

std::string OnnxNode::title() const {
  return is_onnx() ? op_type : cat(domain, "::", op_type);
}

std::string_view noun_of(OnnxValueKind kind) {
  constexpr std::string_view kNouns[] = {"a value without a type", "a tensor",        "a sequence", "a map",
                                         "an opaque value",        "a sparse tensor", "an optional"};
  return kNouns[static_cast<std::size_t>(kind)];
}

std::int64_t OnnxModel::opset() const {
  constexpr std::int64_t kFirstWithOpsets = 3;
  std::optional<std::int64_t> highest;
  for (const auto& [domain, version] : opsets) {
    if (domain.empty() || domain == "ai.onnx") highest = std::max(highest.value_or(version), version);
  }
  if (!highest) {
    if (ir_version >= 1 && ir_version < kFirstWithOpsets) return 1;
    throw Error("no opset_import for the ONNX domain");
  }
  if (*highest < 1) throw Error(cat("opset ", *highest, " is not a positive integer"));
  return *highest;
}

OnnxModel read_onnx_model(std::span<const std::byte> bytes, std::shared_ptr<const MappedFile> owner) {
  OnnxModel model = ModelReader().read_model(ProtoMessage(bytes, 0, model::kNames));
  model.owner = std::move(owner);
  return model;
}

OnnxModel read_onnx_model(const std::string& path) {
  require_regular_file(path);
  const InputFile file = InputFile::open(path);
  return with_context(printable(path), [&] {
    const auto bytes = file.bytes();
    if (bytes.size() > kMostModelBytes) {
      refuse_size(cat("a model of ", bytes.size(), " bytes is too large (at most ", kMostModelBytes, ")"),
                  classify_message(bytes) == MessageKind::model);
    }
    OnnxModel model = read_onnx_model(bytes, file.mapping());
    file.mapping()->require_unchanged();
    model.path = path;
    return model;
  });
}

std::optional<DType> declared_dtype(const OnnxValue& value) {
  if (value.kind != OnnxValueKind::tensor || value.element_type == 0) return std::nullopt;
  const auto* const row = std::ranges::find(kDTypes, value.element_type, &DTypeInfo::onnx);
  if (row != kDTypes.end()) return row->dtype;
  throw Error(cat("\"", printable(value.name), "\": ", tensor_proto::refused_data_type(value.element_type)));
}

Tensor read_onnx_tensor(const OnnxTensor& tensor, const OnnxModel& model) {
  ArrayEntry array = tensor_proto_entry(tensor.bytes, tensor.byte, model.owner, true);
  if (!array.file.empty()) ExternalFiles(model.path).locate(array);
  return decode_tensor_proto(array, tensor.bytes, tensor.byte, {});
}

}  // namespace tensorop
