// Text helpers: integers, UTF-8, names that are nearly right.
#include "base/text/text.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/error.hpp"
#include "support/catch.hpp"

namespace tensorop::base_text_test {

TEST_CASE("parts are put together", "[base][text]") {
  CHECK(cat().empty());
  CHECK(cat("a", std::string("b"), 'c', std::string_view("d"), 0, -5) == "abcd0-5");
  CHECK(cat(std::numeric_limits<std::int64_t>::min(), ' ', std::numeric_limits<std::uint64_t>::max()) ==
        "-9223372036854775808 18446744073709551615");
  CHECK(join({}).empty());
  CHECK(join({"a"}) == "a");
  CHECK(join({"a", "b", "c"}) == "a, b, c");
  CHECK(join({"a", "b"}, "|") == "a|b");
}

TEST_CASE("integers are decimal and nothing else", "[base][text]") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  struct Row {
    std::string_view text;
    std::optional<std::int64_t> value;
  };
  using namespace std::string_view_literals;
  const std::vector<Row> rows = {
      {"0", 0},
      {"-0", 0},
      {"7", 7},
      {"+5", 5},
      {"-5", -5},
      {"010", 10},
      {"-010", -10},
      {"0000000000000000000000000000012", 12},
      {"9223372036854775807", kMost},
      {"-9223372036854775808", kLeast},
      {"9223372036854775808", {}},
      {"-9223372036854775809", {}},
      {"100000000000000000000000000", {}},
      {"", {}},
      {"+", {}},
      {"-", {}},
      {"+-5", {}},
      {"-+5", {}},
      {"++5", {}},
      {"--5", {}},
      {" 5", {}},
      {"5 ", {}},
      {"5\n", {}},
      {"5\0"sv, {}},
      {"1.0", {}},
      {"1e3", {}},
      {"0x10", {}},
      {"0b1", {}},
      {"1_000", {}},
      {"1,000", {}},
      {"abc", {}},
      {"\xd9\xa1", {}},  // a digit, but not one of ours
  };
  for (const Row& row : rows) {
    CAPTURE(printable(row.text));
    CHECK(parse_int64(row.text) == row.value);
  }
}

