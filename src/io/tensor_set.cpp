#include "io/tensor_set.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked.hpp"
#include "base/files/folder_walk.hpp"
#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/json/json_reader.hpp"
#include "io/table/table_parts.hpp"

namespace tensorop {
namespace {

void sort_members(std::vector<SetMember>& members) {
  std::ranges::sort(members, {}, [](const SetMember& member) { return std::tie(member.key, member.paired); });
}

// Whether the line is a row of a table, judged by its first fields.
bool is_row(std::string_view line) {
  constexpr int kEnough = 8;
  std::string buffer;
  for (int fields = 0; fields < kEnough; ++fields) {
    const auto* const begin = std::ranges::find_if_not(line, ends_field);
    if (begin == line.end()) return fields != 0;
    const auto* const end = std::find_if(begin, line.end(), ends_field);
    if (read_field({begin, end}, buffer).kind == FieldKind::other) return false;
    line = {end, line.end()};
  }
  return true;
}

// Whether no part of the text can be a tensor: it is neither a JSON list nor a JSON string, a JSON object
// begins with another key, and no line is a row of a table.
bool is_no_tensor(std::string_view text) {
  text = after_blanks(text);
  if (text.empty() || text.starts_with('[') || text.starts_with('"')) return false;
  if (text.starts_with('{')) {
    const std::string_view rest = after_blanks(text.substr(1));
    const std::string_view key = rest.substr(0, rest.find('"', 1));
    return key.starts_with('"') && key.find('\\') == std::string_view::npos &&
           std::ranges::find(kTensorKeys, key.substr(1)) == kTensorKeys.end();
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (is_row(text.substr(0, end))) return false;
    text.remove_prefix(end);
  }
  return true;
}

}  // namespace

TensorSet TensorSet::of_folder(const std::string& path) {
  refuse_zarr(path);
  TensorSet set;
  set.name_ = path;
  for (FoundFile& file : files_below(path, nullptr, &set.unseen_)) {
    const std::string_view ending = known_ending(file.path);
    if (!file.is_folder && ending.empty()) {
      add_unseen(set.unseen_, {"file of an unknown format", 1, {path_from(path, file.path)}});
      continue;
    }
    SetMember member{.name = file.path, .paired = file.path, .bytes = file.bytes, .fault = file.fault};
    member.key = member.name.substr(0, member.name.size() - ending.size());
    if (member.fault.empty() && !file.is_regular) member.fault = "is not a regular file";
    set.members_.push_back(std::move(member));
  }
  sort_members(set.members_);
  return set;
}

TensorSet TensorSet::of_archive(OpenedFile opened) {
  TensorSet set;
  set.name_ = opened.shown();
  set.format_ = opened.format;
  if (opened.format->open_model != nullptr) {
    set.archive_ =
        with_context(printable(opened.shown()), [&] { return opened.format->open_model(opened.file); });
  } else {
    set.archive_ = tensorop::open_archive(opened);
  }
  for (Unseen entry : set.archive_->unseen()) {
    if (entry.names.empty()) entry.names = {opened.shown()};
    add_unseen(set.unseen_, entry);
  }
  for (std::size_t i = 0; i < set.archive_->size(); ++i) {
    if (!set.archive_->is_array(i)) {
      add_unseen(set.unseen_, {"member that is no array", 1, {std::string(set.archive_->name(i))}});
      continue;
    }
    const std::string name(set.archive_->name(i));
    SetMember member{.name = name, .paired = name, .key = name, .position = i};
    try {
      const ArrayEntry array = set.archive_->entry(i);
      member.bytes = array.bytes;
      member.names_dtype = array.names_dtype;
      if (opened.format == &kShardIndexFormat) member.shard = array.file;
    } catch (const Error&) {  // reading the file reports the error
    }
    set.members_.push_back(std::move(member));
  }
  sort_members(set.members_);
  return set;
}

std::optional<TensorSet> TensorSet::open_archive(const Operand& operand, const Format* given) {
  // Opening a FIFO to inspect it would take data from its reader.
  if (!operand.is_path() || !is_regular_file(operand.path)) return std::nullopt;
  auto opened = open_whole_path(operand, given);
  if (!opened || !opened->format->is_archive()) return std::nullopt;
  return of_archive(std::move(*opened));
}

std::optional<TensorSet> TensorSet::of_model_folder(const std::string& path) {
  std::vector<std::string> names;
  if (os().scandir(path.c_str(), names) != 0) return std::nullopt;  // listing it again reports it
  std::string index;
  for (const std::string& name : names) {
    if (!name.ends_with(kShardIndexFormat.endings[0])) continue;
    if (!index.empty()) return std::nullopt;
    index = name;
  }
  if (index.empty()) return std::nullopt;
  auto set = open_archive(Operand::of_path(path_from(path, index)));
  if (!set) return std::nullopt;
  std::set<std::string> shards = {index};
  for (std::size_t i = 0; i < set->archive_->size(); ++i) shards.insert(set->archive_->entry(i).file);
  std::ranges::copy_if(names, std::back_inserter(set->skipped_),
                       [&](const std::string& name) { return !shards.contains(name); });
  std::ranges::sort(set->skipped_);
  add_unseen(set->unseen_,
             {"file that the index does not name", to_int64(set->skipped_.size()), set->skipped_});
  return set;
}

TensorSet TensorSet::of_one(const Operand& operand, const std::string& name) {
  TensorSet set;
  set.name_ = operand.shown();
  set.members_ = {{.name = set.name_, .paired = name, .key = name}};
  set.operand_ = operand;
  return set;
}

std::optional<TensorSet> TensorSet::open(const Operand& operand) {
  if (operand.is_path() && tensorop::is_folder(operand.path)) {
    auto model = of_model_folder(operand.path);
    return model ? std::move(model) : of_folder(operand.path);
  }
  return open_archive(operand);
}

void TensorSet::rename(std::vector<std::string> names) {
  if (const auto twice = find_duplicate({names.begin(), names.end()}))
    throw Error(cat(printable(name_), ": two tensors would have the name ", in_quotes(*twice)));
  for (std::size_t i = 0; i < members_.size(); ++i) {
    SetMember& member = members_[i];
    member.paired = std::move(names[i]);
    const std::size_t ending = is_archive() ? 0 : known_ending(member.paired).size();
    member.key = member.paired.substr(0, member.paired.size() - ending);
  }
  sort_members(members_);
}

std::vector<std::string> TensorSet::warnings(bool whole) const {
  std::vector<std::string> lines;
  if (!is_archive()) return lines;
  for (const std::string& line : archive_->warnings_for(whole))
    lines.push_back(cat(printable(name_), ": ", line));
  if (!skipped_.empty())
    lines.push_back(cat(printable(name_), ": other files of its folder are skipped: ", list_names(skipped_)));
  return lines;
}

std::string TensorSet::path_of(const SetMember& member) const {
  if (operand_) return name_;
  return is_archive() ? cat(name_, ":", member.name) : path_from(name_, member.name);
}

std::string TensorSet::file_of(const SetMember& member) const {
  if (!is_archive()) return path_of(member);
  return member.shard.empty() ? name_ : path_from(directory_of(name_), member.shard);
}

std::shared_ptr<const MappedFile> TensorSet::plain_text(const SetMember& member) const {
  const Format* const named = find_format_by_ending(member.name);
  if (named == nullptr || named->read_text == nullptr || !member.fault.empty()) return nullptr;
  try {
    const auto file = InputFile::open(path_of(member)).mapping();
    return is_no_tensor(bytes_text(file->bytes())) ? file : nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

OpenedFile TensorSet::open_file_of(const SetMember& member) const {
  const std::string path = path_of(member);
  if (!member.fault.empty()) throw Error(cat(printable(path), ": ", member.fault));
  auto opened = open_whole_path(Operand::of_path(path));
  if (!opened) throw_errno(path, "cannot open");
  return std::move(*opened);
}

Source TensorSet::read(const SetMember& member, const Source::Options& options) const {
  if (operand_) return Source::open(*operand_, options);
  std::string name = printable(path_of(member));
  ArrayEntry array = with_context(name, [&] { return archive_->entry(member.position); });
  return Source::of_entry(*archive_, std::move(array), std::move(name), options);
}

}  // namespace tensorop
