#include "jobs/call_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/checked.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/json_string.hpp"
#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "engine/index_forms.hpp"
#include "io/json/json_writer.hpp"

namespace tensorop {
namespace {

// Returns the JSON for the text: a list for "2,3", a string for a word.
std::string attribute_json(const std::string& text, const AttributeSpec& spec) {
  const bool is_list = spec.kind == AttributeKind::integers;
  if (is_list && text.find(',') != std::string::npos && is_plain_list(text)) return cat("[", text, "]");
  const bool is_json =
      parse_int64(text) || (is_list && text.starts_with('[')) || text == "true" || text == "false";
  return is_json ? text : json_string(text);
}

// Returns the text of an attribute, with brackets even around a list of one integer.
std::string bracketed(const Attribute& attribute, const AttributeSpec& spec) {
  const std::string text = value_text(attribute, spec);
  const bool is_bare_list = std::holds_alternative<Shape>(attribute.value) && !text.starts_with('[');
  return is_bare_list ? cat("[", text, "]") : text;
}

// Returns the request in the form that a job has.
Request job_request_of(const LoadedCall& call) {
  Request out = request_of(call);
  for (NamedText& attribute : out.attributes) {
    const AttributeSpec* const spec = find_attribute(*call.op.op, attribute.name);
    attribute.text = bracketed(call.attributes[to_size(spec - call.op.op->attributes.data())], *spec);
  }
  return out;
}

// Appends ,"key":JSON.
void add_member(std::string& out, std::string_view key, std::string_view json) {
  out += cat(out.empty() ? "" : ",", json_string(key), ":", json);
}

// Returns a call of printf (every shell has it) for bytes that terminals or reports cannot show.
std::string printed_word(std::string_view text) {
  constexpr std::string_view kPlain = "_./=+,:@ ";
  std::string out = "\"$(printf '";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
                          kPlain.find(c) != std::string_view::npos;
    const char octal[] = {'\\', static_cast<char>('0' + (byte >> 6)),
                          static_cast<char>('0' + (byte >> 3 & 7)), static_cast<char>('0' + (byte & 7))};
    out += is_plain ? std::string(1, c) : std::string(octal, sizeof octal);
  }
  return out + "')\"";
}

}  // namespace

std::string typed_json(const Tensor& tensor) {
  // If there are no elements, the shape says everything.
  const std::string data = tensor.size() == 0 ? "[]" : nested_json(tensor);
  return cat(json_prefix(tensor.dtype(), tensor.shape()), data, kJsonSuffix);
}

std::string value_text(const Attribute& attribute, const AttributeSpec& spec) {
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

std::string job_text(const Request& request, const OperandJson& operand_json) {
  std::string out;
  std::string dtypes;
  const auto dtype_of = [](const Operand& operand) {
    return json_string(name(operand.as<Tensor>()->dtype()));
  };
  const auto add_word = [&](std::string_view key, const std::optional<std::string>& word) {
    if (word) add_member(out, key, json_string(*word));
  };
  add_member(out, "op", json_string(request.op.name->name));
  add_word("spec", request.spec);
  for (const NamedText& operand : request.named) {
    add_member(out, operand.name, operand_json(operand.name, *operand.as<Tensor>()));
    add_member(dtypes, operand.name, dtype_of(operand));
  }
  std::vector<std::string> list;
  for (const Operand& operand : request.positional)
    list.push_back(operand_json(cat(list.size() + 1), *operand.as<Tensor>()));
  if (!list.empty()) add_member(out, "operands", cat("[", join(list, ","), "]"));
  if (!dtypes.empty()) {
    std::size_t number = request.named.size();
    for (const Operand& operand : request.positional)
      add_member(dtypes, cat("operand_", ++number), dtype_of(operand));
    add_member(out, "dtypes", cat("{", dtypes, "}"));
  } else if (!list.empty()) {
    add_member(out, "dtypes", cat("[", join(request.positional, ",", dtype_of), "]"));
  }
  for (const NamedText& attribute : request.attributes)
    add_member(out, attribute.name,
               attribute_json(attribute.text, *find_attribute(*request.op.op, attribute.name)));
  add_word("oob", request.oob);
  add_word("duplicates", request.duplicates);
  return out;
}

std::string tolerance_text(const Tolerances& asked, DType dtype) {
  const ElementTolerance used = asked.for_dtype(dtype);
  std::string out;
  const auto add = [&](std::string_view key, const std::string& json) {
    out += cat(",\"", key, "\":", json);
  };
  const auto add_number = [&](std::string_view key, const std::optional<double>& value) {
    if (value) add(key, json_element(DType::float64, reinterpret_cast<const std::byte*>(&*value)));
  };
  // No value of "tolerance" means the tolerances of ONNX cases, so rtol and atol are written.
  const bool is_onnx = asked.by_default == ToleranceDefault::onnx && asked.judges_elements();
  add_number("rtol", is_onnx ? used.rtol : asked.rtol);
  add_number("atol", is_onnx ? used.atol : asked.atol);
  if (used.max_ulp) add("max_ulp", cat(*used.max_ulp));
  if (asked.has_max_mismatch) add("max_mismatch", json_string(asked.max_mismatch.text));
  if (asked.by_default == ToleranceDefault::automatic) add("tolerance", "\"auto\"");
  if (asked.nan_unequal) add("nan_unequal", "true");
  if (asked.exact_bits) add("exact_bits", *asked.exact_bits ? "true" : "false");
  add_number("min_cosine", asked.min_cosine);
  add_number("max_rms", asked.max_rms);
  return out;
}

std::string word_of(const LoadedOperand& operand) {
  std::string out = operand.name;
  std::ranges::replace(out, ' ', '_');
  return out;
}

WrittenCall write_call(const LoadedCall& call, const Inputs& inputs, const std::string& folder,
                       const std::string& prefix, const Settings& settings) {
  const Format& npy = *find_format("npy");
  WrittenCall out;
  out.job = job_text(job_request_of(call), [&](const std::string& /*name*/, const Tensor& tensor) {
    if (npy.unnamed.contains(tensor.dtype())) return out.operands.emplace_back(typed_json(tensor));
    const std::string file = cat(prefix, word_of(call.operands[out.operands.size()]), ".npy");
    const std::string& path = out.operands.emplace_back(path_from(folder, file));
    write_tensor(tensor, inputs, {path, &npy}, settings);
    return json_string(file);
  });
  return out;
}

std::string attributes_json(const LoadedCall& call) {
  std::string out;
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const Attribute& attribute = call.attributes[i];
    if (!attribute.in_version || std::holds_alternative<std::monostate>(attribute.value)) continue;
    const AttributeSpec& spec = call.op.op->attributes[i];
    add_member(out, spec.name, attribute_json(bracketed(attribute, spec), spec));
  }
  if (call.oob) add_member(out, "oob", json_string(*call.oob));
  return cat("{", out, "}");
}

