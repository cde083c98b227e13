// Reading tensors from JSON: the exact message for each document that means nothing, and limits. What the
// others mean, in whatever pieces they arrive, is in json_differential_test.cpp.
#include "io/json/json_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/json_reading.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::io_json_reader_test {
namespace {

JsonTensor read(std::string_view text, std::optional<DType> as = std::nullopt) {
  JsonText whole(JsonSpan{text});
  return read_json(whole, {.as = as});
}

// Without the hint on its second line.
std::string message_for(std::string_view text, std::optional<DType> as = std::nullopt) {
  const std::string message = error_of([&] { static_cast<void>(read(text, as).take()); });
  return message.substr(0, message.find('\n'));
}

struct Refused {
  std::string text;
  std::string message;
  std::optional<DType> as = {};
};

void check(const std::vector<Refused>& rows) {
  for (const Refused& row : rows) {
    INFO(row.text);
    CHECK(message_for(row.text, row.as) == row.message);
  }
}

TEST_CASE("rows of unequal length and depth are refused with their place", "[json_reader]") {
  check({
      {"[[1,2],[1]]", "row [1] has 1 element, row [0] has 2"},
      {"[[1],[]]", "row [1] has 0 elements, row [0] has 1"},
      {"[[1,2],[1,2,3]]", "row [1] has more than the 2 elements of row [0]"},
      {"[[1],[1,2]]", "row [1] has more than the 1 element of row [0]"},
      {"[[],[1]]", "row [1] has elements, row [0] has none"},
      {"[[],[[]]]", "row [1] has elements, row [0] has none"},
      {"[[[1],[2]],[[3],[4]],[[5]]]", "row [2] has 1 element, row [0] has 2"},
      {"[[[1,2],[3,4]],[[5,6],[7]]]", "row [1,1] has 1 element, row [0,0] has 2"},
      {"[[[]],[]]", "row [1] has 0 elements, row [0] has 1"},
      {"[[1,2],3]", "element [1]: expected a list, found a number"},
      {"[[],true]", "element [1]: expected a list, found true"},
      {"[1,[2]]", "element [1]: expected a number, found a list"},
      {"[[1,2],[3,[4]]]", "element [1,1]: expected a number, found a list"},
      {"[true,[true]]", "element [1]: expected true or false, found a list"},
      {R"({"data":[[1,2],[1]],"dtype":"int8"})", "row [1] has 1 element, row [0] has 2"},
  });
}

TEST_CASE("kinds of elements are not mixed", "[json_reader]") {
  check({
      {R"([[1,2],[3,"a"]])", "element [1,1]: expected a number, found a string"},
      {R"([1.5,"nan"])", "element [1]: expected a number, found a string"},
      {R"(["a",1])", "element [1]: expected a string, found a number"},
      {R"(["NaN","a",1])", "element [2]: expected a string, found a number"},
      {R"(["NaN",1,"a"])", "element [2]: expected a number, found a string"},
      {R"(["NaN",true])", "element [1]: expected a string, found true"},
      {"[1,true]", "element [1]: expected a number, found true"},
      {"[true,1]", "element [1]: expected true or false, found a number"},
      {"[false,0.5]", "element [1]: expected true or false, found a number"},
      {R"([true,"a"])", "element [1]: expected true or false, found a string"},
      {"[1,null]", "element [1]: expected a number, found null"},
      {"[1,{}]", "element [1]: expected a number, found an object"},
      {"null", "element: expected a number, a string, true or false, found null"},
      {"[{}]", "element [0]: expected a number, a string, true or false, found an object"},
      {R"({"dtype":"bool","data":[1]})", "element [0]: expected true or false, found a number"},
      {R"({"dtype":"string","data":[1]})", "element [0]: expected a string, found a number"},
      {R"({"dtype":"int8","data":["NaN"]})", "element [0]: expected a number, found a string"},
      {R"({"dtype":"float32","data":[true]})", "element [0]: expected a number, found true"},
  });
  CHECK(read_json_whole(R"([1.5,"nan"])", {})
            .refused.ends_with("\nnot-finite numbers are \"NaN\", \"Infinity\" and \"-Infinity\""));
}

TEST_CASE("numbers that their dtype cannot hold are refused with place, value and range", "[json_reader]") {
  const std::string int64_range = "int64 (-9223372036854775808..9223372036854775807)";
  const std::string float64_range = "float64 (-1.7976931348623157e+308..1.7976931348623157e+308)";
  check({
      {"[1,2,3,300]", "element [3] = 300 does not fit in uint8 (0..255)", DType::uint8},
      {"[[1,2],[-1,4]]", "element [1,0] = -1 does not fit in uint8 (0..255)", DType::uint8},
      {"300", "element = 300 does not fit in int8 (-128..127)", DType::int8},
      {"[9223372036854775808]", "element [0] = 9223372036854775808 does not fit in " + int64_range},
      {"[18446744073709551616,1]", "element [0] = 18446744073709551616 does not fit in " + int64_range},
      {"[18446744073709551616,1]",
       "element [0] = 18446744073709551616 does not fit in uint64 (0..18446744073709551615)", DType::uint64},
      {"[0," + std::string(300, '9') + "]",
       "element [1] = " + std::string(200, '9') + "... does not fit in int8 (-128..127)", DType::int8},
      {"[0," + std::string(400, '9') + "]",
       "element [1] = " + std::string(200, '9') + "... does not fit in int8 (-128..127)", DType::int8},
      {"[0," + std::string(400, '9') + "]",
       "element [1] = " + std::string(200, '9') + "... does not fit in " + int64_range},
      {"[0.5," + std::string(400, '9') + "]",
       "element [1] = " + std::string(200, '9') + "... does not fit in " + float64_range},
      {"[1.5]", "element [0] = 1.5 is not an integer, int32 takes only integers", DType::int32},
      {"[1,2.0]", "element [1] = 2.0 is not an integer, int64 takes only integers", DType::int64},
      {"1e3", "element = 1e3 is not an integer, uint8 takes only integers", DType::uint8},
      {"[1e400]", "element [0] = 1e400 is not an integer, int8 takes only integers", DType::int8},
      {"[1e400]", "element [0] = 1e400 does not fit in " + float64_range},
      {"[1,-1e400]", "element [1] = -1e400 does not fit in " + float64_range},
      {"[1e39]", "element [0] = 1e39 does not fit in float32 (-3.4028235e+38..3.4028235e+38)",
       DType::float32},
      {"[65520]", "element [0] = 65520 does not fit in float16 (-65504.0..65504.0)", DType::float16},
      {"[-65520]", "element [0] = -65520 does not fit in float16 (-65504.0..65504.0)", DType::float16},
      {"[3.4e38]", "element [0] = 3.4e38 does not fit in bfloat16 (-3.3895314e+38..3.3895314e+38)",
       DType::bfloat16},
      {"[[1,1e39]]", "element [0] = 1e39 does not fit in complex64 (-3.4028235e+38..3.4028235e+38)",
       DType::complex64},
      {R"({"data":[1,1e400],"dtype":"int8"})",
       "element [1] = 1e400 is not an integer, int8 takes only integers"},
  });
}

TEST_CASE("complex elements are pairs", "[json_reader]") {
  check({
      {"3", "element: expected [re, im], found a number", DType::complex64},
      {"[1,2,3]", "element [0]: expected [re, im], found a number", DType::complex64},
      {"[1]", "element [0]: expected [re, im], found a number", DType::complex64},
      {"[[1,2],3]", "element [1]: expected [re, im], found a number", DType::complex64},
      {"[[1,2],[3]]", "element [1]: expected [re, im], found 1 part", DType::complex64},
      {"[[1,2,3]]", "element [0]: expected [re, im], found more than 2 parts", DType::complex64},
      {"[[1,2],[]]", "element [1]: expected [re, im], found 0 parts", DType::complex64},
      {"[[1,2],[[1,2]]]", "element [1]: expected [re, im], found a list", DType::complex64},
      {"[[[1,2]],[3,4]]", "element [1,0]: expected [re, im], found a number", DType::complex64},
      {R"([[1,"x"]])", "element [0]: expected a number, found a string", DType::complex64},
      {"[[],[1,2]]", "row [1] has elements, row [0] has none", DType::complex64},
      {R"({"shape":[2],"data":[1,2]})", "element [0]: expected [re, im], found a number", DType::complex64},
  });
}

TEST_CASE("a description that is wrong is refused", "[json_reader]") {
  const std::string dtypes =
      "bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, "
      "complex64, complex128, string, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, "
      "float8_e8m0fnu, float4_e2m1fn, int4, uint4";
  check({
      {"{}", "key \"data\" is missing"},
      {R"({"dtype":"int8"})", "key \"data\" is missing"},
      {R"({"dtyp":"int8","data":1})", "unknown key \"dtyp\" (did you mean \"dtype\"?)"},
      {R"({"order":"C","data":1})", "unknown key \"order\" (allowed: dtype, shape, data)"},
      {R"({"a\u001b[2J":1})", R"(unknown key "a\x1b[2J" (allowed: dtype, shape, data))"},
      {R"({"data":1,"data":1})", "duplicate key \"data\""},
      {R"({"dtype":"int8","data":1,"dtype":"int8"})", "duplicate key \"dtype\""},
      {R"({"dtype":"flaot32","data":1})", "unknown dtype 'flaot32' (did you mean float32?)"},
      {R"({"dtype":"","data":1})", "unknown dtype '' (allowed: " + dtypes + ")"},
      {R"({"dtype":1,"data":1})", "dtype: expected a string, found a number"},
      {R"({"dtype":null,"data":1})", "dtype: expected a string, found null"},
      {R"({"dtype":["int8"],"data":1})", "dtype: expected a string, found a list"},
      {R"({"shape":3,"data":1})", "shape: expected a list of integers, found a number"},
      {R"({"shape":"3","data":1})", "shape: expected a list of integers, found a string"},
      {R"({"shape":{"a":1},"data":1})", "shape: expected a list of integers, found an object"},
      {R"({"shape":[1,[2]],"data":1})", "shape[1]: expected an integer, found a list"},
      {R"({"shape":[1,true],"data":1})", "shape[1]: expected an integer, found true"},
      {R"({"shape":[2,-3],"data":1})", "shape[1] = -3 is negative"},
      {R"({"shape":[2,1.5],"data":1})", "shape[1] = 1.5 is not an integer"},
      {R"({"shape":[1e400],"data":1})", "shape[0] = 1e400 is not an integer"},
      {R"({"shape":[9223372036854775808],"data":1})", "shape[0] = 9223372036854775808 does not fit in int64"},
      {R"({"shape":[99999999999999999999],"data":1})",
       "shape[0] = 99999999999999999999 does not fit in int64"},
      {R"({"dtype":"int32","shape":[4294967296,4294967296],"data":[]})",
       "shape (4294967296,4294967296) has more elements of 4 bytes than fit in 2^63 bytes [G-2]"},
      {R"({"dtype":"int32","data":[],"shape":[4611686018427387904]})",
       "shape (4611686018427387904) has more elements of 4 bytes than fit in 2^63 bytes [G-2]"},
      {R"({"dtype":"int8","shape":[2,2],"data":[1,2,3,4,5]})",
       "data holds more than the 4 elements of shape (2,2)"},
      {R"({"dtype":"int8","shape":[],"data":[1,2]})", "data holds more than the 1 element of shape ()"},
      {R"({"dtype":"int8","shape":[0,3],"data":[1]})", "data holds more than the 0 elements of shape (0,3)"},
      {R"({"dtype":"int8","shape":[2,2],"data":[1,2,3]})",
       "data has shape (3), which is neither (2,2) nor a flat list of 4 elements"},
      {R"({"dtype":"int8","shape":[2,3],"data":[[1,2],[3,4],[5,6]]})",
       "data has shape (3,2), which is neither (2,3) nor a flat list of 6 elements"},
      {R"({"data":[1,2,3],"shape":[2]})",
       "data has shape (3), which is neither (2) nor a flat list of 2 elements"},
      {R"({"shape":[2,0],"data":[[],[],[]]})",
       "data has shape (3,0), which is neither (2,0) nor a flat list of 0 elements"},
      {R"({"shape":[0,3],"data":[[]]})",
       "data has shape (1,0), which is neither (0,3) nor a flat list of 0 elements"},
      {R"({"dtype":"int8","data":{"data":1}})", "element: expected a number, found an object"},
      {R"({"data":[null],"dtype":"int8"})", "element [0]: expected a number, found null"},
  });
}

TEST_CASE("malformed JSON is refused with its place", "[json_reader]") {
  const std::string at = "malformed JSON at ";
  check({
      {"", "holds no JSON value"},
      {" \n\t ", "holds no JSON value"},
      {"[1,2", at + "line 1, column 5: unexpected end of input; expected ']'"},
      {"[1,2}", at + "line 1, column 5: unexpected '}'; expected ']'"},
      {"[1,\n2,]", at + "line 2, column 3: unexpected ']'; expected '[', '{', or a literal"},
      {"[1 2]", at + "line 1, column 4: unexpected number literal; expected ']'"},
      {"[01]", at + "line 1, column 3: unexpected number literal; expected ']'"},
      {"[1,2] [3]", at + "line 1, column 7: unexpected '['; expected end of input"},
      {"1 x", at + "line 1, column 3: invalid literal (last read: 'x'); expected end of input"},
      {"y\ny\ny\n", at + "line 1, column 1: invalid literal (last read: 'y')"},
      {"<", at + "line 1, column 1: invalid literal (last read: '<')"},
      {"[1,\n nope]", at + "line 2, column 3: invalid literal (last read: 'no')"},
      {"NaN", at + "line 1, column 1: invalid literal (last read: 'N')"},
      {"[1.]", at + "line 1, column 4: invalid number; expected digit after '.' (last read: '1.]')"},
      {"[1,\n2.\n]",
       at + "line 2, column 3: invalid number; expected digit after '.' (last read: '2.<U+000A>')"},
      {"[+1]", at + "line 1, column 2: invalid literal (last read: '+')"},
      {"{1:2}", at + "line 1, column 2: unexpected number literal; expected string literal"},
      {R"({"data" 1})", at + "line 1, column 9: unexpected number literal; expected ':'"},
      {R"({"data":1,})", at + "line 1, column 11: unexpected '}'; expected string literal"},
      {"\"abc", at + "line 1, column 5: invalid string: missing closing quote (last read: '\"abc')"},
      {"\"" + std::string(50, 'a') + "\n", at +
                                               "line 1, column 52: invalid string: control character U+000A "
                                               "(LF) must be escaped to \\u000A or \\n "
                                               "(last read: '..." +
                                               std::string(16, 'a') + "<U+000A>')"},
      {"\"\xC3\xA9\xFF\"", at + "line 1, column 4: invalid string: ill-formed UTF-8 byte (last read: "
                                "'\"\xC3\xA9\\xff')"},
      {"\xFF[1]", at + "line 1, column 1: invalid literal (last read: '\\xff')"},
      {R"("\ud800x")", at + "line 1, column 8: invalid string: surrogate U+D800..U+DBFF must be followed by "
                            "U+DC00..U+DFFF (last read: '\"\\ud800x')"},
      {R"("\udc00")", at + "line 1, column 7: invalid string: surrogate U+DC00..U+DFFF must follow "
                           "U+D800..U+DBFF (last read: '\"\\udc00')"},
      {std::string("[1]\0[2]", 7), at + "byte 4: a zero byte"},
      {std::string("\0", 1), at + "byte 1: a zero byte"},
      {std::string("\"a\0b\"", 5), at + "byte 3: a zero byte"},
      {std::string("[x\0", 3), at + "line 1, column 2: invalid literal (last read: 'x')"},
  });
}

TEST_CASE("rank is at most 64, and deeper nesting fails at once", "[json_reader]") {
  const auto nested = [](std::size_t depth, std::string_view inside) {
    return cat(std::string(depth, '['), inside, std::string(depth, ']'));
  };
  const std::string too_deep = "lists are nested more than 64 deep: rank is at most 64";
  CHECK(read(nested(64, "1")).tensor.rank() == 64);
  CHECK(read(nested(64, "")).tensor.rank() == 64);
  CHECK(message_for(nested(65, "1")) == too_deep);
  CHECK(message_for(nested(65, "")) == too_deep);
  CHECK(message_for(std::string(1'000'000, '[')) == too_deep);
  CHECK(message_for(R"({"data":)" + std::string(1'000'000, '[')) == too_deep);
  CHECK(read(nested(65, "1,2"), DType::complex64).tensor.rank() == 64);
  CHECK(read(cat(R"({"data":)", nested(65, "1,2"), R"(,"dtype":"complex64"})")).tensor.rank() == 64);
  CHECK(message_for(nested(66, "1,2"), DType::complex64) == too_deep);
  CHECK(message_for(nested(65, ""), DType::complex64) == too_deep);

  std::string ones = "1";
  for (int i = 1; i < 64; ++i) ones += ",1";
  CHECK(read(cat(R"({"shape":[)", ones, R"(],"data":[7]})")).tensor.rank() == 64);
  CHECK(message_for(cat(R"({"shape":[)", ones, R"(,1],"data":[7]})")) ==
        "shape has more than 64 dimensions: rank is at most 64");
}

TEST_CASE("strings hold any Unicode and live as long as the tensor", "[json_reader]") {
  Tensor tensor;
  const std::string longest(200'000, 'z');
  {
    const std::string text =
        R"(["a\u0000b","\ud83d\ude00\u00e9é日","","\"\\\/\b\f\n\r\t",")" + longest + R"(","q"])";
    tensor = read(text).tensor;
  }
  const std::span strings = tensor.strings();
  REQUIRE(tensor.size() == 6);
  CHECK(strings[0].view() == std::string_view("a\0b", 3));
  CHECK(strings[1].view() == "\U0001F600\u00e9\u00e9\u65e5");
  CHECK(strings[2].view().empty());
  CHECK(strings[3].view() == "\"\\/\b\f\n\r\t");
  CHECK(strings[4].view() == longest);
  CHECK(strings[5].view() == "q");
}

TEST_CASE("an endless stream fails at its first wrong byte", "[json_reader]") {
  const auto message = [](const std::string& front) {
    const auto zeros = [](std::span<char> buffer) {
      std::ranges::fill(buffer, '\0');
      return buffer.size();
    };
    JsonText text(zeros, front);
    return error_of([&] { static_cast<void>(read_json(text, {})); });
  };
  CHECK(message("") == "malformed JSON at byte 1: a zero byte");
  CHECK(message("[1,2]") == "malformed JSON at byte 6: a zero byte");
  CHECK(message("y\ny\n") == "malformed JSON at line 1, column 1: invalid literal (last read: 'y')");
  CHECK(message("[[1,2],[3,4,5,") == "row [1] has more than the 2 elements of row [0]");
  CHECK(message(R"({"dtype":"int8","shape":[2],"data":[1,2,3,)") ==
        "data holds more than the 2 elements of shape (2)");
  CHECK(message(std::string(65, '[')) == "lists are nested more than 64 deep: rank is at most 64");
}

TEST_CASE("text that changes while it is read does no harm", "[json_reader]") {
  // A race on purpose: a mapped file to which another process writes.
  if (kThreadSanitizer) return;
  constexpr std::size_t kBytes = 1 << 18;
  constexpr int kReadings = 300;
  std::string few = "[1,";
  std::string many = few;
  while (few.size() < kBytes) {
    few += "111111111111111,";
    many += "1,1,1,1,1,1,1,1,";
  }
  few += "1]";
  many += "1]";
  std::string text = few;
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (bool to_many = true; !stop; to_many = !to_many) {
      std::memcpy(text.data(), (to_many ? many : few).data(), few.size());
    }
  });
  // In one part: memory is for as many numbers as are counted at first, an eighth of those that may be there
  // next.
  for (int i = 0; i < kReadings; ++i) {
    JsonText whole(JsonSpan{text});
    std::int64_t rank = 1;
    try {
      rank = read_json(whole, {.part_bytes = kBytes}).take().rank();
    } catch (const Failure&) {  // whatever it was at that moment
    }
    CHECK(rank == 1);
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace tensorop::io_json_reader_test
