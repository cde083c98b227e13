#include "support/reference.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>

#include "support/reference_array.hpp"

namespace tensorop::reference {
namespace {

const std::set<std::string> kComparisons = {"equal",       "notequal", "less",
                                            "lessorequal", "greater",  "greaterorequal"};

bool is_scatter(const std::string& op) {
  return op.starts_with("scatter") || op == "tensorscatter" || op == "dynamicupdateslice";
}
bool is_gather(const std::string& op) {
  return op.starts_with("gather") || op == "dynamicslice";
}

// Whether the publisher converts operands of these dtypes to a common one, or to the dtype of data.
bool converts(const Arguments& arguments, DType a, DType b) {
  const bool is_torch = arguments.framework == "torch";
  if (!is_torch && arguments.framework != "numpy" && arguments.framework != "jax") return false;
  const std::set<DType> both = {a, b};
  const auto has = [&](DTypeSet set) { return set.contains(a) || set.contains(b); };
  if (has(kSmallTypes) || (is_torch && is_scatter(arguments.op))) return false;
  const bool has_uint64 = both.contains(DType::uint64);
  const DTypeSet known = arguments.rules.types | arguments.rules.missing_types;
  if (both.contains(DType::string)) return known.contains(DType::boolean) && known.contains(DType::string);
  if (has(kFloatTypes | kComplexTypes)) return true;
  if (is_torch) return !has_uint64 && !both.contains(DType::uint16) && !both.contains(DType::uint32);
  return !has_uint64 || !has(kSignedTypes) || known.contains(DType::float64);
}

// A dtype of the version beside which the shapes of a call are judged that tensorop does not compute.
DType plain_dtype(const Arguments& arguments) {
  const DTypeSet integers = kIntegerTypes | kSmallIntegerTypes | DType::boolean;
  const std::size_t first = arguments.op == "where" ? 1 : 0;
  bool all = true;
  for (std::size_t i = first; i < arguments.operands.size(); ++i) {
    const bool is_index = i == 1 && (is_gather(arguments.op) || is_scatter(arguments.op));
    all = all && (is_index || integers.contains(arguments.operands[i].dtype()));
  }
  for (const DType dtype :
       {all ? DType::int32 : DType::float32, DType::int64, DType::boolean, DType::float32, DType::int32}) {
    if (arguments.rules.types.contains(dtype)) return dtype;
  }
  return arguments.operands[first].dtype();
}

// The check of dtypes. Returns whether the publisher accepts them and tensorop does not.
bool check_types(const Arguments& arguments) {
  const std::string& op = arguments.op;
  const std::vector<Tensor>& operands = arguments.operands;
  const Rules& rules = arguments.rules;
  const std::size_t first = op == "where" ? 1 : 0;
  const DType dtype = operands[first].dtype();
  bool lacks = false;
  const auto require_data = [&](DType own) {
    // A boolean beside a dtype of the version; PyTorch subtracts none.
    const bool is_converted = own == DType::boolean && arguments.framework != "torch" &&
                              std::any_of(operands.begin() + static_cast<std::ptrdiff_t>(first),
                                          operands.end(), [&](const Tensor& other) {
                                            return other.dtype() != own &&
                                                   rules.types.contains(other.dtype()) &&
                                                   converts(arguments, other.dtype(), own);
                                          });
    require(rules.types.contains(own) || rules.missing_types.contains(own) || is_converted, "T-1");
    lacks = lacks || rules.missing_types.contains(own);
  };
  const auto require_same = [&](DType own) {
    require(own == dtype || converts(arguments, dtype, own), "T-2");
    lacks = lacks || own != dtype;
  };
  require_data(dtype);
  if (is_gather(op) || is_scatter(op)) {
    if (is_scatter(op)) {
      require_data(operands[2].dtype());
      require_same(operands[2].dtype());
    }
    const DType index = operands[1].dtype();
    const bool lacks_index = rules.missing_index_types.contains(index);
    require(arguments.left_out || lacks_index || rules.index_types.contains(index), "IX-3");
    require(arguments.oob != "zero" || dtype != DType::float8_e8m0fnu, "T-1");
    lacks = lacks || (lacks_index && !arguments.left_out);
    if (is_scatter(op)) {
      const std::string reduction = word(arguments, "reduction", "none");
      const bool is_extreme = reduction == "min" || reduction == "max";
      const bool missing = (kSmallTypes.contains(dtype) && !arguments.framework.empty()) ||
                           (is_extreme && rules.missing_complex_order);
      const ReductionFacts* const facts = find_reduction(reduction);
      require(facts != nullptr, "SE-6");
      const bool is_defined = facts->is_defined(lacks ? plain_dtype(arguments) : dtype);
      require(is_defined || (missing && facts->is_defined(plain_dtype(arguments))),
              kSmallTypes.contains(dtype) && !missing ? "T-1" : "T-3");
      lacks = lacks || !is_defined;
      require(dtype != DType::boolean || rules.no_bool.find(reduction) == std::string::npos, "T-3");
    }
    return lacks;
  }
  if (op == "pow" && !rules.exponent_types.empty()) {
    require(rules.exponent_types.contains(operands[1].dtype()), "T-1");
    return lacks;
  }
  const auto same_type = std::span(operands).subspan(first);
  for (const Tensor& operand : same_type) require_data(operand.dtype());
  for (const Tensor& operand : same_type) require_same(operand.dtype());
  // The rules T come first.
  const DType condition = operands[0].dtype();
  const bool is_truth = condition == (rules.byte_truth ? DType::uint8 : DType::boolean);
  const bool is_torch = arguments.framework == "torch";
  const bool is_byte = condition == DType::uint8 || (condition == DType::int8 && !is_torch);
  if (op == "where" && !is_truth && !(rules.number_truth && is_byte)) {
    require(rules.number_truth && !is_torch && condition != DType::string &&
                (arguments.framework != "numpy" ||
                 (condition != DType::bfloat16 && !kSmallTypes.contains(condition))),
            "WH-1");
    lacks = true;
  }
  if (op == "mod" && kFloatTypes.contains(dtype) && !rules.float_floor_mod) {
    require(flag(arguments, "fmod", false), "EW-4");
  }
  return lacks;
}

// A tensor of ones, which break no rule of arithmetic.
Tensor ones(DType dtype, const Shape& shape) {
  Array out(dtype, shape);
  const float one = 1;
  for (Element& element : out.elements) {
    element.bytes[0] = 1;
    if (dtype == DType::float32) std::memcpy(element.bytes.data(), &one, sizeof one);
  }
  return out.tensor();
}

// Throws the error of a call that tensorop lacks: what the publisher refuses in it, or NI-1.
[[noreturn]] void refuse_lacking(const Arguments& arguments);

Array run_plainly(const Arguments& arguments);

bool flattens(const Arguments& arguments) {
  return flag(arguments, "flat", false) &&
         (arguments.attributes.contains("flat") || !arguments.attributes.contains("axis"));
}

// The call with flat operands; or with those of PyTorch, where no dimensions count as (1).
Arguments reshaped(const Arguments& arguments) {
  Arguments own = arguments;
  const std::string& op = own.op;
  const bool is_flat = flattens(arguments);
  if (own.rules.scalar_data && own.operands[0].rank() == 0) own.operands[0] = own.operands[0].reshaped({1});
  if (!is_flat && !own.rules.torch_shapes) return own;
  own.is_value = own.rules.takes_value && own.operands.back().rank() == 0;
  for (std::size_t i = 0; i < own.operands.size(); ++i) {
    Tensor& operand = own.operands[i];
    const bool is_library = own.framework == "numpy" || own.framework == "jax";
    if (is_flat && op == "scatterelements" && i > 0) continue;
    const bool is_kept = i == 1 && (op == "gather" || (op == "gatherelements" && is_library));
    if (is_flat && !is_kept) operand = operand.reshaped({operand.size()});
    if (!is_flat && operand.rank() == 0) operand = operand.reshaped({1});
  }
  if (is_flat) {
    own.attributes["flat"] = "false";
    own.attributes["axis"] = "0";
  }
  return own;
}

// Whether PyTorch, which checks the axis alone where there is no index, looks at nothing else.
bool selects_nothing(const Arguments& arguments) {
  const Rules& rules = arguments.rules;
  return rules.torch_shapes && !rules.vector_index && !rules.off_axis && arguments.operands[1].size() == 0;
}

// The result of a scatter has the shape of data.
Array run_reshaped(const Arguments& arguments) {
  const std::string& op = arguments.op;
  const Shape data = arguments.operands[0].shape();
  const Shape indices = arguments.operands[1].shape();
  const bool has_vector = arguments.rules.vector_index;
  if (selects_nothing(arguments)) {
    (void)normal_axis(number(arguments, "axis", 0), std::max<std::int64_t>(1, rank(data)));
    return is_scatter(op) ? Array(arguments.operands[0]) : Array(arguments.operands[0].dtype(), indices);
  }
  if (has_vector) require(indices.size() <= 1, "PT-2");
  if (arguments.rules.both_scalars) require(data.empty() == arguments.operands[2].shape().empty(), "PT-2");
  if (has_vector && op == "gather" && data.empty()) require(arguments.operands[1].size() == 1, "PT-2");
  Array out;
  try {
    out = run_plainly(reshaped(arguments));
  } catch (ReferenceError& error) {
    // Positions are those of the operands as they are.
    if (error.position >= 0)
      error.shape = error.rule == kDuplicates ? arguments.operands[2].shape() : indices;
    throw;
  }
  const bool like_data = is_scatter(op) || (op == "gather" && has_vector && data.empty());
  if (like_data) out.shape = data;
  if (op == "gatherelements" && !flattens(arguments) && indices.empty() && out.shape == Shape{1})
    out.shape = {};
  return out;
}

Array run(const Arguments& arguments) {
  if (arguments.op == "concat") return concat(reshaped(arguments));
  const bool is_one = arguments.rules.scalar_data && arguments.operands[0].rank() == 0;
  const bool changes = flattens(arguments) || arguments.rules.torch_shapes || is_one;
  return changes ? run_reshaped(arguments) : run_plainly(arguments);
}

Array run_plainly(const Arguments& arguments) {
  const std::string& op = arguments.op;
  if (op == "gather") return gather(arguments);
  if (op == "gatherelements") return gather_elements(arguments);
  if (op == "gathernd") return gather_nd(arguments);
  if (op == "gatherslices" || op == "dynamicslice") return gather_slices(arguments);
  if (is_scatter(op)) return scatter(arguments);
  if (op == "broadcast") return broadcast_to_target(arguments);
  if (op == "expand") return expand(arguments);
  if (op == "where") return where(arguments);
  return elementwise(arguments);
}

// The checks before dtypes: bad values of attributes, then attributes that exclude each other.
void check_attributes(const Arguments& arguments) {
  const std::string& op = arguments.op;
  const Rules& rules = arguments.rules;
  const auto given = [&](const char* name) { return arguments.attributes.contains(name); };
  require(rules.negative_axis || number(arguments, "axis", 0) >= 0, "AX-3");
  if (op == "broadcast") {
    const std::string mode = word(arguments, "mode", "numpy");
    require(mode == "pdpd" || !given("axis"), "G-8");
    require((mode == "explicit") == given("axes_mapping"), "BC-E1");
  } else if (op == "concat") {
    require(!flattens(arguments) || !given("axis"), "G-8");
    require(!rules.axis_or_flat || given("axis"), "G-8");
  } else if (is_gather(op) || is_scatter(op)) {
    require(!flattens(arguments) || (!given("axis") && !given("batch_dims")), "G-8");
    require(policy_of(arguments) == "fill" || !arguments.framework.empty() || !given("fill_value"), "G-8");
    require(!rules.axis_or_flat || given("axis") || flattens(arguments), "G-8");
    require(!rules.makes_data || given("shape"), "G-8");
    require(arguments.oob != "fill" || given("fill_value"), "G-8");
    require(arguments.duplicates == "last" || word(arguments, "reduction", "none") == "none", "G-8");
  } else {
    const bool is_legacy = given("broadcast") || rules.schemes == std::vector<std::string>{"legacy"};
    require(!is_legacy || !given("auto_broadcast"), "G-8");
    require(is_legacy || !given("axis") || word(arguments, "auto_broadcast", "") == "pdpd", "G-8");
  }
}

// ND-1.
void require_no_zero(const Arguments& arguments, const Shape& shape) {
  require(arguments.rules.zero_dims || std::ranges::find(shape, 0) == shape.end(), "ND-1");
}

void refuse_lacking(const Arguments& arguments) {
  Arguments own = arguments;
  const bool has_indices = is_gather(own.op) || is_scatter(own.op);
  const bool lacks_index = has_indices && own.rules.missing_index_types.contains(own.operands[1].dtype());
  const DType plain = plain_dtype(arguments);
  for (std::size_t i = 0; i < own.operands.size(); ++i) {
    const bool is_data = own.op == "where" ? i > 0 : !has_indices || i != 1;
    if (is_data)
      own.operands[i] = ones(plain, own.operands[i].shape());
    else if (lacks_index)  // which elements it selects is not known: the first one is out of range of an
                           // empty axis alone
      own.operands[i] = Array(DType::int64, own.operands[i].shape()).tensor();
    else if (own.op == "where")
      own.operands[i] = ones(DType::boolean, own.operands[i].shape());
  }
  if (lacks_index) own.duplicates = "last";
  (void)run(own);
  throw ReferenceError("NI-1");
}

}  // namespace

Tensor compute(const Arguments& arguments) {
  check_attributes(arguments);
  if (arguments.rules.makes_data) {
    for (const std::int64_t dim : numbers(arguments, "shape")) require(dim >= 0, "BC-T2");
  }
  if (check_types(arguments)) refuse_lacking(arguments);
  for (const Tensor& operand : arguments.operands) require_no_zero(arguments, operand.shape());
  const Array result = run(arguments);
  require_no_zero(arguments, result.shape);
  return result.tensor();
}

// The same call on strings that name their own element, which are joined where elements are combined.
std::vector<std::string> origins(const Arguments& arguments, Overwritten overwritten) {
  Arguments traced = arguments;
  const bool moves = is_gather(arguments.op) || is_scatter(arguments.op) || arguments.op == "broadcast" ||
                     arguments.op == "expand" || arguments.op == "where" || arguments.op == "concat";
  for (std::size_t i = 0; i < traced.operands.size(); ++i) {
    if (arguments.op == "where" ? i == 0 : moves && i == 1 && arguments.op != "concat")
      continue;  // a condition, indices
    Array names(DType::string, traced.operands[i].shape());
    for (std::size_t k = 0; k < names.elements.size(); ++k) {
      names.elements[k].bytes = std::to_string(i) + ":" + std::to_string(k) + ";";
    }
    traced.operands[i] = names.tensor();
  }
  if (!moves) traced.op = "join";
  traced.attributes.erase("fill_value");
  traced.oob = policy_of(arguments);
  traced.rules.index_modes.clear();
  if (is_scatter(arguments.op) && word(arguments, "reduction", "none") != "none")
    traced.attributes["reduction"] = "join";
  if (is_scatter(arguments.op) && overwritten == Overwritten::listed) {
    traced.attributes["reduction"] = "join";
    traced.attributes.erase("use_init_val");
  }
  std::vector<std::string> out;
  for (const Element& element : run(traced).elements) out.push_back(element.bytes);
  return out;
}

std::vector<bool> open_elements(const Arguments& arguments) {
  if (is_scatter(arguments.op) && !selects_nothing(arguments)) return open_in_scatter(reshaped(arguments));
  const std::set<std::string> some = {"min", "max", "div", "mod", "floormod", "bitshift"};
  if (some.contains(arguments.op)) return open_in_elementwise(arguments);
  return std::vector<bool>(run(arguments).elements.size());
}

std::vector<Coordinate> coordinates_of(const Shape& shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return {};
  std::vector<Coordinate> all;
  Coordinate at(shape.size(), 0);
  for (;;) {
    all.push_back(at);
    std::size_t d = shape.size();
    while (d > 0 && ++at[d - 1] == shape[d - 1]) at[--d] = 0;
    if (d == 0) return all;
  }
}

std::int64_t position_of(const Coordinate& coordinate, const Shape& shape) {
  if (coordinate.size() != shape.size()) throw std::logic_error("a coordinate of another rank");
  std::int64_t position = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (coordinate[d] < 0 || coordinate[d] >= shape[d]) throw std::logic_error("a coordinate out of range");
    position = position * shape[d] + coordinate[d];
  }
  return position;
}

