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
  // The files it makes or replaces. If their folder is none of the operands', the operation makes it, with
  // all of them or not at all; an empty folder is there already where it replaces something old.
  std::vector<std::string> outputs;
  // In a folder as prepare() leaves it. Throws what the first thing that fails throws.
  std::function<void(const TempDir& dir)> run;
  // The operand that each output is a copy of before, where it is changed.
  std::string changes = {};
  bool is_large = false;  // takes milliseconds: one kind of failure is enough for it
};

[[nodiscard]] const std::vector<Operation>& small_operations();

// The operands of all of them, into a new folder.
void write_operands(const TempDir& dir);

[[nodiscard]] std::set<std::string> names_in(const TempDir& dir);

// Runs one operation again and again, each time with something else that fails, and compares what it leaves
// with what it must: every output as it was or whole, whole where nothing was thrown, and no other file.
class Trial {
 public:
  explicit Trial(const Operation& operation);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Outputs hold something old, or their new folder is there and empty; or they are not there.
  void prepare(bool old_outputs);
  [[nodiscard]] const TempDir& dir() const { return dir_; }
  // The files that kill -9 may leave.
  void remove_temporary_entries() const;
  // The faults in the files that are there; empty if there are none.
  [[nodiscard]] std::string fault_in_outputs(bool succeeded) const;

 private:
  const Operation& operation_;
  TempDir dir_;
  std::set<std::string> operands_;
  std::string new_folder_;  // that the operation makes; empty: none
  bool has_empty_folder_ = false;
  std::vector<std::string> before_;
  std::vector<std::string> whole_;
};

// How many descriptors this process has open.
[[nodiscard]] std::ptrdiff_t open_descriptors();

}  // namespace tensorop
