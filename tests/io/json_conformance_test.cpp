// The texts of testdata/inputs/json.txt, which follow RFC 8259 section by section: as a tensor, as the value
// of a key in a document of objects, and by nlohmann's parser, which shares nothing with the others. What
// tensorop does where the RFC leaves it open is in the table.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/json/json_check.hpp"
#include "io/json/json_objects.hpp"
#include "support/catch.hpp"
#include "support/input_table.hpp"
#include "support/json_reading.hpp"

namespace tensorop::io_json_conformance_test {
namespace {

using Json = nlohmann::json;

struct File {
  std::string name;
  std::string text;
  std::vector<std::string> lines;  // fragments of messages
};

// The texts whose names begin with `kind` and "_", without that: well-formed (y), malformed (n) or either
// (i).
std::vector<File> files_of(std::string_view kind) {
  const std::string prefix = cat(kind, '_');
  std::vector<File> files;
  for (const InputRow& row : read_input_table("json")) {
    if (row.name.starts_with(prefix)) files.push_back({row.name.substr(prefix.size()), row.bytes, row.lines});
  }
  return files;
}

bool is_json(const std::string& text) {
  // nlohmann takes a zero byte for the end of the text; JSON has none.
  return text.find('\0') == std::string::npos && Json::accept(text);
}

JsonOutcome read_tensor(const std::string& text) {
  return read_json_whole(text, std::nullopt);
}

constexpr std::string_view kMalformed = "malformed JSON";

bool is_malformed(const std::string& refused) {
  return refused.starts_with("malformed JSON at ") || refused == "holds no JSON value";
}

// Whether the message contains `fragment`; there is none where that is empty.
bool is_refusal(const std::string& refused, std::string_view fragment) {
  return fragment.empty() ? refused.empty() : refused.find(fragment) != std::string::npos;
}

struct ObjectsOutcome {
  std::string refused;  // empty when the document was read
  std::vector<JsonObject> objects;
};

// The objects of the document, which stay in it.
ObjectsOutcome read_document(const std::string& document) {
  ObjectsOutcome outcome;
  try {
    outcome.objects = read_json_objects({document}, "f");
  } catch (const Error& error) {
    outcome.refused = error.what();
  }
  return outcome;
}

// The document whose one object has `text` as the value of its key "k".
std::string member_document(const std::string& text) {
  return cat(R"({"k":)", text, "}");
}

JsonKind kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return JsonKind::null;
    case Json::value_t::boolean:
      return JsonKind::boolean;
    case Json::value_t::string:
      return JsonKind::string;
    case Json::value_t::array:
      return JsonKind::list;
    case Json::value_t::object:
      return JsonKind::object;
    default:
      return JsonKind::number;
  }
}

// That the document has one object with one member, which is `text`: of a string its meaning, of any other
// value its text without the space around it.
void check_member(const std::string& text, const std::vector<JsonObject>& objects) {
  REQUIRE(objects.size() == 1);
  REQUIRE(objects[0].members.size() == 1);
  const JsonMember& member = objects[0].members[0];
  const Json value = Json::parse(text);
  CHECK(member.kind == kind_of(value));
  if (member.kind == JsonKind::string) {
    CHECK(member.value.text == value.get<std::string>());
  } else {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    CHECK(member.value.text == text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first));
  }
}

// What the two readers do with the text, where its table does not say otherwise: `refusal`, or read it.
void check_refusals(const File& file, std::string_view refusal) {
  const auto told = [&](std::string_view reader) {
    const auto line =
        std::ranges::find_if(file.lines, [&](const std::string& one) { return one.starts_with(reader); });
    return line == file.lines.end() ? std::string(refusal) : line->substr(reader.size());
  };
  const std::string as_tensor = told("tensor: ");
  const std::string tensor = read_tensor(file.text).refused;
  CAPTURE(tensor, as_tensor);
  CHECK((as_tensor == kMalformed ? is_malformed(tensor) : is_refusal(tensor, as_tensor)));
  const std::string as_member = told("member: ");
  const std::string member = read_document(member_document(file.text)).refused;
  CAPTURE(member, as_member);
  CHECK(is_refusal(member, as_member));
}

}  // namespace

