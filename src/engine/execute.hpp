// The executor: computes a plan in blocks on several threads, into memory, files and streams, in the same way
// for every operator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/files/input_file.hpp"
#include "engine/access.hpp"
#include "engine/settings.hpp"
#include "io/sink.hpp"
#include "kernels/schedules/bands.hpp"
#include "kernels/schedules/prepared_plan.hpp"
#include "ops/operator.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct Bound;

// Throws Error if the result has more bytes than any file can have.
void require_possible(const OutputInfo& output);

// Computes the result of a plan, once. Looks at the facts once, decides once, and has the schedule: ranges
// that are direct or sorted (prepared_plan.hpp), tiles (tiles.hpp), bands (bands.hpp), or for a file
// that shares its blocks with data the ranges that change. The target is memory, a file or a stream.
class Execution {
 public:
  // All of them outlive this object. Throws Error as require_possible().
  Execution(const Planned& planned, const Inputs& inputs, const Settings& settings);

  // Call one of the next three. They throw PlanFault for the lowest position at which an element cannot be
  // computed, and Error if memory or a file fails, or one of the inputs has changed. Nothing is published in
  // these cases.
  //
  // Returns the result in memory. It keeps `arenas` alive because its strings point into them.
  [[nodiscard]] Tensor evaluate(Arenas arenas);
  // Writes the result to its destination, and publishes it when it is complete.
  void write(const Destination& destination);
  // Writes the result through an open sink, and commits it when it is complete. Not for strings, because an
  // NPY file needs their width first.
  void write(Sink& sink);

  // The plan afterwards: prepared and checked.
  [[nodiscard]] const PreparedPlan& prepared() const { return *prepared_; }

 private:
  void decide();
  void prepare(const Decision& decision, bool checks);
  void fill(Sink& sink);
  void fill(const ElementTarget& target) const;
  void fill_in_bands(const ElementTarget& target) const;
  void fill_in_tiles(const ElementTarget& target) const;
  [[nodiscard]] bool changes_few_parts() const;
  void fill_changed(OutputFile::Part shared, const ElementTarget& target) const;

  const OutputInfo& output_;
  const Plan& plan_;
  const Inputs& inputs_;
  const Settings& settings_;
  std::int64_t elements_;
  std::int64_t width_;      // bytes of an element
  std::int64_t block_ = 0;  // elements of a block
  std::optional<AccessReport> report_;
  std::optional<PreparedPlan> prepared_;
};

// The building blocks of executors.

// Prepares a plan, which outlives the result, and checks everything that can fail.
[[nodiscard]] PreparedPlan prepare(const Planned& planned, const Settings& settings);
// If the plan refuses duplicates, throws PlanFault for the lowest update whose element has an earlier one.
void require_no_duplicates(const Plan& plan, const Settings& settings);
// Checks the given positions of PlanFacts::check_size, or all.
void check_all(const Plan& plan, const Threads& threads);
void check(const Plan& plan, Range positions, const Threads& threads);
// Computes the elements `all` of a prepared plan's result, `size` elements of `width` bytes at a time.
// Counts their bytes.
void fill_ranges(const PreparedPlan& plan, Range all, std::int64_t width, std::int64_t size,
                 const ElementTarget& target, const Threads& threads);
// The target for a sink. Both outlive it; a sink whose elements() is null gets ranges from front to end.
[[nodiscard]] ElementTarget target_of(Sink& sink, DType dtype, const Threads& threads);
// The target for the elements in a result's file, which outlives the target.
[[nodiscard]] ElementTarget file_target(const ElementFile& file, std::int64_t width);
// The parameters of a call's bands. `inputs` and `settings` outlive them.
[[nodiscard]] BandSettings band_settings_of(const Inputs& inputs, const ElementTarget& target,
                                            const Settings& settings);

// Writes a tensor that is in memory or mapped to an open sink, or to a destination.
void write_tensor(const Tensor& tensor, const Inputs& inputs, Sink& sink, const Threads& threads);
void write_tensor(const Tensor& tensor, const Inputs& inputs, const Destination& destination,
                  const Settings& settings);

// Prints one-line warnings if the version leaves elements of the result open, and if rounding after every
// update changes sums of float16 or bfloat16. `plan` is the bound one, checked.
void warn_of_elements(const Bound& bound, const PreparedPlan& plan, const Settings& settings);

// Warns if a result written to `path` has a dtype that files of the format do not name.
void warn_of_unnamed(const std::string& path, const Format& format, DType dtype, const Settings& settings);
void warn_of_unnamed(const Destination& destination, DType dtype, const Settings& settings);

// Returns the width of strings for a sink: the code points of the longest string; 0 for other dtypes.
[[nodiscard]] std::int64_t string_width(const Tensor& tensor);

}  // namespace tensorop
