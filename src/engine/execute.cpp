#include "engine/execute.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/scratch_file.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "engine/access.hpp"
#include "io/npy/npy.hpp"
#include "kernels/elements/copy_elements.hpp"
#include "kernels/rows/columns.hpp"
#include "kernels/windows/windows.hpp"

namespace tensorop {
namespace {

// Bytes that are computed and written at a time: few enough to be in cache when they are written.
constexpr std::int64_t kThreadBytes = 1 << 20;

// More than a process can address, and than any valid request needs: refused before anything is written, also
// on streams, which have no free space to compare with.
constexpr std::int64_t kMostResultBytes = std::int64_t{1} << 47;

// A buffer for each worker, made when it first needs it.
class Buffers {
 public:
  Buffers(const Threads& threads, std::int64_t bytes) : bytes_(bytes), buffers_(to_size(threads.count())) {}
  std::byte* of(int worker) {
    auto& buffer = buffers_[static_cast<std::size_t>(worker)];
    if (!buffer) buffer = std::make_unique<Storage>(bytes_);
    return buffer->data();
  }

 private:
  std::int64_t bytes_;
  std::vector<std::unique_ptr<Storage>> buffers_;
};

// Calls work(range, worker) for all of `size` positions, split into ranges of `chunk`, in ascending order.
template <class Work>
void for_each_range(std::int64_t size, std::int64_t chunk, const Threads& threads, const Work& work) {
  threads.for_each(ceil_div(size, chunk), [&](std::int64_t number, int worker) {
    const std::int64_t first = number * chunk;
    work(Range{first, std::min(chunk, size - first)}, worker);
  });
}

// Checks everything that can fail, before the first byte of a result that cannot be revoked.
void check(const Plan& plan, const Threads& threads) {
  constexpr std::int64_t kChunk = std::int64_t{1} << 18;
  for_each_range(plan.facts().check_size, kChunk, threads,
                 [&](Range range, int /*worker*/) { plan.check(range); });
}

void fill_parts(const Plan& plan, std::byte* whole, std::int64_t bytes, const Threads& threads) {
  const std::int64_t parts = bytes < kThreadBytes ? 1 : threads.count();
  threads.for_each(parts, [&](std::int64_t part, int /*worker*/) {
    fill_tiles(*plan.facts().moves, whole, part, parts);
    threads.advance(bytes / parts + (part == 0 ? bytes % parts : 0));
  });
}

// How a result is split into chunks, and its bytes.
struct Layout {
  std::int64_t elements;
  std::int64_t width;  // bytes an element
  std::int64_t chunk;  // elements
  explicit Layout(const OutputInfo& output)
      : elements(count(output.shape)), width(element_size(output.dtype)), chunk(kThreadBytes / width) {}
  [[nodiscard]] std::int64_t bytes() const { return elements * width; }
  [[nodiscard]] std::int64_t buffer_bytes() const { return std::min(chunk, elements) * width; }
};

// for_each_range() of the elements of a result, counted.
template <class Work>
void fill_ranges(const Layout& layout, const Threads& threads, const Work& work) {
  for_each_range(layout.elements, layout.chunk, threads, [&](Range range, int worker) {
    work(range, worker);
    threads.advance(range.count * layout.width);
  });
}

void fill_memory(const Plan& plan, const Layout& layout, std::byte* out, const Threads& threads) {
  fill_ranges(layout, threads,
              [&](Range range, int /*worker*/) { plan.fill(range, out + range.first * layout.width); });
}

// Computes the whole result in tiles, into memory.
void fill_whole(const Plan& plan, const Layout& layout, std::byte* out, const Threads& threads) {
  if (const std::byte* base = base_of_tiles(*plan.facts().moves); base != nullptr) {
    threads.expect(layout.bytes());
    fill_ranges(layout, threads, [&](Range range, int /*worker*/) {
      const std::int64_t first = range.first * layout.width;
      std::memcpy(out + first, base + first, to_size(range.count * layout.width));
    });
  }
  fill_parts(plan, out, layout.bytes(), threads);
}

// The same into a file: writes the base directly from its memory, then computes the parts in the mapped file.
void fill_whole(const Plan& plan, const Layout& layout, const ElementFile& elements, const Threads& threads) {
  if (const std::byte* base = base_of_tiles(*plan.facts().moves); base != nullptr) {
    threads.expect(layout.bytes());
    fill_ranges(layout, threads, [&](Range range, int /*worker*/) {
      elements.write(range.first, base + range.first * layout.width, range.count * layout.width);
    });
  }
  fill_parts(plan, elements.map(), layout.bytes(), threads);
}

void fill_elements(const Plan& plan, const Layout& layout, const ElementFile& elements,
                   const Threads& threads) {
  Buffers buffers(threads, layout.buffer_bytes());
  fill_ranges(layout, threads, [&](Range range, int worker) {
    std::byte* buffer = buffers.of(worker);
    plan.fill(range, buffer);
    elements.write(range.first, buffer, range.count * layout.width);
  });
}

// Writes the elements `range` of a result, which `make` provides in pieces, to a sink that takes them from
// front to end: make(range, worker) returns where the elements of a piece lie until the worker's next call.
template <class Make>
void append_elements(Range range, const Make& make, const Layout& layout, Sink& sink,
                     const Threads& threads) {
  std::vector<std::string> encoded(to_size(threads.count()));
  std::vector<const std::byte*> made(to_size(threads.count()));
  const auto piece = [&](std::int64_t number) {
    const std::int64_t first = number * layout.chunk;
    return Range{range.first + first, std::min(layout.chunk, range.count - first)};
  };
  threads.for_each_ordered(
      ceil_div(range.count, layout.chunk),
      [&](std::int64_t number, int worker) {
        const std::byte* elements = make(piece(number), worker);
        made[static_cast<std::size_t>(worker)] = elements;
        if (sink.takes_memory()) return;
        std::string& text = encoded[static_cast<std::size_t>(worker)];
        text.clear();
        sink.encode(piece(number).first, piece(number).count, elements, text);
      },
      [&](std::int64_t number, int worker) {
        const std::int64_t bytes = piece(number).count * layout.width;
        const auto* elements = reinterpret_cast<const char*>(made[static_cast<std::size_t>(worker)]);
        sink.takes_memory() ? sink.append({elements, to_size(bytes)})
                            : sink.append(encoded[static_cast<std::size_t>(worker)]);
        threads.advance(bytes);
      });
}

void fill_encoded(const Plan& plan, const Layout& layout, Sink& sink, const Threads& threads) {
  Buffers buffers(threads, layout.buffer_bytes());
  const auto make = [&](Range range, int worker) {
    std::byte* buffer = buffers.of(worker);
    plan.fill(range, buffer);
    return buffer;
  };
  append_elements({0, layout.elements}, make, layout, sink, threads);
}

void fill_sink(const Plan& plan, const Layout& layout, Sink& sink, const Threads& threads) {
  if (const ElementFile* elements = sink.elements()) {
    fill_elements(plan, layout, *elements, threads);
  } else {
    fill_encoded(plan, layout, sink, threads);
  }
}

// Each thread fills a buffer: as many threads as --memory has room for.
Threads filling_threads(const Settings& settings) {
  if (settings.memory == 0) return settings.threads;
  return settings.threads.at_most(memory_of(settings) / kThreadBytes);
}

// Whether check() may find what preparing and filling do not.
bool needs_check(const Plan& plan) {
  return plan.decision().is_whole() || !plan.facts().fill_checks;
}

Windowing windowing_of(const Inputs& inputs, const Settings& settings) {
  Windowing windowing;
  windowing.memory = memory_of(settings);
  windowing.is_mapped = [&inputs](const std::byte* elements) { return inputs.find(elements) != nullptr; };
  windowing.scratch = [&settings](std::int64_t bytes) { return make_scratch(settings, bytes); };
  return windowing;
}

// Fills what can still be given up: faults are met in the order in which windows read indices, and then
// looked for from the front.
void fill_windows(const Plan& plan, const Windowing& windowing, const Threads& threads) {
  try {
    fill_windows(*plan.facts().moves, windowing, threads);
  } catch (const PlanFault&) {
    check(plan, threads);
    throw;
  }
}

// Into memory or a file: write(offset, elements), in bytes, from any thread.
template <class Write>
void fill_windows(const Plan& plan, const Inputs& inputs, const Layout& layout, const Settings& settings,
                  const Write& write) {
  Windowing windowing = windowing_of(inputs, settings);
  windowing.anywhere = true;
  windowing.write = [&](Range range, const std::byte* elements) {
    write(range.first * layout.width, std::span(elements, to_size(range.count * layout.width)));
  };
  fill_windows(plan, windowing, settings.threads);
}

void fill_windows(const Plan& plan, const Inputs& inputs, const Layout& layout, Sink& sink,
                  const Settings& settings) {
  const Threads& threads = settings.threads;
  Windowing windowing = windowing_of(inputs, settings);
  if (const ElementFile* elements = sink.elements()) {
    windowing.anywhere = true;
    windowing.file_offset = elements->offset();
    windowing.write = [&](Range range, const std::byte* from) {
      elements->write(range.first, from, range.count * layout.width);
    };
    return fill_windows(plan, windowing, threads);
  }
  windowing.write = [&](Range range, const std::byte* from) {
    const auto make = [&](Range piece, int /*worker*/) {
      return from + (piece.first - range.first) * layout.width;
    };
    append_elements(range, make, layout, sink, threads);
  };
  fill_windows(plan, windowing, threads);
}

}  // namespace

void require_possible(const OutputInfo& output) {
  const std::int64_t bytes = count(output.shape) * element_size(output.dtype);
  if (bytes <= kMostResultBytes) return;
  throw Error(
      cat("the result of shape ", to_string(output.shape), " would have ", bytes, " bytes (at most 2^47)"),
      "G-2");
}

Tensor execute(const Planned& planned, const Inputs& inputs, const Settings& settings, Arenas arenas) {
  const auto& [output, plan] = planned;
  const Threads& threads = settings.threads;
  require_possible(output);
  const Layout layout(output);
  const AccessReport report = find_access(*plan, inputs, layout.bytes(), true, settings);
  if (settings.explain) settings.explain(report);
  const Access access = report.decision.access;
  // What windows make may stay in a file.
  const bool in_file =
      access == Access::windows && output.dtype != DType::string && layout.bytes() > memory_of(settings);
  if (!in_file) require_memory(layout.bytes(), cat("the result of shape ", to_string(output.shape)));
  if (access != Access::windows) threads.expect(layout.bytes());
  plan->prepare({0, layout.elements}, report.decision, threads);
  if (access == Access::windows ? layout.elements == 0 : needs_check(*plan)) check(*plan, threads);
  if (in_file) {
    ScratchFile file = make_scratch(settings, layout.bytes());
    fill_windows(
        *plan, inputs, layout, settings,
        [&](std::int64_t offset, std::span<const std::byte> elements) { file.write_at(offset, elements); });
    inputs.require_unchanged();
    return {output.dtype, output.shape, std::move(file).into_mapped()};
  }
  auto storage = std::make_shared<Storage>(layout.bytes());
  storage->arenas = std::move(arenas);
  if (layout.elements != 0) {
    std::byte* const out = storage->data();
    const auto copy = [&](std::int64_t offset, std::span<const std::byte> elements) {
      std::memcpy(out + offset, elements.data(), elements.size());
    };
    access == Access::windows    ? fill_windows(*plan, inputs, layout, settings, copy)
    : report.decision.is_whole() ? fill_whole(*plan, layout, out, threads)
                                 : fill_memory(*plan, layout, out, threads);
  }
  inputs.require_unchanged();
  return {output.dtype, output.shape, storage};
}

void execute(const Planned& planned, const Inputs& inputs, const Destination& destination,
             const Settings& settings) {
  const OutputInfo& output = planned.output;
  require_possible(output);
  // What strings measure is known only when all of them are computed.
  if (output.dtype == DType::string && format_of(destination).measure_strings != nullptr) {
    return write_tensor(execute(planned, inputs, settings, {}), inputs, destination, settings);
  }
  const auto sink = open_sink(destination, output.dtype, output.shape, 0, settings.warn);
  execute(planned, inputs, *sink, settings);
}

void prepare(const Planned& planned, const Threads& threads) {
  planned.plan->prepare({0, count(planned.output.shape)}, choose_in_memory(planned.plan->facts().moves),
                        threads);
  check(*planned.plan, threads);
}

void fill_sink(const Planned& planned, const Inputs& inputs, Sink& sink, const Settings& settings) {
  Plan& plan = *planned.plan;
  const Threads& threads = settings.threads;
  const Layout layout(planned.output);
  const bool anywhere = sink.elements() != nullptr;
  const AccessReport report = find_access(plan, inputs, layout.bytes(), anywhere, settings);
  const bool in_windows = report.decision.access == Access::windows;
  if (in_windows ? sink.together() != 1 : report.decision.is_whole() && !anywhere) {
    // A file that is written from front to end needs the complete result first. Windows end anywhere, also
    // between elements that share a byte.
    threads.expect(layout.bytes());
    const Tensor whole = execute(planned, inputs, settings, {});
    return fill_sink(*copy_plan(whole), layout, sink, filling_threads(settings));
  }
  if (settings.explain) settings.explain(report);
  if (!in_windows) threads.expect(layout.bytes());
  plan.prepare({0, layout.elements}, report.decision, threads);
  // Bytes sent to a stream cannot be revoked.
  if (sink.is_stream() || (in_windows ? layout.elements == 0 : needs_check(plan))) check(plan, threads);
  if (in_windows) {
    if (layout.elements != 0) fill_windows(plan, inputs, layout, sink, settings);
  } else if (report.decision.is_whole() && layout.elements != 0) {
    fill_whole(plan, layout, *sink.elements(), threads);
  } else {
    fill_sink(plan, layout, sink, filling_threads(settings));
  }
}

void execute(const Planned& planned, const Inputs& inputs, Sink& sink, const Settings& settings) {
  fill_sink(planned, inputs, sink, settings);
  inputs.require_unchanged();
  sink.commit();
}

void warn_of_unnamed(const std::string& path, const Format& format, DType dtype, const Settings& settings) {
  if (!settings.warn || !format.unnamed.contains(dtype)) return;
  settings.warn(cat(path == "-" ? "standard output" : printable(path), ": ", format.title,
                    " has no code for ", name(dtype), ": ", info(dtype).npy,
                    " is written, and --dtype must name the dtype where the file is read; a ",
                    join_words(endings_naming(dtype), "or"), " file keeps it"));
}

void warn_of_unnamed(const Destination& destination, DType dtype, const Settings& settings) {
  if (settings.warn && kSmallTypes.contains(dtype))
    warn_of_unnamed(destination.path, format_of(destination), dtype, settings);
}

std::int64_t string_width(const Tensor& tensor) {
  if (tensor.dtype() != DType::string) return 0;
  return longest_characters(tensor.strings());
}

void write_tensor(const Tensor& tensor, const Inputs& inputs, Sink& sink, const Threads& threads) {
  threads.expect(tensor.bytes());
  fill_sink(*copy_plan(tensor), Layout({tensor.dtype(), tensor.shape()}), sink, threads);
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
