// Which sanitizer the tests and the program were built with, as GCC and as Clang tell.
#pragma once

#include <cstdint>

#if defined(__has_feature)
#define TENSOROP_HAS_FEATURE(feature) __has_feature(feature)
#else
#define TENSOROP_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || TENSOROP_HAS_FEATURE(address_sanitizer)
#define TENSOROP_ADDRESS_SANITIZER 1
#else
#define TENSOROP_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || TENSOROP_HAS_FEATURE(thread_sanitizer)
#define TENSOROP_THREAD_SANITIZER 1
#else
#define TENSOROP_THREAD_SANITIZER 0
#endif

namespace tensorop {

inline constexpr bool kAddressSanitizer = TENSOROP_ADDRESS_SANITIZER != 0;
inline constexpr bool kThreadSanitizer = TENSOROP_THREAD_SANITIZER != 0;
// Either of them: memory and time of their own, and libraries to open.
inline constexpr bool kAnySanitizer = kAddressSanitizer || kThreadSanitizer;

// The number of random rounds to run out of `rounds`: under a sanitizer each takes several times as long, and
// the release runs all of them.
constexpr std::int64_t share_of(std::int64_t rounds) {
  return kAnySanitizer ? (rounds + 15) / 16 : rounds;
}

}  // namespace tensorop
