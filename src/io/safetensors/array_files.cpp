#include "io/safetensors/array_files.hpp"

#include <algorithm>
#include <utility>

#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/files/replaced_file.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/json/json_cursor.hpp"
#include "io/safetensors/shard_index.hpp"

namespace tensorop {

std::optional<ArrayFiles::Shards> ArrayFiles::read(const std::string& path) {
  if (!is_regular_file(path)) return std::nullopt;
  const InputFile file = InputFile::open(path);
  if (!begins_as_shard_index(bytes_text(file.bytes()))) return std::nullopt;
  Shards shards;
  with_context(printable(path), [&] {
    for (ShardEntry& entry : read_shard_index(bytes_text(file.bytes())))
      shards.emplace(std::move(entry.name), std::move(entry.file));
  });
  return shards;
}

std::optional<ArrayFiles::Shards> ArrayFiles::try_read(const std::string& path) {
  try {
    return read(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string ArrayFiles::in(const std::optional<Shards>& shards, const std::string& path,
                           const std::string& name) {
  if (!shards) return path;
  const auto shard = shards->find(name);
  return shard == shards->end() ? path : path_from(directory_of(path), shard->second);
}

std::string ArrayFiles::file_of(const std::string& path, const std::string& name) {
  auto known = indexes_.find(path);
  if (known == indexes_.end()) known = indexes_.emplace(path, try_read(path)).first;
  return in(known->second, path, name);
}

std::string ArrayFiles::file_of_index(const std::string& path, const std::string& name) {
  return in(read(path), path, name);
}

std::map<std::string, ArrayFiles::Shards> ArrayFiles::indexes_of(const std::string& file) {
  const std::string folder = directory_of(file);
  const std::string own = file.substr(file.rfind('/') + 1);
  std::vector<std::string> others;
  std::map<std::string, Shards> indexes;
  if (os().scandir(folder.c_str(), others) != 0) return indexes;
  for (const std::string& other : others) {
    if (!other.ends_with(kShardIndexFormat.endings[0])) continue;
    const std::string index = file.find('/') == std::string::npos ? other : path_from(folder, other);
    auto shards = try_read(index);
    if (shards && std::ranges::any_of(*shards, [&](const auto& shard) { return shard.second == own; }))
      indexes.emplace(index, *std::move(shards));
  }
  return indexes;
}

void require_model_stays_whole(const std::string& file, const std::vector<std::string>& names,
                               const std::vector<std::string>& lost) {
  const std::string own = file.substr(file.rfind('/') + 1);
  for (const auto& [index, shards] : ArrayFiles::indexes_of(file)) {
    for (const std::string& name : names) {
      const auto there = shards.find(name);
      if (there == shards.end() || there->second == own) continue;
      throw Error(cat(printable(file), ": is a part of ", printable(index), ", which has array ",
                      in_quotes(name), " in ", printable(there->second), ": the model would have it twice"),
                  "", cat("-o ", printable(index), ":NAME replaces an array where it is"));
    }
    for (const std::string& name : lost) {
      const auto there = shards.find(name);
      if (there == shards.end() || there->second != own) continue;
      throw Error(cat(printable(file), ": is a part of ", printable(index), ", which has array ",
                      in_quotes(name), " in it: the model would lack it"),
                  "", cat("the same edits of ", printable(index), " make one file of the model"));
    }
  }
}

namespace {

// The place of metadata.total_size in the text of an index, and its digits; nothing if there is none.
std::optional<std::pair<std::size_t, std::string>> find_total_size(std::string_view text) {
  JsonCursor in(text);
  (void)in.value();
  while (in.next_member()) {
    const bool is_metadata = in.text() == "metadata";
    const JsonKind kind = in.value();
    if (!is_metadata || kind != JsonKind::object) {
      if (!in.skip_rest(kind, kDeepestJson)) return std::nullopt;
      continue;
    }
    while (in.next_member()) {
      const bool is_size = in.text() == "total_size";
      const JsonKind value = in.value();
      if (is_size && value == JsonKind::number)
        return std::pair(in.offset() - in.text().size(), std::string(in.text()));
      if (!in.skip_rest(value, kDeepestJson)) return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

void update_model_sizes(const std::string& file, bool durable) {
  for (const auto& [index, shards] : ArrayFiles::indexes_of(file)) {
    const auto held = ReplacedFile::lock_file(index, ReplacedFile::Busy::wait);
    const InputFile opened = InputFile::open(index);
    std::string text(bytes_text(opened.bytes()));
    const auto place = find_total_size(text);
    if (!place || text.compare(place->first, place->second.size(), place->second) != 0) continue;
    std::int64_t bytes = 0;
    try {
      const auto archive = kShardIndexFormat.open(opened);
      for (std::size_t i = 0; i < archive->size(); ++i) bytes += archive->entry(i).bytes;
    } catch (const Error&) {
      continue;
    }
    text.replace(place->first, place->second.size(), cat(bytes));
    OutputFile output = OutputFile::create(index, durable, {}, OutputFile::Writers::this_process, held);
    output.append(text_bytes(text));
    output.commit();
  }
}

}  // namespace tensorop
