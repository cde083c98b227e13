#include "kernels/open_elements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "kernels/index/row_map.hpp"
#include "tensor/convert_elements.hpp"
#include "tensor/element.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

// Elements that are marked at a time. Where each range is a look through everything, ranges are large, and
// take up to 64 MiB together.
constexpr std::int64_t kChunk = std::int64_t{1} << 18;
constexpr std::int64_t kLargeChunk = std::int64_t{1} << 22;
constexpr std::int64_t kMostMarked = std::int64_t{1} << 29;

struct IsNan {
  template <AnyFloat T>
  static bool apply(T value) {
    if constexpr (Half<T>) {
      return (value.bits & 0x7FFF) > HalfTraits<T>::kInfinity;
    } else {
      return value != value;
    }
  }
};

template <AnyFloat T>
bool is_zero(T value) {
  return to_double(value) == 0;
}

// Whether the result of elements of operands is open.
template <bool kNan, bool kZeros>
struct OpenExtreme {
  template <AnyFloat T, class Operand>
  static bool apply(std::size_t operands, const Operand& operand, T result) {
    bool nan = false;
    bool signs[2] = {false, false};
    for (std::size_t i = 0; i < operands; ++i) {
      const T value = operand(i);
      nan = nan || IsNan::apply(value);
      if (is_zero(value)) signs[std::signbit(to_double(value)) ? 1 : 0] = true;
    }
    return (kNan && nan) || (kZeros && is_zero(result) && signs[0] && signs[1]);
  }
};

struct ZeroDivisor {
  template <AnyFloat T, class Operand>
  static bool apply(std::size_t operands, const Operand& operand, T /*result*/) {
    return is_zero(operand(operands - 1));
  }
};

template <bool kOverflow>
struct OpenShift {
  template <std::integral T, class Operand>
  static bool apply(std::size_t /*operands*/, const Operand& operand, T result) {
    const T amount = operand(1);
    if (std::cmp_greater_equal(amount, 8 * sizeof(T))) return true;
    return kOverflow && std::is_signed_v<T> && static_cast<T>(result >> amount) != operand(0);
  }
};

// Few elements pass: a loop without branches finds the blocks that have one.
template <class Test, class T>
void mark_elements(const std::byte* bytes, std::int64_t stride, std::int64_t count, std::uint64_t* bits,
                   std::int64_t at) {
  constexpr std::int64_t kBlock = 256;
  const StoredElements<T> elements(bytes);
  if (stride == 0 && !Test::apply(*elements)) return;
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const std::int64_t n = std::min(kBlock, count - first);
    int found = stride == 0 ? 1 : 0;
    if (stride != 0) {
      for (std::int64_t i = first; i < first + n; ++i) found |= Test::apply(elements[i]) ? 1 : 0;
    }
    if (found == 0) continue;
    for (std::int64_t i = first; i < first + n; ++i) {
      const std::uint64_t bit = Test::apply(elements[i * stride]) ? 1 : 0;
      bits[(at + i) / 64] |= bit << ((at + i) % 64);
    }
  }
}

template <class Test, class T>
void mark_results(std::span<const RunOperand> run, const std::byte* results, std::int64_t count,
                  std::uint64_t* bits, std::int64_t at) {
  const StoredElements<T> result(results);
  for (std::int64_t i = 0; i < count; ++i, ++at) {
    const auto operand = [&](std::size_t of) {
      return T{StoredElements<T>(run[of].data)[i * run[of].stride]};
    };
    if (Test::apply(run.size(), operand, T{result[i]})) bits[at / 64] |= std::uint64_t{1} << (at % 64);
  }
}

template <class Test>
OpenResultTest test_of(DType dtype) {
  return dispatch(dtype, []<class T>(TypeTag<T>) -> OpenResultTest {
    const auto operand = [](std::size_t) { return T{}; };
    if constexpr (requires { Test::apply(std::size_t{2}, operand, T{}); }) {
      return mark_results<Test, T>;
    } else {
      return nullptr;
    }
  });
}

std::size_t mask_words(std::int64_t elements) {
  return to_size(ceil_div(elements, 64));
}

// Whether marking a range looks through all updates: they are neither sorted nor in groups.
bool looks_through_all(const Plan& plan) {
  const std::optional<RowMoves>& moves = plan.facts().moves;
  return moves && moves->is_scatter() && moves->map->group_size() == 0 && !plan.decision().sorts();
}

// How many elements are marked at a time; a multiple of 64, so that no two ranges share a word.
std::int64_t chunk_of(const Plan& plan, std::int64_t elements, const Threads& threads) {
  if (!looks_through_all(plan)) return kChunk;
  const std::int64_t share = ceil_div(elements, threads.count());
  // A chunk takes two bits an element: all of them a quarter of the memory.
  const std::int64_t memory = plan.decision().memory;
  const std::int64_t most = memory == 0 ? kMostMarked : std::min(kMostMarked, memory);
  return ceil_div(std::max(kLargeChunk, std::min(share, most / threads.count())), 64) * 64;
}

