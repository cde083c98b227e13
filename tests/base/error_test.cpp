// Messages: their layout, and how text from outside is shown in them.
#include "base/text/error.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"

namespace tensorop::base_error_test {

TEST_CASE("a message carries its rule at the end and its contexts in front, the outermost first",
          "[base][error]") {
  Error error("value 7 is out of range", "IX-1", "use a smaller one");
  CHECK(std::string_view(error.what()) == "value 7 is out of range [IX-1]");
  error.add_context("indices");
  error.add_context("gather");
  CHECK(std::string_view(error.what()) == "gather: indices: value 7 is out of range [IX-1]");
  CHECK(error.rule() == "IX-1");
  CHECK(error.hint() == "use a smaller one");
  CHECK(std::string_view(Error("no rule").what()) == "no rule");
}

TEST_CASE("with_context passes results through and names errors on their way", "[base][error]") {
  CHECK(with_context("a", [] { return 7; }) == 7);
  int value = 1;
  with_context("a", [&]() -> int& { return value; }) = 2;
  CHECK(value == 2);
  try {
    with_context("outer", [] { with_context("inner", [] { throw Error("wrong"); }); });
    FAIL("nothing thrown");
  } catch (const Error& error) {
    CHECK(std::string_view(error.what()) == "outer: inner: wrong");
  }
}

TEST_CASE("an error of the system names path, attempt and reason", "[base][error]") {
  try {
    errno = ENOSPC;
    throw_errno("a\nb", "cannot write");
  } catch (const Error& error) {
    CHECK(std::string_view(error.what()) == "a\\nb: cannot write: No space left on device");
  }
}

TEST_CASE("text from outside is made safe for one line of a terminal", "[base][error]") {
  struct Row {
    std::string_view text;
    std::string_view shown;
  };
  using namespace std::string_view_literals;
  const std::vector<Row> rows = {
      {"", ""},
      {"plain text ~", "plain text ~"},
      {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82",
       "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82"},
      {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
      {"\0\x01\x1b[31m\x7f"sv, "\\x00\\x01\\x1b[31m\\x7f"},
      // C1 control characters, which some terminals obey; U+00A0 is none.
      {"\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xc2\xa0"},
      // What reverses the text after it, and the characters beside these.
      {"\u200D\u200E\u200F\u2010", "\u200D\\xe2\\x80\\x8e\\xe2\\x80\\x8f\u2010"},
      {"\u2029\u202A\u202E\u202F", "\u2029\\xe2\\x80\\xaa\\xe2\\x80\\xae\u202F"},
      {"\u2065\u2066\u2069\u206A", "\u2065\\xe2\\x81\\xa6\\xe2\\x81\\xa9\u206A"},
      {"\u061B\u061C\u061D", "\u061B\\xd8\\x9c\u061D"},
      // No UTF-8: stray and missing continuation, overlong, surrogate, beyond U+10FFFF.
      {"\x80", "\\x80"},
      {"\xff\xfe", "\\xff\\xfe"},
      {"a\xc3", "a\\xc3"},
      {"\xe2\x82.", "\\xe2\\x82."},
      {"\xc0\xaf", "\\xc0\\xaf"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
  };
  for (const Row& row : rows) CHECK(printable(row.text) == row.shown);
}

TEST_CASE("text from outside is cut to 200 characters", "[base][error]") {
  CHECK(printable(std::string(200, 'x')) == std::string(200, 'x'));
  CHECK(printable(std::string(201, 'x')) == std::string(200, 'x') + "...");
  std::string euros;
  for (int i = 0; i < 201; ++i) euros += "\xe2\x82\xac";
  CHECK(printable(std::string_view(euros).substr(0, 600)) == euros.substr(0, 600));
  CHECK(printable(euros) == euros.substr(0, 600) + "...");
  std::string controls;
  for (int i = 0; i < 200; ++i) controls += "\\x01";
  CHECK(printable(std::string(1000, '\x01')) == controls + "...");
}

}  // namespace tensorop::base_error_test
