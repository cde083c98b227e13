// Hostile inputs through the real program: refused at once, with a line, and without memory or time out of
// proportion to what they are.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "io/little_endian.hpp"
#include "support/catch.hpp"
#include "support/npy_writer.hpp"
#include "support/onnx_files.hpp"
#include "support/process.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::cli_limits_test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Processor time, since others may be using the machine; that it hangs without using any, `timeout` sees to.
constexpr double kMostSeconds = 2;
constexpr std::int64_t kMostBytes = 64 << 20;
constexpr std::int64_t kAddressSpace = 128 << 20;

// A header as NPY 1.0 has it, and nothing after.
std::string npy_header_text(const std::string& descr, const std::string& shape) {
  std::string text = cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape, ", }\n");
  return cat(std::string_view("\x93NUMPY\1\0", 8), static_cast<char>(text.size() & 0xFF),
             static_cast<char>(text.size() >> 8), text);
}

// What it costs to start the test itself is in the peak of its children, see process.hpp.
std::int64_t own_peak() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return 0;
}

// Whether `text` is `pattern`, where # stands for any number.
bool is_like(std::string_view text, std::string_view pattern) {
  for (const char c : pattern) {
    const std::size_t length = c == '#' ? std::min(text.find_first_not_of("0123456789"), text.size()) : 1;
    if (length == 0 || text.empty() || (c != '#' && text[0] != c)) return false;
    text.remove_prefix(length);
  }
  return text.empty();
}

// The same where `pattern` may end with $M, which stands for whatever tells that memory is at its end.
bool is_message(std::string_view text, std::string_view pattern) {
  if (!pattern.ends_with("$M")) return is_like(text, pattern);
  pattern.remove_suffix(2);
  const auto is_one = [&](std::string_view end) { return is_like(text, cat(pattern, end)); };
  return is_one("out of memory: # bytes are free") ||
         is_one("out of memory: a tensor needs # bytes, # are free") ||
         is_one("the text needs # bytes of memory, # are free") ||
         is_one("the next part of standard input needs # bytes of memory, # are free") ||
         is_one("out of memory: standard input needs # bytes, # are free") ||
         is_one("a tensor needs # bytes of memory, # are free");
}

constexpr std::string_view kNoFormat =
    "is neither NPY, JSON, TensorProto, NPZ, safetensors, GGUF nor a table of numbers; it begins with ";
const std::string kZeros = cat(kNoFormat, "bytes 00 00 00 00 00 00 00 00");

struct Row {
  // For the shell: $B is the program, $L $B the program with a small address space, $F the program with small
  // files.
  std::string command;
  std::string message;  // of the error; empty: there is none
};

// Gives what the command prints.
std::string check_row(const TempDir& dir, const Row& row) {
  const bool is_limited = row.command.find("$L") != std::string_view::npos;
  if (kAnySanitizer && is_limited) {
    SUCCEED("a sanitizer takes terabytes of addresses");
    return {};
  }
  ProcessOptions options;
  options.directory = dir.path().string();
  options.environment = {cat("B=timeout 300 ", TENSOROP_BINARY),
                         cat("L=eval ulimit -v ", kAddressSpace >> 10, ";"),
                         cat("F=eval ulimit -f 8192; TMPDIR=. ", TENSOROP_BINARY)};
  const ProcessResult result = run_process({"/bin/sh", "-c", row.command}, options);
  const std::string line = result.err.substr(0, result.err.find('\n'));
  CAPTURE(row.command, result.out.substr(0, 1000), line);
  if (row.message.empty()) {
    CHECK(result.status == 0);
    CHECK(line.empty());
  } else {
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(is_message(line, cat("tensorop: ", row.message)));
  }
  CHECK(result.cpu_seconds < kMostSeconds);
  const std::int64_t most = is_limited ? kAddressSpace : kMostBytes;
  if (!kAnySanitizer) CHECK(result.peak_bytes <= std::max(most, own_peak()));
  return result.out;
}

}  // namespace

