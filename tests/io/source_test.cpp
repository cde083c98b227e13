// Operands: what is opened and mapped, and when a dtype is known. What is a path, what is the tensor itself,
// and what "-" is: cli/operands.md.
#include "io/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "io/json/json_writer.hpp"
#include "io/npz/npz_writer.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/npy_writer.hpp"
#include "support/standard_input.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::io_source_test {
namespace {

namespace fs = std::filesystem;

// dtype and elements of an operand by itself: "int64 [1,2]"; "untyped int64 [1,2]" where it named no dtype.
std::string read(const std::string& text) {
  Source source = Source::open(text, {});
  std::string out;
  if (source.tensor() == nullptr) {
    out = "untyped ";
    source.resolve(source.natural_dtype());
  }
  return cat(out, name(source.tensor()->dtype()), ' ', nested_json(*source.tensor()));
}

std::string open_error(const std::string& text, const Source::Options& options = {}) {
  return error_of([&] { (void)Source::open(text, options); });
}

Tensor two_numbers() {
  auto storage = std::make_shared<Storage>(8);
  reinterpret_cast<float*>(storage->data())[0] = 1.5F;
  reinterpret_cast<float*>(storage->data())[1] = -2.0F;
  return {DType::float32, {2}, storage};
}

// The working directory is `path` as long as this object lives.
class DirectoryScope {
 public:
  explicit DirectoryScope(const fs::path& path) : before_(fs::current_path()) { fs::current_path(path); }
  ~DirectoryScope() { fs::current_path(before_); }
  DirectoryScope(const DirectoryScope&) = delete;
  DirectoryScope& operator=(const DirectoryScope&) = delete;

 private:
  fs::path before_;
};

// Counts the calls that find out what an operand is.
class CountingSystem : public System {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    ++opens;
    return System::open(path, flags, mode);
  }
  int fstat(int fd, struct stat* out) override {
    ++fstats;
    return System::fstat(fd, out);
  }
  int stat(const char* path, struct stat* out) override {
    ++stats;
    return System::stat(path, out);
  }
  int opens = 0;
  int fstats = 0;
  int stats = 0;
};

std::string calls_to_open(const std::string& text, const Source::Options& options = {}) {
  CountingSystem counting;
  const ScopedSystem scope(counting);
  (void)Source::open(text, options);
  return cat(counting.opens, " open, ", counting.fstats, " fstat, ", counting.stats, " stat");
}

void write_numbers_archive(const std::string& path) {
  const auto archive = write_npz(path, {});
  const Tensor numbers = two_numbers();
  (void)archive->announce({{.name = "x"}});
  const auto sink = archive->add("x", numbers.dtype(), numbers.shape(), 0);
  sink->append({reinterpret_cast<const char*>(numbers.data()), 8});
  sink->commit();
  archive->commit();
}

}  // namespace

TEST_CASE("an operand is opened once and asked once what it is", "[io][source]") {
  const TempDir dir;
  write_file(dir.file("a.npy"), npy_bytes(two_numbers()));
  write_file(dir.file("a.json"), "[1,2]");
  write_file(dir.file("a:b.npy"), npy_bytes(two_numbers()));
  write_numbers_archive(dir.file("a.npz"));
  CHECK(calls_to_open(dir.file("a.npy")) == "1 open, 1 fstat, 0 stat");
  CHECK(calls_to_open(dir.file("a.npy"), {.header_only = true, .allow_abstract = true}) ==
        "1 open, 1 fstat, 0 stat");
  // Text is in memory when it has been read: whether the file is still the same is asked then.
  CHECK(calls_to_open(dir.file("a.json")) == "1 open, 1 fstat, 1 stat");
  CHECK(calls_to_open(dir.file("a:b.npy")) == "1 open, 1 fstat, 0 stat");
  CHECK(calls_to_open(dir.file("a.npz")) == "1 open, 1 fstat, 0 stat");
  CHECK(calls_to_open("[1,2]") == "0 open, 0 fstat, 0 stat");
  // One open() that finds no file of that name.
  CHECK(calls_to_open("int8[2]", {.header_only = true, .allow_abstract = true}) == "1 open, 0 fstat, 0 stat");
  // The text before the colon is opened only if it names a regular file.
  CHECK(calls_to_open(dir.file("a.npz:x")) == "2 open, 1 fstat, 1 stat");
}

