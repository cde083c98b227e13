// The reader of JSON tensors against a naive one (support/json_reference.hpp), on texts at random: accepted
// or refused alike, and every element the same to the last bit; and the same outcome, message included, for
// every way in which a text can be divided among threads. A long run: TENSOROP_JSON_TEXTS=1000000
// tensorop_long_tests "[json_differential]"; TENSOROP_SEED and TENSOROP_CASE repeat what a failure prints.
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/json_reading.hpp"
#include "support/json_reference.hpp"
#include "support/json_texts.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::io_json_differential_test {
namespace {

// A dtype and how a text is read as it.
std::string told(std::optional<DType> as, const std::string& how, const std::string& wrong) {
  return cat("as ", as ? name(*as) : "untyped", ", ", how, ": ", wrong);
}

struct Ways {
  std::int64_t most_part_bytes = 200;  // 0: the reader's own choice
};

// Reads `text` as `as` in all ways: what is wrong, or empty. `accepted`: whether it was read.
std::string check(Random& random, const std::string& text, std::optional<DType> as, const Ways& ways,
                  bool& accepted) {
  const JsonOutcome whole = read_json_whole(text, as);
  accepted = whole.refused.empty();
  std::string wrong = difference(whole, json_meaning(text, as));
  if (!wrong.empty()) return told(as, "from memory", wrong);
  const auto draw_parts = [&](int threads) {
    JsonParts parts{threads, {}};
    if (ways.most_part_bytes != 0)
      parts.bytes = static_cast<std::size_t>(random.between(1, ways.most_part_bytes));
    return parts;
  };
  const auto told_parts = [](const JsonParts& parts) {
    return cat(parts.threads, " threads, parts of ", parts.bytes.value_or(0), " bytes");
  };
  // To start threads takes longer than all else: one number of them for each text.
  for (const int threads : {1, random.pick<int>({2, 3, 7})}) {
    const JsonParts parts = draw_parts(threads);
    wrong = difference(whole, read_json_whole(text, as, parts));
    if (!wrong.empty()) return told(as, told_parts(parts), wrong);
  }
  return "";
}

// The text as it can be pasted into a C++ test.
std::string literal(const std::string& text) {
  constexpr std::size_t kMostBytes = 4000;
  std::string out = "\"";
  for (const char c : text.substr(0, kMostBytes)) {
    char octal[8];
    const bool plain = c >= ' ' && c < '\x7f' && c != '"' && c != '\\';
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += plain ? std::string(1, c) : std::string(octal);
  }
  return cat(out, text.size() > kMostBytes ? "\"... of " : "\" of ", text.size(), " bytes");
}

// Compares `texts` texts that `make` draws; returns the percentage that was read. Fails the running test with
// what repeats a case.
template <class Make>
std::int64_t compare_texts(std::int64_t texts, const Ways& ways, const Make& make) {
  constexpr int kMostShown = 5;
  const std::uint64_t seed = random_seed();
  const auto only = number_from_environment("TENSOROP_CASE");
  std::cout << "JSON texts: TENSOROP_SEED=" << seed << '\n';
  const std::int64_t first = only ? static_cast<std::int64_t>(*only) : 0;
  const std::int64_t end = only ? first + 1 : texts;
  std::int64_t read = 0;
  int failed = 0;
  for (std::int64_t number = first; number < end; ++number) {
    Random random(seed, static_cast<std::uint64_t>(number));
    const std::string text = make(random);
    const auto dtype = static_cast<DType>(random.between(0, kDTypeCount - 1));
    bool accepted = false;
    bool accepted_as = false;
    std::string wrong = check(random, text, std::nullopt, ways, accepted);
    if (wrong.empty()) wrong = check(random, text, dtype, ways, accepted_as);
    read += accepted || accepted_as ? 1 : 0;
    if (!wrong.empty() && ++failed <= kMostShown) {
      UNSCOPED_INFO("TENSOROP_SEED=" << seed << " TENSOROP_CASE=" << number << ": " << literal(text) << "\n  "
                                     << wrong);
    }
  }
  INFO(failed << " of " << end - first << " texts differ; the first ones are shown");
  CHECK(failed == 0);
  return read * 100 / (end - first);
}

std::int64_t texts_to_compare(std::int64_t usual) {
  const auto given = number_from_environment("TENSOROP_JSON_TEXTS");
  return given ? static_cast<std::int64_t>(*given) / 2 : share_of(usual);
}

// Guards the tests themselves: neither must all texts be refused, nor all be read.
void check_share(std::int64_t percent, std::int64_t least, std::int64_t most) {
  if (number_from_environment("TENSOROP_CASE")) return;
  CHECK(percent >= least);
  CHECK(percent <= most);
}

TEST_CASE("JSON tensors are read as the reference reads them", "[json][json_differential][random]") {
  check_share(compare_texts(texts_to_compare(5000), {}, random_json_tensor), 60, 95);
}

TEST_CASE("changed JSON texts are read or refused as the reference does",
          "[json][json_differential][random]") {
  const auto make = [](Random& random) { return mutated_json(random, random_json_tensor(random)); };
  check_share(compare_texts(texts_to_compare(5000), {}, make), 2, 50);  // ten of a hundred are
}

TEST_CASE("JSON texts of megabytes are read as the reference reads them",
          "[release][json][json_differential][random]") {
  Ways ways;
  ways.most_part_bytes = 0;
  const auto make = [](Random& random) {
    return large_json_tensor(random, static_cast<std::size_t>(random.between(1'500'000, 3'000'000)));
  };
  const auto make_changed = [&](Random& random) { return mutated_json(random, make(random)); };
  CHECK(compare_texts(4, ways, make) == 100);
  compare_texts(2, ways, make_changed);
}

}  // namespace
}  // namespace tensorop::io_json_differential_test
