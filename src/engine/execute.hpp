// The executor: a plan computed in chunks on several threads, into memory, files and streams; the same for
// every operator.
#pragma once

#include <memory>
#include <string>

#include "base/files/input_file.hpp"
#include "engine/settings.hpp"
#include "io/sink.hpp"
#include "kernels/windows/windows.hpp"
#include "ops/operator.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct Bound;

// Throws Error where the result has more bytes than any file.
void require_possible(const OutputInfo& output);

// All of these throw PlanFault for the lowest position where an element cannot be computed, and Error where
// memory or a file fails, or one of `inputs` has changed. Nothing is published then.

// The result in memory. It keeps `arenas` alive, which its strings point into.
[[nodiscard]] Tensor execute(const Planned& planned, const Inputs& inputs, const Settings& settings,
                             Arenas arenas);

// The result at its destination, published when it is complete.
void execute(const Planned& planned, const Inputs& inputs, const Destination& destination,
             const Settings& settings);

// The result through a sink that is open already, committed when it is complete. Not for strings, whose width
// an NPY file needs first.
void execute(const Planned& planned, const Inputs& inputs, Sink& sink, const Settings& settings);

// The last one without publishing it: to be committed, or given up. Does not look whether inputs have
// changed.
void fill_sink(const Planned& planned, const Inputs& inputs, Sink& sink, const Settings& settings);

// The parts of which executors are made.

// Prepares a plan and checks all that can fail.
void prepare(const Planned& planned, const Settings& settings);
// Throws PlanFault for the lowest update of an element that has an earlier one, where the plan refuses such.
void require_no_duplicates(const Plan& plan, const Settings& settings);
// Checks these of PlanFacts::check_size positions.
void check(const Plan& plan, Range positions, const Threads& threads);
// Computes the elements `all` of a prepared plan's result, of `width` bytes, `chunk` of them at a time.
// Counts their bytes.
void fill_ranges(const Plan& plan, Range all, std::int64_t width, std::int64_t chunk,
                 const ElementTarget& target, const Threads& threads);
// A sink as a target. Both outlive it; a sink whose elements() is null gets ranges from front to end.
[[nodiscard]] ElementTarget target_of(Sink& sink, DType dtype, const Threads& threads);
// The elements of a file of a result, which outlives it.
[[nodiscard]] ElementTarget file_target(const ElementFile& file, std::int64_t width);
// What windows of a call get. `inputs` and `settings` outlive it.
[[nodiscard]] Windowing windowing_of(const Inputs& inputs, const ElementTarget& target,
                                     const Settings& settings);

// A tensor that is in memory or mapped, to a destination, or through an open sink.
void write_tensor(const Tensor& tensor, const Inputs& inputs, Sink& sink, const Threads& threads);
void write_tensor(const Tensor& tensor, const Inputs& inputs, const Destination& destination,
                  const Settings& settings);

// Warns, in one line each, where the version leaves elements of the result open, and where rounding after
// every update changes sums of float16 or bfloat16. The plan is prepared and checked.
void warn_of_elements(const Bound& bound, const Settings& settings);

// Warns of a result written to `path` whose dtype a file of the format does not name.
void warn_of_unnamed(const std::string& path, const Format& format, DType dtype, const Settings& settings);
void warn_of_unnamed(const Destination& destination, DType dtype, const Settings& settings);

// The width of strings for a sink: code points of the longest; 0 for other dtypes.
[[nodiscard]] std::int64_t string_width(const Tensor& tensor);

}  // namespace tensorop
