#include "kernels/repeat_elements.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"

namespace tensorop {
namespace {

template <std::size_t kWidth>
struct Element {
  std::byte bytes[kWidth];
};

template <std::size_t kWidth>
void repeat(std::byte* out_bytes, const std::byte* data_bytes, const BroadcastWalk& walk, std::int64_t first,
            std::int64_t count) {
  auto* out = reinterpret_cast<Element<kWidth>*>(out_bytes);
  const auto* data = reinterpret_cast<const Element<kWidth>*>(data_bytes);
  const std::int64_t stride = walk.inner_stride(0);
  walk.for_each_run(first, count, [&](const std::int64_t* offsets, std::int64_t n) {
    const Element<kWidth>* from = data + offsets[0];
    if (stride == 1) {
      std::memcpy(out, from, to_size(n) * kWidth);
    } else if (stride == 0) {
      std::fill_n(out, n, *from);
    } else {
      for (std::int64_t i = 0; i < n; ++i) out[i] = from[i * stride];
    }
    out += n;
  });
}

}  // namespace

void repeat_elements(std::byte* out, const std::byte* data, int width, const BroadcastWalk& walk,
                     std::int64_t first, std::int64_t count) {
  switch (width) {
    case 1:
      return repeat<1>(out, data, walk, first, count);
    case 2:
      return repeat<2>(out, data, walk, first, count);
    case 4:
      return repeat<4>(out, data, walk, first, count);
    case 8:
      return repeat<8>(out, data, walk, first, count);
    default:
      return repeat<16>(out, data, walk, first, count);
  }
}

}  // namespace tensorop
