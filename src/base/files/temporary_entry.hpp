// Files and directories under temporary names.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/process/exit_cleanup.hpp"

namespace tensorop {

// A new file or directory, .tensorop-XXXXXXXX.tmp with random letters, until it is renamed to its
// destination. An entry that is not renamed is removed with its contents: by the destructor, or when a signal
// ends the process (exit_cleanup.hpp). After kill -9 it stays.
class TemporaryEntry {
 public:
  using Kind = PendingItem::Kind;
  // Calls `make` with new names in `directory` until a name is free. `make` creates the entry with its final
  // mode and returns 0, or -1 with errno (EEXIST: the name is taken). It is called under a CleanupLock. Null
  // with errno if no entry could be made.
  [[nodiscard]] static std::unique_ptr<TemporaryEntry> make(const std::string& directory, Kind kind,
                                                            const std::function<int(const char* path)>& make);
  ~TemporaryEntry();
  TemporaryEntry(const TemporaryEntry&) = delete;
  TemporaryEntry& operator=(const TemporaryEntry&) = delete;

  [[nodiscard]] const char* path() const { return name_.path.c_str(); }
  // Replaces an existing `destination`. False with errno; the entry is then unchanged.
  [[nodiscard]] bool rename_to(const std::string& destination);
  // Like rename_to(), but fails with EEXIST if the name is taken.
  [[nodiscard]] bool rename_to_new(const std::string& destination);
  // Removes a file now. False with errno.
  [[nodiscard]] bool unlink();

 private:
  // Calls `call`, which renames or removes the entry: 0, or -1 with errno. False with errno.
  template <class Call>
  [[nodiscard]] bool give_up(const Call& call);
  TemporaryEntry(std::string path, Kind kind) : name_{kind, std::move(path)} {}

  PendingItem name_;
  bool exists_ = false;
};

// The directory for temporary files: $TMPDIR, /tmp if it is not set.
[[nodiscard]] std::string temporary_base();

// A directory in temporary_base() for files of other programs, readable only by this user. Throws Error
// naming temporary_base().
[[nodiscard]] std::unique_ptr<TemporaryEntry> make_private_directory();

}  // namespace tensorop
