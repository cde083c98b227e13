#include "kernels/scatter_windows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "base/memory.hpp"
#include "kernels/distribution.hpp"

namespace tensorop {
namespace {

// Of the memory, a half holds the window; runs that are kept take up to a quarter, moves an eighth.
constexpr std::int64_t kWindowShare = 2;
constexpr std::int64_t kRunShare = 4;
constexpr std::int64_t kMoveShare = 8;

// Small windows: one is written to the disk while the next one is read.
constexpr std::int64_t kMostWindowBytes = 32 << 20;
// More windows than this are not made, however little memory there is.
constexpr std::int64_t kMostWindows = 4096;
// Targets of a window are kept in 32 bits.
constexpr std::int64_t kMostWindowRows = std::int64_t{1} << 31;
// Where all moves of a target row are applied together, those of a window are sorted: bytes a move.
constexpr std::int64_t kScatterSortBytes = 2 * sizeof(Move) + sizeof(Move) / 2;

// Reading updates this often costs no more than reading them, writing runs and reading those.
constexpr std::int64_t kFewPasses = 3;

// Updates between two that a window takes are read with them up to this distance.
constexpr std::int64_t kGap = 16 << 10;
// Rows that one thread decodes at a time.
constexpr std::int64_t kDecodeRows = std::int64_t{1} << 16;
// Bytes of a window that one thread copies at a time, and that are read ahead of it.
constexpr std::int64_t kBaseCopyBytes = 1 << 20;
constexpr std::int64_t kScatterAheadBytes = 16 << 20;
// Updates that are read ahead, however little memory there is.
constexpr std::int64_t kLeastAhead = 4 << 20;

std::int64_t update_bytes(const UpdateFacts& facts) {
  return facts.rows * facts.row_bytes;
}

// Moves of a window, targets counted from its first row, and the row 0 that their updates are counted from.
struct Moves {
  std::vector<Move> room;
  std::int64_t count = 0;
  const std::byte* updates = nullptr;
};

class WindowFiller {
 public:
  WindowFiller(const WindowedScatter& scatter, const Windowing& windowing, std::int64_t window_rows,
               const Threads& threads)
      : scatter_(scatter), windowing_(windowing), window_rows_(window_rows), threads_(threads) {}

  void distribute(UpdateSource source);
  void fill(std::int64_t window, std::byte* out);

 private:
  [[nodiscard]] Range targets(std::int64_t window) const {
    const std::int64_t first = window * window_rows_;
    return {first, std::min(window_rows_, scatter_.target_rows - first)};
  }

  void copy_data(Range targets, std::byte* out) const;
  void write(Range targets, const std::byte* out) const;
  [[nodiscard]] std::int64_t most_moves(std::int64_t rows) const;
  void load(std::int64_t window, Range piece, Moves& moves) const;
  void load_run(const Distribution::Run& run, Range piece, Moves& moves) const;
  void load_pass(Range targets, Range piece, Moves& moves) const;
  void apply(Range targets, const Moves& moves, std::byte* out) const;

