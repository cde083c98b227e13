// Archives through the real program: arrays of them as operands, info, and convert into them.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

// two.npz: x = [10,20,30] and y = [[1.5],[2.5]]; one.npz: i = [2,0].
void make_archives(const TempDir& dir, const std::string& compress = "-q") {
  check_done(run_in(dir, {"convert", "x=[10,20,30]", "y=[[1.5],[2.5]]", "-o", "two.npz", compress}), "");
  check_done(run_in(dir, {"convert", "i=[2,0]", "-o", "one.npz", compress}), "");
}

}  // namespace

TEST_CASE("an array of an archive is an operand, stored or deflated", "[cli][npz]") {
  for (const char* compress : {"-q", "--compress"}) {
    const TempDir dir;
    make_archives(dir, compress);
    const std::string thirty = "{\"dtype\":\"int64\",\"shape\":[2],\"data\":[30,10]}\n";
    check_done(run_in(dir, {"gather", "two.npz:x", "one.npz:i"}), thirty);
    check_done(run_in(dir, {"gather", "--data", "two.npz:x.npy", "--indices", "one.npz"}), thirty);
    check_done(run_in(dir, {"gather", "./two.npz:x", "[2,0]"}), thirty);
    check_done(run_in(dir, {"gather", "two.npz:x", "one.npz:i", "--dry-run"}),
               "{\"dtype\":\"int64\",\"shape\":[2]}\n");
    check_done(run_in(dir, {"expand", "[7]", "--shape", "one.npz:i", "--dry-run"}),
               "{\"dtype\":\"int64\",\"shape\":[2,0]}\n");
    check_done(run_in(dir, {"convert", "two.npz:y", "--dtype", "int8", "--format", "nested"}), "[[1],[2]]\n");
    check_done(shell(dir, "\"$B\" convert - --format nested <one.npz"), "[2,0]\n");
  }
}

TEST_CASE("the first colon after an archive parts file and array; a file of the whole name wins",
          "[cli][npz]") {
  const TempDir dir;
  make_archives(dir);
  const auto convert = [&](const std::string& operand) {
    return run_in(dir, {"convert", operand, "--format", "nested"});
  };
  std::filesystem::create_directory(dir.path() / "a:b");
  std::filesystem::copy(dir.path() / "two.npz", dir.path() / "a:b" / "c:d");
  check_done(convert("a:b/c:d:x"), "[10,20,30]\n");
  check_done(run_in(dir, {"convert", "p:q=[5]", "-o", "colon.npz"}), "");
  check_done(convert("colon.npz:p:q"), "[5]\n");
  write_file(dir.file("two.npz:x"), "[7]");
  check_done(convert("two.npz:x"), "[7]\n");
  // What stands before the colon is no archive, whatever it is called.
  write_file(dir.file("no.npz"), "[1]");
  check_refused(convert("no.npz:x"), "convert: no.npz:x: cannot open: No such file or directory");
  check_refused(convert("none.npz:x"), "convert: none.npz:x: cannot open: No such file or directory");
}

TEST_CASE("an array that is not there, or not named, is refused with what there is", "[cli][npz]") {
  const TempDir dir;
  make_archives(dir);
  check_refused(run_in(dir, {"gather", "two.npz", "0"}),
                "gather: data: two.npz: the archive holds 2 arrays (x, y); name one of them\n"
                "hint: FILE:NAME names one array of an archive");
  check_refused(run_in(dir, {"gather", "two.npz:w", "0"}),
                "gather: data: two.npz: the archive holds no array 'w'\nhint: it holds x, y");
  check_refused(run_in(dir, {"gather", "two.npz:", "0"}),
                "gather: data: two.npz: the archive holds no array ''\nhint: it holds x, y");
  check_refused(
      run_in(dir, {"convert", "-"}, get(dir.file("one.npz"))),
      "convert: standard input: an NPZ archive cannot be read as a stream: its directory is at its end\n"
      "hint: save it to a file first");
}

