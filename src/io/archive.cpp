#include "io/archive.hpp"

#include <algorithm>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/array/stored_array.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kMostListed = 20;

}  // namespace

std::string list_names(std::vector<std::string> names) {
  if (names.size() > kMostListed) {
    names.resize(kMostListed);
    names.emplace_back("...");
  }
  return printable(join(names));
}

Archive::Archive(ArrayEntry only) {
  members_.push_back({{}, true, false});
  entries_.push_back(std::move(only));
}

bool Archive::add_member(std::string_view name, bool is_array, bool is_compressed) {
  members_.push_back({name, is_array, is_compressed});
  return positions_.emplace(name, members_.size() - 1).second;
}

ArrayEntry Archive::entry(std::size_t member) const {
  ArrayEntry array = make_entry(member);
  array.member = member;
  return array;
}

ArrayEntry Archive::readable(ArrayEntry array) const {
  if (array.refused != nullptr) throw Error(*array.refused);
  locate(array);
  return array;
}

Tensor Archive::read(const ArrayEntry& array, const ArrayReading& reading) const {
  Tensor tensor = decode(array, reading);
  // If the elements were copied out of the file, check now that the file has not changed meanwhile.
  if (array.owner != nullptr && tensor.mapping() != array.owner) array.owner->require_unchanged();
  return tensor;
}

Tensor Archive::decode(const ArrayEntry& array, const ArrayReading& reading) const {
  return read_stored(array, reading);
}

std::optional<std::size_t> Archive::lookup(std::string_view name) const {
  const auto found = positions_.find(name);
  return found == positions_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Archive::warnings_for(bool whole) const {
  std::vector<std::string> lines = warnings();
  if (const std::string others = whole ? list_members(false) : ""; !others.empty()) {
    lines.push_back(cat("members that cannot be read as arrays are left out: ", others));
  }
  return lines;
}

std::vector<ArchiveArray> kept_members(const std::shared_ptr<const Archive>& archive) {
  std::vector<ArchiveArray> arrays;
  for (std::size_t i = 0; i < archive->size(); ++i)
    arrays.push_back({.name = std::string(archive->name(i)), .old = archive, .member = i, .is_kept = true});
  return arrays;
}

std::string Archive::list_members(bool arrays) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size() && names.size() <= kMostListed; ++i) {
    if (is_array(i) == arrays) names.emplace_back(name(i));
  }
  return list_names(std::move(names));
}

std::size_t Archive::find(std::string_view name) const {
  if (const auto found = lookup(name)) return *found;
  // Comparing takes time with the lengths: long names, and names after the first 1000, are not compared.
  constexpr std::size_t kMostCompared = 1000;
  constexpr std::size_t kLongestCompared = 64;
  std::vector<std::string> candidates;
  for (std::size_t i = 0; i < size() && candidates.size() < kMostCompared; ++i) {
    const std::string_view candidate = this->name(i);
    if (candidate.size() <= kLongestCompared) candidates.emplace_back(candidate);
  }
  const std::string near = nearest(name, candidates);
  const std::string there = list_members(true);
  const std::string hint = near.empty() ? cat("it holds ", there.empty() ? "no arrays" : there)
                                        : cat("did you mean ", printable(near), "?");
  throw Error(cat("the archive holds no array ", in_quotes(name)), "", hint);
}

std::size_t Archive::only_array(std::string_view hint) const {
  std::size_t arrays = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!is_array(i)) continue;
    ++arrays;
    last = i;
  }
  if (arrays == 0) throw Error("the archive holds no arrays");
  if (arrays == 1) return last;
  throw Error(cat("the archive holds ", arrays, " arrays (", list_members(true), "); name one of them"), "",
              std::string(hint));
}

std::optional<std::string_view> find_duplicate(std::vector<std::string_view> names) {
  std::ranges::sort(names);
  const auto found = std::ranges::adjacent_find(names);
  return found == names.end() ? std::nullopt : std::optional(*found);
}

void refuse_name(const std::string& name, std::string_view why) {
  throw Error(cat("an array cannot have the name ", in_quotes(name), ": ", why), "",
              "NAME=OPERAND gives it another name");
}

void require_file_name(const std::string& name) {
  constexpr std::size_t kLongest = 1000;
  if (name.empty()) refuse_name(name, "the name is empty");
  if (name.size() > kLongest)
    refuse_name(name, cat("it has ", name.size(), " bytes (at most ", kLongest, ")"));
  if (!is_utf8(name)) refuse_name(name, "it is not valid UTF-8");
  const bool has_control = std::ranges::any_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
  if (has_control) refuse_name(name, "it has control characters");
  const std::string framed = cat('/', name, '/');
  if (name.starts_with('/') || framed.find("/../") != std::string::npos)
    refuse_name(name, "it leads out of the archive");
}

}  // namespace tensorop
