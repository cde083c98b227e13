// A list of words that is stored as one text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace tensorop {

// The words of a text, separated by single blanks: "none add mul". Only the text is stored, because each
// pointer in a table takes time when the program starts.
class WordList {
 public:
  class Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using reference = std::string_view;
    using pointer = void;

    constexpr Iterator() = default;
    constexpr explicit Iterator(std::string_view rest) : rest_(rest) {}

    constexpr std::string_view operator*() const { return rest_.substr(0, rest_.find(' ')); }
    constexpr Iterator& operator++() {
      rest_.remove_prefix(std::min((**this).size() + 1, rest_.size()));
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    // Both iterators must belong to the same list.
    constexpr bool operator==(const Iterator& other) const { return rest_.size() == other.rest_.size(); }

   private:
    std::string_view rest_;
  };

  constexpr WordList() = default;
  constexpr WordList(const char* text) : text_(text) {}

  [[nodiscard]] constexpr std::size_t size() const {
    return static_cast<std::size_t>(std::ranges::distance(begin(), end()));
  }
  [[nodiscard]] constexpr bool empty() const { return text_.empty(); }
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(text_); }
  [[nodiscard]] constexpr Iterator end() const { return {}; }
  [[nodiscard]] constexpr std::string_view operator[](std::size_t i) const {
    return *std::ranges::next(begin(), static_cast<std::ptrdiff_t>(i));
  }

 private:
  std::string_view text_;
};

}  // namespace tensorop
