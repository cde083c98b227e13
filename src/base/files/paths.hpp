// Names of files: their parts, where symbolic links lead, and whether two of them mean one file.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

// The folder that holds `path`: "." where it names none.
[[nodiscard]] std::string directory_of(const std::string& path);

// `name`, which may be any text, as the name of a file or folder: "/" and control characters are "_", and so
// is a dot at the front; of a long name the first 240 bytes. Different names may become the same.
[[nodiscard]] std::string file_name_of(std::string_view name);

// `path` as seen from `folder`; an absolute path, and any path from the folder "", is left as it is.
[[nodiscard]] std::string path_from(const std::string& folder, const std::string& path);

// Identifies a file: all paths, hard links and symbolic links that lead to it have the same FileId.
struct FileId {
  std::uint64_t device;
  std::uint64_t inode;

  auto operator<=>(const FileId&) const = default;
};

// The FileId of the file or folder at `path`, with symbolic links followed; nullopt, and errno set, if there
// is none.
[[nodiscard]] std::optional<FileId> file_id(const std::string& path);

// Whether something exists at `path`, after following symbolic links; whether that is a regular file, a
// folder, or anything but a regular file, such as a FIFO: opening one takes data from its other readers.
[[nodiscard]] bool file_exists(const std::string& path);
[[nodiscard]] bool is_regular_file(const std::string& path);
[[nodiscard]] bool is_folder(const std::string& path);
[[nodiscard]] bool is_other_file(const std::string& path);

// `text` as the name of a file and of something in it.
struct NameInFile {
  std::string file;
  std::string name;
};
// `text` split at each of its colons, the first one first, as long as the name of a file can be.
[[nodiscard]] std::vector<NameInFile> split_names(const std::string& text);

// Whether there is an entry of that name, also a symbolic link that leads nowhere. Throws Error where that
// cannot be known, such as in a folder that may not be searched.
[[nodiscard]] bool entry_exists(const std::string& path);

// Throws Error where `path` is neither a regular file nor a folder: reading it could wait for ever. What does
// not exist is left to whoever opens it.
void require_regular_file(const std::string& path);

// Throws Error where `path` is a file of 0 bytes: it may be what a program has left that failed.
void require_content(const std::string& path);

// Makes the folder, and those that it is in, where they do not exist; with `durable` their names are on the
// disk then. Throws Error naming the one that cannot be made.
void make_folder(const std::string& path, bool durable = false);

// Throws Error naming `shown`, which cannot be written: nothing could be made in `directory`, the reason
// being errno.
[[noreturn]] void refuse_entry(const std::string& shown, const std::string& directory);

// The number in a name of an open descriptor of this process, such as /dev/stdout, /dev/fd/3 or
// /proc/self/fd/3. It looks like a symbolic link to a file, but means the open file, not another one of that
// name.
[[nodiscard]] std::optional<int> named_descriptor(std::string_view path);

// The end of the chain of symbolic links that begins at `path`, whether it exists or not; a name of a
// descriptor is an end. Throws Error naming `shown`, or the path, when the chain cannot be followed.
[[nodiscard]] std::string resolve_links(const std::string& path, const std::string& shown = {});

// Finds out which paths mean the same file, also one that does not exist yet: through symbolic links, and
// however its folder is written.
class PathKeys {
 public:
  // Equal for paths that mean the same file. A path that cannot be followed is compared as text.
  [[nodiscard]] std::string of(const std::string& path);
  // Equal for paths that lead to the same folder. One that does not exist is compared as text.
  [[nodiscard]] std::string of_folder(const std::string& folder);
  // of_folder() of the folders that the file is in, from its own to the root.
  [[nodiscard]] std::vector<std::string> folders_of(const std::string& path);

 private:
  std::map<std::string, std::string> folders_;  // cache of resolved folders
};

}  // namespace tensorop
