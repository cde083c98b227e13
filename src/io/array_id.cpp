#include "io/array_id.hpp"

#include <utility>

#include "base/files/paths.hpp"
#include "io/format.hpp"
#include "io/raw/raw.hpp"

namespace tensorop {

NameInFile ArrayIds::find(const std::string& path) {
  const std::string raw(raw_path(path));
  const std::string& whole = raw.empty() ? path : raw;
  if (file_exists(whole)) return {whole, {}};
  for (const auto& [archive, array] : split_names(path)) {
    if (!file_exists(archive)) continue;
    if (std::string file = files_.of(archive, array); file_exists(file))
      return {std::move(file), std::string(npz_array_name(array))};
  }
  return {whole, {}};
}

std::optional<ArrayId> ArrayIds::of(const std::string& path) {
  NameInFile found = find(path);
  const auto file = file_id(found.file);
  return file ? std::optional(ArrayId{*file, std::move(found.name)}) : std::nullopt;
}

}  // namespace tensorop
