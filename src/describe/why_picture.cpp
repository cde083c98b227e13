#include "describe/why_picture.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/checked.hpp"
#include "base/text/text.hpp"
#include "describe/why_report.hpp"
#include "ops/index_policy.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kPictureIndices = 1;  // operands of gathers and scatters
constexpr std::size_t kPictureUpdates = 2;
constexpr std::size_t kMostArrows = 40;
constexpr std::size_t kMostAsked = 1024;        // cells that are each looked up in the result
constexpr std::int64_t kMostLookups = 1 << 24;  // cells times elements: some tenths of a second
constexpr std::size_t kMostOfPath = 40;

void add_once(std::vector<int>& colours, int colour) {
  if (std::ranges::find(colours, colour) == colours.end()) colours.push_back(colour);
}

class PictureMaker {
 public:
  PictureMaker(const Explainer& explainer, std::span<const std::int64_t> at)
      : explainer_(explainer), call_(explainer.call()), is_asked_(!at.empty()) {
    add_result(at);
    for (std::size_t i = 0; i < call_.operands.size(); ++i) add_operand(i);
    std::rotate(out_.grids.begin(), out_.grids.begin() + 1, out_.grids.end());
    if (count(result().shape) != 0) repeated_ = explainer.repeated_axes();
    for (const ElementOrigin& origin : origins_) mark(origin);
    for (const auto& [operand, position] : unused_) {
      PictureCell* const cell = shown({operand, position});
      if (cell != nullptr && !used_.contains({operand, position})) {
        cell->is_lost = true;
        add_mark({.text = "0", .colours = cell->colours, .is_lost = true}, "overwritten by a later update");
      }
    }
    for (std::size_t i = 0; i < call_.operands.size(); ++i) say_where_elements_go(i);
    add_marks();
    for (const bool below : {false, true}) join_arrows(below);
    if (out_.arrows.size() > kMostArrows) out_.arrows.clear();
    out_.heading = call_.name->name;
    out_.details = why_call_text(call_);
    out_.key = key();
  }
  [[nodiscard]] Picture take_picture() { return std::move(out_); }

 private:
  [[nodiscard]] PictureGrid& result() { return out_.grids.back(); }
  [[nodiscard]] bool is_where() const { return call_.operand_spec(0).role == OperandRole::condition; }
  // Whether every element of the result is explained.
  [[nodiscard]] bool is_complete() const {
    const PictureGrid& grid = out_.grids.back();
    return !is_asked_ && to_int64(grid.cells.size()) == count(grid.shape);
  }

  void add_result(std::span<const std::int64_t> at) {
    const OutputInfo& output = explainer_.output();
    PictureGrid grid{"out", cat(name(output.dtype), " ", to_string(output.shape)), output.shape};
    std::vector<std::int64_t> positions(at.begin(), at.end());
    choose_cells(grid, positions);
    if (at.empty()) {
      for (const PictureCell& cell : grid.cells) positions.push_back(cell.position);
    }
    out_.grids.push_back(std::move(grid));
    if (!positions.empty()) origins_ = explainer_.origins(positions);
  }

  void add_operand(std::size_t i) {
    const Tensor& tensor = call_.operands[i];
    const bool is_mask = call_.has_mask() && i == kPictureIndices;
    PictureGrid grid{is_mask ? "indices of the mask" : call_.operand_name(i),
                     cat(name(tensor.dtype()), " ", to_string(tensor.shape())), tensor.shape()};
    if (i < call_.files.size() && !call_.files[i].empty()) {
      const std::string& file = call_.files[i];
      std::size_t cut = file.size() <= kMostOfPath ? 0 : file.size() - kMostOfPath;
      while (cut < file.size() && cut > 0 && (file[cut] & 0xC0) == 0x80) ++cut;
      grid.notes.push_back(cat(cut == 0 ? "" : "…", file.substr(cut)));
    }
    std::vector<std::int64_t> focus;
    for (const ElementOrigin& origin : origins_) {
      const auto add_indices = [&](const std::vector<ChosenIndex>& indices) {
        for (const ChosenIndex& index : indices) {
          if (i == kPictureIndices) focus.push_back(index.position);
        }
      };
      for (const Contribution& part : origin.from) {
        if (part.element.operand == i) focus.push_back(part.element.position);
        add_indices(part.indices);
      }
      add_indices(origin.unresolved);
      if (i == 0 && origin.condition) focus.push_back(*origin.condition);
    }
    choose_cells(grid, focus);
    for (PictureCell& cell : grid.cells) {
      const std::string text = element_text(tensor, cell.position);
      cell.title = cat(element_name(call_.operand_name(i), cell.position, tensor.shape()), " = ", text);
      cell.text = cell_text(tensor.dtype(), text);
    }
    out_.grids.push_back(std::move(grid));
  }

