#include "support/spec_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "base/text.hpp"
#include "support/reference_array.hpp"

namespace tensorop::spec_vectors {
namespace {

using reference::list_text;

using nlohmann::json;

// The specification's operator keys in the words of the command line.
struct KeyRow {
  const char* key;
  const char* op;
  std::map<std::string, std::string> attributes = {};
  std::map<std::string, std::string> default_attributes = {};  // without --spec only
};

const std::vector<KeyRow>& key_rows() {
  static const std::vector<KeyRow> kRows = {
      {"GatherND", "gathernd"},
      {"Gather", "gather"},
      {"GatherElements", "gatherelements"},
      {"ScatterElements", "scatterelements"},
      {"ScatterUpdate", "scatterupdate"},
      {"ScatterND", "scatternd"},
      {"Expand", "expand"},
      {"Where", "where"},
      {"Select", "where"},
      {"mod", "mod"},
      {"div", "div"},
      {"divide", "div"},
      {"sqdiff", "squareddifference"},
      {"mul", "mul"},
      {"shl", "bitshift", {{"direction", "left"}}},
      {"shr", "bitshift", {{"direction", "right"}}},
      {"pow", "pow"},
      {"floormod", "floormod"},
      {"tmod", "mod", {}, {{"fmod", "1"}}},
  };
  return kRows;
}

const std::map<std::string, DType> kShortNames = {
    {"i8", DType::int8},    {"i32", DType::int32},   {"i64", DType::int64},  {"u8", DType::uint8},
    {"u16", DType::uint16}, {"f16", DType::float16}, {"f64", DType::float64}};

std::vector<json> read_lines(const std::string& file) {
  std::ifstream in(std::string(TENSOROP_SOURCE_DIR "/testdata/spec/") + file);
  if (!in) throw std::runtime_error("cannot read testdata/spec/" + file);
  std::vector<json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  return lines;
}

void flatten(const json& nested, std::vector<json>& elements) {
  if (!nested.is_array()) {
    elements.push_back(nested);
    return;
  }
  for (const json& item : nested) flatten(item, elements);
}

std::string attribute_text(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "onnx:13", "onnx:Scatter-9", "default".
const reference::PublishedVersion* find_version(const std::string& op, const std::string& key,
                                                const std::string& selector) {
  if (selector == "default") return nullptr;
  const std::size_t colon = selector.find(':');
  const std::size_t dash = selector.find('-');
  const std::string framework = selector.substr(0, colon);
  const int since = std::stoi(selector.substr((dash == std::string::npos ? colon : dash) + 1));
  const bool old_scatter = selector.find(":Scatter-") != std::string::npos;
  for (const reference::PublishedVersion& row : reference::published_versions()) {
    if (row.op != op || row.framework != framework || row.since != since) continue;
    if (key == "ScatterElements" && old_scatter != (row.typed == "scatter")) continue;
    return &row;
  }
  throw std::runtime_error(key + " has no version " + selector);
}

// A dtype the version allows for data written without one.
DType choose_dtype(const std::vector<Values>& tensors, const DTypeSet& allowed) {
  bool integral = true;
  for (const Values& values : tensors) {
    for (const json& element : values.elements) {
      if (element.is_boolean()) return DType::boolean;
      integral = integral && element.is_number_integer();
    }
  }
  for (const DType dtype : {DType::int32, DType::int64}) {
    if (integral && allowed.contains(dtype)) return dtype;
  }
  return DType::float32;
}

void set_operands(Call& call, const json& line) {
  std::vector<Values> data;
  for (const char* name : {"data", "updates", "a", "b", "out"}) {
    if (line.contains(name)) data.push_back(read_values(line[name]));
  }
  const DType dtype = line.contains("dtype") ? kShortNames.at(line["dtype"].get<std::string>())
                                             : choose_dtype(data, call.rules.types);
  for (const char* name : {"data", "indices", "updates", "cond", "a", "b"}) {
    if (!line.contains(name)) continue;
    const bool is_index = std::string_view(name) == "indices";
    const bool is_condition = std::string_view(name) == "cond";
    const DType own = is_index ? DType::int64 : is_condition ? DType::boolean : dtype;
    call.operands.push_back({read_values(line[name]), own});
  }
  if (line.contains("shape")) call.attributes["shape"] = list_text(line["shape"].get<Shape>());
  if (line.contains("out")) call.expected = {read_values(line["out"]), dtype};
  if (line.contains("err")) call.error = line["err"];
}

Call make_call(const json& line, const std::string& selector) {
  const std::string key = line["op"];
  const auto row = std::ranges::find(key_rows(), key, &KeyRow::key);
  if (row == key_rows().end()) throw std::runtime_error("unknown operator key " + key);
  Call call;
  call.id = line["id"].get<std::string>() + " " + selector;
  call.op = row->op;
  call.typed = key == "Select" ? "select" : row->op;
  call.attributes = row->attributes;
  if (const auto* version = find_version(call.op, key, selector)) {
    call.typed = version->typed;
    call.spec = cat(version->framework, "-", version->since);
    call.rules = version->rules;
  } else {
    call.rules = reference::default_rules(call.op);
    call.attributes.insert(row->default_attributes.begin(), row->default_attributes.end());
  }
  for (const auto& [name, value] : line["attr"].items()) {
    call.attributes[name == "m_pythondiv" ? "pythondiv" : name] = attribute_text(value);
  }
  set_operands(call, line);
  return call;
}

}  // namespace

Values read_values(const json& written) {
  Values values;
  if (written.is_object()) {
    values.shape = written["shape"].get<Shape>();
    if (written.contains("data")) flatten(written["data"], values.elements);
    return values;
  }
  for (const json* level = &written; level->is_array(); level = &level->at(0)) {
    values.shape.push_back(static_cast<std::int64_t>(level->size()));
    if (level->empty()) break;
  }
  flatten(written, values.elements);
  return values;
}

std::string described(const Values& values, DType dtype) {
  json out;
  out["dtype"] = name(dtype);
  out["shape"] = values.shape;
  out["data"] = values.elements;
  return out.dump();
}

Tensor to_tensor(const Values& values, DType dtype) {
  reference::Array array(dtype, values.shape);
  for (std::size_t i = 0; i < array.elements.size(); ++i) {
    const json& element = values.elements.at(i);
    if (dtype == DType::boolean) {
      array.elements[i] = reference::make_bool(element.get<bool>());
    } else if (kIntegerTypes.contains(dtype)) {
      array.elements[i] = reference::make_integer(dtype, element.get<std::int64_t>());
    } else {
      const double value = element.is_string() ? std::nan("") : element.get<double>();
      array.elements[i] = reference::make_real(dtype, value);
    }
  }
  return array.tensor();
}

std::vector<Call> load() {
  std::vector<Call> calls;
  for (const json& line : read_lines("vectors.jsonl")) {
    for (const json& selector : line["spec"]) calls.push_back(make_call(line, selector));
  }
  return calls;
}

std::vector<ShapeCall> load_shapes() {
  std::vector<ShapeCall> calls;
  for (const json& line : read_lines("shapes.jsonl")) {
    ShapeCall call = {line["id"], line["rule"], line["a"], line["b"], {}, {}, {}};
    if (line.contains("axis")) call.attributes["axis"] = line["axis"].dump();
    if (line.contains("broadcast")) call.attributes["broadcast"] = line["broadcast"].dump();
    if (line.contains("axes")) call.attributes["axes_mapping"] = list_text(line["axes"].get<Shape>());
    if (line.contains("out")) call.expected = line["out"].get<Shape>();
    if (line.contains("err")) call.error = line["err"];
    calls.push_back(call);
  }
  return calls;
}

bool agrees(const Tensor& actual, const Operand& expected, std::string& why) {
  const auto differ = [&](const std::string& what) {
    why = what;
    return false;
  };
  if (actual.dtype() != expected.dtype) return differ(cat("dtype ", name(actual.dtype())));
  if (actual.shape() != expected.values.shape) return differ("shape " + to_string(actual.shape()));
  const reference::Array got(actual);
  const reference::Array wanted(to_tensor(expected.values, expected.dtype));
  const DTypeSet exact = DTypeSet{kAllTypes}.without({DType::bfloat16, DType::float32, DType::float64});
  for (std::size_t i = 0; i < got.elements.size(); ++i) {
    const reference::Element& a = got.elements[i];
    const reference::Element& b = wanted.elements[i];
    if (a.bytes == b.bytes || (reference::is_nan(a) && reference::is_nan(b))) continue;
    if (!exact.contains(expected.dtype)) {
      const double x = reference::real(a);
      const double y = reference::real(b);
      if (std::fabs(x - y) <= 1e-6 * std::fabs(y)) continue;
      return differ(cat("element ", i, ": ", std::to_string(x), " instead of ", std::to_string(y)));
    }
    return differ(cat("element ", i));
  }
  return true;
}

}  // namespace tensorop::spec_vectors
