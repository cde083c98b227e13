#include "io/text/lists.hpp"

#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

std::string brackets(std::span<const std::int64_t> coordinates) {
  std::string out;
  for (const std::int64_t coordinate : coordinates) out += cat(out.empty() ? '[' : ',', coordinate);
  return out.empty() ? out : out + ']';
}

}  // namespace

bool Nesting::step_over(const PartLists& part) {
  Nesting after = *this;
  const auto has_length = [&](std::size_t depth, std::int64_t length) {
    std::int64_t& known = after.lengths_[depth];
    if (known == kUnknownCount) known = length;
    return known == length;
  };
  for (std::size_t depth = part.open_ + 1; depth <= depth_; ++depth) {
    if (!has_length(depth, counts_[depth] + part.ends_[depth])) return false;
  }
  for (std::size_t depth = 1; depth <= rank_; ++depth) {
    const std::int64_t length = part.lengths_[depth];
    if (length != kUnknownCount && !has_length(depth, length)) return false;
  }
  for (std::size_t depth = 1; depth <= part.depth_; ++depth) {
    const std::int64_t before = depth <= part.open_ ? counts_[depth] : 0;
    after.counts_[depth] = before + part.counts_[depth];
    // Another item of the list follows.
    if (after.counts_[depth] >= after.lengths_[depth]) return false;
  }
  after.depth_ = part.depth_;
  *this = after;
  return true;
}

void Nesting::refuse(std::string_view expected, std::string_view found, std::string hint) const {
  throw Error(cat(element(), ": expected ", expected, ", found ", found), {}, std::move(hint));
}

std::string Nesting::element() const {
  const std::size_t depth = pairs_ && depth_ == rank_ ? depth_ - 1 : depth_;
  return depth == 0 ? "element" : "element " + brackets(path(depth));
}

Shape Nesting::shape() const {
  const bool empty = rank_ > 0 && lengths_[rank_] == 0;
  const std::size_t dims = pairs_ && !empty ? rank_ - 1 : rank_;
  if (dims > kMaxRank) throw_too_deep();
  return Shape(lengths_.begin() + 1, lengths_.begin() + 1 + static_cast<std::ptrdiff_t>(dims));
}

void Nesting::settle_rank(std::string_view found) {
  const bool unpaired = pairs_ && (rank_ == kNoRank ? depth_ == 0 : depth_ + 1 == rank_);
  if (unpaired) refuse("[re, im]", found);
  if (rank_ != kNoRank) refuse("a list", found);
  rank_ = depth_;
  if (pairs_) lengths_[rank_] = 2;
}

void Nesting::refuse_list(std::string_view expected) const {
  refuse(pairs_ ? "[re, im]" : expected, "a list");
}

void Nesting::refuse_long_row() const {
  const std::int64_t length = lengths_[depth_];
  if (length == 0) throw Error(cat(row(), " has elements, ", first_row(), " has none"));
  if (pairs_ && depth_ == rank_) refuse_pair("more than 2 parts");
  throw Error(cat(row(), " has more than the ", counted(length, "element"), " of ", first_row()));
}

void Nesting::refuse_short_row() const {
  const std::int64_t count = counts_[depth_];
  if (pairs_ && depth_ == rank_) refuse_pair(counted(count, "part"));
  throw Error(cat(row(), " has ", counted(count, "element"), ", ", first_row(), " has ", lengths_[depth_]));
}

// A list of numbers may mean real elements, or one complex element with too many parts.
void Nesting::refuse_pair(std::string_view parts) const {
  if (rank_ > 1) refuse("[re, im]", parts);
  throw Error("element [0]: expected [re, im], found a number");
}

void Nesting::throw_too_deep() {
  throw Error(cat("lists are nested more than ", kMaxRank, " deep: rank is at most ", kMaxRank));
}

std::string Nesting::row() const {
  return "row " + brackets(path(depth_ - 1));
}

std::string Nesting::first_row() const {
  return "row " + brackets(std::vector<std::int64_t>(depth_ - 1, 0));
}

}  // namespace tensorop
