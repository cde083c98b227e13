#include "io/array_id.hpp"

#include <cerrno>

#include "io/format.hpp"

namespace tensorop {

std::optional<ArrayId> ArrayIds::of(const std::string& path) {
  if (const auto file = file_id(path)) return ArrayId{*file, {}};
  const int reason = errno;
  for (std::size_t colon = path.find(':'); colon != std::string::npos; colon = path.find(':', colon + 1)) {
    const std::string archive = path.substr(0, colon);
    if (!file_exists(archive)) continue;
    const std::string array = path.substr(colon + 1);
    if (const auto file = file_id(files_.of(archive, array)))
      return ArrayId{*file, std::string(npz_array_name(array))};
  }
  errno = reason;
  return std::nullopt;
}

}  // namespace tensorop
