// What a progress bar shows.
#pragma once

#include <cstdint>
#include <string>

namespace tensorop {

// "[=====>    ] 1234/10000, 0:12 left" in at most `width` columns: in a narrow line the bar is shorter, then
// left out, then the time. Before the first step is done, no time is shown.
[[nodiscard]] std::string progress_line(std::int64_t done, std::int64_t total, double elapsed_seconds,
                                        int width);

// The same of bytes, with the rate: "[=====>    ] 1.2/4.0 GiB, 850.0 MiB/s, 0:03 left".
[[nodiscard]] std::string byte_progress_line(std::int64_t done, std::int64_t total, double elapsed_seconds,
                                             int width);

}  // namespace tensorop
