#include "compare/compare_sets.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/paths.hpp"
#include "base/text/text.hpp"
#include "engine/operands.hpp"
#include "jobs/batch.hpp"

namespace tensorop {
namespace {

// Members of the two sets that belong together; one of them may be null.
struct Pair {
  const SetMember* actual = nullptr;
  const SetMember* expected = nullptr;
  bool is_one_file = false;  // both are the same file, or the same array of one

  [[nodiscard]] const std::string& name() const { return (expected != nullptr ? expected : actual)->paired; }
  [[nodiscard]] std::int64_t bytes() const {
    return std::max(actual != nullptr ? actual->bytes : 0, expected != nullptr ? expected->bytes : 0);
  }
};

using Members = std::vector<const SetMember*>;

// The members of `all` from `next` on that have the same key as `key`; `next` moves on to those after them.
Members take_key(const std::vector<SetMember>& all, std::size_t& next, const std::string& key) {
  Members out;
  for (; next < all.size() && all[next].key == key; ++next) out.push_back(&all[next]);
  return out;
}

// Pairs members of one key: first those of one name, then the rest if only two are left.
void pair_members(const Members& actual, Members expected, std::vector<Pair>& pairs) {
  Members left;
  for (const SetMember* member : actual) {
    const auto same = std::ranges::find(expected, member->paired, &SetMember::paired);
    if (same == expected.end()) {
      left.push_back(member);
    } else {
      pairs.push_back({member, *same});
      expected.erase(same);
    }
  }
  if (left.size() == 1 && expected.size() == 1) {
    pairs.push_back({left[0], expected[0]});
    return;
  }
  for (const SetMember* member : left) pairs.push_back({member, nullptr});
  for (const SetMember* member : expected) pairs.push_back({nullptr, member});
}

std::vector<Pair> pair_sets(const TensorSet& actual, const TensorSet& expected) {
  const auto& first = actual.members();
  const auto& second = expected.members();
  std::vector<Pair> pairs;
  for (std::size_t i = 0, j = 0; i < first.size() || j < second.size();) {
    const bool is_first = j == second.size() || (i < first.size() && first[i].key <= second[j].key);
    const std::string& key = is_first ? first[i].key : second[j].key;
    const Members with_key = take_key(first, i, key);
    pair_members(with_key, take_key(second, j, key), pairs);
  }
  std::ranges::stable_sort(pairs, {}, &Pair::name);
  return pairs;
}

class SetComparison {
 public:
  SetComparison(const TensorSet& actual, const TensorSet& expected, const SetCompareSettings& settings,
                std::string suite, std::string prefix = {})
      : actual_(actual),
        expected_(expected),
        settings_(settings),
        prefix_(std::move(prefix)),
        suite_(std::move(suite)),
        pairs_(pair_sets(actual, expected)) {
    mark_one_file();
  }

  void run(const FindingReport& report) {
    const auto is_shared = [&](const Pair& pair) { return !has_all_threads(pair); };
    constexpr std::int64_t kMostAtOnce = 1000;  // a job takes a kilobyte or two
    for (std::size_t begin = 0; begin < pairs_.size() && !has_failed_;) {
      const auto first = pairs_.begin() + to_int64(begin);
      const auto end_of_shared =
          std::find_if_not(first, first + std::min(kMostAtOnce, pairs_.end() - first), is_shared);
      const auto end = std::max(begin + 1, static_cast<std::size_t>(end_of_shared - pairs_.begin()));
      compare_batch(begin, end, report);
      begin = end;
    }
  }

 private:
  void mark_one_file() {
    std::map<std::string, std::optional<FileId>> known;
    const auto id_of = [&](const TensorSet& set, const SetMember& member) -> const std::optional<FileId>& {
      const auto [place, is_new] = known.try_emplace(set.file_of(member));
      if (is_new) place->second = file_id(place->first);
      return place->second;
    };
    const bool are_arrays = actual_.is_archive() && expected_.is_archive();
    for (Pair& pair : pairs_) {
      if (pair.actual == nullptr || pair.expected == nullptr || expected_.operand()) continue;
      if (are_arrays && pair.actual->name != pair.expected->name) continue;
      const auto& id = id_of(actual_, *pair.actual);
      pair.is_one_file = id && id == id_of(expected_, *pair.expected);
    }
  }

  // Whether reading the pair keeps all threads busy, or memory does not hold such a pair for each thread.
  [[nodiscard]] bool has_all_threads(const Pair& pair) const {
    constexpr std::int64_t kSmallBytes = 4 << 20;
    if (pair.bytes() <= kSmallBytes) return false;
    const auto takes_one_thread = [](const TensorSet& set, const SetMember* member) {
      return member != nullptr && set.is_archive() && set.is_compressed(*member);
    };
    const int threads = settings_.call.threads.count();
    const int busy = (takes_one_thread(actual_, pair.actual) ? 1 : 0) +
                     (takes_one_thread(expected_, pair.expected) ? 1 : 0);
    if (busy == 0 || busy >= threads) return true;
    Settings own = settings_.call;
    own.memory_sharers *= 2 * threads;
    return with_settings({}, own).arrays.needs_scratch(pair.bytes());
  }

