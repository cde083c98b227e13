// The text of a progress bar.
#pragma once

#include <cstdint>
#include <string>

namespace tensorop {

// "[=====>    ] 1234/10000, 0:12 left" in at most `width` columns: in a narrow line first the bar is
// shortened, then the bar is dropped, then the time. Before the first step is done, no time is printed.
[[nodiscard]] std::string progress_line(std::int64_t done, std::int64_t total, double elapsed_seconds,
                                        int width);

// progress_line() for work counted in bytes, which mean nothing to users: "[=====>    ] 45%, 0:12 left";
// before the first byte "0%, 0:05 so far".
[[nodiscard]] std::string share_progress_line(std::int64_t done, std::int64_t total, double elapsed_seconds,
                                              int width);

}  // namespace tensorop
