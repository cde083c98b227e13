// `why`: explains from which elements of operands the elements of a result are computed.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/output_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "describe/why_picture.hpp"
#include "describe/why_report.hpp"
#include "engine/index_forms.hpp"
#include "engine/stablehlo.hpp"
#include "explain/why.hpp"
#include "explain/why_refusal.hpp"
#include "jobs/call_text.hpp"
#include "jobs/cases.hpp"
#include "ops/fault_text.hpp"
#include "report_options.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kMostElements = 64;   // explained without --at if the result has no more
constexpr std::int64_t kFirstElements = 16;  // explained of a larger result
constexpr int kRefused = 2;                  // the exit status

// Reads coordinates: "3,1", "-1,0", "[3, 1]"; negative ones count from the end. Throws Error.
std::int64_t read_position(const std::string& text, const std::string& tensor, const Shape& shape) {
  const auto refuse = [&](std::string_view what) {
    return Error(cat("--at ", in_quotes(text), " ", what, ": ", tensor, " has the shape ", to_string(shape)));
  };
  const auto strides = row_major_strides(shape);
  std::int64_t position = 0;
  std::size_t d = 0;
  std::string plain = text;
  std::erase(plain, ' ');
  std::string_view rest = plain;
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
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
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    names.push_back(call.operand_name(i));
    if (name == names.back() || name == shown_name(call, i)) return i;
  }
  throw Error(cat("--of ", in_quotes(name), " is not one of ", join(names)));
}

// Prints a JSON document of an explanation.
using Document = std::function<void(Json json, const Failure* error)>;

void explain_operand(const Explainer& explainer, const std::string& name, const std::vector<std::string>& at,
                     const Document& document) {
  const std::size_t operand = read_operand(name, explainer.call());
  std::vector<ArrivedElement> elements;
  for (const std::string& text : at) {
    const OperandElement element{operand, read_position(text, name, shown_shape(explainer.call(), operand))};
    elements.push_back({element, explainer.arrivals(element)});
  }
  if (document) return document(why_json(explainer, elements), nullptr);
  for (const auto& [element, arrivals] : elements) print(why_text(explainer, element, arrivals));
}

void write_picture(const std::string& text, const std::string& path) {
  OutputFile file = path == "-" ? OutputFile::standard_output() : OutputFile::create(path);
  file.append(text_bytes(text));
  file.commit();
}

void explain_result(const Explainer& explainer, const std::vector<std::string>& at,
                    const std::optional<std::string>& svg, const Document& document) {
  const Shape& shape = explainer.output().shape;
  const std::int64_t all = count(shape);
  std::vector<std::int64_t> positions;
  positions.reserve(at.size());
  for (const std::string& text : at) positions.push_back(read_position(text, "the result", shape));
  if (svg) write_picture(svg_text(why_picture(explainer, positions)), *svg);
  if (svg == "-") return;
  if (at.empty()) {
    const std::int64_t shown = all <= kMostElements ? all : kFirstElements;
    for (std::int64_t i = 0; i < shown; ++i) positions.push_back(i);
  }
  const std::vector<ElementOrigin> origins = explainer.origins(positions);
  if (document) return document(why_json(explainer, origins), nullptr);
  print(cat(why_text(explainer, origins), why_shape_text(explainer)));
  if (at.empty() && to_int64(positions.size()) < all)
    print(cat("and ", all - to_int64(positions.size()), " more elements: --at names those to explain\n"));
}

// Returns the operand as given; its name if it comes from a job, or is a range, which StableHLO does not
// have.
std::string operand_word(const Operator& op, const Operand& operand, std::string_view name) {
  const std::string text = operand.shown();
  return text.empty() || range_of(op, operand) != nullptr ? std::string(name) : shell_word(text);
}