Array::Array(DType type, Shape dims) : dtype(type), shape(std::move(dims)) {
  std::size_t count = 1;
  for (const std::int64_t dim : shape) count *= static_cast<std::size_t>(dim);
  elements.assign(count, make_zero(dtype));
}

Array::Array(const Tensor& tensor) : Array(tensor.dtype(), tensor.shape()) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (dtype == DType::string) {
      elements[i].bytes = tensor.strings()[i].view();
    } else {
      std::string& bytes = elements[i].bytes;
      std::memcpy(bytes.data(), tensor.data() + i * bytes.size(), bytes.size());
    }
  }
}

std::size_t Array::position(const Coordinate& c) const {
  return static_cast<std::size_t>(position_of(c, shape));
}

Tensor Array::tensor() const {
  const auto width = static_cast<std::size_t>(element_size(dtype));
  auto storage = std::make_shared<Storage>(static_cast<std::int64_t>(elements.size() * width));
  const auto texts = std::make_shared<std::vector<Element>>(elements);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string& bytes = (*texts)[i].bytes;
    const StringRef text = {bytes.data(), static_cast<std::int64_t>(bytes.size())};
    const void* from = dtype == DType::string ? static_cast<const void*>(&text) : bytes.data();
    std::memcpy(storage->data() + i * width, from, width);
  }
  if (dtype == DType::string) storage->arenas = {texts};
  return {dtype, shape, storage};
}

