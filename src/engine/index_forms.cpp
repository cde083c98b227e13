#include "engine/index_forms.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/index_arrays.hpp"
#include "engine/index_range.hpp"
#include "engine/mask.hpp"
#include "engine/version.hpp"
#include "kernels/index/true_positions.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kIndices = 1;  // the operand that all forms give

bool has(const std::vector<NamedText>& given, std::string_view name) {
  return std::ranges::find(given, name, &NamedText::name) != given.end();
}

// Throws Error [G-8] if the call combines a mask with what it cannot be combined with.
void check_mask_call(const Request& request, const Call& call) {
  const auto refuse = [](std::string_view other) {
    throw Error(cat(kMaskName, " cannot be combined with ", other), kCallRule);
  };
  if (call.strict()) refuse("a specification");
  if (has(request.named, "indices")) refuse("indices");
  if (has(request.attributes, "batch_dims")) refuse("batch_dims");
  if (request.oob) refuse("oob");
}

void check_range_call(const Request& request, const IndexRange& range, const std::string& text) {
  const auto refuse_beside = [&](const std::vector<NamedText>& given, std::string_view name,
                                 std::string_view what) {
    if (has(given, name))
      throw Error(cat(what, " cannot be combined with the range ", in_quotes(text)), kCallRule);
  };
  refuse_beside(request.attributes, "batch_dims", "batch_dims");
  refuse_beside(request.reshapes, "indices", "reshape of indices");
  if (range.step == 0) throw Error(cat("the step of the range ", in_quotes(text), " is 0"), kCallRule);
}

// The texts of each operand of the description, as far as they are named.
std::vector<std::vector<Operand>> named_texts(const Request& request, const Call& call) {
  const auto& specs = call.op->operands;
  std::vector<std::vector<Operand>> out(specs.size());
  for (const NamedText& named : request.named) {
    const bool is_mask = named.name == kMaskName && call.op->mask != MaskUse::none;
    const auto spec =
        is_mask ? specs.begin() + kIndices : std::ranges::find(specs, named.name, &OperandSpec::name);
    if (spec == specs.end()) throw Error(cat("unknown operand ", in_quotes(named.name)), kCallRule);
    auto& texts = out[to_size(spec - specs.begin())];
    if (!texts.empty()) throw Error(cat(named.name, " is given twice"), kCallRule);
    texts.push_back(named);
  }
  return out;
}

// Appends an index array that is a mask, which tensorop lacks: as many positions as elements are true, for
// each of its dimensions. Throws Error if the mask has not the dimensions of data from `axis` on.
void add_mask(const GivenOperand& given, std::size_t axis, const Threads& threads, const Call& call,
              std::vector<Tensor>& arrays) {
  const Shape& mask = given.tensor.shape();
  const Shape& data = call.operands[0].shape();
  if (axis + mask.size() > data.size() ||
      !std::equal(mask.begin(), mask.end(), data.begin() + to_int64(axis)))
    throw Error(cat(given.name, " is a mask of shape ", to_string(mask),
                    "; it must have the dimensions of data ", to_string(data), " from ", axis, " on"));
  if (mask.empty() || given.tensor.data() == nullptr) throw Error(*call.missing);
  const std::int64_t selected = true_positions(given.tensor.viewed_as(DType::boolean), threads).size();
  const Tensor positions(DType::int64, {selected}, std::make_shared<Storage>(selected * 8));
  arrays.insert(arrays.end(), mask.size(), positions);
}

// Index arrays of one call become index tuples.
Tensor tuples_of(const std::vector<GivenOperand>& given, const Settings& settings, Inputs& inputs,
                 Call& call) {
  std::vector<Tensor> arrays;
  std::vector<std::string> names;
  for (const GivenOperand& operand : given) {
    if (operand.place != kIndices) continue;
    const std::size_t axis = arrays.size();
    const DType dtype = operand.tensor.dtype();
    const bool is_mask =
        missing_types(*call.version, type_variable(*call.op, *call.version, kIndices)).contains(dtype);
    // Several arrays are stacked as int64, so their own dtypes must be checked here.
    if (is_mask || operand.type == operand.name) require_dtype(call, kIndices, dtype, operand.name);
    if (is_mask) {
      add_mask(operand, axis, settings.threads, call, arrays);
    } else {
      arrays.push_back(operand.tensor);
    }
    names.resize(arrays.size(), operand.name);
  }
  return stacked(arrays, names, settings, inputs);
}

}  // namespace

bool has_mask(const Request& request) {
  return has(request.named, kMaskName);
}

const IndexRange* range_of(const Operator& op, const Operand& operand) {
  const RangeText* const text = operand.as<RangeText>();
  return op.mask == MaskUse::along_axis && text != nullptr ? &text->range : nullptr;
}

bool is_positional(const GivenOperand& operand, const Operator& op) {
  return operand.name != kMaskName &&
         std::ranges::find(op.operands, operand.name, &OperandSpec::name) == op.operands.end();
}

