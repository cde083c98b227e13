// The policy of a call for indices out of range: --oob, the modes of publishers, the fill value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ops/call.hpp"

namespace tensorop {

inline constexpr Choice kGatherOob[] = {{"error", OutOfBounds::error}, {"zero", OutOfBounds::zero},
                                        {"clip", OutOfBounds::clip},   {"clamp", OutOfBounds::clamp},
                                        {"wrap", OutOfBounds::wrap},   {"fill", OutOfBounds::fill}};
// The attribute of NumPy and JAX that sets the policy of a call, like --oob in the default semantics.
inline constexpr std::string_view kModeName = "mode";
// The modes of take in NumPy and JAX, and of NumPy's put.
inline constexpr Choice kTakeModes[] = {{"raise", OutOfBounds::error},
                                        {"wrap", OutOfBounds::wrap},
                                        {"clip", OutOfBounds::clip},
                                        {"fill", OutOfBounds::fill}};
inline constexpr Choices kPutModes = Choices(kTakeModes).first(3);
// The modes of JAX's take_along_axis.
inline constexpr Choice kAlongAxisModes[] = {
    {"clip", OutOfBounds::clip}, {"fill", OutOfBounds::fill}, {"drop", OutOfBounds::fill}};
// The modes of JAX's at[].get.
inline constexpr Choice kGetModes[] = {{"clip", OutOfBounds::clip},
                                       {"promise_in_bounds", OutOfBounds::clip},
                                       {"fill", OutOfBounds::fill},
                                       {"drop", OutOfBounds::fill}};
// TensorFlow's attribute: what becomes of indices out of range, of which negative ones are some.
inline constexpr std::string_view kBadIndicesName = "bad_indices_policy";
inline constexpr Choice kGatherBadIndices[] = {
    {"default", OutOfBounds::error}, {"error", OutOfBounds::error}, {"ignore", OutOfBounds::zero}};
inline constexpr Choice kScatterBadIndices[] = {
    {"default", OutOfBounds::error}, {"error", OutOfBounds::error}, {"ignore", OutOfBounds::drop}};
inline constexpr AttributeRow kBadIndicesRow = {kBadIndicesName, {}, "default"};
[[nodiscard]] constexpr AttributeSpec bad_indices_spec(Choices policies) {
  return {kBadIndicesName,
          AttributeKind::choice,
          "",
          "what happens to an index out of range, in tensorflow: an error, or with ignore zeros (gather) and "
          "no update (scatter)",
          kCallRule,
          policies};
}
[[nodiscard]] constexpr AttributeSpec at_mode_spec(Choices modes) {
  return {kModeName, AttributeKind::choice,
          "",        "what happens to an index out of range, in numpy and jax; without them --oob",
          kCallRule, modes};
}
inline constexpr AttributeSpec kFillValueSpec = {
    "fill_value", AttributeKind::element, "",
    "the value that an index out of range selects, with --oob fill, and in jax with --mode fill"};
inline constexpr IndexRule kClipsRaw = {.clips_raw = true};
inline constexpr WordList kRaiseWrapClip = "raise wrap clip";
// JAX's default fill value, which depends on the dtype: NaN, the lowest signed and the highest
// unsigned integer, true.
[[nodiscard]] std::string default_fill(DType dtype);

// Whether an attribute sets the policy of a call.
[[nodiscard]] constexpr bool is_policy(const AttributeSpec& spec) {
  return !spec.choices.empty() && spec.choices[0].type == &kEnumTag<OutOfBounds>;
}

// Returns the version's attribute that sets the policy of a call; null: it has none.
[[nodiscard]] const AttributeRow* policy_attribute(const Operator& op, const Version& version);

// The policy of a call: from the version, from an attribute that sets it, or from --oob.
[[nodiscard]] IndexPolicy index_policy(const Call& call);

// The element that an index out of range selects; nothing if the policy is not fill.
[[nodiscard]] std::optional<Tensor> fill_value(const Call& call);

// Throws Error [G-8] if a fill value is missing or not used.
void check_fill_value(const Call& call);

}  // namespace tensorop