std::vector<std::int64_t> slice(const std::vector<std::int64_t>& x, std::int64_t from, std::int64_t to) {
  return {x.begin() + from, x.begin() + to};
}

std::vector<std::int64_t> tail(const std::vector<std::int64_t>& x, std::int64_t from) {
  return {x.begin() + from, x.end()};
}

std::vector<std::int64_t> operator+(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> both;
  both.reserve(a.size() + b.size());
  both.insert(both.end(), a.begin(), a.end());
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

void require(bool condition, const char* rule) {
  if (!condition) throw ReferenceError(rule);
}

std::string word(const Arguments& arguments, const std::string& name, const std::string& by_default) {
  const auto given = arguments.attributes.find(name);
  const auto other = arguments.rules.other_defaults.find(name);
  std::string text = given != arguments.attributes.end()             ? given->second
                     : other != arguments.rules.other_defaults.end() ? other->second
                                                                     : by_default;
  if (name == "mode" && text == "multidirectional") return "bidirectional";
  const ReductionFacts* const facts = name == "reduction" ? find_reduction(text) : nullptr;
  return facts == nullptr ? text : facts->word;
}

std::int64_t number(const Arguments& arguments, const std::string& name, std::int64_t by_default) {
  return std::stoll(word(arguments, name, std::to_string(by_default)));
}

std::vector<std::int64_t> numbers(const Arguments& arguments, const std::string& name) {
  std::string text = word(arguments, name, "[]");
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  std::vector<std::int64_t> list;
  if (text.empty()) return list;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    list.push_back(std::stoll(text.substr(at, comma - at)));
    at = comma + 1;
  }
  return list;
}

