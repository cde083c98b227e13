// What the tests of MPI share.
#pragma once

#include <string>

#include "ranks/ranks.hpp"

namespace tensorop {

// All ranks of the job.
[[nodiscard]] const Ranks& mpi_ranks();
// A folder that all ranks see.
[[nodiscard]] const std::string& shared_folder();

}  // namespace tensorop
