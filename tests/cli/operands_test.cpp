// Operands through the real program: their places, their forms, standard input, what is read of them and what
// they are taken for.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop {
namespace {

using Words = std::vector<std::string>;

std::string json(const std::string& dtype, const std::string& shape, const std::string& data) {
  return cat(R"({"dtype":")", dtype, R"(","shape":[)", shape, R"(],"data":)", data, "}\n");
}

// Runs the program in `directory` with `input` on standard input.
ProcessResult run_in(const std::filesystem::path& directory, const Words& words,
                     const std::string& input = "") {
  ProcessOptions options;
  options.directory = directory.string();
  options.input = input;
  return run_tensorop(words, options);
}

void check_output(const ProcessResult& result, const std::string& out) {
  CHECK(result.err.empty());
  CHECK(result.out == out);
  CHECK(result.status == 0);
}

void check_refused(const ProcessResult& result, const std::string& message) {
  CHECK(result.err == cat("tensorop: ", message, "\n"));
  CHECK(result.out.empty());
  CHECK(result.status == 2);
}

// A shell command in `directory`; the program is "$B".
ProcessResult shell(const std::filesystem::path& directory, const std::string& command) {
  ProcessOptions options;
  options.directory = directory.string();
  options.environment = {cat("B=", TENSOROP_BINARY)};
  return run_process({"/bin/sh", "-c", command}, options);
}

}  // namespace

TEST_CASE("positional operands fill the remaining operands in order", "[cli][operands]") {
  const std::string d = "[[1,2],[3,4]]";
  const std::string i = "[[0],[1]]";
  const std::string u = "[[5,6],[7,8]]";
  const std::vector<Words> calls = {
      {"scatternd", d, i, u},
      {"scatternd", "--data", d, "--indices", i, "--updates", u},
      {"scatternd", "--updates", u, "--indices", i, "--data", d},
      {"scatternd", "--indices", i, d, u},
      {"scatternd", d, u, "--indices", i},
      {"scatternd", d, "--indices=" + i, u},
      {"scatternd", "--updates", u, d, i},
      {"scatternd", "--reduction", "none", "--data", d, i, "-q", u},
  };
  for (const Words& call : calls) {
    CAPTURE(join(call, " "));
    check_output(run_tensorop(call), json("int64", "2,2", "[[5,6],[7,8]]"));
  }
}

TEST_CASE("operands that are missing or too many are named", "[cli][operands]") {
  check_refused(run_tensorop({"scatternd"}), "scatternd: operand data is missing [G-8]");
  check_refused(run_tensorop({"scatternd", "[1]"}), "scatternd: operand indices is missing [G-8]");
  check_refused(run_tensorop({"scatternd", "[1]", "[[0]]"}), "scatternd: operand updates is missing [G-8]");
  check_refused(run_tensorop({"scatternd", "--indices", "[[0]]", "[1]"}),
                "scatternd: operand updates is missing [G-8]");
  check_refused(run_tensorop({"gather", "[1]", "[0]", "[2]"}),
                "gather: unexpected operand '[2]': gather takes 2 [G-8]");
  check_refused(run_tensorop({"gather", "--data", "[1]", "[0]", "[2]"}),
                "gather: unexpected operand '[2]': gather takes 2 [G-8]");
}

TEST_CASE("a negative number is an operand while one is expected", "[cli][operands]") {
  check_output(run_tensorop({"gather", "[1,2,3]", "-1"}), json("int64", "", "3"));
  check_output(run_tensorop({"gather", "-1", "--data", "[1,2,3]"}), json("int64", "", "3"));
  check_output(run_tensorop({"gather", "--indices", "-2", "[1,2,3]"}), json("int64", "", "2"));
  check_output(run_tensorop({"gather", "[1,2,3]", "--axis", "-1", "-3"}), json("int64", "", "1"));
  check_output(run_tensorop({"expand", "-1.5e1", "--shape", "2"}), json("float64", "2", "[-15.0,-15.0]"));
  check_output(run_tensorop({"expand", "-1E+2", "--shape", "[]"}), json("float64", "", "-100.0"));
}

