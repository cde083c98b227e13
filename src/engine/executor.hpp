// Runs calls on several processes together. If the settings have an executor, the engine calls it instead of
// computing by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tensorop {

class Operand;
struct Destination;
struct OutputInfo;
struct Request;
struct Settings;

// The bytes that one rank has read, sent and written for a call.
struct RankCost {
  std::int64_t read = 0;     // of operands; whole pages if rows are read in place
  std::int64_t sent = 0;     // to other ranks
  std::int64_t written = 0;  // of the result
};

// All ranks make the same calls in the same order. If one rank fails, all fail: each throws the same error.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  // The functions of engine.hpp call these.
  virtual void run(const Request& request, const Destination& destination, const Settings& settings,
                   const std::optional<Destination>& open_mask) const = 0;
  [[nodiscard]] virtual OutputInfo infer(const Request& request, const Settings& settings) const = 0;
  // Runs `work` on every rank, with the same outcome. `work` may call the executor.
  virtual void together(const std::function<void()>& work) const = 0;
  // Throws Error if only one process can read the file `path`. Each rank checks by itself.
  virtual void require_regular(const Operand& operand) const = 0;
  // Runs `work` on the first rank only; the other ranks wait for its end.
  virtual void alone(const std::function<void()>& work) const = 0;
  // Throws Error "the ranks do not see the same WHAT" unless all ranks give the same value.
  virtual void require_same(std::uint64_t value, const std::string& what) const = 0;
};

}  // namespace tensorop
