// The names of operands in explanations, and the formula of a result's shape with the numbers of a call.
#include <string_view>
#include <variant>
#include <vector>

#include "base/checked.hpp"
#include "base/text/text.hpp"
#include "describe/why_report.hpp"
#include "ops/axes.hpp"
#include "ops/elementwise.hpp"

namespace tensorop {
namespace {

// Returns the value of an attribute; null if the call has none with this name and type.
template <class T>
const T* attribute_value(const Call& call, std::string_view name) {
  const AttributeSpec* const spec = find_attribute(*call.op, name);
  return spec == nullptr ? nullptr
                         : std::get_if<T>(&call.attributes[to_size(spec - call.op->attributes.data())].value);
}

std::int64_t integer_of(const Call& call, std::string_view name) {
  const auto* const value = attribute_value<std::int64_t>(call, name);
  return value == nullptr ? 0 : *value;
}

// Returns "data.shape[1:2] (3)": dimensions [begin, end) of operand `i`.
std::string part(const Call& call, std::size_t i, std::int64_t begin, std::int64_t end,
                 std::string_view range) {
  return cat(shown_name(call, i), ".shape", range, " ",
             to_string(slice(call.operands[i].shape(), begin, end)));
}

std::string gather_formula(const Call& call) {
  const std::int64_t data = call.operands[0].rank();
  const std::int64_t indices = call.operands[1].rank();
  const std::int64_t given = integer_of(call, "axis");
  const std::int64_t axis = given < 0 ? given + data : given;
  const std::int64_t batch = integer_of(call, "batch_dims");
  const std::int64_t b = batch < 0 ? batch + indices : batch;
  std::vector<std::string> parts;
  if (axis > 0) parts.push_back(part(call, 0, 0, axis, cat("[:", axis, "]")));
  parts.push_back(call.has_mask() ? cat("true elements of the mask ", to_string(call.operands[1].shape()))
                                  : part(call, 1, b, indices, b == 0 ? "" : cat("[", b, ":]")));
  if (axis + 1 < data) parts.push_back(part(call, 0, axis + 1, data, cat("[", axis + 1, ":]")));
  return join(parts, " + ");
}

std::string gather_nd_formula(const Call& call, const Shape& result) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  const std::int64_t batch = integer_of(call, "batch_dims");
  const std::int64_t b = batch < 0 ? batch + rank(indices) : batch;
  const std::int64_t k = indices.back();
  const std::string rest = to_string(Shape(data.begin() + b + k, data.end()));
  if (call.has_mask())
    return cat("true elements of the mask (", indices[0], ") + data.shape[", call.form.mask.size(), ":] ",
               rest);
  std::vector<std::string> parts;
  const bool is_fused = rank(result) < rank(indices) - 1 + rank(data) - b - k;
  Shape shared;
  for (std::size_t d = 0; d < to_size(b); ++d) shared.push_back(data[d] == 1 ? indices[d] : data[d]);
  if (is_fused) {
    parts.push_back(cat("batch ", to_string(shared), " as one dimension (", result[0], ")"));
  } else if (b > 0) {
    parts.push_back(cat("batch ", to_string(shared)));
  }
  if (rank(indices) - 1 > b || b == 0)
    parts.push_back(part(call, 1, b, rank(indices) - 1, b == 0 ? "[:-1]" : cat("[", b, ":-1]")));
  if (b + k < rank(data)) parts.push_back(cat("data.shape[", b == 0 ? "" : cat(b, "+"), k, ":] ", rest));
  return join(parts, " + ");
}

// Returns "slice_sizes (1,2) at offset_dims (1), indices elsewhere".
std::string window_formula(const Call& call) {
  const auto text = [&](std::string_view name) {
    return cat(name, " ", to_string(*attribute_value<Shape>(call, name)));
  };
  if (call.op->shapes == ShapeKind::dynamic_window) return text("slice_sizes");
  return cat(text("slice_sizes"), " at ", text("offset_dims"), ", ", shown_name(call, 1), " elsewhere");
}

// Returns the shape of indices, as which elements of data are selected.
std::string elements_formula(const Call& call, const Shape& result) {
  std::string own = part(call, 1, 0, call.operands[1].rank(), "");
  if (result == call.operands[1].shape()) return own;
  return cat(own, is_flat(call) ? ", flat" : ", repeated to data off the axis");
}

// Returns "A (1,3) and B (2,1), broadcast", or the shape of the first operand of data.
std::string operands_formula(const Call& call) {
  const std::size_t data = call.op->operands[0].role == OperandRole::condition ? 1 : 0;
  if (broadcast_rule(call) != BroadcastRule::numpy)
    return part(call, data, 0, call.operands[data].rank(), "");
  // In Select, the condition does not enlarge the result.
  const std::size_t first = call.version->framework == Framework::openvino ? data : 0;
  std::vector<std::string> parts;
  for (std::size_t i = first; i < call.operands.size(); ++i)
    parts.push_back(cat(shown_name(call, i), " ", to_string(call.operands[i].shape())));
  return cat(join_words(parts, "and"), parts.size() == 1 ? "" : ", broadcast");
}

// Returns "a (2,1) and b (2,3), joined along axis 1".
std::string joined_formula(const Call& call) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    parts.push_back(cat(shown_name(call, i), " ", to_string(call.operands[i].shape())));
  return cat(join_words(parts, "and"), ", joined",
             is_flat(call) ? ", flat" : cat(" along axis ", integer_of(call, "axis")));
}