TEST_CASE("an endless stream is refused", "[cli][limits]") {
  const TempDir dir;
  write_file(dir.file("exa.npy"), npy_header_text("|i1", "(1000000000000000000,)"));
  write_file(dir.file("tera.npy"), npy_header_text("|i1", "(1000000000000,)"));
  write_file(dir.file("text.npy"), npy_header_text("<U1", "(1000000000000,)"));
  write_file(dir.file("one.npy"), npy_header_text("|i1", "(1,)"));
  const std::string full = "convert: standard input: .: cannot write a temporary file: File too large";
  const std::vector<Row> rows = {
      // Wrong at the first byte, or soon.
      {"$B convert /dev/zero", cat("convert: /dev/zero: ", kZeros)},
      {"yes | $B convert -", cat("convert: standard input: ", kNoFormat, "'y'")},
      {"$B convert - </dev/zero", cat("convert: standard input: ", kZeros)},
      {"yes | $B info -", cat("info: standard input: ", kNoFormat, "'y'")},
      {"{ echo 1,2; yes; } | $B convert -", "convert: standard input: line 2, column 1: 'y' is not a number"},
      {"$B run /dev/zero", "run: /dev/zero: malformed JSON at line 1, column 1: a zero byte"},
      {"yes | $B run -",
       "run: standard input: malformed JSON at line 1, column 1: expected a value, found 'y'"},
      {"$B check /dev/zero", "check: /dev/zero: malformed JSON at line 1, column 1: a zero byte"},
      {"$B compare /dev/zero /dev/zero", cat("compare: actual: /dev/zero: ", kZeros)},
      {"yes '[' | tr -d '\\n' | $B convert -",
       "convert: standard input: lists are nested more than 64 deep: rank is at most 64"},
      {"{ printf '[1]'; yes; } | $B convert -",
       "convert: standard input: malformed JSON at line 1, column 4: expected the end of the text, found "
       "'y'"},
      {"{ printf '{\"data\":'; yes '[' | tr -d '\\n'; } | $B convert -",
       "convert: standard input: lists are nested more than 64 deep: rank is at most 64"},
      {"yes \"$(printf '\\010\\001')\" | tr -d '\\n' | $B convert -",
       "convert: standard input: more than 64 dims (byte 128): rank is at most 64"},
      {"{ printf '\\010\\001\\020\\002\\112\\377\\377\\377\\377\\017'; cat /dev/zero; } | $B convert -",
       "convert: standard input: ends inside raw_data (byte 10): 4294967295 bytes announced, 65590 left"},
      {"{ printf '\\223NUMPY\\004\\000'; cat /dev/zero; } | $B convert -",
       "convert: standard input: NPY version 4.0 is not supported (1.0, 2.0 and 3.0 are)"},
      {"{ printf '\\223NUMPY\\002\\000\\377\\377\\377\\377'; cat /dev/zero; } | $B convert -",
       "convert: standard input: malformed NPY header: it claims 4294967295 bytes (at most 65536)"},
      // As promised, but a promise beyond memory and disk.
      {"cat exa.npy /dev/zero | TMPDIR=. $B convert -",
       "convert: standard input: .: 1000000000000000092 bytes of temporary space are needed, # are free on "
       "that file system"},
      {"cat tera.npy /dev/zero | $B convert - -o out.npy",
       "convert: standard input: .: 1000000000086 bytes of temporary space are needed, # are free on that "
       "file "
       "system"},
      {"cat text.npy /dev/zero | TMPDIR=. $B convert -",
       "convert: standard input: .: 4000000000086 bytes of temporary space are needed, # are free on that "
       "file "
       "system"},
      {"cat one.npy /dev/zero | $B convert -",
       "convert: standard input: header promises 1 bytes of data, the file holds more"},
      // Well so far, always: there is an end to memory and to files, here a small one.
      {"{ echo '['; yes 1,; } | $F convert - --memory 1M", full},
      {"{ echo '{\"data\":['; yes 1,; } | $F convert - --memory 1M", full},
      {"{ printf '\"'; yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | tr -d '\\n'; } | $F convert - --memory "
       "1M",
       full},
      {"yes 111111111111111111111111111111111111111111111111111 | tr -d '\\n' | $F convert - --memory 1M",
       full},
      {"yes '                                                  ' | $F convert - --memory 1M", full},
      {"{ echo '['; yes '[],'; } | $F convert - --memory 1M", full},
      {"{ printf '{\"'; yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | tr -d '\\n'; } | $F convert - --memory "
       "1M",
       full},
      {"yes 1,2 | $F convert - --memory 1M", full},
      {"{ printf '\\010\\001\\020\\002\\112\\377\\377\\377\\377\\007'; cat /dev/zero; } | $F convert - "
       "--memory 1M",
       full},
      {"{ printf 'PK\\003\\004'; cat /dev/zero; } | $F convert - --memory 1M", full},
      {"{ printf 'GGUF'; cat /dev/zero; } | $F convert - --memory 1M", full},
      // A job file is kept in memory.
      {"yes '{\"op\":\"gather\",\"data\":[1],\"indices\":0,\"id\":\"\"}' | $L $B run -", "run: $M"},
      {"yes '{\"op\":\"gather\",\"data\":[1],\"indices\":0,\"output\":\"/dev/null\"}' | $L $B run -",
       "run: $M"},
      {"yes '' | $L $B run -", "run: $M"},
      {"{ printf '{\"op\":'; yes '[' | tr -d '\\n'; } | $L $B run -",
       "run: standard input:1: key \"op\": more than 100 lists and objects within each other"},
  };
  for (const Row& row : rows) check_row(dir, row);
}

