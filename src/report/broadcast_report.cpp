#include "report/broadcast_report.hpp"

#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ops/broadcast_rules.hpp"
#include "report/json.hpp"
#include "report/markup.hpp"

namespace tensorop {
namespace {

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
