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
#include "engine/access.hpp"
#include "io/npy/npy.hpp"
#include "kernels/elements/element_plans.hpp"
#include "kernels/rows/columns.hpp"
#include "kernels/windows/duplicates.hpp"
#include "kernels/worker_buffers.hpp"

namespace tensorop {
namespace {

// More than a process can address, and more than any valid request needs: refused before anything is written,
// also for streams, which have no free space to compare with.
constexpr std::int64_t kMostResultBytes = std::int64_t{1} << 47;

// The division of a result into chunks, and its bytes.
struct Layout {
  std::int64_t elements;
  std::int64_t width;  // bytes an element
  std::int64_t chunk;  // elements
  explicit Layout(const OutputInfo& output)
      : elements(count(output.shape)), width(element_size(output.dtype)), chunk(kRangeBytes / width) {}
  [[nodiscard]] std::int64_t bytes() const { return elements * width; }
  // The size of a buffer for a piece of append_elements(). A piece may be longer than a chunk.
  [[nodiscard]] std::int64_t buffer_bytes() const { return std::min(kRangeBytes / width, elements) * width; }
};

void check_all(const Plan& plan, const Threads& threads) {
  check(plan, {0, plan.facts().check_size}, threads);
}

// Computes the whole result in tiles, in memory or in a mapped file.
void fill_whole(const RowMoves& moves, const Layout& layout, const ElementTarget& target,
                const Threads& threads) {
  write_base_of_tiles(moves, {0, layout.elements}, target, threads);
  std::byte* const whole = target.whole();
  const std::int64_t bytes = layout.bytes();
  const std::int64_t parts = bytes < kRangeBytes ? 1 : threads.count();
  threads.for_each(parts, [&](std::int64_t part, int /*worker*/) {
    fill_tiles(moves, whole, part, parts);
    threads.advance(bytes / parts + (part == 0 ? bytes % parts : 0));
  });
}

// Writes the elements `range` of a result to a sink that takes them from front to end. make(range, worker)
// provides a piece and returns its elements, which are valid until the worker's next call.
template <class Make>
void append_elements(Range range, const Make& make, std::int64_t width, Sink& sink, const Threads& threads) {
  const std::int64_t chunk = kRangeBytes / width;
  std::vector<std::string> encoded(to_size(threads.count()));
  std::vector<const std::byte*> made(to_size(threads.count()));
  const auto piece = [&](std::int64_t number) { return part_of_range(range, number, chunk); };
  threads.for_each_ordered(
      ceil_div(range.count, chunk),
      [&](std::int64_t number, int worker) {
        const std::byte* elements = make(piece(number), worker);
        made[static_cast<std::size_t>(worker)] = elements;
        if (sink.takes_memory()) return;
        std::string& text = encoded[static_cast<std::size_t>(worker)];
        text.clear();
        sink.encode(piece(number).first, piece(number).count, elements, text);
      },
      [&](std::int64_t number, int worker) {
        const std::int64_t bytes = piece(number).count * width;
        const auto* elements = reinterpret_cast<const char*>(made[static_cast<std::size_t>(worker)]);
        sink.takes_memory() ? sink.append({elements, to_size(bytes)})
                            : sink.append(encoded[static_cast<std::size_t>(worker)]);
        threads.advance(bytes);
      });
}

// Computes a result range by range; each thread fills a buffer.
void fill_sink_by_range(const Plan& plan, const Layout& layout, Sink& sink, const Threads& threads) {
  const Range all = {0, layout.elements};
  if (const ElementFile* elements = sink.elements())
    return fill_ranges(plan, all, layout.width, layout.chunk, file_target(*elements, layout.width), threads);
  WorkerBuffers buffers(threads, layout.buffer_bytes());
  const auto make = [&](Range range, int worker) {
    std::byte* const buffer = buffers.of(worker);
    plan.fill(range, buffer);
    return buffer;
  };
  append_elements(all, make, layout.width, sink, threads);
}

// Returns as many threads as --memory has buffers for.
Threads filling_threads(const Settings& settings) {
  if (settings.memory == 0) return settings.threads;
  return settings.threads.at_most(memory_of(settings) / kRangeBytes);
}

// Prepares a plan for fill() or fill_sink_by_range(). `checks`: written bytes cannot be revoked.
void prepare_to_fill(Plan& plan, Layout& layout, const Decision& decision, bool checks,
                     const Settings& settings) {
  layout.chunk = range_elements(plan.facts().moves, decision, layout.width);
  const Threads& threads = settings.threads;
  const bool in_windows = decision.access == Access::windows;
  if (!in_windows) threads.expect(layout.bytes());
  require_no_duplicates(plan, settings);
  plan.prepare({0, layout.elements}, decision, threads);
  // Whether preparing and filling may miss a fault.
  const bool misses = in_windows ? layout.elements == 0 : decision.is_whole() || !plan.facts().fill_checks;
  if (checks || misses) check_all(plan, threads);
}

// Windows meet faults in the order in which they read indices; then the lowest one is searched for.
void fill_in_windows(const Plan& plan, const Windowing& windowing, const Threads& threads) {
  try {
    fill_windows(*plan.facts().moves, windowing, threads);
  } catch (const PlanFault&) {
    check_all(plan, threads);
    throw;
  }
}

// Computes the result of a prepared plan. `target` takes elements in the order that the decision needs.
void fill(const Plan& plan, const Inputs& inputs, const Layout& layout, const ElementTarget& target,
          const AccessReport& report, const Settings& settings) {
  if (layout.elements == 0) return;
  if (report.decision.access == Access::windows) {
    Windowing windowing = windowing_of(inputs, target, settings);
    windowing.memory = report.facts.memory;  // as the report says; what is free may have changed
    return fill_in_windows(plan, windowing, settings.threads);
  }
  if (report.decision.is_whole()) return fill_whole(*plan.facts().moves, layout, target, settings.threads);
  const Threads threads = target.memory != nullptr ? settings.threads : filling_threads(settings);
  fill_ranges(plan, {0, layout.elements}, layout.width, layout.chunk, target, threads);
}

// Whether a scatter changes few of the parts of its result in which it is computed.
bool changes_few_parts(const RowMoves& moves, const Layout& layout) {
  const std::int64_t rows = moves.map->rows();
  const auto bytes = moves.is_scatter() ? checked_mul(rows, moves.row_bytes) : std::nullopt;
  return bytes && rows + *bytes / kRangeBytes < layout.bytes() / (2 * kRangeBytes);
}

// Computes the parts of a scatter's result that have updates or lie outside of `shared`, a range that has
// the bytes of data already.
void fill_changed(const Plan& plan, const Layout& layout, OutputFile::Part shared,
                  const ElementTarget& target, const Threads& threads) {
  const RowMoves& moves = *plan.facts().moves;
  std::vector<bool> is_changed(to_size(ceil_div(layout.elements, layout.chunk)));
  const auto part = [&](std::size_t number) {
    return part_of_range({0, layout.elements}, to_int64(number), layout.chunk);
  };
  for (std::size_t i = 0; i < is_changed.size(); ++i) {
    is_changed[i] = part(i).first * layout.width < shared.first ||
                    part(i).end() * layout.width > shared.first + shared.bytes;
  }
  moves.map->for_each_block(
      {0, moves.map->rows()}, [&](std::int64_t /*first*/, std::int64_t rows, const std::int64_t* offsets) {
        for (std::int64_t i = 0; i < rows; ++i) {
          const std::int64_t begin = offsets[i] * moves.row_elements;
          for (std::int64_t at = begin / layout.chunk;
               offsets[i] != kSkip && at * layout.chunk < begin + moves.row_elements; ++at)
            is_changed[to_size(at)] = true;
        }
      });
  for (std::size_t i = 0; i < is_changed.size(); ++i) {
    if (is_changed[i]) fill_ranges(plan, part(i), layout.width, layout.chunk, target, threads);
  }
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
    const auto make = [&](Range piece, int /*worker*/) { return from + (piece.first - range.first) * width; };
    append_elements(range, make, width, sink, threads);
  }};
}

