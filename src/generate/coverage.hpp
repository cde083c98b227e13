// What the cases of a suite meet: the values of each parameter of a call (attributes, dtypes, features of
// shapes, kinds of values), and the pairs of values of two parameters. What is possible is not stated
// anywhere: values are known when they are first offered, and a pair is given up when drawing towards it has
// led to no valid call a number of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tensorop {

class Coverage {
 public:
  using Level = std::size_t;             // a value of a parameter
  using Pair = std::pair<Level, Level>;  // of two parameters, the lower one first

  // The level of that value; new ones are added.
  Level level(std::string_view parameter, std::string_view value, bool is_attribute);
  [[nodiscard]] const std::string& parameter(Level level) const {
    return parameters_[levels_[level].parameter].name;
  }
  [[nodiscard]] const std::string& value(Level level) const { return levels_[level].value; }

  // The pairs to be met next: those of attributes first. Empty: all are met or given up.
  [[nodiscard]] std::vector<Pair> open_pairs() const;
  // How much a valid call with these levels adds: a pair of attributes counts more than all others.
  [[nodiscard]] std::int64_t gain(const std::vector<Level>& levels) const;
  void meet(const std::vector<Level>& levels);
  // A call that was drawn towards the pair is not valid, or does not have it.
  void miss(const Pair& pair);

  struct Count {
    std::size_t met = 0;
    std::size_t known = 0;
  };
  struct Parameter {
    std::string name;
    bool is_attribute;
    std::vector<Level> levels = {};
  };
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  [[nodiscard]] bool is_met(Level level) const { return levels_[level].is_met; }
  // Of pairs of attributes alone, or of all; without those that are given up.
  [[nodiscard]] Count pairs(bool of_attributes) const;
  // The pairs that are given up, though both of their values are met.
  [[nodiscard]] std::vector<Pair> impossible() const;

 private:
  struct LevelState {
    std::size_t parameter;
    std::string value;
    bool is_met = false;
    int misses = 0;
  };
  struct PairState {
    bool is_met = false;
    std::uint8_t misses = 0;
  };
  [[nodiscard]] bool is_given_up(const Pair& pair) const;
  [[nodiscard]] bool is_of_attributes(const Pair& pair) const;
  [[nodiscard]] const PairState& state(const Pair& pair) const { return pairs_[pair.second][pair.first]; }
  [[nodiscard]] PairState& state(const Pair& pair) { return pairs_[pair.second][pair.first]; }
  template <class Visit>
  void for_each_pair(const Visit& visit) const;

  std::vector<Parameter> parameters_;
  std::vector<LevelState> levels_;
  std::vector<std::vector<PairState>> pairs_;  // of each level with those before it
};

}  // namespace tensorop
