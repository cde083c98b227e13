// What must hold of the operators' descriptions themselves, whatever they describe.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "base/text/text.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/operator_facts.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace tensorop::ops_descriptions_test {
namespace {

// Whether `text` is a value of the attribute, as a user would type it.
bool is_value(const AttributeSpec& spec, WordList choices, const std::string& text) {
  switch (spec.kind) {
    case AttributeKind::integer:
      return parse_int64(text).has_value();
    case AttributeKind::boolean:
    case AttributeKind::flag:
      return text == "true" || text == "false" || text == "0" || text == "1";
    case AttributeKind::choice: {
      if (!choices.empty()) return std::ranges::find(choices, text) != choices.end();
      return std::ranges::find(spec.choices, text, &Choice::word) != spec.choices.end();
    }
    case AttributeKind::integers:
      return text == "[]";  // no other list goes without saying
    case AttributeKind::dimension_numbers:
    case AttributeKind::element:
      return false;
  }
  return false;
}

// The words of a line of a shell that has no quotes but '...'.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

TEST_CASE("names are unique over all operators, folded, and the first is the operator's own",
          "[descriptions]") {
  std::set<std::string> seen;
  for (const Operator* op : kOperators) {
    CAPTURE(op->name);
    REQUIRE(!op->names.empty());
    CHECK(op->names.front().name == op->name);
    for (const OperatorName& name : op->names) {
      CAPTURE(name.name);
      CHECK(fold_name(name.name) == name.name);
      CHECK(seen.insert(cat(static_cast<int>(name.of), " ", name.name)).second);
      CHECK(find_operator(name.name, framework_name(name.of)).op == op);
      for (const std::string_view published : name.published) {
        CHECK(std::ranges::find(op->versions, published, &Version::published) != op->versions.end());
      }
      if (name.preset.attribute.empty()) continue;
      const AttributeSpec* spec = find_attribute(*op, name.preset.attribute);
      REQUIRE(spec != nullptr);
      CHECK(is_value(*spec, {}, std::string(name.preset.text)));
    }
  }
}

TEST_CASE("one way leads from a name and a spec to an operator and its version", "[descriptions]") {
  // The functions that find_operator(), find_version() and name_in() are made of, and the only sources that
  // may call them. Other callers of parse_spec() look up no operator.
  const std::map<std::string, std::set<std::string>> kParts = {
      {"find_publisher(", {"src/engine/version", "src/explain/portability", "src/ops/publisher"}},
      {"means(", {"src/engine/version", "src/jobs/onnx_call", "src/ops/operator"}},
      {"parse_spec(",
       {"apps/tensorop/check", "apps/tensorop/generate", "src/engine/bind", "src/engine/onnx_case_writer",
        "src/engine/version", "src/explain/verdicts"}},
  };
  std::map<std::string, std::set<std::string>> found;
  for (const char* folder : {"/src", "/apps"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = get(entry.path().string());
      for (const auto& [part, files] : kParts) {
        if (text.find(part) != std::string::npos)
          found[part].insert(
              std::filesystem::path(entry).replace_extension().string().substr(source_dir().size() + 1));
      }
    }
  }
  CHECK(found == kParts);
}

TEST_CASE("operands and attributes are described in full", "[descriptions]") {
  for (const Operator* op : kOperators) {
    CAPTURE(op->name);
    CHECK(!op->summary.empty());
    CHECK(!op->summary.ends_with('.'));
    std::set<std::string_view> names;
    for (const OperandSpec& operand : op->operands) {
      CAPTURE(operand.name);
      CHECK(names.insert(operand.name).second);
      CHECK(!operand.help.empty());
      CHECK(!operand.rule.empty());
      CHECK((!operand.variadic || &operand == &op->operands.back()));
    }
    for (const AttributeSpec& spec : op->attributes) {
      CAPTURE(spec.name);
      CHECK(names.insert(spec.name).second);
      CHECK(!spec.help.empty());
      CHECK((spec.kind == AttributeKind::choice) == !spec.choices.empty());
      CHECK(!spec.rule.empty());
      if (!spec.default_text.empty()) CHECK(is_value(spec, {}, std::string(spec.default_text)));
      CHECK(!(spec.required && !spec.default_text.empty()));
      const bool has_row = std::ranges::any_of(op->versions, [&](const Version& version) {
        return find_attribute(version, spec.name) != nullptr;
      });
      CHECK(has_row);
      if (spec.required) {
        // A version without it is called by names that say what it would.
        for (const Version& version : op->versions) {
          const bool is_named = std::ranges::all_of(op->names, [&](const OperatorName& name) {
            return !means(name, version) || name.preset.attribute == spec.name;
          });
          CHECK((find_attribute(version, spec.name) != nullptr || is_named));
        }
      }
    }
    for (const std::string& word : words_of(op->oob)) {
      CHECK((word == "error" || word == "zero" || word == "drop" || word == "clip" || word == "clamp" ||
             word == "wrap" || word == "fill"));
    }
    const bool has_indices = std::ranges::any_of(
        op->operands, [](const OperandSpec& operand) { return operand.role == OperandRole::indices; });
    // Where a single window begins is no choice of rows.
    const bool is_start = op->name == "tensorscatter" || op->name.starts_with("dynamic");
    CHECK((has_indices && !is_start) == !op->oob.empty());
  }
}

TEST_CASE("a version's attributes are the operator's, with choices and defaults among its own",
          "[descriptions]") {
  for (const Operator* op : kOperators) {
    for (const Version& version : op->versions) {
      CAPTURE(op->name, version.published, spec_name(version.framework, version.since));
      std::set<std::string_view> names;
      for (const AttributeRow& row : version.attributes) {
        CAPTURE(row.name);
        CHECK(names.insert(row.name).second);
        const AttributeSpec* spec = find_attribute(*op, row.name);
        CHECK(spec != nullptr);
        if (spec == nullptr) continue;
        for (const std::string_view choice : row.choices) {
          CAPTURE(choice);
          CHECK(std::ranges::find(spec->choices, choice, &Choice::word) != spec->choices.end());
        }
        if (!row.default_text.empty()) CHECK(is_value(*spec, row.choices, std::string(row.default_text)));
        if (row.default_text.empty() && !spec->default_text.empty())
          CHECK(is_value(*spec, row.choices, std::string(spec->default_text)));
      }
    }
  }
}

TEST_CASE("the default semantics come first, then each publisher's versions in ascending order",
          "[descriptions]") {
  for (const Operator* op : kOperators) {
    CAPTURE(op->name);
    REQUIRE(!op->versions.empty());
    CHECK(op->versions.front().framework == Framework::standard);
    for (std::size_t i = 1; i < op->versions.size(); ++i) {
      const Version& previous = op->versions[i - 1];
      const Version& version = op->versions[i];
      CAPTURE(version.published, version.since);
      CHECK(version.framework != Framework::standard);
      CHECK(version.framework >= previous.framework);
      CHECK(!version.published.empty());
      for (std::size_t j = 0; j < i; ++j) {
        const Version& other = op->versions[j];
        if (other.framework == version.framework && other.published == version.published)
          CHECK(other.since < version.since);
      }
    }
  }
}

TEST_CASE("every operand has dtypes in every version", "[descriptions]") {
  for (const Operator* op : kOperators) {
    for (const Version& version : op->versions) {
      CAPTURE(op->name, version.published, spec_name(version.framework, version.since));
      for (std::size_t i = 0; i < op->operands.size(); ++i) {
        CHECK(!allowed_types(version, type_variable(*op, version, i)).empty());
      }
      for (const TypeRow& row : version.types) {
        CAPTURE(row.type);
        CHECK(!row.allowed.empty());
        const bool of_operand =
            std::ranges::find(op->operands, row.type, &OperandSpec::type) != op->operands.end();
        const AttributeSpec* spec = find_attribute(*op, row.type);
        CHECK((of_operand || (spec != nullptr && spec->kind == AttributeKind::integers)));
      }
    }
  }
}

TEST_CASE("the docs page of every family is there", "[descriptions]") {
  std::set<std::string> families;
  for (const Operator* op : kOperators) families.insert(std::string(op->family));
  for (const std::string& family : families) {
    CAPTURE(family);
    CHECK(std::filesystem::exists(cat(source_dir(), "/docs/ops/", family, ".md")));
  }
}

// What differs between operators is a member of the description: a new operator has it without a change
// there.
TEST_CASE("no source outside src/ops compares the name of an operator", "[descriptions]") {
  const std::regex compared("(?:op|operator|op\\(\\))(?:\\.|->)name [=!]= \"([a-z]+)\"");
  int files = 0;
  for (const char* const root : {"/src", "/apps"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + root)) {
      const std::string path = entry.path().string();
      if (!entry.is_regular_file() || path.find("/src/ops/") != std::string::npos) continue;
      ++files;
      std::ifstream in(path);
      const std::string text((std::istreambuf_iterator<char>(in)), {});
      for (std::sregex_iterator at(text.begin(), text.end(), compared), end; at != end; ++at) {
        INFO(path << ": " << at->str());
        CHECK(find_operator((*at)[1].str()).op == nullptr);
      }
    }
  }
  CHECK(files > 100);
}

TEST_CASE("the operators whose last bits depend on the C library are those of the tests", "[descriptions]") {
  for (const Operator* op : kOperators) CHECK(op->is_inexact == facts_of(op->name).is_inexact);
}

TEST_CASE("every operator's example works as it stands", "[descriptions]") {
  for (const Operator* op : kOperators) {
    CAPTURE(op->example);
    auto words = shell_words(op->example);
    REQUIRE(words.size() > 2);
    CHECK(words[0] == "tensorop");
    CHECK(find_operator(words[1]).op == op);
    words.erase(words.begin());
    const ProcessResult result = run_tensorop(words);
    CHECK(result.status == 0);
    CHECK(result.err.empty());
    CHECK(result.out.starts_with("{\"dtype\":"));
  }
}

}  // namespace
}  // namespace tensorop::ops_descriptions_test
