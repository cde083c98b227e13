#include "report/shrunk_report.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "engine/bind.hpp"
#include "engine/engine.hpp"
#include "engine/execute.hpp"
#include "golden/job_text.hpp"
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
  const bool is_listed = tensor.size() != 0 && tensor.size() <= kMostListed;
  return cat(with_dtype ? cat(name(tensor.dtype()), " ") : "",
             is_listed ? nested_json(tensor) : to_string(tensor.shape()));
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
std::string operator_command(const Request& request, const Call& call,
                             const std::vector<std::string>& operands) {
  std::string out = cat("tensorop ", request.op.name->name);
  for (const std::string& operand : operands) {
    const bool is_mask = call.op->mask != MaskUse::none && operand.ends_with("/mask.npy");
    out += cat(is_mask ? " --mask " : " ", shell_word(operand));
  }
  const auto add = [&](std::string name, const std::string& text) {
    std::ranges::replace(name, '_', '-');
    out += cat(" --", name, "=", shell_word(text));
  };
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const AttributeSpec& spec = call.op->attributes[i];
    if (call.attributes[i].is_given) add(std::string(spec.name), text_of(call.attributes[i], spec));
  }
  if (request.oob) add("oob", *request.oob);
  if (request.duplicates) add("duplicates", *request.duplicates);
  if (request.spec) add("spec", *request.spec);
  return out;
}

// Writes a tensor; returns what a job calls it.
std::string write_side(const std::string& folder, const std::string& file, const Tensor& tensor) {
  const Format& npy = *find_format("npy");
  if (npy.unnamed.contains(tensor.dtype())) return typed_json(tensor);
  write_tensor(tensor, Inputs(), {path_from(folder, file), &npy}, Settings());
  return quoted(file);
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
  const Request& request = *finding.call;
  const OpenedCall opened = open_call(request, {});
  const Computed computed = computed_by(finding);
  const WrittenJob job = write_job(request, opened, folder, "", {});
  std::vector<CommandValues::Value> members{{"name", quoted(finding.name)}};
  members.insert(members.end(), job.members.begin(), job.members.end());
  members.push_back({"expect", computed.result ? write_side(folder, "expected.npy", *computed.result)
                                               : cat("{\"error\":", quoted(*finding.expected_error), "}")});
  if (finding.actual_tensor) (void)write_side(folder, "actual.npy", *finding.actual_tensor);
  write_text(path_from(folder, "cases.jsonl"), cat(json_object(members), "\n"));
  Shrunk& shrunk = *finding.shrunk;
  shrunk.kept = folder;
  shrunk.command = cat("tensorop check ", shell_word(folder), " ", options);
  std::string text =
      cat(line_of(finding, computed), "\n", shrunk.difference, ": ", counted(shrunk.cases, "case"),
          shrunk.cases == 1 ? ": " : ", one of them ", printable(finding.place.text), ": ",
          printable(finding.name), "\n\n  ", operator_command(request, opened.call, job.operands), "\n  ",
          shrunk.command, "\n\n");
  for (const std::string& sentence : sentences_of(finding, computed, kMostSentences))
    text += cat(sentence, "\n");
  write_text(path_from(folder, "finding.txt"), text);
}

}  // namespace tensorop
