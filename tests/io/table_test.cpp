// Text tables: what a dtype that is asked for refuses, that neither threads nor parts change
// anything, and what is written. Which texts are which tensors, and with which words others are refused:
// testdata/inputs.
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/json/json_writer.hpp"
#include "io/opened_file.hpp"
#include "io/sink.hpp"
#include "io/source.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/json_reading.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::io_table_test {
namespace {

using Reader = TextTensor (*)(std::string_view text, const TextReading& reading);
const Reader read_table = kTextFormat.read_text;
const Reader read_csv = kCsvFormat.read_text;
const Reader read_tsv = kTsvFormat.read_text;

// "int64 (2,3) [[1,2,3],[4,5,6]]", or the message.
std::string told(const JsonOutcome& outcome) {
  if (!outcome.refused.empty()) return outcome.refused;
  const Tensor& tensor = outcome.tensor;
  return cat(name(tensor.dtype()), ' ', to_string(tensor.shape()), ' ',
             tensor.size() == 0 ? "[]" : nested_json(tensor));
}

std::string read(std::string_view text, Reader reader = read_table, std::optional<DType> as = {}) {
  JsonParts parts;
  parts.read = reader;
  return told(read_json_whole(text, as, parts));
}

}  // namespace

TEST_CASE("a text table is read as the dtype that is asked for, or refused with line and column",
          "[io][table]") {
  const std::string header = "\ntail -n +2 FILE leaves out a header line: tail -n +2 FILE | tensorop ... -";
  CHECK(read("id,v\n1,2\n", read_table, DType::int64) == "line 1, column 1: 'id' is not a number" + header);
  CHECK(read("1\n \"2\"\n007", read_table, DType::string) == R"(string (3) ["1"," \"2\"","007"])");
  CHECK(read("1,2\n", read_csv, DType::string).starts_with("line 1, column 2: a table of strings has one"));
  CHECK(read("1,2\n", read_tsv, DType::string) == R"(string (1) ["1,2"])");
  CHECK(read("1 2\n", read_csv) == "line 1, column 3: expected a comma or the end of the line, found '2'");
  CHECK(read("1,2\n", read_tsv) == "line 1, column 2: expected a tab or the end of the line, found ','");
  CHECK(read("1 300\n", read_table, DType::uint8) ==
        "line 1, column 3: element [0,1] = 300 does not fit in uint8 (0..255)");
  CHECK(read("1.5\n", read_table, DType::int32) ==
        "line 1, column 1: element [0] = 1.5 is not an integer, int32 takes only integers");
  CHECK(read("nan\n", read_table, DType::int8) ==
        "line 1, column 1: element [0] = NaN does not fit in int8 (-128..127)");
  CHECK(read("1\n", read_table, DType::boolean) ==
        "line 1, column 1: element [0]: expected true or false, found a number");
  CHECK(read("1\n", read_table, DType::complex64) == "a text table holds no complex numbers");
  CHECK(read("18446744073709551615\n0", read_table, DType::uint64) == "uint64 (2) [18446744073709551615,0]");
  CHECK(read("0.1 nan", read_table, DType::float16) == R"(float16 (1,2) [[0.1,"NaN"]])");
  CHECK(read("", read_table, DType::float32) == "float32 (0) []");
}

