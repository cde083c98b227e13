// `info --stats`: the statistics of the arrays of all operands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "engine/measure.hpp"

namespace tensorop {

class InfoStatistics {
 public:
  [[nodiscard]] static std::vector<Option> options();
  // Throws Error where --stats is not given and an option that needs it is, and for wrong values.
  explicit InfoStatistics(const Arguments& arguments);

  // Whether --stats is given. Without it inspect() is inspect_file(), and the others do nothing.
  [[nodiscard]] bool is_wanted() const { return settings_.has_value(); }
  [[nodiscard]] FileContent inspect(const std::string& path, const Format* format) const;
  // Measures the arrays of a file; content.arrays keeps those that could be read.
  void take(FileContent& content);
  // Prints all, once. Returns the exit status: 1 where --fail-if says so, else 0.
  int print_all();

 private:
  [[nodiscard]] bool is_failing(const Statistics& statistics) const;

  const Arguments& arguments_;
  std::string sort_key_;
  std::vector<std::string> fail_if_;
  std::optional<MeteredSettings> settings_;
  std::vector<MeasuredArray> measured_;
};

}  // namespace tensorop
