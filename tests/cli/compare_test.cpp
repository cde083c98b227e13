// `compare` as a program: exit status, files of every kind, what is refused.
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

using Words = std::vector<std::string>;

ProcessResult run_in(const TempDir& dir, const Words& words, const std::string& input = "") {
  ProcessOptions options;
  options.directory = dir.path().string();
  options.input = input;
  Words all = {"compare"};
  all.insert(all.end(), words.begin(), words.end());
  return run_tensorop(all, options);
}

void check_result(const ProcessResult& result, int status, const std::string& out) {
  CHECK(result.err.empty());
  CHECK(result.out == out);
  CHECK(result.status == status);
}

void check_refused(const ProcessResult& result, const std::string& message) {
  CHECK(result.err == cat("tensorop: compare: ", message, "\n"));
  CHECK(result.out.empty());
  CHECK(result.status == 2);
}

Tensor floats(const std::vector<float>& values, Shape shape) {
  auto storage = std::make_shared<Storage>(static_cast<std::int64_t>(values.size() * sizeof(float)));
  std::memcpy(storage->data(), values.data(), values.size() * sizeof(float));
  return {DType::float32, std::move(shape), storage};
}

const std::string kEqual = "equal: float32 (2,3), 6 elements, exact\n";

}  // namespace

TEST_CASE("an untyped stream takes the dtype of the other operand, wherever that is named",
          "[cli][compare]") {
  const TempDir dir;
  std::string list = "[0";
  for (int i = 1; i < 30000; ++i) list += cat(",", i);
  list += "]";
  write_file(dir.file("first.json"), cat(R"({"dtype":"float32","data":)", list, "}"));
  write_file(dir.file("last.json"), cat(R"({"data":)", list, R"(,"dtype":"float32"})"));
  const std::string undecided = cat(R"({"data":)", list, "}");
  const std::string equal = "equal: float32 (30000), 30000 elements, exact\n";
  for (const std::string& input : {list, undecided}) {
    for (const std::string file : {"first.json", "last.json"}) {
      CAPTURE(input[0], file);
      check_result(run_in(dir, {"-", file}, input), 0, equal);
      check_result(run_in(dir, {file, "-"}, input), 0, equal);
      std::string unfit = input;
      unfit.replace(unfit.rfind("29999"), 5, "1e300");
      check_result(run_in(dir, {file, "-"}, unfit), 1,
                   cat("different: dtype\nactual:    ", file,
                       ", float32 (30000)\nexpected:  standard input, float64 (30000)\n"));
    }
  }
}

TEST_CASE("the same tensor is equal in every format, byte order and layout", "[cli][compare]") {
  const TempDir dir;
  const Tensor tensor = floats({1, 2, 3, 4, 5, 6.5}, {2, 3});
  write_file(dir.file("c.npy"), npy_bytes(tensor));
  write_file(dir.file("f.npy"), npy_bytes(tensor, {.fortran_order = true, .big_endian = true}));
  write_file(dir.file("d.json"), R"({"dtype":"float32","shape":[2,3],"data":[1,2,3,4,5,6.5]})");
  write_file(dir.file("u.json"), "[[1,2,3],[4,5,6.5]]");
  const Words names = {"c.npy", "f.npy", "d.json", "u.json", "[[1,2,3],[4,5,6.5]]"};
  for (const std::string& actual : names) {
    for (const std::string& expected : names) {
      CAPTURE(actual, expected);
      const bool typed =
          actual.size() == 5 || expected.size() == 5 || actual == "d.json" || expected == "d.json";
      const std::string out = typed ? kEqual : "equal: float64 (2,3), 6 elements, exact\n";
      check_result(run_in(dir, {actual, expected}), 0, out);
    }
  }
  check_result(run_in(dir, {"-", "c.npy"}, npy_bytes(tensor)), 0, kEqual);
  check_result(run_in(dir, {"f.npy", "-"}, "[[1,2,3],[4,5,6.5]]"), 0, kEqual);
}

