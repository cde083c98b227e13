#include "check/external_program.hpp"

#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/process/exit_cleanup.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
CaseScratch::CaseScratch(const TemporaryEntry& folder, std::size_t number)
    : path_(path_from(folder.path(), cat(number))) {
  constexpr mode_t kPrivate = 0700;
  // Not while a signal removes the outer folder.
  const CleanupLock lock;
  if (os().mkdir(path_.c_str(), kPrivate) != 0) throw_errno(path_, "cannot create a directory");
}

CaseScratch::~CaseScratch() {
  remove_tree(path_.c_str());
}

Failure without_folder(const Failure& error, const std::string& folder) {
  const std::string shown = printable(path_from(folder, ""));
  std::string line = error.what();
  const std::size_t at = line.find(shown);
  if (at == std::string::npos || !error.rule().empty()) return error;
  return Failure(line.erase(at, shown.size()), "", error.hint(), error.details());
}

void write_text(const std::string& path, const std::string& text) {
  OutputFile file = OutputFile::create(path);
  file.append(text_bytes(text));
  file.commit();
}

}  // namespace tensorop
