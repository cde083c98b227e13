// `compare`: two tensors, or those of two folders or archives; a verdict as the exit status, and a report.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/folder_walk.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "compare/compare_sets.hpp"
#include "io/array_id.hpp"
#include "io/opened_file.hpp"
#include "io/rename.hpp"
#include "progress.hpp"
#include "report_options.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kOfSets[] = {"--filter", "--exclude", "--list", "--fail-fast", "--rename-regex"};

std::vector<Option> compare_options() {
  const std::vector<Option> own = {
      {"--by-value", Heading::equality, "",
       "dtypes may differ: the values are compared in a dtype that has all values of both, if there is one",
       OptionRules{.decides = true}},
      {std::string(kTable), Heading::report,
       join(ComparisonTable::kKeys, "|", [](std::string_view key) { return key; }),
       "instead of the differences a line for each tensor: rms and largest absolute error, cosine, number of "
       "elements that differ; the worst one first, or by name",
       OptionRules{.kind = OptionKind::flag_choice,
                   .by_default = "rms",
                   .excludes = "--list --show --map --histogram"}},
  };
  std::vector<Option> options = joined({tolerance_options(),
                                        {ignore_option(), show_option()},
                                        own,
                                        picture_options(),
                                        report_options(kCompareReport),
                                        {rename_option("ACTUAL")}});
  for (Option& option : options) {
    if (std::ranges::count(kOfSets, option.name) != 0)
      option.help = cat("of folders and archives: ", option.help);
  }
  return options;
}

CompareOptions read_options(const Arguments& arguments, const Reporter& reporter) {
  return {.depth = reporter.needs_verdict_only() ? CompareDepth::verdict : CompareDepth::report,
          .show = read_show(arguments),
          .picture = read_picture_options(arguments),
          .by_value = arguments.has("--by-value")};
}

// Throws Error if both operands are the same array of the same file.
void refuse_one_file(const Operand& actual, const Operand& expected) {
  ArrayIds ids;
  const auto first = ids.id_of(actual);
  const auto second = ids.id_of(expected);
  if (!first || !second || first->file != second->file || !first->may_be_same_array(*second)) return;
  const auto shown = [](const Operand& operand) {
    return operand.is_standard_input() ? std::string("standard input") : printable(operand.shown());
  };
  throw Error(cat(shown(actual), " and ", shown(expected), " are one file"), "",
              "a file that is compared with itself proves nothing");
}

// Throws Error if `operand` names neither a file nor an array of an archive.
void require_there(std::string_view role, const Operand& operand) {
  if (operand.is_standard_input() || operand.may_be_json() || names_file(operand)) return;
  with_context(role, [&] { refuse_missing(operand); });
}

// Both sets are of one operand, or neither is.
void compare_all(const Arguments& arguments, const TensorSet& actual, const TensorSet& expected,
                 Reporter& reporter, std::optional<Progress>& progress) {
  const bool is_pair = actual.operand().has_value();
  const std::optional<Operand> mask = arguments.value("--ignore");
  for (const std::string_view option : kOfSets) {
    if (!is_pair || !arguments.has(option)) continue;
    require_there("actual", *actual.operand());
    require_there("expected", *expected.operand());
    throw Error(cat(option, " is only for folders and archives"));
  }
  if (!is_pair && mask) throw Error("--ignore is only for two tensors");
  if (!is_pair) reporter.compare_sets(actual.name(), expected.name());
  keep_files(reporter, [&](const VisitFile& visit) {
    if (mask) visit(*mask, "a file to compare");
    for (const TensorSet* set : {&actual, &expected}) {
      if (set->is_archive()) visit(Operand::of_path(set->name()), "a file to compare");
      for (const SetMember& member : set->members())
        visit(set->operand().value_or(Operand::of_path(set->path_of(member))), "a file to compare");
      if (set->is_folder()) visit(Operand::of_path(cat(set->name(), "/")), "in a folder to compare");
    }
  });
  if (is_pair && actual.operand()->is_standard_input() + expected.operand()->is_standard_input() +
                         (mask && mask->is_standard_input()) >
                     1)
    throw Error("standard input can be read only once");
  std::optional<MeteredSettings> metered;
  if (is_pair) metered.emplace(arguments, "");
  SetCompareSettings settings{.tolerances = parse_tolerances(read_tolerance_texts(arguments)),
                              .options = read_options(arguments, reporter),
                              .call = is_pair ? metered->get() : read_settings(arguments)};
  std::optional<Source> left_out;
  Inputs inputs;
  if (mask) {
    left_out = open_mask(*mask, settings.call);
    inputs.add(left_out->mapping());
    settings.options.left_out = left_out->tensor();
  }
  const std::vector<std::string> names = pair_names(actual, expected);
  const Filter filter(arguments, kCompareReport.noun);
  settings.wanted = filter.among(names, FilterMembers::yes);
  settings.fail_fast = arguments.has("--fail-fast");
  const std::int64_t count = std::ranges::count_if(names, settings.wanted);
  // The names of arrays in files of a folder are known when these are compared.
  if (arguments.has("--list") || std::ranges::none_of(names, names_archive)) filter.require_matches();
  if (arguments.has("--list")) {
    for (const std::string& name : names) {
      if (settings.wanted(name)) print(cat(printable(name), "\n"));
    }
    return;
  }
  reporter.expect(count);
  settings.unseen = [&](const std::vector<Unseen>& entries) { reporter.add_unseen(entries); };
  for (const TensorSet* set : {&actual, &expected}) {
    reporter.add_unseen(set->unseen());
    for (const std::string& line : set->warnings()) {
      if (settings.call.warn) settings.call.warn(line);
    }
  }
  if (!is_pair) {
    show_progress(arguments, reporter, progress);
    settings.interruption = &reporter.interruption();
    settings.progress = [&](std::int64_t done, std::int64_t total) { progress->set(done, total); };
  }
  compare_sets(actual, expected, settings, [&](const Finding& finding) {
    if (is_pair) {
      metered->end();
      if (finding.error) throw Failure(*finding.error);
      refuse_one_file(*actual.operand(), *expected.operand());
      inputs.require_unchanged();
    }
    reporter.add(finding);
  });
  if (progress) progress->end();
  const Counts& counts = reporter.counts();
  const std::int64_t skipped = counts[Outcome::skipped];
  const bool is_stopped = settings.fail_fast && exit_status(counts) != 0;
  if (!is_stopped) filter.require_matches();
  if (counts.all() != skipped) return;
  const std::string both = cat(printable(actual.name()), " and ", printable(expected.name()));
  if (skipped == 0) throw Error(cat(both, " hold no tensors"));
  throw Error(cat(both, ": nothing is compared: ", skipped_text(counts)));
}