TEST_CASE("info says of each array in an archive what its header says", "[cli][npz]") {
  const TempDir dir;
  make_archives(dir);
  check_done(run_in(dir, {"convert", "z=[1]", "-o", "z.npz", "--compress"}), "");
  const std::string x = "two.npz:x: int64 (3), 24 bytes, npz <i8, C order, stored\n";
  const std::string y = "two.npz:y: float64 (2,1), 16 bytes, npz <f8, C order, stored\n";
  const std::string z = "z.npz:z: int64 (1), 8 bytes, npz <i8, C order, deflated\n";
  check_done(run_in(dir, {"info", "two.npz", "z.npz"}), x + y + z);
  check_done(run_in(dir, {"info", "two.npz:y"}), y);
  check_done(run_in(dir, {"info", "--json", "z.npz"}),
             R"({"path":"z.npz:z","format":"npz","dtype":"int64","shape":[1],"bytes":8,"stored":"<i8",)"
             R"("order":"C","compression":"deflated"})"
             "\n");
  check_refused(run_in(dir, {"info", "two.npz:w"}),
                "info: two.npz: the archive holds no array 'w'\nhint: it holds x, y");
  check_done(run_in(dir, {"convert", "two.npz:x", "-o", "x.npz"}), "");
  // The header alone is read: the elements may be damaged.
  std::string bytes = get(dir.file("x.npz"));
  const std::string last("\x1e\0\0\0\0\0\0\0", 8);
  bytes[bytes.find(last)] = '\x1f';
  write_file(dir.file("x.npz"), bytes);
  check_done(run_in(dir, {"info", "x.npz"}), "x.npz:x: int64 (3), 24 bytes, npz <i8, C order, stored\n");
  check_done(run_in(dir, {"gather", "x.npz", "0", "--dry-run"}), "{\"dtype\":\"int64\",\"shape\":[]}\n");
  const ProcessResult damaged = run_in(dir, {"gather", "x.npz", "0"});
  CHECK(damaged.err.starts_with("tensorop: gather: data: x.npz:x: the data is damaged: its CRC-32 is 0x"));
  CHECK(damaged.status == 2);
}

TEST_CASE("convert calls an array as it is told, as its file or as in its archive, or by position",
          "[cli][npz]") {
  const TempDir dir;
  make_archives(dir);
  std::filesystem::create_directory(dir.path() / "sub");
  for (const char* file : {"sub/w.v1.json", "plain", ".hidden", "a=b.json", "c"})
    write_file(dir.file(file), "[1]");
  struct Row {
    std::string operand;
    std::string name;
  };
  const std::vector<Row> rows = {
      {"sub/w.v1.json", "w.v1"},
      {"plain", "plain"},
      {".hidden", ".hidden"},
      {"[1]", "arr_3"},
      {"a=b.json", "a=b"},
      {"n=c", "n"},
      {"m=[1]", "m"},
      {"o=two.npz:x", "o"},
      {"two.npz:x", "x"},
      {"one.npz", "i"},
      {"-", "arr_10"},
      {R"({"data":[1]})", "arr_11"},
      {"p=a=b.json", "p"},
      {"\"q=r\"", "arr_13"},
      {"na\xc3\xafve=1", "na\xc3\xafve"},
  };
  Words words = {"convert"};
  for (const Row& row : rows) words.push_back(row.operand);
  words.insert(words.end(), {"-o", "out.npz"});
  check_done(run_in(dir, words, "[1]"), "");
  const ProcessResult info = run_in(dir, {"info", "out.npz"});
  std::size_t place = 0;
  for (const Row& row : rows) {
    CAPTURE(row.operand);
    const std::string line = cat("out.npz:", row.name, ": ");
    CHECK(info.out.substr(place, line.size()) == line);
    place = info.out.find('\n', place) + 1;
  }
  CHECK(place == info.out.size());
}

TEST_CASE("a FIFO goes into an archive: its name is its array's, and its bytes are read once", "[cli][npz]") {
  const TempDir dir;
  check_done(run_in(dir, {"convert", "[1,2]", "-o", "a.npy"}), "");
  check_done(shell(dir, "mkfifo pipe && { cat a.npy >pipe & } && \"$B\" convert pipe -o p.npz"), "");
  check_done(run_in(dir, {"convert", "p.npz:pipe", "--format", "nested"}), "[1,2]\n");
}

