// `compare`: two tensors, a verdict as the exit status, and a report.
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "report/compare_report.hpp"

namespace tensorop {
namespace {

constexpr int kDifferent = 1;

Tolerances read_tolerances(const Arguments& arguments) {
  std::vector<ToleranceText> given;
  for (const std::string& name : tolerance_names()) {
    std::string option = "--" + name;
    for (char& c : option) c = c == '_' ? '-' : c;
    if (const auto text = arguments.value(option)) {
      given.push_back({name, name == "nan_unequal" ? "true" : *text});
    }
  }
  return parse_tolerances(given);
}

int run_compare(const Arguments& arguments) {
  const Words& operands = arguments.operands;
  if (operands.size() > 2)
    throw Error(cat("unexpected operand ", in_quotes(operands[2]), ": compare takes 2"));
  if (operands.size() < 2)
    throw Error(cat("operand ", operands.empty() ? "actual" : "expected", " is missing"));
  const bool quiet = arguments.has("--quiet");
  const Comparison comparison = compare_operands(
      operands[0], operands[1], read_tolerances(arguments), read_settings(arguments),
      {.depth = quiet ? CompareDepth::verdict : CompareDepth::report, .show = read_show(arguments)});
  if (!quiet) print(arguments.has("--json") ? report_json(comparison) : report_text(comparison));
  return comparison.equal ? 0 : kDifferent;
}

}  // namespace

Command compare_command() {
  return {
      "compare",
      {"compare ACTUAL EXPECTED [OPTION]..."},
      "Compares two tensors: exit status 0 when they are equal, 1 when not, 2 when they cannot be compared",
      {"tensorop compare out.npy golden.npy", "tensorop compare out.npy golden.npy --tolerance auto",
       "tensorop compare out.npy golden.json --rtol 1e-3 --atol 1e-5 --max-mismatch 0.1%"},
      {
          {"--rtol", OptionKind::value, "R", "an element passes when |a-e| <= atol + rtol*|e|; default 0"},
          {"--atol", OptionKind::value, "A", "see --rtol; default 0"},
          {"--max-ulp", OptionKind::value, "N",
           "an element also passes when the values differ by at most N ULP"},
          {"--tolerance", OptionKind::value, "auto",
           "auto: default rtol and atol for the dtype, unless given"},
          {"--max-mismatch", OptionKind::value, "N|N%",
           "at most N elements, or N percent, may differ; default 0"},
          {"--nan-unequal", OptionKind::flag, "", "NaN is not equal to NaN"},
          show_option(),
          {"--json", OptionKind::flag, "", "print the report as a JSON object, for programs"},
          {"--quiet", OptionKind::flag, "", "no report, only the exit status", "-q"},
      },
      run_compare};
}

}  // namespace tensorop
