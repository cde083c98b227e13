// Ranges in place of indices: "2:10", "-1000:", "::2", "::-1", with the meaning of NumPy's slices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/index_forms.hpp"
#include "ops/call.hpp"

namespace tensorop {

// A range as it is written. What is left out is the beginning or the end of the axis.
struct IndexRange {
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> stop;
  std::int64_t step = 1;
};

// Reads START:STOP or START:STOP:STEP, each an integer or left out; nothing if the text has another form.
// Integers beyond int64 become its limits. The step may be 0, which no valid range has.
[[nodiscard]] std::optional<IndexRange> parse_range(std::string_view text);

// Makes operand 1 of the call from the range, clipped to the axis. Throws Error if the axis is out of range,
// or memory does not hold the positions.
void apply_range(const IndexRange& range, RangeForm form, Call& call);

}  // namespace tensorop