// Returns the list of the attribute "shape", and the shape that it is broadcast with, if any.
std::string target_formula(const Call& call) {
  const auto& shape = std::get<Shape>(call.attributes[0].value);
  const std::string_view mode = chosen_word(call, "mode");
  const bool is_both = mode.empty() || mode == "bidirectional" || mode == "multidirectional";
  const std::string target = cat("shape ", to_string(shape));
  return is_both ? cat(shown_name(call, 0), " ", to_string(call.operands[0].shape()), " and ", target,
                       ", broadcast")
                 : target;
}

}  // namespace

std::string shown_name(const Call& call, std::size_t i) {
  const Operator& op = *call.op;
  const PublishedNames* const names = published_names(op, call.version->framework);
  if (op.operands.back().variadic && call.version->framework == Framework::onnx)
    return cat(names->operands[0], i);
  return names != nullptr && i < names->operands.size() ? std::string(names->operands[i])
                                                        : call.operand_name(i);
}

std::string_view chosen_word(const Call& call, std::string_view name) {
  const auto* const word = attribute_value<ChosenWord>(call, name);
  return word == nullptr ? "" : find_attribute(*call.op, name)->choices[word->at].word;
}

Shape shown_shape(const Call& call, std::size_t i) {
  Shape out = call.operands[i].shape();
  if (i != 0 || call.form.mask.empty()) return out;
  out.erase(out.begin());
  out.insert(out.begin(), call.form.mask.begin(), call.form.mask.end());
  return out;
}

std::string shape_formula(const Explainer& explainer) {
  const Call& call = explainer.call();
  const Shape& result = explainer.output().shape;
  const bool has_updates = call.op->operands.size() == 3 && call.op->operands[1].role == OperandRole::indices;
  if (has_updates) return cat("data.shape ", to_string(result));
  switch (call.op->shapes) {
    case ShapeKind::target:
      return target_formula(call);
    case ShapeKind::joined:
      return joined_formula(call);
    case ShapeKind::gather:
      return is_flat(call) ? elements_formula(call, result) : gather_formula(call);
    case ShapeKind::gather_elements:
      return elements_formula(call, result);
    case ShapeKind::gather_nd:
      return gather_nd_formula(call, result);
    case ShapeKind::windows:
    case ShapeKind::dynamic_window:
      return window_formula(call);
    default:
      return operands_formula(call);
  }
}

}  // namespace tensorop
