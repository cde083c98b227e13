// Tables 3 to 6 of the specification: which versions there are and what they differ in, besides their dtypes
// (support/type_tables.hpp). Written down a second time, so that the tables of src/ops can be wrong in a
// test.
#include "support/reference.hpp"
#include "support/type_tables.hpp"

namespace tensorop::reference {
namespace {

constexpr int kOnnx = 28;  // the newest opset known
constexpr int kOpenvino = 15;

// The version's dtypes; everything else as in the default semantics, without reductions.
Rules rules_of(const std::string& framework, int since, const std::string& name) {
  Rules rules;
  rules.types = published_types({framework, since, name, "data"});
  rules.exponent_types = published_types({framework, since, name, "exponent"});
  rules.index_types = published_types({framework, since, name, "indices"});
  return rules;
}

// Collects the versions of one operator after another.
class Versions {
 public:
  // Adds a version; its rules are the caller's to change until the next one is added. `name`: the
  // publisher's, in small letters, where it is not `op`.
  Rules& add(const char* op, const char* framework, int since, int until, const char* name = nullptr) {
    const char* published = name == nullptr ? op : name;
    all.push_back({op, published, framework, since, until, rules_of(framework, since, published)});
    return all.back().rules;
  }

  std::vector<PublishedVersion> all;
};

void add_gather(Versions& versions) {
  const auto gather = [&](const char* framework, int since, int until) -> Rules& {
    return versions.add("gather", framework, since, until);
  };
  Rules& first = gather("onnx", 1, 10);
  first.batch_dims = first.negative_indices = false;
  gather("onnx", 11, 12).batch_dims = false;
  gather("onnx", 13, kOnnx).batch_dims = false;
  Rules& openvino = gather("openvino", 1, 6);
  openvino.batch_dims = openvino.negative_indices = false;
  gather("openvino", 7, 7).negative_indices = false;
  gather("openvino", 8, kOpenvino).zero_fill = true;

  versions.add("gatherelements", "onnx", 11, 12);
  versions.add("gatherelements", "onnx", 13, kOnnx);
  Rules& equal = versions.add("gatherelements", "openvino", 6, kOpenvino);
  equal.negative_indices = false;
  equal.equal_off_axis = true;
}

void add_gather_nd(Versions& versions) {
  const auto onnx = [&](const char* framework, int since, int until) -> Rules& {
    Rules& rules = versions.add("gathernd", framework, since, until);
    rules.negative_batch_dims = rules.broadcast_batch_dims = rules.empty_tuples = false;
    return rules;
  };
  onnx("onnx", 11, 11).batch_dims = false;
  onnx("onnx", 12, 12);
  onnx("onnx", 13, kOnnx);
  onnx("mdf", 0, 0);
  Rules& fused = versions.add("gathernd", "openvino", 5, 7);
  fused.negative_batch_dims = fused.negative_indices = false;
  fused.fused_batch_dims = true;
  versions.add("gathernd", "openvino", 8, kOpenvino).negative_batch_dims = false;
}

void add_scatter(Versions& versions) {
  const auto elements = [&](const char* name, const char* framework, int since, int until) -> Rules& {
    Rules& rules = versions.add("scatterelements", framework, since, until, name);
    rules.use_init_val = false;
    rules.open_duplicates = rules.open_nan = true;
    return rules;
  };
  elements("scatter", "onnx", 9, 10).negative_indices = false;
  elements("scatter", "onnx", 11, kOnnx);
  elements("scatterelements", "onnx", 11, 12);
  elements("scatterelements", "onnx", 13, 15);
  elements("scatterelements", "onnx", 16, 17).reductions = {"none", "add", "mul"};
  elements("scatterelements", "onnx", 18, kOnnx).reductions = {"none", "add", "mul", "max", "min"};
  Rules& bounded = elements("scatterelementsupdate", "openvino", 3, 11);
  bounded.negative_indices = false;
  bounded.bounded_axis = true;
  Rules& openvino = elements("scatterelementsupdate", "openvino", 12, kOpenvino);
  openvino.reductions = {"none", "sum", "prod", "min", "max", "mean"};
  openvino.use_init_val = true;

  const auto nd = [&](const char* name, const char* framework, int since, int until) -> Rules& {
    Rules& rules = versions.add("scatternd", framework, since, until, name);
    rules.use_init_val = false;
    rules.one_element_updates = std::string(framework) == "openvino";
    rules.open_duplicates = rules.open_nan = true;
    return rules;
  };
  nd("scatternd", "onnx", 11, 12);
  nd("scatternd", "onnx", 13, 15);
  nd("scatternd", "onnx", 16, 17).reductions = {"none", "add", "mul"};
  nd("scatternd", "onnx", 18, kOnnx).reductions = {"none", "add", "mul", "max", "min"};
  nd("scatterndupdate", "openvino", 3, 14).negative_indices = false;
  nd("scatterndupdate", "openvino", 15, kOpenvino).reductions = {"none", "sum", "sub", "prod", "min", "max"};

  Rules& update = versions.add("scatterupdate", "openvino", 3, kOpenvino);
  update.negative_indices = update.use_init_val = false;
  update.open_duplicates = true;
}

void add_broadcast(Versions& versions) {
  versions.add("expand", "onnx", 8, 12);
  versions.add("expand", "onnx", 13, kOnnx);
  versions.add("broadcast", "openvino", 1, 2).modes = {"numpy", "explicit", "pdpd"};
  versions.add("broadcast", "openvino", 3, kOpenvino).modes = {"numpy", "explicit", "bidirectional", "pdpd"};
  versions.add("where", "onnx", 9, 15).schemes = {"numpy"};
  versions.add("where", "onnx", 16, kOnnx).schemes = {"numpy"};
  Rules& select = versions.add("where", "openvino", 1, kOpenvino, "select");
  select.schemes = {"numpy", "none", "pdpd"};
  select.one_way_condition = true;
}

// 6.2.
void add_onnx_elementwise(Versions& versions) {
  // One after the other: each version ends where the next one begins.
  struct Row {
    int since;
    const char* scheme;
  };
  const auto onnx = [&](const std::vector<const char*>& ops, const std::vector<Row>& rows) {
    for (const char* op : ops) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const int until = i + 1 < rows.size() ? rows[i + 1].since - 1 : kOnnx;
        Rules& rules = versions.add(op, "onnx", rows[i].since, until);
        rules.schemes = {rows[i].scheme};
        rules.float_floor_mod = false;
        rules.open_nan = true;  // min, max
        rules.open_zero_divisor = std::string_view(op) == "mod";
        rules.open_wide_shift = true;  // bitshift
      }
    }
  };
  onnx({"add", "sub", "mul", "div"},
       {{1, "legacy"}, {6, "legacy"}, {7, "numpy"}, {13, "numpy"}, {14, "numpy"}});
  onnx({"pow"}, {{1, "legacy"}, {7, "numpy"}, {12, "numpy"}, {13, "numpy"}, {15, "numpy"}});
  onnx({"mod"}, {{10, "numpy"}, {13, "numpy"}});
  onnx({"min", "max"}, {{1, "none"}, {6, "none"}, {8, "numpy"}, {12, "numpy"}, {13, "numpy"}});
  onnx({"greater", "less"}, {{1, "legacy"}, {7, "numpy"}, {9, "numpy"}, {13, "numpy"}});
  onnx({"greaterorequal", "lessorequal"}, {{12, "numpy"}, {16, "numpy"}});
  onnx({"equal"}, {{1, "legacy"}, {7, "numpy"}, {11, "numpy"}, {13, "numpy"}, {19, "numpy"}});
  onnx({"and", "or", "xor"}, {{1, "legacy"}, {7, "numpy"}});
  onnx({"bitwiseand", "bitwiseor", "bitwisexor"}, {{18, "numpy"}});
  onnx({"bitshift"}, {{11, "numpy"}});
}

