#include "engine/stablehlo.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "kernels/rows/reduce.hpp"
#include "ops/axes.hpp"
#include "ops/slices.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kDimensionNumbersName = "dimension_numbers";

// Reads a text such as "offset_dims = [2, 3], index_vector_dim = 1".
class DimensionNumbersReader {
 public:
  DimensionNumbersReader(const std::string& text, const Operator& op)
      : text_(text), op_(op), rest_(trimmed(text)) {}

  std::vector<NamedText> read() {
    skip_frame();
    std::vector<NamedText> out;
    while (!(rest_ = trimmed(rest_)).empty()) {
      const std::size_t equals = std::min(rest_.find('='), rest_.size());
      const std::string name(trimmed(rest_.substr(0, equals)));
      const auto known = op_.attributes.first(kDimensionNumbers);
      if (std::ranges::find(known, name, &AttributeSpec::name) == known.end())
        refuse(cat("has ", in_quotes(name), ", an attribute that #stablehlo.", op_.versions.front().published,
                   " does not have"));
      if (std::ranges::find(out, name, &NamedText::name) != out.end()) refuse(cat("has ", name, " twice"));
      rest_ = trimmed(rest_.substr(std::min(equals + 1, rest_.size())));
      out.push_back({name, read_value(name)});
      if (!rest_.empty() && rest_.front() != ',') refuse(cat("has no comma after ", name));
      rest_ = rest_.substr(rest_.empty() ? 0 : 1);
    }
    // An empty list means the same as no list; versions without batching dimensions print none.
    std::erase_if(out, [](const NamedText& given) { return given.text == "[]"; });
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(cat(kDimensionNumbersName, " ", in_quotes(text_), " ", what), kCallRule);
  }

  // Skips "dimension_numbers = #stablehlo.gather<" and ">".
  void skip_frame() {
    const std::size_t open = rest_.find('<');
    if (open == std::string_view::npos) return;
    std::string_view head = rest_.substr(0, open);
    head = trimmed(head.substr(head.rfind('=') + 1));
    const std::string expected = cat("#stablehlo.", op_.versions.front().published);
    if (head != expected || rest_.back() != '>') refuse(cat("is not ", expected, "<...>"));
    rest_ = rest_.substr(open + 1, rest_.size() - open - 2);
  }

  // Reads a list such as "[2, 3]", or a number, as the text of an attribute.
  std::string read_value(const std::string& name) {
    const bool is_list = find_attribute(op_, name)->kind == AttributeKind::integers;
    const std::size_t end = is_list ? rest_.find(']') + 1 : std::min(rest_.find(','), rest_.size());
    if (end == 0 || rest_.starts_with('[') != is_list)
      refuse(cat("has no ", is_list ? "list" : "number", " for ", name));
    std::string value(trimmed(rest_.substr(0, end)));
    rest_ = trimmed(rest_.substr(end));
    return value;
  }

  std::string text_;
  const Operator& op_;
  std::string_view rest_;
};

// Returns the value of an attribute, or its default if the version does not have it.
template <class T>
const T& value_of(const Call& call, std::string_view name) {
  return std::get<T>(call.find(name)->value);
}

[[noreturn]] void refuse_call(const std::string& what) {
  throw Error(cat("stablehlo has no dimension numbers for ", what));
}

// Returns StableHLO's name for the reduction of the updates.
std::string reduction_of(const Call& call) {
  const AttributeSpec& spec = *find_attribute(*call.op, "reduction");
  const Choice& choice = spec.choices[value_of<ChosenWord>(call, "reduction").at];
  const auto reduction = static_cast<Reduction>(choice.value);
  const AttributeSpec& own = *find_attribute(*find_operator("scatterslices").op, "reduction");
  const auto found = std::ranges::find(own.choices, choice.value, &Choice::value);
  if (found == own.choices.end()) refuse_call(cat("reduction ", choice.word));
  if (reduction != Reduction::none && call.find("use_init_val") != nullptr &&
      !value_of<bool>(call, "use_init_val"))
    refuse_call("a reduction without the initial values");
  return std::string(found->word);
}

}  // namespace

