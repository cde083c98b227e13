// Ranks that are the processes of an MPI job. Only this header and its source use MPI.
#pragma once

#include "ranks/ranks.hpp"

namespace tensorop {

// One object in each process, made in main() and destroyed at its end.
class MpiRanks final : public Ranks {
 public:
  // Joins the job; without an MPI job the process is the only rank.
  MpiRanks();
  // Waits for all ranks.
  ~MpiRanks() override;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int machines() const override { return machines_; }
  [[nodiscard]] int ranks_per_machine() const override { return ranks_per_machine_; }
  // The number of ranks that may use exactly the same cores as this one, including itself.
  [[nodiscard]] int ranks_on_same_cores() const { return ranks_on_same_cores_; }

  [[nodiscard]] std::int64_t least(std::int64_t value) const override;
  void broadcast(std::span<std::byte> bytes, int from) const override;
  void exchange_counts(std::span<const std::int64_t> values, std::span<std::int64_t> result) const override;
  void exchange(const std::byte* send, std::span<const std::int64_t> send_counts, std::byte* receive,
                std::span<const std::int64_t> receive_counts) const override;

  // Ends the processes of all ranks, with exit status 2.
  [[noreturn]] static void end_all();

 private:
  int rank_ = 0;
  int size_ = 1;
  int machines_ = 1;
  int ranks_per_machine_ = 1;
  int ranks_on_same_cores_ = 1;
};

}  // namespace tensorop
