#include "report/progress_line.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tensorop::report_progress_line_test {

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
      {1, 2, 3599, 80, "[====================>                   ] 1/2, 59:59 left"},
      {1, 2, 3600, 80, "[====================>                   ] 1/2, 1:00:00 left"},
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

TEST_CASE("a progress line of work has its share and the time left, and before its beginning the time so far",
          "[report][progress]") {
  struct Row {
    std::int64_t done;
    double elapsed;
    int width;
    std::string line;
  };
  const std::vector<Row> rows = {
      {0, 4.5, 80, "[>                                       ] 0%, 0:05 so far"},
      {0, 4.5, 11, "[>     ] 0%"},
      {1, 2, 80, "[>                                       ] 0%, 8:18 left"},
      {125, 2, 80, "[====================>                   ] 50%, 0:02 left"},
      {125, 2, 24, "[===>   ] 50%, 0:02 left"},
      {125, 2, 14, "50%, 0:02 left"},
      {125, 2, 5, "50%"},
      {250, 4, 80, "[========================================] 100%"},
      {1, 0, -1, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.done, row.width);
    const std::string line = share_progress_line(row.done, 250, row.elapsed, row.width);
    CHECK(line == row.line);
    CHECK(static_cast<int>(line.size()) <= std::max(row.width, 0));
  }
}

}  // namespace tensorop::report_progress_line_test
