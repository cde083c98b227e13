// Files as a test sees them from outside.
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace tensorop {

// The content of the file, or "(nothing)" if it does not exist.
[[nodiscard]] inline std::string get(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return "(nothing)";
  std::ostringstream out;
  if (in.peek() != std::ifstream::traits_type::eof()) out << in.rdbuf();
  return out.str();
}

[[nodiscard]] inline std::set<std::string> names_in(const std::filesystem::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.insert(entry.path().filename().string());
  return names;
}

}  // namespace tensorop
