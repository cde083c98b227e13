#include "describe/why_report.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/checked.hpp"
#include "base/text/json.hpp"
#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "describe/picture_grid.hpp"
#include "io/json/json_writer.hpp"
#include "jobs/call_text.hpp"
#include "ops/index_policy.hpp"
#include "ops/scatter.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kIndexOperand = 1;
constexpr std::size_t kMostInText = 8;     // contributions that a sentence lists
constexpr std::size_t kWidestColumn = 48;  // of the first column
constexpr std::string_view kMask = "mask";

std::string operand_element(const Call& call, const OperandElement& element) {
  return element_name(shown_name(call, element.operand), element.position,
                      shown_shape(call, element.operand));
}

// Returns "a + b" or "max(a, b)".
std::string combined(std::string_view how, std::string_view sign, const std::vector<std::string>& terms) {
  if (sign.empty()) return cat(how, "(", join(terms), ")");
  std::string out;
  for (const std::string& term : terms) out += out.empty() ? term : cat(" ", sign, " ", term);
  return out;
}

std::string_view reduction_sign(const Call& call) {
  const Attribute* const chosen = call.find("reduction");
  if (chosen == nullptr) return "";
  const Choice& choice =
      find_attribute(*call.op, "reduction")->choices[std::get<ChosenWord>(chosen->value).at];
  return sign_of(static_cast<Reduction>(choice.value), call.operands[0].dtype() == DType::boolean);
}

std::string attribute_text(const Attribute& attribute, const AttributeSpec& spec) {
  const auto* const shape = std::get_if<Shape>(&attribute.value);
  return shape == nullptr ? value_text(attribute, spec) : to_string(*shape);
}

std::string axis_text(const ChosenIndex& index) {
  return cat("axis ", index.axis, " of size ", index.size);
}

// Returns "indices[0] = -3 -> 5 on axis 0 of size 8".
std::string index_text(const Explainer& explainer, const ChosenIndex& index) {
  const Call& call = explainer.call();
  std::string out = cat(operand_element(call, {kIndexOperand, index.position}), " = ",
                        element_text(call.operands[kIndexOperand], index.position));
  const bool has_window = !index.in_range && index.window > 1;
  if (!index.coordinate && !has_window)
    return cat(out, index.in_range ? "" : " is out of range", " on ", axis_text(index));
  const std::string coordinate = cat(index.coordinate.value_or(0));
  if (index.coordinate && !out.ends_with(cat(" ", coordinate))) out += cat(" -> ", coordinate);
  return cat(out, " on ", axis_text(index),
             has_window       ? cat(", where a window of ", index.window, " does not fit")
             : index.in_range ? ""
                              : ", out of range");
}

std::string indices_text(const Explainer& explainer, const std::vector<ChosenIndex>& indices) {
  std::vector<std::string> out;
  if (explainer.call().has_mask()) {
    const Shape& mask = explainer.call().form.mask;
    const std::int64_t at = indices[0].coordinate.value_or(0);
    return cat(mask.empty() ? cat(kMask, "[", at, "]") : element_name(std::string(kMask), at, mask),
               " is true");
  }
  out.reserve(indices.size());
  for (const ChosenIndex& index : indices) out.push_back(index_text(explainer, index));
  return join(out);
}

struct Sentence {
  std::string left;
  std::string note;
};

// Returns "data[2], updates[0] and 3 more".
std::string listed(std::vector<std::string> items, std::int64_t all) {
  if (items.size() > kMostInText) items.resize(kMostInText);
  if (to_int64(items.size()) < all) items.push_back(cat(all - to_int64(items.size()), " more"));
  return join_words(std::move(items), "and");
}

// Returns an update with the indices that select its target.
std::string update_text(const Explainer& explainer, const Contribution& update) {
  return cat(operand_element(explainer.call(), update.element), " by ",
             indices_text(explainer, update.indices));
}

Sentence scattered(const Explainer& explainer, const ElementOrigin& element) {
  const Call& call = explainer.call();
  const std::string value = element_text(element.value, 0);
  if (element.contributions == 1)
    return {cat(operand_element(call, element.from[0].element), " = ", value), "no update goes there"};
  const std::string_view word = chosen_word(call, "reduction");
  const std::string_view reduction = word.empty() ? "none" : word;
  std::vector<std::string> used;
  std::vector<std::string> values;
  std::vector<std::string> overwritten;
  for (const Contribution& part : element.from) {
    const Tensor& operand = call.operands[part.element.operand];
    if (!part.is_used) {
      overwritten.push_back(operand_element(call, part.element));
      continue;
    }
    // A single update has its indices; of several only the names are listed.
    const bool is_only = element.contributions == 2 || reduction == "none";
    used.push_back(part.indices.empty() || !is_only ? operand_element(call, part.element)
                                                    : update_text(explainer, part));
    values.push_back(element_text(operand, part.element.position));
  }
  const std::int64_t left_out = element.contributions - to_int64(element.from.size());
  if (reduction == "none") {
    const std::int64_t lost = to_int64(overwritten.size()) + left_out;
    return {cat(operand_element(call, element.from.back().element), " = ", value),
            cat(used.empty() ? "" : used.back(), "; ", listed(overwritten, lost),
                lost == 1 ? " is overwritten" : " are overwritten")};
  }
  if (left_out > 0) values.emplace_back("...");
  std::string note =
      cat(listed(used, to_int64(used.size()) + left_out), "; reduction ", reduction, ", in this order");
  if (!overwritten.empty()) note += cat("; ", overwritten[0], " is not an initial value");
  return {cat(combined(reduction, reduction_sign(call), values), " = ", value), std::move(note)};
}

