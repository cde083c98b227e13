#include "io/onnx_model.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "io/onnx_fields.hpp"
#include "io/protobuf.hpp"
#include "io/tensor_proto.hpp"
#include "io/tensor_proto_fields.hpp"

namespace tensorop {
namespace {

using namespace onnx_fields;

constexpr std::int64_t kMostFields = 100'000;
constexpr int kMostNesting = 16;

[[noreturn]] void refuse_size(const std::string& text, bool is_model) {
  if (is_model) throw OnnxSizeError(text);
  throw Error(text);
}

// Reads one model. Fields that stand once are refused where they stand twice: protobuf takes the last, so two
// readers might see two models.
class ModelReader {
 public:
  OnnxModel read_model(ProtoMessage message) {
    constexpr std::string_view kNoGraph = "not an ONNX model: no graph (field 7)";
    OnnxModel model;
    try {
      while (next(message)) read_model_field(message.field(), model);
    } catch (Error& error) {
      if (!has_graph_) error.add_context(kNoGraph);
      throw;
    }
    if (!has_graph_) throw Error(std::string(kNoGraph));
    return model;
  }

 private:
  // A field that stands once in its message, or one of several fields of which only one may.
  class Single {
   public:
    void meet(const ProtoField& field) {
      const std::string earlier = std::exchange(met_, field.name());
      if (earlier.empty()) return;
      throw Error(cat("field ", field.number(), " (", field.name(), ")",
                      earlier == met_ ? " stands twice" : cat(" stands beside ", earlier), " (byte ",
                      field.byte(), ")"));
    }
    void take(const ProtoField& field, std::string& out) {
      meet(field);
      out = field.text();
    }
    void take(const ProtoField& field, std::int64_t& out) {
      meet(field);
      out = field.integer();
    }

   private:
    std::string met_;  // the name of the field
  };

  bool next(ProtoMessage& message) {
    if (!message.next()) return false;
    if (++fields_ > kMostFields) {
      refuse_size(cat("the model has more than ", kMostFields, " fields (byte ", message.field().byte(), ")"),
                  has_graph_);
    }
    return true;
  }

  static std::string text_of(const ProtoField& field) { return std::string(field.text()); }

  void read_model_field(const ProtoField& field, OnnxModel& model) {
    switch (field.number()) {
      case 1:
        ir_version_.take(field, model.ir_version);
        break;
      case kProducerField:
        field.require(ProtoWire::bytes);
        break;
      case kGraphField: {
        graph_.meet(field);
        const ProtoMessage graph = field.message(kGraphNames);
        has_graph_ = true;
        read_graph(graph, model);
        break;
      }
      case 8:
        model.opsets.push_back(read_opset(field.message(kOpsetNames)));
        break;
      case 25:
        model.functions.push_back(read_function(field.message(kFunctionNames)));
        break;
      default:
        break;
    }
  }

  OnnxOpset read_opset(ProtoMessage message) {
    OnnxOpset opset;
    Single domain;
    Single version;
    while (next(message)) {
      const ProtoField& field = message.field();
      if (field.number() == 1) {
        domain.take(field, opset.domain);
      } else if (field.number() == 2) {
        version.take(field, opset.version);
      }
    }
    return opset;
  }

  OnnxFunction read_function(ProtoMessage message) {
    OnnxFunction function;
    Single name;
    Single domain;
    while (next(message)) {
      const ProtoField& field = message.field();
      if (field.number() == 1) {
        name.take(field, function.name);
      } else if (field.number() == 10) {
        domain.take(field, function.domain);
      }
    }
    return function;
  }

  void read_graph(ProtoMessage message, OnnxModel& model) {
    while (next(message)) {
      const ProtoField& field = message.field();
      switch (field.number()) {
        case kNodeField:
          model.nodes.push_back(read_node(field.message(kNodeNames)));
          break;
        case 5:
          model.initializers.push_back(read_tensor(field));
          break;
        case 11:
          model.inputs.push_back(read_value(field.message(kValueNames)));
          break;
        case 12:
          model.outputs.push_back(read_value(field.message(kValueNames)));
          break;
        case 15:
          model.has_sparse_initializer = true;
          break;
        default:
          break;
      }
    }
  }

