#include "engine/settings.hpp"

#include "base/files/paths.hpp"
#include "base/files/temporary_entry.hpp"
#include "base/system/memory.hpp"
#include "base/text/error.hpp"

namespace tensorop {

std::int64_t memory_of(const Settings& settings) {
  return memory_part(settings.memory, settings.memory_sharers);
}

ScratchFile make_scratch(const Settings& settings, std::int64_t bytes) {
  if (settings.scratch_beside.empty()) return {temporary_base(), bytes};
  const std::string path = resolve_links(settings.scratch_beside);
  return {is_other_file(path) || named_descriptor(path) ? temporary_base() : directory_of(path), bytes};
}

}  // namespace tensorop
