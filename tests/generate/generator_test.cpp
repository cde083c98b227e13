// What generated cases meet, counted from the calls themselves.
#include "generate/generator.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "engine/version.hpp"
#include "generate/drawing.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::generate_generator_test {
namespace {

Subject subject_of(const Operator& op, const Version& version) {
  const auto& names = op.names;
  const auto name =
      std::ranges::find_if(names, [&](const OperatorName& known) { return means(known, version); });
  Subject subject;
  subject.op = {&op, &*name};
  subject.version = &version;
  if (version.framework != Framework::standard) subject.spec = spec_name(version);
  return subject;
}

Subject subject_of(std::string_view op, const std::optional<std::string>& spec = {}) {
  Subject subject;
  subject.op = require_operator(op);
  subject.spec = spec;
  subject.version = &find_version(subject.op, spec);
  return subject;
}

// Versions of an operator that a test takes: the default semantics and the last one of each publisher; these
// under no sanitizer, which has nothing else to find in them.
std::vector<const Version*> sample(const Operator& op) {
  if (kAnySanitizer) return {&op.versions.front()};
  std::map<Framework, const Version*> last;
  for (const Version& version : op.versions) last[version.framework] = &version;
  std::vector<const Version*> out;
  for (const auto& [framework, version] : last) out.push_back(version);
  return out;
}

// The words of attributes of the version, by name.
std::map<std::string, std::vector<std::string>> words_in(const Operator& op, const Version& version) {
  std::map<std::string, std::vector<std::string>> out;
  for (const AttributeRow& row : version.attributes) {
    const AttributeSpec& spec = *find_attribute(op, row.name);
    if (spec.kind == AttributeKind::choice) out[std::string(row.name)] = allowed_words(spec, version);
    if (spec.kind == AttributeKind::flag || spec.kind == AttributeKind::boolean)
      out[std::string(row.name)] = {"false", "true"};
  }
  return out;
}

using Word = std::pair<std::string, std::string>;  // of an attribute
using Pairs = std::set<std::pair<Word, Word>>;

// The pairs of words that the next `count` cases do not have.
Pairs missing_pairs(Generator& generator, int count) {
  const Subject& subject = generator.subject();
  const Operator& op = *subject.op.op;
  const auto words = words_in(op, *subject.version);
  Pairs missing;
  for (const auto& [first, first_words] : words) {
    for (const auto& [second, second_words] : words) {
      // A call has only one of two broadcasting rules.
      if (first >= second || (first == "auto_broadcast" && second == "broadcast")) continue;
      for (const std::string& a : first_words) {
        for (const std::string& b : second_words) missing.insert({{first, a}, {second, b}});
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    const GeneratedCase generated = generator.next_valid();
    std::set<Word> has;
    for (const auto& [name, known] : words) {
      const auto& attributes = generated.request.attributes;
      const auto given = std::ranges::find(attributes, name, &NamedText::name);
      has.insert({name, given != attributes.end()
                            ? given->text
                            : std::string(default_text(*find_attribute(op, name), *subject.op.name,
                                                       *subject.version))});
    }
    std::erase_if(missing,
                  [&](const auto& pair) { return has.contains(pair.first) && has.contains(pair.second); });
  }
  return missing;
}

std::string text_of(const Pairs& pairs) {
  std::string out;
  for (const auto& [a, b] : pairs) out += cat(a.first, " ", a.second, ", ", b.first, " ", b.second, "\n");
  return out;
}

// Families whose element-wise members differ in the arithmetic only have one member in the longer tests.
bool is_sampled(const Operator& op) {
  static const std::set<std::string_view> kMembers = {"add", "mod", "pow", "min", "bitshift", "prelu"};
  return op.family != "elementwise" || kMembers.contains(op.name);
}

}  // namespace

TEST_CASE("the first 50 cases meet every pair of words of two attributes, and all that can be met",
          "[release][generate]") {
  for (const Operator* op : kOperators) {
    if (!is_sampled(*op)) continue;
    for (const Version* version : sample(*op)) {
      CAPTURE(op->name, spec_name(*version));
      Generator generator(subject_of(*op, *version), 1);
      CHECK(text_of(missing_pairs(generator, 50)).empty());
      const Coverage& coverage = generator.coverage();
      const Coverage::Count attributes = coverage.count_pairs(true);
      CHECK(attributes.met == attributes.known);
      for (const auto& parameter : coverage.parameters()) {
        if (parameter.kind != Coverage::Kind::attribute) continue;
        for (const Coverage::Level level : parameter.levels) {
          CAPTURE(parameter.name, coverage.value(level));
          // TensorScatter has no first axis, WebNN and StableHLO no negative axis, ONNX and OpenVINO no
          // negative batch_dims.
          const bool is_negative = coverage.value(level) == "negative";
          const bool is_refused =
              (is_negative && spec_name(*version) == "webnn") ||
              (op->name == "concat" && is_negative && version->framework == Framework::stablehlo) ||
              (op->name == "concat" && is_negative && version->framework == Framework::onnx &&
               version->since < 11) ||
              (op->name == "tensorscatter" && coverage.value(level) == "first") ||
              (op->name == "gathernd" && is_negative && version->framework != Framework::standard);
          CHECK(coverage.is_met(level) != is_refused);
        }
      }
    }
  }
}

TEST_CASE("without candidates to choose from, pairs are missed: the tests above can fail", "[generate]") {
  Generator one_candidate(subject_of("scatterelements"), 1, 1);
  CHECK(!missing_pairs(one_candidate, 25).empty());
  Generator few_cases(subject_of("scatterelements"), 1);
  CHECK(!missing_pairs(few_cases, 17).empty());
}

TEST_CASE("every rule of every operator is broken by a generated call of one of its versions",
          "[release][generate]") {
  for (const Operator* op : kOperators) {
    if (!is_sampled(*op)) continue;
    std::set<std::string_view> missing;
    for (const Rule* rule : rules_of(*op)) missing.insert(rule->id);
    // A limit of tensorop, and another specification.
    missing.erase("G-2");
    missing.erase("T-0");
    // With a fixed number of operands another one is G-8.
    if (!op->operands.back().variadic) missing.erase("EW-1");
    // The publisher accepts what tensorop does not compute.
    missing.erase("NI-1");
    // Several index arrays are not drawn.
    if (op->name == "gathernd" || op->name == "scatternd") missing.erase("BC-M1");
    // It is for all dtypes.
    if (op->name == "tensorscatter") missing.erase("T-1");
    // Windows begin anywhere: a start out of range is clamped, or its elements are dropped.
    if (op->family == "slices") missing.erase("IX-2");
    if (op->family == "slices" && op->oob.empty()) missing.erase("IX-1");
    // If the version has one dtype only, any other one is refused.
    const auto is_single = [](const Version& version) {
      return version.types.begin()->allowed == DType::boolean;
    };
    if (op->family == "elementwise" && is_single(op->versions[0])) missing.erase("T-2");
    // The others have rules of old versions.
    std::vector<const Version*> versions = sample(*op);
    for (const Version& version : op->versions) versions.push_back(&version);
    for (const Version* version : versions) {
      if (missing.empty()) break;
      Generator generator(subject_of(*op, *version), 1);
      for (int i = 0; i < 30; ++i) {
        const GeneratedCase generated = generator.next_invalid();
        CHECK(!generated.result);
        missing.erase(generated.rule);
      }
    }
    CAPTURE(op->name, missing);
    CHECK(missing.empty());
  }
}

TEST_CASE("each class of floats meets each reduction in three cases, among the updates", "[generate]") {
  using Limits = std::numeric_limits<float>;
  const std::map<std::string, float> classes = {{"NaN", Limits::quiet_NaN()},
                                                {"infinity", Limits::infinity()},
                                                {"-infinity", -Limits::infinity()},
                                                {"0", 0.0F},
                                                {"-0", -0.0F},
                                                {"1", 1.0F},
                                                {"smallest", Limits::denorm_min()},
                                                {"largest", Limits::max()},
                                                {"tie with 1", 0x1p24F}};
  const auto seed = GENERATE(1, 2, 3);
  Subject subject = subject_of("scatterelements", "onnx-18");
  subject.dtypes = {DType::float32};
  Generator generator(subject, static_cast<std::uint64_t>(seed));
  std::map<std::string, int> cases;  // of a reduction and a class
  for (int i = 0; i < 120; ++i) {
    const GeneratedCase generated = generator.next_valid();
    const auto& attributes = generated.request.attributes;
    const auto given = std::ranges::find(attributes, "reduction", &NamedText::name);
    const std::string reduction = given == attributes.end() ? "none" : given->text;
    const Tensor& updates = *generated.request.named.back().as<Tensor>();
    const auto* const elements = reinterpret_cast<const float*>(updates.data());
    for (const auto& [name, wanted] : classes) {
      const auto is_wanted = [bits = std::bit_cast<std::uint32_t>(wanted)](float element) {
        return std::bit_cast<std::uint32_t>(element) == bits;
      };
      cases[reduction + " " + name] += std::any_of(elements, elements + updates.size(), is_wanted) ? 1 : 0;
    }
  }
  CHECK(cases.size() == 5 * classes.size());
  for (const auto& [pair, count] : cases) {
    CAPTURE(seed, pair);
    CHECK(count >= 3);
  }
}

TEST_CASE("operands are within the limits, and of the dtypes that are asked for", "[generate]") {
  Subject subject = subject_of("scatternd", "onnx-18");
  subject.dtypes = {DType::int32, DType::float64};
  subject.max_rank = 3;
  subject.max_elements = 40;
  Generator generator(subject, 7);
  std::set<DType> dtypes;
  std::int64_t most = 0;
  std::int64_t rank = 0;
  for (int i = 0; i < 100; ++i) {
    const GeneratedCase generated = generator.next_valid();
    for (const NamedText& operand : generated.request.named) {
      most = std::max(most, operand.as<Tensor>()->size());
      if (operand.name == "data") rank = std::max(rank, operand.as<Tensor>()->rank());
      if (operand.name != "indices") dtypes.insert(operand.as<Tensor>()->dtype());
    }
    most = std::max(most, generated.result->size());
  }
  CHECK(dtypes == std::set{DType::int32, DType::float64});
  CHECK(most <= 40);
  CHECK(most > 20);
  CHECK(rank == 3);
}

TEST_CASE("calls can be made large", "[release][generate]") {
  for (const char* op : {"gather", "scatternd", "add", "gatherslices"}) {
    CAPTURE(op);
    Subject subject = subject_of(op);
    subject.min_elements = 3000;
    subject.max_elements = 12000;
    Generator generator(subject, 7);
    for (int i = 0; i < 10; ++i) {
      const GeneratedCase generated = generator.next_valid();
      std::int64_t largest = generated.result->size();
      for (const NamedText& operand : generated.request.named)
        largest = std::max(largest, operand.as<Tensor>()->size());
      CHECK(largest >= 3000);
      CHECK(largest <= 12000);
    }
  }
}

TEST_CASE("no operand is drawn that is larger than allowed", "[release][generate]") {
  for (const Operator* op : kOperators) {
    CAPTURE(op->name);
    Subject subject = subject_of(*op, op->versions.front());
    subject.min_elements = 1000;
    subject.max_elements = 4000;
    Random random(7, 0);
    Coverage coverage;
    std::int64_t largest = 0;
    int complete = 0;
    for (int i = 0; i < 300; ++i) {
      Drawing drawing(subject, random, coverage, {});
      complete += draw_call(drawing) ? 1 : 0;
      for (const NamedText& operand : drawing.request.named)
        largest = std::max(largest, operand.as<Tensor>()->size());
      for (const Operand& operand : drawing.request.positional)
        largest = std::max(largest, operand.as<Tensor>()->size());
    }
    CHECK(complete > 150);
    CHECK(largest >= 1000);
    CHECK(largest <= 4000);
  }
}

}  // namespace tensorop::generate_generator_test
