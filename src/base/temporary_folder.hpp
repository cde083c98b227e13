// A folder for files of other programs.
#pragma once

#include <memory>
#include <string>

#include "base/pending_names.hpp"

namespace tensorop {

// The folder for temporary files: $TMPDIR, /tmp if it is not set.
[[nodiscard]] std::string temporary_base();

// A new folder that only this user can read: temporary_base()/tensorop-XXXXXX. It goes
// with all that is in it when this object is destroyed, or a signal ends the process.
class TemporaryFolder {
 public:
  // Throws Error naming the folder that cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path() const { return name_->path(); }

 private:
  std::unique_ptr<PendingName> name_;
};

}  // namespace tensorop
