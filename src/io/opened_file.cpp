#include "io/opened_file.hpp"

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/files/scratch_file.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "io/json/json_cursor.hpp"
#include "io/text/text_tensor.hpp"

namespace tensorop {
namespace {

std::string_view text_of(const InputFile& file) {
  return bytes_text(file.bytes());
}

// Opens a file by open(reading) and detects its format. A stream is refused early if its beginning shows an
// error.
template <class Open>
std::optional<OpenedFile> detect(const std::string& path, const Format* given, const ArrayReading& reading,
                                 std::optional<RawHeader> raw, const Open& open) {
  std::string shown = path == "-" ? "standard input" : path;
  const auto format_of = [&](std::string_view bytes) -> const Format& {
    if (raw) return kRawFormat;
    return with_context(printable(shown),
                        [&]() -> const Format& { return input_format(bytes, shown, given); });
  };
  StreamReading stream;
  stream.enough = [&](std::string_view head) {
    if (raw) return raw->enough_bytes();
    const Format& format = format_of(head);
    if (format.enough_bytes == nullptr || (given != nullptr && is_table(format)))
      return StreamReading::kUnknown;
    const std::int64_t enough = format.enough_bytes(head);
    // Not left to the reader, to whom these bytes may be all of a table of strings.
    if (enough == 0 && is_table(format))
      with_context(printable(shown), [&] { return format.read_text(head, {}); });
    return enough;
  };
  stream.spill = [&](std::int64_t bytes) {
    return reading.needs_scratch(bytes) ? std::optional(reading.scratch(bytes)) : std::nullopt;
  };
  std::optional<InputFile> file = open(stream);
  if (!file) return std::nullopt;
  const Format& format = format_of(text_of(*file));
  return OpenedFile{std::move(*file), &format, std::move(shown), std::nullopt, std::move(raw)};
}

// Estimates the memory of an archive: its names, and the entry of each member.
std::int64_t bytes_of(const Archive& archive) {
  constexpr std::int64_t kMemberBytes = 256;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < archive.size(); ++i) bytes += kMemberBytes + to_int64(archive.name(i).size());
  return bytes;
}

// 2024-05-01 and 010 are file names.
bool is_json_number(std::string_view text) {
  const auto [length, missing] = json_number(text);
  return missing.empty() && length == text.size();
}

}  // namespace

void refuse_zarr(const std::string& folder) {
  const auto has = [&](const char* name) { return file_exists(path_from(folder, name)); };
  if (!has("zarr.json") && !has(".zarray") && !has(".zgroup")) return;
  throw Error(cat(printable(folder), ": is a Zarr store"), "",
              "python3 -c 'import zarr, numpy; numpy.save(\"x.npy\", zarr.open(\"FOLDER\", "
              "mode=\"r\")[...])' writes its array to x.npy");
}

std::optional<OpenedFile> open_whole_path(const std::string& path, const Format* given,
                                          const ArrayReading& reading) {
  std::optional<RawHeader> raw = parse_raw(path);
  if (raw && raw->path.empty()) raw.reset();
  const std::string file = raw ? raw->path : path;
  return detect(file, given, reading, std::move(raw),
                [&](const StreamReading& stream) -> std::optional<InputFile> {
                  if (file == "-") return InputFile::standard_input(stream);
                  try {
                    return InputFile::open_existing(file, stream);
                  } catch (const Error&) {
                    refuse_zarr(file);
                    throw;
                  }
                });
}

std::optional<OpenedFile> open_archive_path(const std::string& path) {
  const int reason = errno;
  for (auto& [archive, name] : split_names(path)) {
    // Opening a FIFO, for example, could take data from its other readers.
    if (!is_regular_file(archive)) continue;
    InputFile file = InputFile::open(archive);
    const Format* const format = detect_format(text_of(file));
    if (format == nullptr || !format->is_archive()) continue;
    return OpenedFile{std::move(file), format, std::move(archive), std::move(name)};
  }
  errno = reason;
  return std::nullopt;
}

