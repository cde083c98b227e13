#include "kernels/gather_windows.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "base/files/scratch_file.hpp"
#include "kernels/cache.hpp"
#include "kernels/needed_pages.hpp"
#include "kernels/sorted_moves.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {
namespace {

// A pass over data takes so much for each row, beside the row itself.
constexpr std::int64_t kGatherSortBytes = 24;
// Rows that a thread reads at a time, and their bytes, at most: they stay in its cache.
constexpr std::int64_t kBlockRows = 512;
constexpr std::int64_t kGatherBlockBytes = 1 << 20;
// The system is told of rows before they are read: of so many, or of so many bytes. Disks that answer many
// requests at a time are kept busy.
constexpr std::int64_t kAheadRows = 1 << 10;
constexpr std::int64_t kGatherAheadBytes = 16 << 20;
// Bytes of a result that a thread writes at a time.
constexpr std::int64_t kGatherWriteBytes = 4 << 20;
// Before each row in a temporary file: its number in the window.
constexpr std::int64_t kNumberBytes = sizeof(std::int64_t);

// Passes over data: each takes the rows of some windows of the result. Those of the first window go to their
// places in memory, those of the others to a temporary file, in one part for each window.
struct WindowSizes {
  std::int64_t pass_rows;
  std::int64_t window_rows;
  [[nodiscard]] std::int64_t passes(std::int64_t rows) const { return ceil_div(rows, pass_rows); }
  // Rows that go to the temporary file.
  [[nodiscard]] std::int64_t scratch_rows(std::int64_t rows) const {
    return rows / pass_rows * (pass_rows - window_rows) +
           std::max<std::int64_t>(0, rows % pass_rows - window_rows);
  }
};

// Bytes of data that a pass reads: whole pages, and no page twice.
std::int64_t read_bytes(const WindowedGather& gather, std::int64_t rows) {
  const std::int64_t all = gather.data_rows * gather.row_bytes;
  const std::int64_t most_rows = all / (gather.row_bytes + kPage);
  return rows > most_rows ? all : rows * (gather.row_bytes + kPage);
}

WindowSizes choose_sizes(const WindowedGather& gather, std::int64_t memory) {
  const std::int64_t rows = gather.map.rows();
  const auto most = [&](std::int64_t bytes, std::int64_t row_bytes) {
    return std::clamp<std::int64_t>(bytes / row_bytes, 1, rows);
  };
  const std::int64_t direct_rows = most(memory, gather.row_bytes + kGatherSortBytes);
  const WindowSizes direct = {direct_rows, direct_rows};
  // Half of the memory at most for sorting, the rest for a window.
  const std::int64_t pass_rows = most(memory / 2, kGatherSortBytes);
  const WindowSizes by_file = {
      pass_rows, std::min(pass_rows, most(memory - pass_rows * kGatherSortBytes, gather.row_bytes))};
  // What is read and written altogether.
  const auto cost = [&](const WindowSizes& sizes) {
    return sizes.passes(rows) * read_bytes(gather, sizes.pass_rows) +
           2 * sizes.scratch_rows(rows) * (gather.row_bytes + kNumberBytes);
  };
  return cost(by_file) < cost(direct) ? by_file : direct;
}

// Rows of data in ascending order, block by block on all threads.
class AscendingRows {
 public:
  AscendingRows(const WindowedGather& gather, Range rows, bool mapped, const Threads& threads)
      : gather_(gather), mapped_(mapped), threads_(threads) {
    moves_.sort(gather.map, rows, gather.data_rows,
                std::clamp<std::int64_t>(rows.count / kBlockRows, 1, 4096), threads);
    moves_.sort_within_buckets(threads);
    block_rows_ = std::clamp<std::int64_t>(kGatherBlockBytes / gather.row_bytes, 1, kBlockRows);
  }

  [[nodiscard]] std::int64_t count() const { return moves_.count(); }
  [[nodiscard]] std::int64_t blocks() const { return ceil_div(moves_.count(), block_rows_); }
  [[nodiscard]] std::span<const Move> block(std::int64_t number) const {
    const std::int64_t first = number * block_rows_;
    return moves_.all().subspan(to_size(first), to_size(std::min(block_rows_, count() - first)));
  }

