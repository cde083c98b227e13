// The processes that compute one result together, numbered from 0, and how they exchange bytes. What carries
// the bytes is not known here: MPI in tensorop-mpi, memory in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tensorop {

// Every call but the first four is made by all ranks, in the same order, and returns when it is done for this
// one. Where the exchange itself fails the processes of all ranks end.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  // The machines that the ranks run on, and the most ranks that one of them has.
  [[nodiscard]] virtual int machines() const = 0;
  [[nodiscard]] virtual int ranks_per_machine() const = 0;

  // The least of the values that the ranks give.
  [[nodiscard]] virtual std::int64_t least(std::int64_t value) const = 0;
  // All ranks get the bytes of rank `from`.
  virtual void broadcast(std::span<std::byte> bytes, int from) const = 0;
  // Value r goes to rank r; the result has at r what rank r gave for this one. Both have size() values.
  virtual void exchange_counts(std::span<const std::int64_t> values,
                               std::span<std::int64_t> result) const = 0;
  // The same with bytes, those for rank 0 first: send_counts[r] of them go to rank r, receive_counts[r] come
  // from it. At most kMostExchanged in all, each way.
  virtual void exchange(const std::byte* send, std::span<const std::int64_t> send_counts, std::byte* receive,
                        std::span<const std::int64_t> receive_counts) const = 0;

  [[nodiscard]] bool is_first() const { return rank() == 0; }
  [[nodiscard]] std::int64_t most(std::int64_t value) const { return -least(-value); }

  // Whether the last together() failed, and so on all ranks. A failure after one that did not
  // is that of this rank alone: the others do not know of it.
  [[nodiscard]] bool failed_together() const { return failed_together_; }
  void set_failed_together(bool failed) const { failed_together_ = failed; }

 private:
  mutable bool failed_together_ = false;
};

// MPI counts in int.
inline constexpr std::int64_t kMostExchanged = std::int64_t{1} << 30;

// Every rank runs its work; then all of them go on, or all throw the same: of several failures the PlanFault
// of the lowest position, else the Error of the lowest rank. Work makes no calls of `ranks`, or fails on all
// ranks or on none until its last one. Outside of it a failure of one rank ends the job (MPI_Abort), as the
// others wait; but not under `check`, whose cases are inside of an outer together(), where it may hang.
void together(const Ranks& ranks, const std::function<void()>& work);

// The same with work of the first rank alone.
void alone(const Ranks& ranks, const std::function<void()>& work);

// The value of rank `from`, on all ranks.
template <class T>
[[nodiscard]] T broadcast_value(const Ranks& ranks, T value, int from) {
  static_assert(std::is_trivially_copyable_v<T>);
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)), from);
  return value;
}

// All ranks get the text of rank `from`.
[[nodiscard]] std::string broadcast_text(const Ranks& ranks, std::string text, int from);

// The text of every rank, on all ranks.
[[nodiscard]] std::vector<std::string> gather_texts(const Ranks& ranks, const std::string& text);

}  // namespace tensorop
