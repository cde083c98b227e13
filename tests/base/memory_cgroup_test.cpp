// Memory limits of groups, as the files of the kernel tell of them; these here are made up.
#include "base/system/memory.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::base_memory_cgroup_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHybrid =
    "9:name=systemd:/\n5:cpu,cpuacct:/other\n4:memory:/outer/in:ner\n1:memoryless:/x\n0::/\n";
constexpr const char* kUnlimited = "9223372036854771712\n";
// As the kernel writes them, but shorter.
constexpr const char* kStat1 =
    "cache 400\nrss 100\ninactive_file 1\nactive_file 2\nhierarchical_memory_limit 1000\ntotal_cache 400\n"
    "total_inactive_file 30\ntotal_active_file 50\n";
constexpr const char* kStat2 =
    "anon 100\nfile 400\nkernel 7\nworkingset_refault_file 9\ninactive_anon 11\nactive_anon 12\n"
    "inactive_file 30\nactive_file 50\n";

struct Row {
  std::string what;
  std::vector<std::pair<std::string, std::string>> files;  // below the root
  std::optional<std::int64_t> left;
};

const std::string kOwn = "proc/self/cgroup";
const std::string kMount = "sys/fs/cgroup/";

}  // namespace

TEST_CASE("the least that a group or one around it leaves", "[base][memory]") {
  const std::string v1 = kMount + "memory/";
  const std::vector<Row> rows = {
      {"no groups", {}, std::nullopt},
      {"a path and no files", {{kOwn, kHybrid}}, std::nullopt},
      {"version 1, own limit",
       {{kOwn, kHybrid},
        {v1 + "outer/in:ner/memory.limit_in_bytes", "1000\n"},
        {v1 + "outer/in:ner/memory.usage_in_bytes", "600\n"},
        {v1 + "outer/in:ner/memory.stat", kStat1},
        {v1 + "outer/memory.limit_in_bytes", kUnlimited},
        {v1 + "outer/memory.usage_in_bytes", "100000\n"},
        {v1 + "memory.limit_in_bytes", kUnlimited}},
       1000 - (600 - 80)},
      {"version 1, limit of the outer group",
       {{kOwn, kHybrid},
        {v1 + "outer/in:ner/memory.limit_in_bytes", "1000\n"},
        {v1 + "outer/memory.limit_in_bytes", "700\n"},
        {v1 + "outer/memory.usage_in_bytes", "650\n"}},
       50},
      {"version 1, in a container that sees its own group as the root",
       {{kOwn, "4:cpu,memory:/docker/0123\n"},
        {v1 + "memory.limit_in_bytes", "1000\n"},
        {v1 + "memory.usage_in_bytes", "600\n"}},
       400},
      {"more used than granted",
       {{kOwn, kHybrid}, {v1 + "memory.limit_in_bytes", "10\n"}, {v1 + "memory.usage_in_bytes", "600\n"}},
       0},
      {"version 2",
       {{kOwn, "0::/a.slice/b.scope\n"},
        {kMount + "a.slice/b.scope/memory.max", "1000\n"},
        {kMount + "a.slice/b.scope/memory.high", "max\n"},
        {kMount + "a.slice/b.scope/memory.current", "600\n"},
        {kMount + "a.slice/b.scope/memory.stat", kStat2},
        {kMount + "a.slice/memory.max", "max\n"}},
       1000 - (600 - 80)},
      {"version 2, high of the outer group",
       {{kOwn, "0::/a/b\n"},
        {kMount + "a/b/memory.max", "1000\n"},
        {kMount + "a/memory.max", "2000\n"},
        {kMount + "a/memory.high", "900\n"},
        {kMount + "a/memory.current", "100\n"}},
       800},
      {"version 2 without a limit",
       {{kOwn, "0::/a\n"}, {kMount + "a/memory.max", "max\n"}, {kMount + "a/memory.high", "max\n"}},
       std::nullopt},
      {"version 2 in a namespace that the process has left",
       {{kOwn, "0::/../other\n"}, {kMount + "memory.max", "500\n"}},
       500},
      {"both versions",
       {{kOwn, "4:memory:/one\n0::/two\n"},
        {v1 + "one/memory.limit_in_bytes", "1000\n"},
        {kMount + "unified/two/memory.max", "300\n"}},
       300},
      {"nonsense",
       {{kOwn, "\n:\n::\n0::relative\nmemory\n4:memory:\n"},
        {v1 + "memory.limit_in_bytes", "many\n"},
        {kMount + "memory.max", "99999999999999999999999\n"}},
       std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const TempDir root;
    for (const auto& [name, text] : row.files) {
      fs::create_directories((root.path() / name).parent_path());
      write_file(root.file(name), text);
    }
    CHECK(cgroup_memory(root.path().string()) == row.left);
  }
}

}  // namespace tensorop::base_memory_cgroup_test