TEST_CASE("standard input is an operand, NPY or JSON, from a pipe or a file", "[cli][operands]") {
  const TempDir dir;
  const Tensor data = tensor_of<float>(DType::float32, {2, 2}, {1, 2, 3, 4});
  const std::string expected = json("float32", "1,2", "[[3.0,4.0]]");
  for (const bool big : {false, true}) {
    for (const bool fortran : {false, true}) {
      const std::string bytes = npy_bytes(data, {.fortran_order = fortran, .big_endian = big});
      write_file(dir.file("in"), bytes);
      check_output(run_in(dir.path(), {"gather", "-", "[1]"}, bytes), expected);
      check_output(shell(dir.path(), "\"$B\" gather - '[1]' <in"), expected);
      check_output(shell(dir.path(), "\"$B\" gather --indices '[1]' --data - <in"), expected);
    }
  }
  const std::string described = R"({"dtype":"float32","data":[[1,2],[3,4]]})";
  check_output(run_in(dir.path(), {"gather", "-", "[1]"}, described), expected);
  check_output(run_in(dir.path(), {"gather", described, "-"}, " [1] \n"), expected);
  // What somebody else has read of it is gone.
  write_file(dir.file("in"), "skipped\n[5,6]\n");
  check_output(shell(dir.path(), "{ read line; \"$B\" gather - 1; } <in"), json("int64", "", "6"));
}

TEST_CASE("standard input that holds no tensor is refused by that name", "[cli][operands]") {
  const TempDir dir;
  check_refused(run_in(dir.path(), {"gather", "-", "0"}),
                "gather: data: standard input: holds no JSON value");
  const std::string bytes = npy_bytes(tensor_of<float>(DType::float32, {2}, {1, 2}));
  check_refused(run_in(dir.path(), {"gather", "-", "0"}, bytes.substr(0, bytes.size() - 1)),
                "gather: data: standard input: header promises 8 bytes of data, the file holds 7");
  check_refused(run_in(dir.path(), {"gather", "-", "0"}, bytes + "x"),
                "gather: data: standard input: header promises 8 bytes of data, the file holds more");
  check_refused(shell(dir.path(), "\"$B\" gather - 0 <."), "gather: data: standard input: is a directory");
}

TEST_CASE("standard input is one operand at most", "[cli][operands]") {
  const TempDir dir;
  check_refused(run_in(dir.path(), {"gather", "-", "-"}, "[1]"),
                "gather: standard input can be read only once");
  check_refused(run_in(dir.path(), {"scatternd", "--data", "-", "[[0]]", "-"}, "[1]"),
                "scatternd: standard input can be read only once");
  check_refused(run_in(dir.path(), {"info", "-", "-"}, "[1]"), "info: standard input can be read only once");
}

TEST_CASE("a standard input that is closed is not replaced by another file", "[cli][operands]") {
  const TempDir dir;
  write_file(dir.file("a.json"), "[0,0]");
  check_refused(shell(dir.path(), "\"$B\" gather a.json - <&-"),
                "gather: indices: standard input: cannot read: Bad file descriptor");
  check_output(shell(dir.path(), "\"$B\" gather a.json 1 <&-"), json("int64", "", "0"));
}

TEST_CASE("a file may be called like an option or like standard input", "[cli][operands]") {
  const TempDir dir;
  write_file(dir.file("--axis"), "[5,6]");
  write_file(dir.file("-"), "[1,2]");
  check_output(run_in(dir.path(), {"gather", "./--axis", "0"}), json("int64", "", "5"));
  check_output(run_in(dir.path(), {"gather", "--", "--axis", "0"}), json("int64", "", "5"));
  check_output(run_in(dir.path(), {"gather", "./-", "0"}), json("int64", "", "1"));
}

TEST_CASE("untyped JSON takes the dtype of the operand it must equal, or what it shows", "[cli][operands]") {
  struct Row {
    Words words;
    std::string out;
  };
  const std::string typed = R"({"dtype":"float16","data":[1,2]})";
  const std::vector<Row> rows = {
      {{"scatterelements", typed, "[0]", "[9]"}, json("float16", "2", "[9.0,2.0]")},
      {{"scatterelements", "[1,2]", "[0]", R"({"dtype":"int8","data":[9]})"}, json("int8", "2", "[9,2]")},
      {{"scatterelements", "[1,2]", "[0]", "[9.5]"}, json("float64", "2", "[9.5,2.0]")},
      {{"scatterelements", "[1.5,2]", "[0]", "[9]"}, json("float64", "2", "[9.0,2.0]")},
      {{"scatterelements", "[1,2]", "[0]", "[9]"}, json("int64", "2", "[9,2]")},
      {{"scatterelements", "[\"a\",\"b\"]", "[0]", "[\"z\"]"}, json("string", "2", R"(["z","b"])")},
      {{"scatterelements", "[true,false]", "[1]", "[true]"}, json("bool", "2", "[true,true]")},
      {{"gather", "[1,2]", "[0]", "--dtype", "float32"}, json("float32", "1", "[1.0]")},
      {{"gather", "[18446744073709551615]", "0", "--dtype", "uint64"},
       json("uint64", "", "18446744073709551615")},
      {{"scatterelements", R"({"dtype":"uint64","data":[1]})", "[0]", "[18446744073709551615]"},
       json("uint64", "1", "[18446744073709551615]")},
      {{"gather", typed, "[0]", "--dtype", "int8"}, json("float16", "1", "[1.0]")},
      {{"gather", "[]", "[]", "--dtype", "string"}, json("string", "0", "[]")},
  };
  for (const Row& row : rows) {
    CAPTURE(join(row.words, " "));
    check_output(run_tensorop(row.words), row.out);
  }
  check_refused(run_tensorop({"scatterelements", R"({"dtype":"int8","data":[1]})", "[0]", "[300]"}),
                "scatterelements: updates: element [0] = 300 does not fit in int8 (-128..127)");
  check_refused(run_tensorop({"gather", "[18446744073709551615]", "0"}),
                "gather: data: element [0] = 18446744073709551615 does not fit in int64 "
                "(-9223372036854775808..9223372036854775807)");
  check_refused(run_tensorop({"gather", "[1]", "[0]", "--dtype", "float"}),
                "gather: dtype 'float' is not one of bool, int8, int16, int32, int64, uint8, uint16, uint32, "
                "uint64, float16, bfloat16, float32, float64, complex64, complex128, string, float8_e4m3fn, "
                "float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn, int4, uint4 "
                "[G-8]\nhint: did you mean float32?");
}

