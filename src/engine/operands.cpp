#include "engine/operands.hpp"

#include <utility>

#include "base/error.hpp"

namespace tensorop {

Source open_operand(const OperandText& operand, const Source::Options& options, const Settings& settings) {
  Source::Options with_threads = options;
  with_threads.threads = settings.threads;
  if (operand.json) return Source::of_json(*operand.json, with_threads);
  if (settings.lookup) {
    if (auto tensor = settings.lookup(operand.text)) return Source::of(std::move(*tensor));
  }
  return Source::open(operand.text, with_threads);
}

DType common_dtype(const std::vector<const Source*>& operands, DType when_empty) {
  for (const Source* operand : operands) {
    if (operand->tensor() != nullptr) return operand->tensor()->dtype();
  }
  std::optional<DType> common;
  for (const Source* operand : operands) {
    if (operand->fits_any_dtype()) continue;
    const DType own = operand->natural_dtype();
    if (!common || own == DType::float64) common = own;
  }
  return common.value_or(when_empty);
}

void resolve_as(Source& source, DType dtype) {
  if (source.tensor() != nullptr) return;
  // A text of only "NaN" and "Infinity" has strings by itself, and floats beside other floats.
  const auto may_be_not_finite = [&] {
    return source.natural_dtype() == DType::string && (kFloatTypes | kComplexTypes).contains(dtype);
  };
  if (source.is_unread() || may_be_not_finite()) {
    try {
      return source.resolve(dtype);
    } catch (const MemoryError&) {
      throw;
    } catch (const Error&) {
      // It keeps its own dtype, which the caller refuses.
      if (source.is_unread() && !source.can_be_read()) throw;
    }
  }
  source.read();
  if (source.tensor() == nullptr) source.resolve(adapts(source, dtype) ? dtype : source.natural_dtype());
}

bool adapts(const Source& untyped, DType dtype) {
  if (untyped.fits_any_dtype()) return true;
  const auto is_number = [](DType type) { return type != DType::boolean && type != DType::string; };
  return is_number(untyped.natural_dtype()) == is_number(dtype);
}

}  // namespace tensorop
