// Job files as they are read. What their lines mean: tests/cli/run.md.
#include "jobs/jobs.hpp"

#include <fstream>
#include <string>
#include <vector>

#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::jobs_jobs_test {

TEST_CASE("a job file that changes while it is read is refused", "[jobs]") {
  class ChangingSystem : public System {
   public:
    explicit ChangingSystem(std::string path) : path_(std::move(path)) {}
    void* mmap(size_t bytes, int protection, int flags, int fd) override {
      void* const memory = System::mmap(bytes, protection, flags, fd);
      std::ofstream(path_, std::ios::app) << "\n";
      return memory;
    }

   private:
    std::string path_;
  };
  const TempDir dir;
  const std::string path = dir.file("jobs");
  std::ofstream(path) << R"({"op":"add","a":1,"b":1,"output":"o.npy"})";
  ChangingSystem system(path);
  const ScopedSystem scope(system);
  std::vector<Job> jobs;
  CHECK(error_of([&] { read_jobs(path, JobPurpose::run, jobs); }) ==
        cat(path, ": changed while it was read"));
}

}  // namespace tensorop::jobs_jobs_test
