// Checks in this process: what is done concurrently, and that nothing of it shows in the outcome.
#include "check/check.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "jobs/cases.hpp"
#include "report/finding_text.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::check_check_test {
namespace {

// How long a test waits for what must happen; it fails after that.
constexpr std::chrono::seconds kLongest{30};

// Something that happens once or more often, and can be waited for.
class Event {
 public:
  void happen() {
    std::call_once(once_, [&] { promise_.set_value(); });
  }
  // False where it does not happen.
  bool wait() { return future_.wait_for(kLongest) == std::future_status::ready; }

 private:
  std::once_flag once_;
  std::promise<void> promise_;
  std::shared_future<void> future_ = promise_.get_future().share();
};

// Publishes golden.npy only once late.json is opened; gate.json can be opened once golden.npy is being
// published.
class SlowGoldenFile : public System {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    const std::string_view name = path;
    if (name.ends_with("gate.json") && !publishing_.wait()) is_well_ = false;
    if (name.ends_with("late.json")) late_.happen();
    return System::open(path, flags, mode);
  }
  int link_fd(int fd, const char* path) override {
    wait_for_late(path);
    return System::link_fd(fd, path);
  }
  int rename(const char* from, const char* to) override {
    wait_for_late(to);
    return System::rename(from, to);
  }

  [[nodiscard]] bool is_well() const { return is_well_; }

 private:
  void wait_for_late(std::string_view path) {
    if (!path.ends_with("golden.npy")) return;
    publishing_.happen();
    if (!late_.wait()) is_well_ = false;
  }

  Event publishing_;
  Event late_;
  std::atomic<bool> is_well_{true};
};

// Counts how often an operand is opened.
class CountingSystem : public System {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    opened_ += std::string_view(path).ends_with("operand.npy") ? 1 : 0;
    return System::open(path, flags, mode);
  }
  [[nodiscard]] int opened() const { return opened_; }

 private:
  std::atomic<int> opened_ = 0;
};

std::vector<Job> cases_of(const TempDir& dir, const std::string& text,
                          JobPurpose purpose = JobPurpose::check) {
  write_file(dir.file("cases.jsonl"), text);
  return read_cases({dir.file("cases.jsonl")}, purpose);
}

CheckSettings updating(int concurrent_jobs) {
  CheckSettings settings;
  settings.batch.concurrent_jobs = concurrent_jobs;
  settings.update = true;
  return settings;
}

}  // namespace

TEST_CASE("cases start and end while a golden file is written", "[check]") {
  const TempDir dir;
  write_file(dir.file("gate.json"), "1");
  write_file(dir.file("late.json"), "1");
  auto cases = cases_of(dir, R"({"op":"add","a":1,"b":1,"expect":"golden.npy"}
{"op":"add","a":"gate.json","b":1,"expect":2}
{"op":"add","a":"late.json","b":1,"expect":2}
)");
  SlowGoldenFile system;
  const ScopedSystem scope(system);
  Counts counts;
  check_cases(std::move(cases), updating(2), [&](const Finding& finding) { counts.add(finding); });
  CHECK(system.is_well());
  CHECK(counts[Outcome::updated] == 1);
  CHECK(counts[Outcome::equal] == 2);
}

TEST_CASE("an operand is opened once a case, however the case is judged", "[check]") {
  using Shell = CommandTemplate::Shell;
  const TempDir dir;
  write_file(dir.file("operand.npy"), npy_bytes(Tensor(DType::int64, {3}, std::make_shared<Storage>(24))));
  write_file(dir.file("r.json"), "[0,5,0]");
  // Twice the same index: the version leaves the element open.
  const std::string call =
      R"({"name":"r","op":"scatterelements","spec":"onnx-16","data":"operand.npy","indices":[1,1],"updates":[2,3])";
  const auto program = [](const char* command, Shell shell) {
    return ProgramSettings{CommandTemplate(command, shell), std::chrono::seconds(60), 10};
  };
  struct Mode {
    std::string keys;  // of the case
    std::optional<ProgramSettings> program = {};
    bool has_actual = false;
    Outcome outcome = Outcome::equal;
  };
  for (const Mode& mode :
       std::vector<Mode>{{R"(,"expect":[0,3,0])"},
                         {R"(,"expect":[0,5,0])", {}, false, Outcome::different},
                         {R"(,"expect":[0,5,0],"ignore_open":true)"},
                         {R"(,"expect":[0,5,1],"ignore_open":true)", {}, true, Outcome::different},
                         {"", {}, true},
                         {"", program("cp {data} {output}", Shell::no)},
                         {"", program("cp {cases}/1.data.npy {cases}/1.npy", Shell::yes)},
                         {R"(,"expect":[0,5,0])", program("cp {cases}/1.data.npy {cases}/1.npy", Shell::yes),
                          false, Outcome::different}}) {
    CAPTURE(mode.keys, mode.program.has_value(), mode.has_actual);
    CheckSettings settings;
    settings.program = mode.program;
    if (mode.has_actual) settings.actual = dir.file("r.json");
    CountingSystem system;
    const ScopedSystem scope(system);
    check_cases(cases_of(dir, cat(call, mode.keys, "}\n"), JobPurpose::check_others), settings,
                [&](const Finding& finding) { CHECK(finding.outcome == mode.outcome); });
    CHECK(system.opened() == 1);
  }
}

TEST_CASE("golden files that cases share are the same for any number of concurrent jobs", "[check]") {
  Random random(20261122);
  for (int round = 0; round < 10; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) {
      const auto file = [&] { return cat("\"g", random.between(0, 3), ".json\""); };
      const std::string operand = random.chance(50) ? file() : cat(random.between(1, 2));
      text += cat("{\"op\":\"add\",\"a\":", operand,
                  ",\"b\":1,\"expect\":", random.chance(80) ? file() : std::string("2"), "}\n");
    }
    std::vector<std::string> reports;
    for (const int jobs : {1, 2, 8}) {
      const TempDir dir;
      write_file(dir.file("g0.json"), "1");
      write_file(dir.file("g1.json"), "7");
      std::string report;
      check_cases(cases_of(dir, text), updating(jobs), [&](const Finding& finding) {
        report += cat(finding.place.line, ": ", reasons_of(finding), "\n");
      });
      for (const char* name : {"g0.json", "g1.json", "g2.json", "g3.json"}) report += get(dir.file(name));
      for (std::size_t at = 0; (at = report.find(dir.path().string())) != std::string::npos;)
        report.replace(at, dir.path().string().size(), "DIR");
      reports.push_back(report);
    }
    CAPTURE(text);
    CHECK(reports[1] == reports[0]);
    CHECK(reports[2] == reports[0]);
  }
}

}  // namespace tensorop::check_check_test
