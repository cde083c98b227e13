#include "check/known_failures.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text.hpp"
#include "jobs/call_text.hpp"
#include "jobs/loaded_call.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

// Keys whose values are known before any operand is opened.
constexpr std::string_view kNameKeys[] = {"name", "op", "spec"};

// The position of the # that begins the reason, or the size of the line.
std::size_t find_reason(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || kBlanks.find(line[at - 1]) != std::string_view::npos) return at;
  }
  return line.size();
}

bool is_name_key(std::string_view key) {
  return std::ranges::find(kNameKeys, key) != std::end(kNameKeys);
}

bool is_key(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos;
}

std::vector<std::string> all_keys() {
  std::vector<std::string> out(std::begin(kNameKeys), std::end(kNameKeys));
  out.emplace_back("dtype");
  for (const Operator* op : kOperators) {
    for (const AttributeSpec& spec : op->attributes) {
      if (std::ranges::find(out, spec.name) == out.end()) out.emplace_back(spec.name);
    }
  }
  return out;
}

CaseFacts name_facts(const Job& job) {
  CaseFacts out = {{"name", job.name}};
  if (job.request.op.op != nullptr) {
    out.emplace("op", job.request.op.op->name);
    if (job.request.op.name->name != job.request.op.op->name) out.emplace("op", job.request.op.name->name);
  }
  out.emplace("spec", job.request.spec.value_or(""));
  return out;
}

// The first operand's dtype and the values of the attributes, defaults too. A call that cannot be opened
// by itself has only given attributes.
void add_values(const Job& job, const Settings& settings, CaseFacts& out) {
  if (job.request.op.op == nullptr) return;
  try {
    const LoadedCall call = load(job.request, settings);
    if (!call.operands.empty()) out.emplace("dtype", name(call.operands[0].tensor.dtype()));
    for (std::size_t i = 0; i < call.attributes.size(); ++i) {
      const AttributeSpec& spec = call.op.op->attributes[i];
      out.emplace(spec.name, value_text(call.attributes[i], spec));
    }
  } catch (const Error&) {
    for (const NamedText& given : job.request.attributes) out.emplace(given.name, given.text);
  }
}

bool fits(const CaseFacts& facts, const std::pair<std::string, std::string>& pattern) {
  const auto [first, last] = facts.equal_range(pattern.first);
  return std::any_of(first, last,
                     [&](const auto& fact) { return matches_pattern(pattern.second, fact.second); });
}

}  // namespace

CaseFacts facts_of(const Job& job, const Settings& settings) {
  CaseFacts out = name_facts(job);
  add_values(job, settings, out);
  return out;
}

bool is_excusable(const Finding& finding) {
  return !row_of(finding.outcome).status.empty();
}

KnownFailures::KnownFailures(const std::string& path) : path_(path) {
  const InputFile file = InputFile::open(path);
  const auto bytes = file.mapping()->bytes();
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    with_context(cat(printable(path), ":", number), [&] {
      if (Line parsed = parse(line, number); !parsed.text.empty()) lines_.push_back(std::move(parsed));
    });
  }
}

KnownFailures::Line KnownFailures::parse(std::string_view text, std::int64_t number) {
  const std::size_t end = find_reason(text);
  const std::string_view rule = trimmed(text.substr(0, end));
  const std::string_view reason = trimmed(text.substr(std::min(end + 1, text.size())));
  Line out{.number = number, .text = std::string(rule), .reason = std::string(reason), .patterns = {}};
  for (std::string_view words = rule; !words.empty();) {
    const std::string_view word = words.substr(0, words.find_first_of(kBlanks));
    words = trimmed(words.substr(word.size()));
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    if (equals == word.size() || !is_key(key)) {
      out.patterns = {{"name", out.text}};
      return out;
    }
    out.patterns.emplace_back(key, word.substr(equals + 1));
  }
  static const std::vector<std::string> known = all_keys();
  for (const auto& [key, pattern] : out.patterns) {
    if (std::ranges::find(known, key) != known.end()) continue;
    const std::string near = nearest(key, known);
    throw Error(cat("unknown key ", in_quotes(key), " (allowed: name, op, spec, dtype and attributes)"), "",
                near.empty() ? "" : cat("did you mean ", near, "?"));
  }
  return out;
}

std::string KnownFailures::place_of(const Line& line) const {
  return cat(printable(path_), ":", line.number);
}

void KnownFailures::find_cases(const std::vector<Job>& jobs, const Settings& settings) {
  for (const Job& job : jobs) {
    if (!job.is_case) continue;
    CaseFacts facts = name_facts(job);
    bool has_values = false;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto has_key = [&](const auto& pattern) { return is_name_key(pattern.first); };
      const auto& patterns = lines_[i].patterns;
      if (!std::ranges::all_of(patterns,
                               [&](const auto& each) { return !has_key(each) || fits(facts, each); }))
        continue;
      if (!has_values && !std::ranges::all_of(patterns, has_key)) {
        has_values = true;
        add_values(job, settings, facts);
      }
      if (std::ranges::all_of(patterns, [&](const auto& each) { return fits(facts, each); }))
        found.push_back(i);
    }
    for (const std::size_t i : found) {
      ++lines_[i].cases;
      lines_[i].is_used = true;
    }
    if (!found.empty()) lines_of_.emplace(job.location(), std::move(found));
  }
}

void KnownFailures::judge(Finding& finding) {
  const auto lines = lines_of_.find(finding.place.text);
  if (lines == lines_of_.end()) return;
  const Outcome outcome = finding.outcome;
  for (const std::size_t i : lines->second) {
    if (passes(outcome)) ++lines_[i].passed;
    if (row_of(outcome).counts == OutcomeRow::Counts::apart) --lines_[i].cases;
  }
  if (!is_excusable(finding)) return;
  const Line& line = lines_[lines->second[0]];
  finding.known = KnownFailure{place_of(line), line.reason, outcome};
  finding.outcome = Outcome::known_failure;
}

std::vector<Finding> KnownFailures::passing() const {
  std::vector<Finding> out;
  for (const Line& line : lines_) {
    if (!line.passes()) continue;
    out.push_back({.suite = path_,
                   .name = line.text,
                   .place = {.file = path_, .line = line.number, .text = place_of(line)},
                   .outcome = Outcome::passes_now,
                   .warnings = {}});
    out.back().known = KnownFailure{place_of(line), line.reason, Outcome::equal, line.cases};
  }
  return out;
}

std::vector<std::string> KnownFailures::failing_lines() const {
  std::vector<std::string> out;
  for (const Line& line : lines_) {
    if (!line.passes()) out.push_back(cat(line.text, line.reason.empty() ? "" : "  # ", line.reason));
  }
  return out;
}

std::vector<Unseen> KnownFailures::unused() const {
  std::vector<Unseen> out;
  for (const Line& line : lines_) {
    if (!line.is_used) add_unseen(out, {"line of known failures that matches no case", 1, {place_of(line)}});
  }
  return out;
}

}  // namespace tensorop
