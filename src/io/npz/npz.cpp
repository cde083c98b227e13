// Reads NPZ archives: ZIP files whose members are NPY files. io/npz/zip_directory.cpp reads the directory,
// io/npz/zip_data.cpp reads the members' bytes directly from the mapping; io/npz/npz_writer.hpp writes
// archives. Sources: numpy.savez; docs/formats.md.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"
#include "io/npy/npy.hpp"
#include "io/npz/kept_members.hpp"
#include "io/npz/npz_writer.hpp"
#include "io/npz/zip_data.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kNpyEnding = ".npy";

// The archive may be malicious: memory is allocated in proportion to the bytes that are present, and sizes
// that the archive declares are checked when its members are read.
class NpzArchive final : public Archive {
 public:
  // Reads the directory. A member is an array if its name ends in ".npy", which is not part of the array's
  // name, or if it begins as an NPY file. Throws Error as read_zip_directory() does, and for duplicate array
  // names.
  explicit NpzArchive(std::shared_ptr<const MappedFile> file)
      : file_(std::move(file)), directory_(read_zip_directory(file_->bytes())) {
    comment_ = bytes_text(directory_.comment);
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < directory_.members.size(); ++i) {
      const ZipMember& member = directory_.members[i];
      names_.emplace(member.name, i);
      if (member.stored_name != member.name) stored_names_.emplace(member.stored_name, i);
      const std::string_view name = npz_array_name(member.name);
      const bool is_array = name != member.name || begins_as_array(member);
      (void)add_member(name, is_array, member.method != kZipStored);
      if (is_array) names.push_back(name);
    }
    const bool has_arrays = !names.empty();
    if (const auto twice = find_duplicate(std::move(names))) {
      throw Error(cat("two arrays have the name ", in_quotes(*twice)));
    }
    const bool is_torch = !has_arrays && std::ranges::any_of(directory_.members, [](const ZipMember& member) {
      return member.name.ends_with("/data.pkl");
    });
    if (is_torch) throw Error("is a file of PyTorch, not an NPZ archive", "", std::string(kTorchHint));
  }

  // The member `name`.npy, else the member `name`, else the member whose name has these bytes in the file.
  [[nodiscard]] std::optional<std::size_t> lookup(std::string_view name) const override {
    const std::string with_ending = cat(name, kNpyEnding);
    for (const auto* names : {&names_, &stored_names_}) {
      for (const std::string_view wanted : {std::string_view(with_ending), name}) {
        if (const auto found = names->find(wanted); found != names->end()) return found->second;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] ArrayEntry make_entry(std::size_t position) const override {
    const ZipMember& member = directory_.members[position];
    const auto bytes = packed(member);
    const bool is_stored = member.method == kZipStored;
    ArrayEntry out = is_stored ? stored_entry(bytes, member)
                               : read_npy_header(npy_front(inflated(bytes, member)), member.bytes);
    out.owner = file_;
    out.compression = is_stored ? "stored" : "deflated";
    return out;
  }

  [[nodiscard]] ZipFile zip_file() const { return {file_, &directory_}; }

 private:
  [[nodiscard]] ArrayEntry stored_entry(std::span<const std::byte> bytes, const ZipMember& member) const {
    try {
      return npy_entry(bytes, file_);
    } catch (const Error&) {
      require_crc(bytes, member, Threads(1));  // report damage before its effect on the header
      throw;
    }
  }
  // The bytes of a member in the archive; if it is stored, these are the bytes of its file.
  [[nodiscard]] std::span<const std::byte> packed(const ZipMember& member) const {
    const auto bytes = packed_bytes(file_->bytes(), directory_, member);
    if (member.method == kZipStored && member.bytes != member.packed_bytes)
      wrong_size(cat(member.packed_bytes), member.bytes);
    return bytes;
  }

  // Verifies the checksum of a stored member.
  [[nodiscard]] Tensor decode(const ArrayEntry& array, const ArrayReading& reading) const override {
    const ZipMember& member = directory_.members[array.member];
    const auto bytes = packed(member);
    if (member.method == kZipStored) {
      require_crc(bytes, member, reading.threads);
      return read_stored(array, reading);
    }
    const ReadBytes inflate = inflated(bytes, member);
    std::vector<std::byte> header(to_size(array.offset));
    (void)inflate(header);
    return read_elements(array, inflate, reading);
  }

  // Reads the array of a deflated member whose header has been inflated.
  static Tensor read_elements(ArrayEntry array, const ReadBytes& inflate, const ArrayReading& reading) {
    const std::int64_t size = array.bytes;
    // Inflates one block first: data shorter than declared is reported as such, not as out of memory.
    constexpr std::int64_t kBlock = 1 << 20;
    std::vector<std::byte> begin(to_size(std::min(kBlock, size)));
    (void)inflate(begin);
    ArrayReading own = reading;
    if (!is_plain(array)) own.direct = nullptr;
    DecodingTarget target = is_plain(array) ? DecodingTarget(*array.dtype, array.shape, own)
                                            : DecodingTarget(DType::uint8, {size}, own);
    std::vector<std::byte> buffer;
    for (std::int64_t done = 0; done < size; done += kBlock) {
      target.put(done, std::min(kBlock, size - done), buffer, [&](std::span<std::byte> part) {
        done == 0 ? void(std::ranges::copy(begin, part.begin())) : void(inflate(part));
      });
    }
    // Inflating beyond the last element detects extra bytes and verifies the checksum.
    std::byte extra{};
    (void)inflate({&extra, 1});
    if (is_plain(array)) return std::move(target).tensor();
    array.owner = std::move(target).file();
    array.offset = 0;
    return read_stored(array, reading);
  }

  [[nodiscard]] bool begins_as_array(const ZipMember& member) const {
    try {
      const auto bytes = packed(member);
      if (member.method == kZipStored) return begins_as_npy(bytes_text(bytes));
      std::array<std::byte, kNpyMagic.size()> head{};
      return begins_as_npy(bytes_text(std::span(head).first(inflated(bytes, member)(head))));
    } catch (const Error&) {
      return false;
    }
  }

  std::shared_ptr<const MappedFile> file_;
  ZipDirectory directory_;
  // Members by full name; and by the bytes in the file if these differ from the name.
  std::unordered_map<std::string_view, std::size_t> names_;
  std::unordered_map<std::string_view, std::size_t> stored_names_;
};

}  // namespace

ZipFile zip_file_of(const Archive& archive) {
  return dynamic_cast<const NpzArchive&>(archive).zip_file();
}

std::string_view npz_array_name(std::string_view name) {
  if (name.ends_with(kNpyEnding)) name.remove_suffix(kNpyEnding.size());
  return name;
}

constinit const Format kNpzFormat = {
    .name = "npz",
    .title = "NPZ",
    .article = "an",
    .endings = {".npz"},
    .detects = begins_as_zip,
    .is_binary = true,
    .has_arrays = true,
    .open = [](const InputFile& file) -> std::unique_ptr<Archive> {
      return std::make_unique<NpzArchive>(file.mapping());
    },
    .measure_strings = longest_characters,
    .create_archive = [](const std::string& path,
                         const ArchiveOptions& options) { return write_npz(path, options); },
    .require_name = require_file_name,
    .least_bytes = npz_bytes,
    .array_name = npz_array_name,
    .can_compress = true,
    .unnamed = kSmallTypes,
};

}  // namespace tensorop
