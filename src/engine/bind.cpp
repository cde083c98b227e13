#include "engine/bind.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/attributes.hpp"
#include "engine/index_arrays.hpp"
#include "engine/mask.hpp"
#include "engine/operands.hpp"
#include "engine/version.hpp"
#include "io/opened_file.hpp"
#include "io/source.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kIndices = 1;  // the operand that a mask replaces

// Returns the operand texts in the order of the description: named ones first; positional ones fill the gaps.
std::vector<OperandText> assign_operands(const Request& request, Call& call) {
  const Operator& op = *call.op;
  const auto& specs = op.operands;
  std::vector<std::optional<OperandText>> slots(specs.size());
  for (const NamedText& named : request.named) {
    const bool is_mask = named.name == kMaskName && op.mask != MaskUse::none;
    const auto spec =
        is_mask ? specs.begin() + kIndices : std::ranges::find(specs, named.name, &OperandSpec::name);
    if (spec == specs.end()) throw Error(cat("unknown operand ", in_quotes(named.name)), kCallRule);
    auto& slot = slots[static_cast<std::size_t>(spec - specs.begin())];
    if (slot) throw Error(cat(named.name, " is given twice"), kCallRule);
    slot = named;
  }
  // If there are too few operands, the optional one is left out.
  const auto optional = std::ranges::find(specs, true, &OperandSpec::optional);
  const auto free = std::ranges::count_if(slots, [](const auto& slot) { return !slot.has_value(); });
  if (optional != specs.end() && std::ssize(request.positional) < free) {
    const auto at = static_cast<std::size_t>(optional - specs.begin());
    if (!slots[at]) {
      slots[at] = OperandText(Tensor(DType::int64, {0}));
      call.left_out = at;
    }
  }
  auto next = request.positional.begin();
  for (auto& slot : slots) {
    if (!slot && next != request.positional.end()) slot = *next++;
  }
  std::vector<OperandText> texts;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    // A variadic operator requires only its first operand.
    if (!slots[i] && specs.back().variadic && i > 0) break;
    if (!slots[i]) {
      throw Error(cat("operand ", specs[i].name, " is missing"), kCallRule,
                  call.from_job ? "" : cat("tensorop ", call.name->name, " --help shows how it is called"));
    }
    texts.push_back(*slots[i]);
  }
  if (next != request.positional.end() && !specs.back().variadic) {
    throw Error(cat("unexpected operand ", in_quotes(next->json ? next->json->text : next->text), ": ",
                    op.name, " takes ", specs.size()),
                kCallRule,
                has_mask(request) ? cat(call.option(kMaskName), " stands for indices: give no others") : "");
  }
  texts.insert(texts.end(), next, request.positional.end());
  if (call.version->operands != 0 && texts.size() != call.version->operands) {
    throw Error(cat(call.version_name("takes"), " ", call.version->operands, " operands, not ", texts.size()),
                call.op->count_rule);
  }
  return texts;
}

// Whether operand `i` is a mask in place of indices.
bool is_mask(const Request& request, std::size_t i) {
  return i == kIndices && has_mask(request);
}

std::string name_of(const Request& request, const Call& call, std::size_t i) {
  return is_mask(request, i) ? std::string(kMaskName) : call.operand_name(i);
}

std::string_view type_of(const Call& call, std::size_t i) {
  return type_variable(*call.op, *call.version, i);
}

void require_one_standard_input(const std::vector<OperandText>& texts, const Request& request) {
  if (std::ranges::count_if(texts, is_standard_input, &OperandText::text) +
          std::ranges::count_if(request.attributes, is_standard_input, &NamedText::text) >
      1) {
    throw Error("standard input can be read only once");
  }
}

// Returns the dtype that --dtype gives to untyped data operands.
std::optional<DType> named_dtype(const Request& request) {
  if (!request.dtype) return std::nullopt;
  return read_dtype(*request.dtype, kCallRule);
}

// Opens the operands in order; resolve_dtypes() reads operands that are text.
std::vector<Source> open_operands(const std::vector<OperandText>& texts, const Request& request,
                                  const Settings& settings, const Call& call) {
  std::vector<Source> sources;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    // The number of true elements of a mask is part of the result's shape.
    const Source::Options options{.header_only = request.dry_run && !is_mask(request, i),
                                  .allow_abstract = request.dry_run,
                                  .read_later = true,
                                  .text_format = request.text_format};
    sources.push_back(
        with_context(name_of(request, call, i), [&] { return open_operand(texts[i], options, settings); }));
  }
  return sources;
}

