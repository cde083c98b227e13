#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "kernels/row_updates.hpp"
#include "ranks/exchange.hpp"
#include "ranks/exchange_buffers.hpp"
#include "ranks/row_requests.hpp"
#include "ranks/run_log.hpp"
#include "ranks/together.hpp"

namespace tensorop {
namespace {

// A block of updates that a rank reads in a round.
constexpr std::int64_t kUpdateBlockBytes = 1 << 20;
// Bytes of a window that a thread copies or writes at a time.
constexpr std::int64_t kUpdateCopyBytes = 1 << 20;

// Where an update goes, and which one it is: its target counted from the first of its owner's part; its row
// of the updates, which only repeated ones are made from.
struct Address {
  std::int64_t target;
  std::int64_t update;
};

class ScatterExchange {
 public:
  ScatterExchange(const RowMoves& moves, const Exchange& exchange)
      : moves_(moves),
        exchange_(exchange),
        size_(exchange.ranks.size()),
        window_rows_(std::clamp<std::int64_t>(exchange.memory / 2 / moves.row_bytes, 1,
                                              ceil_div(moves.data_rows, size_))),
        block_rows_(block_rows()) {}

  void run() {
    const Ranks& ranks = exchange_.ranks;
    together(ranks, [&] {
      const std::int64_t most = block_rows_ * size_;
      addresses_.emplace(ranks, to_int64(sizeof(Address)), block_rows_, most);
      rows_.emplace(ranks, sent_row_bytes(), block_rows_, most);
      window_.emplace(window_rows_ * moves_.row_bytes, "a window of the result");
      found_.resize(to_size(block_rows_));
    });
    const Range mine = part_of(moves_.data_rows, ranks.rank(), size_);
    exchange_.threads.expect(2 * mine.count * moves_.row_bytes);
    // All ranks have the same number of windows, of which some may be empty.
    windows_ = ceil_div(ceil_div(moves_.data_rows, size_), window_rows_);
    if (keeps()) make_room();
    together(ranks, [&] { copy_data(window_of(mine, 0)); });
    const std::int64_t rows = moves_.map->rows();
    const std::int64_t round_rows = block_rows_ * size_;
    for (std::int64_t first = 0; first < rows; first += round_rows) {
      const std::int64_t at = std::min(rows, first + ranks.rank() * block_rows_);
      make_round({at, std::min(block_rows_, rows - at)}, mine);
    }
    // Windows need the memory.
    addresses_.reset();
    rows_.reset();
    together(ranks, [&] {
      for (std::int64_t number = 0; number < windows_; ++number) finish(window_of(mine, number), number);
    });
  }

 private:
  // Repeated updates are made where they are needed.
  [[nodiscard]] std::int64_t sent_row_bytes() const {
    return moves_.updates == nullptr ? 0 : moves_.row_bytes;
  }

  // All blocks of a round may go to one rank.
  [[nodiscard]] std::int64_t block_rows() const {
    const std::int64_t row = sent_row_bytes() + to_int64(sizeof(Address));
    const std::int64_t bytes =
        std::min({exchange_.memory / 4 / size_, kUpdateBlockBytes, kMostExchanged / size_});
    return std::clamp<std::int64_t>(bytes / row, 1, std::max<std::int64_t>(1, moves_.map->rows()));
  }

  // Rows of data of window `number` of a rank's part.
  [[nodiscard]] Range window_of(Range part, std::int64_t number) const {
    const std::int64_t first = std::min(part.end(), part.first + number * window_rows_);
    return {first, std::min(window_rows_, part.end() - first)};
  }

  // Whether updates wait until all have come: for their window, or because all those of a target are applied
  // together.
  [[nodiscard]] bool keeps() const { return windows_ > 1 || moves_.row_updates->by_row(); }

  // A place for all updates that will come, as many as all ranks count.
  void make_room() {
    const Ranks& ranks = exchange_.ranks;
    std::vector<std::int64_t> counts(to_size(size_));
    const Range rows = part_of(moves_.map->rows(), ranks.rank(), size_);
    together(ranks, [&] {
      for_each_update(rows, [&](int owner, std::int64_t, std::int64_t) { ++counts[to_size(owner)]; });
    });
    std::vector<std::int64_t> received(to_size(size_));
    ranks.exchange_counts(counts, received);
    together(ranks, [&] {
      const std::int64_t count = std::accumulate(received.begin(), received.end(), std::int64_t{0});
      const std::int64_t memory = exchange_.memory / 8;
      log_.emplace(exchange_.scratch(RunLog::file_bytes(count, sent_row_bytes(), windows_, memory)),
                   sent_row_bytes(), windows_, memory);
    });
  }

