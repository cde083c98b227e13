#include "io/safetensors/shard_index.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "io/format.hpp"
#include "io/json/json_cursor.hpp"
#include "io/json/json_text.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kMap = "weight_map";

// Which file each array is in, in the order of the index.
struct IndexEntry {
  std::string name;
  std::string file;
};

void read_map(JsonCursor& in, std::vector<IndexEntry>& entries) {
  while (in.next_member()) {
    IndexEntry& entry = entries.emplace_back();
    entry.name = in.text();
    if (in.value() != JsonKind::string)
      throw Error(cat("the file of array ", in_quotes(entry.name), " is not a string"));
    entry.file = in.text();
    const bool is_elsewhere = entry.file.empty() || entry.file == "." || entry.file == ".." ||
                              entry.file.find('/') != std::string::npos ||
                              entry.file.find('\0') != std::string::npos;
    if (is_elsewhere)
      throw Error(cat("array ", in_quotes(entry.name), " is in ", in_quotes(entry.file),
                      ", which is not a file of the index's folder"));
  }
}

std::vector<IndexEntry> read_index(std::string_view text) {
  std::vector<IndexEntry> entries;
  JsonText whole(JsonSpan{text});
  JsonCursor in(whole);
  bool has_map = false;
  if (in.value() != JsonKind::object) throw Error("is not a JSON object");
  while (in.next_member()) {
    const bool is_map = in.text() == kMap;
    const JsonKind kind = in.value();
    if (is_map && (kind != JsonKind::object || std::exchange(has_map, true)))
      throw Error("key \"weight_map\" must be one object of names and files");
    if (is_map) {
      read_map(in, entries);
    } else if (!in.skip_rest(kind, kDeepestJson)) {
      throw Error(cat("more than ", kDeepestJson, " lists and objects within each other"));
    }
  }
  in.require_end("the end of the index");
  if (!has_map) throw Error("key \"weight_map\" is missing");
  return entries;
}

}  // namespace

bool begins_as_shard_index(std::string_view head) {
  head = after_blanks(head.substr(0, kShardIndexDetectBytes));
  if (!head.starts_with('{')) return false;
  constexpr std::string_view kKey = "\"weight_map\"";
  const std::size_t at = head.find(kKey);
  return at != std::string_view::npos && after_blanks(head.substr(at + kKey.size())).starts_with(':');
}

ShardedArchive::ShardedArchive(const InputFile& index) {
  const std::vector<IndexEntry> entries = read_index(bytes_text(index.mapping()->bytes()));
  const std::string folder = directory_of(index.name());
  std::unordered_map<std::string_view, std::size_t> shards;
  for (const IndexEntry& entry : entries) {
    if (shards.emplace(entry.file, shards_.size()).second) open_shard(folder, entry.file);
  }
  // Where each array is that a shard holds; those that the index does not name are left out.
  std::unordered_map<std::string_view, Member> held;
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
    for (std::size_t i = 0; i < shards_[shard].archive->size(); ++i) {
      const auto [there, is_new] = held.try_emplace(shards_[shard].archive->name(i), Member{shard, i});
      if (is_new) continue;
      throw Error(cat(printable(shards_[there->second.shard].file), " and ", printable(shards_[shard].file),
                      " both hold array ", in_quotes(there->first)));
    }
  }
  for (const IndexEntry& entry : entries) {
    const auto there = held.find(entry.name);
    if (there == held.end() || shards_[there->second.shard].file != entry.file)
      throw Error(cat(printable(entry.file), " holds no array ", in_quotes(entry.name),
                      ", which the index has there"));
    if (!positions_.emplace(there->first, members_.size()).second)
      throw Error(cat("array ", in_quotes(entry.name), " is duplicated"));
    members_.push_back(there->second);
  }
  std::vector<std::string> others;
  for (const auto& [name, member] : held) {
    if (!positions_.contains(name)) others.emplace_back(name);
  }
  std::ranges::sort(others);
  if (!others.empty())
    warnings_.push_back(
        cat("arrays that the index does not name are left out: ", list_names(std::move(others))));
  join_metadata();
}

