// Interprets the keys of one job.
#pragma once

#include <string>

#include "io/json/json_objects.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// Reads a job without its dependencies; relative paths are relative to `folder`. Throws Error that names the
// key.
[[nodiscard]] Job read_job(const JsonObject& object, const std::string& file, const std::string& folder,
                           const JobDefaults& defaults);

// Whether the object is {"defaults":{...}} instead of a job.
[[nodiscard]] bool is_defaults(const JsonObject& object);
// Adds the values of such an object to `defaults`. Throws Error that names the key.
void read_defaults(const JsonObject& object, JobDefaults& defaults);

// Returns the keys with their meanings, for the docs.
[[nodiscard]] std::string job_keys_markdown();

}  // namespace tensorop
