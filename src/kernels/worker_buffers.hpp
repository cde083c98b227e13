// Memory for each worker of some threads, allocated when the worker first needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/process/threads.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class WorkerBuffers {
 public:
  // Buffers of `bytes` bytes each; messages say that they are for `what`.
  WorkerBuffers(const Threads& threads, std::int64_t bytes, std::string_view what = "a buffer")
      : bytes_(bytes), what_(what), buffers_(static_cast<std::size_t>(threads.count())) {}

  // The buffer of a worker; workers may call this at the same time. Throws Error if there is no memory.
  [[nodiscard]] std::byte* buffer_of(std::int64_t worker) {
    auto& buffer = buffers_[static_cast<std::size_t>(worker)];
    if (!buffer) buffer = std::make_unique<Storage>(bytes_, what_);
    return buffer->data();
  }

 private:
  std::int64_t bytes_;
  std::string_view what_;
  std::vector<std::unique_ptr<Storage>> buffers_;
};

}  // namespace tensorop
