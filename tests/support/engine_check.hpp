// Runs random calls through the engine and through the reference, and tells where they differ.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ranks/ranks.hpp"
#include "support/random_case.hpp"

namespace tensorop {

using MakeCall = std::function<RandomCase(Random&)>;

// Makes `cases` calls with `make` and compares what the engine and the reference make of them, as
// support/engine_call.hpp says. Fails the running Catch2 test with the cases to replay.
void compare_with_reference(const std::string& what, std::int64_t cases, const MakeCall& make);

// The same, but compares what each access makes of a call with what `plain` does.
void compare_accesses(const std::string& what, std::int64_t cases, const MakeCall& make);

// The same, but compares what ranks make of a call together with what one process does.
void compare_ranks(const std::string& what, std::int64_t cases, const MakeCall& make);
// The same with ranks that are processes; each calls this, and they share `folder`.
void compare_ranks(const std::string& what, std::int64_t cases, const MakeCall& make, const Ranks& ranks,
                   const std::string& folder);

}  // namespace tensorop
