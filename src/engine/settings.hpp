// What every call is run with.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/files/scratch_file.hpp"
#include "base/threads.hpp"
#include "engine/access.hpp"
#include "engine/executor.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class ArchiveCache;

// Finds results of earlier jobs by the text of an operand ("@id"). Returns nothing for any other text.
using TensorLookup = std::function<std::optional<Tensor>(const std::string& text)>;

// Settings for running a request.
struct Settings {
  Threads threads{1};
  // Called with the line of a warning; may be empty. What is only computed for a warning is not computed
  // then.
  std::function<void(const std::string&)> warn = nullptr;
  bool warns_of_elements = true;  // as warn_of_elements() does
  TensorLookup lookup = nullptr;
  // Bytes that buffers and windows may take; 0: half of the memory that is free.
  std::int64_t memory = 0;
  int memory_sharers = 1;  // calls that may run concurrently: each has an equal part of it
  // Temporary files without a name go to the folder of this file; empty, or no regular file:
  // temporary_base().
  std::string scratch_beside = {};
  // Archives that other calls read too; null: none is kept. It outlives the settings.
  ArchiveCache* archives = nullptr;
  // Called once for a result, before its first element is computed; may be empty.
  std::function<void(const AccessReport&)> explain = nullptr;
  // The other processes that take part in run_request() and infer(); null: none. It outlives the settings.
  const Executor* executor = nullptr;
  // Called on the first rank, once a result of all ranks is complete; may be empty.
  std::function<void(std::span<const RankCost>)> explain_ranks = nullptr;
  // For tests: the access of every plan that reads or writes at random; nothing: the best one.
  std::optional<Access> access = std::nullopt;
};

// This call's part of Settings::memory, or of what there is for it; at least 1. Reads files of the system
// where that is not given.
[[nodiscard]] std::int64_t memory_of(const Settings& settings);

// A temporary file of so many bytes where the settings want it. Throws Error where there is no space.
[[nodiscard]] ScratchFile make_scratch(const Settings& settings, std::int64_t bytes);

}  // namespace tensorop
