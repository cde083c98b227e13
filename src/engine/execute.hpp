// Running a plan: chunks, threads, memory and sinks, for every operator alike.
#pragma once

#include "base/threads.hpp"
#include "io/sink.hpp"
#include "ops/operator.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The result in memory. `owner` is kept alive as long as it is: strings point into the operands. Throws
// Error.
[[nodiscard]] Tensor execute(const Plan& plan, const OutputInfo& output, std::shared_ptr<const void> owner,
                             const Threads& threads);

// The result at its destination, published when it is complete. Throws Error.
void execute(const Plan& plan, const OutputInfo& output, const Destination& destination,
             const Threads& threads);

// The result through a sink that is open already, committed when it is complete. Not for strings, whose width
// an NPY file needs first. Throws Error.
void execute(const Plan& plan, const OutputInfo& output, Sink& sink, const Threads& threads);

// A tensor that is there already, to a destination, or through an open sink.
void write_tensor(const Tensor& tensor, Sink& sink, const Threads& threads);
void write_tensor(const Tensor& tensor, const Destination& destination, const Threads& threads);

// What a sink has to know of strings: code points of the longest; 0 for other dtypes.
[[nodiscard]] std::int64_t string_width(const Tensor& tensor);

}  // namespace tensorop
