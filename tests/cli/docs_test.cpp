// What the README and the docs say of operators and options. With TENSOROP_UPDATE set, the tables that
// come from descriptions and the pictures are rewritten. Examples: pages_test.cpp.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "cli/docs_tables.hpp"
#include "jobs/job_keys.hpp"
#include "ops/foreign_names.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"
#include "support/picture_check.hpp"
#include "support/process.hpp"
#include "tensorop/commands.hpp"

namespace tensorop::cli_docs_test {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> pages() {
  const fs::path root = source_dir();
  std::vector<fs::path> out = {root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") out.push_back(entry.path());
  }
  return out;
}

// The text that belongs between two comments of a page: after "ops NAME NAME..." the versions of these
// operators, after "jobs" the keys of job files, after "outcomes" their table, after "options" those of every
// command, after "options COMMAND" the other options of a command, after "from LIBRARY" what to type in place
// of its calls. In a sentence: after "publishers" their titles, after "inexact" the operators that are.
// Returns nothing for any other comment.
std::optional<std::string> text_of(const std::string& comment, const std::string& page) {
  std::istringstream in(comment);
  std::string kind;
  in >> kind;
  const auto lines = [](const std::string& text) { return "\n\n" + text + "\n"; };
  if (comment == "publishers") return tensorop::publisher_titles();
  if (comment == "inexact") {
    std::vector<std::string> names;
    for (const tensorop::Operator* op : tensorop::kOperators) {
      if (op->is_inexact) names.push_back(tensorop::cat('`', op->name, '`'));
    }
    return tensorop::join_words(names, "and");
  }
  if (comment == "jobs") return lines(tensorop::job_keys_markdown());
  if (comment == "outcomes") return lines(tensorop::outcomes_markdown());
  if (kind == "options") {
    std::string command;
    in >> command;
    return lines(tensorop::options_markdown(command, page));
  }
  if (kind == "from") return lines(tensorop::foreign_markdown(comment.substr(5)));
  if (kind != "ops") return std::nullopt;
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return lines(tensorop::operators_markdown(words));
}

// The text of a page with words apart by one space and without the marks of Markdown's code.
std::string plain(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string word; in >> word;) out += (out.empty() ? "" : " ") + word;
  std::erase(out, '`');
  return out;
}

}  // namespace

TEST_CASE("the tables of the docs are those of the descriptions of operators and options", "[cli][docs]") {
  const std::string begin = "<!-- ";
  const std::string end = "<!-- end -->";
  std::size_t tables = 0;
  for (const fs::path& page : pages()) {
    const std::string text = read_file(page);
    std::string expected;
    std::size_t at = 0;
    for (std::size_t found = text.find(begin); found != std::string::npos;
         found = text.find(begin, found + 1)) {
      const std::size_t name_end = text.find(" -->", found);
      const auto table = text_of(text.substr(found + begin.size(), name_end - found - begin.size()), text);
      if (!table) continue;
      const std::size_t close = text.find(end, found);
      REQUIRE(close != std::string::npos);
      expected += text.substr(at, name_end + 4 - at) + *table;
      at = close;
      ++tables;
    }
    expected += text.substr(at);
    if (std::getenv("TENSOROP_UPDATE") != nullptr) {
      std::ofstream(page, std::ios::binary) << expected;
    } else {
      INFO(page.string() << ": rewrite its tables by running this test with TENSOROP_UPDATE=1");
      CHECK(text == expected);
    }
  }
  CHECK(tables >= 8);
}

TEST_CASE("the pictures of the docs are those of the calls that stand beside them", "[cli][docs]") {
  constexpr std::size_t kMostBytes = 20000;
  const std::string begin = "<!-- picture ";
  std::set<fs::path> made;
  std::string all;
  for (const fs::path& page : pages()) {
    const std::string text = read_file(page);
    for (std::size_t found = text.find(begin); found != std::string::npos;
         found = text.find(begin, found + 1)) {
      const std::size_t first = found + begin.size();
      const std::size_t colon = text.find(": ", first);
      const std::size_t end = text.find(" -->\n![", first);
      REQUIRE((colon < end && end != std::string::npos));
      const std::string file = text.substr(first, colon - first);
      const std::string call = text.substr(colon + 2, end - colon - 2);
      CAPTURE(page, call);
      CHECK(text.substr(text.find("](", end), file.size() + 3) == "](" + file + ")");
      const auto result =
          tensorop::run_process({"/bin/sh", "-c", tensorop_binary() + " why " + call + " --svg -"});
      REQUIRE(result.status == 0);
      CHECK(result.out.size() < kMostBytes);
      CHECK(tensorop::svg_faults(result.out).empty());
      const fs::path path = page.parent_path() / file;
      if (std::getenv("TENSOROP_UPDATE") != nullptr) std::ofstream(path, std::ios::binary) << result.out;
      INFO("rewrite the pictures by running this test with TENSOROP_UPDATE=1");
      CHECK(read_file(path) == result.out);
      made.insert(path.lexically_normal());
      all += call + "\n";
    }
  }
  for (const tensorop::Operator* op : tensorop::kOperators) {
    if (op->family == "elementwise" && op->name != "add") continue;
    CAPTURE(op->name);
    CHECK(all.find(op->example.substr(std::string_view("tensorop ").size())) != std::string::npos);
  }
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_dir()) / "docs")) {
    CAPTURE(entry.path());
    CHECK((entry.path().extension() != ".svg" || made.contains(entry.path())));
  }
}

