// Compares the tensors of two folders or archives, each with the one of the same name.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/process/interruption.hpp"
#include "compare/compare.hpp"
#include "compare/finding.hpp"
#include "engine/settings.hpp"
#include "io/tensor_set.hpp"

namespace tensorop {

struct SetCompareSettings {
  Tolerances tolerances = {};
  CompareOptions options = {};
  Settings call = {};  // how files are read; its threads compare too
  // The names to compare; empty: all.
  std::function<bool(const std::string& name)> wanted = {};
  // Called with the number of files or arrays that have been compared and the number of all; one call at a
  // time, ascending.
  std::function<void(std::int64_t done, std::int64_t total)> progress = {};
  // Takes unexamined content of pairs, one call at a time; may be empty.
  std::function<void(const std::vector<Unseen>& entries)> unseen = {};
  bool fail_fast = false;                // the first pair that is not equal is the last one
  Interruption* interruption = nullptr;  // as in BatchSettings, of pairs
};

// Tensors with the same name are a pair. Two operands (TensorSet::of_one) are a pair. Two files or arrays
// whose names differ only by a format's ending are a pair if no third one has that name. Two archives in
// folders are compared array by array.
//
// A pair is skipped, not compared, if both are one file, or the same array of one file; and if both are text
// that holds no tensor and have the same bytes.
//
// Small pairs are compared concurrently. So are large pairs with a tensor that only one thread can read, if
// memory holds a pair for each thread. Other large pairs take all threads, one by one. Warnings and
// findings come in the order of the names.
void compare_sets(const TensorSet& actual, const TensorSet& expected, const SetCompareSettings& settings,
                  const FindingReport& report);

// The names of the pairs. For two archives in folders: the name of their pair.
[[nodiscard]] std::vector<std::string> pair_names(const TensorSet& actual, const TensorSet& expected);

}  // namespace tensorop
