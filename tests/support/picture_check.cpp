#include "support/picture_check.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/text/text.hpp"
#include "describe/why_picture.hpp"
#include "explain/why.hpp"

namespace tensorop {
namespace {

struct SvgElement {
  std::string tag;
  std::map<std::string, std::string> attributes;
  std::string text;  // of all that it contains

  [[nodiscard]] double number(const std::string& name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? 0 : std::stod(found->second);
  }
  [[nodiscard]] bool has_class(const std::string& name) const {
    const auto found = attributes.find("class");
    return found != attributes.end() &&
           (" " + found->second + " ").find(" " + name + " ") != std::string::npos;
  }
};

// A text of XML with its references replaced.
std::string unescaped(std::string_view text) {
  static const std::map<std::string_view, std::string_view> references = {
      {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"#10", "\n"}};
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '<') throw std::runtime_error("a bare <");
    if (static_cast<unsigned char>(text[at]) < 0x20 && text[at] != '\n')
      throw std::runtime_error("control character");
    if (text[at] != '&') {
      out += text[at];
      continue;
    }
    const std::size_t end = text.find(';', at);
    if (end == std::string_view::npos) throw std::runtime_error("a bare &");
    out += references.at(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

// The elements of a document in the order of their ends. Throws if it is not well-formed.
std::vector<SvgElement> read_xml(std::string_view xml) {
  if (!is_utf8(xml)) throw std::runtime_error("not UTF-8");
  std::vector<SvgElement> open;
  std::vector<SvgElement> out;
  const auto close = [&](const std::string& tag) {
    if (open.empty() || open.back().tag != tag)
      throw std::runtime_error("</" + tag + "> ends another element");
    out.push_back(open.back());
    open.pop_back();
    if (!open.empty()) open.back().text += out.back().tag == "title" ? "" : out.back().text;
  };
  while (!xml.empty()) {
    const std::size_t begin = std::min(xml.find('<'), xml.size());
    const std::string between = unescaped(xml.substr(0, begin));
    if (!open.empty()) open.back().text += between;
    if (open.empty() && between.find_first_not_of(" \n") != std::string::npos)
      throw std::runtime_error("text outside");
    xml.remove_prefix(begin);
    if (xml.empty()) break;
    const std::size_t end = xml.find('>');
    if (end == std::string_view::npos) throw std::runtime_error("a tag without its end");
    std::string_view inside = xml.substr(1, end - 1);
    xml.remove_prefix(end + 1);
    if (inside.starts_with('/')) {
      close(std::string(inside.substr(1)));
      continue;
    }
    const bool is_empty = inside.ends_with('/');
    if (is_empty) inside.remove_suffix(1);
    if (open.empty() && !out.empty()) throw std::runtime_error("a second root");
    SvgElement& element = open.emplace_back();
    element.tag = inside.substr(0, inside.find(' '));
    for (std::size_t at = element.tag.size(); at < inside.size();) {
      const std::size_t equals = inside.find("=\"", at);
      const std::size_t quote = equals == std::string_view::npos ? equals : inside.find('"', equals + 2);
      if (quote == std::string_view::npos || inside[at] != ' ') throw std::runtime_error("a bad attribute");
      const std::string name(inside.substr(at + 1, equals - at - 1));
      const std::string value = unescaped(inside.substr(equals + 2, quote - equals - 2));
      if (!element.attributes.emplace(name, value).second) throw std::runtime_error(name + " is given twice");
      at = quote + 1;
    }
    if (is_empty) close(std::string(element.tag));
  }
  if (!open.empty() || out.empty()) throw std::runtime_error("an element without its end");
  return out;
}

struct Extent {
  double left, top, right, bottom;
  [[nodiscard]] bool is_in(const Extent& other) const {
    return left >= other.left && top >= other.top && right <= other.right && bottom <= other.bottom;
  }
  [[nodiscard]] bool overlaps(const Extent& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// As wide as it may be, and as high as letters are.
Extent extent_of_text(const SvgElement& text) {
  const bool is_tick = text.has_class("t") || text.has_class("r") || text.has_class("s");
  const bool is_value = text.has_class("v") || text.has_class("u");
  const double size = is_tick ? 10 : text.has_class("h") ? 15 : text.has_class("n") ? 13 : 12;
  double width = 0;
  for (std::string_view rest = text.text; !rest.empty();) {
    const std::size_t bytes = std::max<std::size_t>(utf8_length(rest), 1);
    const bool is_upper = std::isupper(static_cast<unsigned char>(rest[0])) != 0;
    width += size * (bytes > 1 ? 1 : is_tick || is_value ? 0.61 : is_upper ? 0.7 : 0.56);
    rest.remove_prefix(bytes);
  }
  const double before = is_value || text.has_class("t") ? width / 2 : text.has_class("r") ? width : 0;
  const double x = text.number("x") - before;
  const double y = text.number("y");
  return {x, y - 0.75 * size, x + width, y + 0.2 * size};
}

Extent extent_of(const SvgElement& rect) {
  const double x = rect.number("x");
  const double y = rect.number("y");
  return {x, y, x + rect.number("width"), y + rect.number("height")};
}

// The points of a path of the commands M, L, C and H with absolute coordinates.
std::vector<std::pair<double, double>> points_of(const std::string& path) {
  std::vector<std::pair<double, double>> out;
  char command = 'M';
  for (std::size_t at = 0; at < path.size();) {
    if (std::isspace(static_cast<unsigned char>(path[at])) != 0) {
      ++at;
    } else if (std::isalpha(static_cast<unsigned char>(path[at])) != 0) {
      command = path[at++];
    } else {
      std::size_t used = 0;
      const double x = std::stod(path.substr(at), &used);
      at += used;
      double y = out.empty() ? 0 : out.back().second;
      if (command != 'H') {
        y = std::stod(path.substr(at), &used);
        at += used;
      }
      out.emplace_back(x, y);
    }
  }
  return out;
}

void check_geometry(const std::vector<SvgElement>& elements) {
  const SvgElement& root = elements.back();
  const Extent all{0, 0, root.number("width"), root.number("height")};
  std::istringstream view_box(root.attributes.at("viewBox"));
  double left = 1, top = 1, width = 0, height = 0;
  view_box >> left >> top >> width >> height;
  if (left != 0 || top != 0 || width != all.right || height != all.bottom)
    throw std::runtime_error("the view box");
  std::vector<Extent> cells;
  std::vector<std::pair<Extent, std::string>> texts;
  for (const SvgElement& element : elements) {
    if (element.tag == "rect") {
      const Extent extent = extent_of(element);
      if (!extent.is_in(all)) throw std::runtime_error("a rectangle is outside");
      if (element.has_class("c") || element.has_class("d")) cells.push_back(extent);
    } else if (element.tag == "path") {
      for (const auto& [x, y] : points_of(element.attributes.at("d"))) {
        if (x < 0 || y < 0 || x > all.right || y > all.bottom) throw std::runtime_error("a path is outside");
      }
    } else if (element.tag == "text") {
      const Extent extent = extent_of_text(element);
      if (!extent.is_in(all)) throw std::runtime_error("outside: " + element.text);
      for (const auto& [other, text] : texts) {
        if (extent.overlaps(other)) throw std::runtime_error(text + " is over " + element.text);
      }
      const bool is_value = element.has_class("v") || element.has_class("u");
      if (is_value && std::ranges::none_of(cells, [&](const Extent& cell) { return extent.is_in(cell); }))
        throw std::runtime_error("wider than its cell: " + element.text);
      texts.emplace_back(extent, element.text);
    }
  }
}

// Whether cells of a block all have a colour.
bool has_colour(const PictureGrid& grid, const PictureArrow::Block& block, int colour) {
  for (std::size_t row = 0; row < block.rows; ++row) {
    for (std::size_t i = block.first; i <= block.last; ++i) {
      const auto& colours = grid.cells.at(i + row * grid.columns.size()).colours;
      if (std::ranges::find(colours, colour) == colours.end()) return false;
    }
  }
  return true;
}

// Checks a picture of all elements.
std::string colour_faults(const Picture& picture, const std::vector<std::string>& origins) {
  const PictureGrid& result = picture.grids.back();
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const auto at = result.find(static_cast<std::int64_t>(i));
    if (!at || result.cells.at(*at).position != static_cast<std::int64_t>(i))
      return cat("no cell of element ", i);
    const std::vector<int>& colours = result.cells[*at].colours;
    // If there are more origins than the list shows, only some have a colour.
    if (std::ranges::count(origins[i], ';') >= std::ptrdiff_t{Explainer::kMostListed}) continue;
    std::istringstream parts(origins[i]);
    for (std::string part; std::getline(parts, part, ';');) {
      const std::size_t operand = std::stoul(part);
      const auto from = picture.grids.at(operand).find(std::stoll(part.substr(part.find(':') + 1)));
      if (!from) continue;
      const auto& own = picture.grids[operand].cells.at(*from).colours;
      if (std::ranges::find_first_of(own, colours) == own.end()) return cat("other colours at ", i);
    }
    if (origins[i].empty() && !colours.empty()) return cat("a colour at ", i);
  }
  for (const PictureArrow& arrow : picture.arrows) {
    if (!has_colour(picture.grids.at(arrow.grid), arrow.from, arrow.colour) ||
        !has_colour(result, arrow.to, arrow.colour))
      return "an arrow of another colour";
  }
  return {};
}

}  // namespace

std::string svg_faults(std::string_view svg) {
  static const std::set<std::string> tags = {"svg", "title", "style", "rect", "path", "text", "tspan"};
  try {
    const std::vector<SvgElement> elements = read_xml(svg);
    for (const SvgElement& element : elements) {
      if (!tags.contains(element.tag)) return cat("a picture has <", element.tag, ">");
    }
    check_geometry(elements);
  } catch (const std::exception& error) {
    return cat("picture: ", error.what(), "\n", svg);
  }
  return {};
}

std::string picture_faults(const Request& request, const Settings& settings,
                           const reference::Arguments& arguments) {
  const Explainer explainer(request, settings);
  const Picture picture = why_picture(explainer, {});
  const std::string wrong = svg_faults(svg_text(picture));
  const PictureGrid& result = picture.grids.back();
  const bool is_complete = static_cast<std::int64_t>(result.cells.size()) == count(result.shape);
  if (!wrong.empty() || !is_complete) return wrong;
  return colour_faults(picture, reference::origins(arguments));
}

}  // namespace tensorop
