// Turns a request into a call: finds the version, opens operands, reads attributes, resolves dtypes and plans
// the result. Checks all rules except those on index values and arithmetic.
#pragma once

#include "base/files/input_file.hpp"
#include "engine/engine.hpp"
#include "engine/index_range.hpp"
#include "engine/request.hpp"
#include "ops/call.hpp"

namespace tensorop {

// A call with its attributes and operands. It is not checked whether they fit together.
struct OpenedCall {
  Call call;
  Inputs inputs;  // the files that operands and attributes are read from
};

struct Bound : OpenedCall {
  Planned planned;
};

// Whether attributes that exclude each other are an error.
enum class AttributeChecks : bool { each, all };

// The first part of bind(), with the same errors.
[[nodiscard]] OpenedCall open_call(const Request& request, const Settings& settings,
                                   AttributeChecks checks = AttributeChecks::all);

// Throws Error, with the operator's name as context. With request.dry_run operands need no elements.
[[nodiscard]] Bound bind(const Request& request, const Settings& settings,
                         RangeForm ranges = RangeForm::indices);

}  // namespace tensorop