void add_openvino_elementwise(Versions& versions) {
  const std::vector<std::string> three = {"numpy", "none", "pdpd"};
  const std::vector<std::string> two = {"numpy", "none"};
  const auto openvino = [&](const char* op, const char* name,
                            const std::vector<std::string>& schemes) -> Rules& {
    Rules& rules = versions.add(op, "openvino", 1, kOpenvino, name);
    rules.schemes = schemes;
    rules.float_floor_mod = false;
    rules.most_operands = 2;
    rules.open_nan = rules.open_zero_divisor = true;  // min, max; div, mod, floormod
    return rules;
  };
  openvino("add", "add", three);
  openvino("sub", "subtract", three);
  openvino("mul", "multiply", three);
  openvino("div", "divide", three).other_defaults["pythondiv"] = "true";
  openvino("pow", "power", two);
  // Mod-1 is the truncated remainder and has no attribute for it.
  openvino("mod", "mod", two).other_defaults["fmod"] = "true";
  openvino("floormod", "floormod", two);
  openvino("min", "minimum", two);
  openvino("max", "maximum", two);
  openvino("squareddifference", "squareddifference", two);
  openvino("equal", "equal", three);
  openvino("notequal", "notequal", three);
  openvino("less", "less", three);
  openvino("lessorequal", "lessequal", three);
  openvino("greater", "greater", three);
  openvino("greaterorequal", "greaterequal", three);
  openvino("and", "logicaland", three);
  openvino("or", "logicalor", three);
  openvino("xor", "logicalxor", three);
}

}  // namespace

Rules default_rules(const std::string& op) {
  Rules rules = rules_of("default", 0, op);
  rules.reductions = {"none", "add", "sum", "sub", "mul", "prod", "min", "max", "mean"};
  rules.modes = {"numpy", "bidirectional", "pdpd", "explicit"};
  rules.schemes = {"numpy", "none", "pdpd"};
  if (op != "where") rules.schemes.push_back("legacy");
  return rules;
}

const std::vector<PublishedVersion>& published_versions() {
  static const std::vector<PublishedVersion> kTable = [] {
    Versions versions;
    add_gather(versions);
    add_gather_nd(versions);
    add_scatter(versions);
    add_broadcast(versions);
    add_onnx_elementwise(versions);
    add_openvino_elementwise(versions);
    return versions.all;
  }();
  return kTable;
}

}  // namespace tensorop::reference