OpenedFile open_file(const std::string& path, const Format* given, const ArrayReading& reading) {
  auto opened = open_whole_path(path, given, reading);
  if (!opened) opened = open_archive_path(path);
  if (!opened) refuse_missing(path);
  return std::move(*opened);
}

void refuse_missing(const std::string& path) {
  const int reason = errno;
  if (const std::string_view raw = raw_path(path); !raw.empty()) throw_errno(std::string(raw), "cannot open");
  for (const auto& [before, name] : split_names(path)) {
    if (is_folder(before)) refuse_zarr(before);
    if (!is_regular_file(before)) continue;
    const InputFile file = InputFile::open(before);
    with_context(printable(before), [&] { refuse_foreign(text_of(file)); });
    const auto archives = format_titles([](const Format& format) { return format.is_archive(); });
    throw Error(cat(printable(path), ": no file has this name, and ", printable(before),
                    " is not an archive (", join(archives), ')'));
  }
  errno = reason;
  throw_errno(path, "cannot open");
}

TextSpan text_of(const OpenedFile& opened) {
  return {text_of(opened.file), opened.file.mapping()};
}

std::unique_ptr<Archive> open_archive(const OpenedFile& opened) {
  return with_context(printable(opened.shown), [&] {
    return opened.raw ? open_raw(opened.file, *opened.raw) : opened.format->open(opened.file);
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
  return with_context(printable(opened.shown), [&] {
    if (opened.array) return archive.find(*opened.array);
    if (opened.file.is_stream()) return archive.only("save it to a file: FILE:NAME names one array of it");
    return opened.file.is_standard_input() ? archive.only("/dev/stdin:NAME names one array of it")
                                           : archive.only();
  });
}

std::string array_path(const OpenedFile& opened, const Archive& archive, std::size_t member) {
  return opened.format->is_archive() ? cat(opened.shown, ":", archive.name(member)) : opened.shown;
}

std::string array_name(const std::string& text, ArchiveCache& archives) {
  if (is_standard_input(text) || is_inline_json(text) || (!names_file(text) && looks_like_json(text)))
    return {};
  // Opening a FIFO to inspect it would take data from its reader.
  const std::string_view raw = raw_path(text);
  if (raw.empty() && !is_other_file(text)) {
    const OpenedFile opened = open_file(text, &kJsonFormat);
    if (opened.format->is_archive()) {
      const auto archive = archives.open(opened).archive;
      return std::string(archive->name(chosen_member(opened, *archive)));
    }
  }
  const std::string path = raw.empty() ? text : std::string(raw);
  const std::string file = path.substr(path.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  return dot == 0 ? file : file.substr(0, dot);
}

bool is_standard_input(std::string_view text) {
  return text == "-" || raw_path(text) == "-";
}

bool names_file(const std::string& text) {
  if (is_inline_json(text)) return false;
  if (const std::string_view raw = raw_path(text); !raw.empty()) return file_exists(std::string(raw));
  return file_exists(text) || (!looks_like_json(text) && open_archive_path(text).has_value());
}

bool is_inline_json(std::string_view text) {
  const std::string_view value = trimmed(text);
  const auto is_within = [&](char first, char last) {
    return value.size() > 1 && value.front() == first && value.back() == last;
  };
  return is_within('[', ']') || is_within('{', '}') || is_within('"', '"') || value == "true" ||
         value == "false" || is_json_number(value);
}

// 2024.npy is a file: the whole text must be a number.
bool looks_like_json(std::string_view text) {
  const std::string_view value = trimmed(text);
  if (value.empty()) return false;
  if (value[0] == '[' || value[0] == '{' || value[0] == '"') return true;
  if (value == "true" || value == "false") return true;
  const bool is_number = value[0] == '-' || (value[0] >= '0' && value[0] <= '9');
  return is_number && value.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

}  // namespace tensorop