[[noreturn]] void refuse_one_set(std::string_view role, const Operand& operand) {
  throw Error(cat(role, ": ", operand.is_standard_input() ? "standard input" : printable(operand.shown()),
                  ": is neither a folder nor an archive"),
              "", "a folder is compared with a folder or an archive");
}

void compare(const Arguments& arguments, Reporter& reporter, std::optional<Progress>& progress) {
  const std::vector<Operand> operands(arguments.operands.begin(), arguments.operands.end());
  arguments.refuse_operands_after(2, "compare takes 2");
  if (operands.size() < 2)
    throw Error(cat("operand ", operands.empty() ? "actual" : "expected", " is missing"));
  const auto open_set = [](std::string_view role, const Operand& operand) {
    return with_context(role, [&] { return TensorSet::open(operand); });
  };
  auto actual = open_set("actual", operands[0]);
  const auto compare_two = [&](const std::optional<TensorSet>& expected) {
    const auto one_of = [&](std::size_t i, const std::optional<TensorSet>& set) {
      if (!set || !is_folder(operands[i].path)) return operands[i];
      return Operand::of_path(set->members().size() == 1 ? set->path_of(set->members()[0]) : set->name());
    };
    if (actual) reporter.add_unseen(actual->unseen());
    if (expected) reporter.add_unseen(expected->unseen());
    const std::string name = one_of(0, actual).shown();
    compare_all(arguments, TensorSet::of_one(one_of(0, actual), name),
                TensorSet::of_one(one_of(1, expected), name), reporter, progress);
  };
  // A plain file is compared with one array of an archive.
  if (!actual && !is_folder(operands[1].path)) return compare_two(std::nullopt);
  const auto expected = open_set("expected", operands[1]);
  // Reported before faults of the other one.
  if (!actual) require_there("actual", operands[0]);
  if (!expected) require_there("expected", operands[1]);
  const bool has_folder = (actual && !actual->is_archive()) || (expected && !expected->is_archive());
  const bool has_one_file = !actual || !expected;
  const std::vector<std::string> renames = arguments.values("--rename-regex");
  // Two single arrays are a pair whatever their names, unless names choose or list them.
  const auto holds_one = [&](const TensorSet& set) {
    return set.members().size() == 1 && !Filter(arguments, kCompareReport.noun).is_given() &&
           !arguments.has("--list") && renames.empty();
  };
  if (!has_folder && (has_one_file || (holds_one(*actual) && holds_one(*expected))))
    return compare_two(expected);
  if (!actual) refuse_one_set("actual", operands[0]);
  if (!expected) refuse_one_set("expected", operands[1]);
  rename_members(renames, "--rename-regex", *actual);
  compare_all(arguments, *actual, *expected, reporter, progress);
}

int run_compare(const Arguments& arguments) {
  return report_on(arguments, kCompareReport,
                   [&](auto& reporter, auto& progress) { compare(arguments, reporter, progress); });
}

}  // namespace

Command compare_command() {
  return {"compare",
          {"compare ACTUAL EXPECTED [OPTION]..."},
          "Compares two tensors, or all of two folders or archives. The exit status is 0 when they are "
          "equal, 1 when "
          "not, 2 when they cannot be compared",
          {"tensorop compare out.npy golden.npy", "tensorop compare out.npy golden.npy --tolerance auto",
           "tensorop compare out.npy golden.json --rtol 1e-3 --atol 1e-5 --max-mismatch 0.1%",
           "tensorop compare results golden --tolerance auto --junit report.xml"},
          compare_options(),
          run_compare};
}

}  // namespace tensorop