  [[nodiscard]] Finding finding_of(const Pair& pair) const {
    Finding out{.suite = suite_, .name = prefix_ + pair.name()};
    if (pair.actual != nullptr) out.actual = actual_.path_of(*pair.actual);
    if (pair.expected != nullptr) out.expected = expected_.path_of(*pair.expected);
    out.place.file = out.expected.empty() ? out.actual : out.expected;
    if (pair.actual == nullptr) out.place.text = expected_.name();
    if (pair.expected == nullptr) out.place.text = actual_.name();
    return out;
  }

  // Pairs [begin, end): concurrently, or one alone.
  void compare_batch(std::size_t begin, std::size_t end, const FindingReport& report) {
    struct Compared {
      std::vector<Finding> results = {};
      std::vector<Unseen> unseen = {};
    };
    std::vector<Compared> compared(end - begin);
    Settings shared = settings_.call;
    if (compared.size() != 1) shared.memory_sharers *= shared.threads.count();
    BatchSettings batch;
    batch.threads = shared.threads;
    batch.concurrent_jobs = shared.threads.count();
    batch.fail_fast = settings_.fail_fast;
    batch.is_failure = [&](std::size_t i) {
      return std::ranges::any_of(compared[i].results, is_failure, &Finding::outcome);
    };
    batch.interruption = settings_.interruption;
    if (settings_.progress) {
      batch.progress = [&](std::int64_t done, std::int64_t /*all*/) {
        settings_.progress(to_int64(begin) + done, to_int64(pairs_.size()));
      };
    }
    const auto work = [&](std::size_t i, const Settings& given) -> std::optional<Tensor> {
      Settings own = shared;
      if (compared.size() != 1) own.threads = given.threads;
      if (shared.warn) own.warn = given.warn;
      compared[i].results = compare(pairs_[begin + i], own, compared[i].unseen);
      return std::nullopt;
    };
    const auto deliver = [&](std::size_t i, const JobOutcome& outcome) {
      if (outcome.status != Outcome::done) {
        Finding found = finding_of(pairs_[begin + i]);
        end_finding(found, outcome);
        return report(found);
      }
      Compared pair = std::exchange(compared[i], {});
      for (const std::string& line : outcome.warnings) shared.warn(line);
      if (settings_.unseen) settings_.unseen(pair.unseen);
      if (!pair.results.empty()) pair.results[0].warnings = outcome.warnings;
      for (const Finding& result : pair.results) {
        if (has_failed_) return;
        report(result);
        has_failed_ = settings_.fail_fast && is_failure(result.outcome);
      }
    };
    run_batch(std::vector<Job>(compared.size()), batch, work, deliver);
  }

  // The result of a pair, or the results of the arrays of two archives; none if not wanted.
  std::vector<Finding> compare(const Pair& pair, const Settings& call, std::vector<Unseen>& unseen) const {
    Finding result = finding_of(pair);
    const bool is_wanted = !settings_.wanted || settings_.wanted(result.name);
    if (!is_wanted && !may_hold_arrays(pair)) return {};
    const auto start = std::chrono::steady_clock::now();
    try {
      auto first = open_file(actual_, pair.actual);
      auto second = open_file(expected_, pair.expected);
      if (is_archive(first) && is_archive(second)) {
        return compare_archives(TensorSet::of_archive(std::move(*first)),
                                TensorSet::of_archive(std::move(*second)), result.name, call, unseen);
      }
      if (!is_wanted) return {};
      if (pair.is_one_file) {
        skip(result, "one file on both sides",
             cat(printable(result.actual), " and ", printable(result.expected), " are one file"));
      } else {
        judge(pair, std::move(first), std::move(second), call, result);
      }
    } catch (const Failure& error) {
      result.outcome = Outcome::error;
      result.error = std::make_shared<Failure>(error);
    }
    if (!is_wanted) return {};
    // Lines of words may be strings, but may also be a note: they do not count.
    const bool has_elements =
        !result.error && (!result.comparison || (result.comparison->elements != 0 &&
                                                 result.comparison->actual.dtype != DType::string));
    if (!has_elements && is_same_plain_text(pair))
      skip(result, "text without a tensor", "holds no tensor, and has the same bytes on both sides");
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {std::move(result)};
  }

  static void skip(Finding& result, const std::string& what, const std::string& reason) {
    result.outcome = Outcome::skipped;
    result.skipped = Skipped{what, reason};
    result.comparison.reset();
    result.error.reset();
  }

