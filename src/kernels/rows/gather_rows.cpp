#include "kernels/rows/gather_rows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "kernels/cache.hpp"
#include "kernels/rows/choose.hpp"
#include "kernels/rows/segments.hpp"

namespace tensorop {
namespace {

// Number of rows for which memory is prefetched: enough to cover its latency, few enough to stay in the
// first-level cache.
constexpr std::int64_t kAhead = 32;
// The hardware prefetches the rest of a long row.
constexpr std::int64_t kMostAhead = 16 * kCacheLine;
// Rows within this many bytes of each other are soon in cache: prefetching them only costs time.
constexpr std::int64_t kNearBytes = 512 << 10;

// A copy of a width known to the compiler is one or two moves; 0 is a width that it does not know.
template <std::size_t kWidth>
struct Width {
  std::int64_t bytes;
  [[nodiscard]] std::int64_t get() const { return kWidth == 0 ? bytes : static_cast<std::int64_t>(kWidth); }
};

template <std::size_t kWidth>
void copy_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
               Width<kWidth> width) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(out + i * width.get(), base + offsets[i] * width.get(), to_size(width.get()));
  }
}

template <std::size_t kWidth>
void copy_rows_ahead(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                     Width<kWidth> width) {
  const std::int64_t ahead = std::max<std::int64_t>(0, count - kAhead);
  for (std::int64_t i = 0; i < ahead; ++i) {
    prefetch(base + offsets[i + kAhead] * width.get(), std::min(width.get(), kMostAhead));
    std::memcpy(out + i * width.get(), base + offsets[i] * width.get(), to_size(width.get()));
  }
  copy_rows(out + ahead * width.get(), base, offsets + ahead, count - ahead, width);
}

template <std::size_t kWidth>
void copy_or_skip_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                       Width<kWidth> width, const SkippedRows& skipped) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::byte* row = out + i * width.get();
    if (offsets[i] == kSkip) {
      write_skipped(row, width.get(), skipped);
    } else {
      std::memcpy(row, base + offsets[i] * width.get(), to_size(width.get()));
    }
  }
}

template <std::size_t kWidth>
void gather(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
            std::int64_t row_bytes, const SkippedRows& skipped) {
  const Width<kWidth> width{row_bytes};
  if (skipped.any) return copy_or_skip_rows(out, base, offsets, count, width, skipped);
  // A sample of the offsets shows how far apart all of them are.
  std::int64_t lowest = offsets[0];
  std::int64_t highest = offsets[0];
  for (std::int64_t i = 0; i < count; i += std::max<std::int64_t>(1, count / 32)) {
    lowest = std::min(lowest, offsets[i]);
    highest = std::max(highest, offsets[i]);
  }
  if (highest - lowest <= kNearBytes / row_bytes) return copy_rows(out, base, offsets, count, width);
  copy_rows_ahead(out, base, offsets, count, width);
}

// Bytes of rows that are announced to the system at a time.
constexpr std::int64_t kAdvisedBytes = 1 << 20;

// Reads memory sequentially, which the hardware prefetches; it does not prefetch reads in the order of the
// rows. Uses real loads because the processor dropped half of the software prefetches.
void read_through(const std::byte* begin, std::int64_t bytes) {
  for (std::int64_t byte = 0; byte < bytes; byte += kCacheLine) {
    static_cast<void>(*static_cast<const volatile std::byte*>(begin + byte));
  }
}

class GatherRows final : public Plan {
 public:
  explicit GatherRows(GatherRowsSpec spec)
      : data_(std::move(spec.data)),
        fill_(std::move(spec.fill)),
        map_(std::move(spec.decoder), spec.dims),
        moves_{.map = &map_,
               .dtype = data_.dtype(),
               .row_elements = spec.row_elements,
               .row_bytes = spec.row_elements * element_size(data_.dtype()),
               .data = data_.data(),
               .data_rows = data_.size() / spec.row_elements,
               .fill = fill_ ? fill_->data() : nullptr} {
    // Each index selects an element of the result, unless the result is empty.
    set_facts({.check_size = map_.decoder().tuples(),
               .fill_checks = map_.decoder().tuples() == 0 || spec.result_elements != 0,
               .moves = map_.rows() == 0 ? nullptr : &moves_});
  }

  void prepare(Range /*range*/, const Decision& decision, const Threads& threads) override {
    read_groups_ = decision.read_groups;
    is_advised_ = decision.access == Access::advised;
    if (decision.keep_offsets) map_.keep_offsets(threads);
    if (is_advised_) expect_random(data_.data(), data_.bytes());
  }

  void fill(Range range, std::byte* out) const override {
    const std::int64_t width = element_size(moves_.dtype);
    for (const auto& [rows, column, columns, first] : segments_of(range, moves_.row_elements)) {
      std::byte* const at = out + first * width;
      columns == moves_.row_elements ? fill_rows(rows.first, rows.count, at)
                                     : fill_within_row(rows.first, column * width, columns * width, at);
    }
  }

  void check(Range range) const override { map_.decoder().check(range); }

 private:
  // Fills some bytes of one row, from `column` on: a range may begin or end within a row.
  void fill_within_row(std::int64_t row, std::int64_t column, std::int64_t bytes, std::byte* out) const {
    std::int64_t offset = 0;
    map_.locate(row, 1, &offset);
    if (offset == kSkip) {
      write_skipped(out, bytes, skipped_rows(moves_));
    } else {
      const std::byte* const from = moves_.data + offset * moves_.row_bytes + column;
      if (is_advised_) will_need(from, bytes);
      std::memcpy(out, from, to_size(bytes));
    }
  }

