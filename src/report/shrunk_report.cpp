#include "report/shrunk_report.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "describe/why_report.hpp"
#include "engine/engine.hpp"
#include "jobs/call_text.hpp"
#include "report/finding_why.hpp"
#include "shrink/kept_case.hpp"

namespace tensorop {
namespace {

// The result of tensorop for the call: a tensor, or the error.
struct Computed {
  std::optional<Tensor> result = {};
  std::string refusal = {};
};

Computed computed_by(const Finding& finding) {
  try {
    return {.result = finding.expected_tensor ? *finding.expected_tensor : evaluate(*finding.call, {})};
  } catch (const Failure& error) {
    return {.refusal = error.what()};
  }
}

std::string tensor_text(const Tensor& tensor, bool with_dtype) {
  constexpr std::int64_t kMostListed = 64;
  return cat(with_dtype ? cat(name(tensor.dtype()), " ") : "", elements_text(tensor, kMostListed));
}

// The line of why_shape_text() without columns.
std::string shape_sentence(const Explainer& explainer) {
  std::string out = why_shape_text(explainer);
  out.pop_back();
  const std::size_t column = out.find("    ");
  const std::size_t end = std::min(out.find_first_not_of(' ', column), out.size());
  return column == std::string::npos ? out : cat(out.substr(0, column), ": ", out.substr(end));
}

// Sentences for elements of the result, at most `most`, beginning with the first one that differs.
std::vector<std::string> sentences_of(const Finding& finding, const Computed& computed, std::int64_t most) {
  if (!computed.result) return {computed.refusal};
  const bool has_values = finding.comparison && finding.comparison->first;
  const std::int64_t all = has_values ? computed.result->size() : 0;
  std::vector<std::vector<std::int64_t>> positions;
  if (has_values) positions.push_back(finding.comparison->first->position);
  for (std::int64_t i = 0; i < all && to_int64(positions.size()) < most; ++i) {
    auto position = coordinates(i, computed.result->shape());
    if (position != positions[0]) positions.push_back(std::move(position));
  }
  if (has_values) return why_sentences(finding, {}, positions);
  return {shape_sentence(Explainer(*finding.call, {}))};
}

struct Sides {
  std::string actual;
  std::string expected;
};

Sides sides_of(const Finding& finding, const Computed& computed) {
  const bool other_dtype =
      finding.comparison && finding.comparison->actual.dtype != finding.comparison->expected.dtype;
  Sides out{.actual = "no result", .expected = "an error"};
  if (finding.error) out.actual = finding.error->what();
  if (finding.expected_error && !finding.error) out.actual = "accepted";
  if (finding.actual_tensor) out.actual = tensor_text(*finding.actual_tensor, other_dtype);
  if (computed.result) out.expected = tensor_text(*computed.result, other_dtype);
  return out;
}

std::string line_of(const Finding& finding, const Computed& computed) {
  const Sides sides = sides_of(finding, computed);
  const std::vector<std::string> why = sentences_of(finding, computed, 1);
  return cat(finding.shrunk->call, finding.actual_tensor ? ": actual " : ": ", sides.actual, ", expected ",
             sides.expected, why.empty() ? "" : cat(": ", why[0]));
}

// The command that checks the case when run in the case's folder, wherever the folder is. Paths in `options`
// are relative to the current folder of check.
std::string check_command_of(const std::string& options) {
  std::error_code unknown;
  const std::string here = std::filesystem::current_path(unknown).string();
  if (unknown) return cat("tensorop check ", kKeptCases, " ", options);
  return cat("(cd ", shell_word(here), " && tensorop check \"$OLDPWD\"/", kKeptCases, " ", options, ")");
}

}  // namespace

std::string kept_text(const Finding& finding, const std::string& command, const std::string& options) {
  const Computed computed = computed_by(finding);
  constexpr std::int64_t kMostSentences = 64;
  constexpr std::size_t kMostNames = 20;
  const Shrunk& shrunk = *finding.shrunk;
  std::string out = cat(line_of(finding, computed), "\n", shrunk.difference, ": ",
                        counted(shrunk.cases, "case"), shrunk.cases == 1 ? ": " : ", one of them ",
                        printable(finding.place.text), ": ", printable(finding.name), "\n");
  if (shrunk.names.size() > 1) {
    out += "all of them:";
    for (std::size_t i = 0; i < std::min(kMostNames, shrunk.names.size()); ++i)
      out += cat(i == 0 ? " " : ", ", printable(shrunk.names[i]));
    out += shrunk.names.size() > kMostNames ? ", ...\n" : "\n";
  }
  out += cat("\nIn this folder:\n\n  ", command, "\n  ", check_command_of(options), "\n\n");
  for (const std::string& sentence : sentences_of(finding, computed, kMostSentences))
    out += cat(sentence, "\n");
  return out;
}

std::string shrunk_text(const Finding& finding) {
  const Shrunk& shrunk = *finding.shrunk;
  std::string out = cat(line_of(finding, computed_by(finding)), "\n", shrunk.difference, ": ",
                        counted(shrunk.cases, "case"), "\n");
  if (!shrunk.is_smallest)
    out += "the time was over before all smaller calls were tried: --budget gives more\n";
  if (!shrunk.kept.empty()) out += cat("kept: ", printable(shrunk.kept), "\n");
  return out;
}

Json shrunk_json(const Finding& finding) {
  const Shrunk& shrunk = *finding.shrunk;
  const Computed computed = computed_by(finding);
  constexpr std::int64_t kMostSentences = 16;
  const Sides sides = sides_of(finding, computed);
  // The first run has kept no tensors.
  const bool has_actual = shrunk.fails_again || !finding.comparison;
  return Json::object()
      .add("difference", shrunk.difference)
      .add("cases", shrunk.cases)
      .add("names", Json::list(shrunk.names))
      .add("smallest", shrunk.is_smallest)
      .add("fails_again", shrunk.fails_again)
      .add("call", shrunk.call)
      .add("actual", has_actual ? Json(sides.actual) : Json())
      .add("expected", sides.expected)
      .add("why", Json::list(sentences_of(finding, computed, kMostSentences)))
      .add("kept", Json::or_null(shrunk.kept))
      .add("command", Json::or_null(shrunk.command));
}

}  // namespace tensorop
