// The tables of testdata/inputs: names, bytes, and lines about them. testdata/inputs/README.md says how they
// are written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

struct InputRow {
  std::string source;  // the row as it is in the table, with the comments before it and without `lines`
  std::string name;
  std::string bytes;
  std::vector<std::string> lines;
};

[[nodiscard]] std::filesystem::path input_table_path(std::string_view table);

// Throws std::exception if the table is missing or a row is malformed.
[[nodiscard]] std::vector<InputRow> read_input_table(std::string_view table);

}  // namespace tensorop