TEST_CASE("arrays that are compared go to temporary files beyond --memory, in each kind of comparison",
          "[cli][limits]") {
  const TempDir dir;
  const std::string array = npy_header_text(">i2", "(2,)") + std::string("\0\1\0\2", 4);
  for (const char* folder : {"actual", "expected"}) {
    fs::create_directory(dir.file(folder));
    std::ofstream(dir.file(cat(folder, "/x.npy"))) << array;
  }
  std::ofstream(dir.file("case.jsonl"))
      << R"({"op":"gather","data":{"dtype":"int16","data":[2,1]},"indices":[1,0],"expect":"actual/x.npy"})";
  const std::vector<Words> commands = {{"compare", "actual/x.npy", "expected/x.npy"},
                                       {"compare", "actual", "expected"},
                                       {"check", "case.jsonl"}};
  for (Words words : commands) {
    CAPTURE(join(words, " "));
    words.insert(words.end(), {"--memory", "1"});
    const auto run = [&](const char* temporary) {
      return run_tensorop(
          words, {.input = {}, .directory = dir.path().string(), .environment = {cat("TMPDIR=", temporary)}});
    };
    const ProcessResult refused = run("none");
    CHECK(refused.status == 2);
    CHECK((refused.out + refused.err).find("none: cannot create a temporary file") != std::string::npos);
    const ProcessResult equal = run(".");
    CHECK(equal.status == 0);
    CHECK(equal.err.empty());
  }
}