  OnnxNode read_node(ProtoMessage message) {
    OnnxNode node;
    Single op_type;
    Single domain;
    Single overload;
    while (next(message)) {
      const ProtoField& field = message.field();
      switch (field.number()) {
        case 1:
          node.inputs.push_back(text_of(field));
          break;
        case 2:
          node.outputs.push_back(text_of(field));
          break;
        case 4:
          op_type.take(field, node.op_type);
          break;
        case kAttributeField:
          node.attributes.push_back(read_attribute(field.message(kAttributeNames)));
          break;
        case 7:
          domain.take(field, node.domain);
          break;
        case 8:
          overload.take(field, node.overload);
          break;
        default:
          break;
      }
    }
    return node;
  }

  OnnxAttribute read_attribute(ProtoMessage message) {
    OnnxAttribute attribute;
    std::array<Single, kAttributeNames.back().number + 1> singles;
    while (next(message)) {
      const ProtoField& field = message.field();
      const OnnxAttributeType held = type_of_field(field.number());
      const auto* const name = std::ranges::find(kAttributeNames, field.number(), &ProtoName::number);
      if (name != kAttributeNames.end() && !is_list(held)) singles[field.number()].meet(field);
      if (held != OnnxAttributeType::none) {
        const bool is_new = std::ranges::find(attribute.held, held) == attribute.held.end();
        if (is_new) attribute.held.push_back(held);
        read_attribute_value(held, field, attribute);
      } else if (field.number() == 1) {
        attribute.name = text_of(field);
      } else if (field.number() == 20) {
        attribute.stated_type = field.integer();
      } else if (field.number() == 21) {
        attribute.refers_to_function = true;
      }
    }
    return attribute;
  }

