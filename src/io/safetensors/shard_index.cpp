// Models in several safetensors files (shards), combined into one archive by an index: JSON that names the
// shard of each array. All other facts of an array come from its shard. Source: huggingface/transformers and
// huggingface_hub, save_pretrained(); docs/formats.md.
//
//     {"metadata":{"total_size":N},"weight_map":{NAME:FILE,..}}
#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/json/json_cursor.hpp"
#include "io/json/json_reader.hpp"
#include "io/safetensors/shard_index.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kMap = "weight_map";

void read_map(JsonCursor& in, std::vector<ShardEntry>& entries) {
  while (in.next_member()) {
    ShardEntry& entry = entries.emplace_back();
    entry.name = in.text();
    if (in.value() != JsonKind::string)
      throw Error(cat("the file of array ", in_quotes(entry.name), " is not a string"));
    entry.file = in.text();
    while (entry.file.starts_with("./")) entry.file.erase(0, 2);
    const bool is_elsewhere = entry.file.empty() || entry.file == "." || entry.file == ".." ||
                              entry.file.find('/') != std::string::npos ||
                              entry.file.find('\0') != std::string::npos;
    if (is_elsewhere)
      throw Error(cat("array ", in_quotes(entry.name), " is in ", in_quotes(entry.file),
                      ", which is not a file of the index's folder"));
  }
}

}  // namespace

std::vector<ShardEntry> read_shard_index(std::string_view text) {
  std::vector<ShardEntry> entries;
  JsonCursor in(text);
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

bool begins_as_shard_index(std::string_view head) {
  if (!after_blanks(head).starts_with('{')) return false;
  try {
    JsonCursor in(head);
    (void)in.value();
    while (in.next_member()) {
      if (in.text() == kMap) return true;
      if (std::ranges::find(kTensorKeys, in.text()) != kTensorKeys.end()) return false;
      if (!in.skip_rest(in.value(), kDeepestJson)) return false;
    }
  } catch (const Error&) {  // the reader of JSON reports it
  }
  return false;
}

namespace {

// All members are arrays, in the order of the index. Metadata: the shards' metadata; keys with different
// values are dropped.
class ShardedArchive final : public Archive {
 public:
  // Reads the index and the headers of all shards, which must be in the folder of the index. Throws Error if
  // a shard is missing or outside the folder, or if an array is in no shard, in a different shard, or in two.
  // Time and memory are proportional to index and headers.
  explicit ShardedArchive(const InputFile& index) {
    const std::vector<ShardEntry> entries = read_shard_index(bytes_text(index.bytes()));
    const std::string folder = directory_of(index.name());
    std::unordered_map<std::string_view, std::size_t> shards;
    for (const ShardEntry& entry : entries) {
      if (shards.emplace(entry.file, shards_.size()).second) open_shard(folder, entry.file);
    }
    // The place of each array in the shards, also of arrays that the index does not name.
    std::unordered_map<std::string_view, Place> held;
    for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
      for (std::size_t i = 0; i < shards_[shard].archive->size(); ++i) {
        const auto [there, is_new] = held.try_emplace(shards_[shard].archive->name(i), Place{shard, i});
        if (is_new) continue;
        throw Error(cat(printable(shards_[there->second.shard].file), " and ", printable(shards_[shard].file),
                        " both hold array ", in_quotes(there->first)));
      }
    }
    for (const ShardEntry& entry : entries) {
      const auto there = held.find(entry.name);
      if (there == held.end() || shards_[there->second.shard].file != entry.file)
        throw Error(cat(printable(entry.file), " holds no array ", in_quotes(entry.name),
                        ", which the index has there"));
      if (!add_member(there->first)) throw Error(cat("array ", in_quotes(entry.name), " is duplicated"));
      places_.push_back(there->second);
    }
    std::vector<std::string> others;
    for (const auto& [name, place] : held) {
      if (!lookup(name)) others.emplace_back(name);
    }
    std::ranges::sort(others);
    add_unseen(unseen_, {"array that the index does not name", to_int64(others.size()), others});
    if (!others.empty())
      warnings_.push_back(
          cat("arrays that the index does not name are left out: ", list_names(std::move(others))));
    join_metadata();
  }

  [[nodiscard]] bool is_current() const override {
    return std::ranges::all_of(shards_, [](const Shard& shard) { return shard.mapping->is_current(); });
  }
  [[nodiscard]] ArrayEntry make_entry(std::size_t member) const override {
    const Shard& shard = shards_[places_[member].shard];
    ArrayEntry out = shard.archive->entry(places_[member].position);
    out.file = shard.file;
    return out;
  }

 private:
  struct Shard {
    std::string file;  // name in the folder
    std::shared_ptr<const MappedFile> mapping;
    std::unique_ptr<const Archive> archive;
  };
  struct Place {
    std::size_t shard;
    std::size_t position;  // position in the shard
  };

  void open_shard(const std::string& folder, std::string file) {
    const std::string path = path_from(folder, file);
    with_context(printable(file), [&] {
      // Opening a FIFO would wait for its writer.
      if (is_other_file(path)) throw Error("is not a regular file");
    });
    const InputFile opened = InputFile::open(path);
    with_context(printable(file), [&] {
      if (opened.bytes().empty()) throw Error("is empty, not a safetensors file");
      auto archive = kSafetensorsFormat.open(opened);
      for (const std::string& line : archive->warnings())
        warnings_.push_back(cat(printable(file), ": ", line));
      shards_.push_back({std::move(file), opened.mapping(), std::move(archive)});
    });
  }

  void join_metadata() {
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

  std::vector<Shard> shards_;
  std::vector<Place> places_;  // places of members
};

std::unique_ptr<Archive> open_sharded(const InputFile& file) {
  if (!file.is_standard_input()) return std::make_unique<ShardedArchive>(file);
  throw Error("an index cannot be read from standard input: the files that it names are beside it");
}

}  // namespace

constinit const Format kShardIndexFormat = {
    .name = "safetensors-index",
    .title = "safetensors index",
    .article = "a",
    .endings = {".safetensors.index.json"},
    .detects = begins_as_shard_index,
    .detects_in_file = true,
    .has_arrays = true,
    .open = open_sharded,
    .output_hint = "-o INDEX:NAME replaces one array",
};

}  // namespace tensorop
