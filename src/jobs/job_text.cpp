#include "jobs/job_text.hpp"

#include <optional>
#include <vector>

#include "base/text.hpp"
#include "engine/attributes.hpp"
#include "io/json/json_writer.hpp"

namespace tensorop {

std::string typed_json(const Tensor& tensor) {
  // Without elements the shape says all.
  const std::string data = tensor.size() == 0 ? "[]" : nested_json(tensor);
  return cat(json_prefix(tensor.dtype(), tensor.shape()), data, kJsonSuffix);
}

std::string attribute_json(const std::string& text, const AttributeSpec& spec) {
  const bool is_list = spec.kind == AttributeKind::integers;
  if (is_list && text.find(',') != std::string::npos && is_plain_list(text)) return cat("[", text, "]");
  const bool is_json =
      parse_int64(text) || (is_list && text.starts_with('[')) || text == "true" || text == "false";
  return is_json ? text : json_string(text);
}

std::string job_text(const Request& request, const OperandJson& operand_json) {
  std::string out = cat("\"op\":", json_string(request.op.name->name));
  const auto add = [&](std::string_view key, const std::string& json) {
    out += cat(",", json_string(key), ":", json);
  };
  const auto add_word = [&](std::string_view key, const std::optional<std::string>& word) {
    if (word) add(key, json_string(*word));
  };
  add_word("spec", request.spec);
  for (const NamedText& operand : request.named)
    add(operand.name, operand_json(operand.name, *operand.tensor));
  std::vector<std::string> list;
  for (const OperandText& operand : request.positional)
    list.push_back(operand_json(cat(list.size() + 1), *operand.tensor));
  if (!list.empty()) add("operands", cat("[", join(list, ","), "]"));
  for (const NamedText& attribute : request.attributes)
    add(attribute.name, attribute_json(attribute.text, *find_attribute(*request.op.op, attribute.name)));
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
  // Those of ONNX cases have no word.
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

}  // namespace tensorop
