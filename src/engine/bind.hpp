// From a request to a call: finds the version, opens operands, reads attributes, resolves dtypes and plans
// the result. All rules except those on index values and arithmetic are checked here, in the order of G-9.
#pragma once

#include "base/input_file.hpp"
#include "engine/engine.hpp"
#include "engine/request.hpp"
#include "ops/call.hpp"

namespace tensorop {

struct Bound {
  Call call;
  Planned planned;
  Inputs inputs;  // the files that operands and attributes are read from
};

// Throws Error, with the operator's name as context. With request.dry_run operands need no elements.
[[nodiscard]] Bound bind(const Request& request, const Settings& settings);

}  // namespace tensorop