TEST_CASE("a text that is JSON is never refused as malformed", "[json][conformance]") {
  const std::vector<File> files = files_of("y");
  CHECK(files.size() == 140);
  for (const File& file : files) {
    CAPTURE(file.name);
    CHECK(is_json(file.text));
    const JsonOutcome tensor = read_tensor(file.text);
    CAPTURE(tensor.refused);
    CHECK_FALSE(is_malformed(tensor.refused));
    const std::string document = member_document(file.text);
    const ObjectsOutcome member = read_document(document);
    CAPTURE(member.refused);
    CHECK(member.refused.empty());
    if (member.refused.empty()) check_member(file.text, member.objects);
  }
}

TEST_CASE("a text that is not JSON is refused as malformed", "[json][conformance]") {
  const std::vector<File> files = files_of("n");
  CHECK(files.size() == 261);
  for (const File& file : files) {
    CAPTURE(file.name);
    CHECK_FALSE(is_json(file.text));
    check_refusals(file, kMalformed);
  }
}

TEST_CASE("a literal of another language has a hint", "[json][conformance]") {
  const auto spaces = [](std::size_t count) { return std::string(count, ' '); };
  const std::pair<std::string, std::string_view> kRows[] = {
      {"[1,-inf]", "JSON has no Infinity: write \"-Infinity\", in quotes"},
      {"[False]", "true and false are written in lower case"},
      {"[0x10]", "JSON numbers are decimal"},
      {cat("[1,", spaces(10), "]"), "JSON has no comma before a closing bracket"},
      // No hint.
      {cat("[1,", spaces(200), "]"), kMalformed},
      {"[Fals", kMalformed},
      {"[N", kMalformed},
  };
  for (const auto& [text, told] : kRows) {
    const JsonOutcome outcome = read_tensor(text);
    CAPTURE(text, outcome.refused);
    CHECK(outcome.refused.find(told) != std::string::npos);
    CHECK((outcome.refused.find('\n') == std::string::npos) == (told == kMalformed));
  }
}

TEST_CASE("what becomes of a text that RFC 8259 leaves to the parser", "[json][conformance]") {
  const std::vector<File> files = files_of("i");
  CHECK(files.size() == 31);
  for (const File& file : files) {
    CAPTURE(file.name);
    CHECK(is_json(file.text) == !std::ranges::count(file.lines, "nlohmann: refuses"));
    check_refusals(file, "");
  }
}

// What a new check says of a text; the same as one check that has seen its beginnings, each of them, or some
// dozens of a long text.
bool may_become_json(std::string_view text) {
  const bool out = JsonCheck()(text).has_value();
  JsonCheck growing;
  bool so_far = true;
  for (std::size_t size = 0; size < text.size() && so_far; size += 1 + text.size() / 100)
    so_far = growing(text.substr(0, size)).has_value();
  CHECK((so_far && growing(text)) == out);
  return out;
}

TEST_CASE("every beginning of a JSON text may become one, and of a malformed one not all",
          "[json][conformance]") {
  for (const File& file : files_of("y")) {
    if (!file.text.starts_with('{') && !read_tensor(file.text).refused.empty()) continue;  // no tensor
    // Each of 200 beginnings: all of them would take the square of the length of a long text.
    for (std::size_t size = 0; size <= file.text.size(); size += 1 + file.text.size() / 200) {
      CAPTURE(file.name, size);
      CHECK(may_become_json(std::string_view(file.text).substr(0, size)));
    }
  }
  for (const std::string_view text :
       {"y", "[1]y", "[1] [", "1 2", "[1,]", "[\"\\x", "{1 ", "\xEF\xBB[", "nul]", "[\"\xc3\"",
        // No tensor, and no list of objects.
        "[[1],2,", "[[1],[2,3,", "[1,\"a\",", "[true,1,", "[null,", "[{},1,", "[1,{}", "[[{}"}) {
    CAPTURE(text);
    CHECK_FALSE(may_become_json(text));
  }
  for (const std::string_view text : {"[1 ", "{}\n{\"a\":", "[\"NaN\",1", "[\"NaN\",\"a\"",
                                      "[{\"a\":[1,[\"b\",{}]]},{", "[[],[],", "[[true,"}) {
    CAPTURE(text);
    CHECK(may_become_json(text));
  }
  for (const bool is_list : {true, false}) {
    std::string text;
    const std::size_t deepest = is_list ? kDeepestList : kDeepestJson;
    for (std::size_t i = 0; i < deepest; ++i) text += is_list ? "[" : "{\"a\":";
    CHECK(may_become_json(text));
    CHECK_FALSE(may_become_json(text + text));
  }
}

}  // namespace tensorop::io_json_conformance_test