std::string list_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text.empty() ? "[]" : text;
}

bool flag(const Arguments& arguments, const std::string& name, bool by_default) {
  const std::string text = word(arguments, name, by_default ? "true" : "false");
  return text == "true" || text == "1";
}

std::int64_t normal_axis(std::int64_t axis, std::int64_t rank) {
  require(-rank <= axis && axis <= rank - 1, "AX-1");
  return axis < 0 ? axis + rank : axis;
}

// The policy, as a value of --oob.
std::string policy_of(const Arguments& arguments) {
  if (arguments.rules.nearest) return "clip";
  if (arguments.rules.bad_indices) {
    if (word(arguments, "bad_indices_policy", "default") != "ignore") return "error";
    return is_scatter(arguments.op) ? "drop" : "zero";
  }
  if (arguments.rules.index_modes.empty()) return arguments.oob;
  const std::string mode = word(arguments, "mode", arguments.rules.index_modes[0]);
  if (mode == "raise") return "error";
  // JAX's at[].get reads, its updates are dropped.
  if (mode == "promise_in_bounds") return is_scatter(arguments.op) ? "drop" : "clip";
  if (mode == "drop" && !is_scatter(arguments.op)) return "fill";
  if (mode == "fill" && is_scatter(arguments.op)) return "drop";
  return mode == "clip" && arguments.rules.clips_raw ? "clamp" : mode;
}

