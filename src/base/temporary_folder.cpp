#include "base/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>

#include "base/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace tensorop {

std::string temporary_base() {
  const char* const given = std::getenv("TMPDIR");
  return given == nullptr || *given == '\0' ? "/tmp" : given;
}

TemporaryFolder::TemporaryFolder() {
  constexpr mode_t kPrivate = 0700;
  constexpr int kMostNames = 100;
  const std::string base = temporary_base();
  for (int attempt = 0; attempt < kMostNames; ++attempt) {
    auto name = std::make_unique<PendingName>(path_from(base, cat("tensorop-", random_name())),
                                              PendingName::Kind::folder);
    int reason = 0;
    {
      NamingWindow window;
      reason = os().mkdir(name->path(), kPrivate) == 0 ? 0 : errno;
      if (reason == 0) window.add(*name);
    }
    if (reason == 0) {
      name_ = std::move(name);
      return;
    }
    errno = reason;
    if (reason != EEXIST) break;
  }
  throw_errno(base, "cannot make a temporary folder");
}

TemporaryFolder::~TemporaryFolder() {
  remove_tree(name_->path());
  NamingWindow window;
  window.remove(*name_);
}

}  // namespace tensorop
