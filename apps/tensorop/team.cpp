#include "team.hpp"

#include <cstdint>

#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

void together(const Arguments& arguments, const std::function<void()>& work) {
  arguments.team == nullptr || arguments.is_for_one ? work() : arguments.team->executor.together(work);
}

void alone(const Arguments& arguments, const std::function<void()>& work) {
  arguments.team == nullptr || arguments.is_for_one ? work() : arguments.team->executor.alone(work);
}

void require_readable_by_all(const Arguments& arguments) {
  if (arguments.team == nullptr) return;
  for (const std::string& path : arguments.operands) arguments.team->executor.require_regular(path);
}

void require_shared_files(const Arguments& arguments, const std::vector<Job>& jobs) {
  if (arguments.team == nullptr) return;
  const auto check = [](const std::string& path) {
    if (!path.starts_with("/dev/") && !path.starts_with("/proc/")) return;
    if (!named_descriptor(resolve_links(path))) return;
    throw Error(cat(printable(path), " is another file for each process"), "",
                "give a file that all ranks see");
  };
  for (const Job& job : jobs) {
    with_context(job.location(), [&] {
      for (const JobFile& file : job.reads) check(file.given.path);
      if (job.output) check(job.output->path);
    });
  }
}

void require_same_jobs(const Arguments& arguments, const std::vector<Job>& jobs) {
  if (arguments.team == nullptr) return;
  std::uint64_t sum = jobs.size();
  const auto add = [&](std::uint64_t value) { sum = sum * 0x100000001b3 + value; };
  for (const Job& job : jobs) {
    for (const char c : job.location()) add(static_cast<unsigned char>(c));
    for (const char c : job.output ? job.output->path : std::string()) add(static_cast<unsigned char>(c));
    for (const Need& need : job.needs) add(need.job);
    for (const std::size_t earlier : job.after) add(earlier);
  }
  arguments.team->executor.require_same(sum, "jobs");
}

}  // namespace tensorop
