// docs/security.md: every promise names tests that exist.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

// All tests, with literals that go over several lines put together.
std::string sources_of_tests(const fs::path& root) {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
    if (entry.path().extension() == ".cpp") all += text_of(entry.path());
  }
  all = std::regex_replace(all, std::regex("\"\\s*\\n\\s*\""), "");
  return std::regex_replace(all, std::regex("TEST_CASE\\(\\s+"), "TEST_CASE(");
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

}  // namespace

TEST_CASE("every promise names tests that exist", "[promises]") {
  const fs::path root = TENSOROP_SOURCE_DIR;
  const std::string sources = sources_of_tests(root);
  std::ifstream page(root / "docs" / "security.md");
  REQUIRE(page);
  bool among_promises = false;
  std::size_t promises = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ")) {
      among_promises = false;
    } else if (line == "| promise | held by |") {
      among_promises = true;
    } else if (among_promises && !line.starts_with("| ---")) {
      CAPTURE(line);
      ++promises;
      const std::string holders = line.substr(line.find(" | ") + 3);
      const auto names = matches(holders, std::regex("\"([^\"]+)\""));
      const auto files = matches(holders, std::regex("`([^`]+)`"));
      CHECK(names.size() + files.size() > 0);
      for (const std::string& name : names) {
        CAPTURE(name);
        const bool exists = sources.find("TEST_CASE(\"" + name + "\"") != std::string::npos;
        CHECK(exists);
      }
      for (const std::string& file : files) {
        CAPTURE(file);
        CHECK(fs::exists(root / file));
      }
    }
  }
  CHECK(promises > 15);
}

}  // namespace tensorop