  const WindowedScatter& scatter_;
  const Windowing& windowing_;
  std::int64_t window_rows_;
  const Threads& threads_;
  std::optional<Distribution> runs_;
  Moves moves_[2];  // those that are applied, and the next ones
};

void WindowFiller::distribute(UpdateSource source) {
  if (source == UpdateSource::passes) return;
  runs_.emplace(DistributedRows{scatter_.map, scatter_.updates, scatter_.row_bytes, scatter_.target_rows},
                window_rows_, source == UpdateSource::file ? windowing_.scratch : nullptr,
                windowing_.memory / kWindowShare, threads_);
  if (!runs_->is_mapped()) return;
  for (std::int64_t first = 0; first < scatter_.target_rows; first += window_rows_)
    threads_.expect(runs_->run(first / window_rows_).count * scatter_.row_bytes);
}

void WindowFiller::fill(std::int64_t window, std::byte* out) {
  const Range targets = this->targets(window);
  const Range rows = runs_ ? Range{0, runs_->run(window).count} : scatter_.map.rows_within(targets);
  const std::int64_t most = most_moves(rows.count);
  const auto piece = [&](std::int64_t number) {
    const std::int64_t first = number * most;
    return Range{rows.first + first, std::min(most, rows.count - first)};
  };
  const std::int64_t pieces = ceil_div(rows.count, std::max<std::int64_t>(1, most));
  if (pieces > 0) load(window, piece(0), moves_[0]);
  copy_data(targets, out);
  for (std::int64_t number = 0; number < pieces; ++number) {
    if (number + 1 < pieces) load(window, piece(number + 1), moves_[(number + 1) % 2]);
    apply(targets, moves_[number % 2], out);
  }
  write(targets, out);
}

// Data lies in the order of the windows: what is read ahead may belong to the next one.
void WindowFiller::copy_data(Range targets, std::byte* out) const {
  const std::int64_t begin = targets.first * scatter_.row_bytes;
  const std::int64_t bytes = targets.count * scatter_.row_bytes;
  const std::int64_t all = scatter_.target_rows * scatter_.row_bytes;
  const auto ask = [&](std::int64_t first, std::int64_t count) {
    if (first < all) will_need(scatter_.data + first, std::min(count, all - first));
  };
  const bool is_mapped = windowing_.is_mapped(scatter_.data);
  if (begin == 0) ask(0, kScatterAheadBytes);
  threads_.for_each(ceil_div(bytes, kBaseCopyBytes), [&](std::int64_t chunk, int /*worker*/) {
    const std::int64_t first = chunk * kBaseCopyBytes;
    const std::int64_t count = std::min(kBaseCopyBytes, bytes - first);
    ask(begin + first + kScatterAheadBytes, count);
    std::memcpy(out + first, scatter_.data + begin + first, to_size(count));
    if (is_mapped) done_with(scatter_.data + begin + first, count);
    threads_.advance(count);
  });
}

void WindowFiller::write(Range targets, const std::byte* out) const {
  const std::int64_t first = targets.first * scatter_.row_elements;
  const std::int64_t elements = targets.count * scatter_.row_elements;
  const std::int64_t width = scatter_.row_bytes / scatter_.row_elements;
  if (!windowing_.anywhere) return windowing_.write({first, elements}, out);
  const std::int64_t step = kBaseCopyBytes / width;
  threads_.for_each(ceil_div(elements, step), [&](std::int64_t chunk, int /*worker*/) {
    const std::int64_t at = chunk * step;
    const std::int64_t count = std::min(step, elements - at);
    windowing_.write({first + at, count}, out + at * width);
    threads_.advance(count * width);
  });
}

// How many rows are looked at before their updates are applied; all, where those of a target row must come
// together.
std::int64_t WindowFiller::most_moves(std::int64_t rows) const {
  if (scatter_.row_updates.by_row()) {
    require_memory(rows * kScatterSortBytes, "a window of updates that are combined row by row");
    return rows;
  }
  // Half for the moves that are applied, half for the next ones; as much again for their updates, which are
  // read ahead.
  const std::int64_t memory = windowing_.memory / kMoveShare / 2;
  const std::int64_t moves = std::max(kIndexBlock, memory / to_int64(sizeof(Move)));
  if (scatter_.row_updates.repeats()) return moves;
  return std::clamp<std::int64_t>(std::max(kLeastAhead, memory) / scatter_.row_bytes, 1, moves);
}

void WindowFiller::load(std::int64_t window, Range piece, Moves& moves) const {
  moves.room.resize(std::max(moves.room.size(), to_size(piece.count)));
  runs_ ? load_run(runs_->run(window), piece, moves) : load_pass(targets(window), piece, moves);
}

void WindowFiller::load_run(const Distribution::Run& run, Range piece, Moves& moves) const {
  if (runs_->is_mapped()) {
    threads_.advance(piece.count * scatter_.row_bytes);
    will_need(reinterpret_cast<const std::byte*>(run.targets + piece.first),
              piece.count * to_int64(sizeof(std::uint32_t)));
    will_need(run.rows + piece.first * scatter_.row_bytes, piece.count * scatter_.row_bytes);
  }
  threads_.for_each(ceil_div(piece.count, kDecodeRows), [&](std::int64_t chunk, int /*worker*/) {
    const std::int64_t end = std::min(piece.count, (chunk + 1) * kDecodeRows);
    for (std::int64_t i = chunk * kDecodeRows; i < end; ++i)
      moves.room[to_size(i)] = {run.targets[piece.first + i], i};
  });
  moves.count = piece.count;
  moves.updates = run.rows + piece.first * scatter_.row_bytes;
}

// Out of the rows of the piece, those that go to the targets.
void WindowFiller::load_pass(Range targets, Range piece, Moves& moves) const {
  const bool ask = !scatter_.row_updates.repeats();
  std::vector<std::int64_t> kept(to_size(ceil_div(piece.count, kDecodeRows)));
  threads_.for_each(to_int64(kept.size()), [&](std::int64_t chunk, int /*worker*/) {
    const std::int64_t begin = chunk * kDecodeRows;
    const std::int64_t end = std::min(piece.count, begin + kDecodeRows);
    Move* const out = moves.room.data() + begin;
    std::int64_t count = 0;
    std::int64_t needed = 0;  // bytes of updates [needed, needed_end) are asked for next
    std::int64_t needed_end = 0;
    const auto need = [&](std::int64_t first, std::int64_t past) {
      if (first > needed_end + kGap) {
        if (needed != needed_end) will_need(scatter_.updates + needed, needed_end - needed);
        needed = first;
      }
      needed_end = past;
    };
    std::int64_t offsets[kIndexBlock];
    for (std::int64_t at = begin; at < end; at += kIndexBlock) {
      const std::int64_t n = std::min(kIndexBlock, end - at);
      scatter_.map.locate(piece.first + at, n, offsets);
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t row = piece.first + at + i;
        const std::int64_t target = offsets[i] - targets.first;
        if (offsets[i] == kSkip || target < 0 || target >= targets.count) continue;
        out[count++] = {target, row};
        if (ask) need(row * scatter_.row_bytes, (row + 1) * scatter_.row_bytes);
      }
    }
    if (needed != needed_end) will_need(scatter_.updates + needed, needed_end - needed);
    kept[to_size(chunk)] = count;
  });
  moves.count = 0;
  for (std::size_t chunk = 0; chunk < kept.size(); ++chunk) {
    const Move* from = moves.room.data() + to_int64(chunk) * kDecodeRows;
    std::copy(from, from + kept[chunk], moves.room.data() + moves.count);
    moves.count += kept[chunk];
  }
  moves.updates = scatter_.updates;
}

// Each thread applies the moves of its part of the targets.
void WindowFiller::apply(Range targets, const Moves& moves, std::byte* out) const {
  const std::int64_t parts = std::min<std::int64_t>(threads_.count(), targets.count);
  threads_.for_each(parts, [&](std::int64_t part, int /*worker*/) {
    const std::int64_t first = part_bound(targets.count, part, parts);
    const Range mine = {first, part_bound(targets.count, part + 1, parts) - first};
    scatter_.row_updates.update({mine, 0, scatter_.row_elements, 0}, out + first * scatter_.row_bytes,
                                moves.updates, [&](const auto& take) {
                                  for (std::int64_t at = 0; at < moves.count; at += kIndexBlock)
                                    take(moves.room.data() + at, std::min(kIndexBlock, moves.count - at));
                                });
  });
}

std::int64_t window_rows_of(const WindowedScatter& scatter, std::int64_t memory) {
  std::int64_t bytes = memory / kWindowShare;
  if (!scatter.row_updates.repeats()) bytes = std::min(bytes, kMostWindowBytes);
  std::int64_t rows = bytes / scatter.row_bytes;
  if (scatter.row_updates.by_row()) {
    // Of updates that are spread evenly, those of a window fit too.
    const std::int64_t windows =
        ceil_div(scatter.map.rows() * kScatterSortBytes, std::max<std::int64_t>(1, memory / kRunShare));
    rows = std::min(rows, scatter.target_rows / windows);
  }
  rows = std::clamp(rows, ceil_div(scatter.target_rows, kMostWindows), kMostWindowRows);
  return std::clamp<std::int64_t>(rows, 1, scatter.target_rows);
}

UpdateFacts facts_of(const WindowedScatter& scatter, std::int64_t window_rows, std::int64_t memory) {
  return {ceil_div(scatter.target_rows, window_rows), scatter.map.rows(), scatter.row_bytes,
          scatter.row_updates.repeats(), memory};
}

}  // namespace

