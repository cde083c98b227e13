// How the elements of an array of a file are read.
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
#include "base/threads.hpp"
#include "io/array/fortran_order.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct ArrayReading {
  // Elements that cannot be used where they are stored are brought into memory, and into a temporary file,
  // which is mapped, where they have more bytes than this. 0: default_memory().
  std::int64_t memory = 0;
  int memory_sharers = 1;  // calls that run concurrently: each has an equal part of it
  // Makes the temporary file; null where there is none, and all elements are brought into memory.
  std::function<ScratchFile(std::int64_t bytes)> scratch = nullptr;
  // Asked where an array would go to a temporary file. Where it returns a function, that takes the elements
  // instead, and the tensor has none. May be null.
  std::function<WriteBytes(DType dtype, const Shape& shape)> direct = nullptr;
  Threads threads = Threads(1);

  // Whether an array of so many bytes goes to a temporary file.
  [[nodiscard]] bool needs_scratch(std::int64_t bytes) const;
  // The bytes of buffers on the way to it.
  [[nodiscard]] std::int64_t buffer_bytes() const;
};

// Takes the decoded elements of an array: in memory or, if they do not fit there, in a temporary file or in
// the result (ArrayReading::direct).
class DecodingTarget {
 public:
  // Throws Error if the temporary file cannot be made, MemoryError.
  DecodingTarget(DType dtype, const Shape& shape, const ArrayReading& reading);

  // All bytes, to be filled, where they are in memory; else null: put() and write() take them.
  [[nodiscard]] std::byte* memory() const { return memory_ ? memory_->data() : nullptr; }
  // Has fill(part) fill `bytes` bytes from byte `first` on. `buffer`, for a file, is kept between calls. Any
  // number of threads with buffers of their own.
  template <class Fill>
  void put(std::int64_t first, std::int64_t bytes, std::vector<std::byte>& buffer, const Fill& fill) const {
    if (memory_) return fill(std::span(memory_->data() + first, to_size(bytes)));
    buffer.resize(to_size(bytes));
    fill(std::span(buffer));
    write_(first, buffer);
    threads_.advance(bytes);
  }
  [[nodiscard]] const WriteBytes& write() const { return write_; }

  // The tensor of the elements; a header without elements if they went to the result.
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

// Throws the Error of elements of an unknown dtype.
[[noreturn]] void refuse_unnamed(const std::string& stored);

}  // namespace tensorop
