// Documents of records: lists of objects and JSON Lines, each value as its own text.
#include "io/json/json_objects.hpp"

#include <functional>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"

namespace tensorop::io_json_objects_test {
namespace {

// "1 a=number:1 b=string:x; 2 ..." or the error.
std::string read(const std::string& document) {
  try {
    std::string out;
    for (const JsonObject& object : read_json_objects({document}, "f")) {
      if (!out.empty()) out += "; ";
      out += cat(object.line);
      for (const JsonMember& member : object.members) {
        out += cat(" ", member.key, "=", kind_name(member.kind), ":", member.value.text);
      }
    }
    return out;
  } catch (const Error& error) {
    return error.what();
  }
}

struct Row {
  std::string document;
  std::string expected;
};

}  // namespace

TEST_CASE("each object has its line, and each value its own text", "[io][json][objects]") {
  const std::vector<Row> rows = {
      {"", ""},
      {" \r\n\t", ""},
      {"[]", ""},
      {" [ ] \n", ""},
      {"{}", "1"},
      {R"({"a":1})", "1 a=a number:1"},
      {R"({"a":18446744073709551616,"b":-0,"c":1.50,"d":0.1e-7})",
       "1 a=a number:18446744073709551616 b=a number:-0 c=a number:1.50 d=a number:0.1e-7"},
      {R"({"a":1e999})", "1 a=a number:1e999"},
      {R"({"a":true,"b":false,"c":null,"d":"x\u0041\n","e":""})",
       "1 a=true or false:true b=true or false:false c=null:null d=a string:xA\n e=a string:"},
      {R"({"a": [1, [2 ]] ,"b": {"c":[{"d":"]}"}]} })",
       R"(1 a=a list:[1, [2 ]] b=an object:{"c":[{"d":"]}"}]})"},
      {"{\"a\":1}\n{\"a\":2}\r\n\n{\"a\":3}", "1 a=a number:1; 2 a=a number:2; 4 a=a number:3"},
      {"[\n{\"a\":1}, {\"a\":2},\n\n{\n\"a\":3}\n]\n\n", "2 a=a number:1; 2 a=a number:2; 4 a=a number:3"},
      {"{\n\"a\":\n1\n}\n{\"b\":2}", "1 a=a number:1; 5 b=a number:2"},
      {"\xEF\xBB\xBF{\"a\":1}", "1 a=a number:1"},
      {"\xEF\xBB\xBF[{\"a\":1}]", "1 a=a number:1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.document);
    CHECK(read(row.document) == row.expected);
  }
}

TEST_CASE("what is no document of objects is refused with its line", "[io][json][objects]") {
  const std::vector<Row> rows = {
      {"3", "f:1: expected an object, found a number"},
      {"\n\"x\"", "f:2: expected an object, found a string"},
      {"[1]", "f:1: expected an object, found a number"},
      {"[\n{},\n[]]", "f:3: expected an object, found a list"},
      {"[{},\nnull]", "f:2: expected an object, found null"},
      {"{}\n[{}]", "f:2: expected an object, found a list"},
      {"[{}]\n{}", "f:2: unexpected text after the list"},
      {"[]\n[]", "f:2: unexpected text after the list"},
      {"{} {}", "f:1: unexpected text after the object: each object begins on its own line"},
      {"{},\n{}", "f:1: unexpected text after the object: each object begins on its own line"},
      {"{}\n{\"a\":1,\n\"b\":2,\"a\":3}", "f:2: duplicate key \"a\""},
      {std::string("{\"a\":1}\n{\"a\":\0", 14), "f: malformed JSON at line 2, column 6: a zero byte"},
      {std::string("\0", 1), "f: malformed JSON at line 1, column 1: a zero byte"},
      {"{\"a\":" + std::string(101, '['),
       "f:1: key \"a\": more than 100 lists and objects within each other"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.document);
    CHECK(read(row.document) == row.expected);
  }
  CHECK(read("{}\n\n {\"a\":1,}").starts_with("f: malformed JSON at line 3, column 9: "));
  CHECK(read("\n\n{\"a\" :\t-0 ,\n\"b\":1.50e+4x").starts_with("f: malformed JSON at line 4, column 12: "));
  CHECK(read("{\"a\":1").starts_with("f: malformed JSON at line 1, column 7: "));
  std::string many = "{";
  for (int i = 0; i < 257; ++i) many += cat(i == 0 ? "" : ",", "\"k", i, "\":0");
  CHECK(read(many + "}") == "f:1: more than 256 keys");
}

TEST_CASE("values stay what they were read as", "[io][json][objects]") {
  std::string document = R"({"a":[1,2]})";
  const auto objects = read_json_objects({document}, "f");
  // As a mapped file may.
  document = R"({"a":[3,4]})";
  CHECK(objects.at(0).members.at(0).value.text == "[1,2]");
}

TEST_CASE("the items of a list are what they are as members", "[io][json][objects]") {
  const std::vector<Row> rows = {
      {"[]", ""},
      {"[ ]", ""},
      {"[1]", "a number:1"},
      {R"([ "a,]\"b\\" , [1,[2]], {"x":[1,2]} ,true,null,-1.50])",
       R"(a string:a,]"b\|a list:[1,[2]]|an object:{"x":[1,2]}|true or false:true|null:null|a number:-1.50)"},
  };
  for (const Row& row : rows) {
    std::string out;
    for (const JsonMember& item : read_json_items({row.document})) {
      out += cat(out.empty() ? "" : "|", kind_name(item.kind), ":", item.value.text);
    }
    CHECK(out == row.expected);
  }
}

}  // namespace tensorop::io_json_objects_test
