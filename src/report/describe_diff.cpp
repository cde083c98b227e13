// What two versions of an operator differ in, and which broadcasting rules accept shapes.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "ops/broadcast_rules.hpp"
#include "report/describe.hpp"
#include "report/json.hpp"
#include "report/markup.hpp"

namespace tensorop {
namespace {

// What one version has, the other has not; or both have it otherwise.
struct VersionChange {
  std::string what;
  std::string from;
  std::string to;
};

std::string attribute_text(const Operator& op, const Version& version, const AttributeSpec& spec) {
  const AttributeRow* const row = find_attribute(version, spec.name);
  if (row == nullptr) return {};
  const std::string_view by_default = default_text(spec, op.names[0], version);
  const std::string choices = spec.choices.empty() ? "" : join(allowed_words(spec, version));
  const std::string end = spec.required        ? "required"
                          : by_default.empty() ? "no default"
                                               : cat("default ", by_default);
  return cat(choices, choices.empty() ? "" : "; ", end);
}

// The reasons for which the publisher leaves elements open.
std::string open_list(const Operator& op, const Version& version) {
  std::vector<std::string> reasons;
  for (const OpenRow& row : op.open) {
    if (row.framework == version.framework) reasons.emplace_back(reason_text(row.reason));
  }
  return join(reasons, "; ");
}

std::vector<VersionChange> changes_between(const Operator& op, const Version& from, const Version& to) {
  std::vector<VersionChange> out;
  const auto add = [&](std::string what, std::string before, std::string after) {
    if (before != after) out.push_back({std::move(what), std::move(before), std::move(after)});
  };
  add("name", std::string(from.published), std::string(to.published));
  add("deprecated", from.deprecated ? "yes" : "", to.deprecated ? "yes" : "");
  std::vector<std::string_view> types;
  for (const Version* version : {&from, &to}) {
    for (const TypeRow& row : version->types)
      if (std::ranges::find(types, row.type) == types.end()) types.push_back(row.type);
  }
  for (const std::string_view type : types) {
    const DTypeSet before = allowed_types(from, type);
    const DTypeSet after = allowed_types(to, type);
    add(cat("dtypes of ", type), before.without(after).names(), after.without(before).names());
  }
  for (const AttributeSpec& spec : op.attributes)
    add(cat("attribute ", spec.name), attribute_text(op, from, spec), attribute_text(op, to, spec));
  add("indices", words_of(op, from).indices, words_of(op, to).indices);
  const auto operands = [](const Version& version) {
    return version.operands == 0 ? "" : cat(int{version.operands});
  };
  add("operands", operands(from), operands(to));
  for (std::size_t i = 0; i < op.traits.size(); ++i) {
    const auto trait = [&](const Version& version) {
      return (version.traits >> i & 1U) != 0 ? std::string(op.traits[i]) : "";
    };
    add("rule", trait(from), trait(to));
  }
  add("left open", open_list(op, from), open_list(op, to));
  return out;
}

using NamedShapes = std::vector<NamedShape>;

struct NamedRule {
  std::string_view name;
  std::string_view used_by;
  // The shape of the result. Throws Error.
  Shape (*result)(const NamedShapes& shapes);
  bool takes_two = true;  // or else any number
};

constexpr NamedRule kNamedRules[] = {
    {"numpy",
     "element-wise operators of ONNX from opset 7 on and of OpenVINO by default, where, expand, broadcast "
     "--mode bidirectional",
     [](const NamedShapes& shapes) { return merge_shapes(shapes, "BC-M1"); }, false},
    {"none", "--auto-broadcast none, ONNX opsets 1-6 without --broadcast 1",
     [](const NamedShapes& shapes) {
       require_identical(shapes, "BC-N1");
       return shapes[0].shape;
     },
     false},
    {"pdpd", "--auto-broadcast pdpd of OpenVINO, broadcast --mode pdpd; b inside a, aligned on the right",
     [](const NamedShapes& shapes) {
       (void)pdpd_axes(shapes[0], shapes[1], -1);
       return shapes[0].shape;
     }},
    {"legacy", "--broadcast 1 of ONNX opsets 1-6; b inside a, aligned on the right",
     [](const NamedShapes& shapes) {
       (void)legacy_axes(shapes[0], shapes[1], std::nullopt);
       return shapes[0].shape;
     }},
    {"a to b", "broadcast --mode numpy, with a as data and b as the target shape",
     [](const NamedShapes& shapes) {
       require_unidirectional(shapes[0], shapes[1]);
       return shapes[1].shape;
     }},
    {"b to a", "the same, with b as data and a as the target shape",
     [](const NamedShapes& shapes) {
       require_unidirectional(shapes[1], shapes[0]);
       return shapes[0].shape;
     }},
};

struct RuleAnswer {
  const NamedRule* rule;
  std::optional<Shape> shape = {};
  std::optional<Error> error = {};
};

std::vector<RuleAnswer> answers_for(const std::vector<Shape>& shapes) {
  NamedShapes named;
  for (const Shape& shape : shapes) {
    const auto letter = static_cast<char>('a' + named.size() % 26);
    named.push_back({std::string(1, letter), shape});
  }
  std::vector<RuleAnswer> out;
  for (const NamedRule& rule : kNamedRules) {
    if (rule.takes_two && shapes.size() != 2) continue;
    RuleAnswer& answer = out.emplace_back(RuleAnswer{&rule});
    try {
      answer.shape = rule.result(named);
    } catch (const Error& error) {
      answer.error = error;
    }
  }
  return out;
}

}  // namespace

std::string describe_diff(const Operator& op, const Version& from, const Version& to) {
  std::string out = cat(op.name, ": ", words_of(op, from).title, " -> ", words_of(op, to).title, "\n");
  const auto columns = static_cast<std::size_t>(text_columns());
  const auto changes = changes_between(op, from, to);
  const auto line = [&](std::string_view sign, const VersionChange& change, const std::string& text) {
    if (!text.empty())
      out += cat("  ", wrapped(cat(sign, " ", change.what, ": ", text), columns - 2, 6), "\n");
  };
  for (const VersionChange& change : changes) {
    line("-", change, change.from);
    line("+", change, change.to);
  }
  return out + (changes.empty() ? "  no difference\n" : "");
}

std::string describe_diff_json(const Operator& op, const Version& from, const Version& to) {
  const auto change_json = [](const VersionChange& change) {
    return Json::object()
        .add("what", change.what)
        .add("from", Json::or_null(change.from))
        .add("to", Json::or_null(change.to));
  };
  return Json::document()
      .add("operator", op.name)
      .add("from", words_of(op, from).spec)
      .add("to", words_of(op, to).spec)
      .add("changes", Json::list(changes_between(op, from, to), change_json))
      .add_end()
      .line();
}

std::string broadcast_text(const std::vector<Shape>& shapes) {
  std::string out;
  for (const RuleAnswer& answer : answers_for(shapes)) {
    out += padded(answer.rule->name, 8);
    out += answer.shape ? cat("yes  ", to_string(*answer.shape))
                        : cat("no   ", std::string_view(answer.error->what()));
    out += cat("\n             ", answer.rule->used_by, "\n");
  }
  return out;
}

std::string broadcast_json(const std::vector<Shape>& shapes) {
  const auto shape_json = [](const Shape& shape) { return Json::list(shape); };
  const auto answer_json = [&](const RuleAnswer& answer) {
    return Json::object()
        .add("rule", answer.rule->name)
        .add("used_by", answer.rule->used_by)
        .add("shape", answer.shape ? shape_json(*answer.shape) : Json())
        .add("error", error_json(answer.error ? &*answer.error : nullptr));
  };
  return Json::document()
      .add("shapes", Json::list(shapes, shape_json))
      .add("rules", Json::list(answers_for(shapes), answer_json))
      .add_end()
      .line();
}

}  // namespace tensorop
