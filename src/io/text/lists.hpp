// Nested lists: the position of a reader in them, and the shape that they show. Knows nothing of elements
// except that all have equal depth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tensor/shape.hpp"

namespace tensorop {

inline constexpr std::size_t kDeepestList = kMaxRank + 1;  // a complex element is a list too

// [d] is a count for the lists at depth d: the outermost list has depth 1.
using ListCounts = std::array<std::int64_t, kDeepestList + 1>;
inline constexpr std::int64_t kUnknownCount = std::numeric_limits<std::int64_t>::max();

// The lists in a part of a text that begins and ends after a comma of a list. The functions return false for
// a misfit; Nesting then reads the part again and reports the fault.
class PartLists {
 public:
  // The part begins inside `depth` lists; elements have depth `rank`.
  PartLists(std::size_t depth, std::size_t rank) : depth_(depth), rank_(rank), open_(depth) {
    for (std::size_t d = 0; d <= rank; ++d) {
      counts_[d] = 0;
      lengths_[d] = kUnknownCount;
    }
  }

  [[nodiscard]] bool open() {
    if (depth_ == rank_) return false;
    counts_[++depth_] = 0;
    return true;
  }
  [[nodiscard]] bool at_element() const { return depth_ == rank_; }
  void next(std::int64_t elements = 1) { counts_[depth_] += elements; }
  // Also false for the outermost list, because no item follows it.
  [[nodiscard]] bool close() {
    const std::int64_t count = counts_[depth_];
    if (depth_ == open_) {
      ends_[open_--] = count;
    } else if (lengths_[depth_] == kUnknownCount) {
      lengths_[depth_] = count;
    } else if (count != lengths_[depth_]) {
      return false;
    }
    ++counts_[--depth_];
    return depth_ > 0;
  }

 private:
  friend class Nesting;

  std::size_t depth_;
  std::size_t rank_;
  std::size_t open_;  // number of lists open at the part's beginning that have not ended
  // Items passed; lengths of lists inside the part; items of lists that only end in the part.
  ListCounts counts_;
  ListCounts lengths_;
  ListCounts ends_;
};

// The lists of a whole text. The first list of each depth determines the length of all others, the first
// element the depth of elements. Throws Error for ragged lists, naming the row or the element.
class Nesting {
 public:
  // `pairs`: the innermost lists are complex elements, [re, im]. Lists deeper than `deepest`, which is at
  // most kDeepestList, are refused.
  Nesting(bool pairs, std::size_t deepest) : pairs_(pairs), deepest_(deepest) {
    lengths_.fill(kUnknownCount);
  }

  // Begins a list; `expected` describes an element, for messages.
  void open(std::string_view expected) {
    require_room();
    if (depth_ == rank_) [[unlikely]]
      refuse_list(expected);
    if (depth_ == deepest_) [[unlikely]]
      throw_too_deep();
    counts_[++depth_] = 0;
  }

  // Ends the innermost list.
  void close() {
    std::int64_t& length = lengths_[depth_];
    const std::int64_t count = counts_[depth_];
    if (length == kUnknownCount) {
      length = count;
      // In a tensor without elements the lists themselves determine the depth.
      if (count == 0) rank_ = depth_;
    } else if (count != length) {
      refuse_short_row();
    }
    --depth_;
    ++counts_[depth_];
  }

  // Refuses an element at a wrong depth. `found` describes the element.
  void require_element(std::string_view found) {
    if (depth_ != rank_) [[unlikely]]
      settle_rank(found);
    require_room();
  }
  // Steps over the element.
  void next() { ++counts_[depth_]; }

  [[nodiscard]] std::size_t depth() const { return depth_; }
  // Whether the depth of elements is known.
  [[nodiscard]] bool is_settled() const { return rank_ != kNoRank; }
  // A part that begins here, but `deeper` lists deeper; nothing if no number can be at that depth.
  [[nodiscard]] std::optional<PartLists> part(std::ptrdiff_t deeper) const {
    const auto depth = static_cast<std::ptrdiff_t>(depth_) + deeper;
    if (depth < 1 || depth > static_cast<std::ptrdiff_t>(rank_)) return std::nullopt;
    return PartLists(static_cast<std::size_t>(depth), rank_);
  }
  // Steps over a part that begins here. If it does not fit, returns false and changes nothing.
  [[nodiscard]] bool step_over(const PartLists& part);

  [[noreturn]] void refuse(std::string_view expected, std::string_view found, std::string hint = {}) const;

  // "element [1,2]".
  [[nodiscard]] std::string element() const;

  // The shape, once all lists are closed. Ends with the first 0, because lists below it are not visible.
  [[nodiscard]] Shape shape() const;

 private:
  static constexpr std::size_t kNoRank = std::numeric_limits<std::size_t>::max();

  // The indices of the lists and elements being read, outermost first.
  [[nodiscard]] std::span<const std::int64_t> path(std::size_t depth) const {
    return std::span(counts_).subspan(1, depth);
  }

  void require_room() const {
    if (counts_[depth_] == lengths_[depth_]) [[unlikely]]
      refuse_long_row();
  }

  void settle_rank(std::string_view found);
  [[noreturn]] void refuse_list(std::string_view expected) const;
  [[noreturn]] void refuse_long_row() const;
  [[noreturn]] void refuse_short_row() const;
  [[noreturn]] void refuse_pair(std::string_view parts) const;
  [[noreturn]] static void throw_too_deep();
  [[nodiscard]] std::string row() const;
  [[nodiscard]] std::string first_row() const;

  bool pairs_;
  std::size_t deepest_;
  std::size_t depth_ = 0;       // number of open lists
  std::size_t rank_ = kNoRank;  // number of open lists around an element
  // Items passed in the open list of each depth, and required lengths. [0]: the document, one item.
  ListCounts counts_{};
  ListCounts lengths_;
};

}  // namespace tensorop
