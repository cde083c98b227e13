// Reading tensors from JSON: what a dtype that is asked for refuses, and limits. Other malformed documents
// are rows of testdata/inputs. What the others mean is in json_differential_test.cpp.
#include "io/json/json_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/json_reading.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::io_json_reader_test {
namespace {

TextTensor read(std::string_view text, std::optional<DType> as = std::nullopt) {
  return read_json(text, {.as = as});
}

// Without the hint on its second line.
std::string message_for(std::string_view text, std::optional<DType> as = std::nullopt) {
  const std::string message = error_of([&] { static_cast<void>(read(text, as).checked_tensor()); });
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

TEST_CASE("numbers that their dtype cannot hold are refused with place, value and range", "[json_reader]") {
  check({
      {"[1,2,3,300]", "element [3] = 300 does not fit in uint8 (0..255)", DType::uint8},
      {"[[1,2],[-1,4]]", "element [1,0] = -1 does not fit in uint8 (0..255)", DType::uint8},
      {"300", "element = 300 does not fit in int8 (-128..127)", DType::int8},
      {"[18446744073709551616,1]",
       "element [0] = 18446744073709551616 does not fit in uint64 (0..18446744073709551615)", DType::uint64},
      {"[0," + std::string(300, '9') + "]",
       "element [1] = " + std::string(200, '9') + "... does not fit in int8 (-128..127)", DType::int8},
      {"[0," + std::string(400, '9') + "]",
       "element [1] = " + std::string(200, '9') + "... does not fit in int8 (-128..127)", DType::int8},
      {"[1.5]", "element [0] = 1.5 is not an integer, int32 takes only integers", DType::int32},
      {"[1,2.0]", "element [1] = 2.0 is not an integer, int64 takes only integers", DType::int64},
      {"1e3", "element = 1e3 is not an integer, uint8 takes only integers", DType::uint8},
      {"[1e400]", "element [0] = 1e400 is not an integer, int8 takes only integers", DType::int8},
      {"[1e39]", "element [0] = 1e39 does not fit in float32 (-3.4028235e+38..3.4028235e+38)",
       DType::float32},
      {"[65520]", "element [0] = 65520 does not fit in float16 (-65504.0..65504.0)", DType::float16},
      {"[-65520]", "element [0] = -65520 does not fit in float16 (-65504.0..65504.0)", DType::float16},
      {"[3.4e38]", "element [0] = 3.4e38 does not fit in bfloat16 (-3.3895314e+38..3.3895314e+38)",
       DType::bfloat16},
      {"[[1,1e39]]", "element [0] = 1e39 does not fit in complex64 (-3.4028235e+38..3.4028235e+38)",
       DType::complex64},
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

TEST_CASE("what the program takes for another format is malformed JSON where JSON is asked for",
          "[json_reader]") {
  const std::string at = "malformed JSON at ";
  check({
      {"1 x", at + "line 1, column 3: expected the end of the text, found 'x'"},
      {"y\ny\ny\n", at + "line 1, column 1: expected a value, found 'y'"},
      {"<", at + "line 1, column 1: expected a value, found '<'"},
      {"\xFF[1]", at + "line 1, column 1: expected a value, found '\\xff'"},
      {std::string("\0", 1), at + "byte 1: a zero byte"},
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

TEST_CASE("text that changes while it is read does no harm", "[json_reader]") {
  // A race on purpose: a mapped file to which another process writes.
  if (kThreadSanitizer) return;
  constexpr std::size_t kBytes = 1 << 18;
  constexpr std::int64_t kReadings = share_of(800);
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
  for (std::int64_t i = 0; i < kReadings; ++i) {
    std::int64_t rank = 1;
    try {
      rank = read_json(text, {.part_bytes = kBytes}).checked_tensor().rank();
    } catch (const Failure&) {  // whatever it was at that moment
    }
    CHECK(rank == 1);
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace tensorop::io_json_reader_test
