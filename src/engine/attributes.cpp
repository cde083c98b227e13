#include "engine/attributes.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/json_string.hpp"
#include "base/text/text.hpp"
#include "engine/operands.hpp"
#include "engine/stablehlo.hpp"
#include "io/opened_file.hpp"
#include "io/source.hpp"
#include "ops/axes.hpp"
#include "ops/index_policy.hpp"

namespace tensorop {
namespace {

[[noreturn]] void refuse_choice(std::string_view name, const std::string& text,
                                const std::vector<std::string>& allowed, std::string_view rule,
                                const std::string& where = {}) {
  const std::string near = where.empty() ? nearest(text, allowed) : "";
  throw Error(cat(name, " ", in_quotes(text), " is not one of ", join(allowed), where), rule,
              near.empty() ? "" : cat("did you mean ", near, "?"));
}

// Returns the index of the word in the choices.
std::size_t find_choice(std::string_view name, const std::string& text, Choices choices,
                        std::string_view rule) {
  const auto found = std::ranges::find(choices, lower(text), &Choice::word);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  refuse_choice(name, text, words_of(choices), rule);
}

ChosenWord read_choice(const AttributeSpec& spec, const std::string& text, Call& call) {
  const AttributeRow* const own = find_attribute(*call.version, spec.name);
  if (own != nullptr && std::ranges::find(own->missing, lower(text)) != own->missing.end()) {
    call.lack(cat(spec.name, " ", lower(text)));
    return {find_choice(spec.name, allowed_words(spec, *call.version)[0], spec.choices, spec.rule)};
  }
  const bool is_known = std::ranges::find(spec.choices, lower(text), &Choice::word) != spec.choices.end();
  if (!is_known && !call.strict())
    refuse_choice(spec.name, text, allowed_words(spec, *call.version), spec.rule);
  const std::size_t at = find_choice(spec.name, text, spec.choices, spec.rule);
  const std::string_view word = spec.choices[at].word;
  // The default is also valid in a version without the attribute.
  const bool is_allowed =
      own == nullptr || own->choices.empty() || std::ranges::find(own->choices, word) != own->choices.end();
  if (is_allowed) return {at};
  refuse_choice(spec.name, text, allowed_words(spec, *call.version), spec.rule,
                cat(" in ", call.version_name()));
}

std::int64_t read_integer(const AttributeSpec& spec, const std::string& text, const Call& call) {
  const auto value = parse_int64(text);
  const AttributeRow* const own = find_attribute(*call.version, spec.name);
  if (value && *value < 0 && own != nullptr && own->non_negative)
    throw Error(cat(spec.name, " ", *value, " is negative; ", call.version_name("counts"),
                    " it from the front alone"),
                "AX-3");
  if (value) return *value;
  throw Error(cat(spec.name, " ", in_quotes(text), " is not an integer"), spec.rule);
}

bool read_boolean(const AttributeSpec& spec, const std::string& text) {
  const std::string word = lower(text);
  if (word == "1" || word == "true") return true;
  if (word == "0" || word == "false") return false;
  throw Error(cat(spec.name, " ", in_quotes(text), " is not one of 0, 1, true, false"), spec.rule);
}

// Throws Error for a text such as "(2,3)", the form in which shapes are shown, unless a file has that name.
void require_no_tuple(const AttributeSpec& spec, const Operand& given) {
  const std::string& text = given.text;
  if (!text.starts_with('(') || !text.ends_with(')') || names_file(given)) return;
  std::string inner = text.substr(1, text.size() - 2);
  std::erase(inner, ' ');
  if (inner.ends_with(',')) inner.pop_back();
  if (inner.empty()) inner = "[]";
  throw Error(cat(spec.name, " ", in_quotes(text), " is not a list of integers"), spec.rule,
              inner == "[]" || is_plain_list(inner) ? cat("did you mean ", inner, "?") : "");
}

// Reads the elements of a rank-1 tensor of integers.
Shape read_list_operand(const AttributeSpec& spec, const NamedText& given, const Format* text_format,
                        Inputs& inputs, const Call& call) {
  if (!given.is_tensor() && given.text.empty()) throw Error(cat(spec.name, " is empty"), spec.rule);
  require_no_tuple(spec, given);
  Source source = with_context(spec.name, [&] { return open_operand(given, {.text_format = text_format}); });
  inputs.add(source.mapping());
  if (source.tensor() == nullptr)
    source.resolve(source.fits_any_dtype() ? DType::int64 : source.natural_dtype());
  const Tensor& tensor = *source.tensor();
  DTypeSet allowed = allowed_types(*call.version, spec.name);
  if (allowed == DTypeSet()) allowed = kIntegerTypes;  // the publisher has a list here, not a tensor
  if (!allowed.contains(tensor.dtype())) {
    throw Error(
        cat(spec.name, " is ", name(tensor.dtype()), "; ", call.version_name("allows"), " ", allowed.names()),
        spec.rule);
  }
  if (tensor.rank() != 1) {
    throw Error(cat(spec.name, " has shape ", to_string(tensor.shape()), "; its rank must be 1"), spec.rule);
  }
  if (tensor.size() > static_cast<std::int64_t>(kMaxRank)) {
    throw Error(cat(spec.name, " has ", tensor.size(), " entries (at most ", kMaxRank, ")"), spec.rule);
  }
  Shape out;
  dispatch(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      for (std::int64_t i = 0; i < tensor.size(); ++i) {
        const T value = tensor.as<T>()[i];
        if (!std::in_range<std::int64_t>(value))
          throw Error(cat(spec.name, "[", i, "] = ", value, " is too large"), spec.rule);
        out.push_back(static_cast<std::int64_t>(value));
      }
    }
  });
  return out;
}

