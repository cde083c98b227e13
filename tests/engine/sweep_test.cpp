// Every dtype that a description claims works, and every other one is refused by its rule: for each operator,
// each of its versions and each of its type variables, one tiny call a dtype.
#include <algorithm>
#include <cstring>
#include <map>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "engine/engine.hpp"
#include "engine/version.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/operator_facts.hpp"

namespace tensorop::engine_sweep_test {
namespace {

OperandRole role_of(const Operator& op, std::size_t i) {
  return op.operands[std::min(i, op.operands.size() - 1)].role;
}

std::string_view rule_of(OperandRole role) {
  switch (role) {
    case OperandRole::data:
      return "T-1";
    case OperandRole::indices:
      return "IX-3";
    case OperandRole::condition:
      return "WH-1";
  }
  return "";
}

// Zeros where indices are wanted, else ones: no division by zero, no shift by all bits.
Tensor tiny_tensor(DType dtype, const Shape& shape, bool ones) {
  auto storage = std::make_shared<Storage>(count(shape) * element_size(dtype));
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    T one{};
    if constexpr (Half<T>) {
      one = round_half<T>(1.0F);
    } else if constexpr (SmallFloat<T>) {
      CHECK(round_small(1.0, one));
    } else if constexpr (SmallInteger<T>) {
      one = {1};
    } else if constexpr (std::is_same_v<T, StringRef>) {
      one = {"a", 1};
    } else if constexpr (std::is_same_v<T, Bool>) {
      one = {1};
    } else {
      one = T(1);
    }
    for (std::int64_t i = 0; ones && i < count(shape); ++i) {
      std::memcpy(storage->data() + i * element_size(dtype), &one, sizeof one);
    }
  });
  return {dtype, shape, storage};
}

// What a type variable is bound to while another one is tried.
DType usual(const Version& version, std::string_view type) {
  const DTypeSet allowed = allowed_types(version, type);
  for (const DType dtype : {DType::float32, DType::int64, DType::uint8, DType::boolean}) {
    if (allowed.contains(dtype)) return dtype;
  }
  FAIL("no usual dtype for " << type << " of " << version.published);
  return DType::float32;
}

// The name by which a --spec means this version.
std::string name_of(const Operator& op, const Version& version) {
  for (const OperatorName& name : op.names) {
    if (means(name, version) || version.framework == Framework::standard) return std::string(name.name);
  }
  FAIL(op.name << " has no name for " << version.published);
  return "";
}

// The rule of the error; empty for a result, which then has the right dtype.
std::string run(const Operator& op, const Version& version, const std::vector<DType>& dtypes,
                const std::vector<NamedText>& more) {
  const OperatorFacts& facts = facts_of(op.name);
  const SizedCall tiny = sized_call(facts, 1, 1);  // without broadcasting, which not every version has
  std::vector<Tensor> operands;
  Request request;
  request.op = require_operator(name_of(op, version), framework_name(version.framework));
  std::optional<DType> result;
  if (facts.boolean_result) result = version.framework == Framework::webnn ? DType::uint8 : DType::boolean;
  const bool is_library = version.framework == Framework::torch || version.framework == Framework::numpy ||
                          version.framework == Framework::jax;
  if (is_library && (op.name == "and" || op.name == "or" || op.name == "xor")) result = DType::boolean;
  for (std::size_t i = 0; i < tiny.operands.size(); ++i) {
    operands.push_back(tiny_tensor(dtypes[i], tiny.operands[i], role_of(op, i) != OperandRole::indices));
    if (role_of(op, i) == OperandRole::data && !result) result = dtypes[i];
    if (i == 0 && request.op.name->makes_data) continue;
    request.positional.push_back(Operand::of_result(cat("@", i)));
  }
  if (more.empty()) {
    for (const auto& [name, text] : tiny.attributes) {
      // The direction of a shift is in the name of some versions.
      if (find_attribute(version, name) != nullptr) request.attributes.push_back({name, text});
    }
  } else {
    request.attributes = more;
  }
  // Mod of floats is C's fmod alone before opset 28.
  const bool is_onnx = version.framework == Framework::onnx || version.framework == Framework::mdf;
  if (op.name == "mod" && is_onnx && version.since < 28 && kFloatTypes.contains(dtypes[0]))
    request.attributes.push_back({"fmod", "1"});
  const auto has_mapping = [](const NamedText& given) { return given.name == "axes_mapping"; };
  if (version.published == "broadcast_in_dim" && std::ranges::none_of(request.attributes, has_mapping))
    request.attributes.push_back({"axes_mapping", "0,1"});
  const bool has_shape =
      std::ranges::find(request.attributes, kMadeShapeName, &NamedText::name) != request.attributes.end();
  if (request.op.name->makes_data && !has_shape)
    request.attributes.push_back({std::string(kMadeShapeName), list_text(tiny.operands[0])});
  if (version.published == "put_along_axis") request.attributes.push_back({"axis", "0"});  // has no default
  if (version.framework != Framework::standard) request.spec = spec_name(version.framework, version.since);
  Settings settings;
  settings.lookup = [&](const std::string& text) {
    return std::optional(operands.at(std::stoul(text.substr(1))));
  };
  try {
    const Tensor tensor = evaluate(request, settings);
    CHECK(tensor.dtype() == result);
    CHECK(tensor.shape() == infer_request(request, settings).shape);
    return "";
  } catch (const Error& error) {
    INFO(error.what());
    CHECK(!error.rule().empty());
    return error.rule();
  }
}

