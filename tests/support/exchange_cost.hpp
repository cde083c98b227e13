// The cost of an exchange of rows between ranks, counted without data.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/executor.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// A gather of rows of `row_bytes` bytes, from `data_rows` of them.
struct CountedGather {
  std::int64_t data_rows;
  std::int64_t row_bytes;
  Tensor indices;  // int64, one for each row of the result
};

// The bytes that each rank reads, sends and writes in one band, from the requests that ranks make.
[[nodiscard]] std::vector<RankCost> count_exchange(const CountedGather& gather, int ranks);

// How much more than the mean the largest of the values is: 0.1 is 10 %.
[[nodiscard]] double imbalance(const std::vector<RankCost>& costs, std::int64_t RankCost::*value);
[[nodiscard]] std::int64_t total(const std::vector<RankCost>& costs, std::int64_t RankCost::*value);

// Row numbers below `rows`, each with the same probability, or by Zipf's law: the k-th of the rows
// is asked for 1/k as often as the first. They lie anywhere, or in the order of their frequency.
[[nodiscard]] Tensor uniform_indices(std::int64_t count, std::int64_t rows, std::uint64_t seed);
enum class HotRows : std::uint8_t { anywhere, first };
[[nodiscard]] Tensor zipf_indices(std::int64_t count, std::int64_t rows, HotRows hot, std::uint64_t seed);

}  // namespace tensorop
