#include "io/npz/kept_members.hpp"

#include <algorithm>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/npz/zip_records.hpp"

namespace tensorop {
namespace {

// The end of each member in its file, with all that follows it up to the next one.
std::vector<std::int64_t> member_ends(const ZipDirectory& directory) {
  std::vector<std::int64_t> offsets;
  for (const ZipMember& member : directory.members) offsets.push_back(member.offset);
  std::ranges::sort(offsets);
  std::vector<std::int64_t> ends;
  for (const ZipMember& member : directory.members) {
    const auto next = std::ranges::upper_bound(offsets, member.offset);
    ends.push_back(next == offsets.end() ? directory.offset : *next);
  }
  return ends;
}

}  // namespace

const ZipMember& kept_member(const ArchiveArray& array) {
  return zip_file_of(*array.old).directory->members[array.member];
}

std::string member_name(const ArchiveArray& array) {
  if (!array.old) return array.name + ".npy";
  const std::string& old = kept_member(array).name;
  const std::string_view old_array = npz_array_name(old);
  if (old_array == array.name || old == array.name) return old;
  return cat(array.name, std::string_view(old).substr(old_array.size()));
}

std::string_view kept_header(const ArchiveArray& array) {
  const ZipFile zip = zip_file_of(*array.old);
  const ZipMember& member = kept_member(array);
  return with_context(array.operand.empty() ? cat("member ", in_quotes(member.name)) : array.operand,
                      [&] { return bytes_text(local_header(zip.file->bytes(), *zip.directory, member)); });
}

bool is_first_member(const ArchiveArray& array) {
  const auto& members = zip_file_of(*array.old).directory->members;
  return std::ranges::none_of(
      members, [&](const ZipMember& other) { return other.offset < members[array.member].offset; });
}

std::int64_t KeptMembers::end_of(const ArchiveArray& array) {
  std::vector<std::int64_t>& ends = ends_[array.old.get()];
  if (ends.empty()) ends = member_ends(*zip_file_of(*array.old).directory);
  return ends[array.member];
}

void KeptMembers::require_unchanged() const {
  for (const auto& [archive, ends] : ends_) zip_file_of(*archive).file->require_unchanged();
}

}  // namespace tensorop
