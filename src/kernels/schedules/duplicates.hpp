// The search for target rows of a scatter that have several updates.
#pragma once

#include <cstdint>
#include <functional>

#include "base/files/scratch_file.hpp"
#include "base/process/threads.hpp"
#include "kernels/rows/row_moves.hpp"

namespace tensorop {

// Throws PlanFault for the lowest bad index, or else duplicate_update for the lowest update whose row has an
// earlier update. Divides the updates by target, in about `memory` bytes or in a file from `scratch`; the
// time is proportional to the number of updates.
void require_no_duplicates(const RowMoves& scatter, std::int64_t memory,
                           const std::function<ScratchFile(std::int64_t bytes)>& scratch,
                           const Threads& threads);

}  // namespace tensorop
