// Generated cases as a folder: cases.jsonl, operands and expected results; or as ONNX case folders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/files/output_folder.hpp"
#include "generate/generator.hpp"
#include "io/format.hpp"

namespace tensorop {

struct SuiteOptions {
  std::int64_t count = 100;  // of each operator
  std::uint64_t seed = 1;
  std::int64_t invalid_per_million = 0;  // of the cases
  std::optional<std::string> spec = {};  // of all operators
  const Format* format = nullptr;        // of operands and results; null: ONNX case folders
};

// A suite being written: nothing of it is visible before commit().
class Suite {
 public:
  // Throws Error unless the folder is empty or absent.
  Suite(const SuiteOptions& options, const std::string& folder);

  // The case is called OPERATOR-NUMBER-HASH.
  void add(const GeneratedCase& generated);
  void commit();

 private:
  // The tensor as a value of cases.jsonl: the path of a file, or the tensor itself if the format does not
  // have or does not name its dtype.
  [[nodiscard]] std::string value_of(const Tensor& tensor, const std::string& file, std::string_view name);
  [[nodiscard]] std::string line_of(const GeneratedCase& generated, const std::string& name);

  const SuiteOptions& options_;
  OutputFolder folder_;
  Settings settings_;
  std::string lines_;
  std::int64_t cases_ = 0;
};

// Draws the cases of each operator, and adds them to the suite, if there is one.
void generate_cases(const SuiteOptions& options, std::vector<Generator>& generators, Suite* suite);

}  // namespace tensorop
