// Draws the picture of a call.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "describe/why_picture.hpp"

namespace tensorop {
namespace {

// All lengths are in pixels.
constexpr int kMargin = 16;
constexpr int kWidth = 680;       // width for grids, if they fit
constexpr int kLeastWidth = 400;  // without the margins
constexpr int kCellHeight = 28;
constexpr int kLeastCell = 34;
constexpr int kBetweenGrids = 36;
constexpr int kBetweenSlices = 26;
constexpr int kGap = 8;         // between rows or columns with others left out between them
constexpr int kLine = 17;       // height of a line of text
constexpr int kTick = 15;       // height of the numbers of rows and columns
constexpr int kForArrows = 46;  // between the operands and the result
constexpr int kHead = 5;        // length of an arrow head
constexpr int kBend = 30;
constexpr int kColours = 6;

// Okabe and Ito's colours, lighter, with dark text on them in both schemes. As strokes on white they are
// darker.
constexpr std::string_view kStyle = R"(
svg{max-width:100%;height:auto}
text{fill:#1f2328;font-family:sans-serif;font-size:12px;pointer-events:none}
.h{font-size:15px;font-weight:bold}
.m{fill:#59636e}
.n{font-size:13px}
.b{font-weight:bold}
.v,.u{font-family:monospace;text-anchor:middle}
.v{fill:#14181d}
.u{fill:#59636e}
.t,.r,.s{font-family:monospace;font-size:10px;fill:#59636e}
.b,.m,.n,.t,.r,.s{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.t{text-anchor:middle}
.r{text-anchor:end}
.g{fill:#fff}
.c,.d{stroke:#8c959f}
.d{fill:#fff}
.k{fill:#dfe3e8}
.c0{fill:#8ecbf0}.c1{fill:#eda21f}.c2{fill:#3fae88}.c3{fill:#d77fb3}.c4{fill:#f3e56b}.c5{fill:#e86f3c}
.p{pointer-events:none}
.o,.z,.a,.x,.y,.l{fill:none;pointer-events:none}
.o{stroke:#14181d;stroke-width:2;stroke-dasharray:4 2}
.z{stroke:#59636e;stroke-width:2;stroke-dasharray:1 3}
.a{stroke:#1f2328;stroke-width:3}
.x{stroke:#14181d;stroke-width:1.5}
.y{stroke:#59636e;stroke-width:1.5}
.l{stroke-width:1.5;stroke-linejoin:round}
.l0{stroke:#1f7fb5}.l1{stroke:#b37700}.l2{stroke:#00805d}.l3{stroke:#a8487f}.l4{stroke:#8a7f00}.l5{stroke:#c04a10}
@media (prefers-color-scheme:dark){
text{fill:#f0f3f6}
.m,.u,.t,.r,.s{fill:#9ea7b3}
.v{fill:#14181d}
.g,.d{fill:#0d1117}
.b,.m,.n,.t,.r,.s{stroke:#0d1117}
.c,.d{stroke:#59636e}
.k{fill:#c4ccd4}
.z,.y{stroke:#9ea7b3}
.a{stroke:#f0f3f6}
.l0{stroke:#8ecbf0}.l1{stroke:#eda21f}.l2{stroke:#3fae88}.l3{stroke:#d77fb3}.l4{stroke:#f3e56b}.l5{stroke:#e86f3c}
}
)";

// Returns at least the width of a text in any font that a reader may have for a generic family.
int text_width(std::string_view text, int size) {
  int hundredths = 0;
  while (!text.empty()) {
    const std::size_t bytes = std::max<std::size_t>(utf8_length(text), 1);
    hundredths += bytes > 1 ? 110 : text[0] >= 'A' && text[0] <= 'Z' ? 74 : 62;
    text.remove_prefix(bytes);
  }
  return (hundredths * size + 99) / 100;
}

// Returns the positions of columns or rows of cells, and the end of the last.
std::vector<int> offsets_of(const std::vector<std::int64_t>& shown, int size) {
  std::vector<int> out = {0};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const bool is_gap = i + 1 < shown.size() && shown[i] + 1 != shown[i + 1];
    out.push_back(out.back() + size + (is_gap ? kGap : 0));
  }
  return out;
}

std::vector<std::string> wrapped_lines(std::string_view text, int width, int size) {
  return split(wrapped(text, static_cast<std::size_t>(width * 100 / (size * 58))), "\n");
}

// Returns the name of a slice: "[0,2,:,:]".
std::string slice_name(const PictureGrid& grid, std::size_t slice) {
  const Shape outer(grid.shape.begin(), grid.shape.end() - 2);
  const std::string name = element_name("", grid.slices[slice], outer);
  return cat(name.substr(0, name.size() - 1), ",:,:]");
}

struct Box {
  int x, y, width, height;
};

// The positions of the parts of a grid: its slices and cells, from its corner (x, y) on.
struct GridPlace {
  GridPlace(const PictureGrid& shown, bool at_end) : grid(&shown), is_result(at_end) {
    const bool is_vector = shown.rows.size() < 2 && shown.shape.size() < 2;
    int text = 0;
    for (const PictureCell& cell : shown.cells) text = std::max(text, text_width(cell.text, 12));
    cell_width = std::max(kLeastCell, text + 10);
    columns = offsets_of(shown.columns, cell_width);
    rows = offsets_of(shown.rows, kCellHeight);
    if (!is_vector && !shown.rows.empty()) left = text_width(cat(row_number(shown.rows.size() - 1)), 10) + 5;
    head = kLine * to_int(1 + shown.notes.size()) + 4;
    width = text_width(shown.name, 13) + text_width(cat(" ", shown.type), 13);
    for (const std::string& note : shown.notes) width = std::max(width, text_width(note, 12));
    if (shown.cells.empty()) width = std::max(width, text_width(kEmpty, 12));
    top = shown.shape.empty() ? 0 : kTick;
    if (shown.shape.size() > 2) top += kTick;
    place_slices();
  }

  static constexpr std::string_view kEmpty = "empty: it has no elements";
  [[nodiscard]] std::int64_t row_number(std::size_t row) const {
    return grid->rows[row] * (grid->shape.size() == 1 ? to_int64(grid->columns.size()) : 1);
  }
  [[nodiscard]] Box cell(std::size_t i) const {
    const std::size_t row = i / grid->columns.size();
    const auto& [slice_x, slice_y] = slices[row / grid->rows.size()];
    return {x + slice_x + columns[i % grid->columns.size()], y + slice_y + rows[row % grid->rows.size()],
            cell_width, kCellHeight};
  }
  // The position of the grid's name.
  [[nodiscard]] int head_y() const { return y + (is_result ? height - head + 4 : 0); }

  static int to_int(std::size_t number) { return static_cast<int>(number); }

  void place_slices() {
    int slice_width = left + columns.back();
    for (std::size_t i = 0; grid->shape.size() > 2 && i < grid->slices.size(); ++i)
      slice_width = std::max(slice_width, left + text_width(slice_name(*grid, i), 10));
    const int slice_height = top + rows.back();
    const int in_line = std::max(1, (kWidth + kBetweenSlices) / (slice_width + kBetweenSlices));
    const int above = is_result ? 0 : head;
    height = above + (grid->cells.empty() ? kCellHeight : 0);
    for (std::size_t i = 0; i < grid->slices.size(); ++i) {
      const int slice_x = to_int(i) % in_line * (slice_width + kBetweenSlices);
      const int slice_y = above + to_int(i) / in_line * (slice_height + kBetweenSlices);
      slices.emplace_back(slice_x + left, slice_y + top);
      width = std::max(width, slice_x + slice_width);
      height = std::max(height, slice_y + slice_height);
    }
    if (is_result) height += head;
  }

  const PictureGrid* grid;
  bool is_result;  // its name is below it, so that arrows do not cross the name
  std::vector<int> columns, rows;
  std::vector<std::pair<int, int>> slices;
  int cell_width = 0, left = 0, top = 0, head = 0, width = 0, height = 0;
  int x = 0, y = 0;
};

class SvgWriter {
 public:
  explicit SvgWriter(const Picture& picture) : picture_(picture) {
    for (const PictureGrid& grid : picture.grids) places_.emplace_back(grid, &grid == &picture.grids.back());
    width_ = kLeastWidth;
    for (const GridPlace& place : places_) width_ = std::max(width_, place.width);
    const int lines = place_operands(0);
    int y = kMargin;
    text("h", kMargin, y += 16, picture.heading);
    y += 2;
    for (const std::string& paragraph : {picture.details, picture.key}) {
      for (const std::string& line : wrapped_lines(paragraph, width_, 12))
        text("m", kMargin, y += kLine, line);
    }
    place_operands(y + 14);
    for (std::size_t i = 0; i + 1 < places_.size(); ++i) y = std::max(y, places_[i].y + places_[i].height);
    const bool has_arrows = lines == 1 && !picture.arrows.empty();
    GridPlace& result = places_.back();
    result.x = kMargin + (width_ - result.width) / 2;
    result.y = y + (has_arrows ? kForArrows : 22);
    y = result.y + result.height;
    for (const GridPlace& place : places_) draw_grid(place);
    if (has_arrows) {
      for (const PictureArrow& arrow : picture.arrows) draw_arrow(arrow);
    }
    if (!picture.marks.empty()) y += 12;
    for (const Picture::Mark& mark : picture.marks) y = draw_mark(mark, y);
    height_ = y + kMargin;
  }

  [[nodiscard]] std::string file() const {
    const int width = width_ + 2 * kMargin;
    return cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", height_, "\" width=\"",
               width, "\" height=\"", height_, "\" role=\"img\">\n<title>", escaped(picture_.heading),
               "</title>\n<style>", kStyle, "</style>\n<rect class=\"g\" width=\"", width, "\" height=\"",
               height_, "\" rx=\"8\"/>\n", arrows_, cells_, texts_, lines_, "</svg>\n");
  }

 private:
  // Places operands side by side, in lines from `y` on. Returns the number of lines.
  int place_operands(int y) {
    int lines = 1;
    int x = 0;
    int height = 0;
    int widest = 0;
    for (std::size_t i = 0; i + 1 < places_.size(); ++i) {
      if (x > 0 && x + places_[i].width > std::max(width_, kWidth)) {
        y += height + 22;
        x = height = 0;
        ++lines;
      }
      places_[i].x = kMargin + x;
      places_[i].y = y;
      x += places_[i].width + kBetweenGrids;
      widest = std::max(widest, x - kBetweenGrids);
      height = std::max(height, places_[i].height);
    }
    width_ = std::max(width_, widest);
    return lines;
  }

  void text(std::string_view kind, int x, int y, std::string_view content) {
    texts_ += cat("<text class=\"", kind, "\" x=\"", x, "\" y=\"", y, "\">", escaped(content), "</text>\n");
  }

  void rectangle(std::string_view kind, const Box& box, std::string_view title = "") {
    cells_ += cat("<rect class=\"", kind, "\" x=\"", box.x, "\" y=\"", box.y, "\" width=\"", box.width,
                  "\" height=\"", box.height, "\"");
    cells_ += title.empty() ? "/>\n" : cat("><title>", escaped(title), "</title></rect>\n");
  }

  static std::string fill_of(int colour) {
    return colour == PictureCell::kKept ? "k" : cat("c", colour % kColours);
  }

  void draw_cell(const PictureCell& cell, const Box& box) {
    const auto& colours = cell.colours;
    rectangle(colours.empty() ? "d" : cat("c ", fill_of(colours[0])), box, cell.title);
    const auto parts = static_cast<int>(std::min<std::size_t>(colours.size(), kColours));
    for (int i = 1; i < parts; ++i) {
      const int left = 1 + (box.width - 2) * i / parts;
      rectangle(cat("p ", fill_of(colours[static_cast<std::size_t>(i)])),
                {box.x + left, box.y + 1, box.width - 1 - left, box.height - 2});
    }
    if (cell.is_open) rectangle("o", {box.x + 2, box.y + 2, box.width - 4, box.height - 4});
    if (cell.reads_zero) rectangle("z", {box.x + 2, box.y + 2, box.width - 4, box.height - 4});
    if (cell.is_asked) rectangle("a", {box.x + 1, box.y + 1, box.width - 2, box.height - 2});
    if (cell.is_lost) {
      const int y = box.y + box.height / 2;
      lines_ += cat("<path class=\"", colours.empty() ? "y" : "x", "\" d=\"M", box.x + 3, " ", y, "H",
                    box.x + box.width - 3, "\"/>\n");
    }
    if (!cell.text.empty())
      text(colours.empty() ? "u" : "v", box.x + box.width / 2, box.y + box.height / 2 + 4, cell.text);
  }

  void draw_grid(const GridPlace& place) {
    const PictureGrid& grid = *place.grid;
    int y = place.head_y() + 13;
    texts_ += cat("<text class=\"n\" x=\"", place.x, "\" y=\"", y, "\"><tspan class=\"b\">",
                  escaped(grid.name), "</tspan> ", escaped(grid.type), "</text>\n");
    for (const std::string& note : grid.notes) text("m", place.x, y += kLine, note);
    if (grid.cells.empty())
      text("m", place.x, place.y + (place.head_y() == place.y ? place.height : kCellHeight) - 8,
           GridPlace::kEmpty);
    for (std::size_t i = 0; i < grid.cells.size(); ++i) draw_cell(grid.cells[i], place.cell(i));
    if (!grid.shape.empty()) draw_numbers(place);
  }

  // Draws the numbers of slices, rows and columns.
  void draw_numbers(const GridPlace& place) {
    const PictureGrid& grid = *place.grid;
    for (std::size_t slice = 0; slice < grid.slices.size(); ++slice) {
      const std::size_t first = slice * grid.rows.size() * grid.columns.size();
      for (std::size_t i = 0; i < grid.columns.size(); ++i) {
        const Box box = place.cell(first + i);
        text("t", box.x + box.width / 2, box.y - 5, cat(grid.columns[i]));
      }
      if (grid.shape.size() == 1 && grid.rows.size() == 1) continue;
      for (std::size_t i = 0; i < grid.rows.size(); ++i) {
        const Box box = place.cell(first + i * grid.columns.size());
        text("r", box.x - 4, box.y + box.height / 2 + 3, cat(place.row_number(i)));
      }
      if (grid.shape.size() < 3) continue;
      const Box box = place.cell(first);
      text("s", box.x, box.y - 5 - kTick, slice_name(grid, slice));
    }
  }

  // The begin or end of an arrow: the middle of a side of a block, the direction away from the grid, and the
  // extent of the block to both sides.
  struct Port {
    int x, y, dx, dy, extent;
  };

  // Returns the port of a block: at the bottom or top of the grid, or at the side that is nearer to `x`. If
  // the block is at no edge, the arrow passes behind other cells.
  static Port port_of(const GridPlace& place, const PictureArrow::Block& block, bool is_target, int x) {
    const PictureGrid& grid = *place.grid;
    const std::size_t columns = grid.columns.size();
    const std::size_t row = block.first / columns % grid.rows.size();
    const Box first = place.cell(block.first);
    const Box last = place.cell(block.last + (block.rows - 1) * columns);
    const Port side{0, (first.y + last.y + last.height) / 2, 0, 0,
                    block.rows < 2 ? 0 : (last.y - first.y) / 2};
    const bool is_at_left = block.first % columns == 0;
    const bool is_at_right = (block.last + 1) % columns == 0;
    const bool is_at_end = is_target ? row == 0 : row + block.rows == grid.rows.size();
    if (!is_at_end && is_at_right && !(is_at_left && x < first.x))
      return {last.x + last.width + 3, side.y, 1, 0, side.extent};
    if (!is_at_end && is_at_left && is_target) return {first.x - place.left - 2, side.y, -1, 0, side.extent};
    const Box end = place.cell(is_target ? block.first - row * columns
                                         : block.first + (grid.rows.size() - 1 - row) * columns);
    const int extent = block.first == block.last ? 0 : (last.x - first.x) / 2;
    const int above = grid.shape.empty() ? 3 : kTick;
    return {(first.x + last.x + last.width) / 2, is_target ? end.y - above : end.y + end.height + 3, 0,
            is_target ? -1 : 1, extent};
  }

  void draw_arrow(const PictureArrow& arrow) {
    const int x = places_.back().x + places_.back().width / 2;
    const Port from = port_of(places_[arrow.grid], arrow.from, false, x);
    const Port to = port_of(places_.back(), arrow.to, true, from.x);
    const int bend = std::max(kBend, (to.y - from.y) / 2);
    const auto across = [&](const Port& port) {
      return std::clamp(port.x + port.dx * kBend, 2, width_ + 2 * kMargin - 2);
    };
    arrows_ +=
        cat("<path class=\"l l", arrow.colour % kColours, "\" d=\"M", from.x, " ", from.y, "C", across(from),
            " ", from.y + from.dy * bend, " ", across(to), " ", to.y + to.dy * bend, " ", to.x, " ", to.y,
            "M", to.x + kHead * to.dx + (kHead - 1) * to.dy, " ", to.y + kHead * to.dy + (kHead - 1) * to.dx,
            "L", to.x, " ", to.y, "L", to.x + kHead * to.dx - (kHead - 1) * to.dy, " ",
            to.y + kHead * to.dy - (kHead - 1) * to.dx);
    for (const Port& port : {from, to}) {
      if (port.extent == 0) continue;
      const int dx = port.dx == 0 ? port.extent : 0;
      const int dy = port.dx == 0 ? 0 : port.extent;
      arrows_ += cat("M", port.x - dx, " ", port.y - dy, "L", port.x + dx, " ", port.y + dy);
    }
    arrows_ += "\"/>\n";
  }

  int draw_mark(const Picture::Mark& mark, int y) {
    constexpr int kSampleWidth = 30;
    draw_cell(mark.sample, {kMargin, y, kSampleWidth, 18});
    const int indent = kSampleWidth + 8;
    int line_y = y + 13;
    for (const std::string& line : wrapped_lines(mark.meaning, width_ - indent, 12)) {
      text("m", kMargin + indent, line_y, line);
      line_y += kLine;
    }
    return std::max(y + 22, line_y - 8);
  }

  const Picture& picture_;
  std::vector<GridPlace> places_;
  int width_ = 0, height_ = 0;
  std::string cells_, arrows_, lines_, texts_;
};

}  // namespace

std::string svg_text(const Picture& picture) {
  return SvgWriter(picture).file();
}

}  // namespace tensorop
