#include "report/shrunk_report.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "engine/execute.hpp"
#include "engine/mask.hpp"
#include "golden/plain_call.hpp"
#include "io/json/json_writer.hpp"
#include "jobs/job_text.hpp"
#include "report/finding_why.hpp"
#include "report/markup.hpp"
#include "report/why_report.hpp"

namespace tensorop {
namespace {

// What tensorop says of the call: its result, or why it refuses it.
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

// Sentences of the elements of the result, the one that differs first, at most `most`.
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

// "tensorop gathernd FILE FILE --batch-dims 1".
std::string operator_command(const PlainCall& call, const std::vector<std::string>& operands) {
  std::string out = cat("tensorop ", call.op.name->name);
  for (std::size_t i = 0; i < operands.size(); ++i)
    out += cat(call.operands[i].name == kMaskName ? " --mask " : " ", shell_word(operands[i]));
  const Request request = request_of(call);
  for (const NamedText& attribute : request.attributes) {
    std::string name = attribute.name;
    std::ranges::replace(name, '_', '-');
    out += cat(" --", name, "=", shell_word(attribute.text));
  }
  if (call.oob) out += cat(" --oob=", *call.oob);
  if (call.duplicates) out += cat(" --duplicates=", *call.duplicates);
  if (call.spec) out += cat(" --spec=", shell_word(*call.spec));
  return out;
}

// Writes a tensor; returns what a job calls it.
std::string write_side(const std::string& folder, const std::string& file, const Tensor& tensor) {
  const Format& npy = *find_format("npy");
  if (npy.unnamed.contains(tensor.dtype())) return typed_json(tensor);
  write_tensor(tensor, Inputs(), {path_from(folder, file), &npy}, Settings());
  return json_string(file);
}

// What the result of the smallest case is held to: the keys of the case behind it.
std::string expectation_text(const Finding& finding, const Computed& computed, const std::string& folder) {
  if (!computed.result) return cat(",\"expect\":{\"error\":", json_string(*finding.expected_error), "}");
  const bool ignores_open = finding.ignore_open && finding.call->spec;
  return cat(",\"expect\":", write_side(folder, "expected.npy", *computed.result),
             ignores_open ? ",\"ignore_open\":true" : "",
             tolerance_text(finding.tolerances, computed.result->dtype()));
}

}  // namespace

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
  return Json::object()
      .add("difference", shrunk.difference)
      .add("cases", shrunk.cases)
      .add("smallest", shrunk.is_smallest)
      .add("call", shrunk.call)
      .add("actual", sides.actual)
      .add("expected", sides.expected)
      .add("why", Json::list(sentences_of(finding, computed, kMostSentences)))
      .add("kept", Json::or_null(shrunk.kept))
      .add("command", Json::or_null(shrunk.command));
}

void keep_shrunk(Finding& finding, const std::string& folder, const std::string& options) {
  constexpr std::int64_t kMostSentences = 64;
  make_folder(folder);
  const PlainCall call = plain_call(*finding.call, Settings());
  const Computed computed = computed_by(finding);
  const WrittenCall written = write_call(call, Inputs(), folder, "", {});
  if (finding.actual_tensor) (void)write_side(folder, "actual.npy", *finding.actual_tensor);
  write_text(path_from(folder, "cases.jsonl"), cat("{\"name\":", json_string(finding.name), ",", written.job,
                                                   expectation_text(finding, computed, folder), "}\n"));
  Shrunk& shrunk = *finding.shrunk;
  shrunk.kept = folder;
  shrunk.command = cat("tensorop check ", shell_word(folder), " ", options);
  std::string text = cat(line_of(finding, computed), "\n", shrunk.difference, ": ",
                         counted(shrunk.cases, "case"), shrunk.cases == 1 ? ": " : ", one of them ",
                         printable(finding.place.text), ": ", printable(finding.name), "\n\n  ",
                         operator_command(call, written.operands), "\n  ", shrunk.command, "\n\n");
  for (const std::string& sentence : sentences_of(finding, computed, kMostSentences))
    text += cat(sentence, "\n");
  write_text(path_from(folder, "finding.txt"), text);
}

}  // namespace tensorop