TEST_CASE("every key of a job file has one row in its table", "[cli][docs]") {
  const std::string table = tensorop::job_keys_markdown();
  for (const char* key : {"op", "model", "inputs", "mask", "oob", "output", "id", "expect", "comment"}) {
    CAPTURE(key);
    const std::string row = "\n| `" + std::string(key) + "` | ";
    const std::size_t at = table.find(row);
    CHECK(at != std::string::npos);
    CHECK(table.find(row, at + 1) == std::string::npos);
  }
  CHECK(table.find("`max_ulp`") != std::string::npos);
}

TEST_CASE("the page of an operator has its meaning and its output shape", "[cli][docs]") {
  const fs::path docs = fs::path(source_dir()) / "docs";
  for (const tensorop::Operator* op : tensorop::kOperators) {
    CAPTURE(op->name);
    const std::string page = read_file(docs / "ops" / (std::string(op->family) + ".md"));
    const std::string text = plain(page);
    CHECK(text.find(plain(std::string(op->meaning))) != std::string::npos);
    CHECK(text.find("Output shape: " + std::string(op->output_shape)) != std::string::npos);
  }
}

TEST_CASE("the page of scatters has a row for each reduction of the default semantics", "[cli][docs]") {
  const Operator& op = *require_operator("scatterelements").op;
  const std::string page = read_file(fs::path(source_dir()) / "docs/ops/scatter.md");
  for (const std::string& word : allowed_words(*find_attribute(op, "reduction"), op.versions[0])) {
    INFO(word);
    CHECK((page.find(cat("\n| `", word, "` |")) != std::string::npos ||
           page.find(cat("\n| `", word, "`,")) != std::string::npos ||
           page.find(cat(", `", word, "` |")) != std::string::npos));
  }
}

TEST_CASE("the glossary defines the words that tables and choices use", "[cli][docs]") {
  const std::string page = read_file(fs::path(source_dir()) / "docs" / "glossary.md");
  std::string terms;  // the first cells of the table
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("| ")) terms += ", " + line.substr(2, line.find(" |", 2) - 2);
  }
  terms += ",";
  std::set<std::string> words = {"MDF", "opset", "publisher", "rank", "rule"};
  for (const tensorop::Operator* op : tensorop::kOperators) {
    for (const tensorop::OperandSpec& operand : op->operands) words.insert(std::string(operand.type));
    for (const tensorop::AttributeSpec& spec : op->attributes) {
      if (spec.name != "mode") continue;
      for (const std::string& word : tensorop::words_of(spec.choices)) words.insert(word);
    }
  }
  words.erase("numpy");  // explained at each of its two meanings
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(terms.find(", " + word + ",") != std::string::npos);
  }
}

TEST_CASE("every message of the page of troubleshooting is one that a test shows", "[cli][docs]") {
  const fs::path root = source_dir();
  std::string shown;
  for (const char* const folder : {"tests", "testdata/inputs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string type = entry.path().extension().string();
      if (type == ".md" || type == ".txt" || type == ".cpp" || type == ".py")
        shown += read_file(entry.path());
    }
  }
  std::istringstream page(read_file(root / "docs" / "troubleshooting.md"));
  std::size_t messages = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string message = line.substr(3, line.find('`', 3) - 3);
    ++messages;
    for (const std::string& part : tensorop::split(message, " ... ")) {
      CAPTURE(message, part);
      CHECK(shown.find(part) != std::string::npos);
    }
  }
  CHECK(messages > 20);
}

TEST_CASE("every option is named in the docs", "[cli][docs]") {
  std::string text;
  for (const fs::path& page : pages()) text += read_file(page);
  for (const tensorop::Command& command : tensorop::all_commands()) {
    for (const tensorop::Option& option : tensorop::all_options(command)) {
      CAPTURE(command.name, option.name);
      CHECK(text.find(option.name) != std::string::npos);
    }
  }
}

TEST_CASE("what to type in place of another library's call is a command with options that it has",
          "[cli][docs]") {
  CHECK(tensorop::foreign_calls().size() > 60);
  for (const tensorop::ForeignCall& row : tensorop::foreign_calls()) {
    CAPTURE(row.call, row.command);
    std::istringstream in(std::string(row.command.substr(0, row.command.find(';'))));
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    const auto command = tensorop::find_command(words.at(0));
    REQUIRE(command);
    words.erase(words.begin());
    CHECK_NOTHROW((void)tensorop::parse_arguments(words, all_options(*command), command->name));
    // A word that leads here is not the name of a command.
    std::istringstream names{std::string(row.names)};
    for (std::string name; names >> name;) {
      CAPTURE(name);
      CHECK(!tensorop::find_command(name));
      CHECK(!tensorop::foreign_hint(name).empty());
    }
  }
}

}  // namespace tensorop::cli_docs_test