TEST_CASE("a pattern matches a whole text", "[base][text]") {
  struct Row {
    std::string_view pattern;
    std::string_view text;
    bool matches;
  };
  for (const Row& row : {
           Row{"", "", true},          Row{"", "a", false},           Row{"*", "", true},
           Row{"*", "abc", true},      Row{"a", "a", true},           Row{"a", "ab", false},
           Row{"ab", "a", false},      Row{"?", "", false},           Row{"?b", "ab", true},
           Row{"a*", "a", true},       Row{"*a", "ba", true},         Row{"*a", "ab", false},
           Row{"*ab*", "aab", true},   Row{"a*b*c", "axbxbyc", true}, Row{"a*b*c", "axcxb", false},
           Row{"*aab", "aaaab", true}, Row{"a**", "a", true},         Row{"[ab]", "a", false},
           Row{"[ab]", "[ab]", true},  Row{"\\*", "\\x", true},
       }) {
    CAPTURE(row.pattern, row.text);
    CHECK(matches_pattern(row.pattern, row.text) == row.matches);
  }
  // Not exponential in the number of stars.
  const std::string text(10'000, 'a');
  CHECK_FALSE(matches_pattern("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

TEST_CASE("text is wrapped between words", "[base][text]") {
  CHECK(wrapped("", 10).empty());
  CHECK(wrapped("one two three", 13) == "one two three");
  CHECK(wrapped("one two three", 12) == "one two\nthree");
  CHECK(wrapped("one two three four", 9, 2) == "one two\n  three\n  four");
  CHECK(wrapped("a-word-that-is-longer than", 5, 2) == "a-word-that-is-longer\n  than");
}

TEST_CASE("UTF-8 is what the Unicode standard calls well-formed", "[base][text]") {
  struct Row {
    std::string_view text;
    std::size_t length;  // of the first character; 0: none
  };
  using namespace std::string_view_literals;
  const std::vector<Row> rows = {
      {"", 0},
      {"\0"sv, 1},
      {"a", 1},
      {"\x7f", 1},
      {"\x80", 0},
      {"\xbf", 0},
      {"\xc0\x80", 0},  // overlong forms of two bytes
      {"\xc1\xbf", 0},
      {"\xc2\x80", 2},
      {"\xc2", 0},
      {"\xc2\x7f", 0},
      {"\xc2\xc0", 0},
      {"\xdf\xbf", 2},
      {"\xe0\x9f\xbf", 0},  // of three
      {"\xe0\xa0\x80", 3},
      {"\xe0\xa0", 0},
      {"\xe1\x80\x80", 3},
      {"\xe1\x80\xc0", 0},
      {"\xed\x9f\xbf", 3},
      {"\xed\xa0\x80", 0},  // surrogates
      {"\xed\xbf\xbf", 0},
      {"\xee\x80\x80", 3},
      {"\xef\xbf\xbf", 3},
      {"\xf0\x8f\xbf\xbf", 0},  // of four
      {"\xf0\x90\x80\x80", 4},
      {"\xf0\x90\x80", 0},
      {"\xf4\x8f\xbf\xbf", 4},
      {"\xf4\x90\x80\x80", 0},  // beyond U+10FFFF
      {"\xf5\x80\x80\x80", 0},
      {"\xfe", 0},
      {"\xff", 0},
  };
  for (const Row& row : rows) {
    CAPTURE(printable(row.text));
    CHECK(utf8_length(row.text) == row.length);
    const std::string around = cat("x", row.text, "x");
    CHECK(is_utf8(around) == (row.length != 0 || row.text.empty()));
    // What follows is not looked at.
    if (row.length != 0) CHECK(utf8_length(cat(row.text, "\xff")) == row.length);
  }
  CHECK(is_utf8(""));
}

TEST_CASE("every code point is a character of UTF-8 and nothing else is", "[base][text]") {
  // All sequences of a lead byte and two continuations that start with an E: the three-byte table whole.
  int found = 0;
  for (int lead = 0xE0; lead <= 0xEF; ++lead) {
    for (int second = 0x80; second <= 0xBF; ++second) {
      for (int third = 0x80; third <= 0xBF; ++third) {
        const char text[] = {static_cast<char>(lead), static_cast<char>(second), static_cast<char>(third)};
        found += utf8_length({text, 3}) == 3 ? 1 : 0;
      }
    }
  }
  CHECK(found == 0x10000 - 0x800 - 0x800);
}

TEST_CASE("names are compared without case, dashes and underscores", "[base][text]") {
  CHECK(fold_name("GatherND") == "gathernd");
  CHECK(fold_name("gather-nd") == "gathernd");
  CHECK(fold_name("--Gather__ND-") == "gathernd");
  CHECK(fold_name("a b") == "a b");
  CHECK(lower("ABCxyz-_\xc3\x84") == "abcxyz-_\xc3\x84");
}

TEST_CASE("the nearest name is the one that was meant, or none", "[base][text]") {
  const std::vector<std::string> names = {"gather", "gathernd", "gatherelements", "scatternd", "add", "or"};
  struct Row {
    std::string_view typed;
    std::string_view nearest;
  };
  const std::vector<Row> rows = {
      {"gathre", "gather"},
      {"gater", "gather"},
      {"gatherdn", "gathernd"},
      {"Gather-DN", "gathernd"},
      {"gatherelement", "gatherelements"},
      {"scaternd", "scatternd"},
      {"ad", "add"},
      {"dad", "add"},
      {"gather", "gather"},
      {"xyzzy", ""},
      {"", ""},
      {"frobnicate", ""},
      {std::string_view("gathergathergathergathergathergathergathergathergathergather12345"), ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.typed);
    CHECK(nearest(row.typed, names) == row.nearest);
  }
  CHECK(nearest("gather", {}).empty());
}

}  // namespace tensorop::base_text_test