  void make_round(Range block, Range mine) {
    std::int64_t* const sent = exchange_.cost == nullptr ? nullptr : &exchange_.cost->sent;
    together(exchange_.ranks, [&] { address(block); });
    addresses_->exchange_counts();
    rows_->send_counts = addresses_->send_counts;
    rows_->received_counts = addresses_->received_counts;
    addresses_->exchange(sent);
    if (sent_row_bytes() != 0) rows_->exchange(sent);
    together(exchange_.ranks, [&] { take(mine); });
  }

  [[nodiscard]] int owner_of(std::int64_t target) const {
    // The first `longer` parts have one row more than the others.
    const std::int64_t rows = moves_.data_rows / size_;
    const std::int64_t longer = moves_.data_rows % size_;
    const std::int64_t cut = longer * (rows + 1);
    return static_cast<int>(target < cut ? target / (rows + 1) : longer + (target - cut) / rows);
  }

  // Calls take(owner, target, update) for these updates: the target counted from the first of its owner's
  // part.
  template <class Take>
  void for_each_update(Range rows, const Take& take) const {
    std::int64_t offsets[kIndexBlock];
    for (std::int64_t first = rows.first; first < rows.end(); first += kIndexBlock) {
      const std::int64_t n = std::min(kIndexBlock, rows.end() - first);
      moves_.map->locate(first, n, offsets);
      for (std::int64_t i = 0; i < n; ++i) {
        if (offsets[i] == kSkip) continue;
        const int owner = owner_of(offsets[i]);
        take(owner, offsets[i] - part_bound(moves_.data_rows, owner, size_), first + i);
      }
    }
  }

  // The updates of a block, by owner and in their order.
  void address(Range block) {
    std::int64_t count = 0;
    std::vector<std::int64_t> next(to_size(size_));
    for_each_update(block, [&](int owner, std::int64_t target, std::int64_t update) {
      found_[to_size(count++)] = {owner, target, update};
      ++next[to_size(owner)];
    });
    addresses_->send_counts = next;
    std::int64_t end = 0;
    for (std::int64_t& begin : next) end += std::exchange(begin, end);
    auto* const addresses = reinterpret_cast<Address*>(addresses_->send());
    const std::int64_t row_bytes = sent_row_bytes();
    for (std::int64_t i = 0; i < count; ++i) {
      const Found& found = found_[to_size(i)];
      const std::int64_t place = next[to_size(found.owner)]++;
      addresses[place] = {found.target, found.update};
      if (row_bytes != 0)
        std::memcpy(rows_->send() + place * row_bytes, moves_.updates + found.update * row_bytes,
                    to_size(row_bytes));
    }
    if (exchange_.cost != nullptr) exchange_.cost->read += count * row_bytes;
  }

  // What came, in the order of the ranks that sent it: applied at once, or kept.
  void take(Range mine) {
    std::int64_t count = 0;
    for (const std::int64_t from : addresses_->received_counts) count += from;
    const auto* const addresses = reinterpret_cast<const Address*>(addresses_->received());
    const std::int64_t row_bytes = sent_row_bytes();
    kept_moves_.clear();
    for (std::int64_t i = 0; i < count; ++i) {
      const Address& address = addresses[i];
      // The ranks agree on their parts; this would be another process.
      if (address.target < 0 || address.target >= mine.count)
        throw Error("another rank sends an update of a row that there is not");
      if (log_) {
        log_->append(address.target / window_rows_, {address.target % window_rows_, address.update},
                     rows_->received() + i * row_bytes);
      } else {
        kept_moves_.push_back({address.target, row_bytes == 0 ? address.update : i});
      }
    }
    if (!log_) apply(window_of(mine, 0), rows_->received());
  }

  // Makes a window of what was kept for it, and writes it.
  void finish(Range window, std::int64_t number) {
    if (number != 0) copy_data(window);
    if (log_) apply_kept(window, number);
    write(window);
  }

