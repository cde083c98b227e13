// Random numbers that any machine and any standard library repeats: the same seed, the same cases.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tensorop {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // The generator of one case of a run.
  Random(std::uint64_t seed, std::uint64_t number) : state_(seed) {
    state_ = bits() + number * 0xD1342543DE82EF95;
  }

  // The first draws follow from these bytes. A draw takes only as many bytes as its range needs, so that one
  // changed byte changes one choice. After their end, draws follow as from a seed.
  explicit Random(std::string_view choices) : state_(choices.size()), choices_(choices) {}

  // SplitMix64.
  std::uint64_t bits() {
    if (!choices_.empty()) return choice(~std::uint64_t{0});
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  // In [from, to]; from <= to.
  std::int64_t between(std::int64_t from, std::int64_t to) {
    const std::uint64_t span = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) + 1;
    const std::uint64_t drawn = choices_.empty() ? bits() : choice(span - 1);  // all bits where span is 0
    const std::uint64_t offset = span == 0 ? drawn : drawn % span;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + offset);
  }
  // True in `percent` of a hundred cases.
  bool chance(int percent) { return between(0, 99) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from.at(static_cast<std::size_t>(between(0, static_cast<std::int64_t>(from.size()) - 1)));
  }

 private:
  // A number from as many bytes as `most` needs.
  std::uint64_t choice(std::uint64_t most) {
    std::uint64_t number = 0;
    for (; most != 0 && !choices_.empty(); most >>= 8, choices_.remove_prefix(1)) {
      number = number << 8 | static_cast<unsigned char>(choices_.front());
    }
    return number;
  }

  std::uint64_t state_;
  std::string_view choices_;
};

}  // namespace tensorop