std::vector<NamedText> with_dimension_numbers(const std::vector<NamedText>& attributes, const Operator& op) {
  const auto given = std::ranges::find(attributes, kDimensionNumbersName, &NamedText::name);
  if (given == attributes.end() || find_attribute(op, kDimensionNumbersName) == nullptr) return attributes;
  std::vector<NamedText> out = DimensionNumbersReader(given->text, op).read();
  for (const NamedText& other : attributes) {
    if (&other == &*given) continue;
    const auto known = op.attributes.first(kDimensionNumbers);
    if (other.name == kDimensionNumbersName) throw Error(cat(other.name, " is given twice"), kCallRule);
    if (std::ranges::find(known, other.name, &AttributeSpec::name) != known.end())
      throw Error(cat(kDimensionNumbersName, " cannot be combined with ", other.name), kCallRule);
    out.push_back(other);
  }
  return out;
}

Request as_stablehlo(const Call& call, const Planned& planned) {
  const bool is_scatter = call.operands.size() == 3;
  if (call.operands.size() < 2 || call.op->operands[1].role != OperandRole::indices ||
      call.op->family == "slices")
    refuse_call(std::string(call.op->name));
  if (call.has_mask()) refuse_call("a mask");
  if (is_flat(call)) refuse_call("flat data");
  if (call.operands[0].rank() == 0) refuse_call("data without dimensions");
  if (!planned.slices)
    refuse_call(call.operands[1].size() == 0 ? "indices without elements" : std::string(call.op->name));
  const auto& [dims, sizes, shape, by_element, step] = *planned.slices;
  if (dims.vector_dim > call.operands[1].rank()) refuse_call("indices without dimensions");
  for (std::size_t i = 0; i < dims.batching.size(); ++i) {
    const std::int64_t in_data = call.operands[0].shape()[to_size(dims.batching[i])];
    const auto own = to_size(dims.indices_batching[i]);
    if (in_data == call.operands[1].shape()[own]) continue;
    refuse_call(shape[own] < in_data ? "indices that are smaller than data off the axis"
                                     : "batch dimensions that are repeated");
  }
  if ((is_scatter ? call.operands[2].shape() : planned.output.shape) != shape)
    refuse_call(is_scatter ? "updates that are repeated" : "batch dimensions that become one");
  Request out;
  out.op = find_operator(is_scatter ? "scatterslices" : "gatherslices");
  out.spec = spec_name(Framework::stablehlo, release(1, 1));
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    out.named.push_back({std::string(out.op.op->operands[i].name), call.operands[i]});
  const std::array lists = {&dims.windows, &dims.collapsed, &dims.batching, &dims.indices_batching,
                            &dims.index_map};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (!lists[i]->empty())
      out.attributes.push_back({std::string(out.op.op->attributes[i].name), list_text(*lists[i])});
  }
  out.attributes.push_back({"index_vector_dim", cat(dims.vector_dim)});
  if (is_scatter) {
    out.attributes.push_back({"reduction", reduction_of(call)});
  } else {
    // A dimension without elements has no slice of size 1.
    Shape fitting = sizes;
    for (std::size_t d = 0; d < sizes.size(); ++d)
      fitting[d] = std::min(sizes[d], call.operands[0].shape()[d]);
    out.attributes.push_back({"slice_sizes", list_text(fitting)});
  }
  return out;
}

std::string dimension_numbers(const Request& request) {
  const auto known = request.op.op->attributes.first(kDimensionNumbers);
  std::vector<std::string> items;
  for (const NamedText& given : request.attributes) {
    const auto spec = std::ranges::find(known, given.name, &AttributeSpec::name);
    if (spec == known.end()) continue;
    const bool is_list = spec->kind == AttributeKind::integers;
    std::string value;
    for (const char c : given.text) {
      value += c;
      if (c == ',') value += ' ';
    }
    if (is_list) value = cat("[", value, "]");
    items.push_back(cat(given.name, " = ", value));
  }
  return cat("#stablehlo.", request.op.op->versions.front().published, "<", join(items, ", "), ">");
}

}  // namespace tensorop