Sentence gathered(const Explainer& explainer, const ElementOrigin& element) {
  const std::string value = element_text(element.value, 0);
  if (element.from.empty())
    return {value, cat(indices_text(explainer, element.unresolved), "; out of range reads ",
                       fill_value(explainer.call()) ? value : "zero")};
  const Contribution& from = element.from[0];
  return {cat(operand_element(explainer.call(), from.element), " = ", value),
          indices_text(explainer, from.indices)};
}

// Returns "a is repeated along axis 0, b along axes 1 and 2".
std::string repeated_text(const Explainer& explainer, const ElementOrigin& element) {
  const auto axes = explainer.repeated_axes();
  std::string out;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto is_this = [i](const Contribution& part) { return part.element.operand == i; };
    if (axes[i].empty() || std::ranges::none_of(element.from, is_this)) continue;
    std::vector<std::string> numbers;
    for (const std::size_t axis : axes[i]) numbers.push_back(cat(axis));
    out += cat(out.empty() ? "" : ", ", shown_name(explainer.call(), i), out.empty() ? " is repeated" : "",
               axes[i].size() == 1 ? " along axis " : " along axes ", join_words(numbers, "and"));
  }
  return out;
}

Sentence broadcast(const Explainer& explainer, const ElementOrigin& element) {
  const Call& call = explainer.call();
  const std::string value = element_text(element.value, 0);
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const Contribution& part : element.from) {
    names.push_back(operand_element(call, part.element));
    values.push_back(element_text(call.operands[part.element.operand], part.element.position));
  }
  Sentence out{value, repeated_text(explainer, element)};
  if (names.size() == 1) out.left = cat(names[0], " = ", value);
  if (names.size() > 1) {
    const Operator& op = *call.op;
    out.left =
        cat(combined(op.name, op.sign, names), " = ", combined(op.name, op.sign, values), " = ", value);
  }
  if (element.condition) {
    const OperandElement condition{0, *element.condition};
    out.note =
        cat(operand_element(call, condition), " is ", element_text(call.operands[0], *element.condition),
            out.note.empty() ? "" : "; ", out.note);
  }
  return out;
}

Sentence sentence(const Explainer& explainer, const ElementOrigin& element) {
  Sentence out = explainer.is_scatter()  ? scattered(explainer, element)
                 : explainer.is_gather() ? gathered(explainer, element)
                                         : broadcast(explainer, element);
  out.left = cat(element_name("out", element.position, explainer.output().shape), " = ", out.left);
  if (element.is_open)
    out.note += cat(out.note.empty() ? "" : "; ", "unspecified in ", explainer.call().version_name(), ": ",
                    reason_text(explainer.open_reason()));
  return out;
}

std::string lines_of(const std::vector<Sentence>& sentences) {
  std::size_t width = 0;
  for (const Sentence& line : sentences) {
    if (line.left.size() <= kWidestColumn) width = std::max(width, line.left.size());
  }
  std::string out;
  for (const Sentence& line : sentences) {
    out += line.note.empty() ? line.left : cat(padded(line.left, width), "    ", line.note);
    out += '\n';
  }
  return out;
}

}  // namespace

std::string why_text(const Explainer& explainer, std::span<const ElementOrigin> elements) {
  std::vector<Sentence> sentences;
  for (const ElementOrigin& element : elements) sentences.push_back(sentence(explainer, element));
  return lines_of(sentences);
}

std::string why_sentence(const Explainer& explainer, const ElementOrigin& element) {
  const Sentence out = sentence(explainer, element);
  return out.note.empty() ? out.left : cat(out.left, "; ", out.note);
}

std::string why_call_text(const Call& call) {
  std::string out = call.version_name();
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const AttributeSpec& spec = call.op->attributes[i];
    if (call.attributes[i].is_given)
      out += cat(", ", spec.name, " ", attribute_text(call.attributes[i], spec));
  }
  const auto oob = std::ranges::find(call.op->oob, static_cast<int>(call.oob), &Choice::value);
  if (call.oob != call.version->rules.index.out_of_bounds && oob != call.op->oob.end())
    out += cat(", oob ", oob->word);
  return out;
}