TEST_CASE("convert to an archive casts, and refuses what does not fit or go together", "[cli][npz]") {
  const TempDir dir;
  make_archives(dir);
  check_done(run_in(dir, {"convert", "two.npz:x", "[1,2]", "-o", "cast.npz", "--dtype", "uint8"}), "");
  check_done(run_in(dir, {"info", "cast.npz"}),
             "cast.npz:x: uint8 (3), 3 bytes, npz |u1, C order, stored\n"
             "cast.npz:arr_1: uint8 (2), 2 bytes, npz |u1, C order, stored\n");
  write_file(dir.file("out.npz"), "before");
  struct Row {
    Words words;
    std::string message;
  };
  const std::vector<Row> rows = {
      {{"two.npz:x", "x=[1]"},
       "two.npz:x and x=[1] would both have the name 'x'\nhint: NAME=OPERAND gives an array another name"},
      {{"a\nb=[1]"},
       "a\\nb=[1]: an array cannot have the name 'a\\nb': it has control characters\n"
       "hint: NAME=OPERAND gives it another name"},
      {{"=[1]"},
       "=[1]: an array cannot have the name '': the name is empty\nhint: NAME=OPERAND gives it another name"},
      {{"a=-", "-"}, "standard input can be read only once"},
      {{"a=two.npz"},
       "two.npz: the archive holds 2 arrays (x, y); name one of them\nhint: FILE:NAME names one array of an "
       "archive"},
      {{"two.npz", "y=[1]"},
       "two.npz and y=[1] would both have the name 'y'\nhint: NAME=OPERAND gives an array another name"},
      {{"[1]", "none.npy"}, "none.npy: cannot open: No such file or directory"},
      {{"[1]", "a=none.npy"}, "none.npy: cannot open: No such file or directory"},
      {{"[1]", "two.npz:x", R"({"dtype":"float32","data":[300]})", "--dtype", "int8"},
       "element [0] = 300.0 does not fit in int8 (-128..127)"},
      {{"[\"a\"]", "two.npz:x", "--dtype", "string"}, "two.npz:x: cannot cast int64 to string"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.message);
    Words words = {"convert"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    Words to_file = words;
    to_file.insert(to_file.end(), {"-o", "out.npz"});
    check_refused(run_in(dir, to_file), cat("convert: ", row.message));
    CHECK(get(dir.file("out.npz")) == "before");
    // Into a stream, nothing before everything is known to be well.
    words.insert(words.end(), {"--format", "npz"});
    check_refused(run_in(dir, words), cat("convert: ", row.message));
  }
  check_refused(run_in(dir, {"convert", "[1]", "--compress"}),
                "convert: --compress is only for NPZ archives");
  check_refused(run_in(dir, {"convert", "[1]", "--compress", "-o", "a.npy"}),
                "convert: --compress is only for NPZ archives");
}

TEST_CASE("an archive may be written over one of its inputs", "[cli][npz]") {
  for (const char* compress : {"-q", "--compress"}) {
    const TempDir dir;
    make_archives(dir, compress);
    check_done(run_in(dir, {"convert", "two.npz:y", "w=[9]", "z=two.npz:x", "-o", "two.npz", compress}), "");
    check_done(run_in(dir, {"convert", "two.npz:y", "--format", "nested"}), "[[1.5],[2.5]]\n");
    check_done(run_in(dir, {"convert", "two.npz:z", "--format", "nested"}), "[10,20,30]\n");
  }
}

TEST_CASE("an archive into a pipe or a FIFO reads back", "[cli][npz]") {
  const TempDir dir;
  make_archives(dir);
  for (const char* compress : {"", "--compress"}) {
    CAPTURE(compress);
    const std::string convert = cat("\"$B\" convert two.npz:x two.npz:y --format npz ", compress);
    check_done(shell(dir, convert + " | cat >piped.npz && \"$B\" convert piped.npz:y --format nested"),
               "[[1.5],[2.5]]\n");
    check_done(shell(dir, convert + " >direct.npz && cmp piped.npz direct.npz"), "");
    check_done(
        shell(dir, cat("mkfifo f; cat f >fifo.npz & ", convert, " -o f && wait && cmp piped.npz fifo.npz")),
        "");
    check_done(shell(dir, "rm -f f"), "");
  }
}

}  // namespace tensorop
