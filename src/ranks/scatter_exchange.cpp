#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/rows/row_updates.hpp"
#include "kernels/schedules/bands.hpp"
#include "ranks/exchange.hpp"

namespace tensorop {
namespace {

// Bytes of updates that a rank reads in a round.
constexpr std::int64_t kUpdateBlockBytes = 1 << 20;
// Bytes of a band that a thread copies or writes at a time.
constexpr std::int64_t kBandBlockBytes = 1 << 20;

// The target of an update, counted from the first row of its owner's part, and the row number in the updates,
// which is needed only for repeated updates.
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
        data_rows_(moves.data_rows()),
        mine_(part_of(data_rows_, exchange.ranks.rank(), size_)),
        block_rows_(block_rows()) {}

  void run() {
    const Ranks& ranks = exchange_.ranks;
    const std::int64_t rows = moves_.map.rows();
    const std::int64_t round_rows = block_rows_ * size_;
    together(ranks, [&] {
      addresses_.emplace(ranks, to_int64(sizeof(Address)), block_rows_, round_rows);
      rows_.emplace(ranks, sent_row_bytes(), block_rows_, round_rows);
      found_.resize(to_size(block_rows_));
    });
    exchange_.threads.expect(2 * mine_.count * moves_.row_bytes());
    // Must give the same on all ranks. Updates wait for the rest if they go to a later band, or if all
    // updates of a target are applied together; otherwise they are applied on arrival, without storing them:
    // for 400,000 rows of 512 bytes on two ranks waiting took 1.6 times as much CPU; for 10 million elements
    // of 4 bytes, which sorting brings into cache, 0.8 times.
    const std::int64_t part_bytes = ceil_div(data_rows_, size_) * moves_.row_bytes();
    const bool wait = part_bytes > exchange_.band_settings.memory / 2 || moves_.row_updates->together();
    if (wait) make_room(ceil_div(rows, round_rows));
    if (!wait) together(ranks, [&] { begin_band(); });
    for (std::int64_t first = 0, number = 0; first < rows; first += round_rows, ++number) {
      const std::int64_t at = std::min(rows, first + ranks.rank() * block_rows_);
      make_round(number, {at, std::min(block_rows_, rows - at)});
    }
    // Frees memory for the bands.
    addresses_.reset();
    rows_.reset();
    together(ranks, [&] {
      wait ? write_scatter_bands(moves_, *waiting_, exchange_.band_settings, exchange_.threads)
           : write_band();
    });
    exchange_.cost.read += mine_.count * moves_.row_bytes();
  }

 private:
  // Repeated updates are not sent: the owner makes them.
  [[nodiscard]] std::int64_t sent_row_bytes() const {
    return moves_.row_updates->stored() == nullptr ? 0 : moves_.row_bytes();
  }

  // Sized for the case that all blocks of a round go to one rank.
  [[nodiscard]] std::int64_t block_rows() const {
    const std::int64_t row = sent_row_bytes() + to_int64(sizeof(Address));
    const std::int64_t bytes =
        std::min({exchange_.band_settings.memory / 4 / size_, kUpdateBlockBytes, kMostExchanged / size_});
    return std::clamp<std::int64_t>(bytes / row, 1, std::max<std::int64_t>(1, moves_.map.rows()));
  }

  // Makes room for all updates to come, as many as all ranks count.
  void make_room(std::int64_t rounds) {
    const Ranks& ranks = exchange_.ranks;
    std::vector<std::int64_t> counts(to_size(size_));
    const Range rows = part_of(moves_.map.rows(), ranks.rank(), size_);
    together(ranks, [&] {
      for_each_update(rows, [&](int owner, std::int64_t, std::int64_t) { ++counts[to_size(owner)]; });
    });
    std::vector<std::int64_t> received(to_size(size_));
    ranks.exchange_counts(counts, received);
    together(ranks, [&] {
      const std::int64_t count = std::accumulate(received.begin(), received.end(), std::int64_t{0});
      const UpdateDivision division =
          choose_division({.target_rows = mine_.count,
                           .rows = count,
                           .row_bytes = moves_.row_bytes(),
                           .repeated = moves_.row_updates->repeats(),
                           .by_row = moves_.row_updates->by_row(),
                           .accumulator_bytes = moves_.row_updates->accumulator_bytes(),
                           .memory = exchange_.band_settings.memory});
      PartitionSizes sizes = division.sizes;
      sizes.targets = mine_;
      sizes.blocks = rounds;
      sizes.row_bytes = sent_row_bytes();
      waiting_.emplace(sizes, division.in_file ? exchange_.band_settings.scratch : nullptr);
    });
  }

  void make_round(std::int64_t number, Range block) {
    together(exchange_.ranks, [&] { address(block); });
    addresses_->exchange_counts();
    rows_->send_counts = addresses_->send_counts;
    rows_->received_counts = addresses_->received_counts;
    addresses_->exchange(exchange_.cost);
    if (sent_row_bytes() != 0) rows_->exchange(exchange_.cost);
    together(exchange_.ranks, [&] { accept_updates(number); });
  }

