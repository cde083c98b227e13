// Files mapped into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tensorop {

// A file as shared memory, page-aligned, unmapped by the destructor.
//
// An access beyond the end of a file that was truncated, or to a page with an I/O error, raises SIGBUS. The
// process then prints a line that names the file, removes temporary files, publishes nothing, and exits with
// status 2.
class Mapping {
 public:
  // An empty mapping.
  Mapping() = default;
  enum class Access : bool { read, write };
  // Maps the first `bytes` bytes (may be 0) of the file `path`. Throws Error "PATH: WHAT: REASON" if it
  // cannot be mapped. The message for SIGBUS is "PATH: ON_FAULT".
  Mapping(int fd, std::int64_t bytes, Access access, const std::string& path, const std::string& what,
          std::string_view on_fault);
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // The bytes of a mapping with Access::write.
  [[nodiscard]] std::span<std::byte> writable_bytes() const { return bytes_; }

  // Sends the messages for SIGBUS to this descriptor instead of standard error. Call before the first mapping
  // is made.
  static void report_to(int fd);

  struct Slot;

 private:
  std::span<std::byte> bytes_;
  std::unique_ptr<const std::string> line_;  // at a fixed address, which the signal handler reads
  Slot* slot_ = nullptr;
};

}  // namespace tensorop
