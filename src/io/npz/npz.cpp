// Reading NPZ archives: zip files whose members are NPY files. The directory is read by
// io/npz/zip_directory.cpp, the members' bytes straight from the mapping by io/npz/zip_data.cpp;
// io/npz/npz_writer.hpp writes them. Sources: numpy.savez; docs/formats.md.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/npy/npy.hpp"
#include "io/npz/npz_writer.hpp"
#include "io/npz/zip_data.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kNpyEnding = ".npy";

// The archive may be hostile: memory is allocated in proportion to the bytes that are present, and sizes that
// it states are checked when its members are read.
class NpzArchive final : public Archive {
 public:
  // Reads the directory. A member is an array where its name ends in ".npy", which the name of the array does
  // not have, or it begins as an NPY file. Throws Error as read_zip_directory() does, and for two arrays of
  // one name.
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
      (void)add_member(name, is_array);
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

  // The member `name`.npy or, if there is none, the member `name`. A name that is not found so may be that
  // of the bytes in the file.
  [[nodiscard]] std::optional<std::size_t> lookup(std::string_view name) const override {
    const std::string with_ending = cat(name, kNpyEnding);
    for (const auto* names : {&names_, &stored_names_}) {
      for (const std::string_view wanted : {std::string_view(with_ending), name}) {
        if (const auto found = names->find(wanted); found != names->end()) return found->second;
      }
    }
    return std::nullopt;
  }

  // An array stored as in memory stays in the mapping. Its checksum is verified too, except where the header
  // is all that is read.
  [[nodiscard]] Tensor read(std::size_t position, const ArrayReading& reading) const override {
    const ZipMember& member = directory_.members[position];
    const ByteSource file = unpacked(member);
    if (!file.read && !reading.header_only) require_crc(file.memory, member, reading.threads);
    return read_npy(file, reading);
  }

  [[nodiscard]] bool is_compressed(std::size_t position) const override {
    return directory_.members[position].method != kZipStored;
  }
  [[nodiscard]] FileInfo describe(std::size_t position) const override {
    const ZipMember& member = directory_.members[position];
    FileInfo info = tensorop::describe(read_npy_header(unpacked(member)));
    info.compression = member.method == kZipStored ? "stored" : "deflated";
    return info;
  }

  [[nodiscard]] std::unique_ptr<ArchiveWriter> rewrite(const std::string& path, const std::string& name,
                                                       const ArchiveOptions& options) const override {
    if (const auto old = lookup(name); old && !is_array(*old))
      throw Error(cat(printable(path), ": member ", in_quotes(name), " is not an array"));
    KeptNpz kept{file_, directory_, lookup(name)};
    return write_npz(path,
                     {.compress = compresses(name), .durable = options.durable, .replaced = options.replaced},
                     std::move(kept));
  }

 private:
  // The file that a member is: in the mapping, or inflated as it is read.
  [[nodiscard]] ByteSource unpacked(const ZipMember& member) const {
    const auto bytes = packed_bytes(file_->bytes(), directory_, member);
    if (member.method == kZipStored) {
      if (member.bytes != member.packed_bytes) wrong_size(cat(member.packed_bytes), member.bytes);
      return {nullptr, std::nullopt, bytes, file_};
    }
    return inflated(bytes, member);
  }

  [[nodiscard]] bool begins_as_array(const ZipMember& member) const {
    try {
      const ByteSource file = unpacked(member);
      std::array<std::byte, kNpyMagic.size()> head{};
      if (!file.read) return begins_as_npy(bytes_text(file.memory));
      return begins_as_npy(bytes_text(std::span(head).first(file.read(head))));
    } catch (const Error&) {
      return false;
    }
  }

  std::shared_ptr<const MappedFile> file_;
  ZipDirectory directory_;
  // The members by their whole names; and, where it differs, by the bytes in the file.
  std::unordered_map<std::string_view, std::size_t> names_;
  std::unordered_map<std::string_view, std::size_t> stored_names_;
};

std::unique_ptr<Archive> open_npz(InputFile& file) {
  if (file.mapping()) return std::make_unique<NpzArchive>(file.mapping());
  throw Error("an NPZ archive cannot be read as a stream: its directory is at its end", "",
              "save it to a file first");
}

}  // namespace

std::string_view npz_array_name(std::string_view name) {
  if (name.ends_with(kNpyEnding)) name.remove_suffix(kNpyEnding.size());
  return name;
}

constinit const Format kNpzFormat = {
    .name = "npz",
    .title = "NPZ",
    .article = "an",
    .endings = {".npz"},
    .detect_bytes = kZipDetectBytes,
    .detects = begins_as_zip,
    .is_binary = true,
    .open_archive = open_npz,
    .measure_strings = longest_characters,
    .create_archive = [](const std::string& path,
                         const ArchiveOptions& options) { return write_npz(path, options); },
    .require_name = require_file_name,
    .can_compress = true,
    .unnamed = kSmallTypes,
};

}  // namespace tensorop
