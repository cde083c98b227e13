// The files that calls and jobs name, and whether two names mean the same file or array.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files/paths.hpp"
#include "engine/index_forms.hpp"
#include "engine/request.hpp"
#include "io/safetensors/array_files.hpp"
#include "io/sink.hpp"

namespace tensorop {

// Whether an attribute is given like an operand, not as a plain list of integers or a word.
[[nodiscard]] bool is_operand(const Operator& op, const NamedText& attribute);

// Calls visit(key, given) for each operand, and each attribute that is given like one, that is the result of
// another job, a file or standard input, not the tensor itself or a range.
template <class AnyRequest, class Visit>
void for_each_reference(AnyRequest& request, const Visit& visit) {
  const auto is_file = [&](const Operand& operand) {
    return !operand.is_tensor() && range_of(*request.op.op, operand) == nullptr;
  };
  for (auto& operand : request.named) {
    if (is_file(operand)) visit(operand.name, operand);
  }
  for (auto& operand : request.positional) {
    if (is_file(operand)) visit(std::string("operands"), operand);
  }
  for (auto& attribute : request.attributes) {
    if (is_operand(*request.op.op, attribute)) visit(attribute.name, attribute);
  }
}

// A file, or an array of an archive.
struct FileArray {
  std::string file;                                                 // from PathKeys::key_of()
  std::string array = {};                                           // empty: the whole file
  std::string_view (*array_name)(std::string_view name) = nullptr;  // Format::array_name

  [[nodiscard]] bool overlaps(const FileArray& other) const;
};

// A FILE or FILE:NAME that a job reads or writes.
struct JobFile {
  enum class Use : std::uint8_t { operand, golden, actual, output };
  Use use;
  std::string key;                // the job's key for the file
  Operand given;                  // of an output its file
  std::vector<FileArray> may_be;  // exactly one for an output

  [[nodiscard]] bool overlaps(const JobFile& other) const;
};

// Finds the files that names mean. Remembers the folders and indexes of shards that it has read.
class FileFinder {
 public:
  // Like possible_files(). An array that an index of shards names is in both files.
  [[nodiscard]] std::vector<FileArray> find(const Operand& operand);
  [[nodiscard]] FileArray find(const Destination& output);
  [[nodiscard]] std::string key_of(const std::string& file) { return keys_.key_of(file); }

 private:
  PathKeys keys_;
  ArrayFiles shards_;
};

}  // namespace tensorop
