// Files as memory.
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
// An access behind the end of a file that has become shorter, or to a page that the file system cannot read
// or write, would end the process by SIGBUS without a message. It ends with a line that names the file, and
// with exit status 2; temporary files are removed, nothing is published.
class Mapping {
 public:
  // No memory.
  Mapping() = default;
  enum class Access : bool { read, write };
  // The first `bytes` bytes of the file `path`, which may be 0. Throws Error "PATH: WHAT: REASON" if it
  // cannot be mapped. The message for SIGBUS is "PATH: ON_FAULT".
  Mapping(int fd, std::int64_t bytes, Access access, const std::string& path, const std::string& what,
          std::string_view on_fault);
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // Of a mapping for writing.
  [[nodiscard]] std::span<std::byte> writable_bytes() const { return bytes_; }

  // Messages of ended processes go to this descriptor instead of standard error. To be called before the
  // first mapping is made.
  static void report_to(int fd);

  struct Slot;

 private:
  std::span<std::byte> bytes_;
  std::unique_ptr<const std::string> line_;  // the signal handler keeps its address
  Slot* slot_ = nullptr;
};

}  // namespace tensorop
