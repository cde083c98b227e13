#include "ops/shape_picture.hpp"

#include <algorithm>
#include <string_view>

#include "base/checked.hpp"
#include "base/text/text.hpp"

namespace tensorop {

std::string shape_picture(const std::vector<NamedShape>& shapes, std::int64_t at) {
  std::int64_t columns = at + 1;
  std::size_t longest = 0;
  for (const NamedShape& line : shapes) {
    if (line.column < 0 || line.column > to_int64(kMaxRank)) return {};
    columns = std::max(columns, line.column + rank(line.shape));
    longest = std::max(longest, line.name.size());
  }
  if (at < 0 || columns > to_int64(kMaxRank)) return {};
  std::vector<std::size_t> widths(to_size(columns), 1);
  for (const NamedShape& line : shapes) {
    for (std::size_t d = 0; d < line.shape.size(); ++d) {
      std::size_t& width = widths[to_size(line.column) + d];
      width = std::max(width, cat(line.shape[d]).size());
    }
  }
  // The position of the bracket or comma before each column.
  std::vector<std::size_t> starts(1, longest + 2);
  for (const std::size_t width : widths) starts.push_back(starts.back() + width + 1);
  std::string out;
  for (const NamedShape& line : shapes) {
    std::string text = line.name;
    text.resize(starts[to_size(line.column)], ' ');
    text += '(';
    for (std::size_t d = 0; d < line.shape.size(); ++d) {
      const std::string number = cat(line.shape[d]);
      if (d > 0) text += ',';
      text += std::string(widths[to_size(line.column) + d] - number.size(), ' ') + number;
    }
    out += text + ")\n";
  }
  const std::size_t width = widths[to_size(at)];
  return out + std::string(starts[to_size(at)] + 1, ' ') + std::string(width, '^') + "\n";
}

std::string right_aligned_picture(std::vector<NamedShape> shapes, std::int64_t at) {
  std::int64_t longest = 0;
  for (const NamedShape& line : shapes) longest = std::max(longest, rank(line.shape));
  for (NamedShape& line : shapes) line.column = longest - rank(line.shape);
  return shape_picture(shapes, at);
}

}  // namespace tensorop