// Returns the call in StableHLO: the MLIR attribute, and the command of this program.
std::string stablehlo_text(const Request& request, const Explainer& explainer) {
  const Request same = with_context(explainer.call().name->name,
                                    [&] { return as_stablehlo(explainer.call(), explainer.planned()); });
  std::string out = cat(dimension_numbers(same), "\n");
  std::string command = cat("tensorop ", same.op.name->name);
  for (std::size_t i = 0; i < request.positional.size(); ++i)
    command +=
        cat(" ", operand_word(*request.op.op, request.positional[i], explainer.call().operand_name(i)));
  for (const NamedText& named : request.named)
    command += cat(" --", named.name, " ", operand_word(*request.op.op, named, named.name));
  for (const NamedText& reshape : request.reshapes)
    command += cat(" --reshape ", reshape.name, "=", reshape.text);
  if (request.dtype) command += cat(" --dtype ", *request.dtype);
  command += cat(" --dimension-numbers ", shell_word(dimension_numbers(same)));
  for (const auto& [name, option] :
       {std::pair("slice_sizes", "--slice-sizes"), {"reduction", "--reduction"}}) {
    const auto given = std::ranges::find(same.attributes, name, &NamedText::name);
    if (given == same.attributes.end() || given->text == "none") continue;
    out += cat(name, " = ", given->text, "\n");
    command += cat(" ", option, " ", given->text);
  }
  return cat(out, "run: ", command, "\n");
}

// Returns the call as a command, for a picture; what is written out is shortened.
std::string call_text(const Request& request) {
  constexpr std::size_t kMost = 40;
  const auto word = [&](const Operand& given) {
    const std::string text = given.shown();
    if (text.empty()) return std::string("(tensor)");
    std::size_t end = std::min(kMost, text.size());
    while (end < text.size() && end > 0 && (text[end] & 0xC0) == 0x80) --end;  // not within a character
    return shell_word(end < text.size() ? cat(text.substr(0, end), "...") : text);
  };
  std::string out = cat("tensorop ", request.op.name->name);
  for (const Operand& operand : request.positional) out += cat(" ", word(operand));
  for (const NamedText& named : request.named) out += cat(" --", named.name, " ", word(named));
  for (const NamedText& given : request.attributes)
    out += cat(" ", option_name(given.name), " ", word(given));
  for (const NamedText& reshape : request.reshapes)
    out += cat(" --reshape ", reshape.name, "=", reshape.text);
  if (request.dtype) out += cat(" --dtype ", *request.dtype);
  if (request.spec) out += cat(" --spec ", *request.spec);
  if (request.oob) out += cat(" --oob ", *request.oob);
  return out;
}

// Explains why the call is refused, after its error.
int explain_refusal(const Request& request, const Settings& settings, const Error& error,
                    const std::string& place, const std::string& text, const std::optional<std::string>& svg,
                    const Document& document) {
  const Refusal refusal = why_refused(request, settings, error);
  Failure shown(error);
  if (!place.empty()) shown.add_context(place);
  shown.add_context(kWhy);
  report_error(shown);
  if (svg && !error.rule().empty()) write_picture(refusal_svg(refusal, text), *svg);
  if (svg == "-") return kRefused;
  document ? document(refusal_json(refusal), &refusal.error) : print(refusal_text(refusal));
  return kRefused;
}

// Visits the files that a call reads.
using VisitInputs = std::function<void(const VisitFile& visit)>;

void visit_operands(const Request& request, const VisitFile& visit) {
  for_each_reference(request,
                     [&](const std::string& /*key*/, const Operand& given) { visit(given, "an operand"); });
}

