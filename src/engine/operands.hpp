// Opening operands that must have one dtype, and finding it for those whose text does not say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "io/source.hpp"

namespace tensorop {

// What settings.lookup knows by that text, else what Source::open() finds behind it. Throws Error.
[[nodiscard]] Source open_operand(const std::string& text, const Source::Options& options,
                                  const Settings& settings);

// The dtype that the untyped among the operands are read as: that of a typed one, else what they are by
// themselves, float64 if any of them is; `when_empty` where none has an element.
[[nodiscard]] DType common_dtype(const std::vector<const Source*>& operands, DType when_empty);

// Gives a source that has no tensor yet the dtype, where it can be that, else its own. Text is read once
// where it can. Throws Error.
void resolve_as(Source& source, DType dtype);

// Whether an untyped operand that has been read can be read as `dtype`. Numbers adapt to a dtype of numbers;
// a kind that does not is left as it is, for the checks of dtypes to name.
[[nodiscard]] bool adapts(const Source& untyped, DType dtype);

}  // namespace tensorop
