#include "engine/bind.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "engine/execute.hpp"
#include "engine/operands.hpp"
#include "engine/version.hpp"
#include "engine/version_hint.hpp"
#include "io/opened_file.hpp"
#include "io/source.hpp"
#include "ops/broadcast_rules.hpp"
#include "ops/fault_text.hpp"
#include "ops/registry.hpp"
#include "ops/scatter.hpp"

namespace tensorop {
namespace {

std::string_view type_of(const Call& call, std::size_t i) {
  return type_variable(*call.op, *call.version, i);
}

void require_one_standard_input(const std::vector<GivenOperand>& given, const Request& request) {
  const auto is_input = [](const GivenOperand& operand) { return operand.text.is_standard_input(); };
  if (std::ranges::count_if(given, is_input) +
          std::ranges::count_if(request.attributes, &Operand::is_standard_input) >
      1) {
    throw Error("standard input can be read only once");
  }
}

// Returns the dtype that --dtype gives to untyped data operands.
std::optional<DType> named_dtype(const Request& request) {
  if (!request.dtype) return std::nullopt;
  return read_dtype(*request.dtype, kCallRule);
}

// Returns a hint for converting a tensor, if it is a file, to another dtype.
std::string conversion_hint(const std::string& file, DType own, DType dtype) {
  const bool is_text = own == DType::string || dtype == DType::string;
  if (file.empty() || file.starts_with('@') || is_text) return "";
  return cat("tensorop convert ", file == "standard input" ? "-" : file, " --dtype ", name(dtype));
}

// Throws Error if --dtype applies to no data operand, because each has another dtype of its own.
void require_dtype_used(DType named, const std::vector<GivenOperand>& given, const Call& call) {
  const auto is_named = [&](const GivenOperand& operand) {
    return operand.role == OperandRole::data && operand.tensor.dtype() == named;
  };
  if (std::ranges::any_of(given, is_named)) return;
  const GivenOperand& data = *std::ranges::find(given, OperandRole::data, &GivenOperand::role);
  const DType own = data.tensor.dtype();
  throw Error(
      cat(data.name, " is ", name(own), ", and ", call.option("dtype"), " is for operands without a dtype"),
      kCallRule, conversion_hint(data.file, own, named));
}

// Opens the operands, each in its given form. Adds the files to `inputs`.
void open_operands(const Request& request, const Settings& settings, const Call& call, Inputs& inputs,
                   std::vector<GivenOperand>& given) {
  const std::optional<DType> named = named_dtype(request);
  std::vector<Source> sources;
  for (const GivenOperand& operand : given) {
    const bool is_mask = operand.name == kMaskName;
    // The number of true elements of a mask is part of the result's shape.
    const Source::Options options{.header_only = request.dry_run && !is_mask,
                                  .allow_abstract = request.dry_run,
                                  .read_later = true,
                                  .text_format = request.text_format};
    sources.push_back(with_context(operand.name, [&] {
      return operand.is_range ? Source::of_tensor(Tensor(DType::int64, {0}))
                              : open_operand(operand.text, options, settings);
    }));
  }
  std::vector<TypedOperand> typed;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const OperandRole role = given[i].role;
    typed.push_back({.source = &sources[i],
                     .name = given[i].name,
                     .type = given[i].type,
                     .named = role == OperandRole::data ? named : std::nullopt,
                     .when_empty = role == OperandRole::condition ? DType::boolean : DType::int64});
  }
  resolve_dtypes(typed);
  for (std::size_t i = 0; i < given.size(); ++i) {
    GivenOperand& operand = given[i];
    operand.tensor = *sources[i].tensor();
    const bool is_result = operand.text.as<JobResult>() != nullptr;
    operand.file = is_result && sources[i].name().empty() ? printable(operand.text.text) : sources[i].name();
    inputs.add(sources[i].mapping());
  }
  if (named) require_dtype_used(*named, given, call);
}

// Returns a hint if the dtypes suggest that data and indices are swapped.
std::string order_hint(const Call& call, std::size_t i) {
  const bool is_swapped = call.operand_spec(i).role == OperandRole::indices &&
                          (kFloatTypes | kComplexTypes).contains(call.operands[i].dtype()) &&
                          kIntegerTypes.contains(call.operands[0].dtype());
  if (!is_swapped) return {};
  return cat("are the operands swapped? ", call.operand_name(0), " comes before ", call.operand_name(i));
}

// Checks dtypes by role: first of data, then that they agree, then of indices, then of conditions.
void check_dtypes(Call& call) {
  // A boolean beside a dtype that the version has.
  const auto is_converted = [&](std::size_t i) {
    if (call.operands[i].dtype() != DType::boolean) return false;
    for (std::size_t other = 0; other < call.operands.size(); ++other) {
      const DType dtype = call.operands[other].dtype();
      if (type_of(call, other) == type_of(call, i) && dtype != DType::boolean &&
          allowed_types(*call.version, type_of(call, i)).contains(dtype) &&
          converts(*call.version, type_of(call, i), dtype, DType::boolean) &&
          publisher_of(call.version->framework).rules.converts_any_bool)
        return true;
    }
    return false;
  };
  const auto check_role = [&](OperandRole role) {
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      if (call.operand_spec(i).role == role && !(role == OperandRole::data && is_converted(i)))
        require_dtype(call, i, call.operands[i].dtype(), call.operand_label(i), order_hint(call, i));
    }
  };
  check_role(OperandRole::data);
  // The first operand of each type variable. The others are compared with it, so the work is linear.
  std::map<std::string_view, std::size_t> firsts;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const std::size_t first = firsts.emplace(type_of(call, i), i).first->second;
    const DType own = call.operands[i].dtype();
    if (own == call.operands[first].dtype()) continue;
    if (converts(*call.version, type_of(call, i), call.operands[first].dtype(), own)) {
      call.lack(cat(call.operand_name(i), " is ", name(own), ", ", call.operand_name(first), " is ",
                    name(call.operands[first].dtype())));
      continue;
    }
    throw Error(
        cat(call.operand_label(i), " is ", name(call.operands[i].dtype()), ", ", call.operand_label(first),
            " is ", name(call.operands[first].dtype()), "; they must have the same dtype"),
        kSameTypeRule,
        conversion_hint(call.files[i], call.operands[i].dtype(), call.operands[first].dtype()));
  }
  check_role(OperandRole::indices);
  check_role(OperandRole::condition);
  check_reduction(call);
  if (call.oob == OutOfBounds::zero && call.operands[0].dtype() == DType::float8_e8m0fnu)
    throw Error(cat("oob zero needs a zero, which ", name(DType::float8_e8m0fnu), " does not have"), "T-1");
}

