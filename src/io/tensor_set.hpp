// The tensors of a folder or an archive, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/unseen.hpp"
#include "io/archive.hpp"
#include "io/opened_file.hpp"
#include "io/source.hpp"

namespace tensorop {

struct SetMember {
  std::string name = {};     // of a file: its path below the folder; of an array: its name
  std::string paired = {};   // the name for pairs: the name, unless rename() gave another one
  std::string key = {};      // that without the ending of a format: the same tensor has one in any format
  std::int64_t bytes = 0;    // of the file, or of the array's elements
  std::string fault = {};    // why it cannot be read, where that is known already
  std::size_t position = 0;  // of an array in its archive
  bool names_dtype = true;   // of an array: whether the archive says its dtype
  std::string shard = {};    // of an array of an index: the file that holds it, in the folder of the index
};

class TensorSet {
 public:
  // The files below a folder that have the ending of a format (docs/compare.md). Folders that
  // cannot be listed are members with a fault. Throws Error when this one cannot.
  static TensorSet of_folder(const std::string& path);
  // The arrays of an archive. Throws Error.
  static TensorSet of_archive(OpenedFile opened);
  // The same, where an operand text is the name of an archive as a whole. `given` as in open_file().
  static std::optional<TensorSet> open_archive(const std::string& text, const Format* given = nullptr);
  // A folder or an archive, where an operand text is the name of one as a whole. A folder with the index of
  // one model is the archive that this is.
  static std::optional<TensorSet> open(const std::string& text);

  // The folder or the archive.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_archive() const { return archive_ != nullptr; }
  // In the order of their keys, then of their names for pairs.
  [[nodiscard]] const std::vector<SetMember>& members() const { return members_; }
  // Of an archive.
  [[nodiscard]] const Metadata& metadata() const { return archive_->metadata(); }
  // Of an archive that was read although its format does not allow it, and of other files of its folder where
  // that was named, one line each; of a folder nothing.
  [[nodiscard]] std::vector<std::string> warnings() const;
  // Content of the folder or the archive that is not a member, for reports.
  [[nodiscard]] const std::vector<Unseen>& unseen() const { return unseen_; }
  // "results/b.npy", "a.npz:b".
  [[nodiscard]] std::string path_of(const SetMember& member) const;
  // The path of the file that holds the member: "results/b.npy", "a.npz".
  [[nodiscard]] std::string file_of(const SetMember& member) const;
  // Of a folder: the file, if it has the ending of a text format and cannot be a tensor, such as a README.txt
  // or the config.json of a model; null for other files, and for one that cannot be read.
  [[nodiscard]] std::shared_ptr<const MappedFile> plain_text(const SetMember& member) const;

  // Gives the members other names for pairs, in their order. Throws Error where two of them are the same.
  void rename(std::vector<std::string> names);

  // Of a folder: the file of a member. Throws Error.
  [[nodiscard]] OpenedFile open_file_of(const SetMember& member) const;
  // Of an archive: the array. Throws Error naming it. Any number of threads may call it.
  [[nodiscard]] Source read(const SetMember& member, const Source::Options& options) const;
  // Of an archive, as Archive::is_compressed() says.
  [[nodiscard]] bool is_compressed(const SetMember& member) const {
    return archive_->is_compressed(member.position);
  }

 private:
  // The archive of the only index in a folder.
  static std::optional<TensorSet> of_model_folder(const std::string& path);

  std::string name_;
  std::vector<SetMember> members_;
  std::vector<std::string> skipped_;  // other files of an index's folder
  std::vector<Unseen> unseen_;
  std::shared_ptr<const Archive> archive_;
};

}  // namespace tensorop
