#include "io/opened_file.hpp"

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/files/paths.hpp"
#include "base/files/scratch_file.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/raw/raw.hpp"
#include "io/text/text_tensor.hpp"

namespace tensorop {
namespace {

std::string_view text_of(const InputFile& file) {
  return bytes_text(file.bytes());
}

// Estimates the memory of an archive: its names, and the entry of each member.
std::int64_t bytes_of(const Archive& archive) {
  constexpr std::int64_t kMemberBytes = 256;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < archive.size(); ++i) bytes += kMemberBytes + to_int64(archive.name(i).size());
  return bytes;
}

}  // namespace

void refuse_zarr(const std::string& folder) {
  const auto has = [&](const char* name) { return file_exists(path_from(folder, name)); };
  if (!has("zarr.json") && !has(".zarray") && !has(".zgroup")) return;
  throw Error(cat(printable(folder), ": is a Zarr store"), "",
              "python3 -c 'import zarr, numpy; numpy.save(\"x.npy\", zarr.open(\"FOLDER\", "
              "mode=\"r\")[...])' writes its array to x.npy");
}

std::optional<OpenedFile> open_whole_path(const Operand& operand, const Format* given,
                                          const ArrayReading& reading) {
  const auto* const raw = operand.as<RawBytes>();
  if (raw != nullptr) raw->header.require_valid();
  if (const auto* const abstract = operand.as<AbstractTensor>()) abstract->header.require_valid();
  const bool is_input = operand.is_standard_input();
  const std::string shown = is_input ? "standard input" : operand.path;
  const auto format_of = [&](std::string_view bytes) {
    if (raw != nullptr) return &kRawFormat;
    return with_context(printable(shown), [&] { return &input_format(bytes, shown, given); });
  };
  // A stream is refused early if its beginning shows an error.
  const Format* format = nullptr;
  TextCheck check;
  std::size_t due = 0;  // the next number of bytes to look at
  StreamReading stream;
  stream.enough = [&](std::string_view head) {
    if (raw != nullptr) return raw->header.enough_bytes();
    if (head.size() < due) return StreamReading::kUnknown;
    if (!check) format = format_of(head);
    const bool may_be_strings = given != nullptr && format->is_table;
    if (format->check_text == nullptr || may_be_strings) {
      due = 4 * head.size();
      return format->enough_bytes == nullptr ? StreamReading::kUnknown : format->enough_bytes(head);
    }
    if (!check) check = format->check_text();
    if (const auto checked = check(head)) {
      // A long token that is cut is not read again for each byte of it.
      due = head.size() + (head.size() - *checked);
      return StreamReading::kUnknown;
    }
    if (!format->is_table) return std::int64_t{0};
    // Not left to the reader, to whom these bytes may be all of a table of strings.
    with_context(printable(shown), [&] { return format->read_text(head, {}); });
    due = head.npos;
    return StreamReading::kUnknown;
  };
  stream.spill = [&](std::int64_t bytes) {
    return reading.needs_scratch(bytes) ? std::optional(reading.scratch(bytes)) : std::nullopt;
  };
  std::optional<InputFile> file;
  try {
    file = is_input ? InputFile::standard_input(stream) : InputFile::open_existing(operand.path, stream);
  } catch (const Error&) {
    if (!is_input) refuse_zarr(operand.path);
    throw;
  }
  if (!file) return std::nullopt;
  format = format_of(text_of(*file));
  return OpenedFile{std::move(*file), format, operand};
}

std::optional<OpenedFile> open_archive_path(const Operand& operand) {
  const int reason = errno;
  std::optional<OpenedFile> opened;
  (void)find_member(operand, [&](const std::string& path) {
    // Opening a FIFO, for example, could take data from its other readers.
    if (!is_regular_file(path)) return false;
    InputFile file = InputFile::open(path);
    const Format* const format = detect_format(text_of(file));
    if (format == nullptr || !format->is_archive()) return false;
    opened = OpenedFile{std::move(file), format, operand, operand.path.substr(path.size() + 1)};
    return true;
  });
  errno = reason;
  return opened;
}