// Checks rule ND-1 for an operand or the result.
void require_no_zero(const Call& call, const std::string& name, const Shape& shape) {
  if (!call.strict() || publisher_of(call.version->framework).rules.zero_dims) return;
  const auto zero = std::ranges::find(shape, 0);
  if (zero == shape.end()) return;
  throw Error(cat("dimension ", zero - shape.begin(), " of ", name, " ", to_string(shape), " is 0; ",
                  call.version_name("has"), " no empty tensors"),
              "ND-1");
}

// Returns the dimensions as given, which may include -1.
Shape read_dimensions(const std::string& name, std::string_view text) {
  const bool has_brackets = text.size() > 1 && text.front() == '[' && text.back() == ']';
  const std::string_view list = has_brackets ? text.substr(1, text.size() - 2) : text;
  const std::optional<Shape> parsed = has_brackets && list.empty() ? Shape() : parse_list(list);
  if (!parsed || std::ranges::any_of(*parsed, [](std::int64_t dimension) { return dimension < -1; })) {
    throw Error(cat("reshape of ", name, ": ", in_quotes(text),
                    " is not a list of non-negative integers and at most one -1"),
                kCallRule);
  }
  const Shape& out = *parsed;
  if (out.size() > kMaxRank)
    throw Error(cat("reshape of ", name, ": more than ", kMaxRank, " dimensions"), kCallRule);
  if (std::ranges::count(out, -1) > 1)
    throw Error(cat("reshape of ", name, ": only one dimension of ", in_quotes(text), " may be -1"),
                kCallRule);
  return out;
}

