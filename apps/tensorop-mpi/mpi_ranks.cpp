#include "mpi_ranks.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/checked.hpp"

namespace tensorop {
namespace {

constexpr int kFailed = 2;

// If a call fails, MPI ends the processes of all ranks (MPI_ERRORS_ARE_FATAL), so results of calls are
// ignored.

std::vector<int> ints_of(std::span<const std::int64_t> counts) {
  return {counts.begin(), counts.end()};
}

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets;
  int end = 0;
  for (const int count : counts) {
    offsets.push_back(end);
    end += count;
  }
  return offsets;
}

int reduced(int value, MPI_Op op) {
  int out = 0;
  MPI_Allreduce(&value, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
  return out;
}

}  // namespace

MpiRanks::MpiRanks() {
  // Other threads compute; only this one calls MPI.
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);

  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
  int here = 0;
  int rank_here = 0;
  MPI_Comm_size(machine, &here);
  MPI_Comm_rank(machine, &rank_here);
  machines_ = reduced(rank_here == 0 ? 1 : 0, MPI_SUM);
  ranks_per_machine_ = reduced(here, MPI_MAX);

  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  std::vector<cpu_set_t> all(to_size(here));
  MPI_Allgather(&cores, sizeof cores, MPI_BYTE, all.data(), sizeof cores, MPI_BYTE, machine);
  ranks_on_same_cores_ = static_cast<int>(std::ranges::count_if(
      all, [&](const cpu_set_t& other) { return std::memcmp(&other, &cores, sizeof cores) == 0; }));
  MPI_Comm_free(&machine);
}

MpiRanks::~MpiRanks() {
  MPI_Finalize();
}

void MpiRanks::end_all() {
  MPI_Abort(MPI_COMM_WORLD, kFailed);
  std::_Exit(kFailed);
}

std::int64_t MpiRanks::least(std::int64_t value) const {
  std::int64_t out = 0;
  MPI_Allreduce(&value, &out, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  return out;
}

void MpiRanks::broadcast(std::span<std::byte> bytes, int from) const {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), to_size(kMostExchanged));
    MPI_Bcast(bytes.data(), static_cast<int>(count), MPI_BYTE, from, MPI_COMM_WORLD);
    bytes = bytes.subspan(count);
  }
}

void MpiRanks::exchange_counts(std::span<const std::int64_t> values, std::span<std::int64_t> result) const {
  MPI_Alltoall(values.data(), 1, MPI_INT64_T, result.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
}

void MpiRanks::exchange(const std::byte* send, std::span<const std::int64_t> send_counts, std::byte* receive,
                        std::span<const std::int64_t> receive_counts) const {
  for (const auto& counts : {send_counts, receive_counts}) {
    // Larger counts could overflow an int and give a wrong result.
    if (std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) > kMostExchanged)
      MPI_Abort(MPI_COMM_WORLD, kFailed);
  }
  const std::vector<int> sent = ints_of(send_counts);
  const std::vector<int> received = ints_of(receive_counts);
  MPI_Alltoallv(send, sent.data(), offsets_of(sent).data(), MPI_BYTE, receive, received.data(),
                offsets_of(received).data(), MPI_BYTE, MPI_COMM_WORLD);
}

}  // namespace tensorop