TEST_CASE("a difference is exit status 1 and a report that names the operands", "[cli][compare]") {
  const TempDir dir;
  write_file(dir.file("a.npy"), npy_bytes(floats({1, 2, 3}, {3})));
  write_file(dir.file("line\nbreak.npy"), npy_bytes(floats({1, 2, 4}, {3})));
  const std::string report =
      "different: 1 of 3 elements (33.3%)\n"
      "actual:    a.npy, float32 (3)\n"
      "expected:  line\\nbreak.npy, float32 (3)\n"
      "tolerance: exact\n"
      "first:     [2]: actual 3.0, expected 4.0 (off by 1.0, 4194304 ulp)\n"
      "worst:     [2]: actual 3.0, expected 4.0 (off by 1.0, 4194304 ulp)\n"
      "largest:   absolute error 1.0 at [2], relative 0.25 at [2], 4194304 ulp at [2]\n"
      "to pass:   rtol 0.25 or atol 1.0 or max-ulp 4194304\n";
  const Words operands = {"a.npy", "line\nbreak.npy"};
  check_result(run_in(dir, operands), 1, report);
  for (const Words& options : std::vector<Words>{{"--rtol", "0.25"},
                                                 {"--atol=1"},
                                                 {"--max-ulp", "4194304"},
                                                 {"--max-mismatch", "1"},
                                                 {"--max-mismatch=34%"}}) {
    CAPTURE(options);
    Words words = operands;
    words.insert(words.end(), options.begin(), options.end());
    CHECK(run_in(dir, words).status == 0);
    words.emplace_back("-q");
    check_result(run_in(dir, words), 0, "");
  }
  check_result(run_in(dir, {operands[0], operands[1], "-q"}), 1, "");
  check_result(run_in(dir, {operands[0], operands[1], "--quiet", "--json", "--threads", "3"}), 1, "");
  const ProcessResult json = run_in(dir, {operands[0], operands[1], "--json"});
  CHECK(json.status == 1);
  const auto parsed = nlohmann::json::parse(json.out);
  CHECK(parsed.at("actual").at("name") == "a.npy");
  CHECK(parsed.at("expected").at("name") == "line\\nbreak.npy");
  CHECK(run_in(dir, {R"(["NaN",1.5])", R"(["NaN",1.5])", "--nan-unequal"}).status == 1);
  check_result(run_in(dir, {"-", "a.npy"}, "[1,2]"), 1,
               "different: shape\nactual:    standard input, float32 (2)\nexpected:  a.npy, float32 (3)\n");
}

TEST_CASE("what cannot be compared is exit status 2", "[cli][compare]") {
  const TempDir dir;
  const std::string bytes = npy_bytes(floats({1, 2}, {2}));
  write_file(dir.file("a.npy"), bytes);
  write_file(dir.file("cut.npy"), bytes.substr(0, bytes.size() - 4));
  struct Refused {
    Words words;
    std::string message;
  };
  const std::vector<Refused> rows = {
      {{}, "operand actual is missing"},
      {{"a.npy"}, "operand expected is missing"},
      {{"a.npy", "a.npy", "b.npy"}, "unexpected operand 'b.npy': compare takes 2"},
      {{"-", "-"}, "standard input can be read only once"},
      {{"none.npy", "a.npy"}, "actual: none.npy: cannot open: No such file or directory"},
      {{"a.npy", "none.npy"}, "expected: none.npy: cannot open: No such file or directory"},
      {{"a.npy", "cut.npy"}, "expected: cut.npy: header promises 8 bytes of data, the file holds 4"},
      {{"a.npy", "[1,"},
       "expected: malformed JSON at line 1, column 4: unexpected end of input; expected '[', '{', or a "
       "literal"},
      {{"a.npy", "a.npy", "--rtol", "nan"}, "--rtol 'nan' is not a finite non-negative number"},
      {{"a.npy", "a.npy", "--atol", "-1"}, "--atol '-1' is not a finite non-negative number"},
      {{"a.npy", "a.npy", "--max-ulp", "1.5"}, "--max-ulp '1.5' is not an integer from 0 to 2^64-1"},
      {{"a.npy", "a.npy", "--max-mismatch", "2e3"},
       "--max-mismatch '2e3' is neither a non-negative integer nor a percentage 0%..100% (at most 6 "
       "decimals)"},
      {{"a.npy", "a.npy", "--tolerance", "x"},
       "--tolerance 'x' is not auto\nhint: --rtol, --atol and --max-ulp take numbers"},
      {{"[true]", "[true]", "--max-ulp", "1"},
       "--max-ulp cannot be used with bool (allowed: int8, int16, int32, int64, uint8, uint16, uint32, "
       "uint64, "
       "float16, bfloat16, float32, float64, float8_e4m3fn, "
       "float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn, int4, uint4)"},
      {{"a.npy", "a.npy", "--rtol"}, "--rtol needs a value"},
      {{"a.npy", "a.npy", "--show", "0"}, "--show '0' is not an integer from 1 to 100000"},
      {{"a.npy", "a.npy", "--show", "100001"}, "--show '100001' is not an integer from 1 to 100000"},
      {{"a.npy", "a.npy", "--rtol", "1", "--rtol", "2"}, "--rtol is given twice"},
      {{"a.npy", "a.npy", "--nan-unequal=1"}, "--nan-unequal takes no value"},
      {{"a.npy", "[1,1e400]"},
       "expected: element [1] = 1e400 does not fit in float64 "
       "(-1.7976931348623157e+308..1.7976931348623157e+308)"},
  };
  for (const Refused& row : rows) {
    CAPTURE(row.words);
    check_refused(run_in(dir, row.words), row.message);
    Words quiet = row.words;
    quiet.insert(quiet.begin(), "-q");
    if (row.message != "--rtol needs a value") check_refused(run_in(dir, quiet), row.message);
  }
  const ProcessResult unknown = run_in(dir, {"a.npy", "a.npy", "--rtoll", "1"});
  CHECK(unknown.err == "tensorop: compare: unknown option '--rtoll'\nhint: did you mean --rtol?\n");
  CHECK(unknown.status == 2);
}

}  // namespace tensorop
