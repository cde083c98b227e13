// Small operations, whole: from files to files, as the commands run them. What is made to fail in their midst
// is up to the test.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace tensorop {

struct Operation {
  std::string name;
  // The files it makes or replaces; where their folder is none of the operands' it makes that too.
  std::vector<std::string> outputs;
  // In a folder as prepare() leaves it. Throws what the first thing that fails throws.
  std::function<void(const TempDir& dir)> run;
  // The operand that each output is a copy of before, where it is changed.
  std::string changes = {};
  bool is_large = false;  // takes milliseconds: one kind of failure is enough for it
};

[[nodiscard]] const std::vector<Operation>& small_operations();

// Writes a small call as an ONNX case folder. Throws Error.
void make_case(const std::string& folder, bool durable);

// The operands of all of them, into a new folder.
void write_operands(const TempDir& dir);

[[nodiscard]] std::set<std::string> names_in(const TempDir& dir);

// Runs one operation again and again, each time with something else that fails, and compares what it leaves
// with what it must: every output as it was or whole, whole where nothing was thrown, and no other file.
class Trial {
 public:
  explicit Trial(const Operation& operation);

  // Outputs hold something old; or are not there.
  void prepare(bool old_outputs);
  [[nodiscard]] const TempDir& dir() const { return dir_; }
  // Those that kill -9 may leave.
  void remove_temporary_entries() const;
  // What is wrong with what is there; empty where nothing is.
  [[nodiscard]] std::string fault_in_outputs(bool succeeded) const;

 private:
  const Operation& operation_;
  TempDir dir_;
  std::set<std::string> operands_;
  std::vector<std::string> before_;
  std::vector<std::string> whole_;
};

// How many descriptors this process has open.
[[nodiscard]] std::ptrdiff_t open_descriptors();

}  // namespace tensorop
