// Sentences that explain elements of a result, or the refusal of a call.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/text/json.hpp"
#include "explain/why.hpp"
#include "explain/why_refusal.hpp"

namespace tensorop {

// Returns a line for each element, in two aligned columns: the elements that it is computed from, and why:
//     out[0,1] = data[5,1] = 7.5    indices[0] = -3 -> 5 on axis 0 of size 8
[[nodiscard]] std::string why_text(const Explainer& explainer, std::span<const ElementOrigin> elements);

// Returns the line of one element, without columns: "out[2] = data[2] = 30; no update goes there".
[[nodiscard]] std::string why_sentence(const Explainer& explainer, const ElementOrigin& element);

// Returns the version and the attributes that are given: "onnx Gather-13, axis 1".
[[nodiscard]] std::string why_call_text(const Call& call);

// Returns the name of operand `i`: with --spec the publisher's, "X" of onnx Where; else the name in messages.
[[nodiscard]] std::string shown_name(const Call& call, std::size_t i);

// Returns the shape that the caller gave operand `i`. With a mask, the call has one dimension for data's
// leading dimensions.
[[nodiscard]] Shape shown_shape(const Call& call, std::size_t i);

// Returns the word of an attribute that is a choice; empty if the call has none.
[[nodiscard]] std::string_view chosen_word(const Call& call, std::string_view name);

// Returns the parts of the result's shape: "indices.shape[1:-1] (3) + data.shape[2:] (5)".
[[nodiscard]] std::string shape_formula(const Explainer& explainer);

// Returns a line with the shape of the result, its formula, and the shapes in the formula.
[[nodiscard]] std::string why_shape_text(const Explainer& explainer);

// Returns the explanation for programs: a document without its end.
[[nodiscard]] Json why_json(const Explainer& explainer, std::span<const ElementOrigin> elements);
[[nodiscard]] Json why_json(const Explainer& explainer, std::span<const ArrivedElement> elements);

// Returns a line for each element of the result that depends on an operand's element, or why there is none.
[[nodiscard]] std::string why_text(const Explainer& explainer, const OperandElement& element,
                                   const Arrivals& arrivals);

// Returns lines on why a call is refused: the rule, the faulty index, the version, and the versions that
// accept and refuse the call. Empty if only the error is known.
[[nodiscard]] std::string refusal_text(const Refusal& refusal);
// Returns "indices[1] = 7 selects on axis 0 of data, of size 3: valid are -3..2". Refusal::index is set.
[[nodiscard]] std::string index_sentence(const Refusal& refusal);
// Returns the picture of a refused call in the format SVG 1.1 (why_picture.hpp): `call` as text, the error,
// and the shapes that do not fit or the faulty index, with what is wrong in red.
[[nodiscard]] std::string refusal_svg(const Refusal& refusal, const std::string& call);
// Returns the refusal for programs: a document without its end.
[[nodiscard]] Json refusal_json(const Refusal& refusal);

}  // namespace tensorop
