#include "report/progress_line.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

std::string two_digits(std::int64_t value) {
  return cat(value < 10 ? "0" : "", value);
}

// "0:05", "12:34", "1:02:03".
std::string duration_text(double seconds) {
  constexpr double kLongest = 100.0 * 3600;
  const auto whole = static_cast<std::int64_t>(std::ceil(std::min(seconds, kLongest)));
  const std::int64_t minutes = whole / 60;
  const std::string tail = cat(":", two_digits(whole % 60));
  return minutes < 60 ? cat(minutes, tail) : cat(minutes / 60, ":", two_digits(minutes % 60), tail);
}

std::string bar(double share, std::int64_t length) {
  std::string out(to_size(length), ' ');
  const auto full = static_cast<std::size_t>(share * static_cast<double>(length));
  std::fill_n(out.begin(), full, '=');
  if (full < out.size()) out[full] = '>';
  return cat("[", out, "] ");
}

// `counts` and `tail` if it fits, and a bar if that fits too.
std::string line_of(std::string counts, const std::string& tail, double share, int width) {
  constexpr std::int64_t kLongestBar = 40;
  constexpr std::int64_t kShortestBar = 5;
  constexpr std::int64_t kAroundBar = 3;
  if (to_int64(counts.size() + tail.size()) <= width) counts += tail;
  const std::int64_t room = width - kAroundBar - to_int64(counts.size());
  if (room < kShortestBar) return counts.substr(0, to_size(std::max(width, 0)));
  return bar(share, std::min(room, kLongestBar)) + counts;
}

double share_of(std::int64_t done, std::int64_t total) {
  return total == 0 ? 1 : std::min(static_cast<double>(done) / static_cast<double>(total), 1.0);
}

// Empty before the first step and after the last one.
std::string time_left(std::int64_t done, std::int64_t total, double elapsed_seconds) {
  if (done == 0 || done >= total) return {};
  const double left = elapsed_seconds / static_cast<double>(done) * static_cast<double>(total - done);
  return cat(", ", duration_text(left), " left");
}

}  // namespace

std::string progress_line(std::int64_t done, std::int64_t total, double elapsed_seconds, int width) {
  return line_of(cat(done, "/", total), time_left(done, total, elapsed_seconds), share_of(done, total),
                 width);
}

std::string share_progress_line(std::int64_t done, std::int64_t total, double elapsed_seconds, int width) {
  const double share = share_of(done, total);
  // Nothing is counted while indices are checked and sorted, or while the result has no reader.
  const std::string time = done == 0 ? cat(", ", duration_text(elapsed_seconds), " so far")
                                     : time_left(done, total, elapsed_seconds);
  return line_of(cat(static_cast<std::int64_t>(share * 100), "%"), time, share, width);
}

}  // namespace tensorop
