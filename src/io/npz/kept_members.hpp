// Members of open NPZ archives that a new archive keeps as they are stored: their names and places. Writes
// nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/input_file.hpp"
#include "io/archive.hpp"
#include "io/npz/zip_directory.hpp"

namespace tensorop {

// An NPZ archive as a ZIP file.
struct ZipFile {
  std::shared_ptr<const MappedFile> file;
  const ZipDirectory* directory;
};
// The archive must be an open NPZ archive.
[[nodiscard]] ZipFile zip_file_of(const Archive& archive);

// The member of a kept array.
[[nodiscard]] const ZipMember& kept_member(const ArchiveArray& array);
// The local header of a kept member. Throws Error if there is none.
[[nodiscard]] std::string_view kept_header(const ArchiveArray& array);
// Whether no member of its file lies before the kept one.
[[nodiscard]] bool is_first_member(const ArchiveArray& array);
// The name of a member: as it was, unless the array has another name now.
[[nodiscard]] std::string member_name(const ArchiveArray& array);

// The files of kept members.
class KeptMembers {
 public:
  // The end of a kept member in its file, with all that follows it up to the next one.
  [[nodiscard]] std::int64_t end_of(const ArchiveArray& array);
  // Throws Error if one of the files was changed since it was opened.
  void require_unchanged() const;

 private:
  std::map<const Archive*, std::vector<std::int64_t>> ends_;  // of the members of archives
};

}  // namespace tensorop
