// safetensors files through the real program: arrays of them as operands and results, info, convert and
// compare, beside NPZ archives. Malformed files: tests/io/safetensors_test.cpp.
#include <filesystem>
#include <fstream>
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

// A file with this header, padded as the reference implementation does it.
std::string framed(std::string json, const std::string& data = "") {
  json.append((8 - json.size() % 8) % 8, ' ');
  std::string out;
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(json.size() >> shift & 0xFFU);
  return out + json + data;
}

// two.safetensors: x = [10,20,30] and y = [[1.5],[2.5]]; one.safetensors: i = [2,0].
void make_archives(const TempDir& dir) {
  check_done(run_in(dir, {"convert", "x=[10,20,30]", "y=[[1.5],[2.5]]", "-o", "two.safetensors"}));
  check_done(run_in(dir, {"convert", "i=[2,0]", "-o", "one.safetensors"}));
}

}  // namespace

TEST_CASE("an array of a safetensors file is an operand", "[cli][safetensors]") {
  const TempDir dir;
  make_archives(dir);
  const std::string thirty = "{\"dtype\":\"int64\",\"shape\":[2],\"data\":[30,10]}\n";
  check_done(run_in(dir, {"gather", "two.safetensors:x", "one.safetensors:i"}), thirty);
  check_done(run_in(dir, {"gather", "--data", "./two.safetensors:x", "--indices", "one.safetensors"}),
             thirty);
  check_done(run_in(dir, {"gather", "two.safetensors:x", "one.safetensors:i", "--dry-run"}),
             "{\"dtype\":\"int64\",\"shape\":[2]}\n");
  check_done(shell(dir, "\"$B\" convert - --format nested <one.safetensors"), "[2,0]\n");
  check_done(shell(dir, "cat one.safetensors | \"$B\" convert - --format nested"), "[2,0]\n");
  check_done(shell(dir, "cat one.safetensors | \"$B\" info -"),
             "standard input:i: int64 (2), 16 bytes, safetensors I64, C order\n");
  const std::string two =
      "convert: standard input: the archive holds 2 arrays (x, y); name one of them\nhint: ";
  check_refused(shell(dir, "cat two.safetensors | \"$B\" convert -"),
                two + "save it to a file: FILE:NAME names one array of it");
  check_refused(shell(dir, "\"$B\" convert - <two.safetensors"),
                two + "/dev/stdin:NAME names one array of it");
  check_done(shell(dir, "\"$B\" convert /dev/stdin:x --format nested <two.safetensors"), "[10,20,30]\n");
  const std::string bytes = get(dir.file("one.safetensors"));
  check_refused(run_in(dir, {"convert", "-"}, bytes.substr(0, bytes.size() - 1)),
                "convert: standard input:i: header promises 16 bytes of data, the file holds 15");
  check_refused(run_in(dir, {"convert", "-"}, bytes + "x"),
                "convert: standard input:i: header promises 16 bytes of data, the file holds more");
  check_refused(
      run_in(dir, {"convert", "-"}, bytes.substr(0, 20)),
      "convert: standard input: safetensors header of 56 bytes, the file holds 12 after its length");
  check_refused(run_in(dir, {"gather", "two.safetensors:w", "0"}),
                "gather: data: two.safetensors: the archive holds no array 'w'\nhint: it holds x, y");
}

