// Records what the cases of a suite meet: the values of each parameter of a call (attributes, dtypes,
// features of shapes, classes of elements), and the pairs of values of two parameters. Which pairs are
// possible is not stated anywhere: values are known when they are first offered, and a pair is given up when
// kMostDraws calls that were drawn towards it were not valid or did not have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tensorop {

class Coverage {
 public:
  // The kind of a parameter decides which parameters its values form pairs with: attributes and `other` with
  // both of these kinds; classes of floats and integers with attributes, and with classes of another operand;
  // special classes with attributes only. A call may have several classes of one parameter.
  enum class Kind : std::uint8_t { attribute, floats, integers, special, other };
  static constexpr int kMostDraws = 24;
  using Level = std::size_t;             // a value of a parameter
  using Pair = std::pair<Level, Level>;  // of two parameters, the lower one first

  // The level of that value; new ones are added.
  Level level(std::string_view parameter, std::string_view value, Kind kind);
  [[nodiscard]] const std::string& parameter(Level level) const {
    return parameters_[levels_[level].parameter].name;
  }
  [[nodiscard]] const std::string& value(Level level) const { return levels_[level].value; }

  // Cases meet pairs of attributes first. Then cases are alternately for pairs with a class of elements and
  // for all other pairs.
  enum class Pairs : std::uint8_t { attributes, classes, others };
  // Returns the open pairs of attributes, or else the open pairs of kind `next`, or else all other open
  // pairs; and their kind. Empty if all pairs are met or given up.
  [[nodiscard]] std::pair<std::vector<Pair>, Pairs> open_pairs(Pairs next) const;
  // How much a valid call with these levels adds: pairs of attributes count most, then the `next` ones.
  [[nodiscard]] std::int64_t gain(const std::vector<Level>& levels, Pairs next) const;
  void add_case(const std::vector<Level>& levels);
  // A call that was drawn towards the pair is not valid, or does not have it.
  void miss(const Pair& pair);

  struct Count {
    std::size_t met = 0;
    std::size_t known = 0;
  };
  struct Parameter {
    std::string name;
    Kind kind;
    std::vector<Level> levels = {};
  };
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  [[nodiscard]] bool is_met(Level level) const { return levels_[level].is_met; }
  // Counts pairs of attributes, or all pairs. Pairs that are given up do not count.
  [[nodiscard]] Count count_pairs(bool of_attributes) const;
  // The pairs that are given up and that no case has, though both of their values are met.
  [[nodiscard]] std::vector<Pair> not_found() const;

 private:
  struct LevelState {
    std::size_t parameter;
    std::string value;
    bool is_met = false;
    int misses = 0;
  };
  struct PairState {
    std::uint8_t cases = 0;  // that have it
    std::uint8_t misses = 0;
  };
  [[nodiscard]] bool is_met(const Pair& pair, Pairs kind) const;
  [[nodiscard]] bool is_given_up(const Pair& pair, Pairs kind) const;
  // Returns nothing for two levels that no case should combine.
  [[nodiscard]] std::optional<Pairs> kind_of(const Pair& pair) const;
  [[nodiscard]] const PairState& state(const Pair& pair) const { return pairs_[pair.second][pair.first]; }
  [[nodiscard]] PairState& state(const Pair& pair) { return pairs_[pair.second][pair.first]; }
  template <class Visit>
  void for_each_pair(const Visit& visit) const;

  std::vector<Parameter> parameters_;
  std::vector<LevelState> levels_;
  std::vector<std::vector<PairState>> pairs_;  // of each level with those before it
};

}  // namespace tensorop