void ShardedArchive::open_shard(const std::string& folder, std::string file) {
  const std::string path = path_from(folder, file);
  with_context(printable(file), [&] {
    // Opening a FIFO would wait for its writer.
    struct stat info {};
    if (os().stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) throw Error("is not a regular file");
  });
  InputFile opened = InputFile::open(path);
  with_context(printable(file), [&] {
    if (!opened.mapping()) throw Error("is empty, not a safetensors file");
    auto archive = std::make_unique<SafetensorsArchive>(opened);
    for (const std::string& line : archive->warnings()) warnings_.push_back(cat(printable(file), ": ", line));
    shards_.push_back({std::move(file), opened.mapping(), std::move(archive)});
  });
}

void ShardedArchive::join_metadata() {
  std::unordered_map<std::string_view, std::string_view> known;
  std::unordered_set<std::string_view> different;
  for (const Shard& shard : shards_) {
    for (const auto& [key, value] : shard.archive->metadata()) {
      const auto [there, is_new] = known.try_emplace(key, value);
      if (!is_new && there->second != value) different.insert(key);
    }
  }
  for (const Shard& shard : shards_) {
    for (const auto& [key, value] : shard.archive->metadata()) {
      if (known.erase(key) != 0 && !different.contains(key)) metadata_.emplace_back(key, value);
    }
  }
}

std::string_view ShardedArchive::name(std::size_t member) const {
  return shards_[members_[member].shard].archive->name(members_[member].position);
}

std::optional<std::size_t> ShardedArchive::lookup(std::string_view name) const {
  const auto found = positions_.find(name);
  return found == positions_.end() ? std::nullopt : std::optional(found->second);
}

bool ShardedArchive::is_current() const {
  return std::ranges::all_of(shards_, [](const Shard& shard) { return shard.mapping->is_current(); });
}

Tensor ShardedArchive::read(std::size_t member, const ArrayReading& reading) const {
  const Shard& shard = shards_[members_[member].shard];
  const Tensor tensor = shard.archive->read(members_[member].position, reading);
  const auto bytes = shard.mapping->bytes();
  const bool is_there = tensor.data() >= bytes.data() && tensor.data() < bytes.data() + bytes.size();
  // The caller knows the index, and not the file that the elements are in.
  if (is_there) return {tensor.dtype(), tensor.shape(), shard.mapping, tensor.data() - bytes.data()};
  // Elements that were brought elsewhere are compared with the file no more.
  if (!reading.header_only) shard.mapping->require_unchanged();
  return tensor;
}

FileInfo ShardedArchive::describe(std::size_t member) const {
  const Shard& shard = shards_[members_[member].shard];
  FileInfo info = shard.archive->describe(members_[member].position);
  info.file = shard.file;
  return info;
}

std::unique_ptr<ArchiveWriter> ShardedArchive::rewrite(const std::string& path, const std::string& name,
                                                       const ArchiveOptions& options) const {
  const auto member = lookup(name);
  if (!member) {
    throw Error(cat(printable(path), ": names no array ", in_quotes(name)), "",
                "an index takes no new arrays: SHARD:NAME adds one to a file");
  }
  const Shard& shard = shards_[members_[*member].shard];
  return shard.archive->rewrite(path_from(directory_of(path), shard.file), name, options);
}

namespace {

std::unique_ptr<Archive> open_sharded(InputFile& file) {
  if (file.mapping()) return std::make_unique<ShardedArchive>(file);
  throw Error("an index cannot be read as a stream: the files that it names are beside it");
}

}  // namespace

constinit const Format kShardIndexFormat = {
    .name = "safetensors-index",
    .title = "safetensors index",
    .article = "a",
    .endings = {".safetensors.index.json"},
    .detect_bytes = kShardIndexDetectBytes,
    .detects = begins_as_shard_index,
    .may_be = [](std::string_view head) { return after_blanks(head).starts_with('{'); },
    .is_unlisted = true,
    .open_archive = open_sharded,
};

}  // namespace tensorop