  [[nodiscard]] int owner_of(std::int64_t target) const {
    // The first `longer` parts have one row more than the others.
    const std::int64_t rows = data_rows_ / size_;
    const std::int64_t longer = data_rows_ % size_;
    const std::int64_t cut = longer * (rows + 1);
    return static_cast<int>(target < cut ? target / (rows + 1) : longer + (target - cut) / rows);
  }

  // Calls visit(owner, target, update) for these updates; `target` is counted from the first row of the
  // owner's part.
  template <class Visit>
  void for_each_update(Range rows, const Visit& visit) const {
    moves_.map.for_each_block(rows, [&](std::int64_t first, std::int64_t n, const std::int64_t* offsets) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (offsets[i] == kSkip) continue;
        const int owner = owner_of(offsets[i]);
        visit(owner, offsets[i] - part_bound(data_rows_, owner, size_), first + i);
      }
    });
  }

  // Writes the addresses of the updates in a block, by owner and in their order.
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
        std::memcpy(rows_->send() + place * row_bytes,
                    moves_.row_updates->stored() + found.update * row_bytes, to_size(row_bytes));
    }
    exchange_.cost.read += count * row_bytes;
  }

  // Applies or stores the received updates, in the order of their source ranks.
  void accept_updates(std::int64_t round) {
    const std::int64_t count = std::accumulate(addresses_->received_counts.begin(),
                                               addresses_->received_counts.end(), std::int64_t{0});
    const std::span addresses(reinterpret_cast<const Address*>(addresses_->received()), to_size(count));
    for (const Address& address : addresses) {
      // The ranks agree on their parts, so this message comes from another process.
      if (address.target < 0 || address.target >= mine_.count)
        throw Error("another rank sends an update of a row that there is not");
    }
    const std::byte* const rows = sent_row_bytes() == 0 ? nullptr : rows_->received();
    const auto visit = [&](const auto& take_move) {
      for (std::int64_t i = 0; i < count; ++i) {
        const Address& address = addresses[to_size(i)];
        take_move(mine_.first + address.target, rows == nullptr ? address.update : i);
      }
    };
    waiting_ ? waiting_->put(round, visit, rows, scratch_) : apply(visit, rows);
  }

  // Each thread applies the moves of its part of the targets.
  template <class Visit>
  void apply(const Visit& visit, const std::byte* rows) {
    std::vector<Move> moves;
    visit([&](std::int64_t target, std::int64_t update) { moves.push_back({target, update}); });
    const std::int64_t parts = std::min<std::int64_t>(exchange_.threads.count(), mine_.count);
    exchange_.threads.for_each(parts, [&](std::int64_t part, int /*worker*/) {
      const std::int64_t first = part_bound(mine_.count, part, parts);
      const Range targets = {mine_.first + first, part_bound(mine_.count, part + 1, parts) - first};
      moves_.row_updates->update(
          {targets, 0, moves_.row_elements, 0}, band_->data() + first * moves_.row_bytes(), rows,
          [&](const auto& take_moves) {
            for (std::size_t at = 0; at < moves.size(); at += to_size(kIndexBlock))
              take_moves(moves.data() + at, std::min(kIndexBlock, to_int64(moves.size() - at)));
          });
    });
  }

  // This rank's part of the result; its initial contents are data.
  void begin_band() {
    band_.emplace(mine_.count * moves_.row_bytes(), "a band of the result");
    for_each_block([&](Range elements, std::byte* out) {
      const std::int64_t width = moves_.row_bytes() / moves_.row_elements;
      std::memcpy(out, moves_.data.data() + elements.first * width, to_size(elements.count * width));
    });
  }
  void write_band() {
    for_each_block(
        [&](Range elements, const std::byte* from) { exchange_.band_settings.target.write(elements, from); });
  }
  template <class Work>
  void for_each_block(const Work& work) {
    const std::int64_t width = moves_.row_bytes() / moves_.row_elements;
    const Range all = {mine_.first * moves_.row_elements, mine_.count * moves_.row_elements};
    const std::int64_t step = kBandBlockBytes / width;
    for_each_range(all, step, exchange_.threads, [&](Range elements, int /*worker*/) {
      work(elements, band_->data() + (elements.first - all.first) * width);
      exchange_.threads.advance(elements.count * width);
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
  std::int64_t data_rows_;
  Range mine_;  // rows of the result of this rank
  std::int64_t block_rows_;
  std::vector<Found> found_;
  std::optional<ExchangeBuffers> addresses_;
  std::optional<ExchangeBuffers> rows_;
  std::optional<Storage> band_;
  std::optional<Partition> waiting_;
  Partition::Scratch scratch_;
};

}  // namespace

void scatter_by_exchange(const RowMoves& moves, const Exchange& exchange) {
  ScatterExchange(moves, exchange).run();
}

}  // namespace tensorop
