#include "io/onnx/external_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include "base/checked.hpp"
#include "base/files/file_io.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// Whether a relative path stays inside its folder, by its text alone.
bool stays_inside(std::string_view location) {
  if (location.empty() || location.find('\0') != std::string_view::npos) return false;
  while (true) {
    const std::string_view part = location.substr(0, location.find('/'));
    if (part.empty() || part == "..") return false;
    if (part.size() == location.size()) return true;
    location.remove_prefix(part.size() + 1);
  }
}

}  // namespace

ExternalFiles::ExternalFiles(const std::string& model) : folder_(model.empty() ? "" : directory_of(model)) {
  if (model.empty()) return;
  trees_ = {keys_.key_of_folder(folder_), keys_.key_of_folder(directory_of(resolve_links(model)))};
}

void ExternalFiles::locate(ArrayEntry& array) {
  if (array.file.empty() || array.bytes == 0) return;
  array.owner = open(array.file);
  const std::int64_t held = to_int64(array.owner->bytes().size());
  if (array.offset > held - array.bytes)
    throw Error(cat("its data is ", counted(array.bytes, "byte"), " at byte ", array.offset, " of ",
                    printable(array.file), ", which has ", held));
}

bool ExternalFiles::are_current() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(files_, [](const auto& entry) { return entry.second->is_current(); });
}

std::shared_ptr<const MappedFile> ExternalFiles::open(const std::string& location) {
  if (folder_.empty())
    throw Error(cat("its data is in ", in_quotes(location), ", and standard input has no folder"));
  if (!stays_inside(location))
    throw Error(
        cat("its data is in ", in_quotes(location), ", which is not a path inside the model's folder"));
  const std::lock_guard lock(mutex_);
  if (const auto known = files_.find(location); known != files_.end()) return known->second;
  const std::string path = path_from(folder_, location);
  const std::string file = resolve_links(path);
  const std::vector<std::string> around = keys_.folders_of(file);
  if (std::ranges::find_first_of(around, trees_) == around.end())
    throw Error(cat(printable(path), ": is reached through a symbolic link out of the model's folder"), "",
                "cp -rL FOLDER COPY makes a copy without links");
  struct stat info {};
  // O_NONBLOCK: opening a FIFO would wait for its writer.
  const FileDescriptor fd(os().open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
  if (!fd.is_open()) throw_errno(path, "cannot open");
  if (os().fstat(fd.get(), &info) != 0) throw_errno(path, "cannot read");
  if (!S_ISREG(info.st_mode)) throw Error(cat(printable(path), ": is not a regular file"));
  if (info.st_size == 0) throw Error(cat(printable(path), ": is empty"));
  return files_.emplace(location, std::make_shared<MappedFile>(fd, path, info)).first->second;
}

}  // namespace tensorop
