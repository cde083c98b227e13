// One call under all versions says what each version says alone.
#include "explain/portability.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "explain/verdicts.hpp"
#include "ops/index_policy.hpp"
#include "ops/statement.hpp"
#include "support/catch.hpp"
#include "support/operator_facts.hpp"
#include "support/reference_array.hpp"
#include "support/sanitizers.hpp"
#include "support/why_check.hpp"

namespace tensorop::explain_portability_test {
namespace {

using reference::Array;

// Dtype, shape and bits; NaN equals NaN.
bool is_same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  const Array left(a);
  const Array right(b);
  for (std::size_t i = 0; i < left.elements.size(); ++i) {
    const bool are_nan = is_nan(left.elements[i]) && is_nan(right.elements[i]);
    // Either part of a complex number.
    if (left.elements[i].bytes != right.elements[i].bytes && !are_nan) return false;
  }
  return true;
}

struct Computed {
  std::size_t result;
  Tensor tensor;
};

struct Checked {
  int accepted = 0;
  int refused = 0;
  int classes = 0;
};

Checked check_call(const RandomCase& call) {
  const Settings settings;
  Request request = call.request;
  // Names that a library has for itself mean nothing to the others.
  const Framework of = request.op.name->of;
  if (of == Framework::torch || of == Framework::numpy || of == Framework::jax)
    request.op = require_operator(call.arguments.op);
  const Operator* const op = request.op.op;
  request.spec = "all";
  const OperatorName::Preset preset = request.op.name->preset;
  const Portability found = find_portability(request, {}, settings);
  Checked checked{.classes = static_cast<int>(found.classes.size())};
  std::vector<Computed> computed;
  for (const VersionVerdict& verdict : found.versions) {
    // tests/engine/stablehlo_test.cpp: calls of other operators that StableHLO has for them.
    if (verdict.op != op) continue;
    CAPTURE(verdict.row, verdict.version->published, verdict.rule(), verdict.message);
    request.op = {verdict.op, verdict.name};
    request.spec.reset();
    if (verdict.spec != "default") request.spec = verdict.spec;
    // The name of the call gives the attribute.
    Request own = request;
    const bool says = !preset.attribute.empty() && verdict.name->preset.attribute != preset.attribute &&
                      !call.arguments.attributes.contains(std::string(preset.attribute));
    if (says && find_attribute(*verdict.version, preset.attribute) != nullptr)
      own.attributes.push_back({std::string(preset.attribute), Operand(std::string(preset.text))});
    const std::vector<std::string> defaults = split(found.written, ", ");  // "axis 0", "reduction none"
    for (const std::string& written : defaults) {
      const std::size_t space = std::min(written.find(' '), written.size());
      if (find_attribute(*verdict.version, written.substr(0, space)) != nullptr)
        own.attributes.push_back({written.substr(0, space), Operand(written.substr(space + 1))});
    }
    translate_words(*verdict.version, own);
    if (!verdict.mode.empty()) own.attributes.push_back({"mode", Operand(verdict.mode)});
    try {
      const Tensor tensor = evaluate(own, settings);
      REQUIRE(verdict.result.has_value());
      ++checked.accepted;
      for (const Computed& other : computed)
        CHECK(is_same(tensor, other.tensor) == (other.result == *verdict.result));
      computed.push_back({*verdict.result, tensor});
    } catch (const Error& error) {
      // An attribute that says what the version does anyway.
      if (error.rule() == "G-8" && verdict.rule() != "G-8") continue;
      CHECK(!verdict.result.has_value());
      CHECK(verdict.rule() == error.rule());
      CHECK((verdict.verdict == Verdict::missing) == (error.rule() == kMissingRule));
      CHECK((verdict.verdict == Verdict::open) == leaves_open(*verdict.version, error.rule()));
      ++checked.refused;
    }
  }
  return checked;
}

TEST_CASE("a call under all versions has the verdicts and results of each version", "[portability][random]") {
  Checked all;
  for (std::int64_t number = 0; number < share_of(3000); ++number) {
    Random random(29, static_cast<std::uint64_t>(number));
    const RandomCase call = draw_call(random, {}, 0);
    if (call.arguments.oob != "error") continue;
    CAPTURE(number, call.request.op.name->name);
    try {
      const Checked checked = check_call(call);
      all.accepted += checked.accepted;
      all.refused += checked.refused;
      all.classes += checked.classes > 1 ? 1 : 0;
    } catch (const Error& error) {
      // What is wrong for every version.
      CHECK((error.rule() == "G-8" || error.rule() == "EW-3" || error.rule() == "BC-T1" ||
             error.rule() == "BC-E1" || error.rule() == "SE-6"));
    }
  }
  CHECK(all.accepted > share_of(4000));
  CHECK(all.refused > share_of(2000));
  CHECK(all.classes > share_of(20));
}

TEST_CASE("a version whose attribute is the policy for indices is called with each of its modes",
          "[portability]") {
  static constexpr Choice kWords[] = {
      {"raise", OutOfBounds::error}, {"wrap", OutOfBounds::wrap}, {"clip", OutOfBounds::clip}};
  static constexpr AttributeSpec kSpecs[] = {{"axis", AttributeKind::integer, "0", ""},
                                             {"mode", AttributeKind::choice, "", "", "G-8", kWords}};
  static constexpr AttributeRow kRows[] = {{"axis"}, {"mode", "wrap raise", "raise"}};
  Version version = kGather.versions[0];
  version.attributes = kRows;
  Operator op = kGather;
  op.attributes = kSpecs;
  VersionCall call{&version, {}};
  call.request.op = {&op, op.names.data()};
  call.request.attributes.push_back({"axis", std::string("0")});
  const std::vector<VersionCall> calls = in_each_mode(call);
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].mode == "wrap");
  CHECK(calls[1].mode == "raise");
  CHECK(calls[1].request.attributes.back().name == "mode");
  CHECK(calls[1].request.attributes.back().text == "raise");
  call.request.attributes.push_back({"mode", std::string("wrap")});
  CHECK(in_each_mode(call).size() == 1);
  CHECK(in_each_mode(call)[0].mode.empty());
  // How it ends, not what an index out of range means.
  CHECK_FALSE(is_policy(*find_attribute(kTensorScatter, "mode")));
}

TEST_CASE("versions that do the same are computed once", "[portability]") {
  int computed = 0;
  Settings settings;
  settings.explain = [&](const AccessReport& /*report*/) { ++computed; };
  Request request;
  request.op = require_operator("gather");
  request.positional = {std::string("[10,20,30]"), std::string("[1,2]")};
  request.spec = "all";
  const Portability found = find_portability(request, {}, settings);
  CHECK(found.is_portable());
  CHECK(found.versions.size() == 18);  // NumPy and JAX in three modes, StableHLO by another operator
  CHECK(computed == 12);
  CHECK(find_portability(request, {Framework::onnx}, settings).versions.size() == 3);
}

}  // namespace
}  // namespace tensorop::explain_portability_test
