// Rows divided by where they go, against a plain loop over them.
#include "kernels/rows/partition.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/files/scratch_file.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::kernels_partition_test {
namespace {

// Which rows go to each target, in their order, as the bytes or numbers that are carried.
using Carried = std::map<std::int64_t, std::vector<std::string>>;

std::string number_text(std::int64_t number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

Carried carried(const Partition& partition, const std::string& rows, std::int64_t row_bytes) {
  Carried out;
  for (std::int64_t bucket = 0; bucket < partition.sizes().buckets(); ++bucket) {
    partition.will_visit(bucket);
    const Range targets = partition.targets(bucket);
    std::int64_t count = 0;
    partition.visit(bucket, [&](const Move* moves, std::int64_t n) {
      CHECK(n <= kIndexBlock);
      for (std::int64_t i = 0; i < n; ++i) {
        CHECK(partition.bucket_of(moves[i].target) == bucket);
        CHECK((moves[i].target >= targets.first && moves[i].target < targets.end()));
        const std::byte* const row = partition.rows();
        out[moves[i].target].push_back(
            row == nullptr ? number_text(moves[i].update)
                           : std::string(reinterpret_cast<const char*>(row) + moves[i].update * row_bytes,
                                         to_size(row_bytes)));
      }
      count += n;
    });
    CHECK(partition.count(bucket) == count);
  }
  CHECK((row_bytes != 0 || rows.empty()));
  return out;
}

}  // namespace

TEST_CASE("a partition has for each bucket the rows that go there, in their order", "[kernels]") {
  Random random(7);
  const TempDir dir;
  const auto scratch = [&](std::int64_t bytes) { return ScratchFile(dir.path().string(), bytes); };
  for (int round = 0; round < 300; ++round) {
    const std::int64_t table = random.between(1, 5000);
    const std::int64_t count = random.between(0, 3000);
    const std::int64_t row_bytes = random.chance(50) ? 0 : random.between(1, 20);
    const bool in_file = random.chance(50);
    const std::int64_t first = random.between(0, table - 1);
    const std::int64_t skipped = random.between(0, count);  // rows before the ones that are put
    PartitionSizes sizes = {.targets = {first, random.between(1, table - first)},
                            .bucket_targets = bucket_targets_of(random.between(1, 2 * table)),
                            .rows = count - skipped,
                            .blocks = random.between(1, 9),
                            .row_bytes = row_bytes};
    CAPTURE(round, table, count, row_bytes, in_file, sizes.bucket_targets, sizes.blocks);
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < count; ++i) indices.push_back(random.between(0, table));  // `table`: dropped
    std::string rows;
    for (std::int64_t i = 0; i < count * row_bytes; ++i)
      rows.push_back(static_cast<char>(random.between(0, 255)));
    const RowMap map({list_of(DType::int64, indices), {{table, 1}}, {Negative::count, OutOfBounds::drop}},
                     {{count, 1, 0}});
    Partition partition(sizes, in_file ? scratch : std::function<ScratchFile(std::int64_t)>{});
    partition.put(map, {skipped, count - skipped},
                  row_bytes == 0 ? nullptr : reinterpret_cast<const std::byte*>(rows.data()),
                  Threads(static_cast<int>(random.between(1, 5))));
    Carried expected;
    for (std::int64_t i = skipped; i < count; ++i) {
      const std::int64_t target = indices[to_size(i)];
      if (target == table || target < first || target >= sizes.targets.end()) continue;
      expected[target].push_back(row_bytes == 0 ? number_text(i)
                                                : rows.substr(to_size(i * row_bytes), to_size(row_bytes)));
    }
    CHECK((carried(partition, rows, row_bytes) == expected));
  }
}

TEST_CASE("numbers are carried in some thousand buckets at most, of a power of two of targets", "[kernels]") {
  for (const std::int64_t targets : {1LL, 5LL, 4096LL, 4097LL, 1LL << 40}) {
    for (const std::int64_t bucket_targets : {1LL, 3LL, 1000LL, 1LL << 20}) {
      const PartitionSizes sizes = sizes_in_memory({0, targets}, bucket_targets, 10);
      CAPTURE(targets, bucket_targets, sizes.bucket_targets);
      CHECK((sizes.bucket_targets & (sizes.bucket_targets - 1)) == 0);
      CHECK(sizes.buckets() <= 4096);
      CHECK((sizes.bucket_targets <= bucket_targets || sizes.buckets() > 2048));
      CHECK(sizes.carried_bytes() >= 10 * 12);
    }
  }
  CHECK(bucket_targets_of(1) == 1);
  CHECK(bucket_targets_of(1023) == 512);
  CHECK(bucket_targets_of(1LL << 50) == 1LL << 32);
}

TEST_CASE("rows that change while they are divided are an error", "[kernels]") {
  // The second time, one goes elsewhere, is dropped, or comes in addition.
  for (const std::vector<std::int64_t>& second :
       std::vector<std::vector<std::int64_t>>{{1, 2, 7}, {1, 2, 99}, {1, 2}, {1, 2, 3, 3}}) {
    Partition partition({.targets = {0, 10}, .bucket_targets = 4, .rows = 4, .blocks = 1}, nullptr);
    Partition::Scratch own;
    int visits = 0;
    const auto visit = [&](const auto& add) {
      std::int64_t row = 0;
      for (const std::int64_t target : visits++ == 0 ? std::vector<std::int64_t>{1, 2, 3} : second)
        add(target, row++);
    };
    CHECK_THROWS_WITH(partition.put(0, visit, nullptr, own), "indices changed while they were read");
  }
}

}  // namespace tensorop::kernels_partition_test
