// The process of a rank: joins the MPI job and runs the program together with the other ranks.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "base/files/mapping.hpp"
#include "base/process/threads.hpp"
#include "base/system/system.hpp"
#include "mpi_ranks.hpp"
#include "ranks/distribute.hpp"
#include "ranks/rank_executor.hpp"
#include "tensorop/program.hpp"
#include "tensorop/team.hpp"

namespace tensorop {
namespace {

// Open MPI gives the first rank a terminal as standard output, whatever its real one is.
class MpiSystem final : public System {
 public:
  bool isatty(int fd) override { return fd != STDOUT_FILENO && System::isatty(fd); }
};

// Silences all ranks but the first, which prints for all. Only errors that end the process at once are still
// printed, to the returned descriptor.
int be_silent() {
  const int heard = ::dup(STDERR_FILENO);
  Mapping::report_to(heard);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  return heard;
}

int run_rank(std::span<const char* const> args) {
  const MpiRanks ranks;
  MpiSystem system;
  const ScopedSystem replaced(system);
  if (ranks.size() == 1) return run_program(args);
  const int heard = ranks.is_first() ? STDERR_FILENO : be_silent();
  const RankExecutor executor(ranks);
  const Team team = {
      .executor = executor,
      .is_first = ranks.is_first(),
      .threads = std::max(1, available_cores() / ranks.ranks_on_same_cores()),
      .processes_a_machine = ranks.ranks_per_machine(),
      .run_batch = [&](const auto& jobs, const auto& settings, const auto& work, const auto& report) {
        distribute_batch(ranks, jobs, settings, work, report);
      }};
  std::string failure;
  const int status = run_program(args, &team, &failure);
  // The other ranks wait for this one and would never continue.
  if (!failure.empty() && !ranks.failed_together()) {
    if (!ranks.is_first()) ::dprintf(heard, "tensorop: rank %d: %s\n", ranks.rank(), failure.c_str());
    MpiRanks::end_all();
  }
  return broadcast_value(ranks, status, 0);
}

}  // namespace
}  // namespace tensorop

int main(int argc, char** argv) {
  tensorop::prepare_process();
  return tensorop::run_rank({argv + std::min(argc, 1), argv + argc});
}