std::string why_shape_text(const Explainer& explainer) {
  const Call& call = explainer.call();
  const std::string formula = shape_formula(explainer);
  std::vector<std::string> terms;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (call.left_out == i) continue;
    const bool is_mask = explainer.call().has_mask() && i == kIndexOperand;
    std::string term = cat(is_mask ? cat("indices of the ", kMask) : shown_name(call, i), " ",
                           to_string(shown_shape(call, i)));
    // The formula already contains the operands that are broadcast.
    if (formula.find(term) == std::string::npos) terms.push_back(std::move(term));
  }
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const AttributeSpec& spec = call.op->attributes[i];
    // Most broadcasting rules have no axis.
    const bool has_axis = call.attributes[i].is_given || explainer.is_gather() || explainer.is_scatter();
    const bool is_dimension =
        (spec.kind == AttributeKind::integer && has_axis) || spec.kind == AttributeKind::integers;
    const std::string text = attribute_text(call.attributes[i], spec);
    std::string term = cat(spec.name, " ", text);
    if (is_dimension && !text.empty() && formula.find(term) == std::string::npos)
      terms.push_back(std::move(term));
  }
  return lines_of({{cat("out.shape = ", to_string(explainer.output().shape)),
                    cat(formula, terms.empty() ? "" : "; ", join(terms))}});
}

std::string why_text(const Explainer& explainer, const OperandElement& element, const Arrivals& arrivals) {
  const Call& call = explainer.call();
  const std::string name = operand_element(call, element);
  if (arrivals.count == 0) {
    const std::string_view lost = explainer.is_gather() ? " selects nothing: it is out of range"
                                                        : " is dropped: its index is out of range";
    return cat(name, arrivals.dropped == 0 ? " is not selected" : lost, "\n");
  }
  std::vector<std::int64_t> lost;
  for (const Arrival& arrival : arrivals.list) {
    if (!arrival.is_used) lost.push_back(arrival.position);
  }
  const auto replaced = lost.empty() ? std::vector<ElementOrigin>() : explainer.origins(lost);
  std::vector<Sentence> lines;
  for (const Arrival& arrival : arrivals.list) {
    std::string note;
    const auto by = std::ranges::find(replaced, arrival.position, &ElementOrigin::position);
    if (by != replaced.end()) note = cat("overwritten by ", operand_element(call, by->from.back().element));
    lines.push_back(
        {cat(name, " -> ", element_name("out", arrival.position, explainer.output().shape)), note});
  }
  std::string out = lines_of(lines);
  if (arrivals.list.size() == Explainer::kMostListed && arrivals.count > to_int64(arrivals.list.size()))
    out += cat("the first ", arrivals.list.size(), "; ", arrivals.count, " in all\n");
  return out;
}

namespace {

Json why_element(const Call& call, const OperandElement& element) {
  const Tensor& operand = call.operands[element.operand];
  return Json::object()
      .add("operand", call.operand_name(element.operand))
      .add("position", Json::list(coordinates(element.position, shown_shape(call, element.operand))))
      .add("value", Json::of_text(json_element(operand, element.position)));
}

Json why_indices(const Call& call, const std::vector<ChosenIndex>& indices) {
  return Json::list(indices, [&](const ChosenIndex& index) {
    return why_element(call, {kIndexOperand, index.position})
        .add("axis", index.axis)
        .add("size", index.size)
        .add("coordinate", index.coordinate)
        .add("in_range", index.in_range);
  });
}

Json why_origin(const Explainer& explainer, const ElementOrigin& origin) {
  const Call& call = explainer.call();
  const bool is_open = origin.is_open;
  return Json::object()
      .add("position", Json::list(coordinates(origin.position, explainer.output().shape)))
      .add("value", Json::of_text(json_element(origin.value, 0)))
      .add("contributions", origin.contributions)
      .add("from", Json::list(origin.from,
                              [&](const Contribution& part) {
                                return why_element(call, part.element)
                                    .add("used", part.is_used)
                                    .add("indices", why_indices(call, part.indices));
                              }))
      .add("out_of_range", why_indices(call, origin.unresolved))
      .add("condition", origin.condition ? why_element(call, {0, *origin.condition}) : Json())
      .add("unspecified", is_open ? Json(reason_text(explainer.open_reason())) : Json());
}

Json why_arrivals(const Explainer& explainer, const ArrivedElement& of) {
  const Shape& shape = explainer.output().shape;
  return why_element(explainer.call(), of.element)
      .add("count", of.arrivals.count)
      .add("dropped", of.arrivals.dropped)
      .add("goes_to", Json::list(of.arrivals.list, [&](const Arrival& arrival) {
             return Json::object()
                 .add("position", Json::list(coordinates(arrival.position, shape)))
                 .add("used", arrival.is_used);
           }));
}

Json why_document(const Explainer& explainer, const Json& elements) {
  const OutputInfo& output = explainer.output();
  return Json::document()
      .add("dtype", name(output.dtype))
      .add("shape", Json::list(output.shape))
      .add("elements", elements);
}

}  // namespace

Json why_json(const Explainer& explainer, std::span<const ElementOrigin> elements) {
  return why_document(explainer, Json::list(elements, [&](const ElementOrigin& origin) {
                        return why_origin(explainer, origin);
                      }));
}

Json why_json(const Explainer& explainer, std::span<const ArrivedElement> elements) {
  return why_document(
      explainer, Json::list(elements, [&](const ArrivedElement& of) { return why_arrivals(explainer, of); }));
}

}  // namespace tensorop
