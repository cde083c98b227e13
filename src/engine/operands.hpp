// Opens operands that must have one dtype, and finds the dtype of untyped ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "io/source.hpp"

namespace tensorop {

// The tensor that settings.lookup knows by that text, else what Source::open() opens. Throws Error.
[[nodiscard]] Source open_operand(const OperandText& operand, const Source::Options& options,
                                  const Settings& settings);

// The dtype as which the untyped operands are read: that of a typed operand, else their own, float64 if any
// of them is float64; `when_empty` when none of them has an element.
[[nodiscard]] DType common_dtype(const std::vector<const Source*>& operands, DType when_empty);

// Reads a source without a tensor as `dtype` if it can be read so, else as its own dtype. Text is read once
// if possible. Throws Error.
void resolve_as(Source& source, DType dtype);

// Whether an untyped operand that has been read can be read as `dtype`. Numbers adapt to a numeric dtype;
// other kinds keep their dtype, which the dtype checks then report.
[[nodiscard]] bool adapts(const Source& untyped, DType dtype);

}  // namespace tensorop
