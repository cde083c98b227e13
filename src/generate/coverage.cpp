#include "generate/coverage.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tensorop {
namespace {

// A value is given up after this number of calls that were drawn to have it and do not.
constexpr int kMaxLevelMisses = 4 * Coverage::kMostDraws;
// One case may not show a class, as with NaN plus NaN.
constexpr std::uint8_t kClassCases = 3;
constexpr std::int64_t kAttributeGain = 1'000'000;
constexpr std::int64_t kNextGain = 1000;

}  // namespace

Coverage::Level Coverage::level(std::string_view parameter, std::string_view value, Kind kind) {
  auto found = std::ranges::find(parameters_, parameter, &Parameter::name);
  if (found == parameters_.end()) found = parameters_.insert(found, {std::string(parameter), kind});
  for (const Level known : found->levels) {
    if (levels_[known].value == value) return known;
  }
  const Level added = levels_.size();
  found->levels.push_back(added);
  levels_.push_back({static_cast<std::size_t>(found - parameters_.begin()), std::string(value)});
  pairs_.emplace_back(added);
  return added;
}

bool Coverage::is_met(const Pair& pair, Pairs kind) const {
  return state(pair).cases >= (kind == Pairs::classes ? kClassCases : 1);
}

bool Coverage::is_given_up(const Pair& pair, Pairs kind) const {
  const auto never = [&](Level level) {
    return !levels_[level].is_met && levels_[level].misses >= kMaxLevelMisses;
  };
  return !is_met(pair, kind) && (state(pair).misses >= kMostDraws || never(pair.first) || never(pair.second));
}

std::optional<Coverage::Pairs> Coverage::kind_of(const Pair& pair) const {
  if (levels_[pair.first].parameter == levels_[pair.second].parameter) return std::nullopt;
  const Kind first = parameters_[levels_[pair.first].parameter].kind;
  const Kind second = parameters_[levels_[pair.second].parameter].kind;
  const auto is_class = [](Kind kind) { return kind != Kind::attribute && kind != Kind::other; };
  if (!is_class(first) && !is_class(second))
    return first == Kind::attribute && second == Kind::attribute ? Pairs::attributes : Pairs::others;
  const bool is_met_by_calls =
      first == Kind::attribute || second == Kind::attribute || (first == second && first != Kind::special);
  return is_met_by_calls ? std::optional(Pairs::classes) : std::nullopt;
}

template <class Visit>
void Coverage::for_each_pair(const Visit& visit) const {
  for (Level second = 0; second < levels_.size(); ++second) {
    for (Level first = 0; first < second; ++first) {
      if (const auto kind = kind_of({first, second})) visit(Pair(first, second), *kind);
    }
  }
}

std::pair<std::vector<Coverage::Pair>, Coverage::Pairs> Coverage::open_pairs(Pairs next) const {
  std::array<std::vector<Pair>, 3> open;
  for_each_pair([&](const Pair& pair, Pairs kind) {
    if (!is_met(pair, kind) && !is_given_up(pair, kind)) open[static_cast<std::size_t>(kind)].push_back(pair);
  });
  for (const Pairs kind : {Pairs::attributes, next, Pairs::classes, Pairs::others}) {
    auto& pairs = open[static_cast<std::size_t>(kind)];
    if (!pairs.empty()) return {std::move(pairs), kind};
  }
  return {{}, next};
}

std::int64_t Coverage::gain(const std::vector<Level>& levels, Pairs next) const {
  std::int64_t gain = 0;
  for (const Level second : levels) {
    for (const Level first : levels) {
      if (first >= second) continue;
      const auto kind = kind_of({first, second});
      if (kind && !is_met({first, second}, *kind))
        gain += *kind == Pairs::attributes ? kAttributeGain : *kind == next ? kNextGain : 1;
    }
  }
  return gain;
}

void Coverage::add_case(const std::vector<Level>& levels) {
  for (const Level second : levels) {
    levels_[second].is_met = true;
    for (const Level first : levels) {
      if (first >= second) continue;
      std::uint8_t& cases = state({first, second}).cases;
      cases = std::min<std::uint8_t>(cases, kClassCases) + 1;
    }
  }
}

void Coverage::miss(const Pair& pair) {
  if (state(pair).misses < kMostDraws) ++state(pair).misses;
  ++levels_[pair.first].misses;
  ++levels_[pair.second].misses;
}

Coverage::Count Coverage::count_pairs(bool of_attributes) const {
  Count count;
  for_each_pair([&](const Pair& pair, Pairs kind) {
    if ((of_attributes && kind != Pairs::attributes) || is_given_up(pair, kind)) return;
    ++count.known;
    if (is_met(pair, kind)) ++count.met;
  });
  return count;
}

std::vector<Coverage::Pair> Coverage::not_found() const {
  std::vector<Pair> out;
  for_each_pair([&](const Pair& pair, Pairs kind) {
    const bool is_known =
        state(pair).cases != 0 || !levels_[pair.first].is_met || !levels_[pair.second].is_met;
    if (is_given_up(pair, kind) && !is_known) out.push_back(pair);
  });
  return out;
}

}  // namespace tensorop
