// Where encoded bytes go: a file, a stream, or a member of an archive. Knows nothing of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/files/output_file.hpp"

namespace tensorop {

// Bytes from front to end. Nothing is visible at the destination before commit(), unless is_stream().
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  // True when written bytes cannot be revoked.
  [[nodiscard]] virtual bool is_stream() const = 0;
  // The file that bytes may be written to at any offset, instead of append(); null where there is none.
  [[nodiscard]] virtual OutputFile* random_access() { return nullptr; }
  // Where in that file the bytes begin.
  [[nodiscard]] virtual std::int64_t offset() const { return 0; }
  // Claims the space for so many bytes of that file, from offset() on. Throws Error when they do not fit.
  virtual void reserve(std::int64_t /*bytes*/) {}
  // Throws Error when this many bytes cannot fit. Called before the first byte.
  virtual void require_space(std::int64_t bytes) const = 0;
  virtual void append(std::span<const std::byte> bytes) = 0;
  // All bytes are there: of a file, on the disk if it is durable.
  virtual void finish() = 0;
  // Publishes a file; a member is published with its archive.
  virtual void commit() {}
};

}  // namespace tensorop