Shape read_integers(const AttributeSpec& spec, const NamedText& given, const Format* text_format,
                    Inputs& inputs, const Call& call) {
  if (!is_plain_list(given.text)) return read_list_operand(spec, given, text_format, inputs, call);
  auto out = parse_list(given.text);
  if (!out) throw Error(cat(spec.name, " ", in_quotes(given.text), " is not a list of integers"), spec.rule);
  if (out->size() > kMaxRank)
    throw Error(cat(spec.name, " has ", out->size(), " entries (at most ", kMaxRank, ")"), spec.rule);
  return std::move(*out);
}

decltype(Attribute::value) read_value(const AttributeSpec& spec, const NamedText& given,
                                      const Format* text_format, Inputs& inputs, Call& call) {
  switch (spec.kind) {
    case AttributeKind::integer:
      return read_integer(spec, given.text, call);
    case AttributeKind::boolean:
    case AttributeKind::flag:
      return read_boolean(spec, given.text);
    case AttributeKind::choice:
      return read_choice(spec, given.text, call);
    case AttributeKind::integers:
      return read_integers(spec, given, text_format, inputs, call);
    case AttributeKind::dimension_numbers:
      return {};
    case AttributeKind::element:
      return ElementValue{given.text};
  }
  __builtin_unreachable();
}

// Returns the description of the attribute that `given` names.
const AttributeSpec& find_known(const NamedText& given, const Call& call) {
  if (const AttributeSpec* spec = find_attribute(*call.op, given.name)) return *spec;
  std::vector<std::string> names;
  for (const AttributeSpec& attribute : call.op->attributes) names.emplace_back(attribute.name);
  const std::string near = nearest(given.name, names);
  throw Error(cat("unknown attribute ", in_quotes(given.name)), kCallRule,
              near.empty() ? "" : cat("did you mean ", near, "?"));
}

OutOfBounds read_oob(const std::string& text, const Call& call) {
  if (call.op->oob.empty()) throw Error("unknown attribute 'oob'", kCallRule);
  if (call.strict()) throw Error("oob cannot be combined with a specification", kCallRule);
  return static_cast<OutOfBounds>(call.op->oob[find_choice("oob", text, call.op->oob, kCallRule)].value);
}

Duplicates read_duplicates(const std::string& text, const Call& call) {
  const Choices choices = call.op->duplicates;
  if (choices.empty()) throw Error("unknown attribute 'duplicates'", kCallRule);
  return static_cast<Duplicates>(choices[find_choice("duplicates", text, choices, kCallRule)].value);
}

// Reads a value as in JSON; strings, NaN and infinities may be without quotes.
Tensor read_element(const std::string& text, DType dtype) {
  const bool is_word = text == "NaN" || text == "Infinity" || text == "-Infinity";
  std::string json;
  if (is_word || dtype == DType::string) append_json_string(json, text);
  if (json.empty()) json = text;
  if (kComplexTypes.contains(dtype) && !json.starts_with('[')) json = cat("[", json, ",0]");
  Source source = Source::of_json({json}, {});
  if (source.tensor() == nullptr) source.resolve(dtype);
  return *source.tensor();
}

}  // namespace

