// Memory for what goes from each rank to each other one in a round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ranks/ranks.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Items of `item_bytes` bytes: counted for each rank, appended or copied to their places, exchanged.
class ExchangeBuffers {
 public:
  // For at most `most_send` and `most_receive` items in a round.
  ExchangeBuffers(const Ranks& ranks, std::int64_t item_bytes, std::int64_t most_send,
                  std::int64_t most_receive);

  [[nodiscard]] std::byte* send() { return send_.data(); }
  [[nodiscard]] const std::byte* received() const { return received_.data(); }
  // Of each rank; set before exchange().
  std::vector<std::int64_t> send_counts;
  std::vector<std::int64_t> received_counts;

  // Together. Learns received_counts of send_counts.
  void exchange_counts();
  // Together. Items of send() in the order of the ranks they go to; those of received() in the order of the
  // ranks they come from. Adds what went to other ranks to `sent`, where that is not null.
  void exchange(std::int64_t* sent);

 private:
  const Ranks& ranks_;
  std::int64_t item_bytes_;
  Storage send_;
  Storage received_;
};

}  // namespace tensorop
