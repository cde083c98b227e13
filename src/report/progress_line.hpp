// What a progress bar shows.
#pragma once

#include <cstdint>
#include <string>

namespace tensorop {

// "[=====>    ] 1234/10000, 0:12 left" in at most `width` columns: in a narrow line the bar is shorter, then
// left out, then the time. Before the first step is done, no time is shown.
[[nodiscard]] std::string progress_line(std::int64_t done, std::int64_t total, double elapsed_seconds,
                                        int width);

// The same of work that is counted in bytes read, moved and written, which no user knows:
// "[=====>    ] 45%, 0:12 left"; before the first of them "0%, 0:05 so far".
[[nodiscard]] std::string share_progress_line(std::int64_t done, std::int64_t total, double elapsed_seconds,
                                              int width);

}  // namespace tensorop