namespace {

// A table of random size with its meaning, which the values show from which its text is made.
struct RandomTable {
  std::string text;
  std::string meaning;
};

RandomTable random_table(Random& random, std::int64_t most_elements) {
  const bool floats = random.between(0, 2) != 0;
  const std::int64_t columns = random.between(0, 3) == 0 ? 1 : random.between(1, 12);
  const std::int64_t lines = random.between(1, std::max<std::int64_t>(1, most_elements / columns));
  const std::string_view separator = random.pick<std::string_view>({",", " ", "\t", "  ", ", "});
  const std::string_view line_end = random.pick<std::string_view>({"\n", "\r\n"});
  std::vector<double> wide;
  std::vector<std::int64_t> exact;
  RandomTable table;
  for (std::int64_t i = 0; i < lines * columns; ++i) {
    if (floats) {
      const std::uint64_t bits =
          static_cast<std::uint64_t>(random.between(0, std::numeric_limits<std::int64_t>::max()));
      double value = i == 0 ? 0.5 : random.between(0, 9) == 0 ? NAN : std::bit_cast<double>(bits);
      if (random.between(0, 1) == 0) value = static_cast<double>(random.between(-100000, 100000)) / 64;
      if (i == 0) value = 0.5;
      char digits[40];
      std::snprintf(digits, sizeof digits, random.between(0, 1) == 0 ? "%.17g" : "%.18e", value);
      table.text += digits;
      wide.push_back(value);
    } else {
      const std::int64_t value = random.between(0, 1) == 0
                                     ? random.between(-50, 50)
                                     : random.between(std::numeric_limits<std::int64_t>::min(),
                                                      std::numeric_limits<std::int64_t>::max());
      table.text += cat(value >= 0 && random.between(0, 9) == 0 ? "0" : "", value);
      exact.push_back(value);
    }
    table.text += (i + 1) % columns == 0 ? line_end : separator;
  }
  const Shape shape = columns == 1 ? Shape{lines} : Shape{lines, columns};
  const Tensor tensor =
      floats ? tensor_of(DType::float64, shape, wide) : tensor_of(DType::int64, shape, exact);
  table.meaning = cat(name(tensor.dtype()), ' ', to_string(shape), ' ', nested_json(tensor));
  return table;
}

// The same outcome, message included, whatever the threads, parts and pieces.
std::string check_ways(Random& random, std::string_view text, std::optional<DType> as,
                       std::int64_t most_part) {
  JsonParts parts;
  parts.read = random.pick<Reader>({read_table, read_table, read_csv, read_tsv});
  const JsonOutcome whole = read_json_whole(text, as, parts);
  for (const int threads : {1, 2, 3, 7}) {
    parts.threads = threads;
    parts.bytes = static_cast<std::size_t>(random.between(1, most_part));
    const std::string wrong = difference(whole, read_json_whole(text, as, parts));
    if (!wrong.empty()) return cat(threads, " threads, parts of ", *parts.bytes, " bytes: ", wrong);
  }
  return "";
}

}  // namespace

TEST_CASE("a byte order mark that is cut is no text", "[io][table]") {
  JsonParts parts;
  parts.read = read_csv;
  CHECK(told(read_json_whole("\xEF\xBB", {}, parts)).starts_with("line 1 is not UTF-8"));
}

TEST_CASE("text tables at random are read as what they were written from", "[io][table][random]") {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t number = 0; number < to_size(share_of(400)); ++number) {
    Random random(seed, number);
    const std::int64_t most = number % 100 == 20 ? 30000 : 200;
    const RandomTable table = random_table(random, most);
    CAPTURE(seed, number);
    REQUIRE(read(table.text) == table.meaning);
    REQUIRE(check_ways(random, table.text, std::nullopt, most).empty());
  }
}

TEST_CASE("fields and blanks may have any length", "[io][table]") {
  const std::string blanks(200000, ' ');
  std::string rows;
  for (int i = 0; i < 200; ++i) rows += "1,2\n";
  Random random(20261126, 0);
  for (const std::string& text : {rows + "3," + blanks + "4\n", rows + blanks + "3" + blanks + ",4\n",
                                  rows + "3," + std::string(200000, '0') + "4\n"}) {
    CAPTURE(text.size());
    CHECK(read(text).ends_with("[1,2],[3,4]]"));
    CHECK(check_ways(random, text, std::nullopt, 1 << 17).empty());
  }
  const std::string line(1 << 20, 'a');
  CHECK(read(line + "\n\"" + line + "\"\nb", read_csv) ==
        cat(R"(string (3) [")", line, R"(",")", line, R"(","b"])"));
}

