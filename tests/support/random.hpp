// The seed of random tests: from the environment variable TENSOROP_SEED, else from the machine; a test prints
// it when it starts. Every case has a generator of its own, so that TENSOROP_CASE=17 runs the 17th case by
// itself.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>

#include "generate/random.hpp"

namespace tensorop {

// The number an environment variable holds, if it is set.
[[nodiscard]] inline std::optional<std::uint64_t> number_from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::stoull(text);
}

// TENSOROP_SEED, else a new seed.
[[nodiscard]] inline std::uint64_t random_seed() {
  if (const auto given = number_from_environment("TENSOROP_SEED")) return *given;
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

}  // namespace tensorop
