// Filling a result from operands that memory does not hold. What a plan reads or writes at random, and how it
// is asked to work in windows: parts of the result as large as memory allows, each of them filled from
// operands that are read in ascending order. Which way is taken is the executor's choice
// (engine/access.hpp); the bytes are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/range.hpp"

namespace tensorop {

class ScratchFile;

// How a plan reads what it reads at random.
enum class Access : std::uint8_t {
  plain,     // as the order of the result has it: for operands that are in memory
  advised,   // the same, but the system is told of the rows of the next block before those of this one are
             // read
  windows,   // in windows of the result, or tiles of its columns
  exchange,  // not by the plan itself: the executor moves its rows (Plan::row_moves)
};

// Rows of so many bytes are read one by one at the full speed of a disk, 90,000 a second or 1.3 GB/s. Of
// shorter rows, in ascending order, neighbouring pages are read together, and no page twice.
inline constexpr std::int64_t kLongRow = 16 << 10;

// What is read or written in the order of indices.
struct RandomAccess {
  enum class Kind : std::uint8_t {
    rows,     // rows of one operand are read at random; all else from front to end
    columns,  // every operand is read, and the result is written, a piece of each row at a time
    targets,  // rows of one operand are read at random, and the result is written at random
  };
  Kind kind = Kind::rows;
  // The memory of the operands that are read at random: one of kind rows, those that have columns, or none.
  std::vector<std::span<const std::byte>> operands = {};
  std::int64_t rows = 0;  // that are read or written at random, of row_bytes each; repeated ones count
  std::int64_t row_bytes = 0;
  std::int64_t sort_bytes = 0;  // that prepare() takes for sorting them
  // Of kind rows: consecutive rows are read from one part of the operand after the other, of so many bytes
  // each; 0: from anywhere.
  std::int64_t part_bytes = 0;
  // Of kind rows: the offsets, in rows of the operand, of rows [first, first + count) in the order in which
  // they are read; kSkip for none. At most kIndexBlock. Throws PlanFault. Null where only prepare() finds the
  // order.
  std::function<void(std::int64_t first, std::int64_t count, std::int64_t* offsets)> locate = nullptr;
};

// Windows by sizes alone.
struct WindowPlan {
  std::int64_t count = 0;          // windows of the result, or tiles of columns
  std::int64_t window_bytes = 0;   // of the result in each, at most
  std::int64_t read_bytes = 0;     // of operands, by all windows together, at most
  std::int64_t scratch_bytes = 0;  // written to temporary files, and read again
};

// What an executor gives to Plan::fill_windows().
struct Windowing {
  // Bytes that windows, moves and buffers may take together. Any number works; a few megabytes are used in
  // any case.
  std::int64_t memory = 0;
  // Processes of this machine that do the same at the same time, each with as much memory.
  int sharers = 1;
  // Takes elements of the result. Where `anywhere`, from any thread, in any order; else from one thread at a
  // time, ranges that follow each other from element 0 to the last; it counts their bytes itself then
  // (Threads::advance).
  std::function<void(Range range, const std::byte* elements)> write;
  bool anywhere = false;
  // Where element 0 lies in its file, for writing whole pages; 0 where there is none.
  std::int64_t file_offset = 0;
  // Whether the elements of an operand lie in a mapped file, whose pages may be given up after use.
  std::function<bool(const std::byte* elements)> is_mapped = [](const std::byte*) { return false; };
  // A temporary file of so many bytes. Throws Error where there is no space.
  std::function<ScratchFile(std::int64_t bytes)> scratch;
};

}  // namespace tensorop