TEST_CASE("a file that is there and may not be opened is not taken for something else", "[io][source]") {
  class ClosedSystem : public System {
   public:
    int open(const char* /*path*/, int /*flags*/, mode_t /*mode*/) override {
      errno = EACCES;
      return -1;
    }
  };
  const TempDir dir;
  const DirectoryScope directory(dir.path());
  write_file("2024-05-01", npy_bytes(two_numbers()));
  ClosedSystem closed;
  const ScopedSystem scope(closed);
  CHECK(open_error("2024-05-01") == "2024-05-01: cannot open: Permission denied");
}

TEST_CASE("an operand tells which mapped file its elements lie in", "[io][source]") {
  const TempDir dir;
  write_file(dir.file("a.npy"), npy_bytes(two_numbers()));
  write_file(dir.file("big.npy"), npy_bytes(two_numbers(), {.big_endian = true}));
  write_file(dir.file("a.json"), "[1,2]");
  write_numbers_archive(dir.file("a.npz"));
  for (const char* name : {"a.npy", "a.npz", "a.npz:x"}) {
    CAPTURE(name);
    const Source source = Source::open(dir.file(name), {});
    REQUIRE(source.mapping() != nullptr);
    const auto bytes = source.mapping()->bytes();
    CHECK(source.tensor()->data() >= bytes.data());
    CHECK(source.tensor()->data() + 8 <= bytes.data() + bytes.size());
    CHECK(Source::open(dir.file(name), {.header_only = true}).mapping() == nullptr);
  }
  CHECK(Source::open(dir.file("big.npy"), {}).mapping() == nullptr);
  CHECK(Source::open("[1,2]", {}).mapping() == nullptr);
  Source json = Source::open(dir.file("a.json"), {.read_later = true});
  CHECK(json.mapping() != nullptr);
  json.resolve(DType::int8);
  CHECK(json.mapping() == nullptr);
}

TEST_CASE("text that is read later is read as the dtype that is known by then, and not before",
          "[io][source]") {
  const TempDir dir;
  write_file(dir.file("untyped"), "[1, 300, 2]");
  write_file(dir.file("typed"), R"({"dtype":"int16","data":[1,300]})");
  write_file(dir.file("malformed"), "[1,");
  Source malformed = Source::open(dir.file("malformed"), {.read_later = true});
  CHECK(malformed.is_unread());
  CHECK(malformed.tensor() == nullptr);
  const std::string line = error_of([&] { malformed.resolve(DType::int8); });
  CHECK(line.starts_with(dir.file("malformed") + ": malformed JSON at line 1, column 4"));
  CHECK(malformed.is_unread());
  // In uint64 it fits; by itself it would be refused.
  Source large = Source::open("[18446744073709551615]", {.read_later = true});
  large.resolve(DType::uint64);
  CHECK(nested_json(*large.tensor()) == "[18446744073709551615]");
  Source untyped = Source::open(dir.file("untyped"), {.read_later = true});
  CHECK(error_of([&] { untyped.resolve(DType::int8); }) ==
        dir.file("untyped") + ": element [1] = 300 does not fit in int8 (-128..127)");
  untyped.read();
  CHECK_FALSE(untyped.is_unread());
  CHECK(untyped.natural_dtype() == DType::int64);
  untyped.resolve(DType::float32);
  CHECK(nested_json(*untyped.tensor()) == "[1.0,300.0,2.0]");
  Source typed = Source::open(dir.file("typed"), {.read_later = true});
  typed.resolve(DType::int8);
  CHECK(typed.tensor()->dtype() == DType::int16);
}

TEST_CASE("text that changes before it has been read is an error", "[io][source]") {
  const TempDir dir;
  for (const std::string name : {"a.json", "a.csv"}) {
    CAPTURE(name);
    const std::string path = dir.file(name);
    const bool is_json = name == "a.json";
    std::ofstream(path) << (is_json ? "[1,2" : "1,2");
    Source source = Source::open(path, {.read_later = true});
    // The text is well-formed with and without what comes: only its size tells.
    std::ofstream(path, std::ios::app) << (is_json ? "]" : "\n");
    CHECK(error_of([&] { source.resolve(DType::int32); }) == cat(path, ": changed while it was read"));
  }
}

