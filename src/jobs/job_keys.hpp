// One job: interprets its keys.
#pragma once

#include <string>

#include "io/json/json_objects.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// A job by itself, without its dependencies; relative paths are relative to `folder`. Throws Error naming the
// key.
[[nodiscard]] Job read_job(const JsonObject& object, const std::string& file, const std::string& folder,
                           const JobDefaults& defaults);

// Whether the object is {"defaults":{...}}, and no job.
[[nodiscard]] bool is_defaults(const JsonObject& object);
// Adds what such an object gives to `defaults`. Throws Error naming the key.
void read_defaults(const JsonObject& object, JobDefaults& defaults);

// The keys and what they mean, for the docs.
[[nodiscard]] std::string job_keys_markdown();

}  // namespace tensorop
