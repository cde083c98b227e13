#include "check/known_failures.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "check/case_files.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kStatus = "status";
constexpr std::string_view kDefaultStatus = "different";

bool is_key(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos;
}

bool fits(const CaseFacts& facts, const FactPattern& pattern) {
  const auto [first, last] = facts.equal_range(pattern.first);
  return std::any_of(first, last,
                     [&](const auto& fact) { return matches_pattern(pattern.second, fact.second); });
}

// Whether the facts, up to this depth, have all that the patterns want of them.
bool fit(const CaseFacts& facts, const std::vector<FactPattern>& patterns, FactDepth depth) {
  return std::ranges::all_of(patterns, [&](const FactPattern& pattern) {
    return pattern.first == kStatus || depth_of(pattern.first) > depth || fits(facts, pattern);
  });
}

bool has_status(const std::vector<FactPattern>& patterns, std::string_view status) {
  bool has_none = true;
  for (const auto& [key, pattern] : patterns) {
    if (key != kStatus) continue;
    if (!matches_pattern(pattern, status)) return false;
    has_none = false;
  }
  return has_none ? status == kDefaultStatus : true;
}

// Throws Error for a pattern that matches none of the words.
void require_word(const FactPattern& pattern, std::string_view key, const std::vector<std::string>& words) {
  const auto matches = [&](const std::string& word) { return matches_pattern(pattern.second, word); };
  if (pattern.first == key && std::ranges::none_of(words, matches))
    throw Error(cat(key, " ", in_quotes(pattern.second), " is not one of ", join(words)));
}

void require_known(const FactPattern& pattern) {
  std::vector<std::string> statuses;
  for (const OutcomeRow& row : outcome_rows()) {
    if (!row.status.empty()) statuses.emplace_back(row.status);
  }
  require_word(pattern, kStatus, statuses);
  require_word(pattern, "class", case_classes());
  const std::vector<std::string>& keys = fact_keys();
  if (pattern.first == kStatus || std::ranges::find(keys, pattern.first) != keys.end()) return;
  const std::string near = nearest(pattern.first, keys);
  throw Error(cat("unknown key ", in_quotes(pattern.first),
                  " (allowed: name, op, spec, rule, dtype, rank, class, status and attributes)"),
              "", near.empty() ? "" : cat("did you mean ", near, "?"));
}

// The first word is removed from the text.
std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text = trimmed(text.substr(word.size()));
  return word;
}

// Nothing for a word that is no KEY=PATTERN.
std::optional<FactPattern> pattern_of(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || !is_key(word.substr(0, equals))) return std::nullopt;
  return FactPattern(word.substr(0, equals), word.substr(equals + 1));
}

// The lines by one of their conditions that names a single value which needs no operand.
class LineIndex {
 public:
  void add(std::size_t line, const std::vector<FactPattern>& patterns) {
    for (auto& [key, lines] : by_value_) {
      for (const auto& [own, pattern] : patterns) {
        if (own != key || pattern.find_first_of("*?") != std::string::npos) continue;
        lines.emplace(pattern, line);
        return;
      }
    }
    others_.push_back(line);
  }

  // The lines, ascending, whose condition is met.
  [[nodiscard]] std::vector<std::size_t> lines_for(const CaseFacts& facts) const {
    std::vector<std::size_t> out = others_;
    for (const auto& [key, lines] : by_value_) {
      const auto [first, last] = facts.equal_range(key);
      for (auto fact = first; fact != last; ++fact) {
        const auto [begin, end] = lines.equal_range(fact->second);
        for (auto line = begin; line != end; ++line) out.push_back(line->second);
      }
    }
    std::ranges::sort(out);
    return out;
  }

 private:
  using Lines = std::unordered_multimap<std::string_view, std::size_t>;
  std::array<std::pair<std::string_view, Lines>, 4> by_value_ = {
      {{"name", {}}, {"rule", {}}, {"op", {}}, {"spec", {}}}};
  std::vector<std::size_t> others_;
};

}  // namespace

std::string_view failure_status(const Finding& finding) {
  return row_of(finding.known ? finding.known->outcome : finding.outcome).status;
}

KnownFailureText known_failure_text(std::string_view line) {
  line = after_byte_order_mark(line);
  std::size_t end = line.find('#');
  while (end != std::string_view::npos && end != 0 && kBlanks.find(line[end - 1]) == std::string_view::npos)
    end = line.find('#', end + 1);
  end = std::min(end, line.size());
  return {trimmed(line.substr(0, end)), trimmed(line.substr(std::min(end + 1, line.size())))};
}

std::vector<FactPattern> patterns_of(std::string_view condition) {
  std::vector<FactPattern> out;
  for (std::string_view words = condition; !words.empty();) {
    const auto pattern = pattern_of(take_word(words));
    if (pattern) {
      out.push_back(*pattern);
      continue;
    }
    const std::size_t last = condition.find_last_of(kBlanks) + 1;
    const auto status = pattern_of(condition.substr(last));
    if (last == 0 || !status || status->first != kStatus) return {{"name", condition}};
    return {{"name", trimmed(condition.substr(0, last))}, *status};
  }
  return out;
}

