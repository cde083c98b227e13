// Sentences that say why elements of a result are what they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/why.hpp"

namespace tensorop {

// A line for each element, in two aligned columns: what the element is made of, with values, and why:
//     out[0,1] = data[5,1] = 7.5    indices[0] = -3 -> 5 on axis 0 of size 8
[[nodiscard]] std::string why_text(const Explainer& explainer, std::span<const ElementOrigin> elements);

// That of one element, without columns: "out[2] = data[2] = 30; no update goes there".
[[nodiscard]] std::string why_sentence(const Explainer& explainer, const ElementOrigin& element);

// The version and the attributes that are given: "onnx Gather-13, axis 1".
[[nodiscard]] std::string why_call_text(const Call& call);

// A line with the shape of the result, the formula that it follows, and the shapes that go into it.
[[nodiscard]] std::string why_shape_text(const Explainer& explainer);

// The same for programs: one object.
[[nodiscard]] std::string why_json(const Explainer& explainer, std::span<const ElementOrigin> elements);
[[nodiscard]] std::string why_json(const Explainer& explainer, const OperandElement& element,
                                   const Arrivals& arrivals);

// A line for each element of the result that an element of an operand goes to, or why it goes to none.
[[nodiscard]] std::string why_text(const Explainer& explainer, const OperandElement& element,
                                   const Arrivals& arrivals);

}  // namespace tensorop
