#include "io/display.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/checked.hpp"
#include "base/process/terminal.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/array/encoding.hpp"
#include "io/json/json_writer.hpp"

namespace tensorop {
namespace {

// The indices along a dimension that are printed.
std::vector<std::int64_t> shown_along(std::int64_t size, std::int64_t edge) {
  std::vector<std::int64_t> out;
  const bool is_long = edge != 0 && size > 2 * edge;
  for (std::int64_t i = 0; i < (is_long ? edge : size); ++i) out.push_back(i);
  for (std::int64_t i = size - edge; is_long && i < size; ++i) out.push_back(i);
  return out;
}

// Number of elements printed at each end: three, as in NumPy, fewer in tensors of many long dimensions.
std::int64_t edge_of(const Shape& shape) {
  const auto shown = [&](std::int64_t edge) {
    std::int64_t product = 1;
    for (const std::int64_t size : shape)
      product *= std::min(size, edge == 0 || size <= 2 * edge ? size : 2 * edge);
    return product;
  };
  if (count(shape) <= Display::kMostInFull) return 0;
  std::int64_t edge = 3;
  while (edge > 1 && shown(edge) > Display::kMostInFull) --edge;
  return edge;
}

std::string word_of_element(DType dtype, const std::byte* element) {
  if (dtype == DType::string) return in_quotes((*StoredElements<StringRef>(element)).view());
  std::string word = json_element(dtype, element);
  std::erase(word, '"');  // around NaN
  if (!kComplexTypes.contains(dtype)) return word;
  const std::size_t comma = word.find(',');
  const std::string imaginary = word.substr(comma + 1, word.size() - comma - 2);
  return cat(word.substr(1, comma - 1), imaginary.starts_with('-') ? "" : "+", imaginary, "j");
}

std::size_t columns_of(std::string_view word) {
  return static_cast<std::size_t>(utf8_characters(word));
}

std::size_t point_of(std::string_view number) {
  return std::min(number.find_first_of(".e"), number.size());
}

// Writes nothing until all elements are there.
Encoding display_encoding(DType dtype, const Shape& shape, std::int64_t /*strings*/,
                          std::string_view /*name*/) {
  const auto display = std::make_shared<Display>(dtype, shape);
  Encoding encoding;
  encoding.encode = [display](std::int64_t first, std::int64_t count, const std::byte* elements,
                              std::string& /*out*/) { display->add_elements(first, count, elements); };
  encoding.ending = [display] { return display->text(text_columns()); };
  return encoding;
}

}  // namespace

constinit const Format kDisplayFormat = {
    .name = "display", .title = "a display", .article = "a", .encode = display_encoding};

Display::Display(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)), edge_(edge_of(shape_)) {
  if (tensorop::count(shape_) == 0) return;  // the other dimensions may have any size
  shown_ = {0};
  for (const std::int64_t size : shape_) {
    std::vector<std::int64_t> next;
    for (const std::int64_t lead : shown_) {
      for (const std::int64_t i : shown_along(size, edge_)) next.push_back(lead * size + i);
    }
    shown_ = std::move(next);
  }
  words_.resize(shown_.size());
}

void Display::add_elements(std::int64_t first, std::int64_t count, const std::byte* elements) {
  const std::int64_t width = element_size(dtype_);
  for (auto at = std::ranges::lower_bound(shown_, first); at != shown_.end() && *at < first + count; ++at)
    words_[static_cast<std::size_t>(at - shown_.begin())] =
        word_of_element(dtype_, elements + (*at - first) * width);
}

// Prints nested lists from the outermost to the innermost dimension.
class Display::Printer {
 public:
  Printer(const Display& display, int columns)
      : display_(display), columns_(static_cast<std::size_t>(columns)) {
    for (const std::string& word : display.words_) {
      if (!has_point(word)) continue;
      const std::size_t point = point_of(word);
      before_ = std::max(before_, point);
      after_ = std::max(after_, word.size() - point);
    }
    width_ = before_ + after_;
    for (const std::string& word : display.words_) width_ = std::max(width_, columns_of(word));
  }

  std::string run() {
    if (display_.shape_.empty()) return display_.words_[0] + "\n";
    if (display_.words_.empty()) return "[]\n";
    print(0);
    return out_ + "\n";
  }

 private:
  [[nodiscard]] bool has_point(std::string_view word) const {
    const bool is_number = display_.dtype_ != DType::string && !kComplexTypes.contains(display_.dtype_);
    return is_number && '0' <= word.back() && word.back() <= '9';
  }

  void print(std::size_t axis) {
    const bool is_row = axis + 1 == display_.shape_.size();
    const std::int64_t size = display_.shape_[axis];
    const auto shown = shown_along(size, display_.edge_);
    put("[");
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (i != 0 && shown[i] != shown[i - 1] + 1) {
        separate(is_row, axis, 3);
        put("...");
      }
      if (i != 0) separate(is_row, axis, width_);
      is_row ? put_word() : print(axis + 1);
    }
    put("]");
  }

  // Separates items of a list: in a row by a blank, or a new line if the row is full; between lists by a new
  // line and one empty line for each dimension between them.
  void separate(bool is_row, std::size_t axis, std::size_t next) {
    if (is_row && column_ + 1 + next + display_.shape_.size() <= columns_) return put(" ");
    out_.append(is_row ? 1 : display_.shape_.size() - 1 - axis, '\n');
    column_ = 0;
    put(std::string(axis + 1, ' '));
  }

  // Aligns numbers at their points, everything else on the right.
  void put_word() {
    const std::string& word = display_.words_[next_++];
    const std::size_t tail = has_point(word) ? after_ - (word.size() - point_of(word)) : 0;
    put(std::string(width_ - columns_of(word) - tail, ' '));
    out_ += word;
    column_ += columns_of(word);
    put(std::string(tail, ' '));
  }

  void put(std::string_view text) {
    out_ += text;
    column_ += text.size();
  }

  const Display& display_;
  std::size_t columns_;
  std::size_t before_ = 0;  // columns before the point of a number, and after
  std::size_t after_ = 0;
  std::size_t width_ = 0;  // the widest word
  std::size_t next_ = 0;
  std::size_t column_ = 0;
  std::string out_;
};

std::string Display::text(int columns) const {
  return cat(name(dtype_), " ", to_string(shape_), "\n", Printer(*this, columns).run());
}

}  // namespace tensorop