  // Calls take(number, moves) for each block.
  template <class Take>
  void for_each_block(const Take& take) const {
    const std::int64_t row_bytes = gather_.row_bytes;
    const std::int64_t ahead =
        std::max(ceil_div(kAheadRows, block_rows_), kGatherAheadBytes / (block_rows_ * (row_bytes + kPage)));
    const auto announce = [&](std::int64_t number) {
      if (number < blocks()) will_need_rows(gather_.data, row_bytes, block(number));
    };
    threads_.for_each(blocks(), [&](std::int64_t number, int /*worker*/) {
      for (std::int64_t first = 0; number == 0 && first < ahead; ++first) announce(first);
      announce(number + ahead);
      const auto rows = block(number);
      take(number, rows);
      if (mapped_) {
        const std::byte* const first = gather_.data + rows.front().target * row_bytes;
        done_with(first, gather_.data + (rows.back().target + 1) * row_bytes - first);
      }
      threads_.advance(to_int64(rows.size()) * row_bytes);
    });
  }

 private:
  const WindowedGather& gather_;
  bool mapped_;
  const Threads& threads_;
  SortedMoves moves_;
  std::int64_t block_rows_ = 1;
};

class Gathering {
 public:
  Gathering(const WindowedGather& gather, const Windowing& windowing, const Threads& threads)
      : gather_(gather),
        windowing_(windowing),
        threads_(threads),
        sizes_(choose_sizes(gather, windowing.memory)),
        window_(std::min(sizes_.window_rows, gather.map.rows()) * gather.row_bytes) {}

  void run() {
    const std::int64_t rows = gather_.map.rows();
    threads_.expect((2 * rows + sizes_.scratch_rows(rows)) * gather_.row_bytes);
    for (std::int64_t first = 0; first < rows; first += sizes_.pass_rows) {
      const Range pass = {first, std::min(sizes_.pass_rows, rows - first)};
      pass.count > sizes_.window_rows ? fill_windows(pass) : fill_window(pass);
    }
  }

 private:
  [[nodiscard]] std::byte* row(std::int64_t number) { return window_.data() + number * gather_.row_bytes; }
  [[nodiscard]] std::size_t row_size() const { return to_size(gather_.row_bytes); }

  // Rows that no index selects are zeros.
  void clear_window(std::int64_t rows) {
    if (gather_.map.skips()) std::memset(window_.data(), 0, to_size(rows * gather_.row_bytes));
  }

  // `window` is that of `move`.
  void take_row(const Move& move, Range window) {
    std::memcpy(row(move.update - window.first), gather_.data + move.target * gather_.row_bytes, row_size());
  }

  void fill_window(Range window) {
    clear_window(window.count);
    AscendingRows(gather_, window, windowing_.is_mapped(gather_.data), threads_)
        .for_each_block([&](std::int64_t /*number*/, std::span<const Move> rows) {
          for (const Move& move : rows) take_row(move, window);
        });
    write_window(window);
  }

  void fill_windows(Range pass) {
    const Range first_window = {pass.first, sizes_.window_rows};
    clear_window(first_window.count);
    std::vector<std::int64_t> ends;  // of the part of each window, in rows
    const ScratchFile file = distribute(pass, ends);
    write_window(first_window);
    for (std::size_t number = 1; number < ends.size(); ++number) {
      const std::int64_t first = to_int64(number) * sizes_.window_rows;
      const Range window = {pass.first + first, std::min(sizes_.window_rows, pass.count - first)};
      clear_window(window.count);
      read_part(file, {ends[number - 1], ends[number] - ends[number - 1]});
      write_window(window);
    }
  }

