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

// An open operand and what decides its dtype.
struct TypedOperand {
  Source* source;
  std::string name;                 // in messages
  std::string_view type = {};       // operands of the same type variable must have the same dtype
  std::optional<DType> named = {};  // the dtype that untyped text has
  DType when_empty = DType::int64;  // that of untyped text without elements, where nothing else decides
};

// Reads operands that are text, once if their order allows it, so that each has a tensor. The dtype of
// untyped text is `named`, else that of the first operand of the same type variable that has one, else its
// own: float64 if that of any of them is. Text that can name its dtype is read before text that cannot.
// Throws Error, that of the first operand that has one.
void resolve_dtypes(const std::vector<TypedOperand>& operands);

// Reads a source without a tensor as `dtype` if it can be read so, else as its own dtype. Throws Error.
void resolve_as(Source& source, DType dtype);

}  // namespace tensorop
