#include "check/golden_update.hpp"

#include <cstdint>
#include <string>

#include "base/files/paths.hpp"
#include "base/files/temporary_entry.hpp"
#include "base/text/error.hpp"
#include "base/text/json_string.hpp"
#include "base/text/text.hpp"
#include "check/external_program.hpp"
#include "engine/execute.hpp"
#include "io/format.hpp"
#include "io/json/json_writer.hpp"
#include "io/opened_file.hpp"
#include "io/sink.hpp"
#include "jobs/job_values.hpp"

namespace tensorop {
namespace {

// A golden file keeps its format, whatever its name, and the name of its array. Calls `warn` for everything
// that is lost.
Destination golden_destination(const Expectation& expect, bool is_missing, const Warn& warn) {
  if (expect.operand.as<RawBytes>() != nullptr)
    throw Error(cat(printable(expect.operand.shown()),
                    ": the case says dtype and shape of a raw file: it is not rewritten"),
                "", "--format raw writes a result");
  Destination out{.path = expect.operand.path, .array = expect.array == nullptr ? "" : *expect.array};
  if (is_missing) return out;
  const OpenedFile opened = open_file(expect.operand);
  if (!opened.format->is_writable())
    throw Error(cat(printable(expect.operand.shown()), ": ", opened.format->title, " files are only read"),
                "", "a golden file has a format that is written, such as NPY");
  if (opened.format->is_archive()) {
    const auto archive = open_archive(opened);
    if (opened.array || archive->size() != 1) {
      throw Error(cat(printable(expect.operand.shown()), ": an array in an archive cannot be updated"), "",
                  "store this golden array in its own file");
    }
    out.array = archive->name(archive->only_array());
    with_context(printable(opened.shown()), [&] { opened.format->require_name(out.array); });
  } else if (opened.format->names_array && expect.array == nullptr) {
    out.array = open_archive(opened)->entry(0).name;
  }
  const std::string lost =
      opened.format->remarks == nullptr ? "" : opened.format->remarks(opened.file.bytes());
  if (warn && !lost.empty()) warn(cat(printable(opened.shown()), ": is rewritten without its ", lost));
  if (opened.format != &kJsonFormat) out.format = opened.format;
  return out;
}

// Throws Error unless the file reads back as the same result: otherwise each update would rewrite it.
void require_kept(Job job, const Tensor& result, Destination destination, JudgeSettings settings) {
  const std::string path = printable(job.expect->operand.shown());
  destination.format = &format_of(destination);
  settings.call.warn = {};
  Finding found;
  // An error of the temporary file also says for which golden file that is.
  with_context(path, [&] {
    const auto folder = make_private_directory();
    destination.path = path_from(folder->path(), "golden");
    job.expect->operand = Operand::of_path(destination.path);
    write_tensor(result, Inputs(), destination, settings.call);
    judge_result(job, result, settings, found);
  });
  if (found.outcome == Outcome::equal) return;
  throw Error(
      cat(path, ": ", noun_of(*destination.format), " does not keep this result: read back, it differs"), "",
      "npy keeps every bit of numbers, pb and json every string");
}

}  // namespace

GoldenUpdates::GoldenUpdates(std::vector<Job>& jobs) : jobs_(jobs) {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (!expects_file(jobs_[i])) continue;
    // A file of another dtype is rewritten.
    jobs_[i].expect->operand.declared.reset();
    Writing& golden = golden_[jobs_[i].files->golden.get()];
    // A golden file that a case reads is not rewritten, so only cases that share a file wait for each other.
    if (golden.cases++ != 0) jobs_[i].after.push_back(golden.last_case);
    golden.last_case = i;
  }
}

// Throws Error unless the file may be rewritten: the expectation of one case must not change another case.
void GoldenUpdates::require_own(std::size_t i, const Writing& writing) const {
  const GoldenFile& golden = *jobs_[i].files->golden;
  const std::string path = printable(jobs_[i].expect->operand.shown());
  if (!golden.reader.empty()) {
    throw Error(cat(path, ": ", golden.reader, " reads this golden file: it is not rewritten"), "",
                "a case uses the result of an earlier one by its id: \"@id\"");
  }
  if (golden.cases != writing.cases) {
    const auto others = static_cast<std::int64_t>(golden.cases - writing.cases);
    throw Error(
        cat(path, ": ", counted(others, "case"), " that ", others == 1 ? "is" : "are", " not run now ",
            others == 1 ? "expects" : "expect", " this golden file too: it is not rewritten"),
        "", "--update without --filter runs all of them");
  }
}

bool GoldenUpdates::is_written(std::size_t i, bool is_missing, Outcome outcome) {
  const std::string& path = jobs_[i].expect->operand.path;
  Writing& golden = golden_.at(jobs_[i].files->golden.get());
  if (!is_missing && outcome == Outcome::equal) {
    if (!golden.equal_to) golden.equal_to = i;
    return false;
  }
  if (golden.rewritten_by) {
    throw Error(cat(printable(path), ": ", jobs_[*golden.rewritten_by].location(),
                    " has just rewritten it, and this result differs"));
  }
  if (golden.equal_to) {
    throw Error(cat(printable(path), ": the result of ", jobs_[*golden.equal_to].location(),
                    " is equal to it, and this result differs"));
  }
  require_own(i, golden);
  return true;
}

void GoldenUpdates::add_written(std::size_t i, GoldenUpdate how, Finding& found) {
  golden_.at(jobs_[i].files->golden.get()).rewritten_by = i;
  found.update = how;
  found.outcome = Outcome::updated;
}

void GoldenUpdates::update_error(std::size_t i, Finding& found) {
  const Operand& operand = jobs_[i].expect->operand;
  const Writing& golden = golden_.at(jobs_[i].files->golden.get());
  if (found.error->rule().empty() || !may_hold_error(operand.path)) return;
  if (golden.rewritten_by || names_file(operand) || !is_written(i, true, found.outcome)) return;
  make_folder(directory_of(operand.path));
  write_text(operand.path, cat("{\"error\":", json_string(found.error->rule()), "}\n"));
  add_written(i, GoldenUpdate::created, found);
}

void GoldenUpdates::update(std::size_t i, const Tensor& result, const JudgeSettings& settings,
                           Finding& found) {
  const std::string& path = jobs_[i].expect->operand.path;
  found.result = OutputInfo{result.dtype(), result.shape()};
  const Writing& golden = golden_.at(jobs_[i].files->golden.get());
  const bool is_missing = !golden.rewritten_by && !names_file(jobs_[i].expect->operand);
  if (!is_missing) judge_result(jobs_[i], result, settings, found);
  if (found.outcome == Outcome::not_compared || expects_error(jobs_[i])) return;
  if (!is_written(i, is_missing, found.outcome)) return;
  const Destination destination = golden_destination(*jobs_[i].expect, is_missing, settings.call.warn);
  const Format& format = format_of(destination);
  // A golden file that never compares equal is none. What cannot be written at all is refused below.
  if (format.keeps_shape != nullptr && result.rank() <= 2 && !format.keeps_shape(result.shape())) {
    throw Error(
        cat(printable(path), ": ", noun_of(format), " does not keep shape ", to_string(result.shape())), "",
        "npy and json keep any shape");
  }
  require_kept(jobs_[i], result, destination, settings);
  make_folder(directory_of(path));
  write_tensor(result, Inputs(), destination, settings.call);
  warn_of_unnamed(destination, result.dtype(), settings.call);
  add_written(i, is_missing ? GoldenUpdate::created : GoldenUpdate::replaced, found);
}

}  // namespace tensorop
