// What a text means as an operand, by the text alone and with files; and that no other source reads it.
#include "io/operand.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/npy_writer.hpp"
#include "support/operand_grammar.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::io_operand_test {
namespace {

TEST_CASE("a text has one form, whatever files exist", "[io][operand]") {
  struct Row {
    std::string text;
    std::string form;
  };
  const std::vector<Row> rows = {
      {"[1,2]", "json"},
      {" 3 ", "json"},
      {"[x]", "json"},
      {"010", "file or json 010"},
      {"[a].npy", "file or json [a].npy"},
      {"2024.npy", "file 2024.npy"},
      {"-", "-"},
      {"a.npz:x", "file a.npz:x"},
      {"", "file "},
      {"float32[2,?]@x.bin", "raw x.bin"},
      {"float32[2,?]@a]@b", "raw a]@b"},
      {"uint8[9]@-", "raw -"},
      {"float31[2]@x", "file float31[2]@x"},
      {"int8[2", "file int8[2"},
      {"int8[2]@", "file int8[2]@"},
      {"int8[]", "abstract int8[]"},
      {"int8[2,x]", "abstract int8[2,x]"},
      {":", "range :"},
      {"-2:", "range -2:"},
      {"0:99999999999999999999:-1", "range 0:99999999999999999999:-1"},
      {"1:2:3:4", "file 1:2:3:4"},
      {"0:x", "file 0:x"},
  };
  for (const auto& [text, form] : rows) {
    CAPTURE(text);
    CHECK(form_of(text) == form);
    CHECK(form_by_grammar(text) == form);
    CHECK(form_of(Operand::of_path(text)) == cat("file ", text));
    const bool has_file = !Operand(text).path.empty() && Operand(text).path != "-";
    CHECK(Operand(text).in_folder("f").path ==
          (has_file ? cat("f/", Operand(text).path) : Operand(text).path));
  }
  CHECK(Operand("int8[2]@x").in_folder("f").shown() == "int8[2]@f/x");
  CHECK(Operand("1:").in_folder("f").shown() == "1:");
}

TEST_CASE("texts have the form that a second grammar gives them", "[io][operand]") {
  Random random(20261128);
  const std::vector<std::string> words = {"[", "]", "{", "}", "\"",      "]@",    "@",    ":",
                                          "-", ",", ".", "?", "0",       "1",     "9",    "e",
                                          "E", "+", " ", "x", "float32", "int8[", "true", "a.npz"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::int64_t n = random.between(0, 7); n > 0; --n) text += random.pick(words);
    CAPTURE(text);
    CHECK(form_of(text) == form_by_grammar(text));
  }
}

TEST_CASE("a shape in a text is one that fits, or opening it is an error", "[io][operand]") {
  const auto header = [](const char* text) { return Operand(text).as<RawBytes>()->header; };
  CHECK(header("uint8[9223372036854775807]@x").enough_bytes() == std::numeric_limits<std::int64_t>::max());
  CHECK(header("int4[9223372036854775807]@x").enough_bytes() == (std::int64_t{1} << 62) + 1);
  CHECK(header("float64[2,?]@x").open == 1);
  CHECK(header("float64[9223372036854775807,2]@x").fault);
  CHECK(header("float64[9223372036854775807,?,9223372036854775807]@x").fault == nullptr);
}

TEST_CASE("the archive of FILE:NAME ends at the first colon behind the name of an archive", "[io][operand]") {
  const TempDir dir;
  const std::string path = dir.file("a:b:c");
  const auto files = [&] {
    std::string out;
    for (const NameInFile& parts : possible_files(path))
      out += cat("|", parts.file.substr(dir.path().string().size() + 1), "|", parts.name);
    return out;
  };
  CHECK(files() == "|a:b:c||a|b:c|a:b|c");
  write_file(path, "x");
  CHECK(files() == "|a:b:c|");
  CHECK(possible_files("[1]").empty());
  CHECK(possible_files("-").empty());
  CHECK(possible_files("int8[1]@-").empty());
  CHECK(possible_files("int8[1]@a:b").size() == 1);
  const auto member = find_member(Operand("a:b:c"), [](const std::string& file) { return file == "a:b"; });
  REQUIRE(member);
  CHECK(member->name == "c");
}

TEST_CASE("no other source reads the text of an operand", "[io][operand]") {
  const std::filesystem::path root = source_dir();
  for (const char* top : {"src", "apps"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
      const std::string name = std::filesystem::relative(entry.path(), root).string();
      const bool is_source = name.ends_with(".cpp") || name.ends_with(".hpp");
      // The lines of /proc/self/cgroup have colons too.
      if (!is_source || name.starts_with("src/io/operand.") || name == "src/base/system/memory.cpp") continue;
      std::ifstream file(entry.path());
      std::stringstream text;
      text << file.rdbuf();
      CAPTURE(name);
      for (const char* mark : {"find(':'", "find(\":\"", "\"]@\"", "\"@-\"", "split_path("})
        CHECK(text.str().find(mark) == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tensorop::io_operand_test
