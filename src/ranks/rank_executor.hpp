// Calls that all ranks run together. Each makes a part of the result, and writes it to its place in one file.
#pragma once

#include "engine/engine.hpp"
#include "engine/executor.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {

// All ranks see the same files, and give the same requests and settings. Results that are not stored element
// by element (text, deflated arrays, streams, strings), cases of ONNX and masks of open elements are made by
// the first rank alone.
class RankExecutor final : public Executor {
 public:
  explicit RankExecutor(const Ranks& ranks) : ranks_(ranks) {}

  void run(const Request& request, const Destination& destination, const Settings& settings,
           const std::optional<Destination>& open_mask) const override;
  [[nodiscard]] OutputInfo infer(const Request& request, const Settings& settings) const override;
  void require_regular(const std::string& path) const override;
  void together(const std::function<void()>& work) const override;
  void alone(const std::function<void()>& work) const override;
  void require_same(std::uint64_t value, const std::string& what) const override;

 private:
  void agree_on_memory(Settings& settings) const;
  // False, and nothing is written, where the destination does not take elements from several processes.
  [[nodiscard]] bool write_together(const Request& request, const Destination& destination,
                                    const Settings& settings) const;

  const Ranks& ranks_;
};

}  // namespace tensorop
