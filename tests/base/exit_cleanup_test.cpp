// How signals end a process that has a report to complete. tests/base/output_file_test.cpp has the files that
// a signal removes, tests/base/child_process_test.cpp the programs.
#include "base/process/exit_cleanup.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/files/output_file.hpp"
#include "support/catch.hpp"
#include "support/faulty_system.hpp"
#include "support/files.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::base_exit_cleanup_test {
namespace {

constexpr useconds_t kMillisecond = 1000;

// A process that writes a file under a temporary name and takes so long to complete its report, of which
// first "begun" and then "complete" are in the folder; `signals` signals come to it at once.
pid_t start_process(const TempDir& dir, useconds_t report_time, int signals) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child != 0) return child;
  ::signal(SIGTERM, SIG_DFL);
  NamedOnlySystem system;
  const ScopedSystem scope(system);
  const ReportOnSignal on_signal([&](int /*number*/) {
    OutputFile::create(dir.file("begun")).commit();
    ::usleep(report_time);
    OutputFile::create(dir.file("complete")).commit();
  });
  const OutputFile file = OutputFile::create(dir.file("out"));
  for (int i = 0; i < signals; ++i) ::raise(SIGTERM);
  for (;;) ::pause();
}

}  // namespace

TEST_CASE("a signal ends the process after its report; a second one does not wait for that",
          "[base][signal]") {
  struct Row {
    useconds_t report_time;
    int signals;   // at once: `timeout` sends two
    bool another;  // 200 ms after the report was begun
    bool completes;
  };
  for (const Row& row : {
           Row{0, 1, false, true},
           Row{300 * kMillisecond, 2, false, true},
           Row{30'000 * kMillisecond, 1, true, false},
       }) {
    CAPTURE(row.report_time, row.signals, row.another);
    const TempDir dir;
    const pid_t process = start_process(dir, row.report_time, row.signals);
    if (row.another) {
      while (!std::filesystem::exists(dir.file("begun"))) ::usleep(kMillisecond);
      ::usleep(200 * kMillisecond);
      ::kill(process, SIGTERM);
    }
    int status = 0;
    REQUIRE(::waitpid(process, &status, 0) == process);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
    std::set<std::string> names{"begun"};
    if (row.completes) names.insert("complete");
    CHECK(names_in(dir.path()) == names);
  }
}

}  // namespace tensorop::base_exit_cleanup_test