Windowing windowing_of(const Inputs& inputs, const ElementTarget& target, const Settings& settings) {
  return {.memory = memory_of(settings),
          .target = target,
          .is_mapped = [&inputs](const std::byte* elements) { return inputs.find(elements) != nullptr; },
          .scratch = [&settings](std::int64_t bytes) { return make_scratch(settings, bytes); }};
}

void fill_ranges(const Plan& plan, Range all, std::int64_t width, std::int64_t chunk,
                 const ElementTarget& target, const Threads& threads) {
  WorkerBuffers buffers(threads, std::min(chunk, all.count) * width);
  for_each_range(all, chunk, threads, [&](Range range, int worker) {
    if (target.memory != nullptr) {
      plan.fill(range, target.memory + range.first * width);
    } else {
      std::byte* const buffer = buffers.of(worker);
      plan.fill(range, buffer);
      target.write(range, buffer);
    }
    threads.advance(range.count * width);
  });
}

void require_no_duplicates(const Plan& plan, const Settings& settings) {
  if (!plan.facts().refuses_duplicates) return;
  const auto scratch = [&settings](std::int64_t bytes) { return make_scratch(settings, bytes); };
  require_no_duplicates(*plan.facts().moves, memory_of(settings), scratch, settings.threads);
}

void check(const Plan& plan, Range positions, const Threads& threads) {
  constexpr std::int64_t kChunk = std::int64_t{1} << 18;
  for_each_range(positions, kChunk, threads, [&](Range range, int /*worker*/) { plan.check(range); });
}

