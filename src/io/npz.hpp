// NPZ archives: zip files whose members are NPY files. Reading; io/npz_writer.hpp writes.
// Owns: which member is which array, and unpacking. Knows nothing of paths. Sources: numpy.savez;
// docs/formats.md.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.hpp"
#include "io/npy.hpp"
#include "io/zip_directory.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// What a member is called as an array: without ".npy".
[[nodiscard]] std::string_view array_of(const ZipMember& member);
[[nodiscard]] bool is_array(const ZipMember& member);

// The archive is hostile until shown otherwise: memory is taken in proportion to the bytes that are really
// there, and what is not read is not believed.
class NpzArchive {
 public:
  // Reads the directory. Throws Error as read_zip_directory() does.
  explicit NpzArchive(std::shared_ptr<const MappedFile> file);

  // In the archive's order. Members that are no NPY files are among them.
  [[nodiscard]] const std::vector<ZipMember>& members() const { return directory_.members; }
  // The member `name`.npy or, where there is none, the one called exactly that. Throws Error with what there
  // is as a hint.
  [[nodiscard]] const ZipMember& find(std::string_view name) const;
  // The one array. Throws Error when there is none, or more than one.
  [[nodiscard]] const ZipMember& only() const;

  // The array of a member. A stored one that lies as memory wants it stays in the mapping; its checksum is
  // compared all the same, but not with `header_only`, which reads no further than the header. Throws Error,
  // without the member's name.
  [[nodiscard]] Tensor read(const ZipMember& member, bool header_only) const;
  [[nodiscard]] NpyHeader read_header(const ZipMember& member) const;

 private:
  [[nodiscard]] std::string list_arrays() const;
  [[nodiscard]] std::span<const std::byte> bytes_of(const ZipMember& member) const;

  std::shared_ptr<const MappedFile> file_;
  ZipDirectory directory_;
};

}  // namespace tensorop
