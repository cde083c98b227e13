#include "io/array_id.hpp"

#include <utility>

#include "io/format.hpp"

namespace tensorop {

NameInFile ArrayIds::find(const Operand& operand) {
  if (operand.is_standard_input()) return {"/dev/stdin"};
  const auto member = file_exists(operand.path) ? std::nullopt : find_member(operand, file_exists);
  if (!member) return {operand.path};
  std::string file = files_.file_of(member->file, member->name);
  return file_exists(file) ? NameInFile{std::move(file), std::string(npz_array_name(member->name))}
                           : NameInFile{operand.path};
}

std::optional<ArrayId> ArrayIds::id_of(const Operand& operand) {
  if (operand.is_tensor()) return std::nullopt;
  NameInFile found = find(operand);
  const auto file = file_id(found.file);
  return file ? std::optional(ArrayId{*file, std::move(found.name)}) : std::nullopt;
}

}  // namespace tensorop
