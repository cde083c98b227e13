// Rows in the order of their index tuples, distributed over windows of the rows that they go to: each window
// has a run of its rows, in memory or in a temporary file. Distributing reads the rows once, from front to
// end; combining reads the run of each window once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/files/scratch_file.hpp"
#include "base/threads.hpp"
#include "kernels/row_map.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// What is distributed. The map and the rows outlive it.
struct DistributedRows {
  const RowMap& map;         // which target each row goes to
  const std::byte* rows;     // row i of the map, of row_bytes
  std::int64_t row_bytes;    // at least 1
  std::int64_t target_rows;  // at least 1
};

class Distribution {
 public:
  // The rows of one window, in the order of their index tuples; aligned to 64 bytes.
  struct Run {
    const std::uint32_t* targets;  // counted from the window's first
    const std::byte* rows;
    std::int64_t count;
  };

  // Windows of `window_rows` targets, at most 2^32. `scratch` makes the file for the runs, with as many bytes
  // as it is asked for; null: they are in memory. Takes up to `memory` bytes for buffers, a few megabytes in
  // any case. Throws PlanFault for the lowest bad index, and Error where the indices change while they are
  // read.
  Distribution(const DistributedRows& from, std::int64_t window_rows,
               const std::function<ScratchFile(std::int64_t bytes)>& scratch, std::int64_t memory,
               const Threads& threads);

  [[nodiscard]] Run run(std::int64_t window) const;
  // Whether the runs are in a file, whose pages may be given up after use.
  [[nodiscard]] bool is_mapped() const { return file_.has_value(); }

  // The bytes of the runs of so many rows, at most.
  [[nodiscard]] static std::int64_t bytes(std::int64_t rows, std::int64_t row_bytes, std::int64_t windows);

 private:
  struct Place {
    std::int64_t targets;  // they begin at this byte
    std::int64_t rows;     // at this one
    std::int64_t count;
  };

  void write(std::int64_t offset, const void* from, std::int64_t bytes);

  std::vector<Place> places_;
  std::optional<ScratchFile> file_;
  std::optional<Storage> memory_;
  const std::byte* base_ = nullptr;  // of all runs
};

}  // namespace tensorop
