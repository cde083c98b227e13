#include "engine/index_range.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/axes.hpp"

namespace tensorop {
namespace {

// A bound as a position on an axis of `size` steps: negative ones count from the end, and it is clipped to
// [least, most].
std::int64_t position_of(std::int64_t bound, std::int64_t size, std::int64_t least, std::int64_t most) {
  return std::clamp(bound < 0 ? bound + size : bound, least, most);
}

// The steps of the axis that indices select from.
std::int64_t axis_size(const Call& call) {
  const Shape& data = call.operands[0].shape();
  if (is_flat(call) || data.empty()) return indexed_size(call, 0);
  return indexed_size(call, normalize_axis(std::get<std::int64_t>(call.find("axis")->value), "data", data));
}

}  // namespace

void apply_range(const IndexRange& range, RangeForm form, Call& call) {
  const std::int64_t size = axis_size(call);
  const bool ascends = range.step > 0;
  const std::int64_t least = ascends ? 0 : -1;
  const std::int64_t most = ascends ? size : size - 1;
  const std::int64_t start =
      range.start ? position_of(*range.start, size, least, most) : (ascends ? least : most);
  const std::int64_t stop =
      range.stop ? position_of(*range.stop, size, least, most) : (ascends ? most : least);
  const auto distance =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, ascends ? stop - start : start - stop));
  // The negation of the least int64 is its own magnitude.
  const std::uint64_t step = ascends ? static_cast<std::uint64_t>(range.step)
                                     : std::uint64_t{0} - static_cast<std::uint64_t>(range.step);
  const auto positions = static_cast<std::int64_t>(distance / step + (distance % step == 0 ? 0 : 1));
  const bool is_slice = form == RangeForm::slice && positions > 0;
  // The step of a single position may be as large as int64.
  if (is_slice) call.form.range = AxisRange{positions, positions == 1 ? 1 : range.step};
  const std::int64_t stored = is_slice ? 1 : positions;
  auto storage = std::make_shared<Storage>(stored * to_int64(sizeof(std::int64_t)), "the indices of a range");
  auto* const out = reinterpret_cast<std::int64_t*>(storage->data());
  for (std::int64_t i = 0; i < stored; ++i) out[i] = start + i * range.step;
  call.operands[1] = Tensor(DType::int64, {stored}, storage);
}

}  // namespace tensorop
