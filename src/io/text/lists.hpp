// Nested lists: where a reader is in them, and the shape that they show. Knows nothing of elements but that
// they are all equally deep.
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

// At [d] something of the lists at depth d: the outermost list has depth 1.
using ListCounts = std::array<std::int64_t, kDeepestList + 1>;
inline constexpr std::int64_t kUnknownCount = std::numeric_limits<std::int64_t>::max();

// The lists of a part of a text that begins and ends after a comma of a list. What does not fit makes the
// functions return false; where, and what is wrong, the part read by Nesting says.
class PartLists {
 public:
  // The part begins in `depth` lists; elements are `rank` deep.
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
  // False for the outermost list too: nothing follows it.
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
  std::size_t open_;  // of the lists in which the part begins, those that have not ended
  // Items passed; the length of the lists that lie within the part; items of those that end in it.
  ListCounts counts_;
  ListCounts lengths_;
  ListCounts ends_;
};

// The lists of a whole text. The first list of each depth says how long all others of that depth are, the
// first element how deep elements lie. Anything ragged is thrown as an Error that names the row or the
// element.
class Nesting {
 public:
  // `pairs`: the innermost lists are complex elements, [re, im]. Lists more than `deepest` deep are refused;
  // `deepest` is at most kDeepestList.
  Nesting(bool pairs, std::size_t deepest) : pairs_(pairs), deepest_(deepest) {
    lengths_.fill(kUnknownCount);
  }

  // A list begins; `expected` is what an element would be.
  void open(std::string_view expected) {
    require_room();
    if (depth_ == rank_) [[unlikely]]
      refuse_list(expected);
    if (depth_ == deepest_) [[unlikely]]
      throw_too_deep();
    counts_[++depth_] = 0;
  }

  // The innermost list ends.
  void close() {
    std::int64_t& length = lengths_[depth_];
    const std::int64_t count = counts_[depth_];
    if (length == kUnknownCount) {
      length = count;
      // Without elements the lists themselves show the depth.
      if (count == 0) rank_ = depth_;
    } else if (count != length) {
      refuse_short_row();
    }
    --depth_;
    ++counts_[depth_];
  }

  // Refuses an element where there can be none. `found` is what it is.
  void require_element(std::string_view found) {
    if (depth_ != rank_) [[unlikely]]
      settle_rank(found);
    require_room();
  }
  // Steps over the element.
  void next() { ++counts_[depth_]; }

  [[nodiscard]] std::size_t depth() const { return depth_; }
  // Whether it is known how deep elements lie.
  [[nodiscard]] bool is_settled() const { return rank_ != kNoRank; }
  // A part that begins where the reader is but `deeper` lists deeper; nothing where no number can be there.
  [[nodiscard]] std::optional<PartLists> part(std::ptrdiff_t deeper) const {
    const auto depth = static_cast<std::ptrdiff_t>(depth_) + deeper;
    if (depth < 1 || depth > static_cast<std::ptrdiff_t>(rank_)) return std::nullopt;
    return PartLists(static_cast<std::size_t>(depth), rank_);
  }
  // Steps over a part that begins where the reader is. False, and nothing is changed, where it does not fit.
  [[nodiscard]] bool step_over(const PartLists& part);

  [[noreturn]] void refuse(std::string_view expected, std::string_view found, std::string hint = {}) const;

  // "element [1,2]".
  [[nodiscard]] std::string element() const;

  // Once all lists are closed. Ends with the first 0, below which nothing shows.
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
  std::size_t depth_ = 0;       // lists open
  std::size_t rank_ = kNoRank;  // lists open around an element
  // How many items of the lists at a depth are passed, and how many there must be. [0] is the document, whose
  // one item ends it.
  ListCounts counts_{};
  ListCounts lengths_;
};

}  // namespace tensorop
