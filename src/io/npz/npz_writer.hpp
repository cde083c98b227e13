// Writing NPZ archives: one member after the other, from front to end, into a file or a stream.
//
// The same arrays give the same bytes on every machine and at every time: members in the order they were
// added, all dated 1980-01-01 00:00 (a zip's earliest), without owner, mode or comment. The data of stored
// members is aligned to 64 bytes, so that it can be mapped. Into a stream, sizes and checksum follow the
// data of each member. Nothing is read back.
//
// Deflated members are written in blocks (io/npz/deflate_queue.hpp); the directory says where each block
// begins (io/npz/block_index.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "io/archive.hpp"
#include "io/npz/deflate_queue.hpp"
#include "io/npz/zip_directory.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class NpzWriter final : public ArchiveWriter {
 public:
  struct Options {
    bool compress = false;  // members deflated instead of stored
    bool durable = false;   // as OutputFile::create() has it
    // That deflate, and the bytes of memory for it.
    int threads = 1;
    std::int64_t memory = std::numeric_limits<std::int64_t>::max();
    // Sizes and offsets from this one on are written in zip64 form. For tests: zip itself counts this far.
    std::int64_t zip64_from = 0xFFFFFFFF;
  };

  // An archive whose members stay but for one, which add() gives: in the place of `replaced`, or the last.
  struct Kept {
    std::shared_ptr<const MappedFile> file;
    ZipDirectory directory;
    std::optional<std::size_t> replaced;
  };

  // `path` as in Destination. Throws Error naming it.
  NpzWriter(const std::string& path, const Options& options, std::optional<Kept> kept = {});

  [[nodiscard]] bool is_stream() const override { return file_.is_stream(); }
  [[nodiscard]] std::unique_ptr<Sink> add(const std::string& name, DType dtype, const Shape& shape,
                                          std::int64_t characters) override;
  void finish() override;
  void commit() override;

 private:
  class StoredMember;
  class DeflatedMember;

  struct Entry {
    std::string name;         // "x.npy"
    std::int64_t offset = 0;  // of its own header in the file
    std::int64_t bytes = 0;
    std::int64_t packed_bytes = 0;
    std::uint32_t crc = 0;
    bool in_zip64 = false;              // its own header has room for 64-bit sizes
    std::vector<std::uint32_t> blocks;  // packed bytes of each
  };

  [[nodiscard]] std::string local_header(const Entry& entry, bool complete) const;
  [[nodiscard]] std::string descriptor(const Entry& entry) const;
  [[nodiscard]] std::string directory_entry(const Entry& entry) const;
  [[nodiscard]] std::string end_of_directory(std::int64_t offset, std::int64_t bytes) const;
  [[nodiscard]] unsigned flags(const Entry& entry) const;
  [[nodiscard]] std::int64_t limited(std::int64_t size) const;
  [[nodiscard]] std::string moved_entry(const ZipMember& member, std::int64_t offset) const;
  void copy_first_kept(std::string& name);
  void copy_last_kept();
  void copy_kept(std::int64_t first, std::int64_t end);
  void begin(Entry& entry);
  void end(const Entry& entry);
  void take(const DeflatedBlock& block);
  void append(std::span<const std::byte> bytes);

  OutputFile file_;
  Options options_;
  std::optional<Kept> kept_;
  std::int64_t last_kept_ = 0;  // offset of the first kept member behind the one that is replaced
  std::int64_t moved_by_ = 0;   // these
  std::int64_t written_ = 0;
  std::vector<Entry> entries_;  // in order
  std::size_t complete_ = 0;    // entries that are written
  bool is_finished_ = false;
  DeflateQueue queue_;
};

// Format::create_archive of NPZ.
[[nodiscard]] std::unique_ptr<ArchiveWriter> create_npz(const std::string& path,
                                                        const ArchiveOptions& options);

}  // namespace tensorop
