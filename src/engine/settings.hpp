// The settings with which calls are run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/files/scratch_file.hpp"
#include "base/process/threads.hpp"
#include "engine/access.hpp"
#include "engine/executor.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class ArchiveCache;

// Finds results of earlier jobs by the text of an operand, "@id".
using TensorLookup = std::function<std::optional<Tensor>(const std::string& text)>;

// Settings for running a request.
struct Settings {
  Threads threads{1};
  // Called with each one-line warning. If it is empty, nothing is computed that only warnings need.
  std::function<void(const std::string&)> warn = nullptr;
  bool warns_of_elements = true;  // as warn_of_elements() does
  bool names_versions = true;     // in hints of refusals: version_hint()
  TensorLookup lookup = nullptr;
  // Bytes for buffers and windows; 0: half of the free memory.
  std::int64_t memory = 0;
  int memory_sharers = 1;  // calls that may run concurrently; each gets an equal part of `memory`
  // Temporary files without a name are made in the folder of this file; if it is empty or no regular file, in
  // temporary_base().
  std::string scratch_beside = {};
  // Archives that other calls read too; null: none is kept. It outlives the settings.
  ArchiveCache* archives = nullptr;
  // Called once for a result, before its first element is computed; may be empty.
  std::function<void(const AccessReport&)> explain = nullptr;
  // The processes that share run_request() and infer_request(); null: only this one. Outlives the settings.
  const Executor* executor = nullptr;
  // Called on the first rank when the result of all ranks is complete; may be empty.
  std::function<void(std::span<const RankCost>)> explain_ranks = nullptr;
  // For tests: the access of all plans that read or write at random; nothing: the best access.
  std::optional<Access> access = std::nullopt;
};

// Returns this call's part of Settings::memory, at least 1. If that is 0, returns its part of the free
// memory, which it reads from files of the system.
[[nodiscard]] std::int64_t memory_of(const Settings& settings);

// Makes a temporary file of `bytes` bytes in the settings' folder. Throws Error if there is no space.
[[nodiscard]] ScratchFile make_scratch(const Settings& settings, std::int64_t bytes);

}  // namespace tensorop
