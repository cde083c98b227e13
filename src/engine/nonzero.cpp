#include "engine/nonzero.hpp"

#include "base/error.hpp"
#include "engine/execute.hpp"
#include "engine/operands.hpp"
#include "io/source.hpp"
#include "kernels/index/true_positions.hpp"

namespace tensorop {

void write_nonzero(const std::string& operand, const Format* text_format, const Destination& destination,
                   const Settings& settings) {
  // A destination without a known format is reported before any work.
  (void)format_of(destination);
  Source source = Source::open(operand, with_settings({.text_format = text_format}, settings));
  if (source.tensor() == nullptr) source.resolve(source.natural_dtype());
  const Tensor& tensor = *source.tensor();
  if (tensor.rank() == 0) throw Error("the operand is a scalar; its rank must be at least 1");
  Inputs inputs;
  inputs.add(source.mapping());
  Tensor positions = true_positions(tensor, settings.threads);
  if (tensor.rank() > 1) positions = coordinates_of(positions, tensor.shape(), settings.threads);
  write_tensor(positions, inputs, destination, settings);
}

}  // namespace tensorop
