// Processor features, as the C library found them when the process started. __builtin_cpu_supports() would
// run the CPUID instruction again at every start: 0.08 ms on a virtual machine, which traps each CPUID.
#pragma once

#ifdef __x86_64__
#include <sys/platform/x86.h>

namespace tensorop {

inline bool has_sha256() {
  return CPU_FEATURE_ACTIVE(SHA) && CPU_FEATURE_ACTIVE(SSE4_1);
}

}  // namespace tensorop
#endif