TEST_CASE("a shape is a list of digits, rank 0, or an operand", "[cli][operands]") {
  const TempDir dir;
  write_file(dir.file("s.npy"), npy_bytes(tensor_of<std::int64_t>(DType::int64, {2}, {2, 1})));
  write_file(dir.file("s.json"), "[2,1]");
  const std::string expected = json("int64", "2,1", "[[7],[7]]");
  for (const char* shape : {"2,1", "02,1", "[2,1]", "s.npy", "s.json", "./s.npy"}) {
    CAPTURE(shape);
    check_output(run_in(dir.path(), {"expand", "7", "--shape", shape}), expected);
  }
  check_output(run_in(dir.path(), {"expand", "7", "--shape", "-"}, "[2,1]"), expected);
  check_output(run_in(dir.path(), {"expand", "7", "--shape", "[]"}), json("int64", "", "7"));
  check_output(run_in(dir.path(), {"expand", "7", "--shape", "0"}), json("int64", "0", "[]"));
}

TEST_CASE("a dry run answers from headers, files and dtypes with shapes alike", "[cli][operands]") {
  const TempDir dir;
  write_file(dir.file("a.npy"), npy_bytes(tensor_of<float>(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6})));
  const std::string expected = "{\"dtype\":\"float32\",\"shape\":[4,3]}\n";
  const std::vector<Words> calls = {
      {"gather", "a.npy", "int64[4]", "--dry-run"},
      {"gather", "float32[2,3]", "int32[4]", "--dry-run"},
      {"gather", "float32[2,3]", "[0,0,0,0]", "--dry-run"},
      // An index out of range is no matter of headers; where the result would go is of no interest.
      {"gather", "a.npy", "[9,9,9,9]", "--dry-run", "-o", "/nowhere/x.npy"},
      {"--threads", "2", "gather", "--dry-run", "--indices", "int8[4]", "a.npy"},
  };
  for (const Words& call : calls) {
    CAPTURE(join(call, " "));
    check_output(run_in(dir.path(), call), expected);
  }
  check_output(run_tensorop({"expand", "bool[]", "--shape", "1000000000,1000000000", "--dry-run"}),
               "{\"dtype\":\"bool\",\"shape\":[1000000000,1000000000]}\n");
  check_refused(run_tensorop({"gather", "float32[2,3]", "int64[4]", "--axis", "2", "--dry-run"}),
                "gather: axis 2 is out of range for data of shape (2,3) (allowed -2..1) [AX-1]");
  check_refused(run_tensorop({"gather", "float32[2,3]", "float32[4]", "--dry-run"}),
                "gather: indices is float32; the default semantics allows int8, int16, int32, int64, uint8, "
                "uint16, uint32, uint64 [IX-3]");
  check_refused(run_tensorop({"gather", "float32[2,-3]", "int64[4]", "--dry-run"}),
                "gather: data: float32[2,-3]: dimensions must be non-negative integers");
  check_refused(
      run_tensorop({"gather", "float32[2,3]", "int64[4]"}),
      "gather: data: 'float32[2,3]' is a dtype and a shape without elements: only a dry run takes it");
}

