// --shard of `run` and `check`: a part of the jobs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "jobs/shards.hpp"

namespace tensorop {

[[nodiscard]] Option shard_option();

// The shard that --shard I/N names or, without it, the environment variables TEST_SHARD_INDEX (from 0) and
// TEST_TOTAL_SHARDS of test runners, for which the file that TEST_SHARD_STATUS_FILE names is made as a sign
// that they are understood. Nothing where neither is given. Throws Error.
[[nodiscard]] std::optional<Shard> read_shard(const Arguments& arguments);

// "shard 2/5: ", or nothing.
[[nodiscard]] std::string shard_prefix(const std::optional<Shard>& shard);

}  // namespace tensorop