// Counts the bits that mark(range, bits) sets.
template <class Mark>
OpenCount count_marked(const Plan& plan, std::int64_t elements, const Threads& threads, const Mark& mark) {
  OpenCount all;
  if (elements == 0) return all;
  const std::int64_t chunk = chunk_of(plan, elements, threads);
  std::vector<OpenCount> found(to_size(threads.count()));
  std::vector<std::vector<std::uint64_t>> bits(to_size(threads.count()));
  for_each_range({0, elements}, chunk, threads, [&](Range range, int worker) {
    auto& words = bits[static_cast<std::size_t>(worker)];
    words.assign(mask_words(range.count), 0);
    mark(range, words.data());
    OpenCount& own = found[static_cast<std::size_t>(worker)];
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == 0) continue;
      own.count += std::popcount(words[i]);
      // A thread takes its ranges in ascending order.
      if (own.first < 0) own.first = range.first + to_int64(i) * 64 + std::countr_zero(words[i]);
    }
  });
  for (const OpenCount& own : found) {
    all.count += own.count;
    if (own.first >= 0 && (all.first < 0 || own.first < all.first)) all.first = own.first;
  }
  return all;
}

class OpenMaskPlan final : public Plan {
 public:
  OpenMaskPlan(const Plan& plan, std::int64_t elements, std::int64_t band)
      : plan_(plan),
        elements_(elements),
        in_bands_(plan.facts().open_reason != OpenReason::none && looks_through_all(plan)),
        band_size_(band) {}

  void fill(Range range, std::byte* out) const override {
    if (!in_bands_) {
      std::vector<std::uint64_t> marked(mask_words(range.count));
      plan_.mark_open(range, marked.data());
      return write(marked, {0, range.count}, out);
    }
    while (range.count != 0) {
      const std::int64_t at = range.first % band_size_;
      const std::int64_t n = std::min(range.count, band_size_ - at);
      write(*band_of(range.first / band_size_), {at, n}, out);
      range = {range.first + n, range.count - n};
      out += n;
    }
  }

  // Which elements make another one open is not known.
  [[nodiscard]] Origins origins(Range range) const override {
    Origins out;
    for (std::int64_t i = 0; i < range.count; ++i) out.end();
    return out;
  }

 private:
  using Bits = std::vector<std::uint64_t>;

  static void write(const Bits& bits, Range range, std::byte* out) {
    for (std::int64_t i = range.first; i < range.end(); ++i)
      *out++ = static_cast<std::byte>(bits[to_size(i / 64)] >> (i % 64) & 1);
  }

  void prepare_range(Range /*range*/, const Threads& threads) override {
    if (!in_bands_ || elements_ > band_size_) return;
    auto bits = std::make_shared<Bits>(mask_words(elements_));
    const std::int64_t chunk = chunk_of(plan_, elements_, threads);
    for_each_range({0, elements_}, chunk, threads, [&](Range range, int /*worker*/) {
      plan_.mark_open(range, bits->data() + range.first / 64);
    });
    band_ = {0, std::move(bits)};
  }

  [[nodiscard]] std::shared_ptr<const Bits> band_of(std::int64_t number) const {
    const std::scoped_lock lock(mutex_);
    if (band_.number != number) {
      band_ = {};
      const Range range = part_of_range({0, elements_}, number, band_size_);
      auto bits = std::make_shared<Bits>(mask_words(range.count));
      plan_.mark_open(range, bits->data());
      band_ = {number, std::move(bits)};
    }
    return band_.bits;
  }

  struct Band {
    std::int64_t number = -1;
    std::shared_ptr<const Bits> bits = {};  // of its elements
  };

  const Plan& plan_;
  std::int64_t elements_;
  bool in_bands_;  // else marked range by range
  std::int64_t band_size_;
  mutable std::mutex mutex_;
  mutable Band band_;
};

}  // namespace

OpenTest nan_test(DType dtype) {
  return dispatch(dtype, []<class T>(TypeTag<T>) -> OpenTest {
    if constexpr (AnyFloat<T>) {
      return mark_elements<IsNan, T>;
    } else {
      return nullptr;
    }
  });
}

OpenResultTest open_result_test(OpenReason reason, DType dtype) {
  switch (reason) {
    case OpenReason::nan_in_extreme:
      return test_of<OpenExtreme<true, false>>(dtype);
    case OpenReason::zeros_in_extreme:
      return test_of<OpenExtreme<false, true>>(dtype);
    case OpenReason::nan_or_zeros:
      return test_of<OpenExtreme<true, true>>(dtype);
    case OpenReason::zero_divisor:
      return test_of<ZeroDivisor>(dtype);
    case OpenReason::wide_shift:
      return test_of<OpenShift<false>>(dtype);
    case OpenReason::wide_or_overflow:
      return test_of<OpenShift<true>>(dtype);
    case OpenReason::none:
    case OpenReason::duplicate_updates:
      return nullptr;
  }
  __builtin_unreachable();
}

OpenCount count_open(const Plan& plan, std::int64_t elements, const Threads& threads) {
  if (plan.facts().open_reason == OpenReason::none) return {};
  return count_marked(plan, elements, threads,
                      [&](Range range, std::uint64_t* bits) { plan.mark_open(range, bits); });
}

OpenCount count_rounded(const Plan& plan, std::int64_t elements, const Threads& threads) {
  if (plan.facts().rounding != Rounding::each_step) return {};
  return count_marked(plan, elements, threads,
                      [&](Range range, std::uint64_t* bits) { plan.mark_rounded(range, bits); });
}

std::int64_t mask_band(std::int64_t memory) {
  return std::max(kLargeChunk, memory / 64 * 64);
}

std::unique_ptr<Plan> open_mask_plan(const Plan& plan, std::int64_t elements, std::int64_t band) {
  return std::make_unique<OpenMaskPlan>(plan, elements, band);
}

}  // namespace tensorop
