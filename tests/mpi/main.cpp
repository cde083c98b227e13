// The tests that MPI's ranks make together: mpirun -n 3 tensorop_mpi_tests. Every rank runs the same tests;
// the first one reports. Only these call the exchange of ranks itself, with random calls; ranks/mpi.py starts
// the program.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "mpi_tests.hpp"
#include "ranks/ranks.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include "tensorop-mpi/mpi_ranks.hpp"

namespace tensorop {
namespace {

const Ranks* ranks_of_tests = nullptr;
std::string folder_of_tests;

}  // namespace

const Ranks& mpi_ranks() {
  return *ranks_of_tests;
}

const std::string& shared_folder() {
  return folder_of_tests;
}

}  // namespace tensorop

// Catch2's main(), around which the linker puts this one (--wrap=main). To compile another takes a quarter of
// a minute.
extern "C" int __real_main(int argc, char** argv);  // NOLINT(bugprone-reserved-identifier): the linker's name
extern "C" int __wrap_main(int argc, char** argv);  // NOLINT(bugprone-reserved-identifier)

int __wrap_main(int argc, char** argv) {
  using namespace tensorop;
  const MpiRanks ranks;
  ranks_of_tests = &ranks;
  const TempDir folder;
  folder_of_tests = broadcast_text(ranks, folder.path().string(), 0);
  const std::string seed = broadcast_text(ranks, std::to_string(random_seed()), 0);
  ::setenv("TENSOROP_SEED", seed.c_str(), 1);
  // Each rank reports to a file of its own: standard output may be a terminal, whose report has colours.
  const TempDir own;
  const int heard = ::dup(STDOUT_FILENO);
  const int report = ::open(own.file("report").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ::dup2(report, STDOUT_FILENO);
  const int failed = __real_main(argc, argv);
  std::cout.flush();
  ::dup2(heard, STDOUT_FILENO);
  if (ranks.is_first()) std::cout << get(own.file("report"));
  return static_cast<int>(ranks.most(failed));
}
