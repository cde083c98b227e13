// Ranks: the processes that compute one result together, numbered from 0, and their exchange of bytes.
// Independent of the transport: MPI in tensorop-mpi, memory in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tensorop {

// All ranks must make every call except the first four, in the same order; a call returns when it is done for
// this rank. If the exchange itself fails, the processes of all ranks end.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  // The number of machines that the ranks run on, and the largest number of ranks on one machine.
  [[nodiscard]] virtual int machines() const = 0;
  [[nodiscard]] virtual int ranks_per_machine() const = 0;

  // The least of the values of all ranks.
  [[nodiscard]] virtual std::int64_t least(std::int64_t value) const = 0;
  // Sends the bytes of rank `from` to all ranks.
  virtual void broadcast(std::span<std::byte> bytes, int from) const = 0;
  // Sends values[r] to rank r; result[r] is the value that rank r sent to this rank. Both have size() values.
  virtual void exchange_counts(std::span<const std::int64_t> values,
                               std::span<std::int64_t> result) const = 0;
  // As exchange_counts(), with bytes, ordered by rank: sends send_counts[r] bytes to rank r, receives
  // receive_counts[r] bytes from it. At most kMostExchanged in total, in each direction.
  virtual void exchange(const std::byte* send, std::span<const std::int64_t> send_counts, std::byte* receive,
                        std::span<const std::int64_t> receive_counts) const = 0;

  [[nodiscard]] bool is_first() const { return rank() == 0; }
  [[nodiscard]] std::int64_t most(std::int64_t value) const { return -least(-value); }

  // Whether the last together() failed, and therefore on all ranks. A failure after a successful together()
  // happened on this rank alone: the other ranks do not know of it.
  [[nodiscard]] bool failed_together() const { return failed_together_; }
  void set_failed_together(bool failed) const { failed_together_ = failed; }

 private:
  mutable bool failed_together_ = false;
};

// MPI counts bytes with int.
inline constexpr std::int64_t kMostExchanged = std::int64_t{1} << 30;

// Every rank runs its work; then all ranks return, or all throw the same failure: the PlanFault of the lowest
// position, else the Error of the lowest rank. Work may call `ranks` only if, until its last such call, it
// fails on all ranks or on none. Outside of together() a failure of one rank ends the job (MPI_Abort),
// because the other ranks wait; but under `check`, whose cases run inside an outer together(), it may hang.
void together(const Ranks& ranks, const std::function<void()>& work);

// together() with work only on the first rank.
void alone(const Ranks& ranks, const std::function<void()>& work);

// Sends the value of rank `from` to all ranks.
template <class T>
[[nodiscard]] T broadcast_value(const Ranks& ranks, T value, int from) {
  static_assert(std::is_trivially_copyable_v<T>);
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)), from);
  return value;
}

// Sends the text of rank `from` to all ranks.
[[nodiscard]] std::string broadcast_text(const Ranks& ranks, std::string text, int from);

// The texts of all ranks, on every rank.
[[nodiscard]] std::vector<std::string> gather_texts(const Ranks& ranks, const std::string& text);

}  // namespace tensorop
