#include "golden/job_text.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "engine/attributes.hpp"
#include "engine/execute.hpp"
#include "engine/mask.hpp"
#include "io/json/json_writer.hpp"

namespace tensorop {

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, is_utf8(text) ? std::string(text) : printable(text));
  return out;
}

std::string json_object(const std::vector<CommandValues::Value>& members) {
  std::string out;
  for (const auto& [name, json] : members) out += cat(out.empty() ? "" : ",", quoted(name), ":", json);
  return cat("{", out, "}");
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
  const std::string text = text_of(attribute, spec);
  const bool is_word = std::holds_alternative<ChosenWord>(attribute.value) ||
                       std::holds_alternative<ElementValue>(attribute.value);
  if (is_word) return quoted(text);
  return std::holds_alternative<Shape>(attribute.value) && text != "[]" ? cat("[", text, "]") : text;
}

std::string nested_json(const Tensor& tensor) {
  if (tensor.size() == 0) return json_of_empty(tensor.shape());
  std::string out;
  append_json_slice(out, tensor.dtype(), tensor.shape(), 0, tensor.size(), tensor.data());
  return out;
}

std::string typed_json(const Tensor& tensor) {
  return cat(json_prefix(tensor.dtype(), tensor.shape()), nested_json(tensor), kJsonSuffix);
}

WrittenJob write_job(const Request& request, const OpenedCall& opened, const std::string& folder,
                     const std::string& prefix, const Settings& settings) {
  const Call& call = opened.call;
  const Format& npy = *find_format("npy");
  WrittenJob written{.members = {{"op", quoted(request.op.name->name)}}, .operands = {}};
  auto& out = written.members;
  if (request.spec) out.push_back({"spec", quoted(lower(*request.spec))});
  const bool is_variadic = call.op->operands.back().variadic;
  std::string list;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (call.left_out == i) continue;
    const bool is_mask = i == 1 && has_mask(request);
    std::string name = is_mask ? std::string(kMaskName) : call.operand_name(i);
    std::ranges::replace(name, ' ', '_');
    const Tensor& operand = call.operands[i];
    const std::string file = cat(prefix, name, ".npy");
    const bool is_named = !npy.unnamed.contains(operand.dtype());
    const std::string path = path_from(folder, file);
    written.operands.push_back(is_named ? path : typed_json(operand));
    if (is_named) write_tensor(operand, opened.inputs, {path, &npy}, settings);
    const std::string value = is_named ? quoted(file) : typed_json(operand);
    if (is_variadic) {
      list += cat(list.empty() ? "" : ",", value);
    } else {
      out.push_back({std::move(name), value});
    }
  }
  if (is_variadic) out.push_back({"operands", cat("[", list, "]")});
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const Attribute& attribute = call.attributes[i];
    if (!attribute.is_given) continue;
    out.push_back({std::string(call.op->attributes[i].name), json_of(attribute, call.op->attributes[i])});
  }
  if (request.oob) out.push_back({"oob", quoted(lower(*request.oob))});
  if (request.duplicates) out.push_back({"duplicates", quoted(lower(*request.duplicates))});
  return written;
}

void write_text(const std::string& path, const std::string& text) {
  OutputFile file = OutputFile::create(path);
  file.append(text_bytes(text));
  file.commit();
}

}  // namespace tensorop