  // With Access::advised, announces the rows of the next block to the system before it copies this block.
  void fill_rows(std::int64_t row, std::int64_t rows, std::byte* out) const {
    const std::int64_t row_bytes = moves_.row_bytes;
    const std::int64_t most =
        is_advised_ ? std::clamp<std::int64_t>(kAdvisedBytes / row_bytes, 1, kIndexBlock / 2) : kIndexBlock;
    std::int64_t room[kIndexBlock];
    std::int64_t last_read = -1;
    std::int64_t announced = row;
    for (const std::int64_t end = row + rows; row < end;) {
      if (is_advised_) {
        const std::int64_t next = std::min(end, row + 2 * most);
        announce({announced, next - announced});
        announced = next;
      } else if (read_groups_ && row / map_.group_rows() != last_read) {
        last_read = row / map_.group_rows();
        const std::int64_t group_bytes = map_.group_size() * row_bytes;
        read_through(moves_.data + last_read * group_bytes, group_bytes);
      }
      const LocatedRows run = map_.locate_run(row, std::min(most, end - row), room);
      gather_rows(out, moves_.data + run.base * row_bytes, run.offsets, run.count, row_bytes,
                  skipped_rows(moves_));
      row += run.count;
      out += run.count * row_bytes;
    }
  }

  // Announces up to kIndexBlock rows to the system.
  void announce(Range rows) const {
    std::int64_t offsets[kIndexBlock];
    if (rows.count != 0) map_.locate(rows.first, rows.count, offsets);
    for (std::int64_t i = 0; i < rows.count; ++i) {
      if (offsets[i] != kSkip) will_need(moves_.data + offsets[i] * moves_.row_bytes, moves_.row_bytes);
    }
  }

  Tensor data_;
  std::optional<Tensor> fill_;
  RowMap map_;
  RowMoves moves_;
  bool read_groups_ = false;
  bool is_advised_ = false;
};

class CheckedCopy final : public Plan {
 public:
  CheckedCopy(const Tensor& data, const IndexDecoder& decoder, std::optional<Tensor> missing)
      : data_(data),
        width_(element_size(data.dtype())),
        decoder_(decoder.without_windows()),
        missing_(std::move(missing)) {
    // Filling reads no index.
    set_facts({.check_size = decoder_.tuples(), .fill_checks = decoder_.tuples() == 0});
  }

  void fill(Range range, std::byte* out) const override {
    const std::int64_t bytes = range.count * width_;
    if (bytes == 0) return;
    if (data_.size() == 0) {
      write_skipped(out, bytes, {true, missing_ ? missing_->data() : nullptr, width_});
    } else {
      std::memcpy(out, data_.data() + range.first * width_, to_size(bytes));
    }
  }

  void check(Range range) const override { decoder_.check(range); }

  [[nodiscard]] std::optional<std::int64_t> origin(std::size_t operand,
                                                   std::int64_t position) const override {
    return operand == 0 && data_.size() != 0 ? std::optional(position) : std::nullopt;
  }

 private:
  Tensor data_;
  std::int64_t width_;
  IndexDecoder decoder_;
  std::optional<Tensor> missing_;  // the element of the result if data has no elements; zero without it
};

}  // namespace

SkippedRows skipped_rows(const RowMoves& moves) {
  return {moves.map->skips(), moves.fill, element_size(moves.dtype)};
}

void write_skipped(std::byte* out, std::int64_t bytes, const SkippedRows& skipped) {
  if (skipped.fill == nullptr) {
    std::memset(out, 0, to_size(bytes));
    return;
  }
  for (std::int64_t at = 0; at < bytes; at += skipped.width)
    std::memcpy(out + at, skipped.fill, to_size(skipped.width));
}

void gather_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                 std::int64_t row_bytes, const SkippedRows& skipped) {
  if (count == 0) return;
  switch (row_bytes) {
    case 1:
      return gather<1>(out, base, offsets, count, row_bytes, skipped);
    case 2:
      return gather<2>(out, base, offsets, count, row_bytes, skipped);
    case 4:
      return gather<4>(out, base, offsets, count, row_bytes, skipped);
    case 8:
      return gather<8>(out, base, offsets, count, row_bytes, skipped);
    case 16:
      return gather<16>(out, base, offsets, count, row_bytes, skipped);
    case 32:
      return gather<32>(out, base, offsets, count, row_bytes, skipped);
    case 64:
      return gather<64>(out, base, offsets, count, row_bytes, skipped);
    default:
      return gather<0>(out, base, offsets, count, row_bytes, skipped);
  }
}

std::unique_ptr<Plan> checked_copy_plan(const Tensor& data, const IndexDecoder& decoder,
                                        std::optional<Tensor> fill) {
  return std::make_unique<CheckedCopy>(data, decoder, std::move(fill));
}

std::unique_ptr<Plan> gather_plan(GatherRowsSpec spec) {
  if (spec.data.size() == 0) {
    return checked_copy_plan(spec.data, spec.decoder, std::move(spec.fill));
  }
  return std::make_unique<GatherRows>(std::move(spec));
}

}  // namespace tensorop
