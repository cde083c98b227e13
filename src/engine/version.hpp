// Finds the published version of an operator for the text of --spec.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request.hpp"
#include "ops/call.hpp"

namespace tensorop {

struct Spec {
  Framework framework = Framework::standard;
  int version = 0;
};

// Parses "onnx-13", "stablehlo-1.1" or "mdf"; no text means the default semantics. "stablehlo-1" means the
// newest 1.x. Throws Error [T-0].
[[nodiscard]] Spec parse_spec(const std::optional<std::string>& text);

// Returns every text that parse_spec() accepts.
[[nodiscard]] std::vector<std::string> spec_texts();

// Returns spec_texts(), and the texts that mean several versions: "all", "onnx" (explain/portability.hpp).
[[nodiscard]] std::vector<std::string> all_spec_texts();

// Returns the version of the operator that is in effect in the spec, by the name in the call, which may stand
// for only one of the publisher's operators. Throws Error [T-0]: the operator has no such version, or the
// spec is no single version.
[[nodiscard]] const Version& find_version(const FoundOperator& found, const std::optional<std::string>& spec);

// Returns the name for the call in a version: its own if that means the version; else one with the same
// preset; else the first that presets nothing, or what the call says. Names that take index arrays stand for
// each other alone. Null: the version has none; a right shift is not a BitwiseLeftShift.
[[nodiscard]] const OperatorName* name_in(const Request& request, const Version& version);

// Renames the call, and writes out an attribute that only the old name presets. An axis stands against a
// preset `flat`.
void rename(Request& request, const OperatorName& name);

// Returns the call by name_in(), with the version as its spec. Nothing: there is no name.
[[nodiscard]] std::optional<Request> call_in(const Request& request, const Version& version);

// Throws Error if the version does not allow the dtype of operand `i`, called `operand`; sets Call::missing
// if its publisher allows it but tensorop does not compute it. `hint` is used if no other version allows the
// dtype.
void require_dtype(Call& call, std::size_t i, DType dtype, std::string_view operand,
                   const std::string& hint = {});

// Whether the publisher accepts operands of the type variable of these dtypes, the first one of `a`, and
// converts them.
[[nodiscard]] bool converts(const Version& version, std::string_view type, DType a, DType b);

}  // namespace tensorop