OpenedFile open_file(const Operand& operand, const Format* given, const ArrayReading& reading) {
  auto opened = open_whole_path(operand, given, reading);
  if (!opened) opened = open_archive_path(operand);
  if (!opened) refuse_missing(operand);
  return std::move(*opened);
}

void refuse_missing(const Operand& operand) {
  const int reason = errno;
  (void)find_member(operand, [&](const std::string& path) {
    if (is_folder(path)) refuse_zarr(path);
    if (!is_regular_file(path)) return false;
    const InputFile file = InputFile::open(path);
    with_context(printable(path), [&] { refuse_foreign(text_of(file)); });
    const auto archives = format_titles([](const Format& format) { return format.is_archive(); });
    throw Error(cat(printable(operand.path), ": no file has this name, and ", printable(path),
                    " is not an archive (", join(archives), ')'));
  });
  errno = reason;
  try {
    throw_errno(operand.path.empty() ? operand.text : operand.path, "cannot open");
  } catch (const Error& error) {
    throw Error(error.what(), error.rule(), operand_hint(operand));
  }
}

TextSpan text_of(const OpenedFile& opened) {
  return {text_of(opened.file), opened.file.mapping()};
}

std::unique_ptr<Archive> open_archive(const OpenedFile& opened) {
  return with_context(printable(opened.shown()), [&] {
    const auto* const raw = opened.operand.as<RawBytes>();
    return raw != nullptr ? open_raw(opened.file, raw->header) : opened.format->open(opened.file);
  });
}

ArchiveCache::Opened ArchiveCache::open(const OpenedFile& opened) {
  const auto& mapping = opened.file.mapping();
  if (opened.file.is_stream() || !opened.format->is_archive()) return {open_archive(opened), mapping};
  // Other threads wait while an archive is parsed: usually they want the same archive.
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(
      kept_, [&](const Kept& kept) { return kept.opened.mapping->is_same_file(*mapping); });
  if (known != kept_.end()) {
    if (known->opened.mapping->has_content_of(*mapping) && known->opened.archive->is_current()) {
      std::rotate(known, known + 1, kept_.end());
      return kept_.back().opened;
    }
    kept_.erase(known);
  }
  Opened found = {open_archive(opened), mapping};
  kept_.push_back({found, bytes_of(*found.archive)});
  std::int64_t bytes = std::accumulate(kept_.begin(), kept_.end(), std::int64_t{0},
                                       [](std::int64_t sum, const Kept& kept) { return sum + kept.bytes; });
  for (; bytes > memory_; kept_.erase(kept_.begin())) bytes -= kept_.front().bytes;
  return found;
}

std::size_t chosen_member(const OpenedFile& opened, const Archive& archive) {
  return with_context(printable(opened.shown()), [&] {
    if (opened.array) return archive.find(*opened.array);
    if (opened.file.is_stream())
      return archive.only_array("save it to a file: FILE:NAME names one array of it");
    return opened.file.is_standard_input() ? archive.only_array("/dev/stdin:NAME names one array of it")
                                           : archive.only_array();
  });
}

std::string array_path(const OpenedFile& opened, const Archive& archive, std::size_t member) {
  return opened.format->is_archive() ? cat(opened.shown(), ":", archive.name(member)) : opened.shown();
}

std::string array_name(const Operand& operand, ArchiveCache& archives) {
  if (operand.is_tensor() || operand.is_standard_input()) return {};
  if (operand.may_be_json() && !names_file(operand)) return {};
  // Opening a FIFO to inspect it would take data from its reader.
  if (operand.is_path() && !is_other_file(operand.path)) {
    const OpenedFile opened = open_file(operand, &kJsonFormat);
    if (opened.format->is_archive()) {
      const auto archive = archives.open(opened).archive;
      return std::string(archive->name(chosen_member(opened, *archive)));
    }
  }
  const std::string name = operand.path.substr(operand.path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == 0 ? name : name.substr(0, dot);
}

bool names_file(const Operand& operand) {
  if (operand.path.empty()) return false;
  return file_exists(operand.path) || (!operand.may_be_json() && open_archive_path(operand).has_value());
}

}  // namespace tensorop
