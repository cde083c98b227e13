#include "engine/execute.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "io/npy.hpp"

namespace tensorop {
namespace {

// What is computed and written at a time: small enough that the bytes are still in cache when they are
// written.
constexpr std::int64_t kChunkBytes = 1 << 20;

// More than a process can address is more than can be asked for in earnest: refused before anything is
// written, on streams too, which have no free space to compare with.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 47;

void require_possible(const OutputInfo& output) {
  const std::int64_t bytes = count(output.shape) * element_size(output.dtype);
  if (bytes <= kMostBytes) return;
  throw Error(
      cat("the result of shape ", to_string(output.shape), " would have ", bytes, " bytes (at most 2^47)"),
      "G-2");
}

struct Chunks {
  std::int64_t elements;  // of the whole result
  std::int64_t size;      // elements a chunk
  explicit Chunks(const OutputInfo& output)
      : elements(tensorop::count(output.shape)), size(kChunkBytes / element_size(output.dtype)) {}
  [[nodiscard]] std::int64_t number() const { return ceil_div(elements, size); }
  [[nodiscard]] std::int64_t first(std::int64_t chunk) const { return chunk * size; }
  [[nodiscard]] std::int64_t length(std::int64_t chunk) const {
    return std::min(size, elements - first(chunk));
  }
};

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

void update(const Plan& plan, std::byte* out, std::int64_t bytes, const Threads& threads) {
  const std::int64_t parts = bytes < kChunkBytes ? 1 : threads.count();
  threads.for_each(parts, [&](std::int64_t part, int /*worker*/) { plan.update(out, part, parts); });
}

// The result, or the base of an update, into memory.
void fill_memory(const Plan& plan, const OutputInfo& output, std::byte* out, const Threads& threads) {
  const Chunks chunks(output);
  const std::int64_t width = element_size(output.dtype);
  threads.for_each(chunks.number(), [&](std::int64_t chunk, int /*worker*/) {
    std::byte* place = out + chunks.first(chunk) * width;
    if (!plan.update) {
      plan.fill(chunks.first(chunk), chunks.length(chunk), place);
    } else {
      std::memcpy(place, plan.base.data() + chunks.first(chunk) * width,
                  to_size(chunks.length(chunk) * width));
    }
  });
}

void fill_elements(const Plan& plan, const OutputInfo& output, const ElementFile& elements,
                   const Threads& threads) {
  const Chunks chunks(output);
  const std::int64_t width = element_size(output.dtype);
  Buffers buffers(threads, std::min(chunks.size, chunks.elements) * width);
  threads.for_each(chunks.number(), [&](std::int64_t chunk, int worker) {
    std::byte* buffer = buffers.of(worker);
    plan.fill(chunks.first(chunk), chunks.length(chunk), buffer);
    elements.write(chunks.first(chunk), buffer, chunks.length(chunk) * width);
  });
}

void fill_encoded(const Plan& plan, const OutputInfo& output, Sink& sink, const Threads& threads) {
  const Chunks chunks(output);
  const std::int64_t width = element_size(output.dtype);
  Buffers buffers(threads, std::min(chunks.size, chunks.elements) * width);
  std::vector<std::string> encoded(to_size(threads.count()));
  threads.for_each_ordered(
      chunks.number(),
      [&](std::int64_t chunk, int worker) {
        std::byte* buffer = buffers.of(worker);
        plan.fill(chunks.first(chunk), chunks.length(chunk), buffer);
        if (sink.takes_memory()) return;
        std::string& text = encoded[static_cast<std::size_t>(worker)];
        text.clear();
        sink.encode(chunks.first(chunk), chunks.length(chunk), buffer, text);
      },
      [&](std::int64_t chunk, int worker) {
        if (!sink.takes_memory()) return sink.append(encoded[static_cast<std::size_t>(worker)]);
        sink.append(
            {reinterpret_cast<const char*>(buffers.of(worker)), to_size(chunks.length(chunk) * width)});
      });
}

// A copy of the base straight from where it lies into the file, then the updates in the file's own memory.
void update_elements(const Plan& plan, const OutputInfo& output, const ElementFile& elements,
                     const Threads& threads) {
  const Chunks chunks(output);
  if (chunks.elements == 0) return;
  const std::int64_t width = element_size(output.dtype);
  if (plan.base.data() != nullptr) {
    threads.for_each(chunks.number(), [&](std::int64_t chunk, int /*worker*/) {
      const std::int64_t first = chunks.first(chunk);
      elements.write(first, plan.base.data() + first * width, chunks.length(chunk) * width);
    });
  }
  update(plan, elements.map(), chunks.elements * width, threads);
}

// All that may fail, before the first byte of what cannot be taken back.
void check(const Plan& plan, const OutputInfo& output, const Threads& threads) {
  if (plan.check) return plan.check(threads);
  if (!plan.fill_checks) return;
  const Chunks chunks(output);
  Buffers buffers(threads, std::min(chunks.size, chunks.elements) * element_size(output.dtype));
  threads.for_each(chunks.number(), [&](std::int64_t chunk, int worker) {
    plan.fill(chunks.first(chunk), chunks.length(chunk), buffers.of(worker));
  });
}

void transfer(const Plan& plan, const OutputInfo& output, Sink& sink, const Threads& threads) {
  if (const ElementFile* elements = sink.elements()) {
    fill_elements(plan, output, *elements, threads);
  } else {
    fill_encoded(plan, output, sink, threads);
  }
}

Plan copy_plan(const Tensor& tensor) {
  Plan plan;
  plan.fill = [tensor, width = element_size(tensor.dtype())](std::int64_t first, std::int64_t elements,
                                                             std::byte* out) {
    std::memcpy(out, tensor.data() + first * width, to_size(elements * width));
  };
  return plan;
}

}  // namespace

Tensor execute(const Plan& plan, const OutputInfo& output, std::shared_ptr<const void> owner,
               const Threads& threads) {
  require_possible(output);
  const std::int64_t bytes = count(output.shape) * element_size(output.dtype);
  require_memory(bytes, cat("the result of shape ", to_string(output.shape)));
  // An update changes what is there: all must be known to be well before. A fill goes nowhere before it is
  // whole.
  if (plan.update || !plan.fill_checks) check(plan, output, threads);
  auto storage = std::make_shared<Storage>(bytes);
  storage->keep_alive = std::move(owner);
  if (!plan.update || plan.base.data() != nullptr) fill_memory(plan, output, storage->data(), threads);
  if (plan.update && bytes != 0) update(plan, storage->data(), bytes, threads);
  require_inputs_unchanged();
  return {output.dtype, output.shape, storage};
}

void execute(const Plan& plan, const OutputInfo& output, const Destination& destination,
             const Threads& threads) {
  require_possible(output);
  // How wide NPY has strings is known only when all are there.
  if (output.dtype == DType::string && single_format_of(destination).needs_string_width) {
    return write_tensor(execute(plan, output, nullptr, threads), destination, threads);
  }
  const auto sink = open_sink(destination, output.dtype, output.shape, 0);
  execute(plan, output, *sink, threads);
}

void execute(const Plan& plan, const OutputInfo& output, Sink& sink, const Threads& threads) {
  if (plan.update && sink.elements() != nullptr) {
    check(plan, output, threads);
    update_elements(plan, output, *sink.elements(), threads);
  } else if (!plan.fill) {
    // Updates may go anywhere: what is written from front to end must be whole before.
    transfer(copy_plan(execute(plan, output, nullptr, threads)), output, sink, threads);
  } else {
    if (sink.is_stream() || !plan.fill_checks) check(plan, output, threads);
    transfer(plan, output, sink, threads);
  }
  require_inputs_unchanged();
  sink.commit();
}

std::int64_t string_width(const Tensor& tensor) {
  if (tensor.dtype() != DType::string) return 0;
  return longest_characters({tensor.as<StringRef>(), to_size(tensor.size())});
}

void write_tensor(const Tensor& tensor, Sink& sink, const Threads& threads) {
  transfer(copy_plan(tensor), {tensor.dtype(), tensor.shape()}, sink, threads);
  require_inputs_unchanged();
  sink.commit();
}

void write_tensor(const Tensor& tensor, const Destination& destination, const Threads& threads) {
  write_tensor(tensor, *open_sink(destination, tensor.dtype(), tensor.shape(), string_width(tensor)),
               threads);
}

}  // namespace tensorop
