// Result folders: a result folder is complete or absent.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/file_io.hpp"
#include "base/files/temporary_entry.hpp"

namespace tensorop {

// A result folder until it is published.
//
// It is a TemporaryEntry beside its destination; commit() renames it. Until then the destination is
// unchanged, and an OutputFolder that is destroyed without commit() leaves nothing. The destination may be an
// empty folder; the new folder then gets its mode, and is never accessible to more users.
class OutputFolder {
 public:
  // Throws Error naming `path` if it exists and is not an empty folder, or if the temporary folder cannot be
  // made. With `durable` commit() returns after the names in the folder, and its own, are on the disk; the
  // contents of files in it are synced by their writers.
  explicit OutputFolder(const std::string& path, bool durable = false);

  // The path of `name` in the folder before it is published.
  [[nodiscard]] std::string path_of(const std::string& name) const;
  // The path of `name` after the folder is published, for messages.
  [[nodiscard]] std::string shown_path_of(const std::string& name) const;
  // Makes a subfolder. Throws Error.
  void make_folder(const std::string& name) const;
  // Writes a new file, without a temporary file: the folder is not published yet. Throws Error.
  void write_file(const std::string& name, std::string_view bytes) const;
  // Ends the writing. With `durable`, the names in the folder are then on the disk.
  void finish();
  // Publishes the folder, after finish() if needed. If it throws, the destination is unchanged.
  void commit();

 private:
  void require_free();
  void make_temporary();

  std::string name_;            // the name that the user gave, for messages
  std::string destination_;     // with symbolic links resolved
  std::optional<mode_t> mode_;  // mode of the empty folder that is replaced
  std::unique_ptr<TemporaryEntry> temporary_;
  FileDescriptor fd_;  // the folder
  bool durable_;
  bool is_finished_ = false;
};

}  // namespace tensorop
