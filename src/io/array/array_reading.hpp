// How to read the elements of an array in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/files/scratch_file.hpp"
#include "base/process/threads.hpp"
#include "io/array/fortran_order.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct ArrayReading {
  // Elements that cannot be used in place are decoded into memory, or into a mapped temporary file if they
  // have more bytes than this. 0: default_memory().
  std::int64_t memory = 0;
  int memory_sharers = 1;  // concurrent calls, each with an equal share of the memory
  // Makes the temporary file; null: all elements are decoded into memory.
  std::function<ScratchFile(std::int64_t bytes)> scratch = nullptr;
  // Called instead of making a temporary file. If it returns a function, that function takes the elements,
  // and the tensor has none. May be null.
  std::function<WriteBytes(DType dtype, const Shape& shape)> direct = nullptr;
  Threads threads = Threads(1);

  // Whether an array of `bytes` bytes goes to a temporary file.
  [[nodiscard]] bool needs_scratch(std::int64_t bytes) const;
  // Size in bytes of the buffers for writing the temporary file.
  [[nodiscard]] std::int64_t buffer_bytes() const;
};

// Destination of the decoded elements of an array: memory or, if they do not fit there, a temporary file or
// the result (ArrayReading::direct).
class DecodingTarget {
 public:
  // Throws Error if the temporary file cannot be made, MemoryError.
  DecodingTarget(DType dtype, const Shape& shape, const ArrayReading& reading);

  // The memory to fill, or null if the elements go elsewhere through put() and write().
  [[nodiscard]] std::byte* memory() const { return memory_ ? memory_->data() : nullptr; }
  // Calls fill(part) to provide the `bytes` bytes from byte `first` on. `buffer` is used for a file and may
  // be reused between calls. Thread-safe if each thread has its own buffer.
  template <class Fill>
  void put(std::int64_t first, std::int64_t bytes, std::vector<std::byte>& buffer, const Fill& fill) const {
    if (memory_) return fill(std::span(memory_->data() + first, to_size(bytes)));
    buffer.resize(to_size(bytes));
    fill(std::span(buffer));
    write_(first, buffer);
    threads_.advance(bytes);
  }
  [[nodiscard]] const WriteBytes& write() const { return write_; }

  // The tensor of the elements; without elements if they went to the result.
  [[nodiscard]] Tensor tensor() &&;
  // The elements as a mapped file. Not for elements that went to the result.
  [[nodiscard]] std::shared_ptr<const MappedFile> file() &&;

 private:
  DType dtype_;
  Shape shape_;
  std::shared_ptr<Storage> memory_;
  std::unique_ptr<ScratchFile> scratch_;
  WriteBytes write_;
  Threads threads_;
};

// Throws the Error for elements of an unknown dtype.
[[noreturn]] void refuse_unnamed(const std::string& stored);

}  // namespace tensorop
