// `generate`: writes a conformance suite of cases from the descriptions of operators.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/files/output_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "engine/version.hpp"
#include "generate/suite.hpp"
#include "jobs/tolerances.hpp"

namespace tensorop {
namespace {

// Formats of operands and results; kFolders writes ONNX case folders instead of a job file.
constexpr std::string_view kFolders = "onnx";

std::vector<DType> read_dtypes(const Arguments& arguments) {
  std::vector<DType> dtypes;
  if (const auto list = arguments.value("--dtypes")) {
    for (const std::string& word : split(*list, ",")) dtypes.push_back(read_dtype(word));
  }
  return dtypes;
}

// Throws Error unless the version allows each dtype, and at least one is allowed for its data.
void require_dtypes(const Subject& subject) {
  if (subject.dtypes.empty()) return;
  const Version& version = *subject.version;
  DTypeSet all;
  for (std::size_t i = 0; i < subject.op.op->operands.size(); ++i)
    all = all | allowed_types(version, type_variable(*subject.op.op, version, i));
  for (const DType dtype : subject.dtypes) {
    if (!all.contains(dtype))
      throw Error(cat("--dtypes: no operand is ", name(dtype), " in ", version_name(version)));
  }
  const auto data = std::ranges::find(subject.op.op->operands, OperandRole::data, &OperandSpec::role);
  const DTypeSet allowed =
      allowed_types(version, type_variable(*subject.op.op, version,
                                           static_cast<std::size_t>(data - subject.op.op->operands.begin())));
  if (std::ranges::none_of(subject.dtypes, [&](DType dtype) { return allowed.contains(dtype); }))
    throw Error(cat("--dtypes: none of them is a dtype of ", data->name, ": ", allowed.names()));
}

std::vector<Generator> read_generators(const Arguments& arguments, const SuiteOptions& options) {
  if (arguments.operands.empty())
    throw Error("operand OPERATOR is missing", "", "tensorop generate gather -o DIR");
  Subject subject{.op = {},
                  .spec = options.spec,
                  .version = nullptr,
                  .dtypes = read_dtypes(arguments),
                  .max_rank = arguments.integer("--max-rank").value(),
                  .max_elements = arguments.integer("--max-elements").value()};
  if (options.format == nullptr) {
    subject.max_rtol = kOnnxRtol;
    subject.max_atol = kOnnxAtol;
  }
  std::vector<Generator> generators;
  for (const std::string& word : arguments.operands) {
    subject.op = require_operator(word, options.spec.value_or(""));
    const std::string_view name = subject.op.name->name;
    const auto is_same = [&](const Generator& other) { return other.subject().op.name == subject.op.name; };
    if (std::ranges::any_of(generators, is_same)) throw Error(cat(name, " is given twice"));
    with_context(name, [&] {
      subject.version = &find_version(subject.op, options.spec);
      require_dtypes(subject);
    });
    generators.emplace_back(subject, options.seed);
  }
  return generators;
}

SuiteOptions read_options(const Arguments& arguments) {
  SuiteOptions options;
  options.count = arguments.integer("--count").value();
  options.seed = static_cast<std::uint64_t>(arguments.integer("--seed").value());
  options.invalid_per_million = parse_millionths(arguments.value_or_default("--invalid").value()).value();
  options.spec = arguments.value("--spec");
  const std::string format = arguments.value_or_default("--format").value();
  if (format != kFolders) {
    options.format = find_format(format);
    return options;
  }
  if (arguments.has("--invalid")) throw Error("--format onnx cannot be combined with --invalid");
  if (parse_spec(options.spec).framework != Framework::onnx) throw Error("--format onnx needs --spec onnx-N");
  return options;
}

std::string coverage_text(const Generator& generator) {
  const Coverage& coverage = generator.coverage();
  const auto names = [&](const std::vector<Coverage::Level>& levels, bool is_met) {
    std::vector<std::string> out;
    for (const Coverage::Level level : levels) {
      if (coverage.is_met(level) == is_met) out.push_back(coverage.value(level));
    }
    return join(out);
  };
  std::string text = cat(generator.subject().op.name->name, "\n");
  for (const auto& parameter : coverage.parameters()) {
    text += cat("  ", parameter.name, ": ", names(parameter.levels, true));
    const std::string missed = names(parameter.levels, false);
    text += missed.empty() ? "\n" : cat("; not met: ", missed, "\n");
  }
  const Coverage::Count attributes = coverage.count_pairs(true);
  const Coverage::Count all = coverage.count_pairs(false);
  if (all.known != 0)
    text += cat("  pairs: ", all.met, " of ", all.known, "; of attributes: ", attributes.met, " of ",
                attributes.known, "\n");
  for (const auto& [first, second] : coverage.not_found()) {
    text +=
        cat("  not found in ", Coverage::kMostDraws, " draws: ", coverage.parameter(first), " ",
            coverage.value(first), " with ", coverage.parameter(second), " ", coverage.value(second), "\n");
  }
  std::vector<std::string> met;
  std::vector<std::string> not_met;
  for (const auto& [rule, cases] : generator.rules()) (cases != 0 ? met : not_met).emplace_back(rule);
  if (!met.empty())
    text += cat("  rules: ", join(met),
                not_met.empty() ? "" : cat("; not met, or not of the version: ", join(not_met)), "\n");
  return text;
}

int run_generate(const Arguments& arguments) {
  const auto folder = arguments.value("--output");
  if (!folder && !arguments.has("--coverage")) throw Error("--output DIR is missing");
  const SuiteOptions options = read_options(arguments);
  std::vector<Generator> generators = read_generators(arguments, options);
  std::optional<Suite> suite;
  if (folder) suite.emplace(options, *folder);
  generate_cases(options, generators, suite ? &*suite : nullptr);
  if (suite) suite->commit();
  if (arguments.has("--coverage")) {
    for (const Generator& generator : generators) print(coverage_text(generator));
  }
  return 0;
}

std::vector<Option> generate_options() {
  return {
      {"--spec", Heading::semantics, join(spec_forms(), "|"), "the version of the operators"},
      {"--count", Heading::others, "N", "the number of cases of each operator",
       OptionRules{.kind = OptionKind::integer, .most = 1'000'000, .by_default = "100"}},
      {"--seed", Heading::others, "K", "the same seed makes the same files",
       OptionRules{.kind = OptionKind::integer, .least = 0, .by_default = "1"}},
      {"--dtypes", Heading::others, "DTYPE,...", "use these alone, for operands that may have one"},
      {"--max-rank", Heading::others, "N", "the highest rank of operands",
       OptionRules{.kind = OptionKind::integer, .least = 2, .most = 8, .by_default = "5"}},
      {"--max-elements", Heading::others, "N", "the most elements of a tensor",
       OptionRules{.kind = OptionKind::integer, .least = 16, .most = 1'000'000, .by_default = "200"}},
      {"--invalid", Heading::others, "SHARE", "the share of calls that break a rule, from 0 to 1",
       OptionRules{.kind = OptionKind::share, .by_default = "0"}},
      {"--format", Heading::result, cat("npy|safetensors|pb|json|", kFolders),
       "the format of operands and results; onnx: ONNX case folders instead of a job file, needs "
       "--spec onnx-N",
       OptionRules{.kind = OptionKind::choice, .by_default = "npy"}},
      {"--coverage", Heading::others, "",
       "print which values, pairs of values and rules the cases meet; without --output, write "
       "nothing"},
      {"--output", Heading::result, "DIR", "a new folder, or an empty one",
       OptionRules{.letter = "-o", .kind = OptionKind::path}},
  };
}

}  // namespace

Command generate_command() {
  return {"generate",
          {"generate OPERATOR... [--spec SPEC] [--count N] [--seed K] [OPTION]... -o DIR"},
          "Writes a conformance suite: cases of operators. They are made from the description of the version",
          {"tensorop generate gathernd --spec onnx-13 --count 200 --invalid 0.2 -o suite",
           "tensorop generate add --coverage --count 50"},
          generate_options(),
          run_generate};
}

}  // namespace tensorop