  [[nodiscard]] PictureCell* shown(const OperandElement& element) {
    const auto at = out_.grids[element.operand].find(element.position);
    return at ? &out_.grids[element.operand].cells[*at] : nullptr;
  }

  using Key = std::pair<std::size_t, std::int64_t>;
  // Returns the colour of a key; a key without one gets a new colour.
  int colour_of_key(Key key) {
    const auto [found, is_new] = colours_.try_emplace(key, next_colour_);
    next_colour_ += is_new ? 1 : 0;
    return found->second;
  }

  // Colours: a gather has one for all that an index tuple selects, a scatter one for each index tuple with
  // its updates, and other operators one for each operand or, if it is repeated, for each of its elements.
  int colour_of(const Contribution& part) {
    const OperandElement& element = part.element;
    const std::int64_t tuple = part.indices.empty() ? -1 : part.indices[0].position;
    if (explainer_.is_scatter())
      return element.operand == 0 ? PictureCell::kKept : colour_of_key({kPictureIndices, tuple});
    if (explainer_.is_gather()) {
      const Key selected{0, element.position};
      const auto known = colours_.find(selected);
      const int colour = known == colours_.end() ? colour_of_key({kPictureIndices, tuple}) : known->second;
      colours_.emplace(selected, colour);
      colours_.emplace(Key{kPictureIndices, tuple}, colour);
      return colour;
    }
    const bool each = call_.operands.size() == 1 || (!is_where() && !repeated_[element.operand].empty());
    return colour_of_key({element.operand, each ? element.position : -1});
  }

  void mark(const ElementOrigin& origin) {
    const auto at = result().find(origin.position);
    PictureCell unseen;
    PictureCell& to = at ? result().cells[*at] : unseen;
    to.text = cell_text(origin.value.dtype(), element_text(origin.value, 0));
    to.title = why_sentence(explainer_, origin);
    to.is_open = origin.is_open;
    to.is_asked = is_asked_;
    to.reads_zero = explainer_.is_gather() && origin.from.empty();
    for (const Contribution& part : origin.from) {
      const int colour = colour_of(part);
      const bool is_update = explainer_.is_scatter() && part.element.operand == kPictureUpdates;
      if (part.is_used) {
        add_once(to.colours, colour);
        used_.insert({part.element.operand, part.element.position});
        if (at && (is_update || !explainer_.is_scatter())) add_arrow(part.element, *at, colour);
      } else if (is_update) {
        unused_.insert({part.element.operand, part.element.position});
      }
      PictureCell* const from = shown(part.element);
      if (from != nullptr && (part.is_used || is_update)) add_once(from->colours, colour);
      mark_indices(part.indices, colour);
    }
    mark_indices(origin.unresolved, std::nullopt);
    if (!origin.condition) return;
    if (PictureCell* const condition = shown({0, *origin.condition})) {
      for (const int colour : to.colours) add_once(condition->colours, colour);
    }
  }

  void mark_indices(const std::vector<ChosenIndex>& indices, std::optional<int> colour) {
    for (const ChosenIndex& index : indices) {
      PictureCell* const cell = shown({kPictureIndices, index.position});
      if (cell == nullptr) continue;
      if (colour) add_once(cell->colours, *colour);
      const std::string coordinate = cat(index.coordinate.value_or(0));
      if (index.coordinate && cell->text != coordinate && cell->text.find("→") == std::string::npos)
        cell->text += cat("→", coordinate);
      if (colour || index.coordinate) continue;
      cell->is_lost = cell->is_lost || !index.in_range;
    }
  }

  void add_arrow(const OperandElement& element, std::size_t to, int colour) {
    if (const auto from = out_.grids[element.operand].find(element.position))
      out_.arrows.push_back({element.operand, {*from, *from}, {to, to}, colour});
  }

  // Whether `next` follows a block in a grid: as the row below it, or else in the same row.
  static bool follows(const PictureGrid& grid, const PictureArrow::Block& block,
                      const PictureArrow::Block& next, bool below) {
    const std::size_t columns = grid.columns.size();
    if (!below) return next.first == block.last + 1 && next.first % columns != 0;
    const std::size_t step = block.rows * columns;
    return next.first == block.first + step && next.last == block.last + step &&
           next.first / columns % grid.rows.size() != 0;
  }