TEST_CASE("a file that promises more than it holds, or holds more than it should, is refused",
          "[cli][limits]") {
  const TempDir dir;
  struct File {
    const char* name;
    std::string front;
    std::int64_t bytes;  // a hole after the front
  };
  // The thread sanitizer leaves room for mappings of this size only.
  constexpr std::int64_t kTera = kThreadSanitizer ? 200000000000 : 1000000000000;
  constexpr std::int64_t kSwapped = kTera / 10 * 4;
  const std::string swapped =
      cat(".: ", kSwapped * 2, " bytes of temporary space are needed, # are free on that file system");
  const std::string deep(1000000, '[');
  const std::vector<File> files = {
      {"huge.npy", npy_header_text("|i1", "(1000000000000000000,)"), 0},
      {"hole.npy", npy_header_text("|i1", "(7,)"), kTera},
      {"product.npy", npy_header_text("<i8", "(4294967296, 4294967296, 0)"), 0},
      {"product2.npy", npy_header_text("<i8", "(4294967296, 4294967296)"), 0},
      {"header.npy", std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13), kTera},
      {"hole.npz", std::string("PK\3\4", 4), kTera},
      {"hole.safetensors", std::string("\0\xe1\xf5\5\0\0\0\0{", 9), kTera},
      {"deep.safetensors", cat(std::string("\0\xe1\xf5\5\0\0\0\0{", 9), R"("a":{"b":)", deep), kTera},
      {"hole.json", "[", kTera},
      {"deep.json", deep, 0},
      {"deep_jobs.json", cat("{\"op\":\"gather\",\"data\":", deep), 0},
      {"wide_jobs.json", cat("{\"op\":", std::string(1000000, '{')), 0},
      {"deep_object.json", cat("{\"data\":", deep), 0},
      {"hole", "", kTera},
  };
  for (const File& file : files) {
    write_file(dir.file(file.name), file.front);
    if (file.bytes != 0) fs::resize_file(dir.file(file.name), static_cast<std::uintmax_t>(file.bytes));
  }
  // An honest one whose elements have to be turned round, all of them.
  {
    const std::string header = npy_header_text(">i2", cat("(", kSwapped, ",)"));
    write_file(dir.file("swapped.npy"), header);
    fs::resize_file(dir.file("swapped.npy"), header.size() + kSwapped * 2);
  }
  const std::vector<Row> rows = {
      {"$B convert huge.npy",
       "convert: huge.npy: header promises 1000000000000000000 bytes of data, the file holds 0"},
      {"$B info huge.npy",
       "info: huge.npy: header promises 1000000000000000000 bytes of data, the file holds 0"},
      {"$B convert hole.npy", "convert: hole.npy: header promises 7 bytes of data, the file holds more"},
      {"$B convert swapped.npy -o out.npy",
       cat("convert: swapped.npy: out.npy: the result needs at least ", kSwapped * 2 + 128,
           " bytes, # are free on that file system")},
      {"TMPDIR=. $B gather swapped.npy 0", cat("gather: data: swapped.npy: ", swapped)},
      {"$B convert product2.npy",
       "convert: product2.npy: shape (4294967296,4294967296) has more elements of 8 bytes than fit in 2^63 "
       "bytes [G-2]"},
      {"$B convert header.npy",
       "convert: header.npy: malformed NPY header: it claims 4294967295 bytes (at most 65536)"},
      {"$B convert hole.npz",
       "convert: hole.npz: malformed zip archive: its end is missing: the file was "
       "cut, or not written to its end"},
      {"$B convert hole.npz:x",
       "convert: hole.npz: malformed zip archive: its end is missing: the file was "
       "cut, or not written to its end"},
      {"$B convert hole.safetensors",
       "convert: hole.safetensors: header: malformed JSON at byte 9: a zero byte"},
      {"$B convert deep.safetensors",
       "convert: deep.safetensors: header: more than 100 lists and objects within each other (byte 116)"},
      {"$B convert hole.json", "convert: hole.json: malformed JSON at byte 2: a zero byte"},
      {"$B convert deep.json", "convert: deep.json: lists are nested more than 64 deep: rank is at most 64"},
      {"$B convert deep_object.json",
       "convert: deep_object.json: lists are nested more than 64 deep: rank is at most 64"},
      {"$B run deep_jobs.json",
       "run: deep_jobs.json:1: key \"data\": more than 100 lists and objects within each other"},
      {"$B run wide_jobs.json",
       "run: wide_jobs.json: malformed JSON at line 1, column 8: expected a key, found '{'"},
      {"$B run hole", "run: hole: malformed JSON at line 1, column 1: a zero byte"},
      {"$B check hole", "check: hole: malformed JSON at line 1, column 1: a zero byte"},
      {"$B convert hole", cat("convert: hole: ", kZeros)},
  };
  for (const Row& row : rows) check_row(dir, row);
}