  void read_attribute_value(OnnxAttributeType held, const ProtoField& field, OnnxAttribute& attribute) {
    switch (held) {
      case OnnxAttributeType::float_number:
        attribute.number = field.float32();
        break;
      case OnnxAttributeType::integer:
        attribute.integer = field.integer();
        break;
      case OnnxAttributeType::text:
        attribute.text = text_of(field);
        break;
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
        // The attribute is in a node, in a graph, in the model.
        skim_graph(field, 5);
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

  // A graph within a node is not read, only followed as deep as it goes. `depth`: of how many messages it is
  // the innermost.
  void skim_graph(const ProtoField& graph, int depth) {
    for_each_inner(graph, depth, kGraphNames, [&](const ProtoField& node) {
      if (node.number() != kNodeField) return;
      for_each_inner(node, depth + 1, kNodeNames, [&](const ProtoField& attribute) {
        if (attribute.number() != kAttributeField) return;
        for_each_inner(attribute, depth + 2, kAttributeNames, [&](const ProtoField& value) {
          const OnnxAttributeType held = type_of_field(value.number());
          const bool is_graph = held == OnnxAttributeType::graph || held == OnnxAttributeType::graphs;
          if (is_graph) skim_graph(value, depth + 3);
        });
      });
    });
  }

  template <class Visit>
  void for_each_inner(const ProtoField& field, int depth, ProtoNames names, const Visit& visit) {
    if (depth > kMostNesting) throw Error(cat("nesting above ", kMostNesting, " (byte ", field.byte(), ")"));
    ProtoMessage message = field.message(names);
    while (next(message)) visit(message.field());
  }

  // A tensor by its name; its other fields are read with its elements.
  OnnxTensor read_tensor(const ProtoField& field) {
    OnnxTensor tensor{.bytes = field.bytes(), .byte = field.value_byte()};
    Single name;
    ProtoMessage message = field.message(tensor_proto::kNames);
    while (next(message)) {
      if (message.field().number() != tensor_proto::kName) continue;
      name.take(message.field(), tensor.name);
    }
    return tensor;
  }

  OnnxValue read_value(ProtoMessage message) {
    OnnxValue value;
    Single name;
    Single type;
    while (next(message)) {
      const ProtoField& field = message.field();
      if (field.number() == 1) {
        name.take(field, value.name);
      } else if (field.number() == 2) {
        type.meet(field);
        read_type(field.message(kTypeNames), value);
      }
    }
    return value;
  }

  void read_type(ProtoMessage message, OnnxValue& value) {
    Single type;
    while (next(message)) {
      const ProtoField& field = message.field();
      const OnnxValueKind kind = kind_of_field(field.number());
      if (kind == OnnxValueKind::untyped) continue;
      type.meet(field);
      value.kind = kind;
      if (kind == OnnxValueKind::tensor) read_tensor_type(field.message(kTensorTypeNames), value);
    }
  }

  void read_tensor_type(ProtoMessage message, OnnxValue& value) {
    Single element_type;
    Single shape;
    while (next(message)) {
      const ProtoField& field = message.field();
      if (field.number() == 1) {
        element_type.take(field, value.element_type);
      } else if (field.number() == 2) {
        shape.meet(field);
        value.shape = read_shape(field.message(kShapeNames));
      }
    }
  }

  std::vector<OnnxDim> read_shape(ProtoMessage message) {
    std::vector<OnnxDim> dims;
    while (next(message)) {
      if (message.field().number() != 1) continue;
      OnnxDim& dim = dims.emplace_back();
      Single value;
      ProtoMessage inside = message.field().message(kDimNames);
      while (next(inside)) {
        const ProtoField& field = inside.field();
        if (field.number() != 1 && field.number() != 2) continue;
        value.meet(field);
        if (field.number() == 1) dim.size = field.integer();
        if (field.number() == 2) dim.name = text_of(field);
      }
    }
    return dims;
  }

  std::int64_t fields_ = 0;
  bool has_graph_ = false;
  Single ir_version_;
  Single graph_;
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

OnnxModel read_onnx_model(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  OnnxModel model = ModelReader().read_model(ProtoMessage(bytes, 0, kModelNames));
  model.owner = std::move(owner);
  return model;
}

OnnxModel read_onnx_model(const std::string& path) {
  require_regular_file(path);
  InputFile file = InputFile::open(path);
  return with_context(printable(path), [&] {
    if (!file.mapping()) {
      // An empty file is not mapped.
      std::byte first{};
      if (file.read({&first, 1}) != 0) throw Error("is not a regular file");
      return read_onnx_model({}, nullptr);
    }
    const auto bytes = file.mapping()->bytes();
    if (bytes.size() > kMostModelBytes) {
      refuse_size(cat("a model of ", bytes.size(), " bytes is too large (at most ", kMostModelBytes, ")"),
                  is_onnx_model(bytes));
    }
    OnnxModel model = read_onnx_model(bytes, file.mapping());
    file.mapping()->require_unchanged();
    return model;
  });
}

bool is_onnx_model(std::span<const std::byte> bytes) {
  constexpr int kMostLookedAt = 32;
  ProtoMessage message(bytes, 0, kModelNames);
  bool has_graph = false;
  try {
    for (int i = 0; i < kMostLookedAt && message.next(); ++i) {
      const ProtoField& field = message.field();
      const bool is_message = field.wire() == ProtoWire::bytes;
      if (field.number() == kProducerField && !is_message) return false;
      has_graph |= field.number() == kGraphField && is_message;
    }
  } catch (const MemoryError&) {
    throw;
  } catch (const Error&) {
    return false;
  }
  return has_graph;
}

std::optional<DType> declared_dtype(const OnnxValue& value) {
  if (value.kind != OnnxValueKind::tensor || value.element_type == 0) return std::nullopt;
  const auto* const row = std::ranges::find(kDTypes, value.element_type, &DTypeInfo::onnx);
  if (row != kDTypes.end()) return row->dtype;
  throw Error(cat("\"", printable(value.name), "\": ", tensor_proto::refused_data_type(value.element_type)));
}

Tensor read_onnx_tensor(const OnnxTensor& tensor, const std::shared_ptr<const void>& owner) {
  return read_tensor_proto(tensor.bytes, tensor.byte, owner, {}).tensor;
}

}  // namespace tensorop