  // The rows of the first window of a pass to their places, all others to a temporary file: the rows of each
  // window that a block has follow those of the blocks before.
  ScratchFile distribute(Range pass, std::vector<std::int64_t>& ends) {
    const AscendingRows ascending(gather_, pass, windowing_.is_mapped(gather_.data), threads_);
    const std::int64_t windows = ceil_div(pass.count, sizes_.window_rows);
    const auto window_of = [&](const Move& move) { return (move.update - pass.first) / sizes_.window_rows; };
    std::vector<std::int64_t> slots(to_size(ascending.blocks() * windows));
    threads_.for_each(ascending.blocks(), [&](std::int64_t number, int /*worker*/) {
      for (const Move& move : ascending.block(number)) ++slots[to_size(number * windows + window_of(move))];
    });
    std::int64_t next = 0;
    ends.push_back(next);
    for (std::int64_t window = 1; window < windows; ++window) {
      for (std::int64_t number = 0; number < ascending.blocks(); ++number)
        next += std::exchange(slots[to_size(number * windows + window)], next);
      ends.push_back(next);
    }
    const std::int64_t record = kNumberBytes + gather_.row_bytes;
    ScratchFile file = windowing_.scratch(next * record);
    ascending.for_each_block([&](std::int64_t number, std::span<const Move> rows) {
      std::vector<Move> others;
      for (const Move& move : rows) window_of(move) == 0 ? take_row(move, pass) : others.push_back(move);
      std::ranges::stable_sort(others, {}, window_of);
      std::vector<std::byte> records(others.size() * to_size(record));
      for (auto first = others.begin(); first != others.end();) {
        const std::int64_t window = window_of(*first);
        std::byte* end = records.data();
        for (; first != others.end() && window_of(*first) == window; ++first, end += record) {
          const std::int64_t in_window = (first->update - pass.first) % sizes_.window_rows;
          std::memcpy(end, &in_window, sizeof in_window);
          std::memcpy(end + kNumberBytes, gather_.data + first->target * gather_.row_bytes, row_size());
        }
        file.write_at(slots[to_size(number * windows + window)] * record,
                      {records.data(), static_cast<std::size_t>(end - records.data())});
      }
    });
    return file;
  }

  void read_part(const ScratchFile& file, Range rows) {
    const std::int64_t record = kNumberBytes + gather_.row_bytes;
    const std::int64_t step = std::max<std::int64_t>(1, kGatherBlockBytes / record);
    threads_.for_each(ceil_div(rows.count, step), [&](std::int64_t number, int /*worker*/) {
      const std::int64_t n = std::min(step, rows.count - number * step);
      std::vector<std::byte> records(to_size(n * record));
      file.read_at((rows.first + number * step) * record, records);
      for (const std::byte* at = records.data(); at != records.data() + records.size(); at += record) {
        std::int64_t in_window = 0;
        std::memcpy(&in_window, at, sizeof in_window);
        std::memcpy(row(in_window), at + kNumberBytes, row_size());
      }
      threads_.advance(n * gather_.row_bytes);
    });
  }

  void write_window(Range window) {
    const std::int64_t step =
        windowing_.anywhere ? std::max<std::int64_t>(1, kGatherWriteBytes / gather_.row_bytes) : window.count;
    threads_.for_each(ceil_div(window.count, step), [&](std::int64_t number, int /*worker*/) {
      const std::int64_t at = number * step;
      const std::int64_t n = std::min(step, window.count - at);
      windowing_.write({(window.first + at) * gather_.row_elements, n * gather_.row_elements}, row(at));
      if (windowing_.anywhere) threads_.advance(n * gather_.row_bytes);
    });
  }

  const WindowedGather& gather_;
  const Windowing& windowing_;
  const Threads& threads_;
  WindowSizes sizes_;
  Storage window_;
};

}  // namespace

WindowPlan WindowedGather::plan(std::int64_t memory) const {
  const WindowSizes sizes = choose_sizes(*this, memory);
  const std::int64_t rows = map.rows();
  return {.count = rows / sizes.pass_rows * ceil_div(sizes.pass_rows, sizes.window_rows) +
                   ceil_div(rows % sizes.pass_rows, sizes.window_rows),
          .window_bytes = sizes.window_rows * row_bytes,
          .read_bytes = sizes.passes(rows) * read_bytes(*this, sizes.pass_rows),
          .scratch_bytes = sizes.scratch_rows(rows) * (kNumberBytes + row_bytes)};
}

void WindowedGather::fill(const Windowing& windowing, const Threads& threads) const {
  expect_random(data, data_rows * row_bytes);
  Gathering(*this, windowing, threads).run();
}

}  // namespace tensorop