TEST_CASE("room for numbers that may follow is no requirement", "[cli][limits]") {
  const TempDir dir;
  // Short numbers first: as many of them as fit in the file would take 54 MB.
  check_row(dir, {"{ yes 1 | head -n 1100000; yes 0.12345678901234567 | head -n 490000; } >x.csv; "
                  "$L ulimit -v 60000; $B convert x.csv -o x.npy --threads 1",
                  ""});
}

TEST_CASE("an archive of 4 GiB without 64-bit sizes is named as such", "[cli][limits]") {
  const TempDir dir;
  // A directory without members, which says that it begins at byte 100.
  std::ofstream file(dir.file("wrapped.npz"), std::ios::binary);
  file << "PK\3\4";
  file.seekp((std::int64_t{1} << 32) + 100);
  file << "PK\5\6" << std::string(12, '\0') << 'd' << std::string(5, '\0');
  file.close();
  check_row(dir,
            {"$B info wrapped.npz",
             "info: wrapped.npz: malformed zip archive: the central directory is said to begin at byte "
             "100, and begins at 4294967396: it was written without the 64-bit sizes that 4 GiB and more "
             "need"});
}

TEST_CASE("of a file of a tebibyte only what is needed is read", "[cli][limits]") {
  const TempDir dir;
  // The thread sanitizer has no room for so large a mapping.
  constexpr std::int64_t kAll = std::int64_t{1} << (kThreadSanitizer ? 36 : 40);
  const std::string header = npy_header_text("|u1", cat("(", kAll, ",)"));
  write_file(dir.file("huge.npy"), header);
  fs::resize_file(dir.file("huge.npy"), header.size() + kAll);
  // Were all of it read, each of these would take minutes.
  CHECK(check_row(dir, {"$B gather huge.npy 'int64[2]' --dry-run", ""}) ==
        "{\"schema_version\":3,\"dtype\":\"uint8\",\"shape\":[2]}\n");
  CHECK(check_row(dir, {"$B info huge.npy", ""}) ==
        cat("huge.npy: uint8 (", kAll, "), ", kAll, " bytes, npy |u1, C order\n"));
  const std::string ends = cat("$B gather huge.npy '[0,", kAll - 1, ",-1]'");
  CHECK(check_row(dir, {ends.c_str(), ""}) == "{\"dtype\":\"uint8\",\"shape\":[3],\"data\":[0,0,0]}\n");
  const std::string beyond = cat("$B gather huge.npy '[", kAll, "]'");
  check_row(dir,
            {beyond.c_str(), cat("gather: indices[0] = ", kAll, " is out of range for axis 0 of data (size ",
                                 kAll, "; allowed ", -kAll, "..", kAll - 1, ") [IX-1]")});
}

TEST_CASE("a result beyond memory, disk or reason is refused before it is begun", "[cli][limits]") {
  const TempDir dir;
  write_file(dir.file("empty_tuples.npy"), npy_header_text("<i8", "(1000000000000, 0)"));
  const std::vector<Row> rows = {
      {"$B expand '\"a\"' --shape 1000000000000 -o out.npy",
       "expand: the result of shape (1000000000000) needs 16000000000000 bytes of memory, # are free"},
      {"$B expand '\"a\"' --shape 1000000000000 -o out.json",
       "expand: out.json: the result needs at least 2000000000000 bytes, # are free on that file system"},
      {"$B expand '\"a\"' --shape 1000000000000 --format npy",
       "expand: the result of shape (1000000000000) needs 16000000000000 bytes of memory, # are free"},
      {"$B expand 1 --shape 1000000000000000000",
       "expand: the result of shape (1000000000000000000) would have 8000000000000000000 bytes (at most "
       "2^47) [G-2]"},
      {"$B expand 1 --shape 4294967296,4294967296",
       "expand: shape (4294967296,4294967296) has more elements of 8 bytes than fit in 2^63 bytes [G-2]"},
      {"$B expand 1 --shape 1000000000000 -o out.npy",
       "expand: out.npy: the result needs at least 8000000000128 bytes, # are free on that file system"},
      {"$B expand 1 --shape 1000000000000 -o out.json",
       "expand: out.json: the result needs at least 2000000000000 bytes, # are free on that file system"},
      {"$B gathernd '[1,2]' empty_tuples.npy -o out.npy",
       "gathernd: out.npy: the result needs at least 16000000000128 bytes, # are free on that file system"},
      {"echo '{\"op\":\"expand\",\"data\":1,\"shape\":[1000000000000],\"id\":\"x\"}' | $B run -",
       "run: standard input:1: expand: the result of shape (1000000000000) needs 8000000000000 bytes of "
       "memory, # are free"},
  };
  for (const Row& row : rows) check_row(dir, row);
}

