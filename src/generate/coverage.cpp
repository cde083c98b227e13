#include "generate/coverage.hpp"

#include <algorithm>

namespace tensorop {
namespace {

// Of calls that were drawn towards a pair, or towards a value with any others.
constexpr int kMaxPairMisses = 24;
constexpr int kMaxLevelMisses = 96;
constexpr std::int64_t kAttributeGain = 1000;

}  // namespace

Coverage::Level Coverage::level(std::string_view parameter, std::string_view value, bool is_attribute) {
  auto found = std::ranges::find(parameters_, parameter, &Parameter::name);
  if (found == parameters_.end()) found = parameters_.insert(found, {std::string(parameter), is_attribute});
  for (const Level known : found->levels) {
    if (levels_[known].value == value) return known;
  }
  const Level added = levels_.size();
  found->levels.push_back(added);
  levels_.push_back({static_cast<std::size_t>(found - parameters_.begin()), std::string(value)});
  pairs_.emplace_back(added);
  return added;
}

bool Coverage::is_given_up(const Pair& pair) const {
  const auto never = [&](Level level) {
    return !levels_[level].is_met && levels_[level].misses >= kMaxLevelMisses;
  };
  return !state(pair).is_met &&
         (state(pair).misses >= kMaxPairMisses || never(pair.first) || never(pair.second));
}

bool Coverage::is_of_attributes(const Pair& pair) const {
  return parameters_[levels_[pair.first].parameter].is_attribute &&
         parameters_[levels_[pair.second].parameter].is_attribute;
}

template <class Visit>
void Coverage::for_each_pair(const Visit& visit) const {
  for (Level second = 0; second < levels_.size(); ++second) {
    for (Level first = 0; first < second; ++first) {
      if (levels_[first].parameter != levels_[second].parameter) visit(Pair(first, second));
    }
  }
}

std::vector<Coverage::Pair> Coverage::open_pairs() const {
  std::vector<Pair> of_attributes;
  std::vector<Pair> others;
  for_each_pair([&](const Pair& pair) {
    if (!state(pair).is_met && !is_given_up(pair))
      (is_of_attributes(pair) ? of_attributes : others).push_back(pair);
  });
  return of_attributes.empty() ? others : of_attributes;
}

std::int64_t Coverage::gain(const std::vector<Level>& levels) const {
  std::int64_t gain = 0;
  for (const Level second : levels) {
    for (const Level first : levels) {
      const Pair pair(first, second);
      if (first < second && !state(pair).is_met) gain += is_of_attributes(pair) ? kAttributeGain : 1;
    }
  }
  return gain;
}

void Coverage::meet(const std::vector<Level>& levels) {
  for (const Level second : levels) {
    levels_[second].is_met = true;
    for (const Level first : levels) {
      if (first < second) state({first, second}).is_met = true;
    }
  }
}

void Coverage::miss(const Pair& pair) {
  if (state(pair).misses < kMaxPairMisses) ++state(pair).misses;
  ++levels_[pair.first].misses;
  ++levels_[pair.second].misses;
}

Coverage::Count Coverage::pairs(bool of_attributes) const {
  Count count;
  for_each_pair([&](const Pair& pair) {
    if ((of_attributes && !is_of_attributes(pair)) || is_given_up(pair)) return;
    ++count.known;
    if (state(pair).is_met) ++count.met;
  });
  return count;
}

std::vector<Coverage::Pair> Coverage::impossible() const {
  std::vector<Pair> out;
  for_each_pair([&](const Pair& pair) {
    if (is_given_up(pair) && levels_[pair.first].is_met && levels_[pair.second].is_met) out.push_back(pair);
  });
  return out;
}

}  // namespace tensorop
