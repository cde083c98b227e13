#include "engine/execute.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/scratch_file.hpp"
#include "base/system/memory.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/npy/npy.hpp"
#include "kernels/elements/element_plans.hpp"
#include "kernels/schedules/bands.hpp"
#include "kernels/schedules/tiles.hpp"
#include "kernels/worker_buffers.hpp"

namespace tensorop {
namespace {

// More than a process can address, and more than any valid request needs: refused before anything is written,
// also for streams, which have no free space to compare with.
constexpr std::int64_t kMostResultBytes = std::int64_t{1} << 47;

// Writes the elements `range` of a result to a sink that takes them from front to end. make(range, worker)
// provides a block and returns its elements, which are valid until the worker's next call.
template <class Make>
void append_elements(Range range, const Make& make, std::int64_t width, Sink& sink, const Threads& threads) {
  const std::int64_t size = kRangeBytes / width;
  std::vector<std::string> encoded(to_size(threads.count()));
  std::vector<const std::byte*> made(to_size(threads.count()));
  const auto block = [&](std::int64_t number) { return part_of_range(range, number, size); };
  threads.for_each_ordered(
      ceil_div(range.count, size),
      [&](std::int64_t number, int worker) {
        const std::byte* elements = make(block(number), worker);
        made[static_cast<std::size_t>(worker)] = elements;
        if (sink.takes_memory()) return;
        std::string& text = encoded[static_cast<std::size_t>(worker)];
        text.clear();
        sink.encode(block(number).first, block(number).count, elements, text);
      },
      [&](std::int64_t number, int worker) {
        const std::int64_t bytes = block(number).count * width;
        const auto* elements = reinterpret_cast<const char*>(made[static_cast<std::size_t>(worker)]);
        sink.takes_memory() ? sink.append({elements, to_size(bytes)})
                            : sink.append(encoded[static_cast<std::size_t>(worker)]);
        threads.advance(bytes);
      });
}

// Computes a result of elements of `width` bytes range by range; each thread fills a buffer.
void fill_sink_by_range(const PreparedPlan& plan, Range all, std::int64_t width, std::int64_t size,
                        Sink& sink, const Threads& threads) {
  if (const ElementFile* elements = sink.elements())
    return fill_ranges(plan, all, width, size, file_target(*elements, width), threads);
  // A block of append_elements() may have more than `size` elements.
  WorkerBuffers buffers(threads, std::min(kRangeBytes / width, all.count) * width);
  const auto make = [&](Range range, int worker) {
    std::byte* const buffer = buffers.buffer_of(worker);
    plan.fill(range, buffer);
    return buffer;
  };
  append_elements(all, make, width, sink, threads);
}

// Copies a tensor that is in memory or mapped.
void copy_to_sink(const Tensor& tensor, Sink& sink, const Threads& threads) {
  const std::int64_t width = element_size(tensor.dtype());
  const Plan copy = copy_plan(tensor);
  fill_sink_by_range(PreparedPlan(copy), {0, tensor.size()}, width, kRangeBytes / width, sink, threads);
}

// Returns as many threads as --memory has buffers for.
Threads filling_threads(const Settings& settings) {
  if (settings.memory == 0) return settings.threads;
  return settings.threads.at_most(memory_of(settings) / kRangeBytes);
}

}  // namespace

void require_possible(const OutputInfo& output) {
  const std::int64_t bytes = count(output.shape) * element_size(output.dtype);
  if (bytes <= kMostResultBytes) return;
  throw Error(
      cat("the result of shape ", to_string(output.shape), " would have ", bytes, " bytes (at most 2^47)"),
      "G-2");
}

ElementTarget file_target(const ElementFile& file, std::int64_t width) {
  const auto write = [&file, width](Range range, const std::byte* elements) {
    file.write(range.first, elements, range.count * width);
  };
  return {
      .write = write, .anywhere = true, .map = [&file] { return file.map(); }, .file_offset = file.offset()};
}

ElementTarget target_of(Sink& sink, DType dtype, const Threads& threads) {
  const std::int64_t width = element_size(dtype);
  if (const ElementFile* elements = sink.elements()) return file_target(*elements, width);
  return {.write = [&sink, &threads, width](Range range, const std::byte* from) {
    const auto make = [&](Range block, int /*worker*/) { return from + (block.first - range.first) * width; };
    append_elements(range, make, width, sink, threads);
  }};
}

BandSettings band_settings_of(const Inputs& inputs, const ElementTarget& target, const Settings& settings) {
  return {.memory = memory_of(settings),
          .target = target,
          .is_mapped = [&inputs](const std::byte* elements) { return inputs.find(elements) != nullptr; },
          .scratch = [&settings](std::int64_t bytes) { return make_scratch(settings, bytes); }};
}

void fill_ranges(const PreparedPlan& plan, Range all, std::int64_t width, std::int64_t size,
                 const ElementTarget& target, const Threads& threads) {
  WorkerBuffers buffers(threads, std::min(size, all.count) * width);
  for_each_range(all, size, threads, [&](Range range, int worker) {
    if (target.memory != nullptr) {
      plan.fill(range, target.memory + range.first * width);
    } else {
      std::byte* const buffer = buffers.buffer_of(worker);
      plan.fill(range, buffer);
      target.write(range, buffer);
    }
    threads.advance(range.count * width);
  });
}

void require_no_duplicates(const Plan& plan, const Settings& settings) {
  if (plan.moves() == nullptr || !plan.moves()->refuses_duplicates) return;
  const auto scratch = [&settings](std::int64_t bytes) { return make_scratch(settings, bytes); };
  require_no_duplicates(*plan.moves(), memory_of(settings), scratch, settings.threads);
}

void check_all(const Plan& plan, const Threads& threads) {
  check(plan, {0, plan.facts().check_size}, threads);
}

void check(const Plan& plan, Range positions, const Threads& threads) {
  constexpr std::int64_t kBlock = std::int64_t{1} << 18;
  for_each_range(positions, kBlock, threads, [&](Range range, int /*worker*/) { plan.check(range); });
}

PreparedPlan prepare(const Planned& planned, const Settings& settings) {
  Decision decision;
  if (const RowMoves* const moves = planned.plan.moves()) {
    const ScheduleFacts facts = facts_of(*moves);
    decision = choose(facts);
    const auto random = random_access(*moves, facts);
    if (random && decision.sorts() && random->sort_bytes > memory_of(settings))
      decision.order = Order::direct;
  }
  require_no_duplicates(planned.plan, settings);
  PreparedPlan out(planned.plan, {0, count(planned.output.shape)}, decision, settings.threads);
  check_all(planned.plan, settings.threads);
  return out;
}

Execution::Execution(const Planned& planned, const Inputs& inputs, const Settings& settings)
    : output_(planned.output), plan_(planned.plan), inputs_(inputs), settings_(settings) {
  require_possible(output_);
  width_ = element_size(output_.dtype);
  elements_ = count(output_.shape);
}

void Execution::decide() {
  if (report_) return;
  report_ = find_access(plan_, inputs_, elements_ * width_, settings_);
}

// `checks`: written bytes cannot be revoked.
void Execution::prepare(const Decision& decision, bool checks) {
  const Threads& threads = settings_.threads;
  block_ = range_elements(plan_.moves(), decision, width_);
  const bool in_bands = decision.access == Access::bands;
  if (!in_bands) threads.expect(elements_ * width_);
  require_no_duplicates(plan_, settings_);
  prepared_.emplace(plan_, Range{0, elements_}, decision, threads);
  // Whether preparing and filling may miss a fault.
  const bool misses = in_bands ? elements_ == 0 : decision.is_whole() || !plan_.facts().fill_checks;
  if (checks || misses) check_all(plan_, threads);
}

// Computes the result. `target` takes elements in the order that the decision needs.
void Execution::fill(const ElementTarget& target) const {
  if (elements_ == 0) return;
  if (report_->decision.access == Access::bands) return fill_in_bands(target);
  if (report_->decision.is_whole()) return fill_in_tiles(target);
  const Threads threads = target.memory != nullptr ? settings_.threads : filling_threads(settings_);
  fill_ranges(*prepared_, {0, elements_}, width_, block_, target, threads);
}

// Bands meet faults in the order in which they read indices; then the lowest one is searched for.
void Execution::fill_in_bands(const ElementTarget& target) const {
  BandSettings band_settings = band_settings_of(inputs_, target, settings_);
  band_settings.memory = report_->facts.memory;  // as the report says; what is free may have changed
  try {
    fill_bands(*prepared_->moves(), band_settings, settings_.threads);
  } catch (const PlanFault&) {
    check_all(plan_, settings_.threads);
    throw;
  }
}

// In memory, or in a mapped file.
void Execution::fill_in_tiles(const ElementTarget& target) const {
  const RowMoves& moves = *prepared_->moves();
  const Threads& threads = settings_.threads;
  write_base_of_tiles(moves, {0, elements_}, target, threads);
  std::byte* const whole = target.whole();
  const std::int64_t bytes = elements_ * width_;
  const std::int64_t parts = bytes < kRangeBytes ? 1 : threads.count();
  threads.for_each(parts, [&](std::int64_t part, int /*worker*/) {
    fill_tiles(moves, whole, part, parts);
    threads.advance(bytes / parts + (part == 0 ? bytes % parts : 0));
  });
}

// Whether a scatter changes few of the parts of its result in which it is computed.
bool Execution::changes_few_parts() const {
  const RowMoves* const moves = plan_.moves();
  if (moves == nullptr || !moves->is_scatter()) return false;
  const std::int64_t rows = moves->map.rows();
  const auto bytes = checked_mul(rows, moves->row_bytes());
  return bytes && rows + *bytes / kRangeBytes < elements_ * width_ / (2 * kRangeBytes);
}

// Computes the parts of a scatter's result that have updates or lie outside of `shared`, a range that has
// the bytes of data already.
void Execution::fill_changed(OutputFile::Part shared, const ElementTarget& target) const {
  const RowMoves& moves = *prepared_->moves();
  std::vector<bool> is_changed(to_size(ceil_div(elements_, block_)));
  const auto part = [&](std::size_t number) {
    return part_of_range({0, elements_}, to_int64(number), block_);
  };
  for (std::size_t i = 0; i < is_changed.size(); ++i) {
    is_changed[i] =
        part(i).first * width_ < shared.first || part(i).end() * width_ > shared.first + shared.bytes;
  }
  moves.map.for_each_block({0, moves.map.rows()},
                           [&](std::int64_t /*first*/, std::int64_t rows, const std::int64_t* offsets) {
                             for (std::int64_t i = 0; i < rows; ++i) {
                               const std::int64_t begin = offsets[i] * moves.row_elements;
                               for (std::int64_t at = begin / block_;
                                    offsets[i] != kSkip && at * block_ < begin + moves.row_elements; ++at)
                                 is_changed[to_size(at)] = true;
                             }
                           });
  for (std::size_t i = 0; i < is_changed.size(); ++i) {
    if (is_changed[i]) fill_ranges(*prepared_, part(i), width_, block_, target, settings_.threads);
  }
}

Tensor Execution::evaluate(Arenas arenas) {
  decide();
  if (settings_.explain) settings_.explain(*report_);
  const std::int64_t bytes = elements_ * width_;
  // A result that is made in bands may stay in a file.
  const bool in_file = report_->decision.access == Access::bands && output_.dtype != DType::string &&
                       bytes > memory_of(settings_);
  if (!in_file) require_memory(bytes, cat("the result of shape ", to_string(output_.shape)));
  prepare(report_->decision, false);
  if (in_file) {
    ScratchFile file = make_scratch(settings_, bytes);
    const auto write = [&](Range range, const std::byte* elements) {
      file.write_at(range.first * width_, {elements, to_size(range.count * width_)});
    };
    fill({.write = write, .anywhere = true});
    inputs_.require_unchanged();
    return {output_.dtype, output_.shape, std::move(file).into_mapped()};
  }
  auto storage = std::make_shared<Storage>(bytes);
  storage->arenas = std::move(arenas);
  fill(memory_target(storage->data(), width_));
  inputs_.require_unchanged();
  return {output_.dtype, output_.shape, storage};
}

void Execution::write(const Destination& destination) {
  // The width of strings is known only when all of them are computed.
  if (output_.dtype == DType::string && format_of(destination).measure_strings != nullptr)
    return write_tensor(evaluate({}), inputs_, destination, settings_);
  write(*open_sink(destination, output_.dtype, output_.shape, 0, settings_.warn));
}

void Execution::write(Sink& sink) {
  fill(sink);
  inputs_.require_unchanged();
  sink.commit();
}

void Execution::fill(Sink& sink) {
  const Threads& threads = settings_.threads;
  const bool anywhere = sink.elements() != nullptr;
  decide();
  const Decision& decision = report_->decision;
  const bool in_bands = decision.access == Access::bands;
  const bool in_tiles = decision.is_whole() || report_->bands.in_tiles;
  if ((in_tiles && !anywhere) || (in_bands && sink.together() != 1)) {
    // A file that is written from front to end needs the complete result first, because tiles compute it
    // column by column, and bands may end between elements that share a byte.
    threads.expect(elements_ * width_);
    return copy_to_sink(evaluate({}), sink, filling_threads(settings_));
  }
  if (settings_.explain) settings_.explain(*report_);
  const std::byte* const data = plan_.moves() == nullptr ? nullptr : plan_.moves()->data.data();
  const MappedFile* const file = anywhere && changes_few_parts() ? inputs_.find(data) : nullptr;
  const OutputFile::Part shared = file == nullptr ? OutputFile::Part{} : sink.elements()->share(*file, data);
  if (shared.bytes != 0) {
    prepare(choose_in_memory(plan_.moves()), false);
    return fill_changed(shared, target_of(sink, output_.dtype, threads));
  }
  prepare(decision, sink.is_stream());
  if (!anywhere && !in_bands)
    return fill_sink_by_range(*prepared_, {0, elements_}, width_, block_, sink, filling_threads(settings_));
  fill(target_of(sink, output_.dtype, threads));
}

std::int64_t string_width(const Tensor& tensor) {
  if (tensor.dtype() != DType::string) return 0;
  return longest_characters(tensor.strings());
}

void write_tensor(const Tensor& tensor, const Inputs& inputs, Sink& sink, const Threads& threads) {
  threads.expect(tensor.bytes());
  copy_to_sink(tensor, sink, threads);
  inputs.require_unchanged();
  sink.commit();
}

void write_tensor(const Tensor& tensor, const Inputs& inputs, const Destination& destination,
                  const Settings& settings) {
  const auto measure = format_of(destination).measure_strings;
  const std::int64_t strings =
      measure == nullptr || tensor.dtype() != DType::string ? 0 : measure(tensor.strings());
  const auto sink = open_sink(destination, tensor.dtype(), tensor.shape(), strings, settings.warn);
  write_tensor(tensor, inputs, *sink, settings.threads);
}

}  // namespace tensorop
