#include "golden/plain_call.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/checked.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "engine/attributes.hpp"
#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "engine/mask.hpp"
#include "io/json/json_writer.hpp"
#include "jobs/job_text.hpp"

namespace tensorop {
namespace {

std::optional<std::string> in_lower_case(const std::optional<std::string>& word) {
  return word ? std::optional(lower(*word)) : std::nullopt;
}

// The text of an attribute, in which a list of one integer is seen to be a list.
std::string bracketed(const Attribute& attribute, const AttributeSpec& spec) {
  const std::string text = text_of(attribute, spec);
  const bool is_bare_list = std::holds_alternative<Shape>(attribute.value) && !text.starts_with('[');
  return is_bare_list ? cat("[", text, "]") : text;
}

}  // namespace

PlainCall plain_call(const Request& request, const Call& opened) {
  PlainCall out{.op = {opened.op, opened.name},
                .spec = in_lower_case(request.spec),
                .oob = in_lower_case(request.oob),
                .duplicates = in_lower_case(request.duplicates),
                .operands = {},
                .attributes = opened.attributes};
  for (std::size_t i = 0; i < opened.operands.size(); ++i) {
    if (opened.left_out == i) continue;
    const bool is_mask = i == 1 && has_mask(request);
    out.operands.push_back({.name = is_mask ? std::string(kMaskName) : opened.operand_name(i),
                            .role = is_mask ? OperandRole::condition : opened.operand_spec(i).role,
                            .tensor = opened.operands[i]});
  }
  return out;
}

PlainCall plain_call(const Request& request, const Settings& settings) {
  return plain_call(request, open_call(request, settings).call);
}

Request request_of(const PlainCall& call) {
  Request out;
  out.op = call.op;
  out.spec = call.spec;
  out.oob = call.oob;
  out.duplicates = call.duplicates;
  out.from_job = true;
  const bool is_variadic = call.op.op->operands.back().variadic;
  for (const PlainOperand& operand : call.operands) {
    if (is_variadic) {
      out.positional.emplace_back(operand.tensor);
    } else {
      out.named.emplace_back(operand.name, operand.tensor);
    }
  }
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    if (!call.attributes[i].is_given) continue;
    const AttributeSpec& spec = call.op.op->attributes[i];
    out.attributes.emplace_back(std::string(spec.name), text_of(call.attributes[i], spec));
  }
  return out;
}

std::string text_of(const Attribute& attribute, const AttributeSpec& spec) {
  struct Text {
    const AttributeSpec& spec;
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(std::int64_t value) const { return cat(value); }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(const ChosenWord& word) const { return std::string(spec.choices[word.at].word); }
    std::string operator()(const ElementValue& value) const { return value.text; }
    std::string operator()(const Shape& values) const { return list_text(values); }
  };
  return std::visit(Text{spec}, attribute.value);
}

std::string json_of(const Attribute& attribute, const AttributeSpec& spec) {
  return attribute_json(bracketed(attribute, spec), spec);
}

std::string elements_text(const Tensor& tensor, std::int64_t most) {
  return tensor.size() == 0 || tensor.size() > most ? to_string(tensor.shape()) : nested_json(tensor);
}

std::string text_of(const PlainCall& call, std::int64_t most) {
  std::string out(call.op.name->name);
  for (const auto& [name, role, tensor] : call.operands) {
    const bool is_plain = tensor.dtype() == DType::int64 || tensor.dtype() == DType::boolean;
    out += cat(" ", name, " ", is_plain ? "" : cat(tensorop::name(tensor.dtype()), " "),
               elements_text(tensor, most));
  }
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    if (!call.attributes[i].is_given) continue;
    const AttributeSpec& spec = call.op.op->attributes[i];
    out += cat(" ", spec.name, " ", text_of(call.attributes[i], spec));
  }
  if (call.oob) out += cat(" oob ", *call.oob);
  if (call.duplicates) out += cat(" duplicates ", *call.duplicates);
  if (call.spec) out += cat(" spec ", *call.spec);
  return out;
}

WrittenCall write_call(const PlainCall& call, const Inputs& inputs, const std::string& folder,
                       const std::string& prefix, const Settings& settings) {
  const Format& npy = *find_format("npy");
  WrittenCall out;
  Request request = request_of(call);
  for (NamedText& attribute : request.attributes) {
    const AttributeSpec* const spec = find_attribute(*call.op.op, attribute.name);
    attribute.text = bracketed(call.attributes[to_size(spec - call.op.op->attributes.data())], *spec);
  }
  out.job = job_text(request, [&](const std::string& /*name*/, const Tensor& tensor) {
    std::string name = call.operands[out.operands.size()].name;
    std::ranges::replace(name, ' ', '_');
    if (npy.unnamed.contains(tensor.dtype())) return out.operands.emplace_back(typed_json(tensor));
    const std::string file = cat(prefix, name, ".npy");
    const std::string& path = out.operands.emplace_back(path_from(folder, file));
    write_tensor(tensor, inputs, {path, &npy}, settings);
    return json_string(file);
  });
  return out;
}

void write_text(const std::string& path, const std::string& text) {
  OutputFile file = OutputFile::create(path);
  file.append(text_bytes(text));
  file.commit();
}

}  // namespace tensorop
