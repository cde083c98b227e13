#include "engine/attributes.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/source.hpp"
#include "ops/common.hpp"

namespace tensorop {
namespace {

std::vector<std::string> words(std::string_view choices) {
  std::vector<std::string> out;
  while (!choices.empty()) {
    const std::size_t bar = choices.find('|');
    out.emplace_back(choices.substr(0, bar));
    choices.remove_prefix(bar == std::string_view::npos ? choices.size() : bar + 1);
  }
  return out;
}

bool has_word(std::string_view choices, const std::string& word) {
  const auto list = words(choices);
  return std::ranges::find(list, word) != list.end();
}

[[noreturn]] void refuse_choice(const std::string& name, const std::string& text, std::string_view choices,
                                std::string_view rule, const std::string& where, std::string hint) {
  const auto allowed = words(choices);
  const std::string near = nearest(text, allowed);
  if (hint.empty() && !near.empty()) hint = cat("did you mean ", near, "?");
  throw Error(cat(name, " ", printable(text), " is not one of ", join(allowed), where), rule,
              std::move(hint));
}

std::string read_choice(const AttributeSpec& spec, const std::string& text, const Call& call) {
  const std::string rule(spec.rule.empty() ? "G-8" : spec.rule);
  std::string word = lower(text);
  if (!has_word(spec.choices, word)) refuse_choice(std::string(spec.name), text, spec.choices, rule, "", "");
  const AttributeRow* row = find_attribute(*call.version, spec.name);
  if (row == nullptr || row->choices.empty() || has_word(row->choices, word)) return word;
  const std::string versions = versions_where(*call.op, [&](const Version& version) {
    const AttributeRow* other = find_attribute(version, spec.name);
    return other != nullptr && (other->choices.empty() || has_word(other->choices, word));
  });
  refuse_choice(std::string(spec.name), text, row->choices, rule, cat(" in ", call.version_name()),
                cat(word, " is allowed by ", versions));
}

std::int64_t read_integer(std::string_view name, const std::string& text) {
  if (const auto value = parse_int64(text)) return *value;
  throw Error(cat(name, " ", printable(text), " is no whole number"), "G-8");
}

bool read_boolean(const AttributeSpec& spec, const std::string& text) {
  const std::string word = lower(text);
  if (word == "1" || word == "true") return true;
  if (word == "0" || word == "false") return false;
  throw Error(cat(spec.name, " ", printable(text), " is none of 0, 1, true, false"),
              spec.rule.empty() ? "G-8" : spec.rule);
}

// The elements of a rank-1 tensor of integers.
std::vector<std::int64_t> read_list_operand(const AttributeSpec& spec, const std::string& text, bool is_json,
                                            const Call& call) {
  if (text.empty()) throw Error(cat(spec.name, " is empty"), spec.rule);
  Source source = with_context(spec.name, [&] { return Source::open(text, {.is_json = is_json}); });
  if (source.tensor() == nullptr)
    source.resolve(source.fits_any_dtype() ? DType::int64 : source.natural_dtype());
  const Tensor& tensor = *source.tensor();
  const DTypeSet allowed = allowed_types(*call.version, spec.name);
  if (!allowed.contains(tensor.dtype())) {
    throw Error(
        cat(spec.name, " is ", name(tensor.dtype()), "; ", call.version_name(), " allows ", allowed.names()),
        spec.rule);
  }
  if (tensor.rank() != 1) {
    throw Error(cat(spec.name, " has shape ", to_string(tensor.shape()), "; it must be a list"), spec.rule);
  }
  if (tensor.size() > static_cast<std::int64_t>(kMaxRank)) {
    throw Error(cat(spec.name, " has ", tensor.size(), " entries (at most ", kMaxRank, ")"), spec.rule);
  }
  std::vector<std::int64_t> out;
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

std::vector<std::int64_t> read_integers(const AttributeSpec& spec, const std::string& text, bool is_json,
                                        const Call& call) {
  if (!is_plain_list(text)) return read_list_operand(spec, text, is_json, call);
  std::vector<std::int64_t> out;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const auto value = parse_int64(rest.substr(0, comma));
    if (!value) throw Error(cat(spec.name, " ", printable(text), " is no list of whole numbers"), spec.rule);
    out.push_back(*value);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (out.size() > kMaxRank)
    throw Error(cat(spec.name, " has ", out.size(), " entries (at most ", kMaxRank, ")"), spec.rule);
  return out;
}

AttributeValue read_value(const AttributeSpec& spec, const std::string& text, bool is_json,
                          const Call& call) {
  switch (spec.kind) {
    case AttributeKind::integer:
      return read_integer(spec.name, text);
    case AttributeKind::boolean:
    case AttributeKind::flag:
      return read_boolean(spec, text);
    case AttributeKind::choice:
      return read_choice(spec, text, call);
    case AttributeKind::integers:
      return read_integers(spec, text, is_json, call);
  }
  __builtin_unreachable();
}

void require_known(const NamedText& given, const Call& call) {
  const AttributeSpec* spec = find_attribute(*call.op, given.name);
  if (spec == nullptr) {
    std::vector<std::string> names;
    for (const AttributeSpec& attribute : call.op->attributes) names.emplace_back(attribute.name);
    const std::string near = nearest(given.name, names);
    throw Error(cat("no attribute ", printable(given.name)), "G-8",
                near.empty() ? "" : cat("did you mean ", near, "?"));
  }
  if (call.is_given(spec->name)) throw Error(cat(spec->name, " is given twice"), "G-8");
  if (find_attribute(*call.version, spec->name) != nullptr) return;
  throw Error(cat(call.version_name(), " has no attribute ", spec->name), "G-8",
              cat("it is in ", versions_where(*call.op, [&](const Version& version) {
                    return find_attribute(version, spec->name) != nullptr;
                  })));
}

OutOfBounds read_oob(const std::string& text, const Call& call) {
  if (call.op->oob.empty()) throw Error("no attribute oob", "G-8");
  if (call.strict()) throw Error("oob does not go together with a specification", "G-8");
  const std::string word = lower(text);
  if (!has_word(call.op->oob, word)) refuse_choice("oob", text, call.op->oob, "G-8", "", "");
  static constexpr std::pair<std::string_view, OutOfBounds> kNames[] = {
      {"error", OutOfBounds::error}, {"zero", OutOfBounds::zero}, {"clip", OutOfBounds::clip},
      {"wrap", OutOfBounds::wrap},   {"drop", OutOfBounds::drop},
  };
  return std::ranges::find(kNames, word, &std::pair<std::string_view, OutOfBounds>::first)->second;
}

}  // namespace

void bind_attributes(const Request& request, std::string_view preset, Call& call) {
  for (const NamedText& given : request.attributes) {
    require_known(given, call);
    call.given.push_back(given.name);
  }
  if (request.oob) call.oob = read_oob(*request.oob, call);
  for (const AttributeSpec& spec : call.op->attributes) {
    const auto given = std::ranges::find(request.attributes, spec.name, &NamedText::name);
    if (given != request.attributes.end()) {
      call.attributes[std::string(spec.name)] = read_value(spec, given->text, given->is_json, call);
      continue;
    }
    std::string fallback(spec.fallback);
    const AttributeRow* row = find_attribute(*call.version, spec.name);
    if (row != nullptr && !row->fallback.empty()) fallback = row->fallback;
    if (preset.starts_with(cat(spec.name, "="))) fallback = preset.substr(spec.name.size() + 1);
    if (!fallback.empty()) {
      call.attributes[std::string(spec.name)] = read_value(spec, fallback, false, call);
    } else if (spec.required) {
      throw Error(cat("attribute ", spec.name, " is missing"), "G-8");
    }
  }
  if (call.op->check_attributes != nullptr) call.op->check_attributes(call);
}

bool is_plain_list(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789,") == std::string_view::npos;
}

}  // namespace tensorop