// Returns a hint if the dtypes suggest that data and indices are swapped.
std::string order_hint(const Call& call, std::size_t i) {
  const bool is_swapped = call.operand_spec(i).role == OperandRole::indices &&
                          (kFloatTypes | kComplexTypes).contains(call.operands[i].dtype()) &&
                          kIntegerTypes.contains(call.operands[0].dtype());
  if (!is_swapped) return {};
  return cat("are the operands swapped? ", call.operand_name(0), " comes before ", call.operand_name(i));
}

// Returns a hint for converting operand `i`, if it is a file, to another dtype.
std::string conversion_hint(const Call& call, std::size_t i, DType dtype) {
  const std::string& file = call.files[i];
  const bool is_text = call.operands[i].dtype() == DType::string || dtype == DType::string;
  if (file.empty() || file.starts_with('@') || is_text) return "";
  return cat("tensorop convert ", file == "standard input" ? "-" : file, " --dtype ", name(dtype));
}

// Throws Error if --dtype applies to no data operand, because each has another dtype of its own.
void require_dtype_used(DType named, const Call& call) {
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (call.operand_spec(i).role == OperandRole::data && call.operands[i].dtype() == named) return;
  }
  throw Error(cat(call.operand_name(0), " is ", name(call.operands[0].dtype()), ", and ",
                  call.option("dtype"), " is for operands without a dtype"),
              kCallRule, conversion_hint(call, 0, named));
}

// Checks dtypes by role: first of data, then that they agree, then of indices, then of conditions.
void check_dtypes(const Call& call) {
  const auto check_role = [&](OperandRole role) {
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      if (call.operand_spec(i).role == role)
        require_dtype(*call.op, *call.version, i, call.operands[i].dtype(), call.operand_name(i),
                      order_hint(call, i));
    }
  };
  check_role(OperandRole::data);
  // The first operand of each type variable. The others are compared with it, so the work is linear.
  std::map<std::string_view, std::size_t> firsts;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const std::size_t first = firsts.emplace(type_of(call, i), i).first->second;
    if (call.operands[i].dtype() == call.operands[first].dtype()) continue;
    throw Error(
        cat(call.operand_name(i), " is ", name(call.operands[i].dtype()), ", ", call.operand_name(first),
            " is ", name(call.operands[first].dtype()), "; they must have the same dtype"),
        kSameTypeRule, conversion_hint(call, i, call.operands[first].dtype()));
  }
  check_role(OperandRole::indices);
  check_role(OperandRole::condition);
  if (call.oob == OutOfBounds::zero && call.operands[0].dtype() == DType::float8_e8m0fnu)
    throw Error(cat("oob zero needs a zero, which ", name(DType::float8_e8m0fnu), " does not have"), "T-1");
}

// Checks rule ND-1 for an operand or the result.
void require_no_zero(const Call& call, const std::string& name, const Shape& shape) {
  if (!call.strict() || publisher_of(call.version->framework).zero_dims) return;
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
                    " is not a list of non-negative integers, one of which may be -1"),
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
void reshape_operands(const Request& request, Call& call) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < call.operands.size(); ++i) names.push_back(name_of(request, call, i));
  std::vector<bool> done(names.size());
  for (const NamedText& reshape : request.reshapes) {
    const auto found = std::ranges::find(names, reshape.name);
    if (found == names.end()) {
      throw Error(cat("reshape: ", in_quotes(reshape.name), " is not one of ", join(names)), kCallRule);
    }
    const auto i = static_cast<std::size_t>(found - names.begin());
    if (done[i]) throw Error(cat("reshape of ", reshape.name, " is given twice"), kCallRule);
    done[i] = true;
    call.operands[i] = reshaped(call.operands[i], reshape.name, reshape.text);
  }
}

