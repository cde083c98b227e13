// Hostile inputs through the real program: refused at once, with a line, and without memory or time out of
// proportion to what they are.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/text/text.hpp"
#include "io/little_endian.hpp"
#include "support/catch.hpp"
#include "support/npy_writer.hpp"
#include "support/onnx_files.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"
#include "support/transcript.hpp"

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

// The peak of a child includes the memory of the test itself: see process.hpp.
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

struct Row {
  std::string command;  // as testdata/limits.txt has it
  std::string message;  // of the error; empty: there is none
};

// The rows of testdata/limits.txt under "== `section`".
std::vector<Row> rows_of(std::string_view section) {
  std::ifstream in(source_dir() + "/testdata/limits.txt");
  std::vector<Row> rows;
  bool is_in = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("== ")) is_in = line.substr(3) == section;
    if (!is_in || line.empty() || line.starts_with("==") || line.starts_with("# ")) continue;
    if (line.starts_with("  ")) {
      rows.back().message = line.substr(2);
    } else {
      rows.push_back({line, ""});
    }
  }
  REQUIRE(!rows.empty());
  return rows;
}

// Gives what the command prints.
std::string check_row(const TempDir& dir, const Row& row) {
  const bool is_limited = row.command.find("$L") != std::string_view::npos;
  if (kAnySanitizer && is_limited) {
    SUCCEED("a sanitizer takes terabytes of addresses");
    return {};
  }
  ProcessOptions options;
  options.directory = dir.path().string();
  options.environment = {cat("B=timeout 300 ", tensorop_binary()),
                         cat("L=eval ulimit -v ", kAddressSpace >> 10, ";"),
                         cat("F=eval ulimit -f 8192; TMPDIR=. ", tensorop_binary())};
  const ProcessResult result = run_process({"/bin/sh", "-c", row.command}, options);
  const std::string line = result.err.substr(0, result.err.find('\n'));
  CAPTURE(row.command, result.out.substr(0, 1000), line);
  if (row.message.empty()) {
    CHECK(result.status == 0);
    CHECK(line.empty());
  } else {
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(is_message(without_lists(line), cat("tensorop: ", row.message)));
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
  for (const Row& row : rows_of("endless streams")) check_row(dir, row);
}

TEST_CASE("names of known failures are looked up", "[cli][limits]") {
  const TempDir dir;
  for (const Row& row : rows_of("names of known failures")) check_row(dir, row);
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
      {"$B convert swapped.npy -o out.npy",
       cat("convert: swapped.npy: out.npy: the result needs at least ", kSwapped * 2 + 128,
           " bytes, # are free on that file system")},
      {"TMPDIR=. $B gather swapped.npy 0", cat("gather: data: swapped.npy: ", swapped)},
  };
  for (const Row& row : rows) check_row(dir, row);
  for (const Row& row : rows_of("false promises")) check_row(dir, row);
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
        "{\"schema_version\":4,\"dtype\":\"uint8\",\"shape\":[2]}\n");
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
  for (const Row& row : rows_of("results that do not fit")) check_row(dir, row);
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
  for (const Row& row : rows_of("TensorProto above 2 GiB")) check_row(dir, row);
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
  for (const Row& row : rows_of("shapes without elements")) check_row(dir, row);
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
  for (const Row& row : rows_of("no files to read")) check_row(dir, row);
}

}  // namespace tensorop::cli_limits_test
