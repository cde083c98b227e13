#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "base/text/error.hpp"
#include "kernels/bits.hpp"
#include "kernels/cache.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/gather_rows.hpp"
#include "kernels/schedules/bands.hpp"
#include "kernels/schedules/gather_pass.hpp"
#include "ranks/exchange.hpp"

namespace tensorop {
namespace {

// Bytes that two ranks exchange in a round: few enough to stay in cache, enough to pay for the round.
constexpr std::int64_t kPairBytes = 1 << 20;
// Number of rows that a thread copies at a time.
constexpr std::int64_t kCopyRows = 1 << 10;
// Bytes of pages of data that are read ahead together, copied from by one thread at a time, and released
// together.
constexpr std::int64_t kRequestBlockBytes = 1 << 20;
constexpr std::int64_t kRequestAheadBytes = 32 << 20;

// The set of pages of a part of data that have been read.
class Pages {
 public:
  // Covers `bytes` bytes from byte `first` of data.
  Pages(std::int64_t first, std::int64_t bytes)
      : first_(first / kPage), bits_(words_of_bits(ceil_div(first % kPage + bytes, kPage))) {}
  void mark(std::int64_t first, std::int64_t bytes) {
    const std::int64_t end = (first + bytes - 1) / kPage - first_;
    for (std::int64_t page = first / kPage - first_; page <= end; ++page)
      count_ += set_bit(bits_.data(), page) ? 0 : 1;
  }
  [[nodiscard]] std::int64_t bytes() const { return count_ * kPage; }

 private:
  std::int64_t first_;
  std::vector<std::uint64_t> bits_;
  std::int64_t count_ = 0;
};

class GatherExchange {
 public:
  GatherExchange(const RowMoves& moves, const Exchange& exchange)
      : moves_(moves),
        exchange_(exchange),
        size_(exchange.ranks.size()),
        is_mapped_(exchange.band_settings.is_mapped(moves.data.data())),
        most_rows_(ceil_div(moves.map.rows(), size_)),
        sizes_(choose_passes({.rows = most_rows_,
                              .row_bytes = moves.row_bytes(),
                              .data_bytes = 2 * ceil_div(moves.data_bytes(), size_),  // read and sent
                              .sort_bytes = kRequestSortBytes,
                              .memory = exchange.band_settings.memory / 2})),
        pair_rows_(pair_rows()),
        own_rows_(part_of(moves.data_rows(), exchange.ranks.rank(), size_)) {}

  void run() {
    const Ranks& ranks = exchange_.ranks;
    together(ranks, [&] {
      const std::int64_t most = pair_rows_ * size_;
      asks_.emplace(ranks, kRequestBytes, most, most);
      rows_.emplace(ranks, moves_.row_bytes(), most, most);
    });
    const Range mine = part_of(moves_.map.rows(), ranks.rank(), size_);
    exchange_.threads.expect(mine.count * moves_.row_bytes());
    for (std::int64_t number = 0; number < sizes_.passes(most_rows_); ++number) {
      const std::int64_t first = std::min(mine.end(), mine.first + number * sizes_.pass_rows);
      make_pass({first, std::min(sizes_.pass_rows, mine.end() - first)});
    }
  }

 private:
  [[nodiscard]] std::int64_t pair_rows() const {
    const std::int64_t bytes =
        std::min({exchange_.band_settings.memory / 5 / size_, kPairBytes, kMostExchanged / size_});
    return std::max<std::int64_t>(1, bytes / (moves_.row_bytes() + kRequestBytes + to_int64(sizeof(Move))));
  }

  void make_pass(Range pass) {
    const Ranks& ranks = exchange_.ranks;
    together(ranks, [&] { requests_.emplace(moves_, pass, size_, exchange_.threads); });
    std::int64_t rounds = 0;
    next_.assign(to_size(size_), 0);
    taken_.resize(to_size(size_));
    for (int owner = 0; owner < size_; ++owner)
      rounds = std::max(rounds, ceil_div(requests_->distinct(owner), pair_rows_));
    rounds = ranks.most(rounds);
    done_ = own_rows_.first * moves_.row_bytes();
    std::optional<GatherPass> result;
    together(ranks, [&] {
      result.emplace(moves_, pass, sizes_.band_rows, rounds * size_, exchange_.band_settings,
                     exchange_.threads);
      if (exchange_.counts_pages)
        pages_.emplace(own_rows_.first * moves_.row_bytes(), own_rows_.count * moves_.row_bytes());
    });
    for (std::int64_t number = 0; number < rounds; ++number) make_round(number, *result);
    if (pages_) exchange_.cost.read += pages_->bytes();
    together(ranks, [&] { result->write(); });
  }

  void make_round(std::int64_t number, GatherPass& result) {
    ask();
    asks_->exchange_counts();
    asks_->exchange(exchange_.cost);
    rows_->send_counts = asks_->received_counts;
    rows_->received_counts = asks_->send_counts;
    together(exchange_.ranks, [&] { answer(); });
    rows_->exchange(exchange_.cost);
    together(exchange_.ranks, [&] { place(number, result); });
  }

  // Sends requests for the next rows of each owner, as many as fit in a round.
  void ask() {
    auto* out = reinterpret_cast<std::int64_t*>(asks_->send());
    for (int owner = 0; owner < size_; ++owner) {
      const auto at = to_size(owner);
      const std::span<const Move> moves = requests_->moves_from(owner).subspan(next_[at]);
      const std::int64_t first = part_of(moves_.data_rows(), owner, size_).first;
      std::int64_t distinct = 0;
      std::size_t end = 0;
      for (; end < moves.size(); ++end) {
        if (end != 0 && moves[end].target == moves[end - 1].target) continue;
        if (distinct == pair_rows_) break;
        out[distinct++] = moves[end].target - first;
      }
      out += distinct;
      asks_->send_counts[at] = distinct;
      taken_[at] = moves.first(end);
      next_[at] += end;
    }
  }