UpdateSource choose_source(const UpdateFacts& facts) {
  if (facts.repeated || facts.windows == 1) return UpdateSource::passes;
  if (Distribution::bytes(facts.rows, facts.row_bytes, facts.windows) <= facts.memory / kRunShare)
    return UpdateSource::memory;
  if (facts.row_bytes >= kLongRow || facts.windows <= kFewPasses) return UpdateSource::passes;
  return UpdateSource::file;
}

WindowPlan WindowedScatter::plan(std::int64_t memory) const {
  const std::int64_t rows = window_rows_of(*this, memory);
  const UpdateFacts facts = facts_of(*this, rows, memory);
  const UpdateSource source = choose_source(facts);
  const bool once = source != UpdateSource::passes || facts.row_bytes >= kLongRow;
  WindowPlan windows;
  windows.count = facts.windows;
  windows.window_bytes = rows * row_bytes;
  windows.read_bytes =
      target_rows * row_bytes + (facts.repeated ? 0 : (once ? 1 : facts.windows) * update_bytes(facts));
  if (source == UpdateSource::file)
    windows.scratch_bytes = Distribution::bytes(facts.rows, facts.row_bytes, facts.windows);
  return windows;
}

void WindowedScatter::fill(const Windowing& windowing, const Threads& threads) const {
  const std::int64_t rows = window_rows_of(*this, windowing.memory);
  const UpdateFacts facts = facts_of(*this, rows, windowing.memory);
  const std::int64_t bytes = target_rows * row_bytes;
  threads.expect(2 * bytes);
  WindowFiller filler(*this, windowing, rows, threads);
  filler.distribute(choose_source(facts));
  Storage window(rows * row_bytes);
  for (std::int64_t number = 0; number < facts.windows; ++number) filler.fill(number, window.data());
}

}  // namespace tensorop
