// float8, float4, int4 and uint4 at the command line: convert --overflow and --view, files that do not say
// their dtype, and what refuses them. Values are held to the specification by tests/tensor.
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop {
namespace {

// The bytes of 1, 2 and NaN in float8_e4m3fn, under a descr.
std::string npy_of(const std::string& descr) {
  std::string header = cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (3,), }");
  header.resize(117, ' ');
  return cat("\x93NUMPY", '\1', '\0', static_cast<char>(118), '\0', header, "\n\x38\x40\x7f");
}

std::string typed(const std::string& dtype, const std::string& data) {
  return cat(R"({"dtype":")", dtype, R"(","data":)", data, "}");
}

const std::string kSmallNames =
    "float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn, int4, "
    "uint4";

std::string unknown(const std::string& descr) {
  return cat(
      "dtype '", descr, "' does not say what the elements are (", kSmallNames,
      ")\nhint: convert FILE --view DTYPE -o x.pb names it; for convert and for data of operators --dtype "
      "does, for these also an operand beside it that has such a dtype");
}

struct Row {
  Words words;
  std::string out;    // without the line break
  std::string error;  // of a refused call
};

void check_rows(const TempDir& dir, const std::vector<Row>& rows) {
  for (const auto& [words, out, error] : rows) {
    CAPTURE(join(words, " "));
    const ProcessResult result = run_in(dir, words);
    if (error.empty()) {
      check_done(result, out + "\n");
    } else {
      check_refused(result, error);
    }
  }
}

TEST_CASE("--overflow says what becomes of what a small float does not have", "[cli][convert][small]") {
  const TempDir dir;
  const std::string floats = typed("float32", R"([500,"-Infinity",1])");
  const std::string saturates = "\nhint: --overflow saturate gives the nearest value that there is";
  const std::string hint = saturates + ", --overflow nan NaN";
  const auto convert = [](const std::string& operand, const std::string& dtype, const Words& more = {}) {
    Words words = {"convert", operand, "--dtype", dtype, "--format", "nested"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words saturate = {"--overflow", "saturate"};
  const Words nan = {"--overflow", "nan"};
  std::vector<Row> rows = {
      {convert(typed("float32", "[500]"), "float8_e4m3fn"), "",
       "convert: element [0] = 500.0 does not fit in float8_e4m3fn (-448.0..448.0)" + hint},
      {convert(typed("float32", "[500]"), "float8_e4m3fn", {"--overflow", "error"}), "",
       "convert: element [0] = 500.0 does not fit in float8_e4m3fn (-448.0..448.0)" + hint},
      {convert("[1,500]", "float8_e4m3fn"), "",
       "convert: element [1] = 500 does not fit in float8_e4m3fn (-448.0..448.0)" + hint},
      {convert("[1e400]", "float8_e5m2"), "",
       "convert: element [0] = 1e400 does not fit in float8_e5m2 (-57344.0..57344.0)" + saturates +
           ", --overflow nan infinity"},
      {convert("[0,1]", "float8_e8m0fnu"), "",
       "convert: element [0] = 0 does not fit in float8_e8m0fnu (5.877472e-39..1.7014118e+38)" + hint},
      {convert(typed("float32", "[7.5]"), "float4_e2m1fn"), "",
       "convert: element [0] = 7.5 does not fit in float4_e2m1fn (-6.0..6.0)" + saturates},
      {convert(R"([1,"Infinity"])", "float4_e2m1fn"), "",
       "convert: element [1] = Infinity does not fit in float4_e2m1fn (-6.0..6.0)" + saturates},
      {convert(R"([1,"NaN"])", "float4_e2m1fn"), "",
       "convert: element [1] = NaN does not fit in float4_e2m1fn (-6.0..6.0)"},
      // Its dtype is its own: nothing is cast.
      {{"convert", typed("float8_e4m3fn", "[500]")},
       "",
       "convert: element [0] = 500 does not fit in float8_e4m3fn (-448.0..448.0)"},
      // No mode helps.
      {convert(typed("float32", "[-1]"), "float8_e8m0fnu", saturate), "",
       "convert: element [0] = -1.0 does not fit in float8_e8m0fnu (5.877472e-39..1.7014118e+38)"},
      {convert(typed("float32", R"(["NaN"])"), "float4_e2m1fn", nan), "",
       "convert: element [0] = \"NaN\" does not fit in float4_e2m1fn (-6.0..6.0)"},
      {convert("[9]", "int4", saturate), "",
       "convert: --overflow saturate is only for --dtype float8_e4m3fn, "
       "float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn"},
      {{"convert", "[9]", "--overflow", "nan"},
       "",
       "convert: --overflow nan is only for --dtype float8_e4m3fn, "
       "float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn"},
      {convert("[9]", "float8_e5m2", {"--overflow", "clip"}), "",
       "convert: overflow 'clip' is not one of error, saturate, nan"},
      {convert("[9]", "float32", {"--overflow", "error"}), "[9.0]", ""},
  };
  // Text and arrays alike; beyond float64 too.
  write_file(dir.file("a.txt"), "500\n-inf\n1\n");
  for (const std::string& operand :
       {floats, std::string(R"([500,"-Infinity",1])"), std::string("[1e999,-500,1]"), std::string("a.txt")}) {
    rows.push_back({convert(operand, "FLOAT8E4M3FN", saturate), "[450.0,-450.0,1.0]", ""});
    rows.push_back({convert(operand, "float8_e4m3fn", nan), R"(["NaN","NaN",1.0])", ""});
    rows.push_back({convert(operand, "float4_e2m1fn", nan), "[6.0,-6.0,1.0]", ""});
  }
  rows.push_back({convert("[1e6]", "float8_e5m2", nan), R"(["Infinity"])", ""});
  rows.push_back({convert("[0,1e-50,3]", "float8_e8m0fnu", saturate), "[5.877472e-39,5.877472e-39,4.0]", ""});
  check_rows(dir, rows);
}

TEST_CASE("--view takes bits as those of another dtype of as many bits", "[cli][convert][small]") {
  const TempDir dir;
  const auto view = [](const std::string& operand, const std::string& dtype, const Words& more = {}) {
    Words words = {"convert", operand, "--view", dtype};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto described = [](const std::string& dtype, const std::string& data) {
    return cat(R"({"dtype":")", dtype, R"(","shape":[2],"data":)", data, "}");
  };
  check_rows(
      dir,
      {
          {view(typed("int8", "[-128,126]"), "float8_e4m3fn"), described("float8_e4m3fn", "[-0.0,450.0]"),
           ""},
          {view(typed("float8_e5m2", R"(["-Infinity",1])"), "int8"), described("int8", "[-4,60]"), ""},
          {view(typed("int4", "[-1,7]"), "uint4"), described("uint4", "[15,7]"), ""},
          {view(typed("uint4", "[15,7]"), "FLOAT4E2M1"), described("float4_e2m1fn", "[-6.0,6.0]"), ""},
          {view(typed("float16", "[1,-2]"), "bfloat16", {"--dtype", "float32"}),
           described("float32", "[0.0078125,-2.0]"), ""},
          {view(typed("float16", "[1,-2]"), "uint16"), described("uint16", "[15360,49152]"), ""},
          {view(typed("complex64", "[[1,0],[0,1]]"), "int64"),
           described("int64", "[1065353216,4575657221408423936]"), ""},
          // Its own bits: those of int64.
          {view("[1,-1]", "uint64"), described("uint64", "[1,18446744073709551615]"), ""},
          {view(typed("int4", "[1]"), "int8"), "",
           "convert: cannot view int4 as int8: an element has 4 bits, not 8\nhint: --dtype converts values"},
          {view(typed("float32", "[1]"), "float64"), "",
           "convert: cannot view float32 as float64: an element has 32 bits, not 64\nhint: --dtype converts "
           "values"},
          {view(typed("string", R"(["a"])"), "complex128"), "", "convert: cannot view string as complex128"},
          {view("[1]", "string"), "", "convert: cannot view int64 as string"},
      });
}

TEST_CASE("an NPY file of small numbers is read where something names its dtype", "[cli][small]") {
  const TempDir dir;
  write_file(dir.file("v.npy"), npy_of("|V1"));
  write_file(dir.file("w.npy"), npy_of("<V1"));
  write_file(dir.file("n.npy"), npy_of("float8_e4m3fn"));
  write_file(dir.file("f.npy"), npy_of("<f1"));
  const std::string named = R"({"dtype":"float8_e4m3fn","shape":[3],"data":[1.0,2.0,"NaN"]})";
  check_rows(
      dir,
      {
          {{"info", "v.npy"}, "v.npy: unknown dtype (3), 3 bytes, npy |V1, C order", ""},
          {{"info", "--json", "w.npy"},
           R"({"path":"w.npy","format":"npy","dtype":null,"shape":[3],"bytes":3,"stored":"<V1","order":"C"})",
           ""},
          {{"info", "n.npy"}, "n.npy: float8_e4m3fn (3), 3 bytes, npy float8_e4m3fn, C order", ""},
          {{"info", "f.npy"}, "f.npy: float8_e5m2 (3), 3 bytes, npy <f1, C order", ""},
          {{"convert", "n.npy"}, named, ""},
          {{"convert", "v.npy", "--dtype", "Float8E4M3FN"}, named, ""},
          {{"convert", "v.npy", "--view", "float8_e4m3fn"}, named, ""},
          {{"convert", "v.npy", "--view", "uint8", "--dtype", "int16", "--format", "nested"},
           "[56,64,127]",
           ""},
          {{"convert", "f.npy", "--format", "nested"}, R"([0.5,2.0,"NaN"])", ""},
          {{"convert", "v.npy"}, "", "convert: v.npy: " + unknown("|V1")},
          {{"convert", "v.npy", "--dtype", "float32"}, "", "convert: v.npy: " + unknown("|V1")},
          // Values of these would be the bits of numbers.
          {{"convert", "v.npy", "--dtype", "uint8"}, "", "convert: v.npy: " + unknown("|V1")},
          {{"convert", "v.npy", "--dtype", "int8"}, "", "convert: v.npy: " + unknown("|V1")},
          {{"convert", "v.npy", "--dtype", "bool"}, "", "convert: v.npy: " + unknown("|V1")},
          {{"convert", "a=v.npy", "--dtype", "uint8", "-o", "b.npz"},
           "",
           "convert: v.npy: " + unknown("|V1")},
          {{"convert", "v.npy", "--view", "bfloat16"},
           "",
           "convert: v.npy: cannot view uint8 as bfloat16: an element has 8 bits, not 16\nhint: --dtype "
           "converts values"},
          {{"nonzero", "v.npy"}, "", "nonzero: v.npy: " + unknown("|V1")},
          {{"nonzero", "n.npy"}, R"({"dtype":"int64","shape":[3],"data":[0,1,2]})", ""},
          {{"gather", "v.npy", "[2,0]"}, "", "gather: data: v.npy: " + unknown("|V1")},
          {{"gather", "v.npy", "[2,0]", "--dtype", "uint4", "--format", "nested"}, "[15,8]", ""},
          {{"gather", "[1,2]", "v.npy"}, "", "gather: indices: v.npy: " + unknown("|V1")},
          {{"scatterupdate", "v.npy", "[0]", typed("float8_e4m3fn", "[-3]"), "--format", "nested"},
           R"([-3.0,2.0,"NaN"])",
           ""},
          {{"where", "[true,false,true]", "[5,6,7]", "n.npy", "--format", "nested"}, "[5.0,2.0,7.0]", ""},
          {{"where", "[true,false,true]", "v.npy", "n.npy", "--format", "nested"}, R"([1.0,2.0,"NaN"])", ""},
          {{"where", "[true,false,true]", "v.npy", "[1,2,3]"}, "", "where: x: v.npy: " + unknown("|V1")},
          {{"compare", "v.npy", "n.npy"}, "equal: float8_e4m3fn (3), 3 elements, exact", ""},
          {{"compare", "n.npy", "w.npy"}, "equal: float8_e4m3fn (3), 3 elements, exact", ""},
          // Of neither is the dtype known: the bits.
          {{"compare", "v.npy", "w.npy"}, "equal: uint8 (3), 3 elements, exact", ""},
          {{"compare", "v.npy", "w.npy", "--rtol", "0.1"}, "", "compare: actual: v.npy: " + unknown("|V1")},
          {{"compare", typed("int8", "[1,2,3]"), "w.npy"}, "", "compare: expected: w.npy: " + unknown("<V1")},
      });
  // In an archive, and in two folders.
  std::filesystem::create_directory(dir.file("x"));
  std::filesystem::create_directory(dir.file("y"));
  write_file(dir.file("x/a.npy"), npy_of("|V1"));
  write_file(dir.file("y/a.npy"), npy_of("float8_e4m3fn"));
  CHECK(run_in(dir, {"compare", "x", "y"}).status == 0);
  CHECK(run_in(dir, {"convert", "a=n.npy", "-o", "a.npz", "-q"}).status == 0);
  CHECK(run_in(dir, {"compare", "a.npz", "y"}).status == 0);
  CHECK(run_in(dir, {"compare", "a.npz", "x"}).status == 0);
  std::string other = npy_of("|V1");
  other.back() = '\x7e';
  write_file(dir.file("x/a.npy"), other);
  CHECK(run_in(dir, {"compare", "a.npz", "x"}).status == 1);
  check_done(run_in(dir, {"convert", "a.npz:a", "--dtype", "float8_e4m3fn"}), named + "\n");
}

TEST_CASE("--view of a whole archive is for the arrays whose dtype it does not say, where there are some",
          "[cli][convert][small]") {
  const TempDir dir;
  const std::string small = "w=" + typed("float8_e4m3fn", R"([1,2,"NaN"])");
  const std::string floats = "f=" + typed("float32", "[1,-2]");
  const std::string bytes = "b=" + typed("uint8", "[56]");
  const auto make = [&](const std::string& path, const Words& arrays) {
    Words words = {"convert", "-q", "-o", path};
    words.insert(words.end(), arrays.begin(), arrays.end());
    check_done(run_in(dir, words));
  };
  make("mixed.npz", {small, floats, bytes});
  make("unnamed.npz", {small});
  make("bytes.npz", {bytes, "s=" + typed("int8", "[64]")});
  make("named.npz", {bytes, floats});
  struct Archive {
    std::string from;
    Words options;
    Words arrays;  // NAME=TENSOR of what comes out
    std::string error = {};
  };
  const std::string viewed = typed("float8_e4m3fn", R"([1,2,"NaN"])");
  const std::vector<Archive> rows = {
      {"mixed.npz", {"--view", "float8_e4m3fn"}, {"w=" + viewed, floats, bytes}},
      {"mixed.npz",
       {"--view", "float8_e4m3fn", "--dtype", "float64"},
       {"w=" + typed("float64", R"([1,2,"NaN"])"), "f=" + typed("float64", "[1,-2]"),
        "b=" + typed("float64", "[56]")}},
      {"mixed.npz", {"--view", "uint8"}, {"w=" + typed("uint8", "[56,64,127]"), floats, bytes}},
      {"mixed.npz",
       {"--view", "int16"},
       {},
       "convert: mixed.npz:w: cannot view uint8 as int16: an element has 8 bits, not 16\n"
       "hint: --dtype converts values"},
      {"mixed.npz", {}, {}, "convert: mixed.npz:w: " + unknown("<V1")},
      {"unnamed.npz", {"--view", "int8"}, {"w=" + typed("int8", "[56,64,127]")}},
      // Where there are none it is for all.
      {"bytes.npz",
       {"--view", "float8_e4m3fn"},
       {"b=" + typed("float8_e4m3fn", "[1]"), "s=" + typed("float8_e4m3fn", "[2]")}},
      {"named.npz",
       {"--view", "float8_e4m3fn"},
       {},
       "convert: named.npz:f: cannot view float32 as float8_e4m3fn: an element has 32 bits, not 8\n"
       "hint: --dtype converts values"},
  };
  for (const auto& [from, options, arrays, error] : rows) {
    for (const char* to : {"out.safetensors", "out.npz"}) {
      CAPTURE(from, join(options, " "), to);
      Words words = {"convert", from, "-q", "-o", to};
      words.insert(words.end(), options.begin(), options.end());
      const ProcessResult result = run_in(dir, words);
      if (!error.empty()) {
        check_refused(result, error);
        continue;
      }
      check_done(result);
      make(cat("expected_", to), arrays);
      CHECK(get(dir.file(to)) == get(dir.file(cat("expected_", to))));
    }
  }
}

TEST_CASE("NPY of small numbers is written as ml_dtypes does, with a warning", "[cli][small]") {
  const TempDir dir;
  const auto warning = [](const std::string& path, const std::string& format,
                          const std::string& dtype = "float8_e5m2",
                          const std::string& keepers = ".safetensors or .pb") {
    return cat("tensorop: warning: ", path, ": ", format, " has no code for ", dtype,
               ": <V1 is written, and --dtype must name the dtype where the file is read; a ", keepers,
               " file keeps it\n");
  };
  const std::string tensor = R"({"dtype":"float8_e5m2","data":[0.5,2,"NaN"]})";
  const std::vector<std::pair<Words, std::string>> rows = {
      {{"convert", tensor, "-o", "a.npy"}, warning("a.npy", "NPY")},
      {{"convert", tensor, "--format", "npy"}, warning("standard output", "NPY")},
      {{"convert", cat("a=", tensor), "-o", "a.npz"}, warning("a.npz:a", "NPZ")},
      {{"gather", tensor, "[1]", "-o", "b.npy"}, warning("b.npy", "NPY")},
      {{"convert", typed("int4", "[7]"), "-o", "c.npy"}, warning("c.npy", "NPY", "int4", ".pb")},
  };
  for (const auto& [words, expected] : rows) {
    CAPTURE(words);
    const ProcessResult result = run_in(dir, words);
    CHECK(result.status == 0);
    CHECK(result.err == expected);
    Words quiet = words;
    quiet.emplace_back("--quiet");
    CHECK(run_in(dir, quiet).err.empty());
  }
  CHECK(get(dir.file("a.npy")).ends_with("\x38\x40\x7e"));
  CHECK(get(dir.file("a.npy")).find("'descr': '<V1'") != std::string::npos);
}

}  // namespace
}  // namespace tensorop
