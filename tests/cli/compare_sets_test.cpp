// `compare` of folders and archives as a program: which tensors are pairs, reports, exit status, what is
// safe.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/hex.hpp"
#include "support/npy_writer.hpp"

namespace tensorop {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

struct File {
  std::string path;
  std::string content;
};

void write_files(const TempDir& dir, const std::vector<File>& files) {
  for (const File& file : files) {
    fs::create_directories((dir.path() / file.path).parent_path());
    write_file(dir.file(file.path), file.content);
  }
}

ProcessResult compare_in(const TempDir& dir, const Words& words) {
  Words all = {"compare"};
  all.insert(all.end(), words.begin(), words.end());
  return run_in(dir, all);
}

// The arrays NAME=OPERAND as an archive.
void make_archive(const TempDir& dir, const std::string& path, const Words& arrays) {
  fs::create_directories((dir.path() / path).parent_path());
  Words words = {"convert"};
  words.insert(words.end(), arrays.begin(), arrays.end());
  words.insert(words.end(), {"-o", path});
  check_done(run_in(dir, words));
}

// "name outcome" of each pair.
std::string outcomes(const std::string& json) {
  std::string out;
  const Json parsed = Json::parse(json);
  for (const Json& pair : parsed.at("pairs")) {
    out += cat(out.empty() ? "" : "; ", pair.at("name").get<std::string>(), " ",
               pair.at("outcome").get<std::string>());
  }
  return out;
}

std::string difference(const std::string& actual, const std::string& expected) {
  return cat("different: 1 of 1 element (100%)\n  actual:    ", actual,
             ", int64 (1)\n  expected:  ", expected, ", int64 (1)\n  tolerance: exact\n");
}

}  // namespace

TEST_CASE("folders are compared file by file, and all that differs is said at once", "[cli][compare]") {
  const TempDir dir;
  write_files(dir, {{"golden/a.json", "[1]"},
                    {"golden/b.json", "[1]"},
                    {"golden/c/d.json", "[1]"},
                    {"golden/e.json", "[1]"},
                    {"golden/f.json", "[1]"},
                    {"golden/notes.md", "not a tensor"},
                    {"golden/.hidden.json", "[7]"},
                    {"results/a.json", "[1]"},
                    {"results/b.json", "[2]"},
                    {"results/c/d.json", "[1.5]"},
                    {"results/f.json", "[1"},
                    {"results/g.json", "[1]"},
                    {"results/log", "[1]"}});
  const std::string report = cat("b.json: ", difference("results/b.json", "golden/b.json"),
                                 "  first:     [0]: actual 2, expected 1 (off by 1)\n"
                                 "  worst:     [0]: actual 2, expected 1 (off by 1)\n"
                                 "  largest:   absolute error 1 at [0], relative 1.0 at [0]\n"
                                 "  to pass:   rtol 1.0 or atol 1.0 or max-ulp 1\n"
                                 "c/d.json: different: 1 of 1 element (100%)\n");
  const ProcessResult text = compare_in(dir, {"results", "golden"});
  CHECK(text.status == 2);
  CHECK(text.err.empty());
  CHECK(text.out.starts_with(report));
  CHECK(text.out.ends_with(
      "e.json: missing: only in golden\n"
      "f.json: error: actual: results/f.json: malformed JSON at line 1, column 3: unexpected end of input; "
      "expected ']'\n"
      "g.json: extra: only in results\n"
      "6 tensors: 1 equal, 2 different, 1 missing, 1 extra, 1 error\n"));
  const ProcessResult json = compare_in(dir, {"results", "golden/", "--json"});
  CHECK(json.status == 2);
  CHECK(outcomes(json.out) ==
        "a.json equal; b.json different; c/d.json different; e.json missing; f.json error; g.json extra");
  const Json parsed = Json::parse(json.out);
  CHECK(parsed.at("schema_version") == 2);
  CHECK(parsed.at("actual") == "results");
  CHECK(parsed.at("equal") == false);
  CHECK(parsed.at("summary") ==
        Json{{"tensors", 6}, {"equal", 1}, {"different", 2}, {"missing", 1}, {"extra", 1}, {"error", 1}});
  const Json& pairs = parsed.at("pairs");
  CHECK(pairs[1].at("actual") == "results/b.json");
  CHECK(pairs[1].at("comparison").at("differing") == 1);
  CHECK(pairs[1].at("error").is_null());
  CHECK(pairs[3].at("actual").is_null());
  CHECK(pairs[3].at("expected") == "golden/e.json");
  CHECK(pairs[4].at("comparison").is_null());
  CHECK(
      pairs[4].at("error").at("message").get<std::string>().starts_with("actual: results/f.json: malformed"));
  // The same for any number of threads; nothing with -q but the status.
  for (const char* threads : {"1", "2", "7"}) {
    CHECK(compare_in(dir, {"results", "golden", "--threads", threads}).out == text.out);
  }
  const ProcessResult quiet = compare_in(dir, {"results", "golden", "-q"});
  CHECK(quiet.status == 2);
  CHECK(cat(quiet.out, quiet.err).empty());
}

