// How the elements of an array of a file are read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/files/scratch_file.hpp"
#include "base/threads.hpp"
#include "io/array/fortran_order.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

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

// Throws the Error of elements of an unknown dtype.
[[noreturn]] void refuse_unnamed(const std::string& stored);

}  // namespace tensorop
