#include "io/array_id.hpp"

#include <cerrno>

#include "base/files/paths.hpp"
#include "io/format.hpp"
#include "io/raw/raw.hpp"

namespace tensorop {

std::optional<ArrayId> ArrayIds::of(const std::string& path) {
  const std::string raw(raw_path(path));
  if (const auto file = file_id(raw.empty() ? path : raw)) return ArrayId{*file, {}};
  const int reason = errno;
  for (const auto& [archive, array] : split_names(path)) {
    if (!file_exists(archive)) continue;
    if (const auto file = file_id(files_.of(archive, array)))
      return ArrayId{*file, std::string(npz_array_name(array))};
  }
  errno = reason;
  return std::nullopt;
}

}  // namespace tensorop