KnownFailures::KnownFailures(std::string path, bool is_updated) : path_(std::move(path)) {
  if (is_updated && path_ == "-") throw Error("standard input cannot be rewritten");
  if (is_updated) require_regular_file(path_);
  if (is_updated && !file_exists(path_)) return;
  constexpr std::int64_t kMostStreamed = 16 << 20;
  const StreamReading reading{.enough = [](std::string_view) { return kMostStreamed; }};
  const InputFile file = path_ == "-" ? InputFile::standard_input(reading) : InputFile::open(path_, reading);
  text_ = bytes_text(file.bytes());
  if (file.is_stream() && std::ssize(text_) >= kMostStreamed)
    throw Error(cat(printable(path_), ": is a stream of 16 MiB or more"));
  std::int64_t number = 0;
  for_each_line(text_, [&](std::string_view line) {
    ++number;
    with_context(cat(printable(path_), ":", number), [&] {
      if (Line parsed = parse(line, number); !parsed.patterns.empty()) lines_.push_back(std::move(parsed));
    });
  });
}

KnownFailures::Line KnownFailures::parse(std::string_view line, std::int64_t number) {
  const KnownFailureText text = known_failure_text(line);
  Line out{.number = number, .whole = line, .text = text, .patterns = patterns_of(text.condition)};
  for (const FactPattern& pattern : out.patterns) {
    require_known(pattern);
    if (pattern.first != kStatus) out.depth = std::max(out.depth, depth_of(pattern.first));
  }
  return out;
}

std::string KnownFailures::place_of(const Line& line) const {
  return cat(printable(path_), ":", line.number);
}

void KnownFailures::find_cases(const std::vector<Job>& jobs, const Settings& settings) {
  LineIndex index;
  for (std::size_t i = 0; i < lines_.size(); ++i) index.add(i, lines_[i].patterns);
  lines_of_.resize(jobs.size());
  for (const Job& job : jobs) {
    if (!job.is_case) continue;
    CaseFacts facts = facts_of(job, FactDepth::given, settings);
    std::vector<std::size_t> found = index.lines_for(facts);
    const auto keep_fitting = [&](FactDepth depth) {
      std::erase_if(found, [&](std::size_t i) { return !fit(facts, lines_[i].patterns, depth); });
    };
    keep_fitting(FactDepth::given);
    FactDepth depth = FactDepth::given;
    for (const std::size_t i : found) depth = std::max(depth, lines_[i].depth);
    if (depth != FactDepth::given) {
      facts = facts_of(job, depth, settings);
      keep_fitting(depth);
    }
    for (const std::size_t i : found) {
      ++lines_[i].cases;
      lines_[i].is_used = true;
    }
    lines_of_[job.files->index] = std::move(found);
  }
}

const KnownFailures::Line* KnownFailures::excuse_of(const Finding& finding) const {
  const std::string_view status = failure_status(finding);
  if (status.empty()) return nullptr;
  for (const std::size_t i : lines_of_[finding.index]) {
    if (has_status(lines_[i].patterns, status)) return &lines_[i];
  }
  return nullptr;
}

bool KnownFailures::excuses(const Finding& finding) const {
  return excuse_of(finding) != nullptr;
}

void KnownFailures::judge(Finding& finding) {
  const Outcome outcome = finding.outcome;
  const std::string_view status = failure_status(finding);
  for (const std::size_t i : lines_of_[finding.index]) {
    Line& line = lines_[i];
    if (passes(outcome)) ++line.passed;
    if (!status.empty()) ++(has_status(line.patterns, status) ? line.excused : line.failed);
    if (row_of(outcome).counts == OutcomeRow::Counts::apart) --line.cases;
  }
  const Line* const line = excuse_of(finding);
  if (line == nullptr) return;
  finding.known = KnownFailure{place_of(*line), std::string(line->text.reason), outcome};
  finding.outcome = Outcome::known_failure;
}

std::vector<Finding> KnownFailures::passing() const {
  std::vector<Finding> out;
  for (const Line& line : lines_) {
    if (!line.passes()) continue;
    out.push_back({.suite = path_,
                   .name = std::string(line.text.condition),
                   .place = {.file = path_, .line = line.number, .text = place_of(line)},
                   .outcome = Outcome::passes_now,
                   .warnings = {}});
    out.back().known =
        KnownFailure{place_of(line), std::string(line.text.reason), Outcome::equal, line.cases};
  }
  return out;
}

std::vector<Unseen> KnownFailures::unjudged() const {
  std::vector<Unseen> out;
  for (const Line& line : lines_) {
    if (line.passed != 0 && line.excused + line.failed == 0 && !line.passes())
      add_unseen(
          out,
          {"line of known failures with passing cases, and others without a verdict", 1, {place_of(line)}});
  }
  return out;
}

std::vector<Unseen> KnownFailures::unused() const {
  std::vector<Unseen> out;
  for (const Line& line : lines_) {
    if (!line.is_used) add_unseen(out, {"line of known failures without a case", 1, {place_of(line)}});
  }
  return out;
}

std::vector<std::string> KnownFailures::void_lines() const {
  std::vector<std::string> out;
  for (const Line& line : lines_) {
    if (line.is_void()) out.emplace_back(line.whole);
  }
  return out;
}

}  // namespace tensorop