std::vector<GivenOperand> assign_operands(const Request& request, Call& call) {
  using Kind = IndexForm::Kind;
  const Operator& op = *call.op;
  const auto& specs = op.operands;
  if (call.name->takes_arrays) call.form.kind = Kind::arrays;
  if (has_mask(request)) {
    check_mask_call(request, call);
    call.form.kind = Kind::mask;
  }
  auto texts = named_texts(request, call);
  const std::size_t first = call.name->makes_data ? 1 : 0;
  if (first != 0 && !texts[0].empty())
    throw Error(cat(call.name->name, " has no operand ", specs[0].name, ": ", call.option(kMadeShapeName),
                    " is the shape of zeros in its place"),
                kCallRule);
  auto free = std::count_if(texts.begin() + to_int64(first), texts.end(),
                            [](const auto& own) { return own.empty(); });
  // If there are too few operands, the optional one is left out.
  const auto optional = std::ranges::find(specs, true, &OperandSpec::optional);
  if (optional != specs.end() && std::ssize(request.positional) < free) {
    const auto at = to_size(optional - specs.begin());
    if (texts[at].empty()) {
      texts[at].emplace_back(Tensor(DType::int64, {0}));
      call.left_out = at;
      --free;
    }
  }
  auto next = request.positional.begin();
  for (std::size_t i = first; i < specs.size(); ++i) {
    if (!texts[i].empty()) continue;
    // Index arrays are all operands that the others leave.
    const bool takes_more = call.form.kind == Kind::arrays && i == kIndices;
    std::ptrdiff_t wanted =
        takes_more ? std::max<std::ptrdiff_t>(1, request.positional.end() - next - free + 1) : 1;
    --free;
    for (; wanted > 0 && next != request.positional.end(); --wanted) texts[i].push_back(*next++);
  }
  if (specs.back().variadic) {
    texts.back().insert(texts.back().end(), next, request.positional.end());
    next = request.positional.end();
  }
  std::vector<GivenOperand> out;
  for (std::size_t i = first; i < specs.size(); ++i) {
    // A variadic operator requires only its first operand.
    if (texts[i].empty() && !(specs.back().variadic && i > 0)) {
      throw Error(cat("operand ", specs[i].name, " is missing"), kCallRule,
                  call.from_job ? "" : cat("tensorop ", call.name->name, " --help shows how it is called"));
    }
    const bool is_mask = i == kIndices && call.form.kind == Kind::mask;
    for (Operand& text : texts[i]) {
      const bool is_array = i == kIndices && texts[i].size() > 1 && !specs[i].variadic;
      const std::string number = cat(&text - &texts[i][0] + 1);
      const bool is_first = &text == texts[i].data();
      std::string name = is_mask    ? std::string(kMaskName)
                         : is_array ? cat(specs[i].name, " ", number)
                         : is_first ? std::string(specs[i].name)
                                    : call.operand_name(out.size());
      std::string type(type_variable(op, *call.version, i));
      // Each index array has a dtype of its own.
      if (is_mask || is_array) type = name;
      out.push_back({std::move(text), i, std::move(name), is_mask ? OperandRole::condition : specs[i].role,
                     std::move(type)});
    }
  }
  if (next != request.positional.end()) {
    throw Error(
        cat("unexpected operand ", in_quotes(next->shown()), ": ", op.name, " takes ", specs.size() - first),
        kCallRule,
        has_mask(request) ? cat(call.option(kMaskName), " stands for indices: give no others") : "");
  }
  if (call.version->rules.operands != 0 && out.size() != call.version->rules.operands) {
    throw Error(
        cat(call.version_name("takes"), " ", call.version->rules.operands, " operands, not ", out.size()),
        op.count_rule);
  }
  const bool may_be_range = call.form.kind == Kind::tensor && out.size() > kIndices;
  if (const IndexRange* const range = may_be_range ? range_of(op, out[kIndices].text) : nullptr) {
    check_range_call(request, *range, out[kIndices].text.text);
    call.form.kind = Kind::range;
    out[kIndices].is_range = true;
  }
  return out;
}

void resolve_indices(const std::vector<GivenOperand>& given, RangeForm ranges, const Settings& settings,
                     Inputs& inputs, Call& call) {
  for (const GivenOperand& operand : given) {
    const bool is_next_array = operand.place == kIndices && call.form.kind == IndexForm::Kind::arrays &&
                               call.operands.size() > kIndices;
    if (is_next_array) {
      call.files[kIndices].clear();
      continue;
    }
    call.operands.push_back(operand.tensor);
    call.files.push_back(operand.file);
  }
  switch (call.form.kind) {
    case IndexForm::Kind::arrays:
      call.operands[kIndices] = tuples_of(given, settings, inputs, call);
      break;
    case IndexForm::Kind::mask:
      apply_mask(settings.threads, call);
      break;
    case IndexForm::Kind::range:
      apply_range(*range_of(*call.op, given[kIndices].text), ranges, call);
      break;
    case IndexForm::Kind::tensor:
      break;
  }
}

}  // namespace tensorop
