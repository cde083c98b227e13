// Tables 3 to 7 of the specification: which versions there are and what they differ in. Written down a second
// time, so that the tables of src/ops can be wrong in a test.
#include "support/reference.hpp"

namespace tensorop::reference {
namespace {

constexpr int kOnnx = 28;  // the newest opset known
constexpr int kOpenvino = 15;

// 7.1, in the words of its rows.
const DTypeSet kFloats = kFloatTypes;
const DTypeSet kBfloat16 = DType::bfloat16;
const DTypeSet kBool = DType::boolean;
const DTypeSet kAll = kAllTypes;
const DTypeSet kAllOld = kAllTypes.without(kBfloat16);
const DTypeSet kNumeric = kNumericTypes;
const DTypeSet kNumericOld = kNumericTypes.without(kBfloat16);
const DTypeSet kFloatsOld = kFloatTypes.without(kBfloat16);
const DTypeSet kWideIntegers = {DType::int32, DType::int64, DType::uint32, DType::uint64};
const DTypeSet kSignedWide = {DType::int32, DType::int64};
const DTypeSet kOpenvinoAny = kNumeric | kBool | DTypeSet{DType::string};

// 7.2.
const DTypeSet kInt64 = DType::int64;
const DTypeSet kInt32Int64 = {DType::int32, DType::int64};

const std::vector<std::string> kEveryReduction = {"none", "add", "sum", "sub", "mul",
                                                  "prod", "min", "max", "mean"};
const std::vector<std::string> kEveryScheme = {"numpy", "none", "pdpd", "legacy"};

// A type list and the changes a version makes to the default semantics.
Rules rules_of(DTypeSet types, DTypeSet index_types = kIntegerTypes) {
  Rules rules;
  rules.types = types;
  rules.index_types = index_types;
  return rules;
}

Rules nonnegative(Rules rules) {
  rules.negative_indices = false;
  return rules;
}

Rules reducing(Rules rules, std::vector<std::string> reductions, bool use_init_val = false) {
  rules.reductions = std::move(reductions);
  rules.use_init_val = use_init_val;
  return rules;
}

Rules without_batch_dims(Rules rules) {
  rules.batch_dims = false;
  return rules;
}

void add_gather(std::vector<PublishedVersion>& all) {
  const auto gather = [&](const char* framework, int since, int until, const Rules& rules) {
    all.push_back({"gather", "gather", framework, since, until, rules});
  };
  gather("onnx", 1, 10, without_batch_dims(nonnegative(rules_of(kAllOld, kInt32Int64))));
  gather("onnx", 11, 12, without_batch_dims(rules_of(kAllOld, kInt32Int64)));
  gather("onnx", 13, kOnnx, without_batch_dims(rules_of(kAll, kInt32Int64)));
  gather("openvino", 1, 6, without_batch_dims(nonnegative(rules_of(kOpenvinoAny))));
  gather("openvino", 7, 7, nonnegative(rules_of(kOpenvinoAny)));
  Rules zero_fill = rules_of(kOpenvinoAny);
  zero_fill.zero_fill = true;
  gather("openvino", 8, kOpenvino, zero_fill);

  const auto elements = [&](const char* framework, int since, int until, const Rules& rules) {
    all.push_back({"gatherelements", "gatherelements", framework, since, until, rules});
  };
  elements("onnx", 11, 12, rules_of(kAllOld, kInt32Int64));
  elements("onnx", 13, kOnnx, rules_of(kAll, kInt32Int64));
  Rules equal = nonnegative(rules_of(kOpenvinoAny, kInt32Int64));
  equal.equal_off_axis = true;
  elements("openvino", 6, kOpenvino, equal);
}

void add_gather_nd(std::vector<PublishedVersion>& all) {
  const auto add = [&](const char* framework, int since, int until, Rules rules) {
    rules.negative_batch_dims = false;
    all.push_back({"gathernd", "gathernd", framework, since, until, rules});
  };
  const auto onnx = [](DTypeSet types, DTypeSet index_types) {
    Rules rules = rules_of(types, index_types);
    rules.broadcast_batch_dims = false;
    rules.empty_tuples = false;
    return rules;
  };
  add("onnx", 11, 11, without_batch_dims(onnx(kAllOld, kInt64)));
  add("onnx", 12, 12, onnx(kAllOld, kInt64));
  add("onnx", 13, kOnnx, onnx(kAll, kInt64));
  add("mdf", 0, 0, onnx(kAll, kInt32Int64));
  Rules fused = nonnegative(rules_of(kOpenvinoAny));
  fused.fused_batch_dims = true;
  add("openvino", 5, 7, fused);
  add("openvino", 8, kOpenvino, rules_of(kOpenvinoAny));
}

void add_scatter(std::vector<PublishedVersion>& all) {
  const auto add = [&](const char* op, const char* typed, const char* framework, int since, int until,
                       const Rules& rules) {
    all.push_back({op, typed, framework, since, until, rules});
  };
  const auto elements = [&](const char* typed, const char* framework, int since, int until,
                            const Rules& rules) {
    add("scatterelements", typed, framework, since, until, rules);
  };
  const Rules old = reducing(rules_of(kAllOld, kInt32Int64), {});
  elements("scatter", "onnx", 9, 10, nonnegative(old));
  elements("scatter", "onnx", 11, kOnnx, old);
  elements("scatterelements", "onnx", 11, 12, old);
  const Rules current = rules_of(kAll, kInt32Int64);
  elements("scatterelements", "onnx", 13, 15, reducing(current, {}));
  elements("scatterelements", "onnx", 16, 17, reducing(current, {"none", "add", "mul"}));
  elements("scatterelements", "onnx", 18, kOnnx, reducing(current, {"none", "add", "mul", "max", "min"}));
  Rules bounded = reducing(nonnegative(rules_of(kNumeric)), {});
  bounded.bounded_axis = true;
  elements("scatterelementsupdate", "openvino", 3, 11, bounded);
  const std::vector<std::string> openvino = {"none", "sum", "prod", "min", "max", "mean"};
  elements("scatterelements", "openvino", 12, kOpenvino, reducing(rules_of(kOpenvinoAny), openvino, true));

  const auto nd = [&](const char* typed, const char* framework, int since, int until, Rules rules) {
    rules.one_element_updates = std::string(framework) == "openvino";
    add("scatternd", typed, framework, since, until, rules);
  };
  nd("scatternd", "onnx", 11, 12, reducing(rules_of(kAllOld, kInt64), {}));
  nd("scatternd", "onnx", 13, 15, reducing(rules_of(kAll, kInt64), {}));
  nd("scatternd", "onnx", 16, 17, reducing(rules_of(kAll, kInt64), {"none", "add", "mul"}));
  nd("scatternd", "onnx", 18, kOnnx, reducing(rules_of(kAll, kInt64), {"none", "add", "mul", "max", "min"}));
  nd("scatterndupdate", "openvino", 3, 14, nonnegative(reducing(rules_of(kNumeric, kInt32Int64), {})));
  nd("scatternd", "openvino", 15, kOpenvino,
     reducing(rules_of(kNumeric | kBool, kInt32Int64), {"none", "sum", "sub", "prod", "min", "max"}));

  add("scatterupdate", "scatterupdate", "openvino", 3, kOpenvino,
      nonnegative(reducing(rules_of(kNumeric), {})));
}

void add_broadcast(std::vector<PublishedVersion>& all) {
  const auto moded = [](DTypeSet types, std::vector<std::string> modes) {
    Rules rules = rules_of(types);
    rules.modes = std::move(modes);
    return rules;
  };
  all.push_back({"expand", "expand", "onnx", 8, 12, rules_of(kAllOld)});
  all.push_back({"expand", "expand", "onnx", 13, kOnnx, rules_of(kAll)});
  all.push_back(
      {"broadcast", "broadcast", "openvino", 1, 2, moded(kOpenvinoAny, {"numpy", "explicit", "pdpd"})});
  all.push_back({"broadcast", "broadcast", "openvino", 3, kOpenvino,
                 moded(kNumeric, {"numpy", "explicit", "bidirectional", "pdpd"})});
  Rules where = rules_of(kAllOld);
  where.schemes = {"numpy"};
  all.push_back({"where", "where", "onnx", 9, 15, where});
  where.types = kAll;
  all.push_back({"where", "where", "onnx", 16, kOnnx, where});
  Rules select = rules_of(kNumeric);
  select.schemes = {"numpy", "none", "pdpd"};
  select.one_way_condition = true;
  all.push_back({"where", "select", "openvino", 1, kOpenvino, select});
}

// One element-wise row: 6.2 and 7.1.
Rules scheme(DTypeSet types, std::vector<std::string> schemes, DTypeSet exponent_types = {}) {
  Rules rules = rules_of(types);
  rules.schemes = std::move(schemes);
  rules.exponent_types = exponent_types;
  rules.float_floor_mod = false;
  return rules;
}

void add_onnx_elementwise(std::vector<PublishedVersion>& all) {
  const auto onnx = [&](const char* op, int since, int until, DTypeSet types, const char* rule,
                        DTypeSet exponent_types = {}) {
    all.push_back({op, op, "onnx", since, until, scheme(types, {rule}, exponent_types)});
  };
  for (const char* op : {"add", "sub", "mul", "div"}) {
    onnx(op, 1, 5, kFloatsOld, "legacy");
    onnx(op, 6, 6, kWideIntegers | kFloatsOld, "legacy");
    onnx(op, 7, 12, kWideIntegers | kFloatsOld, "numpy");
    onnx(op, 13, 13, kWideIntegers | kFloats, "numpy");
    onnx(op, 14, kOnnx, kNumeric, "numpy");
  }
  onnx("pow", 1, 6, kFloatsOld, "legacy");
  onnx("pow", 7, 11, kFloatsOld, "numpy");
  onnx("pow", 12, 12, kSignedWide | kFloatsOld, "numpy", kNumericOld);
  onnx("pow", 13, 14, kSignedWide | kFloats, "numpy", kNumericOld);
  onnx("pow", 15, kOnnx, kSignedWide | kFloats, "numpy", kNumeric);
  onnx("mod", 10, 12, kNumericOld, "numpy");
  onnx("mod", 13, kOnnx, kNumeric, "numpy");
  for (const char* op : {"min", "max"}) {
    onnx(op, 1, 7, kFloatsOld, "none");
    onnx(op, 8, 11, kFloatsOld, "numpy");
    onnx(op, 12, 12, kNumericOld, "numpy");
    onnx(op, 13, kOnnx, kNumeric, "numpy");
  }
  for (const char* op : {"greater", "less"}) {
    onnx(op, 1, 6, kFloatsOld, "legacy");
    onnx(op, 7, 8, kFloatsOld, "numpy");
    onnx(op, 9, 12, kNumericOld, "numpy");
    onnx(op, 13, kOnnx, kNumeric, "numpy");
  }
  for (const char* op : {"greaterorequal", "lessorequal"}) {
    onnx(op, 12, 15, kNumericOld, "numpy");
    onnx(op, 16, kOnnx, kNumeric, "numpy");
  }
  onnx("equal", 1, 6, kBool | kSignedWide, "legacy");
  onnx("equal", 7, 10, kBool | kSignedWide, "numpy");
  onnx("equal", 11, 12, kBool | kNumericOld, "numpy");
  onnx("equal", 13, 18, kBool | kNumeric, "numpy");
  onnx("equal", 19, kOnnx, kBool | kNumeric | DTypeSet{DType::string}, "numpy");
  for (const char* op : {"and", "or", "xor"}) {
    onnx(op, 1, 6, kBool, "legacy");
    onnx(op, 7, kOnnx, kBool, "numpy");
  }
  for (const char* op : {"bitwiseand", "bitwiseor", "bitwisexor"}) {
    onnx(op, 18, kOnnx, kIntegerTypes, "numpy");
  }
  onnx("bitshift", 11, kOnnx, kUnsignedTypes, "numpy");
}

void add_openvino_elementwise(std::vector<PublishedVersion>& all) {
  const std::vector<std::string> three = {"numpy", "none", "pdpd"};
  const std::vector<std::string> two = {"numpy", "none"};
  const auto openvino = [&](const char* op, DTypeSet types, const std::vector<std::string>& schemes) {
    Rules rules = scheme(types, schemes);
    rules.most_operands = 2;
    if (std::string_view(op) == "div") rules.fallbacks["pythondiv"] = "true";
    // Mod-1 is the truncated remainder and has no attribute for it.
    if (std::string_view(op) == "mod") rules.fallbacks["fmod"] = "true";
    all.push_back({op, op, "openvino", 1, kOpenvino, rules});
  };
  for (const char* op : {"add", "sub", "mul", "div"}) openvino(op, kNumeric, three);
  for (const char* op : {"pow", "mod", "floormod", "min", "max", "squareddifference"}) {
    openvino(op, kNumeric, two);
  }
  for (const char* op : {"equal", "notequal"}) openvino(op, kOpenvinoAny, three);
  for (const char* op : {"less", "lessorequal", "greater", "greaterorequal"}) {
    openvino(op, kBool | kNumeric, three);
  }
  for (const char* op : {"and", "or", "xor"}) openvino(op, kBool, three);
}

// Section 11, point 1.
DTypeSet default_types(const std::string& op) {
  const auto any_of = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (op == name) return true;
    }
    return false;
  };
  if (any_of({"add", "sub", "mul", "div", "squareddifference"})) return kNumeric | kComplexTypes;
  if (any_of({"pow", "mod", "floormod"})) return kNumeric;
  if (any_of({"less", "lessorequal", "greater", "greaterorequal", "min", "max"})) return kBool | kNumeric;
  if (any_of({"and", "or", "xor"})) return kBool;
  if (any_of({"bitwiseand", "bitwiseor", "bitwisexor"})) return kBool | kIntegerTypes;
  if (op == "bitshift") return kIntegerTypes;
  return kAll;
}

}  // namespace

Rules default_rules(const std::string& op) {
  Rules rules = reducing(rules_of(default_types(op)), kEveryReduction, true);
  rules.modes = {"numpy", "bidirectional", "pdpd", "explicit"};
  rules.schemes = kEveryScheme;
  if (op == "where") rules.schemes = {"numpy", "none", "pdpd"};
  if (op == "pow") rules.exponent_types = kNumeric;
  return rules;
}

const std::vector<PublishedVersion>& published_versions() {
  static const std::vector<PublishedVersion> kTable = [] {
    std::vector<PublishedVersion> all;
    add_gather(all);
    add_gather_nd(all);
    add_scatter(all);
    add_broadcast(all);
    add_onnx_elementwise(all);
    add_openvino_elementwise(all);
    return all;
  }();
  return kTable;
}

}  // namespace tensorop::reference
