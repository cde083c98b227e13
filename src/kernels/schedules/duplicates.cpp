#include "kernels/schedules/bands.hpp"

#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "kernels/bits.hpp"
#include "kernels/fault.hpp"
#include "kernels/rows/row_updates.hpp"

namespace tensorop {
namespace {

// A bit for each target of a bucket. The system provides a page of zeros when it is first touched, so a
// bucket with few updates takes few pages.
class TargetBits {
 public:
  explicit TargetBits(std::int64_t count)
      : words_(static_cast<std::uint64_t*>(std::calloc(words_of_bits(count), sizeof(std::uint64_t)))) {
    if (!words_) throw std::bad_alloc();
  }
  // Returns whether bit `i` was set before.
  bool set(std::int64_t i) { return set_bit(words_.get(), i); }

 private:
  struct Free {
    void operator()(std::uint64_t* words) const { std::free(words); }
  };
  std::unique_ptr<std::uint64_t, Free> words_;
};

// The lowest update in the bucket whose row has an earlier update.
std::optional<Move> first_duplicate(const Partition& updates, std::int64_t bucket) {
  std::optional<Move> found;
  if (updates.count(bucket) < 2) return found;
  const Range targets = updates.targets(bucket);
  TargetBits updated(targets.count);
  updates.visit(bucket, [&](const Move* moves, std::int64_t count) {
    for (std::int64_t i = 0; i < count && !found; ++i) {
      if (updated.set(moves[i].target - targets.first)) found = moves[i];
    }
  });
  return found;
}

// The lowest update of a target row.
std::int64_t first_update(const Partition& updates, std::int64_t target) {
  std::int64_t first = -1;
  updates.visit(updates.bucket_of(target), [&](const Move* moves, std::int64_t count) {
    for (std::int64_t i = 0; i < count && first < 0; ++i) {
      if (moves[i].target == target) first = moves[i].update;
    }
  });
  return first;
}

}  // namespace

void require_no_duplicates(const RowMoves& scatter, std::int64_t memory,
                           const std::function<ScratchFile(std::int64_t bytes)>& scratch,
                           const Threads& threads) {
  // The partition carries numbers of updates. A target takes a bit; row_bytes = 1 is an upper bound of that.
  const UpdateDivision division = choose_division({.target_rows = scatter.data_rows(),
                                                   .rows = scatter.map.rows(),
                                                   .row_bytes = 1,
                                                   .repeated = true,
                                                   .memory = memory});
  const PartitionSizes& sizes = division.sizes;
  Partition updates(sizes, division.in_file ? scratch : nullptr);
  updates.put(scatter.map, {0, scatter.map.rows()}, nullptr, division.dividing(memory, threads));
  const Threads some = threads_within(memory / 2, sizes.bucket_targets / 8, threads);
  std::vector<std::optional<Move>> found(to_size(some.count()));
  const auto need = [&](std::int64_t bucket) { updates.will_visit(bucket); };
  for_each_ahead(sizes.buckets(), some.count(), some, need, [&](std::int64_t bucket, int worker) {
    auto& lowest = found[to_size(worker)];
    const auto own = first_duplicate(updates, bucket);
    if (own && (!lowest || own->update < lowest->update)) lowest = own;
  });
  std::optional<Move> lowest;
  for (const auto& own : found) {
    if (own && (!lowest || own->update < lowest->update)) lowest = own;
  }
  if (!lowest) return;
  const auto position = [&](std::int64_t update) {
    return scatter.row_updates->position(update * scatter.row_elements);
  };
  throw PlanFault(FaultFacts{.fault = Fault::duplicate_update,
                             .position = position(lowest->update),
                             .earlier = position(first_update(updates, lowest->target)),
                             .target = lowest->target * scatter.row_elements});
}

}  // namespace tensorop
