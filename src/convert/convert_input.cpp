#include "convert/convert_input.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "engine/operands.hpp"
#include "io/json/json_writer.hpp"
#include "kernels/elements/element_plans.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

// Returns the tensor with its bits interpreted as another dtype.
Tensor viewed(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  if (tensor.dtype() == DType::string || dtype == DType::string)
    throw Error(cat("cannot view ", name(tensor.dtype()), " as ", name(dtype)));
  const int from = info(tensor.dtype()).bits;
  const int to = info(dtype).bits;
  if (from == to) return tensor.viewed_as(dtype);
  throw Error(cat("cannot view ", name(tensor.dtype()), " as ", name(dtype), ": an element has ", from,
                  " bits, not ", to),
              "", "--dtype converts values");
}

}  // namespace

Planned CastInput::planned() const {
  return {{dtype, tensor.shape()}, is_cast() ? cast_plan(tensor, dtype, overflow) : copy_plan(tensor)};
}

std::string CastInput::fault_text(std::int64_t position) const {
  return cat(element_name("element ", position, tensor.shape()), " = ",
             printable(json_element(tensor, position)), " does not fit in ", tensorop::name(dtype),
             // The range is not the reason why an imaginary part does not fit.
             kComplexTypes.contains(tensor.dtype()) ? "" : cat(" (", range_text(dtype), ")"));
}

void CastInput::require_exact_integers() const {
  constexpr std::int64_t kBlock = 4096;
  const DType from = tensor.dtype();
  constexpr DTypeSet kTo = kFloatTypes | kComplexTypes | kSmallFloatTypes;
  if (!kIntegerTypes.contains(from) || !kTo.contains(dtype)) return;
  const std::int64_t width = element_size(from);
  std::vector<std::byte> cast(to_size(kBlock * element_size(dtype)));
  std::vector<std::byte> back(to_size(kBlock * width));
  const auto are_exact = [&](const std::byte* elements, std::int64_t count) {
    return cast_elements(cast.data(), dtype, elements, from, count) < 0 &&
           cast_elements(back.data(), from, cast.data(), dtype, count) < 0 &&
           std::memcmp(elements, back.data(), to_size(count * width)) == 0;
  };
  for (std::int64_t first = 0; first < tensor.size(); first += kBlock) {
    const std::int64_t count = std::min(kBlock, tensor.size() - first);
    const std::byte* const elements = tensor.data() + first * width;
    if (are_exact(elements, count)) continue;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::byte* const element = elements + i * width;
      // The cast that follows refuses or saturates a value out of range.
      if (cast_elements(cast.data(), dtype, element, from, 1) >= 0 || are_exact(element, 1)) continue;
      throw Error(cat(name, ": ", element_name("element ", first + i, tensor.shape()), " = ",
                      printable(json_element(tensor, first + i)), " is not exact in ", tensorop::name(dtype)),
                  "", "--dtype 'NAME=DTYPE' casts the arrays of that name, and rounds their integers");
    }
  }
}

std::string CastInput::hint(std::int64_t position) const {
  std::array<std::byte, sizeof(double)> value{};
  const std::byte* const element = tensor.data() + position * element_size(tensor.dtype());
  const bool is_real = cast_elements(value.data(), DType::float64, element, tensor.dtype(), 1) < 0;
  return is_real ? overflow_hint(dtype, std::bit_cast<double>(value)) : "";
}

std::optional<NamedInput> split_name(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::size_t bracket = text.find_first_of("[{\"");
  if (equals >= bracket || names_file(text)) return std::nullopt;
  return NamedInput{.name = text.substr(0, equals), .given = text.substr(equals + 1)};
}

Source::Options options_of(const InputReading& reading, ArrayReading arrays) {
  Source::Options options{
      .arrays = std::move(arrays), .read_later = true, .text_format = reading.text_format};
  // --view takes bytes as any dtype, and refuses dtypes of more bits itself. --dtype must name a small
  // dtype: the bytes are its bits, not numbers of another dtype.
  if (reading.view) {
    options.unnamed_as = element_size(*reading.view) == 1 ? *reading.view : DType::uint8;
  } else if (reading.dtype && kSmallTypes.contains(*reading.dtype)) {
    options.unnamed_as = reading.dtype;
  }
  return with_settings(std::move(options), reading.settings);
}

CastInput cast_input(Source source, const InputReading& reading) {
  // The bits of untyped text are those of its own dtype.
  if (reading.dtype && !reading.view) source.read_to_cast(*reading.dtype, reading.overflow);
  source.read();
  if (source.tensor() == nullptr) source.resolve(source.natural_dtype());
  source.warn_of(source.comments_text());
  CastInput out{source.name(), *source.tensor(), {}, reading.overflow, {}, false};
  const auto resolve_dtype = [&] {
    if (reading.view) out.tensor = viewed(out.tensor, *reading.view);
    const DType from = out.tensor.dtype();
    out.dtype = reading.dtype.value_or(from);
    out.is_to_saturate = reading.dtype.has_value();
    if (out.is_cast() && !can_cast(from, out.dtype))
      throw Error(cat("cannot cast ", name(from), " to ", name(out.dtype)));
  };
  out.name.empty() ? resolve_dtype() : with_context(out.name, resolve_dtype);
  out.inputs.add(source.mapping());
  return out;
}

CastInput open_input(const NamedInput& input, const InputReading& reading, bool header_only) {
  InputReading own = reading;
  if (input.dtype) own.dtype = input.dtype;
  Source::Options options = options_of(own, {});
  options.header_only = header_only;
  // An input that was only described is opened again.
  if (header_only) options.warn = nullptr;
  if (input.archive == nullptr) return cast_input(Source::open(input.given, options), own);
  if (input.keeps_dtype) own.view.reset();
  return cast_input(input.archive->read(input.member, options), own);
}

}  // namespace tensorop