// Every dtype for the type variable of operand `place`.
void sweep_variable(const Operator& op, const Version& version, std::size_t place) {
  const std::size_t number = facts_of(op.name).operands.size();
  const std::string_view type = type_variable(op, version, place);
  const DTypeSet allowed = allowed_types(version, type);
  CHECK(!allowed.empty());
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto dtype = static_cast<DType>(d);
    std::vector<DType> dtypes;
    for (std::size_t i = 0; i < number; ++i) {
      const std::string_view own = type_variable(op, version, i);
      dtypes.push_back(own == type ? dtype : usual(version, own));
    }
    CAPTURE(type, name(dtype));
    const bool is_missing = missing_types(version, type).contains(dtype);
    CHECK(run(op, version, dtypes, {}) == (allowed.contains(dtype) ? ""
                                           : is_missing            ? kMissingRule
                                                                   : rule_of(role_of(op, place))));
  }
}

// A valid value of an attribute that may be a tensor, and what must be given with it.
struct TinyList {
  std::string list;
  std::vector<NamedText> others = {};
};

const std::map<std::string_view, TinyList> kLists = {
    {"shape", {"2,3"}},
    {"axes_mapping", {"0,1", {{"shape", "2,3"}, {"mode", "explicit"}}}},
    {"consumed_inputs", {"0,1"}},
};

std::string list_as(DType dtype, const std::string& list) {
  std::string data = list;
  if (dtype == DType::string) data = R"("a","b")";
  if (dtype == DType::boolean) data = "true,true";
  if (kComplexTypes.contains(dtype)) data = "[2,0],[3,0]";
  if (dtype == DType::float8_e8m0fnu) data = "1,2";  // it has no zero
  return cat(R"({"dtype":")", name(dtype), R"(","data":[)", data, "]}");
}

// Every dtype for an attribute that may be a tensor.
void sweep_attribute(const Operator& op, const Version& version, const AttributeSpec& spec) {
  CAPTURE(spec.name);
  TinyList tiny;  // a list that its publisher has no tensor for is that of the smallest call
  if (const auto listed = kLists.find(spec.name); listed != kLists.end()) {
    tiny = listed->second;
  } else {
    for (const auto& [name, text] : sized_call(facts_of(op.name), 1, 1).attributes) {
      if (name == spec.name) tiny.list = text;
      if (name != spec.name && find_attribute(version, name) != nullptr) tiny.others.push_back({name, text});
    }
  }
  // The shape of data that the call makes.
  if (op.name == "scatternd") tiny.list = list_text(sized_call(facts_of(op.name), 1, 1).operands[0]);
  std::vector<DType> dtypes;
  for (std::size_t i = 0; i < facts_of(op.name).operands.size(); ++i)
    dtypes.push_back(usual(version, type_variable(op, version, i)));
  DTypeSet allowed = allowed_types(version, spec.name);
  CHECK(allowed.empty() != kLists.contains(spec.name));
  if (allowed.empty()) allowed = kIntegerTypes;
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto dtype = static_cast<DType>(d);
    CAPTURE(name(dtype));
    std::vector<NamedText> attributes = tiny.others;
    attributes.push_back({std::string(spec.name), list_as(dtype, tiny.list)});
    CHECK(run(op, version, dtypes, attributes) == (allowed.contains(dtype) ? "" : spec.rule));
  }
}

TEST_CASE("every dtype a version claims works under its spec, and every other one is refused by its rule",
          "[release][sweep]") {
  for (const Operator* op : kOperators) {
    CAPTURE(op->name);
    for (const Version& version : op->versions) {
      CAPTURE(version.published, spec_name(version.framework, version.since));
      for (std::size_t i = 0; i < facts_of(op->name).operands.size(); ++i) sweep_variable(*op, version, i);
      for (const AttributeSpec& spec : op->attributes) {
        if (spec.kind == AttributeKind::integers && find_attribute(version, spec.name) != nullptr)
          sweep_attribute(*op, version, spec);
      }
    }
  }
}

TEST_CASE("the opset of a version means that version, and so does every one up to the next", "[sweep]") {
  for (const Operator* op : kOperators) {
    CAPTURE(op->name);
    for (const Version& version : op->versions) {
      const FoundOperator found = find_operator(name_of(*op, version), framework_name(version.framework));
      REQUIRE(found.op == op);
      const bool is_standard = version.framework == Framework::standard;
      int end = is_standard ? 1 : publisher_of(version.framework).newest + 1;
      for (const Version& other : op->versions) {
        if (means(*found.name, other) && other.framework == version.framework && other.since > version.since)
          end = std::min(end, other.since);
      }
      for (int opset = version.since; opset < end; ++opset) {
        CAPTURE(version.published, spec_name(version.framework, opset));
        std::optional<std::string> text = spec_name(version.framework, opset);
        if (version.framework == Framework::standard) text.reset();
        CHECK(&find_version(found, text) == &version);
      }
    }
  }
}

}  // namespace
}  // namespace tensorop::engine_sweep_test
