// What a progress bar shows.
#pragma once

#include <cstdint>
#include <string>

namespace tensorop {

// "[=====>    ] 1234/10000, 0:12 left" in at most `width` columns: the bar gives way first, then the time
// left. Without anything done there is no time to be told.
[[nodiscard]] std::string progress_line(std::int64_t done, std::int64_t total, double elapsed_seconds,
                                        int width);

}  // namespace tensorop
