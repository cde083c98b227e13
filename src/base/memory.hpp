// Memory that a size asks for, before it is taken: what the machine does not have is an error with both
// numbers and not the end of the process, or of another one.
#pragma once

#include <cstdint>
#include <string_view>

namespace tensorop {

// Throws MemoryError "WHAT needs N bytes of memory, M are free" when so many cannot be had. Small sizes are
// not asked about: there the allocation itself tells.
void require_memory(std::int64_t bytes, std::string_view what);

}  // namespace tensorop