TEST_CASE("a name says what a damaged safetensors file was to be", "[cli][safetensors]") {
  const TempDir dir;
  struct Row {
    std::string bytes;
    std::string message;
  };
  const std::vector<Row> rows = {
      {"", "too short for a safetensors header: 0 bytes, at least 8"},
      {"abc", "too short for a safetensors header: 3 bytes, at least 8"},
      {framed("[1, 2, 3, 4, 5, 6]"), "header must be one JSON object, found a list"},
      {std::string(8, '\0') + "{}", "the safetensors header is empty"},
      {std::string(8, '\xff') + "{}", "safetensors header of 18446744073709551615 bytes (at most 100000000)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.message);
    write_file(dir.file("a.safetensors"), row.bytes);
    check_refused(run_in(dir, {"convert", "a.safetensors"}), cat("convert: a.safetensors: ", row.message));
  }
  write_file(dir.file("a.safetensors"), "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n");
  CHECK(run_in(dir, {"info", "a.safetensors"}).err.find("a Git LFS pointer") != std::string::npos);
}

TEST_CASE("info shows the arrays of a safetensors file and its metadata", "[cli][safetensors]") {
  const TempDir dir;
  make_archives(dir);
  const std::string y = "two.safetensors:y: float64 (2,1), 16 bytes, safetensors F64, C order\n";
  const std::string x = "two.safetensors:x: int64 (3), 24 bytes, safetensors I64, C order\n";
  check_done(run_in(dir, {"info", "two.safetensors"}), x + y);
  check_done(run_in(dir, {"info", "two.safetensors:x"}), x);
  write_file(dir.file("m"), framed(R"({"__metadata__":{"format":"pt","b\u001b":"c\nd"},)"
                                   R"("a":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]}})",
                                   "123"));
  check_done(run_in(dir, {"info", "m"}),
             "m: metadata format = pt\nm: metadata b\\x1b = c\\nd\n"
             "m:a: F6_E2M3 (4), 3 bytes, safetensors F6_E2M3, C order\n");
  check_done(run_in(dir, {"info", "m", "--json"}),
             R"({"path":"m","format":"safetensors","metadata":{"format":"pt","b\u001b":"c\nd"}})"
             "\n"
             R"({"path":"m:a","format":"safetensors","dtype":null,"shape":[4],"bytes":3,"stored":"F6_E2M3",)"
             R"("order":"C"})"
             "\n");
  write_file(dir.file("n"), framed(R"({"__metadata__":null})"));
  CHECK(run_in(dir, {"info", "n"}).out == "n: no arrays, safetensors\n");
  write_file(dir.file("w"),
             framed(R"({"__metadata__":null,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "1"));
  const ProcessResult warned = run_in(dir, {"info", "w"});
  CHECK(warned.err == "tensorop: warning: w: __metadata__ is null: ignored\n");
  CHECK(warned.out == "w:a: uint8 (1), 1 bytes, safetensors U8, C order\n");
  CHECK(warned.status == 0);
  CHECK(run_in(dir, {"info", "w", "-q"}).err.empty());
  const ProcessResult read = run_in(dir, {"convert", "w:a", "x=w:a", "-o", "out.safetensors"});
  CHECK(read.err ==
        "tensorop: warning: w: __metadata__ is null: ignored\n"
        "tensorop: warning: w: __metadata__ is null: ignored\n");
  CHECK(read.status == 0);
}

TEST_CASE("convert of whole files keeps arrays and metadata, also across archives", "[cli][safetensors]") {
  const TempDir dir;
  // As the reference implementation writes it.
  const std::string bytes =
      framed(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
             R"("a":{"dtype":"U8","shape":[2],"data_offsets":[8,10]}})",
             "12345678ab");
  write_file(dir.file("a.safetensors"), bytes);
  check_done(run_in(dir, {"convert", "a.safetensors", "-o", "b.safetensors"}));
  CHECK(get(dir.file("b.safetensors")) == bytes);
  check_done(shell(dir, "\"$B\" convert a.safetensors --format safetensors | cmp - a.safetensors"));
  check_done(shell(dir, "\"$B\" convert a.safetensors -o a.safetensors && cmp a.safetensors b.safetensors"));
  const ProcessResult dropped = run_in(dir, {"convert", "a.safetensors", "-o", "a.npz"});
  CHECK(dropped.status == 0);
  CHECK(dropped.err ==
        "tensorop: warning: a.safetensors: its metadata is left out: NPZ has no place for it\n");
  check_done(run_in(dir, {"info", "a.npz"}),
             "a.npz:b: int64 (1), 8 bytes, npz <i8, C order, stored\n"
             "a.npz:a: uint8 (2), 2 bytes, npz |u1, C order, stored\n");
  check_done(run_in(dir, {"convert", "c=[1.5]", "a.npz:a", "-o", "c.safetensors"}));
  check_done(run_in(dir, {"info", "c.safetensors"}),
             "c.safetensors:c: float64 (1), 8 bytes, safetensors F64, C order\n"
             "c.safetensors:a: uint8 (2), 2 bytes, safetensors U8, C order\n");
  // One array takes no metadata with it; several files with the same text agree.
  check_done(run_in(dir, {"convert", "a.safetensors:a", "-o", "d.safetensors"}));
  CHECK(run_in(dir, {"info", "d.safetensors"}).out.find("metadata") == std::string::npos);
  write_file(dir.file("e.safetensors"), framed(R"({"__metadata__":{"format":"pt","x":"1"}})"));
  write_file(
      dir.file("f.safetensors"),
      framed(R"({"__metadata__":{"format":"tf"},"f":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"));
  check_refused(run_in(dir, {"convert", "a.safetensors", "f.safetensors", "-o", "g.safetensors"}),
                "convert: a.safetensors and f.safetensors have different metadata 'format'\n"
                "hint: FILE:NAME takes an array without the metadata of its file");
  check_done(run_in(dir, {"convert", "a.safetensors", "c=f.safetensors:f", "-o", "g.safetensors"}));
  CHECK(run_in(dir, {"info", "g.safetensors"}).out.starts_with("g.safetensors: metadata format = pt\n"));
}

TEST_CASE("one array of a file takes its metadata with it under another name", "[cli][safetensors]") {
  const TempDir dir;
  write_file(
      dir.file("a.safetensors"),
      framed(R"({"__metadata__":{"k":"v"},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"));
  check_done(run_in(dir, {"convert", "b=a.safetensors", "-o", "b.safetensors"}));
  CHECK(get(dir.file("b.safetensors")) ==
        framed(R"({"__metadata__":{"k":"v"},"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"));
}

TEST_CASE("an archive without arrays is a file like any other", "[cli][safetensors][npz]") {
  const TempDir dir;
  write_file(dir.file("e.safetensors"), framed("{}"));
  write_file(dir.file("m.safetensors"), framed(R"({"__metadata__":{"k":"v"}})"));
  check_done(run_in(dir, {"info", "e.safetensors"}), "e.safetensors: no arrays, safetensors\n");
  check_done(run_in(dir, {"info", "e.safetensors", "--json"}),
             "{\"path\":\"e.safetensors\",\"format\":\"safetensors\",\"metadata\":{}}\n");
  check_done(run_in(dir, {"info", "m.safetensors"}),
             "m.safetensors: metadata k = v\nm.safetensors: no arrays, safetensors\n");
  check_done(run_in(dir, {"convert", "e.safetensors", "-o", "f.safetensors"}));
  CHECK(get(dir.file("f.safetensors")) == framed("{}"));
  check_done(run_in(dir, {"convert", "e.safetensors", "-o", "e.npz"}));
  check_done(run_in(dir, {"info", "e.npz"}), "e.npz: no arrays, npz\n");
  check_done(run_in(dir, {"convert", "e.npz", "m.safetensors", "x=[1]", "-o", "x.safetensors"}));
  check_done(run_in(dir, {"info", "x.safetensors"}),
             "x.safetensors: metadata k = v\n"
             "x.safetensors:x: int64 (1), 8 bytes, safetensors I64, C order\n");
  check_refused(run_in(dir, {"convert", "a=e.npz", "-o", "y.npz"}),
                "convert: e.npz: the archive holds no arrays");
  check_refused(run_in(dir, {"gather", "e.safetensors", "0"}),
                "gather: data: e.safetensors: the archive holds no arrays");
}

TEST_CASE("any name of an array stays in a safetensors file", "[cli][safetensors][npz]") {
  const TempDir dir;
  const std::string bytes = framed(R"({"":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                                   R"("../x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                   R"("a\n":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                                   "12");
  write_file(dir.file("a.safetensors"), bytes);
  check_done(run_in(dir, {"convert", "a.safetensors", "-o", "b.safetensors"}));
  CHECK(get(dir.file("b.safetensors")) == bytes);
  check_refused(run_in(dir, {"convert", "a.safetensors:../x", "-o", "b.npz"}),
                "convert: a.safetensors:../x: an array cannot have the name '../x': it leads out of the "
                "archive\nhint: NAME=OPERAND gives it another name");
  check_refused(run_in(dir, {"convert", "\xff=[1]", "-o", "b.safetensors"}),
                "convert: \\xff=[1]: an array cannot have the name '\\xff': it is not valid UTF-8\n"
                "hint: NAME=OPERAND gives it another name");
}

TEST_CASE("what safetensors cannot hold leaves the file that is there", "[cli][safetensors]") {
  const TempDir dir;
  write_file(dir.file("out.safetensors"), "before");
  const auto refused = [&](Words words, const std::string& message) {
    words.insert(words.begin(), "convert");
    Words to_file = words;
    to_file.insert(to_file.end(), {"-o", "out.safetensors"});
    check_refused(run_in(dir, to_file), cat("convert: ", message));
    CHECK(get(dir.file("out.safetensors")) == "before");
    words.insert(words.end(), {"--format", "safetensors"});
    check_refused(run_in(dir, words), cat("convert: ", message));
  };
  refused({"a=[1]", "b=[\"x\"]"},
          "array 'b': safetensors has no dtype string\nhint: NPZ archives have all dtypes");
  refused(
      {"__metadata__=[1]"},
      "__metadata__=[1]: an array cannot have the name '__metadata__': safetensors keeps its metadata under "
      "it\n"
      "hint: NAME=OPERAND gives it another name");
  check_done(run_in(dir, {"convert", "s=[\"x\"]", "i=[1]", "-o", "s.npz"}));
  refused({"s.npz"}, "s.npz:s: safetensors has no dtype string\nhint: NPZ archives have all dtypes");
  refused({R"({"dtype":"float4_e2m1fn","data":[1]})"},
          "array 'arr_0': 1 element of float4_e2m1fn are not a multiple of 8 bits, as safetensors wants "
          "them\nhint: a .pb file has them");
  refused({"[1]", "[2.5]", "a=none.npy"}, "none.npy: cannot open: No such file or directory");
  refused({"[1]", "[300]", "--dtype", "int8"}, "element [0] = 300 does not fit in int8 (-128..127)");
}

TEST_CASE("streams, text and deflated arrays go into a safetensors file", "[cli][safetensors]") {
  const TempDir dir;
  check_done(run_in(dir, {"convert", "z=[7,8]", "-o", "z.npz", "--compress"}));
  write_file(dir.file("t.csv"), "1,2\n3,4\n");
  check_done(run_in(dir, {"convert", "[1,2]", "-o", "a.npy"}));
  check_done(shell(dir,
                   "mkfifo pipe && { cat a.npy >pipe & } && cat a.npy | \"$B\" convert pipe s=- t.csv z.npz "
                   "--dtype int16 -o all.safetensors"));
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"pipe", "[1,2]"}, {"s", "[1,2]"}, {"t", "[[1,2],[3,4]]"}, {"z", "[7,8]"}}) {
    check_done(run_in(dir, {"convert", "all.safetensors:" + name, "--format", "nested"}), text + "\n");
  }
}

TEST_CASE("a result goes into an archive as its one array", "[cli][safetensors][npz]") {
  const TempDir dir;
  make_archives(dir);
  for (const std::string ending : {"npz", "safetensors"}) {
    CAPTURE(ending);
    const std::string out = "out." + ending;
    const std::string shown = ending == "npz" ? "npz <i8, C order, stored" : "safetensors I64, C order";
    check_done(run_in(dir, {"gather", "two.safetensors:x", "[2,0]", "-o", out}));
    check_done(run_in(dir, {"info", out}), cat(out, ":arr_0: int64 (2), 16 bytes, ", shown, "\n"));
    check_done(run_in(dir, {"convert", out, "--format", "nested"}), "[30,10]\n");
    check_done(shell(
        dir, cat("\"$B\" gather two.safetensors:x [2,0] --format ", ending, " | cat >piped && cp piped p.",
                 ending, " && \"$B\" compare p.", ending, " ", out, " -q")));
    check_done(run_in(dir, {"scatterelements", "two.safetensors:x", "[0,2]", "[7,8]", "-o", out}));
    check_done(run_in(dir, {"convert", out, "--format", "nested"}), "[7,20,8]\n");
    check_done(run_in(dir, {"nonzero", "[0,1]", "-o", out}));
    check_done(run_in(dir, {"convert", out, "--format", "nested"}), "[1]\n");
    write_file(
        dir.file("jobs.jsonl"),
        cat(R"({"op":"gather","data":"two.safetensors:x","indices":[1],"output":"job.)", ending, "\"}\n"));
    CHECK(run_in(dir, {"run", "jobs.jsonl"}).status == 0);
    check_done(run_in(dir, {"convert", "job." + ending, "--format", "nested"}), "[20]\n");
  }
  check_done(run_in(dir, {"gather", "[\"a\",\"bc\"]", "1", "-o", "s.npz"}));
  check_done(run_in(dir, {"convert", "s.npz", "--format", "nested"}), "\"bc\"\n");
  check_refused(run_in(dir, {"gather", "[\"a\",\"bc\"]", "1", "-o", "s.safetensors"}),
                "gather: array 'arr_0': safetensors has no dtype string\nhint: NPZ archives have all dtypes");
  CHECK(!std::filesystem::exists(dir.file("s.safetensors")));
}

TEST_CASE("compare and check read safetensors beside other formats", "[cli][safetensors]") {
  const TempDir dir;
  make_archives(dir);
  check_done(run_in(dir, {"convert", "two.safetensors", "-o", "two.npz"}));
  const ProcessResult equal = run_in(dir, {"compare", "two.npz", "two.safetensors"});
  CHECK(equal.status == 0);
  check_done(run_in(dir, {"convert", "x=[10,20,31]", "two.npz:y", "-o", "other.npz"}));
  CHECK(run_in(dir, {"compare", "other.npz", "two.safetensors", "-q"}).status == 1);
  check_done(run_in(dir, {"convert", "two.npz:x", "-o", "x.npy"}));
  CHECK(run_in(dir, {"compare", "two.safetensors:x", "x.npy", "-q"}).status == 0);
  // In folders an archive is compared with the archive of the same name, whatever its format.
  std::filesystem::create_directory(dir.path() / "r");
  std::filesystem::create_directory(dir.path() / "g");
  std::filesystem::copy(dir.path() / "two.npz", dir.path() / "r" / "two.npz");
  std::filesystem::copy(dir.path() / "two.safetensors", dir.path() / "g" / "two.safetensors");
  const ProcessResult folders = run_in(dir, {"compare", "r", "g", "--json"});
  CHECK(folders.status == 0);
  CHECK(folders.out.find("two.safetensors:x") != std::string::npos);
  write_file(dir.file("cases.jsonl"),
             R"({"op":"gather","data":"two.safetensors:x","indices":[0,1,2],"expect":"two.safetensors:x"})"
             "\n");
  CHECK(run_in(dir, {"check", "cases.jsonl"}).status == 0);
}

TEST_CASE("the index of a sharded model names the file of an array", "[cli][safetensors]") {
  const TempDir dir;
  write_file(
      dir.file("m.safetensors.index.json"),
      R"({"metadata":{"total_size":12},"weight_map":{"a.b":"m-1.safetensors","c":"m-\u001b2.safetensors"}})");
  const std::string line =
      "m.safetensors.index.json: is the index of a model in several safetensors files, not a tensor\nhint: ";
  check_refused(run_in(dir, {"gather", "m.safetensors.index.json", "0"}),
                cat("gather: data: ", line,
                    "array a.b is in m-1.safetensors; FILE:NAME tells the file of another one"));
  check_refused(run_in(dir, {"gather", "m.safetensors.index.json:c", "0"}),
                cat("gather: data: ", line, "array c is in m-\\x1b2.safetensors"));
  check_refused(run_in(dir, {"gather", "m.safetensors.index.json:d", "0"}),
                cat("gather: data: ", line, "it names no array 'd'"));
  check_refused(
      run_in(dir, {"info", "m.safetensors.index.json"}),
      cat("info: ", line, "array a.b is in m-1.safetensors; FILE:NAME tells the file of another one"));
  write_file(dir.file("n.json"), R"({"metadata":{},"data":[1]})");
  check_refused(run_in(dir, {"convert", "n.json"}),
                "convert: n.json: unknown key \"metadata\" (allowed: dtype, shape, data)");
}

}  // namespace tensorop
