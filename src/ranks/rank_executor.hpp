// Runs calls on all ranks together. Each rank writes its part of the result to its place in one file.
#pragma once

#include "engine/engine.hpp"
#include "engine/executor.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {

// All ranks see the same files, and give the same requests and settings. The first rank alone makes results
// not stored element by element (text, deflated arrays, streams, strings), ONNX cases and masks of
// unspecified elements.
class RankExecutor final : public Executor {
 public:
  explicit RankExecutor(const Ranks& ranks) : ranks_(ranks) {}

  void run(const Request& request, const Destination& destination, const Settings& settings,
           const std::optional<Destination>& open_mask) const override;
  [[nodiscard]] OutputInfo infer(const Request& request, const Settings& settings) const override;
  void require_regular(const Operand& operand) const override;
  void together(const std::function<void()>& work) const override;
  void alone(const std::function<void()>& work) const override;
  void require_same(std::uint64_t value, const std::string& what) const override;

 private:
  void agree_on_memory(Settings& settings) const;
  // False, with nothing written, if several processes cannot write elements to `destination`.
  [[nodiscard]] bool write_together(const Request& request, const Destination& destination,
                                    const Settings& settings) const;

  const Ranks& ranks_;
};

}  // namespace tensorop