TEST_CASE("a TensorProto above 2 GiB is refused before it is begun, also in a case", "[cli][limits]") {
  const TempDir dir;
  // An operand of 2 GiB that takes no space.
  const std::string header = npy_header_text("|u1", "(2147483648,)");
  write_file(dir.file("big.npy"), header);
  fs::resize_file(dir.file("big.npy"), header.size() + (std::uintmax_t{1} << 31));
  write_file(
      dir.file("jobs.jsonl"),
      "{\"op\":\"gather\",\"data\":\"big.npy\",\"indices\":0,\"spec\":\"onnx-13\",\"output\":\"out.npy\"}");
  const std::string refused = " bytes; readers of protobuf accept at most 2147483647";
  const std::vector<Row> rows = {
      {"$B convert big.npy -o out.pb", cat("convert: the TensorProto would have 2147483662", refused)},
      {"$B convert big.npy --format pb", cat("convert: the TensorProto would have 2147483662", refused)},
      {"$B add big.npy 1 -o out.pb", cat("add: the TensorProto would have 2147483662", refused)},
      {"$B expand 1 --shape 268435456 -o out.pb",
       cat("expand: the TensorProto would have 2147483662", refused)},
      // The result of the first, an operand of the others: "output" and "data" are their names in the model.
      {"$B expand 1 --shape 268435456 --spec onnx-13 --onnx-case made",
       cat("expand: output: the TensorProto would have 2147483670", refused)},
      {"$B gather big.npy 0 --spec onnx-13 --onnx-case made",
       cat("gather: data: the TensorProto would have 2147483668", refused)},
      {"$B gather big.npy 0 --spec onnx-13 --onnx-case made -o out.npy",
       cat("gather: data: the TensorProto would have 2147483668", refused)},
      {"mkdir cases; $B run jobs.jsonl --onnx-case cases",
       cat("run: jobs.jsonl:1: gather: data: the TensorProto would have 2147483668", refused)},
  };
  for (const Row& row : rows) check_row(dir, row);
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(dir.path()))
    left.push_back(entry.path().lexically_relative(dir.path()).string());
  std::ranges::sort(left);
  CHECK(left == std::vector<std::string>{"big.npy", "cases", "jobs.jsonl"});
}

TEST_CASE("inflating on many threads keeps to the memory that it may use", "[cli][limits][npz]") {
  const TempDir dir;
  ProcessOptions options;
  options.directory = dir.path().string();
  for (const Words& words : {Words{"expand", "0", "--shape", "12582912", "-o", "z.npy"},
                             Words{"convert", "z.npy", "-o", "z.npz", "--compress"}}) {
    REQUIRE(run_tensorop(words, options).status == 0);
  }
  // 96 MiB, deflated in blocks.
  check_row(dir, {"$B convert z.npz -o y.npy --threads 64 --memory 1M", ""});
  check_row(dir, {"$B gather z.npz 7 --threads 64 --memory 1M -o y.npy", ""});
}