void prepare(const Planned& planned, const Settings& settings) {
  Decision decision;
  if (const RowMoves* const moves = planned.plan->facts().moves) {
    const ScheduleFacts facts = facts_of(*moves);
    decision = choose(facts);
    const auto random = random_access(*moves, facts);
    if (random && decision.sorts() && random->sort_bytes > memory_of(settings))
      decision.order = Order::direct;
  }
  require_no_duplicates(*planned.plan, settings);
  planned.plan->prepare({0, count(planned.output.shape)}, decision, settings.threads);
  check_all(*planned.plan, settings.threads);
}

Tensor execute(const Planned& planned, const Inputs& inputs, const Settings& settings, Arenas arenas) {
  const auto& [output, plan, slices] = planned;
  require_possible(output);
  Layout layout(output);
  const AccessReport report = find_access(*plan, inputs, layout.bytes(), settings);
  if (settings.explain) settings.explain(report);
  // A result that is made in windows may stay in a file.
  const bool in_file = report.decision.access == Access::windows && output.dtype != DType::string &&
                       layout.bytes() > memory_of(settings);
  if (!in_file) require_memory(layout.bytes(), cat("the result of shape ", to_string(output.shape)));
  prepare_to_fill(*plan, layout, report.decision, false, settings);
  if (in_file) {
    ScratchFile file = make_scratch(settings, layout.bytes());
    const auto write = [&](Range range, const std::byte* elements) {
      file.write_at(range.first * layout.width, {elements, to_size(range.count * layout.width)});
    };
    fill(*plan, inputs, layout, {.write = write, .anywhere = true}, report, settings);
    inputs.require_unchanged();
    return {output.dtype, output.shape, std::move(file).into_mapped()};
  }
  auto storage = std::make_shared<Storage>(layout.bytes());
  storage->arenas = std::move(arenas);
  fill(*plan, inputs, layout, memory_target(storage->data(), layout.width), report, settings);
  inputs.require_unchanged();
  return {output.dtype, output.shape, storage};
}

void execute(const Planned& planned, const Inputs& inputs, const Destination& destination,
             const Settings& settings) {
  const OutputInfo& output = planned.output;
  require_possible(output);
  // The width of strings is known only when all of them are computed.
  if (output.dtype == DType::string && format_of(destination).measure_strings != nullptr) {
    return write_tensor(execute(planned, inputs, settings, {}), inputs, destination, settings);
  }
  const auto sink = open_sink(destination, output.dtype, output.shape, 0, settings.warn);
  execute(planned, inputs, *sink, settings);
}

void fill_sink(const Planned& planned, const Inputs& inputs, Sink& sink, const Settings& settings) {
  Plan& plan = *planned.plan;
  const Threads& threads = settings.threads;
  Layout layout(planned.output);
  const bool anywhere = sink.elements() != nullptr;
  const AccessReport report = find_access(plan, inputs, layout.bytes(), settings);
  const bool in_windows = report.decision.access == Access::windows;
  const bool in_tiles = report.decision.is_whole() || report.windows.in_tiles;
  if ((in_tiles && !anywhere) || (in_windows && sink.together() != 1)) {
    // A file that is written from front to end needs the complete result first, because tiles compute it
    // column by column, and windows may end between elements that share a byte.
    threads.expect(layout.bytes());
    const Tensor whole = execute(planned, inputs, settings, {});
    return fill_sink_by_range(*copy_plan(whole), layout, sink, filling_threads(settings));
  }
  if (settings.explain) settings.explain(report);
  const RowMoves* const moves = plan.facts().moves;
  const MappedFile* const data =
      anywhere && moves != nullptr && changes_few_parts(*moves, layout) ? inputs.find(moves->data) : nullptr;
  const OutputFile::Part shared =
      data == nullptr ? OutputFile::Part{} : sink.elements()->share(*data, moves->data);
  if (shared.bytes != 0) {
    prepare_to_fill(plan, layout, choose_in_memory(moves), false, settings);
    return fill_changed(plan, layout, shared, target_of(sink, planned.output.dtype, threads), threads);
  }
  prepare_to_fill(plan, layout, report.decision, sink.is_stream(), settings);
  if (!anywhere && !in_windows) return fill_sink_by_range(plan, layout, sink, filling_threads(settings));
  fill(plan, inputs, layout, target_of(sink, planned.output.dtype, threads), report, settings);
}

void execute(const Planned& planned, const Inputs& inputs, Sink& sink, const Settings& settings) {
  fill_sink(planned, inputs, sink, settings);
  inputs.require_unchanged();
  sink.commit();
}

std::int64_t string_width(const Tensor& tensor) {
  if (tensor.dtype() != DType::string) return 0;
  return longest_characters(tensor.strings());
}

void write_tensor(const Tensor& tensor, const Inputs& inputs, Sink& sink, const Threads& threads) {
  threads.expect(tensor.bytes());
  fill_sink_by_range(*copy_plan(tensor), Layout({tensor.dtype(), tensor.shape()}), sink, threads);
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
