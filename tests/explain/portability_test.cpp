// One call under all versions says what each version says alone.
#include "explain/portability.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "explain/verdicts.hpp"
#include "ops/index_policy.hpp"
#include "ops/statement.hpp"
#include "support/catch.hpp"
#include "support/nightly.hpp"
#include "support/operator_facts.hpp"
#include "support/random.hpp"
#include "support/reference_array.hpp"
#include "support/sanitizers.hpp"
#include "support/why_check.hpp"

namespace tensorop::explain_portability_test {
namespace {

using reference::Array;

// The bits, or NaN: of both parts of a complex number.
bool is_same(const reference::Element& a, const reference::Element& b) {
  if (!kComplexTypes.contains(a.dtype)) return a.bytes == b.bytes || (is_nan(a) && is_nan(b));
  const auto left = complex(a);
  const auto right = complex(b);
  const std::size_t half = a.bytes.size() / 2;
  return (a.bytes.substr(0, half) == b.bytes.substr(0, half) ||
          (std::isnan(left.real()) && std::isnan(right.real()))) &&
         (a.bytes.substr(half) == b.bytes.substr(half) ||
          (std::isnan(left.imag()) && std::isnan(right.imag())));
}

bool is_same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  return std::ranges::equal(Array(a).elements, Array(b).elements,
                            [](const auto& left, const auto& right) { return is_same(left, right); });
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

bool says(const Request& request, std::string_view attribute) {
  return std::ranges::find(request.attributes, attribute, &NamedText::name) != request.attributes.end();
}

// The call as it is written for the version of the verdict alone: with the defaults that differ and the word
// of its own name, without attributes that the version lacks and that change nothing.
Request alone(Request request, const VersionVerdict& verdict, const std::string& written) {
  const Version& version = *verdict.version;
  const OperatorName::Preset preset = request.op.name->preset;
  const auto add = [&](std::string_view name, std::string_view text) {
    if (!says(request, name)) request.attributes.push_back({std::string(name), Operand(std::string(text))});
  };
  const bool is_overruled = preset.attribute == "flat" && says(request, "axis");
  if (!preset.attribute.empty() && verdict.name->preset.attribute != preset.attribute && !is_overruled)
    add(preset.attribute, preset.text);
  for (const std::string& one : split(written, ", ")) {  // "axis 0", "reduction none"
    const std::size_t space = std::min(one.find(' '), one.size());
    if (find_attribute(version, one.substr(0, space)) != nullptr)
      add(one.substr(0, space), one.substr(std::min(space + 1, one.size())));
  }
  std::erase_if(request.attributes, [&](const NamedText& given) {
    return find_attribute(version, given.name) == nullptr &&
           (given.text == find_attribute(*request.op.op, given.name)->default_text ||
            (verdict.name->preset.attribute == given.name && verdict.name->preset.text == given.text));
  });
  request.op.name = verdict.name;
  request.spec.reset();
  if (verdict.spec != "default") request.spec = verdict.spec;
  write_own_words(version, request);
  if (!verdict.mode.empty()) add(policy_attribute(*verdict.op, version)->name, verdict.mode);
  return request;
}

// Returns the verdict of a version that refuses the call for this rule.
Verdict expected_verdict(const Version& version, const std::string& rule) {
  const bool has_words = version.framework != Framework::numpy && version.framework != Framework::jax;
  if (rule == kMissingRule) return Verdict::missing;
  if (rule == kCallRule || (rule == "SE-6" && !has_words)) return Verdict::no_equivalent;
  return leaves_open(version, rule) ? Verdict::open : Verdict::refused;
}

void check_call(const Request& request, Checked& checked) {
  const Settings settings;
  const Portability found = find_portability(request, {}, settings);
  checked.classes += found.classes.size() > 1 ? 1 : 0;
  std::vector<Computed> computed;
  for (const VersionVerdict& verdict : found.versions) {
    // tests/engine/stablehlo_test.cpp: calls of other operators that StableHLO has for them.
    if (verdict.op != request.op.op) continue;
    CAPTURE(verdict.row, verdict.version->published, verdict.rule(), verdict.message);
    try {
      const Tensor tensor = evaluate(alone(request, verdict, found.written), settings);
      REQUIRE(verdict.result.has_value());
      ++checked.accepted;
      for (const Computed& other : computed)
        CHECK(is_same(tensor, other.tensor) == (other.result == *verdict.result));
      computed.push_back({*verdict.result, tensor});
    } catch (const Error& error) {
      CHECK(!verdict.result.has_value());
      CHECK(verdict.rule() == error.rule());
      CHECK(verdict.verdict == expected_verdict(*verdict.version, error.rule()));
      ++checked.refused;
    }
  }
}

// A call that has no verdicts, because it is wrong for every version.
void check_refused(Request request) {
  for (const Version& version : request.op.op->versions) {
    if (!means(*request.op.name, version)) continue;
    CAPTURE(version.published, version.since);
    request.spec.reset();
    if (version.framework != Framework::standard) request.spec = spec_name(version);
    CHECK_THROWS_AS(evaluate(request, {}), Error);
  }
}

TEST_CASE("a call under all versions has the verdicts and results of each version", "[portability][random]") {
  Checked all;
  std::map<std::string_view, int> calls;  // of each operator
  const std::uint64_t seed = random_seed();
  INFO("TENSOROP_SEED=" << seed);
  const std::int64_t wanted = is_nightly() ? 10000 : share_of(2500);
  std::int64_t judged = 0;
  for (std::int64_t number = 0; judged < wanted; ++number) {
    Random random(seed, static_cast<std::uint64_t>(number));
    RandomCase call = draw_call(random, {}, 0);
    if (call.arguments.oob != "error") continue;
    Request& request = call.request;
    CAPTURE(number, request.op.name->name, request.spec);
    // Names that a publisher has for itself mean nothing to the others.
    const Framework of = request.op.name->of;
    const bool is_own = of != Framework::standard;
    if (is_own && random.chance(50)) {
      request.spec = framework_name(of);
    } else {
      if (is_own) request.op = require_operator(call.arguments.op);
      request.spec = "all";
    }
    ++judged;
    ++calls[request.op.op->name];
    try {
      check_call(request, all);
    } catch (const Error& error) {
      CAPTURE(error.what());
      check_refused(request);
    }
  }
  // The sixteenth of the calls that a sanitizer gets leaves out some operators: four calls for each on
  // average.
  const std::size_t left_out = wanted < 2500 ? 6 : 0;
  CHECK(calls.size() + left_out >= kOperators.size());
  CHECK(all.accepted > wanted);
  CHECK(all.refused > wanted / 2);
  CHECK(all.classes > wanted / 150);
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
  // Without ONNX, whose newest version is not this test's concern.
  const std::vector<Framework> others = {Framework::standard,  Framework::openvino, Framework::mdf,
                                         Framework::stablehlo, Framework::webnn,    Framework::torch,
                                         Framework::numpy,     Framework::jax};
  const Portability found = find_portability(request, others, settings);
  CHECK(found.is_portable());
  CHECK(found.versions.size() == 15);  // NumPy and JAX in three modes, StableHLO by another operator
  CHECK(computed == 12);
  CHECK(find_portability(request, {Framework::openvino}, settings).versions.size() == 3);
}

}  // namespace
}  // namespace tensorop::explain_portability_test