TEST_CASE("changed text tables are read or refused alike, however they are divided", "[io][table][random]") {
  const std::uint64_t seed = random_seed();
  int refused = 0;
  constexpr int kTexts = static_cast<int>(share_of(1500));
  for (std::uint64_t number = 0; number < kTexts; ++number) {
    Random random(seed, number);
    std::string text = random_table(random, 150).text;
    for (std::int64_t changes = random.between(1, 3); changes > 0; --changes) {
      static constexpr std::string_view kInserted = "0123456789+-.eE,\t \n\r\"xn#\0";
      const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(text.size())));
      const char c = kInserted[static_cast<std::size_t>(random.between(0, kInserted.size() - 1))];
      if (at < text.size() && random.between(0, 1) == 0) {
        text.erase(at, static_cast<std::size_t>(random.between(1, 4)));
      } else {
        text.insert(at, 1, c);
      }
    }
    const auto as =
        random.pick<std::optional<DType>>({std::nullopt, std::nullopt, DType::float32, DType::bfloat16,
                                           DType::int8, DType::uint64, DType::boolean, DType::string});
    CAPTURE(seed, number, text);
    REQUIRE(check_ways(random, text, as, 200) == "");
    refused += read_json_whole(text, as, {1, {}, read_table}).refused.empty() ? 0 : 1;
  }
  CHECK(refused > kTexts / 10);
  CHECK(refused < kTexts);
}

TEST_CASE("lines much shorter than the first one take no memory", "[io][table]") {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "1 ";
  text += '\n';
  for (int i = 0; i < 100000; ++i) text += "1\n";
  CHECK(read(text) == "line 2 has 1 number, line 1 has 100000");
}

TEST_CASE("tensors are written as tables that read back", "[io][table]") {
  struct Written {
    Tensor tensor;
    std::string_view csv;
    std::string_view text;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Written> rows = {
      {tensor_of<std::int64_t>(DType::int64, {2, 3}, {1, -2, 3, 4, 5, 6}), "1,-2,3\n4,5,6\n",
       "1 -2 3\n4 5 6\n"},
      {tensor_of<double>(DType::float64, {2, 2}, {0.1, nan, -infinity, -0.0}), "0.1,NaN\n-Infinity,-0.0\n",
       "0.1 NaN\n-Infinity -0.0\n"},
      {tensor_of<std::uint8_t>(DType::uint8, {3}, {1, 2, 255}), "1\n2\n255\n", "1\n2\n255\n"},
      {tensor_of<std::int64_t>(DType::int64, {}, {7}), "7\n", "7\n"},
      {tensor_of<std::uint8_t>(DType::boolean, {1, 2}, {1, 0}), "true,false\n", "true false\n"},
      {tensor_of<std::int64_t>(DType::int64, {0}, {}), "", ""},
      {tensor_of<std::int64_t>(DType::int64, {0, 3}, {}), "", ""},
  };
  const auto written = [](const Tensor& tensor, const auto& make) {
    const Encoding encoding = make(tensor.dtype(), tensor.shape(), 0, "");
    std::string whole = encoding.prefix;
    // Element by element, as slices come.
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      encoding.encode(i, 1, tensor.data() + i * element_size(tensor.dtype()), whole);
    }
    whole += encoding.suffix;
    std::string at_once = encoding.prefix;
    if (tensor.size() > 0) encoding.encode(0, tensor.size(), tensor.data(), at_once);
    CHECK(whole == at_once + encoding.suffix);
    return whole;
  };
  for (const Written& row : rows) {
    CHECK(written(row.tensor, kCsvFormat.encode) == row.csv);
    CHECK(written(row.tensor, kTextFormat.encode) == row.text);
  }
  CHECK(written(rows[0].tensor, kTsvFormat.encode) == "1\t-2\t3\n4\t5\t6\n");
  const auto refused = [](DType dtype, const Shape& shape) {
    return error_of([&] { (void)kCsvFormat.encode(dtype, shape, 0, ""); });
  };
  const std::string hint = "\nNPY and JSON hold any tensor";
  CHECK(refused(DType::int8, {1, 2, 3}) ==
        "a text table has rank 0, 1 or 2, the result has shape (1,2,3)" + hint);
  CHECK(refused(DType::int8, {3, 0}) ==
        "a text table has no rows without elements, the result has shape (3,0)" + hint);
  CHECK(refused(DType::string, {1, 1}) ==
        "a text table of strings has one column, the result has shape (1,1)" + hint);
  CHECK(refused(DType::complex64, {1}) ==
        "a text table holds no complex numbers, the result is complex64" + hint);
}

