#include "report/shrunk_report.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/folder_walk.hpp"
#include "base/files/input_file.hpp"
#include "base/files/output_folder.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "engine/execute.hpp"
#include "io/json/json_writer.hpp"
#include "jobs/call_text.hpp"
#include "report/finding_why.hpp"
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

constexpr const char* kCases = "cases.jsonl";

// Also a link that leads nowhere.
bool exists(const std::string& path) {
  struct stat info {};
  return os().lstat(path.c_str(), &info) == 0;
}

// Whether `other` has each file of `folder`, with the same bytes.
bool holds_all(const std::string& other, const std::string& folder) {
  return std::ranges::all_of(files_below(folder), [&](const FoundFile& file) {
    const std::string path = path_from(other, file.path);
    struct stat info {};
    if (os().stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size != file.bytes)
      return false;
    const InputFile first = InputFile::open(path);
    const InputFile second = InputFile::open(path_from(folder, file.path));
    return std::ranges::equal(first.bytes(), second.bytes());
  });
}

// Paths of files in `folder` as seen from there; all else as it is.
std::vector<std::string> names_below(const std::string& folder, std::vector<std::string> paths) {
  for (std::string& path : paths) {
    if (path.starts_with(folder + '/')) path.erase(0, folder.size() + 1);
  }
  return paths;
}

// The command that checks the case, to be run in its folder wherever that is. Paths in `options` are relative
// to the folder in which check runs now.
std::string check_command_of(const std::string& options) {
  std::error_code unknown;
  const std::string here = std::filesystem::current_path(unknown).string();
  if (unknown) return cat("tensorop check ", kCases, " ", options);
  return cat("(cd ", shell_word(here), " && tensorop check \"$OLDPWD\"/", kCases, " ", options, ")");
}

// All that is known of the finding. Its paths are relative to the file: a kept case may be moved.
std::string text_of_file(const Finding& finding, const LoadedCall& call, const Computed& computed,
                         const std::vector<std::string>& operands, const std::string& options) {
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
  out +=
      cat("\nIn this folder:\n\n  ", command_text(call, operands), "\n  ", check_command_of(options), "\n\n");
  for (const std::string& sentence : sentences_of(finding, computed, kMostSentences))
    out += cat(sentence, "\n");
  return out;
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
      .add("names", Json::list(shrunk.names))
      .add("smallest", shrunk.is_smallest)
      .add("call", shrunk.call)
      .add("actual", sides.actual)
      .add("expected", sides.expected)
      .add("why", Json::list(sentences_of(finding, computed, kMostSentences)))
      .add("kept", Json::or_null(shrunk.kept))
      .add("command", Json::or_null(shrunk.command));
}

void keep_shrunk(Finding& finding, const std::string& parent, const std::string& options) {
  make_folder(parent);
  std::vector<std::string> others;  // folders that are there
  std::string folder = path_from(parent, file_name_of(finding.name));
  while (exists(folder)) {
    others.push_back(folder);
    folder = path_from(parent, cat(file_name_of(finding.name), "-", others.size() + 1));
  }
  OutputFolder made(folder);
  const std::string inside = directory_of(made.path_of(kCases));
  const LoadedCall call = load(*finding.call, Settings());
  const Computed computed = computed_by(finding);
  const WrittenCall written = write_call(call, Inputs(), inside, "", {});
  if (finding.actual_tensor) (void)write_side(inside, "actual.npy", *finding.actual_tensor);
  made.write_file(kCases, cat("{\"name\":", json_string(finding.name), ",", written.job,
                              expectation_text(finding, computed, inside), "}\n"));
  const auto same =
      std::ranges::find_if(others, [&](const std::string& other) { return holds_all(other, inside); });
  if (same != others.end()) folder = *same;
  finding.shrunk->kept = folder;
  finding.shrunk->command = cat("tensorop check ", shell_word(folder), " ", options);
  if (same != others.end()) return;
  made.write_file("finding.txt",
                  text_of_file(finding, call, computed, names_below(inside, written.operands), options));
  made.commit();
}

}  // namespace tensorop
