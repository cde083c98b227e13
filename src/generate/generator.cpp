#include "generate/generator.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

#include "base/hash.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "generate/values.hpp"
#include "generate/weights.hpp"
#include "ops/statement.hpp"

namespace tensorop {
namespace {

constexpr int kRounds = 400;         // of candidates, until one is valid
constexpr int kRuleAttempts = 1000;  // at a rule that is not met yet
constexpr int kFewAttempts = 12;     // if all others are met
// An index out of range: the most common fault.
constexpr std::string_view kIndexRule = "IX-1";

// Whether the version leaves every element open: a check that ignores these has nothing to compare.
bool is_all_open(const Request& request, const Settings& settings) {
  if (!request.spec) return false;
  const Tensor open = open_elements(request, settings);
  const std::span elements(open.data(), static_cast<std::size_t>(open.size()));
  return !elements.empty() && std::ranges::count(elements, std::byte{0}) == 0;
}

}  // namespace

Generator::Generator(Subject subject, std::uint64_t seed, int candidates)
    : subject_(std::move(subject)),
      seed_(seed ^ hash_of(subject_.op.name->name)),  // operators of one suite get cases of their own
      candidates_(candidates) {
  settings_.names_versions = false;
  settings_.memory = std::int64_t{1} << 30;  // not asked of the system for each call
  for (const Rule* rule : rules_of(*subject_.op.op)) rules_[rule->id] = 0;
  rules_.erase(kMissingRule);  // its publisher accepts the call
  rules_.erase("G-2");         // a limit of tensorop
  rules_.erase("T-0");         // no other specification is asked
  // A conforming program may do anything.
  std::erase_if(rules_, [&](const auto& rule) { return leaves_open(*subject_.version, rule.first); });
}

std::vector<Generator::Candidate> Generator::draw(Random& random) {
  std::vector<Coverage::Pair> open;
  auto next = drawn_ % 2 == 0 ? Coverage::Pairs::others : Coverage::Pairs::classes;
  if (!is_complete_) std::tie(open, next) = coverage_.open_pairs(next);
  is_complete_ = open.empty() && !coverage_.parameters().empty();
  std::vector<Candidate> candidates;
  const int wanted = is_complete_ ? 1 : candidates_;
  for (int i = 0; i < wanted; ++i) {
    std::optional<Coverage::Pair> goal;
    std::vector<Coverage::Level> levels;
    if (!open.empty()) {
      goal = random.pick(open);
      levels = {goal->first, goal->second};
    }
    Drawing drawing(subject_, random, coverage_, levels);
    const bool is_drawn = draw_call(drawing);
    const auto has = [&](Coverage::Level level) { return std::ranges::count(drawing.levels(), level) != 0; };
    if (goal && !(is_drawn && has(goal->first) && has(goal->second))) coverage_.miss(*goal);
    if (!is_drawn) continue;
    candidates.push_back(
        {std::move(drawing.request), drawing.levels(), goal, coverage_.gain(drawing.levels(), next)});
  }
  std::ranges::stable_sort(candidates, std::ranges::greater(), &Candidate::gain);
  return candidates;
}

std::optional<GeneratedCase> Generator::valid_case(const Request& request) const {
  try {
    Tensor result = evaluate(request, settings_);
    std::int64_t largest = result.size();
    for (const Operand& operand : request.named) largest = std::max(largest, operand.as<Tensor>()->size());
    const bool fits = subject_.min_elements <= largest && largest <= subject_.max_elements;
    if (!fits || is_all_open(request, settings_)) return std::nullopt;
    const auto bound = request.spec ? reduction_bound(request, settings_) : std::nullopt;
    const bool is_bounded = !bound || (!bound->is_unbounded && bound->rtol <= subject_.max_rtol &&
                                       bound->atol <= subject_.max_atol);
    if (!is_bounded) return std::nullopt;
    return GeneratedCase{.request = request, .result = std::move(result), .bound = bound};
  } catch (const Error&) {
    // Another candidate is valid.
  }
  return std::nullopt;
}

GeneratedCase Generator::next_valid() {
  Random random(seed_, drawn_++);
  for (int round = 0; round < kRounds; ++round) {
    for (Candidate& candidate : draw(random)) {
      if (auto valid = valid_case(candidate.request)) {
        coverage_.add_case(candidate.levels);
        return *std::move(valid);
      }
      if (candidate.goal) coverage_.miss(*candidate.goal);
    }
  }
  throw Error("no valid call was found", "", "allow more dtypes, ranks or elements");
}

std::string_view Generator::broken_rule(const Request& request) const {
  try {
    (void)evaluate(request, settings_);
  } catch (const Error& error) {
    const auto rule = rules_.find(error.rule());
    if (rule != rules_.end()) return rule->first;
  }
  return {};
}

std::int64_t Generator::uses(std::string_view rule) const {
  return rules_.at(rule) / (rule == kIndexRule ? weights::kIndexShare : 1);
}

GeneratedCase Generator::next_invalid() {
  Random random(seed_, drawn_++);
  std::optional<GeneratedCase> best;
  std::optional<Request> base;
  for (int attempt = 0; attempt < kRuleAttempts; ++attempt) {
    if (has_all_rules_ && best && attempt >= kFewAttempts) break;
    if (attempt % 8 == 0) base.reset();
    while (!base) {
      Drawing drawing(subject_, random, coverage_, {});
      if (draw_call(drawing) && valid_case(drawing.request)) base = std::move(drawing.request);
    }
    Request changed = changed_call(subject_, random, *base);
    const std::string_view rule = broken_rule(changed);
    if (rule.empty() || (best && uses(best->rule) <= uses(rule))) continue;
    best = GeneratedCase{.request = std::move(changed), .rule = rule};
    if (uses(rule) == 0) break;
  }
  if (!best) throw Error("no invalid call was found");
  if (uses(best->rule) != 0) has_all_rules_ = true;
  ++rules_[best->rule];
  return std::move(*best);
}

}  // namespace tensorop