TEST_CASE("the format of a text is found by its beginning, the option and the ending, in this order",
          "[io][format][table]") {
  struct Case {
    std::string_view head;
    std::string_view path;
    std::string_view option;
    std::string_view format;
  };
  const std::vector<Case> cases = {
      {"1\n2\n", "a", "auto", "text"},      {"1 2", "-", "auto", "text"},
      {"1,2", "a.json", "auto", "json"},    {"5\n", "a", "auto", "json"},
      {"5\n", "a.txt", "auto", "text"},     {"5\n", "a.CSV", "auto", "csv"},
      {"5\n", "a.json", "text", "text"},    {"5\n", "a.tsv", "csv", "csv"},
      {"1 2", "a.tsv", "auto", "tsv"},      {"[1]", "a.txt", "auto", "json"},
      {"[1]", "a", "text", "json"},         {" {\"", "a.csv", "csv", "json"},
      {"1\n2\n", "a.txt", "json", "json"},  {"true\n", "a", "auto", "json"},
      {"true\nfalse", "a", "auto", "text"}, {"id,v\n", "a.csv", "auto", "csv"},
      {"", "a.txt", "auto", "text"},        {"", "a", "auto", "json"},
      {"nan\n1", "a", "auto", "text"},      {"\"a\"\n", "a", "auto", "json"},
      {"\"a\"\n", "a.txt", "auto", "text"}, {"\"a\",\"b\"\n", "a", "csv", "csv"},
      {"\x93NUMPY", "a.txt", "csv", "npy"}, {"PK\3\4", "a.csv", "text", "npz"},
      {"[PAD]\n", "a.txt", "auto", "text"}, {"[PAD]\n", "-", "text", "text"},
      {"[PAD]\n", "a", "auto", "json"},     {"[null]\n", "a.txt", "auto", "json"},
      {"[NaN,1]", "a.csv", "auto", "json"}, {"[", "a.csv", "auto", "json"},
      {"<unk>\n", "a.txt", "auto", "text"}, {"\"<!\"\n", "a.txt", "auto", "text"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.head, one.path, one.option);
    CHECK(input_format(one.head, one.path, read_text_format(one.option)).name == one.format);
  }
  CHECK(error_of([] { (void)read_text_format("npy"); }) == "'npy' is not one of auto, json, text, csv, tsv");
}

namespace {

class TerminalSystem : public System {
 public:
  bool isatty(int /*fd*/) override { return true; }
};

}  // namespace

TEST_CASE("a terminal is neither read nor written to in binary", "[io][format]") {
  TerminalSystem terminal;
  const ScopedSystem scope(terminal);
  CHECK(error_of([] { (void)Source::open("-", {}); }) ==
        "standard input is a terminal\n- reads a pipe or a redirected file: ... | tensorop ... -");
  CHECK(error_of([] {
          (void)format_of({"-", find_format("npy")});
        }) == "standard output is a terminal, and NPY is binary\n-o FILE.npy writes a file");
  CHECK(error_of([] {
          (void)format_of({"-", find_format("npz")});
        }) == "standard output is a terminal, and NPZ is binary\n-o FILE.npz writes a file");
  CHECK(format_of({"-", find_format("csv")}).name == "csv");
  CHECK(format_of({"-"}).name == "display");
}

}  // namespace tensorop::io_table_test