  // Sends the requested rows of this rank's part of data.
  void answer() {
    const auto* const asked = reinterpret_cast<const std::int64_t*>(asks_->received());
    std::int64_t count = 0;
    for (const std::int64_t from : asks_->received_counts) count += from;
    std::int64_t low = own_rows_.count;
    std::int64_t high = -1;
    for (std::int64_t i = 0; i < count; ++i) {
      low = std::min(low, asked[i]);
      high = std::max(high, asked[i]);
    }
    if (count == 0) return;
    // The ranks agree on the number of rows, so this message comes from another process.
    if (low < 0 || high >= own_rows_.count) throw Error("another rank asks for a row that there is not");
    if (pages_) {
      for (std::int64_t i = 0; i < count; ++i)
        pages_->mark((own_rows_.first + asked[i]) * moves_.row_bytes(), moves_.row_bytes());
    }
    // For rows in memory, answering in order took 1.4 times as much CPU (4-byte rows; 512 bytes: 1.16).
    is_mapped_&& exchange_.is_cold ? answer_in_order(asked, count) : answer_at_once(asked, count);
    if (is_mapped_) give_up(low);
  }

  void answer_at_once(const std::int64_t* asked, std::int64_t count) {
    const std::int64_t row_bytes = moves_.row_bytes();
    const std::byte* const own = moves_.data.data() + own_rows_.first * row_bytes;
    for_each_range({0, count}, kCopyRows, exchange_.threads, [&](Range rows, int /*worker*/) {
      gather_rows(rows_->send() + rows.first * row_bytes, own, asked + rows.first, rows.count, row_bytes,
                  SkippedRows{});
    });
  }

  // Copies rows in the order of data: several ranks request rows, each in that order, and no page is read
  // twice. The system is advised of the rows in the next blocks before the rows of this block are copied.
  void answer_in_order(const std::int64_t* asked, std::int64_t count) {
    const std::int64_t row_bytes = moves_.row_bytes();
    std::vector<Move> rows(to_size(count));
    for (std::int64_t i = 0; i < count; ++i) rows[to_size(i)] = {own_rows_.first + asked[i], i};
    std::ranges::sort(rows, {}, &Move::target);
    const std::int64_t block_rows =
        std::clamp<std::int64_t>(kRequestBlockBytes / (row_bytes + kPage), 1, kCopyRows);
    const std::int64_t blocks = ceil_div(count, block_rows);
    const auto block = [&](std::int64_t number) {
      const std::int64_t first = number * block_rows;
      return std::span(rows).subspan(to_size(first), to_size(std::min(block_rows, count - first)));
    };
    const std::int64_t ahead =
        std::max<std::int64_t>(1, kRequestAheadBytes / (block_rows * (row_bytes + kPage)));
    const auto announce = [&](std::int64_t number) {
      will_need_rows(moves_.data.data(), row_bytes, block(number));
    };
    for_each_ahead(blocks, ahead, exchange_.threads, announce, [&](std::int64_t number, int /*worker*/) {
      for (const Move& move : block(number)) {
        std::memcpy(rows_->send() + move.update * row_bytes, moves_.data.data() + move.target * row_bytes,
                    to_size(row_bytes));
      }
    });
  }

  // Rows below the lowest row of a round are not requested again in this band.
  void give_up(std::int64_t low) {
    const std::int64_t end = (own_rows_.first + low) * moves_.row_bytes();
    if (end - done_ < kRequestAheadBytes) return;
    done_with(moves_.data.data() + done_, end - done_);
    done_ = end;
  }

  // Copies each received row to all its places in the result.
  void place(std::int64_t round, GatherPass& result) {
    const std::int64_t row_bytes = moves_.row_bytes();
    std::vector<const std::byte*> from(to_size(size_));
    const std::byte* next = rows_->received();
    for (int owner = 0; owner < size_; ++owner) {
      from[to_size(owner)] = next;
      next += rows_->received_counts[to_size(owner)] * row_bytes;
    }
    exchange_.threads.for_each(size_, [&](std::int64_t owner, int worker) {
      const std::span<const Move> moves = taken_[to_size(owner)];
      const auto visit = [&](const auto& add) {
        std::int64_t row = 0;
        for (std::size_t i = 0; i < moves.size(); ++i) {
          row += i != 0 && moves[i].target != moves[i - 1].target ? 1 : 0;
          add(moves[i].update, row);
        }
      };
      result.add_rows(round * size_ + owner, visit, from[to_size(owner)], worker);
    });
  }

  const RowMoves& moves_;
  const Exchange& exchange_;
  int size_;
  bool is_mapped_;
  std::int64_t most_rows_;  // of the result, for each rank
  PassSizes sizes_;
  std::int64_t pair_rows_;
  Range own_rows_;  // rows of data
  std::optional<ExchangeBuffers> asks_;
  std::optional<ExchangeBuffers> rows_;
  std::optional<RowRequests> requests_;
  std::vector<std::size_t> next_;             // next request to each owner
  std::vector<std::span<const Move>> taken_;  // requests of this round
  std::optional<Pages> pages_;
  std::int64_t done_ = 0;  // bytes of data before this one have been released
};

}  // namespace

void gather_by_exchange(const RowMoves& moves, const Exchange& exchange) {
  GatherExchange(moves, exchange).run();
}

}  // namespace tensorop
