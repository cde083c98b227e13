// Folders of results: such a folder is complete or absent.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/file_io.hpp"
#include "base/files/temporary_entry.hpp"

namespace tensorop {

// A new folder on its way to its destination.
//
// It is a TemporaryEntry beside its destination, filled there, and renamed by commit(); until then the
// destination is unchanged, and an OutputFolder that is destroyed without commit() leaves nothing. The
// destination may be an empty folder, whose mode the new one then has; it is never open to more users.
class OutputFolder {
 public:
  // Throws Error naming `path` where it is anything but an empty folder or nothing, or cannot be made. With
  // `durable` commit() returns when the names in the folder, and its own, are on the disk; files in it see to
  // themselves.
  explicit OutputFolder(const std::string& path, bool durable = false);

  // A name in the folder, for as long as it is not published.
  [[nodiscard]] std::string path_of(const std::string& name) const;
  // The name that it will have, for messages.
  [[nodiscard]] std::string shown_path_of(const std::string& name) const;
  // Makes a folder in it. Throws Error.
  void make_folder(const std::string& name) const;
  // Writes a new file in it, in one step: as nobody sees it yet, it needs no temporary file. Throws Error.
  void write_file(const std::string& name, std::string_view bytes) const;
  // All is written: with `durable`, the names in the folder are on the disk.
  void finish();
  // Publishes, after finish() if that was not called. When it throws, the destination is unchanged.
  void commit();

 private:
  void require_free();
  void make_temporary();

  std::string name_;            // as the user gave it, for messages
  std::string destination_;     // with symbolic links resolved
  std::optional<mode_t> mode_;  // of the empty folder that is there
  std::unique_ptr<TemporaryEntry> temporary_;
  FileDescriptor fd_;  // of it
  bool durable_;
  bool is_finished_ = false;
};

}  // namespace tensorop
