// The loops of Where and Select: elements are moved as they are, so their width is all that counts.
#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "kernels/binary_kernel.hpp"

namespace tensorop {
namespace {

// A stand-in for any element of 16 bytes.
struct Pair {
  std::uint64_t first;
  std::uint64_t second;
};

template <class Word>
Word choose(bool condition, Word x, Word y) {
  return condition ? x : y;
}

template <class Word>
void select(const SelectRun& run, std::byte* out_bytes, std::int64_t count) {
  const auto* condition = reinterpret_cast<const std::uint8_t*>(run.condition);
  const auto* x = reinterpret_cast<const Word*>(run.x);
  const auto* y = reinterpret_cast<const Word*>(run.y);
  auto* out = reinterpret_cast<Word*>(out_bytes);
  if (count == 0) return;
  if (run.condition_stride == 0) {
    const Word* chosen = *condition != 0 ? x : y;
    if ((*condition != 0 ? run.x_stride : run.y_stride) == 0) {
      std::fill_n(out, count, *chosen);
    } else {
      std::memcpy(out, chosen, to_size(count) * sizeof(Word));
    }
    return;
  }
  // Both are read and one is taken: without a branch there is nothing to mispredict.
  if (run.x_stride == 1 && run.y_stride == 1) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = choose(condition[i] != 0, x[i], y[i]);
  } else if (run.x_stride == 1) {
    const Word scalar = *y;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = choose(condition[i] != 0, x[i], scalar);
  } else if (run.y_stride == 1) {
    const Word scalar = *x;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = choose(condition[i] != 0, scalar, y[i]);
  } else {
    const Word on = *x;
    const Word off = *y;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = choose(condition[i] != 0, on, off);
  }
}

}  // namespace

SelectLoop find_select(int width) {
  switch (width) {
    case 1:
      return select<std::uint8_t>;
    case 2:
      return select<std::uint16_t>;
    case 4:
      return select<std::uint32_t>;
    case 8:
      return select<std::uint64_t>;
    default:
      return select<Pair>;
  }
}

}  // namespace tensorop
