#include "ranks/exchange_buffers.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace tensorop {

ExchangeBuffers::ExchangeBuffers(const Ranks& ranks, std::int64_t item_bytes, std::int64_t most_send,
                                 std::int64_t most_receive)
    : send_counts(to_size(ranks.size())),
      received_counts(to_size(ranks.size())),
      ranks_(ranks),
      item_bytes_(item_bytes),
      send_(most_send * item_bytes, "a buffer for rows that are sent"),
      received_(most_receive * item_bytes, "a buffer for rows that are received") {}

void ExchangeBuffers::exchange_counts() {
  ranks_.exchange_counts(send_counts, received_counts);
}

void ExchangeBuffers::exchange(std::int64_t* sent) {
  std::vector<std::int64_t> send_bytes(send_counts);
  std::vector<std::int64_t> received_bytes(received_counts);
  for (std::int64_t& bytes : send_bytes) bytes *= item_bytes_;
  for (std::int64_t& bytes : received_bytes) bytes *= item_bytes_;
  if (sent != nullptr) {
    for (std::size_t rank = 0; rank < send_bytes.size(); ++rank)
      *sent += rank == to_size(ranks_.rank()) ? 0 : send_bytes[rank];
  }
  ranks_.exchange(send_.data(), send_bytes, received_.data(), received_bytes);
}

}  // namespace tensorop
