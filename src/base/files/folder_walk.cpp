#include "base/files/folder_walk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

class Walk {
 public:
  Walk(std::string root, const IsWholeFolder& is_whole, std::vector<Unseen>* unseen)
      : root_(std::move(root)), is_whole_(is_whole), unseen_(unseen) {}

  std::vector<FoundFile> run() {
    enter("");
    // Links are followed last: if a target is also below the folder, it is then listed under its own name.
    for (;;) {
      while (!folders_.empty()) {
        const std::string folder = std::move(folders_.back());
        folders_.pop_back();
        list(folder);
      }
      if (next_link_ == links_.size()) break;
      enter(links_[next_link_++]);
    }
    std::ranges::sort(files_, {}, &FoundFile::path);
    return std::move(files_);
  }

 private:
  [[nodiscard]] std::string full(const std::string& path) const {
    return path.empty() ? root_ : path_from(root_, path);
  }

  // Queues a folder for listing, unless the walk has already visited it.
  void enter(const std::string& path) {
    struct stat info {};
    if (os().stat(full(path).c_str(), &info) != 0) {
      if (path.empty()) throw_errno(root_, "cannot list");
      add_fault(path, "cannot list", true);
    } else if (seen_.emplace(info.st_dev, info.st_ino).second) {
      folders_.push_back(path);
    } else if (unseen_ != nullptr) {
      add_unseen(*unseen_, {"link to a folder that has another name below it", 1, {full(path)}});
    }
  }

  void list(const std::string& folder) {
    std::vector<std::string> names;
    if (os().scandir(full(folder).c_str(), names) != 0) {
      if (folder.empty()) throw_errno(root_, "cannot list");
      add_fault(folder, "cannot list", true);
      return;
    }
    if (is_whole_ && is_whole_(folder, names)) {
      files_.push_back({.path = folder, .is_folder = true, .names = std::move(names)});
      return;
    }
    std::ranges::sort(names);
    for (const std::string& name : names) {
      if (!name.starts_with('.')) visit(folder.empty() ? name : cat(folder, '/', name));
    }
  }

  void visit(const std::string& path) {
    struct stat own {};
    struct stat target {};
    if (os().lstat(full(path).c_str(), &own) != 0) return add_fault(path, "cannot open", true);
    const bool is_link = S_ISLNK(own.st_mode);
    if (!is_link) {
      target = own;
    } else if (os().stat(full(path).c_str(), &target) != 0) {
      return add_fault(path, "cannot open", true);
    }
    if (S_ISDIR(target.st_mode)) {
      is_link ? links_.push_back(path) : enter(path);
    } else {
      const bool is_regular = S_ISREG(target.st_mode);
      files_.push_back({.path = path, .is_regular = is_regular, .bytes = is_regular ? target.st_size : 0});
    }
  }

  // Adds an entry whose fault is `what` and the reason in errno.
  void add_fault(const std::string& path, std::string_view what, bool is_folder) {
    files_.push_back({.path = path, .is_folder = is_folder, .fault = cat(what, ": ", std::strerror(errno))});
  }

  std::string root_;
  const IsWholeFolder& is_whole_;
  std::vector<Unseen>* unseen_;  // may be null
  std::set<std::pair<dev_t, ino_t>> seen_;
  std::vector<std::string> folders_;  // folders to be listed
  std::vector<std::string> links_;    // links to folders
  std::size_t next_link_ = 0;
  std::vector<FoundFile> files_;
};

}  // namespace

std::vector<FoundFile> files_below(const std::string& folder, const IsWholeFolder& is_whole,
                                   std::vector<Unseen>* unseen) {
  return Walk(folder, is_whole, unseen).run();
}

}  // namespace tensorop
