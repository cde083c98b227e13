// Finds what a written archive would lose: metadata, and content of the file that it replaces.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/files/paths.hpp"
#include "base/files/replaced_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "convert/archive_inputs.hpp"
#include "io/safetensors/array_files.hpp"

namespace tensorop {
namespace {

// Returns the metadata of all archives whose arrays are all taken.
Metadata joined_metadata(const ArchiveInputs& inputs) {
  Metadata metadata;
  std::map<std::string_view, std::pair<std::string_view, const TensorSet*>> known;
  for (const auto& archive : inputs.archives) {
    for (const auto& [key, value] : archive->metadata()) {
      const auto [before, is_new] = known.try_emplace(key, value, archive.get());
      if (is_new) metadata.emplace_back(key, value);
      if (is_new || before->second.first == value) continue;
      throw Error(
          cat(printable(before->second.second->name()), " and ", printable(archive->name()),
              " have different metadata ", in_quotes(key)),
          "", "--metadata-from FILE says whose; FILE:NAME takes an array without the metadata of its file");
    }
  }
  return metadata;
}

// The members of `old`, and its metadata, that are neither in the result nor inputs.
std::vector<std::string> lost_content(const Conversion& conversion, const Archive& old,
                                      const ArchiveInputs& inputs, const Metadata& metadata) {
  const auto id = file_id(conversion.destination.path);
  std::map<const Archive*, bool> known;
  const auto is_of_it = [&](const NamedInput& input) {
    const auto [there, is_new] = known.try_emplace(input.stored.archive.get());
    if (is_new) there->second = id && there->first != nullptr && file_id(input.stored.file) == id;
    return there->second;
  };
  std::set<std::pair<bool, std::string_view>> kept;  // whether it is an array, and the name
  const auto keep_source = [&](const NamedInput& input) {
    const std::size_t member = input.stored.position;
    if (is_of_it(input)) kept.emplace(old.is_array(member), old.name(member));
  };
  for (const NamedInput& input : inputs.arrays) {
    keep_source(input);
    // An array that is renamed does not keep the one whose name it gets.
    if (!input.is_edited || !is_of_it(input)) kept.emplace(input.is_array, input.name);
  }
  if (conversion.replace) std::ranges::for_each(inputs.left_out, keep_source);
  std::vector<std::string> lost;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (!kept.contains({old.is_array(i), old.name(i)})) lost.emplace_back(old.name(i));
  }
  std::set<std::string_view> there;
  for (const auto& [key, value] : metadata) there.insert(key);
  for (const auto& [key, value] : old.metadata()) {
    if (!there.contains(key)) lost.push_back(cat("metadata ", key));
  }
  return lost;
}

}  // namespace

// Returns the metadata of the result, and warns about the metadata of the inputs.
Metadata read_metadata(const ArchiveInputs& inputs, const Conversion& conversion, const Format& format,
                       const Settings& settings) {
  const bool is_given = !conversion.metadata.empty() || conversion.metadata_from;
  if (is_given && !format.keeps_metadata)
    throw Error(cat(conversion.metadata.empty() ? "--metadata-from" : "--metadata", ": ", format.title,
                    " has no place for metadata"));
  Metadata metadata;
  if (conversion.metadata_from) {
    const auto from = TensorSet::open_archive(*conversion.metadata_from, &kJsonFormat);
    if (!from)
      throw Error(cat("--metadata-from ", printable(*conversion.metadata_from), ": is not an archive"));
    metadata = from->metadata();
  } else if (format.keeps_metadata) {
    metadata = joined_metadata(inputs);
  }
  if (settings.warn) {
    std::set<std::string_view> kept;
    for (const auto& [key, value] : metadata) kept.insert(key);
    for (const auto& archive : inputs.archives) {
      const bool keeps_others = &archive->format() == &format;
      for (const std::string& line : archive->warnings(!keeps_others)) settings.warn(line);
      std::vector<std::string> lost;
      for (const auto& [key, value] : archive->metadata()) {
        if (!kept.contains(key)) lost.push_back(key);
      }
      if (lost.empty()) continue;
      settings.warn(cat(printable(archive->name()), ": its metadata is left out",
                        format.keeps_metadata ? cat(": ", list_names(std::move(lost)))
                                              : cat(": ", format.title, " has no place for it")));
    }
  }
  for (const auto& [path, own] : inputs.opened) {
    const auto is_lost = [&](const auto& entry) { return std::ranges::count(metadata, entry) == 0; };
    std::vector<std::string> lost;
    for (const auto& [key, value] : own) {
      if (is_lost(Metadata::value_type(key, value))) lost.push_back(key);
    }
    if (settings.warn && format.keeps_metadata && !conversion.metadata_from && !lost.empty())
      settings.warn(cat(printable(path), ": its metadata is left out: ", list_names(std::move(lost)),
                        "; --metadata-from ", printable(path), " keeps it"));
  }
  for (const std::string& text : conversion.metadata) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw Error(cat("--metadata ", in_quotes(text), " is not KEY=VALUE"));
    if (!is_utf8(text)) throw Error(cat("--metadata ", in_quotes(text), " is not valid UTF-8"));
    const std::string key = text.substr(0, equals);
    const auto there = std::ranges::find(metadata, key, &Metadata::value_type::first);
    std::string& value = there == metadata.end() ? metadata.emplace_back(key, "").second : there->second;
    value = text.substr(equals + 1);
  }
  return metadata;
}

void require_nothing_lost(const Conversion& conversion, const Archive* old, const ArchiveInputs& inputs,
                          const Metadata& metadata) {
  const std::string& path = conversion.destination.path;
  if (auto lost =
          old == nullptr ? std::vector<std::string>() : lost_content(conversion, *old, inputs, metadata);
      !lost.empty()) {
    const auto id = file_id(path);
    const bool drops = std::ranges::any_of(
        inputs.left_out, [&](const NamedInput& input) { return file_id(input.stored.file) == id; });
    throw Error(cat(printable(path),
                    ": holds what the result does not, and would be lost: ", list_names(std::move(lost))),
                "",
                drops ? "--replace takes out of it what --filter and --exclude leave out"
                      : cat("-o ", printable(path),
                            ":NAME writes one array of it and keeps the others; as an input it is kept too"));
  }
  if (!conversion.destination.replaced || !conversion.destination.replaced->exists()) return;
  std::vector<std::string> names;
  for (const NamedInput& input : inputs.arrays) names.push_back(input.name);
  const std::set<std::string> kept(names.begin(), names.end());
  std::vector<std::string> gone;
  for (std::size_t i = 0; old != nullptr && i < old->size(); ++i) {
    if (!kept.contains(std::string(old->name(i)))) gone.emplace_back(old->name(i));
  }
  require_model_stays_whole(path, names, gone);
}

}  // namespace tensorop
