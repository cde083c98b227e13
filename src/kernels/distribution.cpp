#include "kernels/distribution.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/advice.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kPartAlignment = 64;

// A chunk is so large that the rows of a window in it are written in pieces of about this size.
constexpr std::int64_t kPieceBytes = 256 << 10;
// The places of all chunks in all runs take up to so many bytes, or an eighth of the memory.
constexpr std::int64_t kPlaceBytes = 4 << 20;

constexpr std::int64_t kRunTargetBytes = sizeof(std::uint32_t);

std::int64_t aligned(std::int64_t bytes) {
  return ceil_div(bytes, kPartAlignment) * kPartAlignment;
}

// Rows that a worker distributes at a time.
std::int64_t chunk_rows_of(std::int64_t rows, std::int64_t row_bytes, std::int64_t windows,
                           std::int64_t memory, int workers) {
  const std::int64_t bytes = std::min(memory / workers, windows * kPieceBytes);
  const std::int64_t most_places =
      std::max(kPlaceBytes, memory / 8) / static_cast<std::int64_t>(sizeof(std::int64_t));
  const std::int64_t most_chunks = std::max<std::int64_t>(1, most_places / windows);
  return std::max({kIndexBlock, bytes / (row_bytes + kRunTargetBytes), ceil_div(rows, most_chunks)});
}

[[noreturn]] void fail_changed() {
  throw Error("indices changed while they were read");
}

// The rows in chunks, and where in the runs the rows of each chunk go.
class Chunks {
 public:
  Chunks(const DistributedRows& from, std::int64_t window_rows, std::int64_t memory, int workers)
      : from_(from),
        window_rows_(window_rows),
        windows_(ceil_div(from.target_rows, window_rows)),
        size_(chunk_rows_of(from.map.rows(), from.row_bytes, windows_, memory, workers)),
        count_(ceil_div(from.map.rows(), size_)) {}

  [[nodiscard]] std::int64_t windows() const { return windows_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t size() const { return size_; }

  // Empty above the last chunk.
  [[nodiscard]] Range rows(std::int64_t chunk) const {
    const std::int64_t all = from_.map.rows();
    const std::int64_t first = std::min(all, chunk * size_);
    return {first, std::min(size_, all - first)};
  }

  // Counts the rows of each chunk for each window.
  void prepare(const Threads& threads) {
    places_.resize(to_size((count_ + 1) * windows_));
    threads.for_each(count_, [&](std::int64_t chunk, int /*worker*/) {
      std::int64_t* counts = places_.data() + chunk * windows_;
      visit(chunk,
            [&](std::int64_t /*row*/, std::int64_t window, std::uint32_t /*target*/) { ++counts[window]; });
    });
    for (std::int64_t window = 0; window < windows_; ++window) {
      std::int64_t total = 0;
      for (std::int64_t chunk = 0; chunk <= count_; ++chunk)
        total += std::exchange(places_[to_size(chunk * windows_ + window)], total);
    }
  }

  // Where in the run of a window the rows of a chunk begin; of the chunk count(): how many the run has.
  [[nodiscard]] std::int64_t place(std::int64_t chunk, std::int64_t window) const {
    return places_[to_size(chunk * windows_ + window)];
  }

  // Calls take(row of the chunk, window, target in it) for the rows of a chunk that have a target.
  template <class Take>
  void visit(std::int64_t chunk, const Take& take) const {
    const Range all = rows(chunk);
    std::int64_t targets[kIndexBlock];
    for (std::int64_t first = 0; first < all.count; first += kIndexBlock) {
      const std::int64_t n = std::min(kIndexBlock, all.count - first);
      from_.map.locate(all.first + first, n, targets);
      for (std::int64_t i = 0; i < n; ++i) {
        if (targets[i] == kSkip) continue;
        const std::int64_t window = targets[i] / window_rows_;
        take(first + i, window, static_cast<std::uint32_t>(targets[i] - window * window_rows_));
      }
    }
  }

 private:
  const DistributedRows& from_;
  std::int64_t window_rows_;
  std::int64_t windows_;
  std::int64_t size_;
  std::int64_t count_;
  std::vector<std::int64_t> places_;
};

// The rows of a chunk, grouped by window.
class WindowGroups {
 public:
  WindowGroups(const Chunks& chunks, std::int64_t row_bytes)
      : row_bytes_(row_bytes),
        targets_(to_size(chunks.size())),
        begins_(to_size(chunks.windows() + 1)),
        next_(to_size(chunks.windows())),
        rows_(std::make_unique_for_overwrite<std::byte[]>(to_size(chunks.size() * row_bytes))) {}

