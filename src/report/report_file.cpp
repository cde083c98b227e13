#include "report/report_file.hpp"

#include <fcntl.h>

#include <utility>

#include "base/checked.hpp"
#include "base/files/append.hpp"
#include "base/files/file_io.hpp"
#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// The first bytes, at most `most`; empty if the file cannot be read.
std::string first_bytes(const std::string& path, std::size_t most) {
  const FileDescriptor file(os().open(path.c_str(), O_RDONLY | O_CLOEXEC, 0));
  std::string out(most, '\0');
  const auto read = file.is_open() ? os().read(file.get(), out.data(), most) : 0;
  out.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
  return out;
}

}  // namespace

std::span<const ReportRow> report_rows() {
  using Head = std::string_view;
  static constexpr auto kIsMarkup = [](Head head) { return head.starts_with('<'); };
  static constexpr auto kIsText = [](Head head) {
    return head.find('\0') == Head::npos && !head.starts_with('{') && !head.starts_with('[');
  };
  static constexpr ReportRow kRows[] = {
      {.option = "--junit",
       .help = "also write the report as JUnit XML; -: to standard output, alone",
       .make = [](const FileReportSettings& own, const auto&) { return junit_report(own.kind); },
       .may_be_old = kIsMarkup,
       .is_printable = true},
      {.option = "--html",
       .help = "also write the report as an HTML page with heat maps and histograms",
       .make = html_report,
       .may_be_old = kIsMarkup,
       .compares_only = true},
      {.option = "--markdown",
       .help = "append the report as Markdown, for summaries of CI systems",
       .make = [](const FileReportSettings& own, const auto&) { return markdown_report(own); },
       .may_be_old = kIsText,
       .appends = true,
       .compares_only = true},
  };
  return kRows;
}

ReportFile::ReportFile(const ReportRow& kind, std::string name, std::unique_ptr<FileReport> made)
    : row(&kind), path(std::move(name)), report(std::move(made)) {
  if (row->appends) (void)appendable_bytes(path);  // throws if appending is impossible
  if (path == "-") {
    file_.emplace(OutputFile::standard_output());
  } else if (!row->appends || !file_exists(path)) {
    file_.emplace(OutputFile::create(path));
  }
}

void ReportFile::require_report() const {
  if (!is_regular_file(path)) return;
  constexpr std::size_t kHeadBytes = 4096;
  const std::string bytes = first_bytes(path, kHeadBytes);
  const std::string_view head = after_blanks(bytes);
  if (head.empty() || row->may_be_old(head)) return;
  throw Error(cat(row->option, " ", printable(path),
                  " is kept: it is not such a report, and may be a file that the command reads"));
}

void ReportFile::commit(const ReportEnd& end, const std::string& summary, bool may_be_input) {
  if (may_be_input) require_report();
  const bool appends = row->appends && (!file_ || file_exists(path));
  // The limit of CI systems for a summary file, including its previous content.
  constexpr std::int64_t kMostBytes = 1 << 20;
  const std::int64_t before = appends ? appendable_bytes(path) : 0;
  const ReportTail tail{end, summary, kMostBytes - before - 1};
  const std::string text = report->text(tail);
  if (!appends) {
    file_->append(text_bytes(text));
    file_->commit();
  } else if (to_int64(text.size()) > tail.room) {
    throw Error(cat(row->option, " ", printable(path), ": has ", before,
                    " bytes, and CI systems take at most ", kMostBytes, ": nothing was appended"));
  } else {
    // Separates the heading from the previous content, whatever its end.
    append_to_file(path, text_bytes(before == 0 ? text : cat("\n", text)));
  }
}

}  // namespace tensorop