std::vector<std::optional<std::int64_t>> resolve_indices(
    const Arguments& arguments, const Array& indices,
    const std::function<std::int64_t(const Coordinate&)>& extent) {
  const std::string oob = policy_of(arguments);
  std::vector<std::optional<std::int64_t>> resolved;
  for (const Coordinate& at : coordinates_of(indices.shape)) {
    const auto position = static_cast<std::int64_t>(resolved.size());
    const Wide x = integer(indices.at(at));
    const Wide d = extent(at);
    if (x < 0 && arguments.rules.bad_indices && oob != "error") {
      resolved.emplace_back(std::nullopt);
      continue;
    }
    if (x < 0 && !arguments.rules.negative_indices) throw ReferenceError("IX-2", position, indices.shape);
    if ((oob == "clamp" ? 0 : -d) <= x && x < d) {
      resolved.emplace_back(static_cast<std::int64_t>(x < 0 ? x + d : x));
    } else if (arguments.rules.zero_fill || oob == "zero" || oob == "drop" || oob == "fill") {
      resolved.emplace_back(std::nullopt);
    } else if (oob == "error" || d == 0) {
      throw ReferenceError("IX-1", position, indices.shape);
    } else if (oob == "clip" || oob == "clamp") {
      resolved.emplace_back(static_cast<std::int64_t>(x < 0 ? 0 : d - 1));
    } else {
      resolved.emplace_back(static_cast<std::int64_t>((x % d + d) % d));
    }
  }
  return resolved;
}

}  // namespace tensorop::reference
