// The named tensors of a folder or an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text/unseen.hpp"
#include "io/archive.hpp"
#include "io/opened_file.hpp"
#include "io/source.hpp"

namespace tensorop {

struct SetMember {
  std::string name = {};     // a file's path below the folder; an array's name
  std::string paired = {};   // name for pairing: `name`, or the name from rename()
  std::string key = {};      // `paired` without a format's extension: equal in all formats
  std::int64_t bytes = 0;    // of the file, or of the array's elements
  std::string fault = {};    // why it cannot be read, if already known
  std::size_t position = 0;  // position of an array in its archive
  bool names_dtype = true;   // whether the archive states an array's dtype
  std::string shard = {};    // an array of an index: its file, in the folder of the index
};

class TensorSet {
 public:
  // The files below a folder with the extension of a format (docs/compare.md). A subfolder that cannot be
  // listed is a member with a fault. Throws Error if `path` itself cannot be listed.
  static TensorSet of_folder(const std::string& path);
  // The arrays of an archive. Throws Error.
  static TensorSet of_archive(OpenedFile opened);
  // of_archive() if an operand is the name of a whole archive. `given` as in open_file().
  static std::optional<TensorSet> open_archive(const Operand& operand, const Format* given = nullptr);
  // The only tensor of an operand; `name` is its name for pairing.
  static TensorSet of_one(const Operand& operand, const std::string& name);
  // The set for an operand that is the name of a whole folder or archive. A folder with the index of one
  // model is the archive of that index.
  static std::optional<TensorSet> open(const Operand& operand);

  // The name of the folder or the archive, or the text of the operand.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_archive() const { return archive_ != nullptr; }
  [[nodiscard]] bool is_folder() const { return archive_ == nullptr && !operand_; }
  // The operand of of_one(); else nothing.
  [[nodiscard]] const std::optional<Operand>& operand() const { return operand_; }
  // The archive and its format; null for a folder.
  [[nodiscard]] const std::shared_ptr<const Archive>& archive() const { return archive_; }
  [[nodiscard]] const Format& format() const { return *format_; }
  // Members in the order of their keys, then of their names for pairing.
  [[nodiscard]] const std::vector<SetMember>& members() const { return members_; }
  // Metadata of an archive.
  [[nodiscard]] const Metadata& metadata() const { return archive_->metadata(); }
  // One line for each tolerated violation of an archive's format, and for other files in the folder of an
  // index if the folder was named; empty for a folder.
  // `whole`: also for members of an archive that are no arrays.
  [[nodiscard]] std::vector<std::string> warnings(bool whole = true) const;
  // Content of the folder or the archive that is not a member, for reports.
  [[nodiscard]] const std::vector<Unseen>& unseen() const { return unseen_; }
  // "results/b.npy", "a.npz:b".
  [[nodiscard]] std::string path_of(const SetMember& member) const;
  // The path of the file that holds the member: "results/b.npy", "a.npz".
  [[nodiscard]] std::string file_of(const SetMember& member) const;
  // For a folder: the file, if it has the extension of a text format and cannot be a tensor, such as a
  // README.txt or the config.json of a model; null for other files, and for a file that cannot be read.
  [[nodiscard]] std::shared_ptr<const MappedFile> plain_text(const SetMember& member) const;

  // Sets the names for pairing, in the order of the members. Throws Error for duplicate names.
  void rename(std::vector<std::string> names);

  // For a folder: opens the file of a member. Throws Error.
  [[nodiscard]] OpenedFile open_file_of(const SetMember& member) const;
  // For an archive: opens the array. Throws Error naming it. Thread-safe. Of one operand: opens that.
  [[nodiscard]] Source read(const SetMember& member, const Source::Options& options) const;
  // For an archive: as Archive::is_compressed().
  [[nodiscard]] bool is_compressed(const SetMember& member) const {
    return archive_->is_compressed(member.position);
  }

 private:
  // The archive of the only index in a folder.
  static std::optional<TensorSet> of_model_folder(const std::string& path);

  std::string name_;
  std::vector<SetMember> members_;
  std::vector<std::string> skipped_;  // other files in the folder of an index
  std::vector<Unseen> unseen_;
  std::shared_ptr<const Archive> archive_;
  const Format* format_ = nullptr;
  std::optional<Operand> operand_;
};

}  // namespace tensorop