TEST_CASE("inline JSON wins over a file of the same spelling, which is written ./NAME", "[io][source]") {
  const TempDir dir;
  const DirectoryScope scope(dir.path());
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"[1,2]", "untyped int64 [1,2]"},  {"3", "untyped int64 3"},
      {"-3", "untyped int64 -3"},        {"1e2", "untyped float64 100.0"},
      {"true", "untyped bool true"},     {" 3", "untyped int64 3"},
      {"\"a\"", "untyped string \"a\""}, {"{\"data\":[4]}", "untyped int64 [4]"},
  };
  for (const auto& [name, inline_tensor] : rows) {
    CAPTURE(name);
    write_file(name, npy_bytes(two_numbers()));
    CHECK(read(name) == inline_tensor);
    CHECK(read("./" + name) == "float32 [1.5,-2.0]");
    CHECK_FALSE(names_file(name));
    ArchiveCache archives;
    CHECK(array_name(name, archives).empty());
  }
  write_file("[x]", npy_bytes(two_numbers()));
  CHECK(open_error("[x]").starts_with("malformed JSON at "));
}

TEST_CASE("a file named like standard input is another file", "[io][source]") {
  const TempDir dir;
  const DirectoryScope directory(dir.path());
  write_file("standard input", npy_bytes(two_numbers()));
  write_file("in.npy", npy_bytes(two_numbers()));
  const StandardInputScope scope("in.npy");
  const Source file = Source::open("standard input", {});
  const Source redirected = Source::open("-", {});
  const auto change_of = [](const Source& source) {
    return error_of([&] { source.mapping()->require_unchanged(); });
  };
  std::ofstream("standard input", std::ios::app) << 'x';
  CHECK(change_of(file) == "standard input: changed while it was read");
  CHECK(change_of(redirected) == "no error");
  std::ofstream("in.npy", std::ios::app) << 'x';
  CHECK(change_of(redirected) == "standard input: changed while it was read");
}

TEST_CASE("an untyped operand takes the dtype it is given", "[io][source]") {
  struct Row {
    const char* text;
    DType natural;
    bool fits_any;
    DType as;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"[1,2]", DType::int64, false, DType::int8, "[1,2]"},
      {"[1,2]", DType::int64, false, DType::float16, "[1.0,2.0]"},
      {"[1,2.5]", DType::float64, false, DType::bfloat16, "[1.0,2.5]"},
      {"[\"NaN\",1]", DType::float64, false, DType::float32, "[\"NaN\",1.0]"},
      {"[[],[]]", DType::int64, true, DType::string, "[[],[]]"},
      // Too large for what it would be by itself, and well in what it becomes.
      {"[18446744073709551615]", DType::int64, false, DType::uint64, "[18446744073709551615]"},
      {"[1,18446744073709551616]", DType::int64, false, DType::float64, "[1.0,18446744073709551616.0]"},
      {"[-0,1]", DType::int64, false, DType::float64, "[-0.0,1.0]"},
      {"[\"NaN\"]", DType::float64, false, DType::string, "[\"NaN\"]"},
      {"[\"NaN\",\"b\"]", DType::string, false, DType::string, "[\"NaN\",\"b\"]"},
      {"[1,9007199254740993]", DType::int64, false, DType::float64,
       "element [1] = 9007199254740993 does not fit in float64: it would become 9007199254740992.0"},
      {"[18446744073709551615]", DType::int64, false, DType::int64,
       "element [0] = 18446744073709551615 does not fit in int64 "
       "(-9223372036854775808..9223372036854775807)\n"
       "untyped integers are int64: {\"dtype\":\"uint64\",\"data\":...} or --dtype uint64 names the dtype"},
      {"[300]", DType::int64, false, DType::int8, "element [0] = 300 does not fit in int8 (-128..127)"},
      {"[\"a\"]", DType::string, false, DType::int8, "element [0]: expected a number, found a string"},
  };
  const TempDir dir;
  for (const Row& row : rows) {
    CAPTURE(row.text);
    write_file(dir.file("file"), row.text);
    for (const std::string& text : {std::string(row.text), dir.file("file")}) {
      Source source = Source::open(text, {});
      REQUIRE(source.tensor() == nullptr);
      CHECK(source.natural_dtype() == row.natural);
      CHECK(source.fits_any_dtype() == row.fits_any);
      const std::string line = error_of([&] { source.resolve(row.as); });
      const std::string prefix = source.name().empty() ? "" : source.name() + ": ";
      if (line != "no error") {
        CHECK(line == prefix + row.expected);
      } else {
        REQUIRE(source.tensor() != nullptr);
        CHECK(source.tensor()->dtype() == row.as);
        CHECK(nested_json(*source.tensor()) == row.expected);
      }
    }
  }
}

}  // namespace tensorop::io_source_test