std::string program_line(const LoadedCall& call, const std::string& name,
                         const std::vector<std::string>& paths, const std::string& output,
                         const Call& opened) {
  const Format& npy = *find_format("npy");
  std::string operands;
  std::string dtypes;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const LoadedOperand& operand = call.operands[i];
    const bool is_named = !npy.unnamed.contains(operand.tensor.dtype());
    add_member(operands, word_of(operand), is_named ? json_string(paths[i]) : typed_json(operand.tensor));
    add_member(dtypes, word_of(operand), json_string(tensorop::name(operand.tensor.dtype())));
  }
  std::string about;
  if (opened.strict()) add_member(about, "published", json_string(opened.version->published));
  try {
    const DType dtype = bind(request_of(call), {}).planned.output.dtype;
    add_member(about, "output_dtype", json_string(tensorop::name(dtype)));
  } catch (const Error&) {  // a call that fails has no dtype
  }
  Request without_operands = job_request_of(call);
  without_operands.named.clear();
  without_operands.positional.clear();
  return cat("{\"name\":", json_string(name), ",", job_text(without_operands, nullptr), ",\"operands\":{",
             operands, "},\"dtypes\":{", dtypes, "},\"attributes\":", attributes_json(call),
             ",\"output\":", json_string(output), ",\"comment\":{", about, "}}\n");
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "_./=+-,:@%";
  const auto is_plain = [&](char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           kPlain.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (!is_utf8(text) || std::ranges::any_of(text, is_control)) return printed_word(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string command_text(const LoadedCall& call, const std::vector<std::string>& operands) {
  std::string out = cat("tensorop ", call.op.name->name);
  for (std::size_t i = 0; i < operands.size(); ++i)
    out += cat(call.operands[i].name == kMaskName ? " --mask " : " ", shell_word(operands[i]));
  const auto add = [&](std::string_view key, std::string_view value) {
    out += cat(" ", option_name(key), "=", shell_word(value));
  };
  for (const NamedText& attribute : request_of(call).attributes) add(attribute.name, attribute.text);
  if (call.oob) add("oob", *call.oob);
  if (call.duplicates) add("duplicates", *call.duplicates);
  if (call.spec) add("spec", *call.spec);
  return out;
}

std::string elements_text(const Tensor& tensor, std::int64_t most) {
  return tensor.size() == 0 || tensor.size() > most ? to_string(tensor.shape()) : nested_json(tensor);
}

std::string sentence_of(const LoadedCall& call, std::int64_t most) {
  std::string out(call.op.name->name);
  for (const auto& [name, role, tensor] : call.operands) {
    const bool is_plain = tensor.dtype() == DType::int64 || tensor.dtype() == DType::boolean;
    out += cat(" ", name, " ", is_plain ? "" : cat(tensorop::name(tensor.dtype()), " "),
               elements_text(tensor, most));
  }
  for (const NamedText& attribute : request_of(call).attributes)
    out += cat(" ", attribute.name, " ", attribute.text);
  if (call.oob) out += cat(" oob ", *call.oob);
  if (call.duplicates) out += cat(" duplicates ", *call.duplicates);
  if (call.spec) out += cat(" spec ", *call.spec);
  return out;
}

}  // namespace tensorop
