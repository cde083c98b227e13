// Compares the tensors of two folders or archives, each with the one of the same name. The results are data;
// report/pair_report.hpp makes text of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "engine/settings.hpp"
#include "golden/compare.hpp"
#include "io/tensor_set.hpp"

namespace tensorop {

enum class PairOutcome : std::uint8_t {
  equal,
  different,
  missing,  // the actual one does not exist
  extra,    // the expected one does not exist
  error,    // one of them cannot be read, or they cannot be compared
};

struct PairResult {
  std::string name = {};  // as the expected set names it; "a.npz:x" for an array of archives in folders
  PairOutcome outcome = PairOutcome::equal;
  std::string actual = {};    // "results/b.npy", "a.npz:x"; empty where there is none
  std::string expected = {};  // likewise
  std::optional<Comparison> comparison = {};
  std::shared_ptr<const Failure> error = {};
  double seconds = 0;
};

struct PairCounts {
  std::int64_t equal = 0;
  std::int64_t different = 0;
  std::int64_t missing = 0;
  std::int64_t extra = 0;
  std::int64_t error = 0;

  [[nodiscard]] std::int64_t pairs() const { return equal + different + missing + extra + error; }
  void add(PairOutcome outcome);
};

struct SetCompareSettings {
  Tolerances tolerances = {};
  CompareOptions options = {};
  Settings call = {};  // how files are read; its threads compare too
  // The names to compare; all where empty.
  std::function<bool(const std::string& name)> wanted = {};
  // Called with the number of files or arrays that have been compared and the number of all; one call at a
  // time, ascending.
  std::function<void(std::int64_t done, std::int64_t total)> progress = {};
};

// Takes the results in the order of their names, one call at a time. An exception from it ends the
// comparison.
using PairReport = std::function<void(const PairResult& result)>;

// Tensors of one name are a pair; else two files or arrays whose names differ by the ending of a format
// alone, where there are no others like that. Two archives in folders are compared array by array.
//
// Small pairs are compared concurrently, and large ones of which memory holds one for each thread, where only
// one thread can read a tensor of them; other large ones one after the other on all threads. Warnings come in
// the order of the results.
PairCounts compare_sets(const TensorSet& actual, const TensorSet& expected,
                        const SetCompareSettings& settings, const PairReport& report);

}  // namespace tensorop
