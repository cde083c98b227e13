// Reading NPZ archives: zip files whose members are NPY files. io/npz/npz_writer.hpp writes them.
// Owns: which member is which array, and unpacking. Knows nothing of paths. Sources: numpy.savez;
// docs/formats.md.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/files/input_file.hpp"
#include "io/archive.hpp"
#include "io/npy/npy.hpp"
#include "io/npz/zip_directory.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The archive may be hostile: memory is allocated in proportion to the bytes that are present, and sizes that
// it states are checked when its members are read.
class NpzArchive final : public Archive {
 public:
  // Reads the directory. Throws Error as read_zip_directory() does, and for two arrays of one name.
  explicit NpzArchive(std::shared_ptr<const MappedFile> file);

  [[nodiscard]] std::size_t size() const override { return directory_.members.size(); }
  // Whether the member's name ends in ".npy", or it begins as an NPY file.
  [[nodiscard]] bool is_array(std::size_t member) const override { return is_array_[member]; }
  // The name of an array: without ".npy".
  [[nodiscard]] std::string_view name(std::size_t member) const override;
  // The member `name`.npy or, if there is none, the member `name`. A name that is not found so may be that
  // of the bytes in the file.
  [[nodiscard]] std::optional<std::size_t> lookup(std::string_view name) const override;

  // An array stored as in memory stays in the mapping. Its checksum is verified too, except where the header
  // is all that is read.
  [[nodiscard]] Tensor read(std::size_t member, const ArrayReading& reading) const override;
  // Of a deflated member that does not say where its blocks begin.
  [[nodiscard]] bool takes_one_thread(std::size_t member) const override;
  [[nodiscard]] FileInfo describe(std::size_t member) const override;
  // An array is stored or deflated as the one that it replaces is, or as the last one.
  [[nodiscard]] std::unique_ptr<ArchiveWriter> rewrite(const std::string& path, const std::string& name,
                                                       const ArchiveOptions& options) const override;

 private:
  [[nodiscard]] std::span<const std::byte> bytes_of(const ZipMember& member) const;
  [[nodiscard]] bool begins_as_array(const ZipMember& member) const;
  [[nodiscard]] NpyHeader read_header(const ZipMember& member) const;

  std::shared_ptr<const MappedFile> file_;
  ZipDirectory directory_;
  std::vector<bool> is_array_;  // of each member
};

// The library that inflates and deflates, and its version as it runs: "zlib 1.2.13".
[[nodiscard]] std::string compression_library();

// Throws Error for a stream: the directory is at the end.
[[nodiscard]] std::unique_ptr<Archive> open_npz(InputFile& file);

}  // namespace tensorop
