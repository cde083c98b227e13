// Sets of bits against std::vector<bool>.
#include "kernels/bits.hpp"

#include <vector>

#include "generate/random.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

namespace tensorop::kernels_bits_test {

TEST_CASE("bits are set, assigned in ranges, and visited in ascending order", "[kernels][bits]") {
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  Random random(seed);
  for (const std::int64_t count : {1, 63, 64, 65, 200}) {
    std::vector<std::uint64_t> words(words_of_bits(count));
    CHECK(words.size() == to_size((count + 63) / 64));
    std::vector<bool> expected(to_size(count));
    for (int step = 0; step < 100; ++step) {
      const std::int64_t i = random.between(0, count - 1);
      const bool value = random.between(0, 1) == 1;
      if (step % 3 == 0) {
        const Range range = {i, random.between(0, count - i)};
        assign_bits(words.data(), range, value);
        for (std::int64_t at = range.first; at < range.end(); ++at) expected[to_size(at)] = value;
      } else if (step % 3 == 1) {
        CHECK(set_bit(words.data(), i) == expected[to_size(i)]);
        expected[to_size(i)] = true;
      } else {
        or_bit(words.data(), i, value);
        expected[to_size(i)] = expected[to_size(i)] || value;
      }
      CHECK(has_bit(words.data(), i) == expected[to_size(i)]);
    }
    std::vector<bool> visited(to_size(count));
    std::int64_t last = -1;
    for_each_bit(words, [&](std::int64_t i) {
      CHECK(i > last);
      last = i;
      visited.at(to_size(i)) = true;
    });
    CHECK(visited == expected);
  }
}

}  // namespace tensorop::kernels_bits_test
