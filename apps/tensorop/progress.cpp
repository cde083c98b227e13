#include "progress.hpp"

#include <unistd.h>

#include <optional>
#include <string>
#include <system_error>

#include "base/process/exit_cleanup.hpp"
#include "base/process/terminal.hpp"
#include "base/text/text.hpp"
#include "report/progress_line.hpp"

namespace tensorop {
namespace {

// One column stays free, because some terminals wrap at the last one.
int bar_width() {
  return terminal_columns(STDERR_FILENO) - 1;
}

// Removes the bar, and the ^C that a terminal shows after it.
constexpr const char* kEraseLine = "\r\033[K";

// Writes a bar, or the text that removes it. A signal that ends the process removes the bar from a terminal,
// and it is not drawn again.
void write_bar(const std::string& text, bool is_shown) {
  std::optional<CleanupLock> lock;
  if (::isatty(STDERR_FILENO) != 0) lock.emplace().set_text_at_exit(is_shown ? kEraseLine : nullptr);
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Progress::Progress(ProgressMode mode, const Meter* meter) : meter_(meter) {
  if (mode == ProgressMode::never) return;
  if (mode == ProgressMode::automatic && ::isatty(STDERR_FILENO) == 0) return;
  const Clock::duration delay =
      mode == ProgressMode::always ? Clock::duration::zero() : std::chrono::seconds(1);
  try {
    painter_ = std::jthread([this, delay] { redraw_until_end(delay); });
  } catch (const std::system_error&) {  // no thread is available, so there is no bar
  }
}

Progress::~Progress() {
  end();
}

void Progress::set(std::int64_t done, std::int64_t total) {
  done_ = done;
  total_ = total;
}

void Progress::hide_while(const std::function<void()>& body) {
  const std::lock_guard lock(mutex_);
  const bool stood = drawn_ != 0;
  clear();
  body();
  if (stood) draw();
}

void Progress::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    clear();
  }
  ended_changed_.notify_all();
  if (painter_.joinable()) painter_.join();
}

void Progress::redraw_until_end(Clock::duration delay) {
  constexpr auto kBetween = std::chrono::milliseconds(100);
  std::unique_lock lock(mutex_);
  for (Clock::duration wait = delay; !ended_changed_.wait_for(lock, wait, [&] { return ended_; });
       wait = kBetween) {
    draw();
  }
}

void Progress::draw() {
  const std::int64_t total = meter_ != nullptr ? meter_->total() : total_.load();
  if (total == 0) return;
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string line = meter_ != nullptr ? share_progress_line(meter_->done(), total, elapsed, bar_width())
                                       : progress_line(done_, total, elapsed, bar_width());
  const std::size_t columns = line.size();
  if (columns < drawn_) line.append(drawn_ - columns, ' ');
  write_bar(cat("\r", line), true);
  drawn_ = columns;
}

void Progress::clear() {
  if (drawn_ == 0) return;
  write_bar(cat("\r", std::string(drawn_, ' '), "\r"), false);
  drawn_ = 0;
}

}  // namespace tensorop
