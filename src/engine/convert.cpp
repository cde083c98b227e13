#include "engine/convert.hpp"

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/execute.hpp"
#include "io/json_writer.hpp"
#include "io/source.hpp"
#include "kernels/cast.hpp"

namespace tensorop {
namespace {

Plan cast_plan(const Tensor& tensor, DType dtype) {
  Plan plan;
  plan.fill = [=](std::int64_t first, std::int64_t elements, std::byte* out) {
    const std::byte* in = tensor.data() + first * element_size(tensor.dtype());
    const std::int64_t bad = cast_elements(out, dtype, in, tensor.dtype(), elements);
    if (bad < 0) return;
    std::string value;
    append_json_element(value, tensor.dtype(), in + bad * element_size(tensor.dtype()));
    throw Error(cat(element_name("element ", first + bad, tensor.shape()), " = ", printable(value),
                    " does not fit in ", name(dtype)));
  };
  plan.fill_checks = true;
  return plan;
}

}  // namespace

void convert_tensor(const std::string& text, const std::optional<std::string>& dtype_name,
                    const Destination& destination, const Settings& settings) {
  (void)format_of(destination);
  std::optional<DType> dtype;
  if (dtype_name) {
    dtype = parse_dtype(*dtype_name);
    if (!dtype) throw Error(cat("dtype ", printable(*dtype_name), " is not one of ", kAllTypes.names()));
  }
  Source source = Source::open(text, {.untyped_as = dtype});
  if (source.tensor() == nullptr) source.resolve(source.natural_dtype());
  const Tensor tensor = *source.tensor();
  if (!dtype || *dtype == tensor.dtype()) return write_tensor(tensor, destination, settings.threads);
  if (!can_cast(tensor.dtype(), *dtype))
    throw Error(cat("no cast from ", name(tensor.dtype()), " to ", name(*dtype)));
  const auto run = [&] {
    execute(cast_plan(tensor, *dtype), {*dtype, tensor.shape()}, destination, settings.threads);
  };
  source.name().empty() ? run() : with_context(source.name(), run);
}

}  // namespace tensorop
