// `compare`: two tensors, or those of two folders or archives; a verdict as the exit status, and a report.
#include <memory>

#include "base/error.hpp"
#include "base/files/folder_walk.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "golden/compare_sets.hpp"
#include "golden/rename.hpp"
#include "jobs/jobs.hpp"
#include "junit_output.hpp"
#include "progress.hpp"
#include "report/compare_report.hpp"
#include "report/pair_report.hpp"

namespace tensorop {
namespace {

constexpr int kDifferent = 1;

Tolerances read_tolerances(const Arguments& arguments) {
  return parse_tolerances(read_tolerance_texts(arguments));
}

std::vector<Option> compare_options() {
  std::vector<Option> options = tolerance_options();
  for (Option& option : std::vector<Option>{
           {"--ignore-open", OptionKind::value, "MASK",
            "leave out the elements at which MASK, a bool tensor of the same shape, is true (see "
            "--open-mask)"},
           show_option(),
           {"--filter", OptionKind::value, "TEXT",
            "of folders and archives: only tensors whose name contains TEXT; with * or ? TEXT is a glob"},
           {"--rename", OptionKind::value, "FILE",
            "of folders and archives: other names for tensors of ACTUAL; FILE has a name and the new one on "
            "each line, or "
            "a JSON object of them"},
           {"--rename-regex", OptionKind::values, "FROM=TO",
            "of folders and archives: in names of ACTUAL what matches the extended regular expression FROM "
            "becomes TO, "
            "where \\1 is its first group"},
           junit_option(),
           {"--json", OptionKind::flag, "", "print the report as a JSON object, for programs"},
           {"--quiet", OptionKind::flag, "", "no report, only the exit status", "-q"},
       }) {
    options.push_back(std::move(option));
  }
  return options;
}

CompareOptions read_options(const Arguments& arguments, bool quiet) {
  return {.depth = quiet ? CompareDepth::verdict : CompareDepth::report, .show = read_show(arguments)};
}

// The report must not replace a file that is compared.
void require_no_input(const Arguments& arguments, const std::vector<std::string>& inputs) {
  const auto report = arguments.value("--junit");
  if (!report || *report == "-") return;
  PathKeys keys;
  const std::string key = keys.of(*report);
  for (const std::string& input : inputs) {
    for (const std::string& file : files_of(input)) {
      if (keys.of(file) == key) throw Error(cat("--junit ", printable(*report), " is a file to compare"));
    }
  }
}

int compare_pair(const Arguments& arguments) {
  const std::string& actual = arguments.operands[0];
  const std::string& expected = arguments.operands[1];
  for (const std::string option : {"--filter", "--rename", "--rename-regex"}) {
    if (arguments.has(option) || !arguments.values(option).empty())
      throw Error(cat(option, " is only for folders and archives"));
  }
  require_no_input(arguments, {actual, expected, arguments.value("--ignore-open").value_or("")});
  const Tolerances tolerances = read_tolerances(arguments);
  MeteredSettings settings(arguments, "");
  JUnitOutput junit(arguments, "tensorop compare");
  const bool quiet = arguments.has("--quiet") || junit.takes_standard_output();
  PairResult result{.name = actual, .actual = actual, .expected = expected};
  const auto report_junit = [&] {
    if (!junit.is_wanted()) return;
    junit.add(junit_test(result, actual, expected));
    junit.commit();
  };
  try {
    result.comparison = compare_operands(actual, expected, tolerances, settings.get(),
                                         read_options(arguments, quiet && !junit.is_wanted()),
                                         arguments.value("--ignore-open"));
    settings.end();
  } catch (const Failure& error) {
    result.outcome = PairOutcome::error;
    result.error = std::make_shared<Failure>(error);
    report_junit();
    throw;
  }
  const bool equal = result.comparison->equal;
  if (!equal) result.outcome = PairOutcome::different;
  if (!quiet) {
    print(arguments.has("--json") ? report_json(*result.comparison) : report_text(*result.comparison));
  }
  report_junit();
  return equal ? 0 : kDifferent;
}

std::vector<std::string> files_of(const std::vector<const TensorSet*>& sets) {
  std::vector<std::string> files;
  for (const TensorSet* set : sets) {
    if (set->is_archive()) {
      files.push_back(set->name());
      continue;
    }
    for (const SetMember& member : set->members()) files.push_back(set->path_of(member));
  }
  return files;
}

int compare_sets_of(const Arguments& arguments, const TensorSet& actual, const TensorSet& expected) {
  const std::string& first = actual.name();
  const std::string& second = expected.name();
  if (arguments.has("--ignore-open")) throw Error("--ignore-open is only for two tensors");
  if (arguments.has("--junit")) require_no_input(arguments, files_of({&actual, &expected}));
  SetCompareSettings settings{.tolerances = read_tolerances(arguments)};
  settings.call = read_settings(arguments);
  for (const TensorSet* set : {&actual, &expected}) {
    for (const std::string& line : set->warnings()) {
      if (settings.call.warn) settings.call.warn(line);
    }
  }
  const auto filter = arguments.value("--filter");
  if (filter) settings.wanted = [&](const std::string& name) { return matches_filter(name, *filter); };
  JUnitOutput junit(arguments, "tensorop compare");
  const bool quiet = arguments.has("--quiet") || junit.takes_standard_output();
  settings.options = read_options(arguments, quiet && !junit.is_wanted());

  Progress progress(read_progress(arguments));
  settings.progress = [&](std::int64_t done, std::int64_t total) { progress.set(done, total); };
  const bool as_json = arguments.has("--json");
  const auto say = [&](const std::string& text) {
    if (!quiet && !text.empty()) progress.hide_while([&] { print(text); });
  };
  PairsJson json(first, second);
  const PairCounts counts = compare_sets(actual, expected, settings, [&](const PairResult& result) {
    if (junit.is_wanted()) junit.add(junit_test(result, first, second));
    // Of a mere verdict there is no text.
    if (quiet) return;
    say(as_json ? json.add(result) : pair_text(result, first, second));
  });
  progress.end();
  if (counts.pairs() == 0) {
    if (filter) throw Error(cat("--filter ", in_quotes(*filter), " matches no tensor"));
    throw Error(cat(printable(first), " and ", printable(second), " hold no tensors"));
  }
  say(as_json ? json.finish(counts) : summary_text(counts));
  junit.commit();
  if (counts.error != 0) return 2;
  return counts.equal == counts.pairs() ? 0 : kDifferent;
}

// Throws Error where no file has the name `text`, nor an archive that it names an array of.
void require_there(std::string_view role, const std::string& text) {
  const bool is_tensor = text == "-" || is_inline_json(text) || looks_like_json(text);
  if (is_tensor || names_file(text) || file_exists(text)) return;
  with_context(role, [&] { refuse_missing(text); });
}

[[noreturn]] void refuse_one_set(std::string_view role, const std::string& text) {
  throw Error(cat(role, ": ", text == "-" ? "standard input" : printable(text),
                  ": is neither a folder nor an archive"),
              "", "a folder is compared with a folder or an archive");
}

int run_compare(const Arguments& arguments) {
  const Words& operands = arguments.operands;
  if (operands.size() > 2)
    throw Error(cat("unexpected operand ", in_quotes(operands[2]), ": compare takes 2"));
  if (operands.size() < 2)
    throw Error(cat("operand ", operands.empty() ? "actual" : "expected", " is missing"));
  const auto open_set = [](std::string_view role, const std::string& text) {
    return with_context(role, [&] { return TensorSet::open(text); });
  };
  auto actual = open_set("actual", operands[0]);
  // A plain file is compared with one array of an archive.
  if (!actual && !is_folder(operands[1])) return compare_pair(arguments);
  const auto expected = open_set("expected", operands[1]);
  // Before anything is said of the other one.
  if (!actual) require_there("actual", operands[0]);
  if (!expected) require_there("expected", operands[1]);
  const bool has_folder = (actual && !actual->is_archive()) || (expected && !expected->is_archive());
  const RenameRules rules{arguments.value("--rename").value_or(""), arguments.values("--rename-regex")};
  const bool renames = !rules.file.empty() || !rules.expressions.empty();
  // Two arrays are a pair whatever they are called, unless they are chosen by their names.
  const auto holds_one = [&](const TensorSet& set) {
    return set.members().size() == 1 && !arguments.has("--filter") && !renames;
  };
  if (!has_folder && (!expected || (holds_one(*actual) && holds_one(*expected))))
    return compare_pair(arguments);
  if (!actual) refuse_one_set("actual", operands[0]);
  if (!expected) refuse_one_set("expected", operands[1]);
  rename_members(rules, *actual);
  return compare_sets_of(arguments, *actual, *expected);
}

}  // namespace

Command compare_command() {
  return {
      "compare",
      {"compare ACTUAL EXPECTED [OPTION]..."},
      "Compares two tensors, or all tensors of two folders or archives: exit status 0 when they are equal, 1 "
      "when "
      "not, 2 when they cannot be compared",
      {"tensorop compare out.npy golden.npy", "tensorop compare out.npy golden.npy --tolerance auto",
       "tensorop compare out.npy golden.json --rtol 1e-3 --atol 1e-5 --max-mismatch 0.1%",
       "tensorop compare results golden --tolerance auto --junit report.xml"},
      compare_options(),
      run_compare};
}

}  // namespace tensorop
