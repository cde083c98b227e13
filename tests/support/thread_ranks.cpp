#include "support/thread_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "base/checked.hpp"

namespace tensorop {
namespace {

// The values that each rank shows the others in a call.
struct Shown {
  std::int64_t value = 0;
  std::span<std::byte> bytes;
  const std::byte* send = nullptr;
  std::span<const std::int64_t> counts;
};

// That of the standard library spins and yields, which takes ten times as long where other programs run.
class Barrier {
 public:
  explicit Barrier(int size) : size_(size) {}
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++round_;
      all_arrived_.notify_all();
      return;
    }
    all_arrived_.wait(lock, [this, round = round_] { return round != round_; });
  }

 private:
  const int size_;
  int arrived_ = 0;
  std::int64_t round_ = 0;
  std::mutex mutex_;
  std::condition_variable all_arrived_;
};

struct World {
  explicit World(int ranks, int count) : machines(count), shown(to_size(ranks)), arrived(ranks) {}
  int machines;
  std::vector<Shown> shown;
  Barrier arrived;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(World& world, int rank) : world_(world), rank_(rank) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return static_cast<int>(world_.shown.size()); }
  [[nodiscard]] int machines() const override { return world_.machines; }
  [[nodiscard]] int ranks_per_machine() const override { return (size() + machines() - 1) / machines(); }

  [[nodiscard]] std::int64_t least(std::int64_t value) const override {
    own().value = value;
    const Together together(world_);
    return std::ranges::min(world_.shown, {}, &Shown::value).value;
  }
  void broadcast(std::span<std::byte> bytes, int from) const override {
    own().bytes = bytes;
    const Together together(world_);
    const std::span<std::byte> source = world_.shown[to_size(from)].bytes;
    if (from != rank_) std::memcpy(bytes.data(), source.data(), std::min(bytes.size(), source.size()));
  }
  void exchange_counts(std::span<const std::int64_t> values, std::span<std::int64_t> result) const override {
    own().counts = values;
    const Together together(world_);
    for (std::size_t from = 0; from < result.size(); ++from)
      result[from] = world_.shown[from].counts[to_size(rank_)];
  }
  void exchange(const std::byte* send, std::span<const std::int64_t> send_counts, std::byte* receive,
                std::span<const std::int64_t> /*receive_counts*/) const override {
    own().send = send;
    own().counts = send_counts;
    const Together together(world_);
    for (const Shown& from : world_.shown) {
      const auto own_count = from.counts.begin() + rank_;
      const std::int64_t offset = std::accumulate(from.counts.begin(), own_count, std::int64_t{0});
      if (*own_count != 0) std::memcpy(receive, from.send + offset, to_size(*own_count));
      receive += *own_count;
    }
  }

 private:
  // All ranks have shown what they have; they may change it when all have seen it.
  class Together {
   public:
    explicit Together(World& world) : world_(world) { world_.arrived.arrive_and_wait(); }
    ~Together() { world_.arrived.arrive_and_wait(); }
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

   private:
    World& world_;
  };

  [[nodiscard]] Shown& own() const { return world_.shown[to_size(rank_)]; }

  World& world_;
  int rank_;
};

}  // namespace

void run_on_threads(int size, int machines, const std::function<void(const Ranks&)>& work) {
  World world(size, machines);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&world, &work, rank] { work(ThreadRanks(world, rank)); });
}

}  // namespace tensorop
