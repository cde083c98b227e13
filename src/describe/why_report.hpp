// Sentences that say why elements of a result are what they are, or why a call is refused.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "explain/why.hpp"
#include "explain/why_refusal.hpp"
#include "io/json/json_document.hpp"

namespace tensorop {

// A line for each element, in two aligned columns: what the element is made of, with values, and why:
//     out[0,1] = data[5,1] = 7.5    indices[0] = -3 -> 5 on axis 0 of size 8
[[nodiscard]] std::string why_text(const Explainer& explainer, std::span<const ElementOrigin> elements);

// That of one element, without columns: "out[2] = data[2] = 30; no update goes there".
[[nodiscard]] std::string why_sentence(const Explainer& explainer, const ElementOrigin& element);

// The version and the attributes that are given: "onnx Gather-13, axis 1".
[[nodiscard]] std::string why_call_text(const Call& call);

// The name of operand `i`: with --spec the publisher's, "X" of onnx Where; else that of messages.
[[nodiscard]] std::string shown_name(const Call& call, std::size_t i);

// The shape that the caller gave operand `i`: beside a mask the leading dimensions of data are one dimension
// of the call.
[[nodiscard]] Shape shown_shape(const Call& call, std::size_t i);

// The word of an attribute that is a choice; empty where the call has none.
[[nodiscard]] std::string_view chosen_word(const Call& call, std::string_view name);

// "indices.shape[1:-1] (3) + data.shape[2:] (5)": the parts that the result's shape is made of.
[[nodiscard]] std::string shape_formula(const Explainer& explainer);

// A line with the shape of the result, the formula that it follows, and the shapes that go into it.
[[nodiscard]] std::string why_shape_text(const Explainer& explainer);

// The same for programs: a document without its end.
[[nodiscard]] Json why_json(const Explainer& explainer, std::span<const ElementOrigin> elements);
[[nodiscard]] Json why_json(const Explainer& explainer, std::span<const ArrivedElement> elements);

// A line for each element of the result that an element of an operand goes to, or why it goes to none.
[[nodiscard]] std::string why_text(const Explainer& explainer, const OperandElement& element,
                                   const Arrivals& arrivals);

// Why a call is refused, in lines: the rule, the index at fault, the version, and the versions that accept
// and refuse the call. Empty where nothing is known but the error.
[[nodiscard]] std::string refusal_text(const Refusal& refusal);
// The same for programs: a document without its end.
[[nodiscard]] Json refusal_json(const Refusal& refusal);

}  // namespace tensorop