// `place`: the job's location, or empty. Throws Error if the picture would replace an input.
int explain(Request request, const Arguments& arguments, const std::string& place,
            const VisitInputs& visit_inputs) {
  Settings settings = read_settings(arguments);
  std::vector<std::string> warnings;
  keep_warnings(settings, warnings);
  const std::string text = call_text(request);
  if (reads_standard_input(request)) request = with_operands(std::move(request), settings);
  const bool as_json = arguments.has("--json");
  Document document;
  if (as_json) {
    document = [&](Json json, const Failure* error) { print(json.add_end(error, warnings).line()); };
  }
  const auto svg = arguments.value("--svg");
  if (svg == "-" && as_json)
    throw Error("--svg - cannot be combined with --json: both are for standard output");
  if (svg && svg != "-") {
    const std::string what = input_at(*svg, visit_inputs);
    if (!what.empty()) throw Error(cat("--svg ", printable(*svg), " is ", what));
  }
  std::optional<Explainer> explainer;
  try {
    explainer.emplace(request, settings);
  } catch (const Error& error) {
    return explain_refusal(request, settings, error, place, text, svg, document);
  }
  const auto at = arguments.values("--at");
  if (arguments.has("--as")) {
    print(stablehlo_text(request, *explainer));
    return 0;
  }
  try {
    if (const auto of = arguments.value("--of")) {
      explain_operand(*explainer, *of, at, document);
    } else {
      explain_result(*explainer, at, svg, document);
    }
  } catch (const FaultError& error) {
    return explain_refusal(request, settings, error, place, text, svg, document);
  }
  return 0;
}

std::vector<Option> why_options() {
  return {
      {"--at", Heading::others, "I,J,...",
       "an element of the result, or of the operand of --of: 3,1 or [3,1]; negative coordinates count "
       "from the end",
       OptionRules{.repeats = true}},
      json_option("print JSON, for programs"),
      {"--svg", Heading::others, "FILE",
       "also draw the call as a picture in the format SVG; -: to standard output, alone",
       OptionRules{.kind = OptionKind::path, .excludes = "--of"}},
      {"--as", Heading::others, "stablehlo",
       "print the call as StableHLO has it: dimension numbers, and the command to run it",
       OptionRules{.kind = OptionKind::choice, .excludes = "--at --of --svg --json"}},
      {"--of", Heading::others, "OPERAND", "where this element of an operand goes",
       OptionRules{.needs = "--at"}},
  };
}

int explain_job(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no operator given", "", "tensorop ops lists the operators");
  arguments.refuse_operands_after(1, "why takes one file of jobs");
  std::string name = arguments.value("--job").value_or("");
  const auto jobs = read_any_jobs(arguments.operands[0], name);
  const Job& job = find_job(jobs, name);
  return explain(call_of(jobs, job, read_settings(arguments)), arguments, job.location(),
                 [&](const VisitFile& visit) {
                   for (const Job& one : jobs) {
                     visit(Operand::of_path(one.file), "a job file");
                     visit_reads(one, visit);
                   }
                 });
}

}  // namespace

Command why_command(const FoundOperator& found) {
  return {cat("why ", found.name->name),
          {cat("why ", found.op->name, " OPERAND... [OPTION]... [--of OPERAND] [--at I,J]...")},
          "Says from which elements of operands the result is made",
          {cat("tensorop why ", found.op->example.substr(std::string_view("tensorop ").size()))},
          joined({call_options(found), why_options()}),
          [found](const Arguments& arguments) {
            return with_json_error(arguments, [&] {
              const Request request = read_request(found, arguments);
              return explain(request, arguments, "",
                             [&](const VisitFile& visit) { visit_operands(request, visit); });
            });
          },
          found.op};
}

Command why_command() {
  const Option job = {"--job", Heading::others, "NAME",
                      "the job of that name, id or line in the job file JOBS; default: the only one"};
  return {std::string(kWhy),
          {"why OPERATOR OPERAND... [OPTION]... [--of OPERAND] [--at I,J]...",
           "why JOBS [--job NAME] [--of OPERAND] [--at I,J]..."},
          "Says from which elements of operands a result is made",
          {"tensorop why gather '[10,20,30]' '[2,-1]'",
           "tensorop why scatternd data.npy indices.npy updates.npy --at 3,1",
           "tensorop why jobs.jsonl --job resize --at 3,1"},
          joined({{job}, why_options()}),
          [](const Arguments& arguments) {
            return with_json_error(arguments, [&] { return explain_job(arguments); });
          }};
}

}  // namespace tensorop
