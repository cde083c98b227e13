#include "base/progress_line.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/checked.hpp"
#include "base/text.hpp"

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

std::string bar(std::int64_t done, std::int64_t total, std::int64_t length) {
  const double share = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
  std::string out(to_size(length), ' ');
  const auto full = static_cast<std::size_t>(share * static_cast<double>(length));
  std::fill_n(out.begin(), full, '=');
  if (full < out.size()) out[full] = '>';
  return cat("[", out, "] ");
}

}  // namespace

std::string progress_line(std::int64_t done, std::int64_t total, double elapsed_seconds, int width) {
  constexpr std::int64_t kLongestBar = 40;
  constexpr std::int64_t kShortestBar = 5;
  constexpr std::int64_t kAroundBar = 3;
  std::string text = cat(done, "/", total);
  if (done != 0 && done < total) {
    const double left = elapsed_seconds / static_cast<double>(done) * static_cast<double>(total - done);
    const std::string with_time = cat(text, ", ", duration_text(left), " left");
    if (to_int64(with_time.size()) <= width) text = with_time;
  }
  const std::int64_t room = width - kAroundBar - to_int64(text.size());
  if (room < kShortestBar) return text.substr(0, to_size(std::max(width, 0)));
  return bar(done, total, std::min(room, kLongestBar)) + text;
}

}  // namespace tensorop
