// Memory for each worker of some threads, made when the worker first needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/threads.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class WorkerBuffers {
 public:
  // Of `bytes` bytes each; `what` they are for, in messages.
  WorkerBuffers(const Threads& threads, std::int64_t bytes, std::string_view what = "a buffer")
      : bytes_(bytes), what_(what), buffers_(static_cast<std::size_t>(threads.count())) {}

  // Throws Error where there is no memory. Each worker its own.
  [[nodiscard]] std::byte* of(std::int64_t worker) {
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