  // Joins arrows of one colour whose targets are adjacent, and whose sources are adjacent or the same.
  void join_arrows(bool below) {
    std::vector<PictureArrow> joined;
    for (const PictureArrow& next : out_.arrows) {
      const auto block = std::ranges::find_if(joined, [&](const PictureArrow& arrow) {
        const PictureArrow::Block& from = arrow.from;
        const PictureArrow::Block& to = arrow.to;
        const bool is_repeated =
            next.from.first == from.first && next.from.last == from.last && from.rows == 1;
        const bool is_next = (below ? from.rows == to.rows : from.last - from.first == to.last - to.first) &&
                             follows(out_.grids[arrow.grid], from, next.from, below);
        return next.grid == arrow.grid && next.colour == arrow.colour &&
               follows(result(), to, next.to, below) && (is_repeated || is_next);
      });
      if (block == joined.end()) {
        joined.push_back(next);
      } else if (below) {
        ++block->to.rows;
        if (next.from.first != block->from.first) ++block->from.rows;
      } else {
        block->to.last = next.to.last;
        block->from.last = next.from.last;
      }
    }
    out_.arrows = std::move(joined);
  }

  // Adds the elements of the result that each element of an operand contributes to.
  void say_where_elements_go(std::size_t operand) {
    if (!is_complete()) return;
    std::size_t cells = 0;
    std::int64_t most = 0;
    for (const PictureGrid& grid : out_.grids) {
      cells += grid.cells.size();
      most = std::max(most, count(grid.shape));
    }
    if (most != 0 && to_int64(cells) > kMostLookups / most) return;
    for (PictureCell& cell : out_.grids[operand].cells) {
      // An update that is dropped, or that the origin's list has no room for.
      const bool is_unseen = explainer_.is_scatter() && operand != 0 && cell.colours.empty();
      if (cells > kMostAsked && !is_unseen) continue;
      const OperandElement element{operand, cell.position};
      const Arrivals arrivals = explainer_.arrivals(element);
      const std::string text = why_text(explainer_, element, arrivals);
      cell.title += cat("\n", text.substr(0, text.size() - 1));
      if (arrivals.count == 0 && arrivals.dropped != 0) {
        cell.is_lost = true;
        add_mark({.text = "0", .is_lost = true},
                 explainer_.is_scatter() ? "dropped: index out of range" : "index out of range");
      } else if (is_unseen && arrivals.count != 0) {
        cell.colours = {result().cells[*result().find(arrivals.list[0].position)].colours.back()};
        cell.is_lost = operand == kPictureUpdates && std::ranges::none_of(arrivals.list, &Arrival::is_used);
      }
    }
  }

  void add_mark(PictureCell sample, std::string meaning) {
    const auto known = std::ranges::find(out_.marks, meaning, &Picture::Mark::meaning);
    if (known == out_.marks.end()) out_.marks.push_back({std::move(sample), std::move(meaning)});
  }

  [[nodiscard]] std::string fill_text() const {
    const auto fill = fill_value(call_);
    return fill ? element_text(*fill, 0) : "zero";
  }

  void add_marks() {
    for (const PictureCell& cell : result().cells) {
      if (cell.colours.size() > 1) add_mark({.colours = {0, 1}}, "combined of several elements");
      if (cell.colours == std::vector{PictureCell::kKept})
        add_mark({.colours = {PictureCell::kKept}}, "kept from data");
      if (cell.is_open) {
        add_mark({.colours = cell.colours, .is_open = true},
                 cat("unspecified in ", call_.version_name(), ": ", reason_text(explainer_.open_reason())));
      }
      if (cell.reads_zero)
        add_mark({.reads_zero = true}, cat("reads ", fill_text(), ": the index is out of range"));
      if (cell.is_asked)
        add_mark({.is_asked = true}, "asked for by --at; the other elements are not explained");
    }
    if (!is_complete() || origins_.empty()) return;
    const bool is_moved = explainer_.is_gather() || explainer_.is_scatter();
    for (std::size_t i = 0; i < (is_moved ? 1 : call_.operands.size()); ++i) {
      for (const PictureCell& cell : out_.grids[i].cells) {
        if (cell.colours.empty() && !cell.is_lost) {
          add_mark({}, explainer_.is_gather()    ? "not selected"
                       : explainer_.is_scatter() ? "replaced by an update"
                                                 : "not used");
        }
      }
    }
  }

  [[nodiscard]] std::string key() const {
    if (origins_.empty()) return "The result has no elements.";
    if (explainer_.is_gather()) return "An index has the colour of the elements that it selects.";
    if (explainer_.is_scatter()) return "An update has the colour of the index that says where it goes.";
    if (is_where()) return "The condition has the colour of the operand that it chooses.";
    return "An element of out has the colours of its origins.";
  }

  const Explainer& explainer_;
  const Call& call_;
  bool is_asked_;
  Picture out_;
  std::vector<ElementOrigin> origins_;
  std::vector<std::vector<std::size_t>> repeated_;
  std::map<Key, int> colours_;
  int next_colour_ = 0;
  std::set<Key> used_, unused_;  // elements of operands
};

}  // namespace

Picture why_picture(const Explainer& explainer, std::span<const std::int64_t> at) {
  return PictureMaker(explainer, at).take_picture();
}

}  // namespace tensorop
