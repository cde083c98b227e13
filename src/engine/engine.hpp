// The engine's front: a request in, a result out.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/threads.hpp"
#include "engine/request.hpp"
#include "io/sink.hpp"
#include "ops/operator.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Results of earlier jobs, by the name an operand text has ("@id"). Returns nothing for any other text.
using TensorLookup = std::function<std::optional<Tensor>(const std::string& text)>;

// How a request is run.
struct Settings {
  Threads threads{1};
  // Called with one line a deprecated operator version deserves; may be empty.
  std::function<void(const std::string&)> warn;
  TensorLookup lookup;
};

// Shape and dtype of the result; reads the headers of NPY operands only. Throws Error for everything that
// can be known from there.
[[nodiscard]] OutputInfo infer_request(const Request& request, const Settings& settings);

// The result in memory. Throws Error.
[[nodiscard]] Tensor evaluate(const Request& request, const Settings& settings);

// The result at its destination, whole or not at all. Throws Error.
void run_request(const Request& request, const Destination& destination, const Settings& settings);

}  // namespace tensorop
