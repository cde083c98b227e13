#include "compare/listed_elements.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace tensorop {
namespace {

// By how much an element, or the worst one of some elements, exceeds its tolerance.
struct Severity {
  double excess = 0;      // kNone before all others
  std::uint64_t ulp = 0;  // replaces the excess if distances are judged in ulp alone
  std::int64_t position = 0;
};

class Listing {
 public:
  Listing(const Tensor& actual, const Tensor& expected, const ElementTolerance& tolerance,
          const Tensor* left_out, const Difference& found, std::int64_t count)
      : actual_(actual),
        expected_(expected),
        tolerance_(tolerance),
        left_out_(left_out),
        by_ulp_(found.is_judged_by_ulp(actual.dtype(), tolerance)),
        has_worst_(kToleranceTypes.contains(actual.dtype())),
        most_(to_size(std::min(count, found.differing))) {}

  // Elements in ascending order, each once.
  void look_at(std::int64_t first, std::int64_t count) {
    const Difference block = compare_elements(actual_, expected_, first, count, tolerance_, left_out_);
    if (block.differing == 0) return;
    const bool wants_first = first_.size() < most_;
    const bool wants_worst =
        has_worst_ && (worst_.size() < most_ || is_worse(severity_of(block, first), worst_.front()));
    if (!wants_first && !wants_worst) return;
    for (std::int64_t at = first; at < first + count; ++at) look_at(at);
  }

  void merge(const Listing& other) {
    first_.insert(first_.end(), other.first_.begin(), other.first_.end());
    for (const Severity& element : other.worst_) add_worst(element);
  }

  [[nodiscard]] ListedElements finish() {
    std::ranges::sort(first_);
    first_.resize(std::min(first_.size(), most_));
    ListedElements out{std::move(first_), {}};
    std::ranges::sort(worst_, [this](const Severity& a, const Severity& b) { return is_worse(a, b); });
    for (const Severity& element : worst_) out.worst.push_back(element.position);
    return out;
  }

 private:
  [[nodiscard]] static Severity severity_of(const Difference& difference, std::int64_t position) {
    double excess = difference.excess.value;
    if (difference.unfixable != 0) excess = Difference::kNone;
    return {excess, difference.farthest.value, position};
  }

  [[nodiscard]] bool is_worse(const Severity& a, const Severity& b) const {
    const bool unlimited_a = a.excess == Difference::kNone;
    const bool unlimited_b = b.excess == Difference::kNone;
    if (unlimited_a != unlimited_b) return unlimited_a;
    if (!unlimited_a && by_ulp_ && a.ulp != b.ulp) return a.ulp > b.ulp;
    if (!by_ulp_ && a.excess != b.excess) return a.excess > b.excess;
    return a.position < b.position;
  }

  void look_at(std::int64_t at) {
    const Difference element = compare_elements(actual_, expected_, at, 1, tolerance_, left_out_);
    if (element.differing == 0) return;
    if (first_.size() < most_) first_.push_back(at);
    if (has_worst_) add_worst(severity_of(element, at));
  }

  // The least bad one of worst_ is in front.
  void add_worst(const Severity& element) {
    const auto order = [this](const Severity& a, const Severity& b) { return is_worse(a, b); };
    if (worst_.size() == most_) {
      if (!is_worse(element, worst_.front())) return;
      std::ranges::pop_heap(worst_, order);
      worst_.pop_back();
    }
    worst_.push_back(element);
    std::ranges::push_heap(worst_, order);
  }

  const Tensor& actual_;
  const Tensor& expected_;
  const ElementTolerance& tolerance_;
  const Tensor* left_out_;
  bool by_ulp_;
  bool has_worst_;
  std::size_t most_;
  std::vector<std::int64_t> first_;
  std::vector<Severity> worst_;  // a heap
};

}  // namespace

ListedElements list_elements(const Tensor& actual, const Tensor& expected, const ElementTolerance& tolerance,
                             const Tensor* left_out, const Difference& found, std::int64_t count,
                             const Threads& threads) {
  // Elements of a block, which is skipped if none of them can be listed.
  constexpr std::int64_t kBlock = 4096;
  constexpr std::int64_t kRange = 64 * kBlock;
  const std::int64_t elements = actual.size();
  std::vector<Listing> parts(to_size(threads.count()), {actual, expected, tolerance, left_out, found, count});
  threads.for_each(ceil_div(elements, kRange), [&](std::int64_t range, int worker) {
    const std::int64_t end = std::min(elements, (range + 1) * kRange);
    for (std::int64_t at = range * kRange; at < end; at += kBlock) {
      parts[static_cast<std::size_t>(worker)].look_at(at, std::min(kBlock, end - at));
    }
  });
  for (std::size_t i = 1; i < parts.size(); ++i) parts[0].merge(parts[i]);
  return parts[0].finish();
}

}  // namespace tensorop
