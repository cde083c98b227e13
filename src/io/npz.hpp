// NPZ archives: zip files whose members are NPY files.
// Owns: a zip's directory and what is believed of it. Knows nothing of paths. Sources: PKWARE's APPNOTE.TXT,
// sections 4.3 to 4.5; numpy.savez; docs/formats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.hpp"
#include "io/npy.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// True when the first bytes of a file are those of a zip, empty ones included.
[[nodiscard]] bool begins_as_zip(std::string_view head);

// One file in the archive, as the archive's directory describes it. Nothing of it is checked against the
// file.
struct NpzMember {
  std::string name;               // "x.npy"
  std::int64_t packed_bytes = 0;  // as it lies in the archive
  std::uint64_t bytes = 0;        // unpacked
  std::uint32_t crc = 0;          // of the unpacked bytes
  int method = 0;                 // 0 is stored, 8 deflated
  bool is_encrypted = false;
  std::uint64_t directory_place = 0;  // of its entry, for the zip library
  std::uint64_t number = 0;

  // What the array is called: the name without ".npy".
  [[nodiscard]] std::string_view array() const;
  [[nodiscard]] bool is_array() const { return name.ends_with(".npy"); }
};

// The archive is hostile until shown otherwise: memory is taken in proportion to the bytes that are really
// there, every place is checked against the mapping before it is read, and what is not read is not believed.
class NpzArchive {
 public:
  // Reads the directory. Throws Error when there is none, when it is malformed, claims more than the file
  // holds, or has a name twice.
  explicit NpzArchive(std::shared_ptr<const MappedFile> file);
  ~NpzArchive();
  NpzArchive(NpzArchive&&) noexcept;
  NpzArchive& operator=(NpzArchive&&) = delete;
  NpzArchive(const NpzArchive&) = delete;
  NpzArchive& operator=(const NpzArchive&) = delete;

  // In the archive's order. Members that are no NPY files are among them.
  [[nodiscard]] const std::vector<NpzMember>& members() const { return members_; }
  // The member `name`.npy or, where there is none, the one called exactly that. Throws Error with what there
  // is as a hint.
  [[nodiscard]] const NpzMember& find(std::string_view name) const;
  // The one array. Throws Error when there is none, or more than one.
  [[nodiscard]] const NpzMember& only() const;

  // The array of a member. A stored one that lies as memory wants it stays in the mapping; its checksum is
  // compared all the same, but not with `header_only`, which reads no further than the header. Throws Error,
  // without the member's name.
  [[nodiscard]] Tensor read(const NpzMember& member, bool header_only) const;
  [[nodiscard]] NpyHeader read_header(const NpzMember& member) const;

 private:
  struct Zip;

  void read_directory();
  void require_plausible() const;
  [[nodiscard]] std::string list_arrays() const;
  // The member as it lies in the archive. Throws Error for what cannot be read.
  [[nodiscard]] std::span<const std::byte> packed(const NpzMember& member) const;

  std::shared_ptr<const MappedFile> file_;
  std::unique_ptr<Zip> zip_;
  std::vector<NpzMember> members_;
};

}  // namespace tensorop
