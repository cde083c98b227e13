// Calls that several processes run together. The engine asks an executor instead of computing by itself where
// the settings have one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tensorop {

struct Destination;
struct OutputInfo;
struct Request;
struct Settings;

// What one rank has done for a call, in bytes: of operands, between ranks, of the result.
struct RankCost {
  std::int64_t read = 0;     // of operands; of rows that are read where they lie, whole pages
  std::int64_t sent = 0;     // to other ranks
  std::int64_t written = 0;  // of the result
};

// All ranks make the same calls in the same order. A failure of one rank is the failure of all: each throws
// the same error.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  // As the functions of engine.hpp, which call these.
  virtual void run(const Request& request, const Destination& destination, const Settings& settings,
                   const std::optional<Destination>& open_mask) const = 0;
  [[nodiscard]] virtual OutputInfo infer(const Request& request, const Settings& settings) const = 0;
  // Runs work that every rank does, with the same outcome. It may call the executor.
  virtual void together(const std::function<void()>& work) const = 0;
  // Throws Error where the file of that name is one that only one process can read. Each rank looks for
  // itself.
  virtual void require_regular(const std::string& path) const = 0;
  // Runs work on the first rank alone; the others wait for its end.
  virtual void alone(const std::function<void()>& work) const = 0;
  // Throws Error "the ranks do not see the same WHAT" unless all ranks give the same value.
  virtual void require_same(std::uint64_t value, const std::string& what) const = 0;
};

}  // namespace tensorop
