// `why`: from which elements of the operands each element of a result is made.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "engine/why.hpp"
#include "report/why_report.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kMostElements = 64;   // explained without --at, all of them
constexpr std::int64_t kFirstElements = 16;  // of more

// "3,1", "-1,0": coordinates in `shape`; negative ones count from the end. Throws Error.
std::int64_t read_position(const std::string& text, const std::string& tensor, const Shape& shape) {
  const auto refuse = [&](std::string_view what) {
    return Error(cat("--at ", in_quotes(text), " ", what, ": ", tensor, " has the shape ", to_string(shape)));
  };
  const auto strides = row_major_strides(shape);
  std::int64_t position = 0;
  std::size_t d = 0;
  std::string_view rest = text;
  for (; !rest.empty(); ++d) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto value = parse_int64(rest.substr(0, comma));
    if (!value) throw refuse("is not a list of integers");
    if (d >= shape.size()) throw refuse("has too many coordinates");
    if (*value < -shape[d] || *value >= shape[d]) throw refuse(cat("is out of range on axis ", d));
    position += (*value < 0 ? *value + shape[d] : *value) * strides[d];
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (d < shape.size()) throw refuse("has too few coordinates");
  return position;
}

std::size_t read_operand(const std::string& name, const Call& call) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < call.operands.size(); ++i) names.push_back(call.operand_name(i));
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw Error(cat("--of ", in_quotes(name), " is not one of ", join(names)));
  return static_cast<std::size_t>(found - names.begin());
}

void explain_operand(const Explainer& explainer, const std::string& name, const std::vector<std::string>& at,
                     bool as_json) {
  const std::size_t operand = read_operand(name, explainer.call());
  if (at.empty()) throw Error("--of needs --at");
  for (const std::string& text : at) {
    const OperandElement element{operand,
                                 read_position(text, name, explainer.call().operands[operand].shape())};
    const Arrivals arrivals = explainer.arrivals(element);
    print(as_json ? why_json(explainer, element, arrivals) : why_text(explainer, element, arrivals));
  }
}

void explain_result(const Explainer& explainer, const std::vector<std::string>& at, bool as_json) {
  const Shape& shape = explainer.output().shape;
  const std::int64_t all = count(shape);
  std::vector<std::int64_t> positions;
  for (const std::string& text : at) positions.push_back(read_position(text, "the result", shape));
  if (at.empty()) {
    const std::int64_t shown = all <= kMostElements ? all : kFirstElements;
    for (std::int64_t i = 0; i < shown; ++i) positions.push_back(i);
  }
  const std::vector<ElementOrigin> origins = explainer.origins(positions);
  if (as_json) {
    print(why_json(explainer, origins));
    return;
  }
  print(cat(why_text(explainer, origins), why_shape_text(explainer)));
  if (at.empty() && to_int64(positions.size()) < all)
    print(cat("and ", all - to_int64(positions.size()), " more elements: --at names those to explain\n"));
}

}  // namespace

Command why_command(const FoundOperator& found) {
  const Command call = operator_command(found);
  std::vector<Option> options = call_options(found);
  options.push_back(
      {"--at", OptionKind::values, "I,J,...",
       "an element of the result, or of the operand of --of; negative coordinates count from the end"});
  options.push_back({"--json", OptionKind::flag, "", "print JSON, for programs"});
  options.push_back({"--of", OptionKind::value, "OPERAND", "where this element of an operand goes"});
  return {cat("why ", found.name->name),
          {cat("why ", found.op->name, " OPERAND... [OPTION]... [--of OPERAND] [--at I,J]...")},
          "Says from which elements of the operands each element of the result is made, and why",
          {cat("tensorop why ", found.op->example.substr(std::string_view("tensorop ").size()))},
          std::move(options),
          [found](const Arguments& arguments) {
            const Explainer explainer(read_request(found, arguments), read_settings(arguments));
            const auto at = arguments.values("--at");
            if (const auto of = arguments.value("--of")) {
              explain_operand(explainer, *of, at, arguments.has("--json"));
            } else {
              explain_result(explainer, at, arguments.has("--json"));
            }
            return 0;
          }};
}

Command why_command() {
  return {std::string(kWhy),
          {"why OPERATOR OPERAND... [OPTION]... [--of OPERAND] [--at I,J]..."},
          "Says from which elements of the operands each element of a result is made, and why",
          {"tensorop why gather '[10,20,30]' '[2,-1]'",
           "tensorop why scatternd data.npy indices.npy updates.npy --at 3,1"},
          {},
          [](const Arguments&) -> int {
            throw Error("no operator given", "", "tensorop ops lists the operators");
          }};
}

}  // namespace tensorop