// Returns the tensor with the shape that `text` lists: "2,-1", "[2,-1]", "[]". One dimension may be -1; it is
// computed from the number of elements. `name` is for messages. Throws Error [G-8] if the text is not a
// shape, or has another number of elements.
Tensor reshaped(const Tensor& tensor, const std::string& name, std::string_view text) {
  Shape shape = read_dimensions(name, text);
  const std::int64_t size = tensor.size();
  const auto open = std::ranges::find(shape, -1);
  std::optional<std::int64_t> known = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension != -1 && known) known = checked_mul(*known, dimension);
  }
  if (open != shape.end() && known && *known != 0 && size % *known == 0) {
    *open = size / *known;
    known = size;
  } else if (open != shape.end()) {
    known.reset();
  }
  if (known != size) {
    throw Error(cat("reshape of ", name, ": ", to_string(tensor.shape()), " has ", counted(size, "element"),
                    ", which do not fill the shape ", in_quotes(text)),
                kCallRule);
  }
  return tensor.reshaped(std::move(shape));
}

// Reshapes before any rule is checked: the operator sees only the new shapes.
void reshape_operands(const Request& request, std::vector<GivenOperand>& given) {
  std::vector<bool> done(given.size());
  for (const NamedText& reshape : request.reshapes) {
    const auto found = std::ranges::find(given, reshape.name, &GivenOperand::name);
    if (found == given.end()) {
      throw Error(cat("reshape: ", in_quotes(reshape.name), " is not one of ",
                      join(given, ", ", std::mem_fn(&GivenOperand::name))),
                  kCallRule);
    }
    const auto i = to_size(found - given.begin());
    if (done[i]) throw Error(cat("reshape of ", reshape.name, " is given twice"), kCallRule);
    done[i] = true;
    found->tensor = reshaped(found->tensor, reshape.name, reshape.text);
  }
}

// Returns the zeros that stand for data (OperatorName::makes_data); without elements, if those of the updates
// are not known or the dtype is none of numbers. A call that is only opened may lack its shape.
GivenOperand made_data(const Request& request, const Settings& settings, OpenedCall& opened) {
  const OperandSpec& spec = opened.call.op->operands[0];
  const Tensor& updates = opened.given.back().tensor;
  const auto* const shape = std::get_if<Shape>(&opened.call.find(kMadeShapeName)->value);
  OutputInfo info = checked_output(updates.dtype(), shape == nullptr ? Shape() : checked_target(*shape));
  const bool is_known = !request.dry_run && (updates.data() != nullptr || updates.size() == 0);
  const bool is_number = (kNumericTypes | kComplexTypes).contains(info.dtype);
  Tensor tensor = is_known && is_number ? zeros(info.dtype, std::move(info.shape), settings, opened.inputs)
                                        : Tensor(info.dtype, std::move(info.shape));
  return {Operand(tensor), 0, std::string(spec.name), spec.role, std::string(spec.type), false, tensor};
}

OpenedCall open_operator(const Request& request, const Settings& settings, AttributeChecks checks) {
  OpenedCall opened;
  Call& call = opened.call;
  call.op = request.op.op;
  call.name = request.op.name;
  call.from_job = request.from_job;
  call.opset = parse_spec(request.spec).version;
  call.version = &find_version(request.op, request.spec);
  opened.given = assign_operands(request, call);
  require_one_standard_input(opened.given, request);
  try {
    bind_attributes(request, opened.inputs, call);
    if (checks == AttributeChecks::all && call.op->check_attributes != nullptr)
      call.op->check_attributes(call);
  } catch (Error& error) {
    if (error.hint().empty()) error.add_hint(attribute_hint(request, call, settings));
    throw;
  }
  open_operands(request, settings, call, opened.inputs, opened.given);
  reshape_operands(request, opened.given);
  if (call.name->makes_data) opened.given.insert(opened.given.begin(), made_data(request, settings, opened));
  return opened;
}

// Plans a call whose dtypes have been checked. In a call that has what tensorop lacks, what the publisher
// refuses is the error, before that.
Planned plan_call(Call& call, const Settings& settings) {
  read_elements(call);
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    require_no_zero(call, call.operand_label(i), call.operands[i].shape());
  Planned planned;
  try {
    planned = call.op->plan(call);
  } catch (Failure& error) {
    // Earlier releases took a single tensor of index tuples under these names.
    if (call.name->takes_arrays && error.rule() == "SN-3")
      error.add_hint(cat("each operand between the first and the last is an index array; ", call.op->name,
                         " takes index tuples"));
    throw;
  }
  if (!call.missing) return planned;
  // Indices alone: what tensorop computes of other operands is not what the publisher computes.
  const auto is_index = [](const OperandSpec& spec) { return spec.role == OperandRole::indices; };
  try {
    if (std::ranges::any_of(call.op->operands, is_index)) check_known_values(call, planned, settings);
  } catch (const Error& error) {
    throw Error(error);  // without the facts of a fault: the call has no result that explains them
  }
  throw Error(*call.missing);
}

