#include "engine/bind.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/attributes.hpp"
#include "engine/operands.hpp"
#include "engine/version.hpp"
#include "io/source.hpp"
#include "ops/common.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

// The operand texts in the order of the description: named ones in their places, the others in what is left.
std::vector<OperandText> place_operands(const Request& request, const Call& call) {
  const Operator& op = *call.op;
  const auto& specs = op.operands;
  std::vector<std::optional<OperandText>> places(specs.size());
  for (const NamedText& named : request.named) {
    const auto spec = std::ranges::find(specs, named.name, &OperandSpec::name);
    if (spec == specs.end()) throw Error(cat("no operand ", printable(named.name)), "G-8");
    auto& place = places[static_cast<std::size_t>(spec - specs.begin())];
    if (place) throw Error(cat(named.name, " is given twice"), "G-8");
    place = OperandText(named.text, named.is_json);
  }
  auto next = request.positional.begin();
  for (auto& place : places) {
    if (!place && next != request.positional.end()) place = *next++;
  }
  std::vector<OperandText> texts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    // A variadic operator is content with its first operand.
    if (!places[i] && specs.back().variadic && i > 0) break;
    if (!places[i]) throw Error(cat("operand ", specs[i].name, " is missing"), "G-8");
    texts.push_back(*places[i]);
  }
  if (next != request.positional.end() && !specs.back().variadic) {
    throw Error(cat("unexpected operand ", printable(next->text), ": ", op.name, " takes ", specs.size()),
                "G-8");
  }
  texts.insert(texts.end(), next, request.positional.end());
  if (call.version->operands != 0 && texts.size() != call.version->operands) {
    throw Error(cat(call.version_name(), " takes ", call.version->operands, " operands, not ", texts.size()),
                "EW-1");
  }
  return texts;
}

OperandRole role_of(const Call& call, std::size_t i) {
  return call.op->operands[std::min(i, call.op->operands.size() - 1)].role;
}

std::string_view type_of(const Call& call, std::size_t i) {
  return type_variable(*call.op, *call.version, i);
}

void require_one_standard_input(const std::vector<OperandText>& texts, const Request& request) {
  if (std::ranges::count(texts, "-", &OperandText::text) +
          std::ranges::count(request.attributes, "-", &NamedText::text) >
      1) {
    throw Error("standard input can be one operand only");
  }
}

std::vector<Source> open_operands(const std::vector<OperandText>& texts, const Request& request,
                                  const Settings& settings, const Call& call) {
  std::vector<Source> sources;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& [text, is_json] = texts[i];
    const Source::Options options{
        .header_only = request.dry_run, .allow_abstract = request.dry_run, .is_json = is_json};
    sources.push_back(with_context(
        call.operand_name(i), [&, &operand = text] { return open_operand(operand, options, settings); }));
  }
  return sources;
}

void resolve_untyped(std::vector<Source>& sources, const Request& request, const Call& call) {
  std::optional<DType> named;
  if (request.dtype) {
    named = parse_dtype(*request.dtype);
    if (!named) {
      throw Error(cat("dtype ", printable(*request.dtype), " is not one of ", kAllTypes.names()), "G-8");
    }
  }
  std::map<std::string_view, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < sources.size(); ++i) groups[type_of(call, i)].push_back(i);
  for (const auto& [type, members] : groups) {
    const OperandRole role = role_of(call, members[0]);
    const bool asked = role == OperandRole::data && named;
    std::vector<const Source*> group;
    for (const std::size_t i : members) group.push_back(&sources[i]);
    const DType common = common_dtype(group, asked ? named : std::nullopt,
                                      role == OperandRole::condition ? DType::boolean : DType::int64);
    for (const std::size_t i : members) {
      Source& source = sources[i];
      if (source.tensor() != nullptr) continue;
      const DType dtype = asked ? *named : adapts(source, common) ? common : source.natural_dtype();
      with_context(call.operand_name(i), [&] { source.resolve(dtype); });
    }
  }
}

// T-1, T-2, IX-3 and WH-1.
void check_dtypes(const Call& call) {
  const auto refuse = [&](std::size_t i, DTypeSet allowed, std::string_view rule) {
    const DType dtype = call.operands[i].dtype();
    const std::string others = versions_where(*call.op, [&](const Version& version) {
      return allowed_types(version, type_variable(*call.op, version, i)).contains(dtype);
    });
    throw Error(cat(call.operand_name(i), " is ", name(dtype), "; ", call.version_name(), " allows ",
                    allowed.names()),
                rule, others.empty() ? "" : cat(name(dtype), " is allowed by ", others));
  };
  const auto each = [&](OperandRole role, std::string_view rule) {
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      const DTypeSet allowed = allowed_types(*call.version, type_of(call, i));
      if (role_of(call, i) == role && !allowed.contains(call.operands[i].dtype())) refuse(i, allowed, rule);
    }
  };
  each(OperandRole::data, "T-1");
  // The first operand of each type variable: the others are compared with it, however many there are.
  std::map<std::string_view, std::size_t> firsts;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const std::size_t first = firsts.emplace(type_of(call, i), i).first->second;
    if (call.operands[i].dtype() == call.operands[first].dtype()) continue;
    throw Error(
        cat(call.operand_name(i), " is ", name(call.operands[i].dtype()), ", ", call.operand_name(first),
            " is ", name(call.operands[first].dtype()), "; they must have the same dtype"),
        "T-2");
  }
  each(OperandRole::indices, "IX-3");
  each(OperandRole::condition, "WH-1");
}

Bound bind_operator(const Request& request, const Settings& settings) {
  const FoundOperator& found = request.op;
  Call call;
  call.op = found.op;
  call.called_as = found.name->name;
  const Spec spec = parse_spec(request.spec);
  call.opset = spec.opset;
  call.version = &find_version(*found.op, *found.name, spec);
  const auto texts = place_operands(request, call);
  require_one_standard_input(texts, request);
  bind_attributes(request, found.name->preset, call);
  auto sources = open_operands(texts, request, settings, call);
  resolve_untyped(sources, request, call);
  for (const Source& source : sources) call.operands.push_back(*source.tensor());
  check_dtypes(call);
  OutputInfo output = found.op->infer(call);
  require_fits(output.shape, element_size(output.dtype));
  if (output.shape.size() > kMaxRank) {
    throw Error(cat("the result would have rank ", output.shape.size(), " (at most ", kMaxRank, ")"), "G-2");
  }
  if (call.version->deprecated && settings.warn) {
    settings.warn(cat(found.name->name, ": ", call.version_name(), " is deprecated"));
  }
  return {std::move(call), std::move(output)};
}

}  // namespace

Bound bind(const Request& request, const Settings& settings) {
  return with_context(request.op.name->name, [&] { return bind_operator(request, settings); });
}

}  // namespace tensorop