void bind_attributes(const Request& request, Inputs& inputs, Call& call) {
  const auto specs = call.op->attributes;
  call.attributes.resize(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    call.attributes[i].in_version = find_attribute(*call.version, specs[i].name) != nullptr;
  }
  const std::vector<NamedText> texts = with_dimension_numbers(request.attributes, *call.op);
  for (const NamedText& given : texts) {
    const AttributeSpec& spec = find_known(given, call);
    Attribute& attribute = call.attributes[static_cast<std::size_t>(&spec - specs.data())];
    if (attribute.is_given) throw Error(cat(spec.name, " is given twice"), kCallRule);
    if (!attribute.in_version) {
      throw Error(cat(call.version_name("has"), " no attribute ", spec.name), kCallRule);
    }
    if (call.name->fixes(spec.name) && lower(given.text) != call.name->preset.text)
      throw Error(cat(call.name->name, " means ", spec.name, " ", call.name->preset.text, ", not ",
                      in_quotes(given.text)),
                  kCallRule);
    attribute.is_given = true;
  }
  call.oob = request.oob ? read_oob(*request.oob, call) : call.version->rules.index.out_of_bounds;
  if (request.duplicates) call.duplicates = read_duplicates(*request.duplicates, call);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const AttributeSpec& spec = specs[i];
    Attribute& attribute = call.attributes[i];
    if (attribute.is_given) {
      const auto given = std::ranges::find(texts, spec.name, &NamedText::name);
      attribute.value = read_value(spec, *given, request.text_format, inputs, call);
    } else if (const auto text = default_text(spec, *call.name, *call.version); !text.empty()) {
      attribute.value = read_value(spec, {std::string(spec.name), std::string(text)}, nullptr, inputs, call);
    } else if (spec.required) {
      throw Error(cat("attribute ", spec.name, " is missing"), kCallRule);
    }
  }
  for (const AttributeRow& row : call.version->attributes) {
    Attribute& attribute = call.attributes[to_size(find_attribute(*call.op, row.name) - specs.data())];
    if (!row.required || attribute.is_given) continue;
    if (is_flat(call)) {  // flat data has one axis
      attribute.value = std::int64_t{0};
      continue;
    }
    const bool may_be_flat = find_attribute(*call.version, kFlatSpec.name) != nullptr;
    throw Error(cat("attribute ", row.name, " is missing: ", call.version_name("has"), " no default"),
                kCallRule, may_be_flat ? cat(call.option(kFlatSpec.name), " counts elements") : "");
  }
}

void read_elements(Call& call) {
  const DType dtype = call.operands[0].dtype();
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    const AttributeSpec& spec = call.op->attributes[i];
    Attribute& attribute = call.attributes[i];
    const bool needs_default = spec.name == kFillValueSpec.name && attribute.in_version && call.strict() &&
                               index_policy(call).out_of_bounds == OutOfBounds::fill;
    if (needs_default && !attribute.is_given) attribute.value = ElementValue{default_fill(dtype)};
    if (auto* const value = std::get_if<ElementValue>(&attribute.value)) {
      try {
        value->element = read_element(value->text, dtype);
      } catch (const Error& error) {
        throw Error(cat(spec.name, ": ", error.what()), spec.rule);
      }
      if (value->element.rank() != 0) throw Error(cat(spec.name, " is not one value"), spec.rule);
    }
  }
}

std::optional<Shape> parse_list(std::string_view text) {
  Shape out;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto value = parse_int64(text.substr(0, comma));
    if (!value) return std::nullopt;
    out.push_back(*value);
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

std::string list_text(const Shape& list) {
  std::vector<std::string> numbers;
  for (const std::int64_t number : list) numbers.push_back(cat(number));
  return numbers.empty() ? "[]" : join(numbers, ",");
}

bool is_plain_list(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789,-") != std::string_view::npos) return false;
  // A dash inside a number belongs to a file name.
  for (std::size_t at = text.find('-'); at != std::string_view::npos; at = text.find('-', at + 1)) {
    const bool begins_number = at == 0 || text[at - 1] == ',';
    if (!begins_number || at + 1 == text.size() || text[at + 1] == ',') return false;
  }
  return true;
}

}  // namespace tensorop
