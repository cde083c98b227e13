#include "ranks/distribute.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/files/file_io.hpp"
#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {
namespace {

// Jobs of a step for each rank, whatever its number of threads: all ranks must divide jobs in the same way.
constexpr int kStepJobs = 256;

// Disjoint sets that can be merged, each identified by its lowest member.
class Sets {
 public:
  explicit Sets(std::size_t size) : lower_(size) { std::iota(lower_.begin(), lower_.end(), std::size_t{0}); }
  std::size_t find(std::size_t i) {
    while (lower_[i] != i) i = lower_[i] = lower_[lower_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    lower_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> lower_;
};

// Calls visit(earlier) for each job that job `i` waits for.
template <class Visit>
void for_each_wait(const Job& job, const Visit& visit) {
  for (const Need& need : job.needs) visit(need.job);
  for (const std::size_t earlier : job.after) visit(earlier);
}

// Returns the wave of each unit, by its lowest job. Returns nothing after it has merged a cycle of units.
std::optional<std::vector<std::size_t>> find_waves(const std::vector<Job>& jobs, Sets& units) {
  std::vector<std::size_t> waits(jobs.size());
  std::vector<std::vector<std::size_t>> followers(jobs.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::size_t unit = units.find(i);
    count += unit == i ? 1 : 0;
    for_each_wait(jobs[i], [&](std::size_t earlier) {
      if (units.find(earlier) == unit) return;
      followers[units.find(earlier)].push_back(unit);
      ++waits[unit];
    });
  }
  std::vector<std::size_t> waves(jobs.size());
  std::queue<std::size_t> ready;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (units.find(i) == i && waits[i] == 0) ready.push(i);
  }
  for (; !ready.empty(); ready.pop()) {
    const std::size_t unit = ready.front();
    --count;
    for (const std::size_t follower : followers[unit]) {
      waves[follower] = std::max(waves[follower], waves[unit] + 1);
      if (--waits[follower] == 0) ready.push(follower);
    }
  }
  if (count == 0) return waves;
  // Units that wait for each other through files, and units that wait for these, become one unit: rare.
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (waits[units.find(i)] == 0) continue;
    if (first) units.join(*first, i);
    if (!first) first = i;
  }
  return std::nullopt;
}

// Encodes and decodes outcomes as text.
class Message {
 public:
  Message() = default;
  explicit Message(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_text(const std::string& text) {
    put(text.size());
    text_ += text;
  }
  template <class T>
  T get() {
    T value{};
    std::memcpy(&value, text_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string get_text() {
    const auto size = get<std::size_t>();
    at_ += size;
    return text_.substr(at_ - size, size);
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

void put_outcome(Message& message, std::size_t job, const JobOutcome& outcome) {
  message.put(job);
  message.put(outcome.status);
  message.put(outcome.seconds);
  message.put(outcome.error != nullptr);
  if (outcome.error) {
    message.put_text(outcome.error->what());
    message.put_text(outcome.error->hint());
    message.put_text(outcome.error->details());
  }
  message.put(outcome.warnings.size());
  for (const std::string& line : outcome.warnings) message.put_text(line);
}

std::pair<std::size_t, JobOutcome> get_outcome(Message& message) {
  std::pair<std::size_t, JobOutcome> out;
  out.first = message.get<std::size_t>();
  JobOutcome& outcome = out.second;
  outcome.status = message.get<Outcome>();
  outcome.seconds = message.get<double>();
  if (message.get<bool>()) {
    // The line already includes its rule.
    std::string line = message.get_text();
    std::string hint = message.get_text();
    outcome.error = std::make_shared<Failure>(std::move(line), "", std::move(hint), message.get_text());
  }
  for (auto lines = message.get<std::size_t>(); lines > 0; --lines)
    outcome.warnings.push_back(message.get_text());
  return out;
}

class JobDistribution {
 public:
  JobDistribution(const Ranks& ranks, const std::vector<Job>& jobs, const BatchSettings& settings,
                  const JobWork& work, const JobReport& report)
      : ranks_(ranks), jobs_(jobs), settings_(settings), work_(work), report_(report), ended_(jobs.size()) {}

  void run() {
    std::vector<Wave> waves = waves_of(jobs_);
    for (Wave& wave : waves) {
      for (auto first = wave.units.begin(); first != wave.units.end();)
        first = run_step(first, wave.units.end());
    }
  }

 private:
  using Units = std::vector<std::vector<std::size_t>>::iterator;

  // Runs some units of a wave, and tells all ranks the outcomes. A step is short enough that failures are
  // known soon, and long enough that ranks rarely wait for each other. Returns the next unit.
  Units run_step(Units first, Units end) {
    const std::size_t most = to_size(std::int64_t{kStepJobs} * ranks_.size());
    Wave step;
    for (std::size_t count = 0; first != end && count < most; ++first) {
      count += first->size();
      step.units.push_back(std::move(*first));
    }
    Message own;
    together(ranks_, [&] { own = run_part(deal(step, ranks_.size())[to_size(ranks_.rank())]); });
    for (const std::string& text : gather_texts(ranks_, own.text())) record_outcomes(Message(text));
    report_ended();
    return first;
  }

  // Runs the jobs `part`, except the ones no longer wanted after a failure.
  Message run_part(const std::vector<std::size_t>& part) {
    std::vector<std::size_t> own;
    std::ranges::copy_if(part, std::back_inserter(own), [&](std::size_t job) { return job <= last_wanted_; });
    // Adds unsuccessful jobs whose files these jobs need, so that dependent jobs are skipped.
    std::vector<std::size_t> failed;
    for (const std::size_t job : own) {
      for (const Need& need : jobs_[job].needs) {
        if (ended_[need.job] && ended_[need.job]->status != Outcome::done) failed.push_back(need.job);
      }
    }
    std::vector<std::size_t> all = own;
    all.insert(all.end(), failed.begin(), failed.end());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const std::vector<Job> jobs = part_of_jobs(all);
    look_for_files(own);
    const auto is_own = [&](std::size_t i) { return std::ranges::binary_search(own, all[i]); };
    BatchSettings settings = settings_;
    // Jobs of other ranks are counted at the end of the step.
    if (settings_.progress)
      settings.progress = [&](std::int64_t done, std::int64_t) {
        settings_.progress(std::min(count_ + done, to_int64(jobs_.size())), to_int64(jobs_.size()));
      };
    Message message;
    std::mutex mutex;
    std::map<std::size_t, std::vector<AccessReport>> reports;  // by job
    if (settings.explain) {
      settings.explain = [&](const Job& job, const AccessReport& report) {
        const std::lock_guard lock(mutex);
        reports[all[static_cast<std::size_t>(&job - jobs.data())]].push_back(report);
      };
    }
    const auto work = [&](std::size_t i, const Settings& with) -> std::optional<Tensor> {
      if (!is_own(i)) throw Error("it has no result");
      return work_(all[i], with);
    };
    run_batch(jobs, settings, work, [&](std::size_t i, const JobOutcome& outcome) {
      if (!is_own(i)) return;
      put_outcome(message, all[i], outcome);
      const std::lock_guard lock(mutex);
      message.put(reports[all[i]].size());
      for (const AccessReport& report : reports[all[i]]) message.put(report);
      reports.erase(all[i]);
    });
    return message;
  }

  // A network file system may cache the absence of a file. Opening the folder makes it look again for files
  // that other machines have written.
  void look_for_files(const std::vector<std::size_t>& own) const {
    std::set<std::string> folders;
    for (const std::size_t job : own) {
      for (const Need& need : jobs_[job].needs) {
        if (jobs_[need.job].output) folders.insert(directory_of(jobs_[need.job].output->path));
      }
    }
    for (const std::string& folder : folders)
      const FileDescriptor looked(os().open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  }

  // Returns copies of these jobs without their dependencies on other jobs.
  [[nodiscard]] std::vector<Job> part_of_jobs(const std::vector<std::size_t>& all) const {
    const auto place = [&](std::size_t job) -> std::optional<std::size_t> {
      const auto found = std::ranges::lower_bound(all, job);
      if (found == all.end() || *found != job) return std::nullopt;
      return static_cast<std::size_t>(found - all.begin());
    };
    std::vector<Job> jobs;
    for (const std::size_t number : all) {
      Job& job = jobs.emplace_back(jobs_[number]);
      std::erase_if(job.needs, [&](const Need& need) { return !place(need.job); });
      for (Need& need : job.needs) need.job = *place(need.job);
      std::erase_if(job.after, [&](std::size_t earlier) { return !place(earlier); });
      for (std::size_t& earlier : job.after) earlier = *place(earlier);
    }
    return jobs;
  }

  void record_outcomes(Message message) {
    while (!message.at_end()) {
      auto [job, outcome] = get_outcome(message);
      for (auto reports = message.get<std::size_t>(); reports > 0; --reports)
        settings_.explain(jobs_[job], message.get<AccessReport>());
      if (settings_.fail_fast && outcome.status == Outcome::error) last_wanted_ = std::min(last_wanted_, job);
      ended_[job] = std::move(outcome);
      ++count_;
    }
  }

  void report_ended() {
    if (settings_.progress) settings_.progress(count_, to_int64(jobs_.size()));
    for (; reported_ < jobs_.size() && reported_ <= last_wanted_ && ended_[reported_]; ++reported_) {
      report_(reported_, *ended_[reported_]);
      // Later waves only need to know the outcome.
      ended_[reported_]->warnings.clear();
    }
  }

  const Ranks& ranks_;
  const std::vector<Job>& jobs_;
  const BatchSettings& settings_;
  const JobWork& work_;
  const JobReport& report_;
  std::vector<std::optional<JobOutcome>> ended_;
  std::int64_t count_ = 0;
  std::size_t reported_ = 0;
  std::size_t last_wanted_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace

std::vector<Wave> waves_of(const std::vector<Job>& jobs) {
  Sets units(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (const Need& need : jobs[i].needs) {
      if (!need.operand.empty()) units.join(i, need.job);
    }
  }
  auto waves = find_waves(jobs, units);
  while (!waves) waves = find_waves(jobs, units);
  std::vector<Wave> out;
  std::map<std::size_t, std::size_t> places;  // positions of units in their wave
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::size_t unit = units.find(i);
    const std::size_t wave = (*waves)[unit];
    out.resize(std::max(out.size(), wave + 1));
    const std::size_t place = places.try_emplace(unit, out[wave].units.size()).first->second;
    if (place == out[wave].units.size()) out[wave].units.emplace_back();
    out[wave].units[place].push_back(i);
  }
  return out;
}

std::vector<std::vector<std::size_t>> deal(const Wave& wave, int ranks) {
  std::vector<std::size_t> order(wave.units.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t unit) { return wave.units[unit].size(); });
  using Load = std::pair<std::size_t, std::size_t>;  // number of jobs so far, rank
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t rank = 0; rank < to_size(ranks); ++rank) loads.emplace(0, rank);
  std::vector<std::vector<std::size_t>> parts(to_size(ranks));
  for (const std::size_t unit : order) {
    const auto [load, rank] = loads.top();
    loads.pop();
    parts[rank].insert(parts[rank].end(), wave.units[unit].begin(), wave.units[unit].end());
    loads.emplace(load + wave.units[unit].size(), rank);
  }
  for (std::vector<std::size_t>& part : parts) std::ranges::sort(part);
  return parts;
}

void distribute_batch(const Ranks& ranks, const std::vector<Job>& jobs, const BatchSettings& settings,
                      const JobWork& work, const JobReport& report) {
  JobDistribution(ranks, jobs, settings, work, report).run();
}

}  // namespace tensorop