TEST_CASE("what looks like a shape and is not one is refused as that", "[cli][operands]") {
  struct Row {
    const char* shape;
    const char* message;
  };
  const std::vector<Row> rows = {
      {"-1,2", "shape[0] = -1 is negative; dimensions are non-negative [BC-T2]\n"},
      {"2,-3", "shape[1] = -3 is negative; dimensions are non-negative [BC-T2]\n"},
      {"-1", "shape[0] = -1 is negative; dimensions are non-negative [BC-T2]\n"},
      {"(2,3)", "shape '(2,3)' is not a list of integers [BC-T1]\nhint: did you mean 2,3?\n"},
      {"(2, 3)", "shape '(2, 3)' is not a list of integers [BC-T1]\nhint: did you mean 2,3?\n"},
      {"(3,)", "shape '(3,)' is not a list of integers [BC-T1]\nhint: did you mean 3?\n"},
      {"()", "shape '()' is not a list of integers [BC-T1]\nhint: did you mean []?\n"},
      {"(a)", "shape '(a)' is not a list of integers [BC-T1]\n"},
      {"2,,3", "shape '2,,3' is not a list of integers [BC-T1]\n"},
  };
  const TempDir dir;
  for (const Row& row : rows) {
    CAPTURE(row.shape);
    const ProcessResult result = run_in(dir.path(), {"expand", "7", "--shape", row.shape});
    CHECK(result.err == cat("tensorop: expand: ", row.message));
    CHECK(result.status == 2);
  }
  write_file(dir.file("(2,3)"), "[2,3]");
  write_file(dir.file("2-3"), "[2,3]");
  for (const char* name : {"(2,3)", "2-3"}) {
    check_output(run_in(dir.path(), {"expand", "7", "--shape", name}),
                 json("int64", "2,3", "[[7,7,7],[7,7,7]]"));
  }
}

TEST_CASE("a file that comes to have the name of an inline tensor changes nothing", "[cli][operands]") {
  const TempDir dir;
  write_file(dir.file("0"), "[2]");
  write_file(dir.file("[10,20,30]"), "[1,2,3]");
  check_output(run_in(dir.path(), {"gather", "[10,20,30]", "0"}), json("int64", "", "10"));
  check_output(run_in(dir.path(), {"gather", "./[10,20,30]", "./0"}), json("int64", "1", "[3]"));
  // In a job file too, whatever the folder is called.
  std::filesystem::create_directory(dir.path() / "[a]");
  write_file(dir.file("[a]/0"), "[2]");
  write_file(dir.file("[a]/[7]"), "[1,2,3]");
  write_file(dir.file("[a]/jobs.json"),
             R"([{"op":"gather","data":[10,20,30],"indices":"0","output":"inline.json","format":"nested"},
                 {"op":"gather","data":"./[7]","indices":"./0","output":"files.json","format":"nested"}])");
  CHECK(run_in(dir.path(), {"run", "[a]/jobs.json", "-q"}).err.empty());
  CHECK(get(dir.file("[a]/inline.json")) == "10\n");
  CHECK(get(dir.file("[a]/files.json")) == "[3]\n");
}

TEST_CASE("of a file of a tebibyte only what is needed is read", "[cli][operands]") {
  const TempDir dir;
  const std::string header = npy_bytes(tensor_of<std::uint8_t>(DType::uint8, {1}, {0}));
  // The thread sanitizer has no room for so large a mapping.
  constexpr off_t kAll = off_t{1} << (kThreadSanitizer ? 36 : 40);
  // The header of one element, rewritten for all of them, and a hole for their bytes.
  std::string bytes = header.substr(0, 128);
  const std::string shape = cat("'shape': (", kAll, ",), }");
  bytes.replace(bytes.find("'shape'"), shape.size(), shape);
  write_file(dir.file("huge.npy"), bytes);
  REQUIRE(::truncate(dir.file("huge.npy").c_str(), 128 + kAll) == 0);
  // Were all of it read, each of these would take minutes.
  check_output(run_in(dir.path(), {"gather", "huge.npy", "int64[2]", "--dry-run"}),
               "{\"dtype\":\"uint8\",\"shape\":[2]}\n");
  check_output(run_in(dir.path(), {"info", "huge.npy"}),
               cat("huge.npy: uint8 (", kAll, "), ", kAll, " bytes, npy |u1, C order\n"));
  check_output(run_in(dir.path(), {"gather", "huge.npy", cat("[0,", kAll - 1, ",-1]")}),
               json("uint8", "3", "[0,0,0]"));
  check_refused(run_in(dir.path(), {"gather", "huge.npy", cat("[", kAll, "]")}),
                cat("gather: indices[0] = ", kAll, " is out of range for axis 0 of data (size ", kAll,
                    "; allowed ", -kAll, "..", kAll - 1, ") [IX-1]"));
}

}  // namespace tensorop