TEST_CASE("the status of folders is that of their worst pair, and --filter chooses pairs", "[cli][compare]") {
  const TempDir dir;
  write_files(dir, {{"g/a1.json", "[1]"},
                    {"g/a2.json", "[1]"},
                    {"g/b.json", "[1]"},
                    {"g/c.json", "[1]"},
                    {"r/a1.json", "[1]"},
                    {"r/a2.json", "[1]"},
                    {"r/b.json", "[2]"},
                    {"r/d.json", "[1]"},
                    {"g/bad.json", "["},
                    {"r/bad.json", "["},
                    {"empty/x.txt2", "1"}});
  make_archive(dir, "g/z.npz", {"x=[1]", "y=[2]"});
  make_archive(dir, "r/z.npz", {"x=[1]", "y=[3]"});
  struct Row {
    std::string filter;
    int status;
    std::string last_line;
  };
  const std::vector<Row> rows = {
      {"a", 2, "3 tensors: 2 equal, 1 error\n"},
      {"a?.json", 0, "2 tensors: all equal\n"},
      {"a1", 0, "1 tensor: equal\n"},
      {"b.json", 1, "1 tensor: 0 equal, 1 different\n"},
      {"c.json", 1, "1 tensor: 0 equal, 1 missing\n"},
      {"d*", 1, "1 tensor: 0 equal, 1 extra\n"},
      {"bad", 2, "1 tensor: 0 equal, 1 error\n"},
      {"npz:x", 0, "1 tensor: equal\n"},
      {"z.npz", 1, "2 tensors: 1 equal, 1 different\n"},
      {"*:y", 1, "1 tensor: 0 equal, 1 different\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.filter);
    const ProcessResult result = compare_in(dir, {"r", "g", "--filter", row.filter});
    CHECK(result.status == row.status);
    CHECK(result.out.ends_with(row.last_line));
    CHECK(compare_in(dir, {"r", "g", "-q", "--filter", row.filter}).status == row.status);
  }
  check_refused(compare_in(dir, {"r", "g", "--filter", "none"}),
                "compare: --filter 'none' matches no tensor");
  check_refused(compare_in(dir, {"empty", "empty"}), "compare: empty and empty hold no tensors");
  CHECK(compare_in(dir, {"empty", "g", "--filter", "a1"}).status == 1);
  check_refused(compare_in(dir, {"r/b.json", "g/b.json", "--filter", "b"}),
                "compare: --filter is only for folders and archives");
  check_refused(compare_in(dir, {"r", "g/b.json"}),
                "compare: expected: g/b.json: is neither a folder nor an archive\n"
                "hint: a folder is compared with a folder or an archive");
  check_refused(compare_in(dir, {"[1]", "g"}),
                "compare: actual: [1]: is neither a folder nor an archive\n"
                "hint: a folder is compared with a folder or an archive");
  check_refused(compare_in(dir, {"r", "none"}),
                "compare: expected: none: cannot open: No such file or directory");
  make_archive(dir, "two.npz", {"x=[1]", "y=[2]"});
  const std::string missing = ": cannot open: No such file or directory";
  check_refused(compare_in(dir, {"two.npz", "none.npz"}), "compare: expected: none.npz" + missing);
  check_refused(compare_in(dir, {"none.npz", "two.npz"}), "compare: actual: none.npz" + missing);
  check_refused(compare_in(dir, {"two.npz", "none.npz:x"}), "compare: expected: none.npz:x" + missing);
  check_refused(compare_in(dir, {"none", "r"}), "compare: actual: none" + missing);
  const std::string several =
      "the archive holds 2 arrays (x, y); name one of them\n"
      "hint: FILE:NAME names one array of an archive";
  for (const char* other : {"[1]", "1", "two.npz:x", "g/b.json"})
    check_refused(compare_in(dir, {"two.npz", other}), "compare: actual: two.npz: " + several);
}

TEST_CASE("tensors are the same by their names, in any format", "[cli][compare]") {
  struct Row {
    std::vector<File> actual;
    std::vector<File> expected;
    std::string outcomes;
  };
  const std::string npy = [] {
    const TempDir dir;
    check_done(run_in(dir, {"convert", "[1]", "-o", "a.npy"}));
    return get(dir.file("a.npy"));
  }();
  const std::vector<Row> rows = {
      {{{"x.json", "[1]"}}, {{"x.npy", npy}}, "x.npy equal"},
      {{{"x.NPY", npy}}, {{"x.json", "[1]"}}, "x.json equal"},
      {{{"s/x.json", "[1]"}}, {{"x.npy", npy}}, "s/x.json extra; x.npy missing"},
      // One name goes before one stem.
      {{{"x.json", "[1]"}, {"x.npy", npy}}, {{"x.json", "[2]"}}, "x.json different; x.npy extra"},
      {{{"x.json", "[2]"}, {"x.npy", npy}}, {{"x.json", "[2]"}, {"x.npy", npy}}, "x.json equal; x.npy equal"},
      {{{"x.json", "[1]"}}, {{"x.json", "[1]"}, {"x.npy", npy}}, "x.json equal; x.npy missing"},
      // Three that could be meant: none is.
      {{{"x.NPY", npy}}, {{"x.json", "[1]"}, {"x.npy", npy}}, "x.NPY extra; x.json missing; x.npy missing"},
      // The content decides how a file is read, not its name.
      {{{"x.npy", "[1]"}}, {{"x.npy", npy}}, "x.npy equal"},
      {{{"a b:c\n.json", "[1]"}}, {{"a b:c\n.json", "[1]"}}, "a b:c\n.json equal"},
      {{{"[0].json", "[1]"}}, {{"[0].json", "[1]"}}, "[0].json equal"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.outcomes);
    const TempDir dir;
    fs::create_directories(dir.path() / "r");
    fs::create_directories(dir.path() / "g");
    for (const File& file : row.actual) write_files(dir, {{"r/" + file.path, file.content}});
    for (const File& file : row.expected) write_files(dir, {{"g/" + file.path, file.content}});
    CHECK(outcomes(compare_in(dir, {"r", "g", "--json"}).out) == row.outcomes);
    ProcessOptions within;
    within.directory = dir.file("r");
    CHECK(outcomes(run_tensorop({"compare", ".", "../g", "--json"}, within).out) == row.outcomes);
  }
}

TEST_CASE("archives are compared array by array, with archives and with folders", "[cli][compare]") {
  const TempDir dir;
  make_archive(dir, "a.npz", {"x=[1]", "y=[2]", "sub/z=[3]", "only=[4]"});
  make_archive(dir, "e.npz", {"sub/z=[3]", "y=[5]", "x=[1]", "more=[4]"});
  make_archive(dir, "one.npz", {"x=[1]"});
  make_archive(dir, "other.npz", {"q=[1]"});
  write_files(dir, {{"f/x.json", "[1]"}, {"f/y.json", "[2]"}, {"f/sub/z.json", "[3]"}});
  const ProcessResult text = compare_in(dir, {"a.npz", "e.npz"});
  CHECK(text.status == 1);
  CHECK(text.out.starts_with("more: missing: only in e.npz\nonly: extra: only in a.npz\n" +
                             cat("y: ", difference("a.npz:y", "e.npz:y"))));
  CHECK(text.out.ends_with("5 tensors: 2 equal, 1 different, 1 missing, 1 extra\n"));
  struct Row {
    Words words;
    int status;
    std::string outcomes;
  };
  const std::vector<Row> rows = {
      {{"a.npz", "f"}, 1, "only extra; sub/z.json equal; x.json equal; y.json equal"},
      {{"f", "a.npz"}, 1, "only missing; sub/z equal; x equal; y equal"},
      {{"one.npz", "e.npz", "--filter", "x"}, 0, "x equal"},
      {{"one.npz", "f", "--filter", "x"}, 0, "x.json equal"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.words);
    Words words = row.words;
    words.emplace_back("--json");
    const ProcessResult json = compare_in(dir, words);
    CHECK(json.status == row.status);
    CHECK(outcomes(json.out) == row.outcomes);
  }
  // Two arrays are compared as before, whatever they are called, where each archive holds one.
  const std::string equal = "equal: int64 (1), 1 element, exact\n";
  check_done(compare_in(dir, {"one.npz", "other.npz"}), equal);
  CHECK(outcomes(compare_in(dir, {"one.npz", "other.npz", "--json", "--filter", "*"}).out) ==
        "q missing; x extra");
  check_done(compare_in(dir, {"one.npz", "[1]"}), equal);
  check_done(compare_in(dir, {"f/x.json", "one.npz"}), equal);
  check_done(compare_in(dir, {"a.npz:x", "e.npz:x"}), equal);
  check_done(compare_in(dir, {"a.npz:x", "one.npz"}), equal);
  CHECK(compare_in(dir, {"a.npz", "f/x.json"}).status == 2);
}

TEST_CASE("max-ulp is for the tensors that have it, and max-mismatch for each", "[cli][compare]") {
  const TempDir dir;
  make_archive(dir, "a.npz", {"flag=[true]", "name=[\"n\"]", "value=[1.5]", "many=[1,2,3,4]"});
  make_archive(dir, "e.npz", {"flag=[true]", "name=[\"n\"]", "value=[1.5000000000000002]", "many=[1,2,3,5]"});
  CHECK(outcomes(compare_in(dir, {"a.npz", "e.npz", "--max-ulp", "1", "--json"}).out) ==
        "flag equal; many equal; name equal; value equal");
  CHECK(outcomes(compare_in(dir, {"a.npz", "e.npz", "--max-mismatch", "25%", "--json"}).out) ==
        "flag equal; many equal; name equal; value different");
  // A single pair still says that it cannot be used.
  CHECK(compare_in(dir, {"a.npz:flag", "e.npz:flag", "--max-ulp", "1"}).status == 2);
}

TEST_CASE("a JUnit report of folders and of a pair", "[cli][compare]") {
  const TempDir dir;
  write_files(dir, {{"g/a.json", "[1]"},
                    {"g/b.json", "[1]"},
                    {"g/c.json", "[1]"},
                    {"g/d.json", "[1]"},
                    {"r/a.json", "[1]"},
                    {"r/b.json", "[2]"},
                    {"r/d.json", "["}});
  const ProcessResult result = compare_in(dir, {"r", "g", "--junit", "report.xml"});
  CHECK(result.status == 2);
  const std::string xml = get(dir.file("report.xml"));
  const auto holds = [&](const std::string& part) { return xml.find(part) != std::string::npos; };
  CHECK(holds("<testsuites name=\"tensorop compare\" tests=\"4\" failures=\"2\" errors=\"1\""));
  CHECK(holds("<testsuite name=\"g\" tests=\"4\" failures=\"2\" errors=\"1\""));
  CHECK(holds("classname=\"g\" name=\"a.json\" file=\"g/a.json\""));
  CHECK(holds("<failure message=\"different: 1 of 1 element (100%)\">"));
  CHECK(holds("<failure message=\"missing: only in g\">"));
  CHECK(holds("<error message=\"error: actual: r/d.json: malformed JSON"));
  const ProcessResult shown = compare_in(dir, {"r", "g", "--junit", "-"});
  CHECK(shown.status == 2);
  CHECK(shown.out.starts_with("<?xml"));
  CHECK(shown.out.ends_with("</testsuites>\n"));
  for (const auto& [words, status, part] : std::vector<std::tuple<Words, int, std::string>>{
           {{"r/a.json", "g/a.json"}, 0, "failures=\"0\" errors=\"0\""},
           {{"r/b.json", "g/b.json"}, 1, "<failure message=\"different: 1 of 1 element (100%)\">"},
           {{"r/c.json", "g/c.json"}, 2, "<error message=\"error: actual: r/c.json: cannot open"}}) {
    CAPTURE(words);
    Words all = words;
    all.insert(all.end(), {"--junit", "pair.xml", "-q"});
    CHECK(compare_in(dir, all).status == status);
    CHECK(get(dir.file("pair.xml")).find(part) != std::string::npos);
  }
  for (const Words& inputs : std::vector<Words>{{"r", "g"},
                                                {"r/a.json", "g/a.json"},
                                                {"[1]", "[1]", "--ignore-open", "g/a.json"},
                                                {"[1]", "g/a.json:x"}}) {
    Words words = inputs;
    words.insert(words.end(), {"--junit", "r/../g/a.json"});
    check_refused(compare_in(dir, words), "compare: --junit r/../g/a.json is a file to compare");
  }
  const ProcessResult nowhere = compare_in(dir, {"r", "g", "--junit", "no/report.xml"});
  CHECK(nowhere.status == 2);
  CHECK(nowhere.out.empty());
}

TEST_CASE("links, special files and unreadable folders neither hang nor hide anything", "[cli][compare]") {
  const TempDir dir;
  write_files(dir, {{"g/run/a.json", "[1]"},
                    {"r/run/a.json", "[1]"},
                    {"r/run/deep/b.json", "[1]"},
                    {"g/run/deep/b.json", "[1]"},
                    {"elsewhere/c.json", "[1]"}});
  // A loop, a second name of a folder that is compared already, and a folder that is only here by a link.
  fs::create_directory_symlink("..", dir.path() / "g/run/loop");
  fs::create_directory_symlink("run", dir.path() / "g/latest");
  fs::create_directory_symlink("../elsewhere", dir.path() / "g/linked");
  fs::create_directory_symlink("../elsewhere", dir.path() / "r/linked");
  fs::create_symlink("run/a.json", dir.path() / "g/link.json");
  fs::create_symlink("run/a.json", dir.path() / "r/link.json");
  CHECK(outcomes(compare_in(dir, {"r", "g", "--json"}).out) ==
        "link.json equal; linked/c.json equal; run/a.json equal; run/deep/b.json equal");
  fs::create_directory_symlink("g", dir.path() / "folder-link");
  CHECK(compare_in(dir, {"r", "folder-link"}).status == 0);

  REQUIRE(::mkfifo(dir.file("r/pipe.npy").c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", dir.path() / "r/zero.npy");
  fs::create_symlink("nowhere", dir.path() / "r/broken.json");
  fs::create_symlink("self.json", dir.path() / "r/self.json");
  write_files(dir, {{"g/pipe.npy", "[1]"}});
  const ProcessResult special = compare_in(dir, {"r", "g"});
  CHECK(special.status == 2);
  CHECK(special.out ==
        "broken.json: error: r/broken.json: cannot open: No such file or directory\n"
        "pipe.npy: error: r/pipe.npy: is not a regular file\n"
        "self.json: error: r/self.json: cannot open: Too many levels of symbolic links\n"
        "zero.npy: error: r/zero.npy: is not a regular file\n"
        "8 tensors: 4 equal, 4 errors\n");
  if (::geteuid() == 0) return;  // may read everything
  fs::permissions(dir.path() / "g/run", fs::perms::none);
  const ProcessResult locked = compare_in(dir, {"r", "g", "--filter", "run"});
  fs::permissions(dir.path() / "g/run", fs::perms::owner_all);
  CHECK(locked.status == 2);
  CHECK(locked.out.find("run: error: g/run: cannot list: Permission denied\n") != std::string::npos);
}

TEST_CASE("many and large pairs are reported in order, for any number of threads", "[cli][compare]") {
  const TempDir dir;
  fs::create_directories(dir.path() / "r");
  fs::create_directories(dir.path() / "g");
  for (int i = 0; i < 300; ++i) {
    const std::string name = cat("/n", 1000 + i, ".json");
    write_file(dir.file("g" + name), cat("[", i, "]"));
    write_file(dir.file("r" + name), cat("[", i % 7 == 0 ? i + 1 : i, "]"));
  }
  // More than a small pair, between the others.
  for (const char* folder : {"r", "g"}) {
    check_done(run_in(dir, {"broadcast", "[1]", "--shape", "1000000", "-o", cat(folder, "/n1100x.npy")}));
    make_archive(dir, cat(folder, "/n1200x.npz"), {cat("big=", folder, "/n1100x.npy"), "small=[1]"});
  }
  const ProcessResult one = compare_in(dir, {"r", "g", "--threads", "1"});
  CHECK(one.status == 1);
  CHECK(one.out.ends_with("303 tensors: 260 equal, 43 different\n"));
  for (const char* threads : {"2", "3", "8"}) {
    CHECK(compare_in(dir, {"r", "g", "--threads", threads}).out == one.out);
  }
  const Json json = Json::parse(compare_in(dir, {"r", "g", "--json"}).out);
  std::vector<std::string> names;
  for (const Json& pair : json.at("pairs")) names.push_back(pair.at("name"));
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(names.size() == 303);
}

TEST_CASE("large arrays that one thread each inflates are compared in order, and warnings are too",
          "[cli][compare]") {
  const TempDir dir;
  Words arrays;
  for (const char* name : {"a", "b", "c", "d", "e"}) arrays.push_back(cat(name, "=big.npy"));
  check_done(run_in(dir, {"broadcast", "[1]", "--shape", "600000", "-o", "big.npy"}));
  make_archive(dir, "stored.npz", arrays);
  arrays.push_back("--compress");
  make_archive(dir, "blocks.npz", arrays);
  // Without the index of blocks, as other programs write archives.
  std::string bytes = get(dir.file("blocks.npz"));
  const std::string field = "\x74\x6f";
  std::size_t fields = 0;
  for (std::size_t at = bytes.find(field); at != std::string::npos; at = bytes.find(field, at + 1), ++fields)
    bytes[at] = '\x75';
  CHECK(fields == 5);
  write_file(dir.file("streams.npz"), bytes);
  // The checksum of the last one, in its header and in the directory.
  for (const std::size_t at : {bytes.rfind("PK\3\4") + 14, bytes.rfind("PK\1\2") + 16})
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
  write_file(dir.file("damaged.npz"), bytes);
  for (const char* threads : {"1", "2", "3", "8"}) {
    CAPTURE(threads);
    for (const char* other : {"stored.npz", "streams.npz", "blocks.npz"}) {
      CHECK(compare_in(dir, {"streams.npz", other, "--threads", threads}).out == "5 tensors: all equal\n");
    }
    const ProcessResult damaged = compare_in(dir, {"damaged.npz", "stored.npz", "--threads", threads});
    CHECK(damaged.status == 2);
    CHECK(damaged.out.starts_with("e: error: damaged.npz:e: the data is damaged: its CRC-32 is "));
    CHECK(damaged.out.ends_with("5 tensors: 4 equal, 1 error\n"));
  }
  // Each file has a field that nobody knows.
  std::string warnings;
  for (int i = 10; i < 60; ++i) {
    write_files(dir, {{cat("r/", i, ".pb"), from_hex("10 02 4a 01 05 88 01 01")},
                      {cat("g/", i, ".pb"), from_hex("10 02 4a 01 05")}});
    warnings += cat("tensorop: warning: r/", i, ".pb: field 17 is not known and was skipped\n");
  }
  for (const char* threads : {"1", "8"}) {
    CHECK(compare_in(dir, {"r", "g", "--threads", threads}).err == warnings);
  }
}

}  // namespace tensorop
