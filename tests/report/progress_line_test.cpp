#include "report/progress_line.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tensorop {

TEST_CASE("a progress line has a bar, a count and the time left, as far as they fit", "[report][progress]") {
  struct Row {
    std::int64_t done;
    std::int64_t total;
    double elapsed;
    int width;
    std::string line;
  };
  const std::vector<Row> rows = {
      {0, 10, 1, 80, "[>                                       ] 0/10"},
      {5, 10, 7, 80, "[====================>                   ] 5/10, 0:07 left"},
      {10, 10, 7, 80, "[========================================] 10/10"},
      {1, 3, 60, 80, "[=============>                          ] 1/3, 2:00 left"},
      {1, 2, 3725, 80, "[====================>                   ] 1/2, 1:02:05 left"},
      {1, 1000000000, 1e9, 80, "[>                                       ] 1/1000000000, 100:00:00 left"},
      {5, 10, 7, 24, "[===>  ] 5/10, 0:07 left"},
      {5, 10, 7, 22, "5/10, 0:07 left"},
      {5, 10, 7, 14, "[===>   ] 5/10"},
      {5, 10, 7, 3, "5/1"},
      {5, 10, 7, 0, ""},
      {5, 10, 7, -1, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.done, row.width);
    const std::string line = progress_line(row.done, row.total, row.elapsed, row.width);
    CHECK(line == row.line);
    CHECK(static_cast<int>(line.size()) <= std::max(row.width, 0));
  }
}

TEST_CASE("a progress line of bytes has a rate as well", "[report][progress]") {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  struct Row {
    std::int64_t done;
    std::int64_t total;
    double elapsed;
    int width;
    std::string line;
  };
  const std::vector<Row> rows = {
      {0, 10 * kMiB, 1, 80, "[>                                       ] 0.0/10.0 MiB"},
      {1024 * kMiB, 4096 * kMiB, 2, 80,
       "[==========>                             ] 1.0/4.0 GiB, 512.0 MiB/s, 0:06 left"},
      {1024 * kMiB, 4096 * kMiB, 2, 44, "[=>    ] 1.0/4.0 GiB, 512.0 MiB/s, 0:06 left"},
      {1024 * kMiB, 4096 * kMiB, 2, 30, "[=>   ] 1.0/4.0 GiB, 0:06 left"},
      {1024 * kMiB, 4096 * kMiB, 2, 11, "1.0/4.0 GiB"},
      {1024 * kMiB, 4096 * kMiB, 2, 3, "1.0"},
      {10 * kMiB, 10 * kMiB, 4, 80, "[========================================] 10.0/10.0 MiB, 2.5 MiB/s"},
      {512, 1000, 1, 80, "[===================>                   ] 512/1000 bytes, 512 bytes/s, 0:01 left"},
      {1, 2, 0, -1, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.done, row.width);
    const std::string line = byte_progress_line(row.done, row.total, row.elapsed, row.width);
    CHECK(line == row.line);
    CHECK(static_cast<int>(line.size()) <= std::max(row.width, 0));
  }
}

}  // namespace tensorop
