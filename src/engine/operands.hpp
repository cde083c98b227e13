// Opens operands that must have one dtype, and finds the dtype of untyped ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "io/source.hpp"

namespace tensorop {

// `options` with what the settings say of threads, memory and temporary files. The settings outlive them.
[[nodiscard]] Source::Options with_settings(Source::Options options, const Settings& settings);

// The tensor that settings.lookup knows by that text, else what Source::open() opens. An operand whose dtype
// is declared has a tensor of it. Throws Error.
[[nodiscard]] Source open_operand(const OperandText& operand, const Source::Options& options,
                                  const Settings& settings);
// The same where there are no results of other jobs.
[[nodiscard]] Source open_operand(const OperandText& operand, const Source::Options& options);

// Reads a source without a tensor as the dtype that a model declares. Throws Error where it is of another
// one.
void require_declared(Source& source, DType declared);

// An open operand and what decides its dtype.
struct TypedOperand {
  Source* source;
  std::string name;                 // in messages
  std::string_view type = {};       // operands of the same type variable must have the same dtype
  std::optional<DType> named = {};  // the dtype that untyped text has
  DType when_empty = DType::int64;  // that of untyped text without elements, where nothing else decides
};

// What becomes of untyped text with elements that do not fit in the dtype of the other operands.
enum class Unfit : std::uint8_t {
  refused,   // an Error
  own_dtype  // as resolve_if_fits()
};

// Reads operands that are text, once if their order allows it, so that each has a tensor. The dtype of
// untyped text is `named`, else that of the first operand of the same type variable that has one, else its
// own: float64 if that of any of them is. Bytes of a small dtype that the file does not say are `named`; with
// Unfit::own_dtype they may also take the dtype of the other operands. Text that can name its dtype is read
// before text that cannot. Throws Error, that of the first operand that has one.
void resolve_dtypes(const std::vector<TypedOperand>& operands, Unfit unfit = Unfit::refused);

// Reads a source without a tensor as `dtype` if it can be read so, else as its own dtype. Throws Error.
void resolve_as(Source& source, DType dtype);

// Reads a source without a tensor as `dtype` if its elements fit, 1.0 in an integer dtype too; else as its
// own dtype, which is float64 for integers beyond int64. Throws Error where it cannot be read at all.
void resolve_if_fits(Source& source, DType dtype);

}  // namespace tensorop
