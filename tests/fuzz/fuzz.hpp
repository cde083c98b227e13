// Shared by the fuzz targets: how a broken promise is told, the bound on memory, and tensors compared.
//
// A target is a function of bytes for libFuzzer (tests/README.md). Whatever they are, the code under test
// returns or throws Error; anything else ends the process, and the fuzzer keeps the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/error.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {
class Archive;
}

namespace tensorop::fuzz {

// A target, which its file fuzz_NAME.cpp adds to the list. What `run` returns is for libFuzzer, and always 0.
class NamedTarget {
 public:
  using Run = int(const std::uint8_t* data, std::size_t size);

  NamedTarget(std::string_view name, Run& run);
};

// Ends the process with `what` on standard error where `holds` is false.
void require(bool holds, std::string_view what);

// While it lives, more memory than an input of `bytes` bytes may cost (64 MiB and 2000 bytes for each of its
// bytes, counted from here on) ends the process where it is asked for. One at a time.
class MemoryBound {
 public:
  explicit MemoryBound(std::size_t bytes);
  ~MemoryBound();
  MemoryBound(const MemoryBound&) = delete;
  MemoryBound& operator=(const MemoryBound&) = delete;
};

// Returns the result of `body`, or nothing if it throws Error.
template <class Body>
auto attempt(Body&& body) -> std::optional<decltype(body())> {
  try {
    return std::forward<Body>(body)();
  } catch (const Failure&) {
    return std::nullopt;
  }
}

// Dtype, shape and every byte.
[[nodiscard]] bool same(const Tensor& a, const Tensor& b);

// Ends the process where the tensor is not what comes back after it was written, as NPY and as JSON.
void require_round_trip(const Tensor& tensor);

// Ends the process where an array is not found by its name, or its description, its header and its elements
// do not agree.
void check_archive(const Archive& archive);

[[nodiscard]] inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace tensorop::fuzz
