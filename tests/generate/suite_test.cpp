// Suites as folders: tensorop agrees with its own, and they are the same everywhere.
#include <filesystem>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "base/text/text.hpp"
#include "generate/suite.hpp"
#include "ops/registry.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"

namespace tensorop::generate_suite_test {
namespace {

namespace fs = std::filesystem;

// A hash of the names and contents of all files, in the order of their names.
std::string hash_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  Sha256 hash;
  for (const fs::path& file : files) {
    hash.update(text_bytes(file.lexically_relative(folder).string()));
    hash.update(text_bytes(get(file.string())));
  }
  return hash.finish();
}

// Makes a suite in the folder `name`, and checks it.
void check_suite(const TempDir& dir, const std::string& name, Words words, std::int64_t cases) {
  words.insert(words.begin(), "generate");
  words.insert(words.end(), {"-o", name});
  CAPTURE(join(words, " "));
  check_done(run_in(dir, words));
  const ProcessResult result = run_in(dir, {"check", name});
  const std::string out = "\n" + result.out;
  CHECK(result.status == 0);
  CHECK(out.find(cat("\n", cases, " cases: all equal")) != std::string::npos);
}

Words all_names() {
  Words names;
  for (const Operator* op : kOperators) names.emplace_back(op->name);
  return names;
}

}  // namespace

TEST_CASE("suites are equal under tensorop itself, calls that break a rule included", "[release][generate]") {
  const TempDir dir;
  const auto suite = [&](const std::string& folder, Words operators, const Words& options,
                         std::int64_t cases) {
    operators.insert(operators.end(), options.begin(), options.end());
    check_suite(dir, folder, operators, cases);
  };
  suite("all", all_names(), {"--count", "30", "--invalid", "0.4"}, 30 * std::ssize(all_names()));
  const Words onnx = {
      "gather", "gathernd", "scatterelements", "scatternd", "tensorscatter", "expand", "add", "pow",
      "mod",    "min",      "bitshift",        "prelu",     "where"};
  suite("onnx", onnx, {"--spec", "onnx-24", "--count", "20", "--invalid", "0.4"}, 20 * std::ssize(onnx));
  const Words openvino = {"gather",        "gatherelements", "gathernd", "scatterelements",
                          "scatterupdate", "broadcast",      "add",      "mod",
                          "select"};
  suite("openvino", openvino, {"--spec", "openvino-15", "--count", "20", "--invalid", "0.4"},
        20 * std::ssize(openvino));
  const Words old = {"gather", "add", "min", "prelu"};
  suite("old", old, {"--spec", "onnx-6", "--count", "20", "--invalid", "0.4"}, 20 * std::ssize(old));
  for (const std::string format : {"json", "pb", "safetensors"})
    suite(format, {"gather", "scatternd"}, {"--count", "20", "--invalid", "0.4", "--format", format}, 40);
  suite("cases", {"add"}, {"--format", "onnx", "--spec", "onnx-14", "--count", "20"}, 20);
}

TEST_CASE("a seed makes the same bytes on every machine and in every release", "[release][generate]") {
  const TempDir dir;
  const auto hash = [&](const std::string& folder, const Words& words) {
    Words all = {"generate"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"-o", folder});
    check_done(run_in(dir, all));
    return hash_of(dir.path() / folder);
  };
  // Another hash needs another kGeneratorVersion.
  const std::string expected = "3bb2f9af658bd937951a6a39cb9c6332e48f2fc3286aa2cb3d8ebb56eaa4ce55";
  CHECK(hash("a", {"gathernd", "scatterelements", "add", "--spec", "onnx-18", "--count", "40", "--invalid",
                   "0.25"}) == expected);
  CHECK(hash("b", {"gathernd", "scatterelements", "add", "--spec", "onnx-18", "--count", "40", "--invalid",
                   "0.25"}) == expected);
  CHECK(hash("c", {"gathernd", "scatterelements", "add", "--spec", "onnx-18", "--count", "40", "--invalid",
                   "0.25", "--seed", "2"}) != expected);
  CHECK(kGeneratorVersion == 6);
}

}  // namespace tensorop::generate_suite_test
