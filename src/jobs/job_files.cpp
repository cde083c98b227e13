#include "jobs/job_files.hpp"

#include <algorithm>
#include <utility>

#include "engine/attributes.hpp"

namespace tensorop {

bool is_operand(const Operator& op, const NamedText& attribute) {
  return !attribute.is_tensor() && !is_plain_list(attribute.text) &&
         find_attribute(op, attribute.name)->kind == AttributeKind::integers;
}

bool FileArray::overlaps(const FileArray& other) const {
  if (file != other.file) return false;
  if (array.empty() || other.array.empty() || array == other.array) return true;
  const auto name = array_name != nullptr ? array_name : other.array_name;
  return name != nullptr && name(array) == name(other.array);
}

bool JobFile::overlaps(const JobFile& other) const {
  return std::ranges::any_of(may_be, [&](const FileArray& own) {
    return std::ranges::any_of(other.may_be, [&](const FileArray& one) { return own.overlaps(one); });
  });
}

std::vector<FileArray> FileFinder::find(const Operand& operand) {
  std::vector<FileArray> out;
  for (const auto& [file, array] : possible_files(operand)) {
    out.push_back({key_of(file), array});
    if (const auto shard = array.empty() ? file : shards_.file_of(file, array); shard != file)
      out.push_back({key_of(shard), array});
  }
  return out;
}

FileArray FileFinder::find(const Destination& output) {
  if (!output.is_member) return {key_of(output.path)};
  return {key_of(shards_.file_of(output.path, output.array)), output.array, format_of(output).array_name};
}

}  // namespace tensorop