// The range that stands in place of indices; an empty tensor takes its place until data is known.
std::optional<IndexRange> take_range(const Request& request, const Call& call,
                                     std::vector<OperandText>& texts) {
  if (texts.size() <= kIndices || has_mask(request) || !is_range(*call.op, texts[kIndices]))
    return std::nullopt;
  const auto refuse_beside = [&](const std::vector<NamedText>& given, std::string_view name,
                                 std::string_view what) {
    if (std::ranges::find(given, name, &NamedText::name) == given.end()) return;
    throw Error(cat(what, " cannot be combined with the range ", in_quotes(texts[kIndices].text)), kCallRule);
  };
  refuse_beside(request.attributes, "batch_dims", "batch_dims");
  refuse_beside(request.reshapes, "indices", "reshape of indices");
  const auto range = parse_range(texts[kIndices].text);
  if (range->step == 0)
    throw Error(cat("the step of the range ", in_quotes(texts[kIndices].text), " is 0"), kCallRule);
  texts[kIndices] = OperandText(Tensor(DType::int64, {0}));
  return range;
}

OpenedCall open_operator(const Request& given, const Settings& settings, AttributeChecks checks,
                         RangeForm ranges) {
  OpenedCall opened;
  std::optional<Request> tuples;
  if (given.op.name->takes_arrays) tuples = with_tuples(given, settings, opened.inputs);
  const Request& request = tuples ? *tuples : given;
  Call& call = opened.call;
  call.op = request.op.op;
  call.name = request.op.name;
  call.from_job = request.from_job;
  const Spec spec = parse_spec(request.spec);
  call.opset = spec.version;
  call.version = &find_version(*call.op, *call.name, spec);
  if (has_mask(request)) check_mask_call(request, call);
  auto texts = assign_operands(request, call);
  const std::optional<IndexRange> range = take_range(request, call, texts);
  require_one_standard_input(texts, request);
  bind_attributes(request, opened.inputs, call);
  if (checks == AttributeChecks::all && call.op->check_attributes != nullptr) call.op->check_attributes(call);
  const std::optional<DType> named = named_dtype(request);
  auto sources = open_operands(texts, request, settings, call);
  std::vector<TypedOperand> typed;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const OperandRole role = is_mask(request, i) ? OperandRole::condition : call.operand_spec(i).role;
    typed.push_back({.source = &sources[i],
                     .name = name_of(request, call, i),
                     .type = is_mask(request, i) ? kMaskName : type_of(call, i),
                     .named = role == OperandRole::data ? named : std::nullopt,
                     .when_empty = role == OperandRole::condition ? DType::boolean : DType::int64});
  }
  resolve_dtypes(typed);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    call.operands.push_back(*sources[i].tensor());
    const bool is_result = settings.lookup && texts[i].is_reference() && texts[i].text.starts_with('@');
    call.files.push_back(is_result && sources[i].name().empty() ? printable(texts[i].text)
                                                                : sources[i].name());
    opened.inputs.add(sources[i].mapping());
  }
  if (named) require_dtype_used(*named, call);
  reshape_operands(request, call);
  if (range) apply_range(*range, ranges, call);
  return opened;
}

Bound bind_operator(const Request& request, const Settings& settings, RangeForm ranges) {
  Bound bound{open_operator(request, settings, AttributeChecks::all, ranges), {}};
  Call& call = bound.call;
  std::optional<Shape> result_shape;
  if (has_mask(request)) result_shape = apply_mask(settings.threads, call);
  check_dtypes(call);
  read_elements(call);
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    require_no_zero(call, call.operand_name(i), call.operands[i].shape());
  try {
    bound.planned = call.op->plan(call);
  } catch (Failure& error) {
    // Earlier releases took a single tensor of index tuples under these names.
    if (request.op.name->takes_arrays && error.rule() == "SN-3")
      error.add_hint(cat("each operand between the first and the last is an index array; ", call.op->name,
                         " takes index tuples"));
    throw;
  }
  require_no_zero(call, "the result", bound.planned.output.shape);
  if (result_shape) bound.planned.output.shape = std::move(*result_shape);
  if (const DType dtype = bound.planned.output.dtype; request.declared && dtype != *request.declared) {
    throw Error(cat("the result is ", name(dtype), ", but is declared as ", name(*request.declared)));
  }
  if (call.version->deprecated && settings.warn) {
    settings.warn(cat(call.name->name, ": ", call.version_name(), " is deprecated"));
  }
  return bound;
}

}  // namespace

OpenedCall open_call(const Request& request, const Settings& settings, AttributeChecks checks) {
  return with_context(request.op.name->name,
                      [&] { return open_operator(request, settings, checks, RangeForm::indices); });
}

Bound bind(const Request& request, const Settings& settings, RangeForm ranges) {
  return with_context(request.op.name->name, [&] { return bind_operator(request, settings, ranges); });
}

}  // namespace tensorop
