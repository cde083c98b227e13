// Opens operands that must have one dtype, and finds the dtype of untyped ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "io/source.hpp"

namespace tensorop {

// Returns `options` with the settings' threads, memory and temporary files. The settings outlive them.
[[nodiscard]] Source::Options with_settings(Source::Options options, const Settings& settings);

// Opens an operand, or takes the tensor that settings.lookup has for the result of another job. An operand
// with a declared dtype has a tensor of it. Throws Error.
[[nodiscard]] Source open_operand(const Operand& operand, const Source::Options& options,
                                  const Settings& settings);
// Opens an operand that cannot be the result of another job.
[[nodiscard]] Source open_operand(const Operand& operand, const Source::Options& options);

// Returns zeros of a numeric dtype, in memory or, if the settings do not allow so much, in a temporary file,
// which is added to `inputs`. Throws Error.
[[nodiscard]] Tensor zeros(DType dtype, Shape shape, const Settings& settings, Inputs& inputs);

// Reads a source without a tensor as the dtype that a model declares. Throws Error if it has another dtype.
void require_declared(Source& source, DType declared);

// An open operand and the facts that decide its dtype.
struct TypedOperand {
  Source* source;
  std::string name;                 // in messages
  std::string_view type = {};       // operands of the same type variable must have the same dtype
  std::optional<DType> named = {};  // the dtype of untyped text
  DType when_empty = DType::int64;  // for untyped text without elements, if nothing else decides
};

// The treatment of untyped text with elements that do not fit in the dtype of the other operands.
enum class Unfit : std::uint8_t {
  refused,   // an Error
  own_dtype  // as resolve_if_fits() does
};

// Reads operands that are text, so that each has a tensor; once only, if their order allows it. Untyped text
// gets the dtype `named`, otherwise the dtype of the first operand of the same type variable that has one,
// otherwise its own; float64 if one of these texts has float64. Bytes whose small dtype the file does not
// name get `named`; with Unfit::own_dtype they may also get the dtype of the other operands. Text that can
// name its dtype is read first. Throws the Error of the first operand that has one.
void resolve_dtypes(const std::vector<TypedOperand>& operands, Unfit unfit = Unfit::refused);

// Reads a source without a tensor as `dtype` if possible, otherwise as its own dtype. Throws Error.
void resolve_as(Source& source, DType dtype);

// Reads a source without a tensor as `dtype` if its elements fit, even 1.0 in an integer dtype; otherwise as
// its own dtype, which is float64 for integers beyond int64. Throws Error if it cannot be read.
void resolve_if_fits(Source& source, DType dtype);

}  // namespace tensorop