// Plans a call whose operands are open.
void bind_opened(const Request& request, const Settings& settings, RangeForm ranges, Bound& bound) {
  Call& call = bound.call;
  resolve_indices(bound.given, ranges, settings, bound.inputs, call);
  check_dtypes(call);
  bound.planned = plan_call(call, settings);
  require_no_zero(call, "the result", bound.planned.output.shape);
  // A mask of leading dimensions makes one dimension of them in the call alone.
  if (!call.form.mask.empty() && call.operands.size() > 2)
    bound.planned.output.shape = bound.given[0].tensor.shape();
  if (const DType dtype = bound.planned.output.dtype; request.declared && dtype != *request.declared) {
    throw Error(cat("the result is ", name(dtype), ", but is declared as ", name(*request.declared)));
  }
  if (call.version->rules.deprecated && settings.warn) {
    settings.warn(cat(call.name->name, ": ", call.version_name(), " is deprecated"));
  }
}

}  // namespace

OpenedCall open_call(const Request& request, const Settings& settings, AttributeChecks checks) {
  return with_context(request.op.name->name, [&] {
    OpenedCall opened = open_operator(request, settings, checks);
    if (opened.call.form.kind != IndexForm::Kind::range) return opened;
    Call call = opened.call;
    resolve_indices(opened.given, RangeForm::indices, settings, opened.inputs, call);
    opened.given[1].tensor = call.operands[1];
    opened.call.form = {};
    return opened;
  });
}

void use_opened(Request& request, const OpenedCall& opened) {
  const Call& call = opened.call;
  request.named.clear();
  request.positional.clear();
  request.reshapes.clear();
  request.dtype.reset();
  for (const GivenOperand& operand : opened.given) {
    const bool is_made = call.name->makes_data && operand.place == 0;
    if (call.left_out == operand.place || is_made) continue;
    const bool is_range = call.form.kind == IndexForm::Kind::range && operand.is_range;
    Operand opened_one = is_range ? operand.text : Operand(operand.tensor);
    if (is_positional(operand, *call.op)) {
      request.positional.push_back(std::move(opened_one));
    } else {
      request.named.emplace_back(operand.name, std::move(opened_one));
    }
  }
  for (NamedText& given : request.attributes) {
    const Attribute* const attribute = call.find(given.name);
    if (attribute == nullptr) continue;
    if (const auto* list = std::get_if<Shape>(&attribute->value)) given = {given.name, list_text(*list)};
  }
}

void check_known_values(const Call& call, const Planned& planned, const Settings& settings) {
  const auto has_elements = [&](std::size_t i) {
    const Tensor& operand = call.operands[i];
    const bool is_index = call.operand_spec(i).role == OperandRole::indices;
    return operand.data() != nullptr && operand.size() != 0 &&
           (!is_index || kIntegerTypes.contains(operand.dtype()));
  };
  bool has_indices = false;
  bool is_complete = true;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (call.operand_spec(i).role != OperandRole::indices) continue;
    has_indices = true;
    is_complete &= has_elements(i);
  }
  for (std::size_t i = 0; i < call.operands.size() && !has_indices; ++i) is_complete &= has_elements(i);
  if (!is_complete) return;
  with_fault_text(call, planned, [&] {
    check_all(planned.plan, settings.threads);
    require_no_duplicates(planned.plan, settings);
  });
}

Bound bind(const Request& request, const Settings& settings, RangeForm ranges) {
  return with_context(request.op.name->name, [&] {
    Bound bound{open_operator(request, settings, AttributeChecks::all), {}};
    try {
      bind_opened(request, settings, ranges, bound);
    } catch (Error& error) {
      // The default semantics refuse dtypes that only some publishers have.
      const bool may_differ = bound.call.strict() ? error.rule() != kMissingRule : error.rule() == "T-1";
      if (error.hint().empty() && may_differ) error.add_hint(version_hint(request, bound, settings, false));
      throw;
    }
    return bound;
  });
}

}  // namespace tensorop
