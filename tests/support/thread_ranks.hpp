// Ranks that are threads of one process: what several processes do together, without them.
#pragma once

#include <functional>

#include "ranks/ranks.hpp"

namespace tensorop {

// Calls work once for each of `size` ranks, concurrently, and waits for all. The ranks say that they run on
// `machines` machines. An exception from work ends the process: the other ranks would wait forever.
void run_on_threads(int size, int machines, const std::function<void(const Ranks&)>& work);

}  // namespace tensorop