  // In pieces as large as the updates of a round, or all together where those of a target must be.
  void apply_kept(Range window, std::int64_t number) {
    const std::int64_t row_bytes = sent_row_bytes();
    const bool by_row = moves_.row_updates->by_row();
    // Moves are sorted once more when they are applied.
    if (by_row)
      require_memory(log_->records(number) * (to_int64(3 * sizeof(Move)) + row_bytes) *
                         exchange_.ranks.ranks_per_machine(),
                     "a window of updates that are combined row by row, on each rank,");
    const std::int64_t most =
        by_row ? log_->records(number) : std::min(log_->records(number), block_rows_ * size_);
    kept_moves_.clear();
    kept_moves_.reserve(to_size(most));
    Storage rows(std::max<std::int64_t>(1, most * row_bytes), "updates of a window");
    const auto apply_piece = [&] {
      apply(window, rows.data());
      kept_moves_.clear();
    };
    log_->read(number, [&](RunLog::Head head, const std::byte* row) {
      const std::int64_t at = to_int64(kept_moves_.size());
      if (row_bytes != 0) std::memcpy(rows.data() + at * row_bytes, row, to_size(row_bytes));
      kept_moves_.push_back({head.target, row_bytes == 0 ? head.update : at});
      if (at + 1 == most) apply_piece();
    });
    if (!kept_moves_.empty()) apply_piece();
  }

  // Each thread applies the moves of its part of the targets.
  void apply(Range mine, const std::byte* rows) {
    const std::byte* const updates = sent_row_bytes() == 0 ? nullptr : rows;
    const std::int64_t parts = std::min<std::int64_t>(exchange_.threads.count(), mine.count);
    exchange_.threads.for_each(parts, [&](std::int64_t part, int /*worker*/) {
      const std::int64_t first = part_bound(mine.count, part, parts);
      const Segment segment = {
          {first, part_bound(mine.count, part + 1, parts) - first}, 0, moves_.row_elements, 0};
      moves_.row_updates->update(
          segment, window_->data() + first * moves_.row_bytes, updates, [&](const auto& take_moves) {
            for (std::size_t at = 0; at < kept_moves_.size(); at += to_size(kIndexBlock))
              take_moves(kept_moves_.data() + at, std::min(kIndexBlock, to_int64(kept_moves_.size() - at)));
          });
    });
  }

  void copy_data(Range mine) {
    const std::int64_t bytes = mine.count * moves_.row_bytes;
    const std::byte* const from = moves_.data + mine.first * moves_.row_bytes;
    exchange_.threads.for_each(ceil_div(bytes, kUpdateCopyBytes), [&](std::int64_t chunk, int /*worker*/) {
      const std::int64_t first = chunk * kUpdateCopyBytes;
      const std::int64_t count = std::min(kUpdateCopyBytes, bytes - first);
      std::memcpy(window_->data() + first, from + first, to_size(count));
      exchange_.threads.advance(count);
    });
    if (exchange_.cost != nullptr) exchange_.cost->read += bytes;
  }

  void write(Range mine) {
    const std::int64_t width = moves_.row_bytes / moves_.row_elements;
    const Range elements = {mine.first * moves_.row_elements, mine.count * moves_.row_elements};
    const std::int64_t step = kUpdateCopyBytes / width;
    exchange_.threads.for_each(ceil_div(elements.count, step), [&](std::int64_t chunk, int /*worker*/) {
      const std::int64_t first = chunk * step;
      const std::int64_t count = std::min(step, elements.count - first);
      exchange_.write({elements.first + first, count}, window_->data() + first * width);
      exchange_.threads.advance(count * width);
    });
  }

  struct Found {
    int owner;
    std::int64_t target;
    std::int64_t update;
  };

  const RowMoves& moves_;
  const Exchange& exchange_;
  int size_;
  std::int64_t window_rows_;
  std::int64_t block_rows_;
  std::vector<Found> found_;
  std::optional<ExchangeBuffers> addresses_;
  std::optional<ExchangeBuffers> rows_;
  std::optional<Storage> window_;
  std::int64_t windows_ = 1;
  std::optional<RunLog> log_;
  std::vector<Move> kept_moves_;
};

}  // namespace

void scatter_by_exchange(const RowMoves& moves, const Exchange& exchange) {
  ScatterExchange(moves, exchange).run();
}

}  // namespace tensorop