  // `rows`: the first row of the chunk.
  void fill(const Chunks& chunks, std::int64_t chunk, const std::byte* rows) {
    for (std::size_t window = 0; window < next_.size(); ++window) {
      const std::int64_t number = to_int64(window);
      next_[window] = begins_[window];
      begins_[window + 1] = begins_[window] + chunks.place(chunk + 1, number) - chunks.place(chunk, number);
    }
    chunks.visit(chunk, [&](std::int64_t row, std::int64_t window, std::uint32_t target) {
      const std::int64_t at = next_[to_size(window)]++;
      if (at == begins_[to_size(window + 1)]) fail_changed();
      targets_[to_size(at)] = target;
      std::memcpy(rows_.get() + at * row_bytes_, rows + row * row_bytes_, to_size(row_bytes_));
    });
    if (!std::equal(next_.begin(), next_.end(), begins_.begin() + 1)) fail_changed();
  }

  [[nodiscard]] std::int64_t count(std::int64_t window) const {
    return begins_[to_size(window + 1)] - begins_[to_size(window)];
  }
  [[nodiscard]] const std::uint32_t* targets(std::int64_t window) const {
    return targets_.data() + begins_[to_size(window)];
  }
  [[nodiscard]] const std::byte* rows(std::int64_t window) const {
    return rows_.get() + begins_[to_size(window)] * row_bytes_;
  }

 private:
  std::int64_t row_bytes_;
  std::vector<std::uint32_t> targets_;
  std::vector<std::int64_t> begins_;  // of each window
  std::vector<std::int64_t> next_;    // where its next row goes
  std::unique_ptr<std::byte[]> rows_;
};

}  // namespace

std::int64_t Distribution::bytes(std::int64_t rows, std::int64_t row_bytes, std::int64_t windows) {
  return rows * (row_bytes + kRunTargetBytes) + 2 * windows * kPartAlignment;
}

Distribution::Distribution(const DistributedRows& from, std::int64_t window_rows,
                           const std::function<ScratchFile(std::int64_t)>& scratch, std::int64_t memory,
                           const Threads& threads) {
  const std::int64_t row_bytes = from.row_bytes;
  Chunks chunks(from, window_rows, memory, threads.count());
  chunks.prepare(threads);
  std::int64_t end = 0;
  for (std::int64_t window = 0; window < chunks.windows(); ++window) {
    const std::int64_t count = chunks.place(chunks.count(), window);
    const std::int64_t rows = end + aligned(count * kRunTargetBytes);
    places_.push_back({end, rows, count});
    end = rows + aligned(count * row_bytes);
  }
  if (scratch) {
    file_.emplace(scratch(end));
  } else {
    memory_.emplace(end);
  }

  threads.expect(from.map.rows() * row_bytes);
  std::vector<std::unique_ptr<WindowGroups>> groups(to_size(threads.count()));
  threads.for_each(chunks.count(), [&](std::int64_t chunk, int worker) {
    const Range later = chunks.rows(chunk + threads.count());
    will_need(from.rows + later.first * row_bytes, later.count * row_bytes);
    auto& mine = groups[static_cast<std::size_t>(worker)];
    if (!mine) mine = std::make_unique<WindowGroups>(chunks, row_bytes);
    mine->fill(chunks, chunk, from.rows + chunks.rows(chunk).first * row_bytes);
    for (std::int64_t window = 0; window < chunks.windows(); ++window) {
      const std::int64_t count = mine->count(window);
      if (count == 0) continue;
      const Place& place = places_[to_size(window)];
      const std::int64_t at = chunks.place(chunk, window);
      write(place.targets + at * kRunTargetBytes, mine->targets(window), count * kRunTargetBytes);
      write(place.rows + at * row_bytes, mine->rows(window), count * row_bytes);
    }
    threads.advance(chunks.rows(chunk).count * row_bytes);
  });
  base_ = file_ ? file_->map().data() : memory_->data();
}

void Distribution::write(std::int64_t offset, const void* from, std::int64_t bytes) {
  if (file_) {
    file_->write_at(offset, {static_cast<const std::byte*>(from), to_size(bytes)});
  } else {
    std::memcpy(memory_->data() + offset, from, to_size(bytes));
  }
}

Distribution::Run Distribution::run(std::int64_t window) const {
  const Place& place = places_[to_size(window)];
  return {reinterpret_cast<const std::uint32_t*>(base_ + place.targets), base_ + place.rows, place.count};
}

}  // namespace tensorop