TEST_CASE("a shape without elements costs nothing, whatever its other dimensions", "[cli][limits]") {
  const TempDir dir;
  write_file(dir.file("tuples.npy"), npy_header_text("<i8", "(1000000000000, 0)"));
  write_file(dir.file("data.npy"), npy_header_text("<i8", "(0,)"));
  write_file(dir.file("wide.npy"), npy_header_text("|i1", "(0, 1000000000000000000)"));
  const std::vector<Row> rows = {
      {"$B scatternd data.npy tuples.npy tuples.npy", ""},
      {"$B scatternd data.npy tuples.npy tuples.npy -o out.npy", ""},
      {"$B gathernd data.npy tuples.npy", ""},
      {"$B gather wide.npy 0 --axis 1", ""},
      {"$B gatherelements wide.npy wide.npy -o out.npy", ""},
      {"$B scatterelements wide.npy wide.npy wide.npy -o out.npy", ""},
      {"$B add wide.npy wide.npy -o out.npy", ""},
      {"$B expand wide.npy --shape 1000000000,0,1000000000000000000 -o out.npy", ""},
      {"cp wide.npy copy.npy; $B compare wide.npy copy.npy", ""},
      // Time is that of the updates.
      {"$B scatternd 'float32[70368744177664]' '[[0]]' 'float32[1]' --duplicates error --dry-run", ""},
      {"$B scatternd 'float32[70368744177664]' '[[5],[7],[3],[7],[5]]' 'float32[5]' --duplicates error "
       "--dry-run",
       "scatternd: updates[3] and updates[1] are updates of the same element, data[7]"},
      {"$B convert tuples.npy --format nested",
       "convert: the nested form of the empty shape (1000000000000,0) would have more than 1000000 empty "
       "lists"},
  };
  for (const Row& row : rows) check_row(dir, row);
}

TEST_CASE("arrays without elements cost nothing in any format and command", "[release][cli][limits]") {
  struct Kind {
    const char* dtype;
    const char* descr;        // of NPY
    int onnx;                 // the number of the data type
    const char* safetensors;  // null: the format does not have it
    int gguf;                 // the number of the type; -1: the format does not have it
  };
  constexpr Kind kKinds[] = {{"bool", "|b1", 9, "BOOL", -1},
                             {"int64", ">i8", 7, "I64", 27},
                             {"complex128", "<c16", 15, nullptr, -1},
                             {"string", "<U1", 8, nullptr, -1},
                             {"float8_e5m2", "<f1", 19, "F8_E5M2", -1}};
  // (0,2^58) and (2^58,0) of 16 bytes are as large as shapes may be.
  constexpr const char* kShapes[] = {"0,288230376151711744", "288230376151711744,0", "300000000,0,300000000"};
  // Commands on a file $f. A terminal has a format of its own.
  const std::string commands =
      "exec 3>&2 2>errors; trap 'test $? = 0 || tail -n 3 errors >&3' EXIT; set -e; "
      "$B info $f --stats --digest; cp x.json copy; $B compare $f copy --map; $B why gather $f []; "
      "$B convert $f -o out.pb; $B convert $f --format json; "
      "test $f = x.gguf || cat $f | $B convert - -o out.npy; "
      "! command -v script || script -qec \"$B convert $f\" /dev/null </dev/null";
  for (const char* const shape : kShapes) {
    for (const Kind& kind : kKinds) {
      const TempDir dir;
      const std::string header = npy_header_text(kind.descr, cat('(', shape, ')'));
      std::string fortran = header;
      write_file(dir.file("c.npy"), header);
      write_file(dir.file("f.npy"), fortran.replace(header.find("False"), 5, " True"));
      write_file(dir.file("x.json"),
                 cat(R"({"dtype":")", kind.dtype, R"(","shape":[)", shape, R"(],"data":[]})"));
      write_file(dir.file("case.jsonl"),
                 R"({"op":"gather","data":"x.json","indices":{"dtype":"int64","data":[]},"output":"y.pb"})");
      write_file(dir.file("check.jsonl"),
                 R"({"op":"gather","data":"x.json","indices":{"dtype":"int64","data":[]},"expect":"y.pb"})");
      Proto proto;
      std::vector<std::int64_t> sizes;
      for (std::istringstream dims(shape); dims.good(); dims.ignore()) {
        std::int64_t dim = 0;
        dims >> dim;
        proto.integer(1, dim);
        sizes.push_back(dim);
      }
      write_file(dir.file("x.pb"), proto.integer(2, kind.onnx).text());
      std::vector<std::string> files = {"c.npy", "f.npy", "x.pb", "x.json"};
      if (kind.safetensors != nullptr) {
        const std::string text = cat(R"({"x":{"dtype":")", kind.safetensors, R"(","shape":[)", shape,
                                     R"(],"data_offsets":[0,0]}})");
        write_file(dir.file("x.safetensors"),
                   cat(static_cast<char>(text.size()), std::string(7, '\0'), text));
        files.emplace_back("x.safetensors");
      }
      if (kind.gguf != -1) {
        std::string bytes = "GGUF";
        const auto number = [&](std::int64_t value, std::size_t width) {
          append_little_endian(bytes, static_cast<std::uint64_t>(value), width);
        };
        number(3, 4);  // version
        number(1, 8);  // tensors
        number(0, 8);  // metadata
        number(1, 8);  // characters of the name
        bytes += 'x';
        number(std::ssize(sizes), 4);
        for (std::size_t i = sizes.size(); i-- > 0;) number(sizes[i], 8);
        number(kind.gguf, 4);
        number(0, 8);  // offset
        bytes.resize(to_size(ceil_div(to_int64(bytes.size()), 32) * 32));
        write_file(dir.file("x.gguf"), bytes);
        files.emplace_back("x.gguf");
      }
      for (const std::string& file : files) {
        CAPTURE(kind.dtype, shape, file);
        check_row(dir, {cat("f=", file, "; ", commands), ""});
      }
      check_row(dir, {"set -e; $B run -q case.jsonl; $B check check.jsonl; $B check check.jsonl --update; $B "
                      "info out.pb",
                      ""});
    }
  }
}

