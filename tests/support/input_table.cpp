#include "support/input_table.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "base/text/text.hpp"
#include "support/paths.hpp"

namespace tensorop {
namespace {

bool is_quote(char c) {
  return c == '\'' || c == '"';
}

// The byte that the escape at the beginning of `text` means; removes the escape.
char take_escape(std::string_view& text) {
  constexpr std::string_view kLetters = "nrt\\'\"";
  constexpr std::string_view kBytes = "\n\r\t\\'\"";
  const std::size_t letter = kLetters.find(text.at(1));
  const bool is_hex = text[1] == 'x';
  if (letter == std::string_view::npos && !is_hex) throw std::runtime_error(cat("unknown escape ", text));
  const char byte =
      is_hex ? static_cast<char>(std::stoi(std::string(text.substr(2, 2)), nullptr, 16)) : kBytes[letter];
  text.remove_prefix(is_hex ? 4 : 2);
  return byte;
}

// Appends the bytes of pieces: 'text' or "text", "*N" behind it for N times.
void append_pieces(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const char quote = text[0];
    if (!is_quote(quote)) throw std::runtime_error(cat("no piece of bytes: ", text));
    text.remove_prefix(1);
    std::string piece;
    while (text.at(0) != quote) {
      if (text[0] == '\\') {
        piece += take_escape(text);
      } else {
        piece += text[0];
        text.remove_prefix(1);
      }
    }
    text.remove_prefix(1);
    std::size_t count = 1;
    if (text.starts_with('*')) {
      std::size_t digits = 0;
      count = std::stoul(std::string(text.substr(1)), &digits);
      text.remove_prefix(1 + digits);
    }
    for (std::size_t i = 0; i < count; ++i) out += piece;
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
}

}  // namespace

std::filesystem::path input_table_path(std::string_view table) {
  return std::filesystem::path(source_dir()) / "testdata" / "inputs" / cat(table, ".txt");
}

std::vector<InputRow> read_input_table(std::string_view table) {
  std::ifstream in(input_table_path(table));
  if (!in) throw std::runtime_error(cat("no table ", table));
  std::vector<InputRow> rows;
  std::string source;
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kIndent = "  ";
    if (line.starts_with(kIndent)) {
      const std::string_view text = std::string_view(line).substr(kIndent.size());
      if (rows.empty() || text.empty()) throw std::runtime_error(cat("no row before ", line));
      if (is_quote(text[0])) {
        append_pieces(rows.back().bytes, text);
        rows.back().source += line + "\n";
      } else {
        rows.back().lines.emplace_back(text);
      }
      continue;
    }
    source += line + "\n";
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t name = line.find(' ');
    rows.push_back({std::exchange(source, ""), line.substr(0, name), "", {}});
    append_pieces(rows.back().bytes, std::string_view(line).substr(name + 1));
  }
  return rows;
}

}  // namespace tensorop
