// Paths: their parts, the targets of symbolic links, and whether two paths lead to one file.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

// The folder part of `path`; "." if it has none.
[[nodiscard]] std::string directory_of(const std::string& path);

// Turns any text into a name for a file or folder: "/", control characters and a leading dot become "_", and
// a long name is cut to 240 bytes. Different names may become equal.
[[nodiscard]] std::string file_name_of(std::string_view name);

// `path` relative to `folder`. Returned unchanged: an absolute path, and any path if `folder` is "".
[[nodiscard]] std::string path_from(const std::string& folder, const std::string& path);

// Identifies a file: all paths, hard links and symbolic links that lead to it have the same FileId.
struct FileId {
  std::uint64_t device;
  std::uint64_t inode;

  auto operator<=>(const FileId&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm
};

// The FileId of the file or folder at `path`, following symbolic links; nullopt, with errno set, if nothing
// exists there.
[[nodiscard]] std::optional<FileId> file_id(const std::string& path);

// Follow symbolic links. Whether `path` exists; is a regular file; is a folder; exists but is not a regular
// file, such as a FIFO: opening one takes data from its other readers.
[[nodiscard]] bool file_exists(const std::string& path);
[[nodiscard]] bool is_regular_file(const std::string& path);
[[nodiscard]] bool is_folder(const std::string& path);
[[nodiscard]] bool is_other_file(const std::string& path);

// Whether `path` exists, also as a dangling symbolic link. Throws Error if the system cannot tell, for
// example in a folder without search permission.
[[nodiscard]] bool entry_exists(const std::string& path);

// Throws Error if `path` is neither a regular file nor a folder: reading it could block forever. A missing
// file is no error here; opening it reports that.
void require_regular_file(const std::string& path);

// Throws Error if `path` is a file of 0 bytes: a program that failed may have left it.
void require_content(const std::string& path);

// Makes the folder and its missing parent folders; with `durable` their names are then on the disk. Throws
// Error naming the folder that cannot be made.
void make_folder(const std::string& path, bool durable = false);

// Throws Error naming `shown`, which cannot be written because nothing could be created in `directory`; the
// reason is errno.
[[noreturn]] void refuse_entry(const std::string& shown, const std::string& directory);

// The number in a path of an open descriptor of this process, such as /dev/stdout, /dev/fd/3 or
// /proc/self/fd/3. Such a path looks like a symbolic link to a file, but means the open file, even if the
// file's name now leads to another file.
[[nodiscard]] std::optional<int> named_descriptor(std::string_view path);

// The end of the chain of symbolic links that begins at `path`, whether it exists or not; a path of a
// descriptor is an end. Throws Error naming `shown`, or else the path, if the chain cannot be followed.
[[nodiscard]] std::string resolve_links(const std::string& path, const std::string& shown = {});

// Detects which paths lead to the same file, also to a file that does not exist yet: through symbolic links
// and different spellings of its folder.
class PathKeys {
 public:
  // Equal keys mean the same file. A path that cannot be followed is compared as text.
  [[nodiscard]] std::string key_of(const std::string& path);
  // Equal keys mean the same folder. A folder that does not exist is compared as text.
  [[nodiscard]] std::string key_of_folder(const std::string& folder);
  // key_of_folder() for each folder that contains the file, from the innermost to the root.
  [[nodiscard]] std::vector<std::string> folders_of(const std::string& path);

 private:
  std::map<std::string, std::string> folders_;  // cache of resolved folders
};

}  // namespace tensorop
