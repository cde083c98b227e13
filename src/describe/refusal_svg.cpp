// Draws the picture of a refused call.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "describe/why_report.hpp"
#include "io/json/json_writer.hpp"
#include "ops/rule.hpp"

namespace tensorop {
namespace {

class RefusalWriter {
 public:
  // Adds the text, wrapped. An empty line stays.
  void add(std::string_view style, std::string_view text) {
    for (const std::string& line : split(wrapped(text, kColumns), "\n"))
      add_line(style, line.size(), escaped(line));
  }

  // Adds a line whose characters [first, first + n) are red.
  void add_marked(std::string_view line, std::size_t first, std::size_t n) {
    first = std::min(first, line.size());
    const std::string_view rest = line.substr(first);
    n = std::min(n, rest.size());
    add_line("n", line.size(),
             cat(escaped(line.substr(0, first)), "<tspan class=\"e\">", escaped(rest.substr(0, n)),
                 "</tspan>", escaped(rest.substr(n))));
  }

  // Adds a picture of shapes (ops/shape_picture.hpp): the column above the carets of its last line is red.
  void add_shapes(const std::string& picture) {
    std::vector<std::string> lines = split(picture, "\n");
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    if (lines.empty()) return;
    const std::size_t first = lines.back().find('^');
    const std::size_t n = lines.back().rfind('^') + 1 - first;
    if (first == std::string::npos) return;
    lines.pop_back();
    for (const std::string& line : lines) add_marked(cat("  ", line), first + 2, n);
  }

  // Adds the axis on which the index selects: the first and the last cells, and in red the cell of the index,
  // beside the others if it is out of range. Below a cell is its negative index.
  void add_axis(const Refusal& refusal) {
    constexpr std::int64_t kEnds = 5;  // cells
    constexpr int kGap = 8;
    const std::int64_t size = refusal.index->size;
    const std::string word = json_element(refusal.explainer->call().operands[1], refusal.index->position);
    std::int64_t index = std::numeric_limits<std::int64_t>::max();  // an unsigned one may be greater
    std::from_chars(word.data(), word.data() + word.size(), index);
    const std::int64_t at = index < 0 && refusal.allows_negative ? index + size : index;
    std::set<std::int64_t> shown = {at};
    for (std::int64_t i = 0; i < std::min(kEnds, size); ++i) shown.insert({i, size - 1 - i});
    const int width = kCharacter * static_cast<int>(std::max(word.size(), cat(-size).size()) + 1);
    int x = kMargin;
    y_ += kLine + kGap;
    const auto add_word = [&](std::string_view style, int line, std::string_view text) {
      body_ += cat("<text class=\"", style, " a\" x=\"", x + width / 2, "\" y=\"", y_ + line * kLine, "\">",
                   text, "</text>\n");
    };
    std::int64_t before = *shown.begin();
    for (const std::int64_t cell : shown) {
      if (cell - 1 > before) {
        add_word("m", 0, "\u2026");
        x += width;
      }
      const bool is_faulty = cell == at;
      // Beside the axis, not one of its cells.
      if (cell == size || (cell == 0 && at < 0)) x += kGap;
      body_ += cat("<rect class=\"", is_faulty ? "f" : "c", "\" x=\"", x, "\" y=\"", y_ - kLine + 5,
                   "\" width=\"", width, "\" height=\"", kLine, "\"/>\n");
      add_word(is_faulty ? "e" : cell < refusal.index_end ? "n" : "m", 0, is_faulty ? word : cat(cell));
      if (!is_faulty && refusal.allows_negative) add_word("m", 1, cat(cell - size));
      x += width;
      before = cell;
    }
    y_ += (refusal.allows_negative ? 2 : 1) * kLine / 2;
    longest_ = std::max(longest_, static_cast<std::size_t>(x / kCharacter));
  }

  [[nodiscard]] std::string file() const {
    const int height = y_ + kMargin;
    const int width = std::max(kLeastWidth, 2 * kMargin + kCharacter * static_cast<int>(longest_));
    return cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height,
               "\" viewBox=\"0 0 ", width, " ", height, "\">\n<style>\n", kStyle, "</style>\n", body_,
               "</svg>\n");
  }

 private:
  // In pixels.
  static constexpr int kMargin = 16;
  static constexpr int kLeastWidth = 720;
  static constexpr int kCharacter = 8;
  static constexpr int kLine = 19;

  static constexpr std::size_t kColumns = 84;  // of wrapped text

  static constexpr std::string_view kStyle =
      "text{fill:#1f2328;font-family:monospace;font-size:13px;white-space:pre}\n"
      ".h{font-family:sans-serif;font-size:15px;font-weight:bold}\n"
      ".m{fill:#59636e}\n"
      ".e{fill:#cf222e;font-weight:bold}\n"
      ".a{text-anchor:middle}\n"
      "rect{fill:none;stroke:#8c959f}\n"
      ".f{stroke:#cf222e;stroke-width:2}\n"
      "@media (prefers-color-scheme:dark){text{fill:#f0f3f6}.m{fill:#9ea7b3}.e{fill:#ff7b72}"
      "rect{stroke:#656c76}.f{stroke:#ff7b72}}\n";

  void add_line(std::string_view style, std::size_t size, std::string_view inner) {
    longest_ = std::max(longest_, size);
    y_ += kLine;
    body_ += cat("<text class=\"", style, "\" xml:space=\"preserve\" x=\"", kMargin, "\" y=\"", y_, "\">",
                 inner, "</text>\n");
  }

  std::size_t longest_ = 0;  // line, in bytes
  int y_ = kMargin / 2;
  std::string body_;
};

}  // namespace

std::string refusal_svg(const Refusal& refusal, const std::string& call) {
  RefusalWriter out;
  out.add("h", refusal.op == nullptr ? "refused" : cat(refusal.op->name, ": refused"));
  out.add("m", call);
  out.add("n", "");
  out.add("n", refusal.error.what());
  out.add_shapes(refusal.error.details());
  if (refusal.index) {
    const std::string line = index_sentence(refusal);
    const std::size_t selects = line.find(" selects");
    out.add_marked(line.substr(0, selects), 0, selects);
    out.add("n", line.substr(selects + 1));
    out.add_axis(refusal);
  }
  if (const Rule* rule = find_rule(refusal.error.rule())) {
    out.add("n", "");
    out.add("m", cat("rule ", rule->id, ": ", rule->statement));
  }
  return out.file();
}

}  // namespace tensorop