TEST_CASE("what is no file to read is refused", "[cli][limits]") {
  const TempDir dir;
  fs::create_directory(dir.path() / "folder");
  fs::create_symlink("loop", dir.path() / "loop");
  fs::create_symlink("nowhere", dir.path() / "lost");
  const std::vector<Row> rows = {
      {"$B convert folder", "convert: folder: is a directory"},
      {"$B convert folder/", "convert: folder/: is a directory"},
      {"$B convert loop", "convert: loop: cannot open: Too many levels of symbolic links"},
      {"$B convert lost", "convert: lost: cannot open: No such file or directory"},
      {"$B convert loop:x", "convert: loop:x: cannot open: No such file or directory"},
      {"$B gather loop 0", "gather: data: loop: cannot open: Too many levels of symbolic links"},
      {"$B run folder", "run: folder: is a directory"},
      {"$B run loop", "run: loop: cannot open: Too many levels of symbolic links"},
      {"$B check loop", "check: loop: cannot open: Too many levels of symbolic links"},
      {"$B info folder", "info: folder: no tensors and no ONNX cases in this folder"},
      {"$B compare loop folder", "compare: actual: loop: cannot open: Too many levels of symbolic links"},
      {"$B compare folder loop", "compare: expected: loop: cannot open: Too many levels of symbolic links"},
      {"mkfifo pipe; { printf 'PK\\003\\004' >pipe & }; $B convert pipe",
       "convert: pipe: malformed zip archive: its end is missing: the file was cut, or not written to its "
       "end"},
      {"mkfifo ends; { : >ends & }; $B convert ends", "convert: ends: holds no JSON value"},
      {"$B convert - <folder", "convert: standard input: is a directory"},
      {"$B convert - <&-", "convert: standard input: cannot read: Bad file descriptor"},
  };
  for (const Row& row : rows) check_row(dir, row);
}

}  // namespace tensorop::cli_limits_test