  [[nodiscard]] bool is_same_plain_text(const Pair& pair) const {
    if (pair.actual == nullptr || pair.expected == nullptr || !actual_.is_folder() || !expected_.is_folder())
      return false;
    const auto first = actual_.plain_text(*pair.actual);
    const auto second = first ? expected_.plain_text(*pair.expected) : nullptr;
    return second && std::ranges::equal(first->bytes(), second->bytes());
  }

  // The arrays of an archive have names of their own, which may be wanted.
  [[nodiscard]] bool may_hold_arrays(const Pair& pair) const {
    const auto is_named_so = [](const TensorSet& set, const SetMember* member) {
      return member != nullptr && set.is_folder() && names_archive(member->name);
    };
    return is_named_so(actual_, pair.actual) && is_named_so(expected_, pair.expected);
  }

  // The file of a member of a folder.
  static std::optional<OpenedFile> open_file(const TensorSet& set, const SetMember* member) {
    if (member == nullptr || !set.is_folder()) return std::nullopt;
    return set.open_file_of(*member);
  }

  static bool is_archive(const std::optional<OpenedFile>& file) { return file && file->format->is_archive(); }

  std::vector<Finding> compare_archives(const TensorSet& actual, const TensorSet& expected,
                                        const std::string& name, const Settings& call,
                                        std::vector<Unseen>& unseen) const {
    SetCompareSettings own = settings_;
    own.call = call;
    own.progress = {};
    own.interruption = nullptr;
    for (const TensorSet* set : {&actual, &expected}) {
      add_unseen(unseen, set->unseen());
      for (const std::string& line : set->warnings()) {
        if (call.warn) call.warn(line);
      }
    }
    std::vector<Finding> results;
    SetComparison(actual, expected, own, suite_, cat(name, ":")).run([&](const Finding& result) {
      results.push_back(result);
    });
    return results;
  }

  void judge(const Pair& pair, std::optional<OpenedFile> first, std::optional<OpenedFile> second,
             const Settings& call, Finding& result) const {
    if (pair.actual == nullptr || pair.expected == nullptr) {
      result.outcome = pair.actual == nullptr ? Outcome::missing : Outcome::extra;
      return;
    }
    std::array<std::vector<std::string>, 2> warnings;  // of each operand: in order, whichever is read first
    const auto warn = [&] {
      for (const std::vector<std::string>& lines : warnings) std::ranges::for_each(lines, call.warn);
    };
    try {
      result.comparison = comparison_of(pair, std::move(first), std::move(second), call, warnings);
    } catch (...) {
      warn();
      throw;
    }
    warn();
    result.outcome = outcome_of(*result.comparison);
  }

  // Adds warnings to the list of the operand that they concern. One thread reads each operand.
  [[nodiscard]] Comparison comparison_of(const Pair& pair, std::optional<OpenedFile> first,
                                         std::optional<OpenedFile> second, const Settings& call,
                                         std::array<std::vector<std::string>, 2>& warnings) const {
    std::array<std::optional<Source>, 2> sources;
    const auto open = [&](std::int64_t i, int /*worker*/) {
      Settings own = call;
      own.memory_sharers *= 2;
      if (call.warn)
        own.warn = [&lines = warnings[to_size(i)]](const std::string& line) { lines.push_back(line); };
      const Source::Options options = with_settings({.read_later = true}, own);
      const TensorSet& set = i == 0 ? actual_ : expected_;
      const SetMember& member = i == 0 ? *pair.actual : *pair.expected;
      const auto& file = i == 0 ? first : second;
      const auto read = [&] {
        if (!set.is_archive()) require_content(set.operand() ? set.operand()->path : set.path_of(member));
        sources[to_size(i)] = file ? Source::of_file(*file, options) : set.read(member, options);
      };
      set.operand() ? with_context(i == 0 ? "actual" : "expected", read) : read();
    };
    // Both at once: checksums and unpacking take one thread each.
    call.threads.for_each(2, open);
    return compare_sources({.source = &*sources[0], .name = "actual"},
                           {.source = &*sources[1], .name = "expected"}, settings_.tolerances, call,
                           settings_.options);
  }

  const TensorSet& actual_;
  const TensorSet& expected_;
  const SetCompareSettings& settings_;
  std::string prefix_;
  std::string suite_;
  std::vector<Pair> pairs_;
  bool has_failed_ = false;  // and no more pairs are wanted
};

}  // namespace

void compare_sets(const TensorSet& actual, const TensorSet& expected, const SetCompareSettings& settings,
                  const FindingReport& report) {
  SetCompareSettings own = settings;
  // A folder or an archive may also have tensors of dtypes that have no ulp.
  own.tolerances.any_dtype = !expected.operand();
  SetComparison(actual, expected, own, expected.name()).run(report);
}

std::vector<std::string> pair_names(const TensorSet& actual, const TensorSet& expected) {
  std::vector<std::string> names;
  for (const Pair& pair : pair_sets(actual, expected)) names.push_back(pair.name());
  return names;
}

}  // namespace tensorop
