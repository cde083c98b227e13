// An operator called by its name: makes options from the operator's description, and a request from the
// options that were given.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "describe/describe.hpp"
#include "describe/portability_report.hpp"
#include "engine/index_forms.hpp"
#include "explain/portability.hpp"
#include "team.hpp"

namespace tensorop {
namespace {

OptionKind kind_of(const AttributeSpec& attribute) {
  const bool is_flag = attribute.kind == AttributeKind::flag || attribute.kind == AttributeKind::boolean;
  return is_flag ? OptionKind::value_flag : OptionKind::text;
}

std::string value_name(const AttributeSpec& attribute) {
  constexpr std::string_view kNames[] = {"N", "true|false", "true|false", "", "2,3,4|FILE", "TEXT", "VALUE"};
  if (attribute.kind == AttributeKind::choice) return join(words_of(attribute.choices), "|");
  return std::string(kNames[static_cast<std::size_t>(attribute.kind)]);
}

Option mask_option(MaskUse use) {
  return {option_name(kMaskName), Heading::operands, "OPERAND",
          use == MaskUse::along_axis
              ? "instead of indices: a bool tensor of rank 1, as long as the axis; its true positions "
                "are the indices; not with --spec"
              : "instead of indices: a bool tensor of the leading dimensions of data; each true "
                "element is an index tuple; not with --spec"};
}

bool has_onnx_version(const Operator& op) {
  return std::ranges::find(op.versions, Framework::onnx, &Version::framework) != op.versions.end();
}

}  // namespace

std::vector<Option> call_options(const FoundOperator& found) {
  const Operator& op = *found.op;
  std::vector<Option> options;
  for (const OperandSpec& operand : op.operands) {
    options.push_back({option_name(operand.name), Heading::operands, "OPERAND", std::string(operand.help)});
  }
  if (op.mask != MaskUse::none) options.push_back(mask_option(op.mask));
  for (const AttributeSpec& attribute : op.attributes) {
    options.push_back(
        {option_name(attribute.name), Heading::attributes, value_name(attribute), std::string(attribute.help),
         OptionRules{.kind = kind_of(attribute),
                     .by_default = std::string(default_text(attribute, *found.name, op.versions.front()))}});
  }
  if (!op.oob.empty()) {
    options.push_back({"--oob", Heading::semantics, join(words_of(op.oob), "|"),
                       "what happens to an index out of range; not with --spec",
                       OptionRules{.by_default = std::string(default_oob(op))}});
  }
  if (!op.duplicates.empty()) {
    options.push_back({"--duplicates", Heading::semantics, join(words_of(op.duplicates), "|"),
                       "what happens to a second update of an element without a reduction",
                       OptionRules{.by_default = "last"}});
  }
  const std::vector<Option> of_all = {
      {"--spec", Heading::semantics, join(spec_forms(), "|"), "use and enforce this version of the operator"},
      {"--reshape", Heading::reading, "NAME=SHAPE",
       "use another shape for the operand of that name, as in data=2,-1; -1: computed from the number "
       "of elements",
       OptionRules{.repeats = true}},
      {"--dtype", Heading::reading, "DTYPE",
       "dtype of data operands that are untyped JSON or NPY data of a small dtype (V1)"},
      input_option(),
  };
  return joined({options, of_all});
}

namespace {

std::vector<Option> operator_options(const FoundOperator& found) {
  const Operator& op = *found.op;
  std::vector<Option> options = {
      {"--dry-run", Heading::result, "", "print dtype and shape of the result; read only headers"},
      {"--only", Heading::semantics, "PUBLISHER,...", "with --spec all: versions of these alone"},
      json_option("with --spec all: print JSON, for programs"),
      explain_plan_option(),
  };
  if (!op.open.empty()) {
    options.push_back({"--open-mask", Heading::result, "FILE",
                       "also write a bool tensor, true where the version leaves an element unspecified",
                       OptionRules{.kind = OptionKind::path,
                                   .needs = "--spec",
                                   .hint = "the default semantics leave nothing open"}});
  }
  if (has_onnx_version(op)) {
    options.push_back(
        case_option("with --spec onnx-N: write an ONNX case folder, of model.onnx, the operands and the "
                    "result; without --output the result goes nowhere else"));
  }
  std::vector<Option> of_call = call_options(found);
  std::ranges::find(of_call, "--spec", &Option::name)->help +=
      "; all, or a publisher without a number: compare all versions";
  return joined({of_call, options, output_options()});
}

std::string operator_usage(const Operator& op) {
  std::string usage(op.name);
  for (const OperandSpec& operand : op.operands) {
    const std::string own = cat(option_name(operand.name), " OPERAND", operand.variadic ? "..." : "");
    usage += operand.optional ? cat(" [", own, "]") : cat(" ", own);
  }
  return usage + " [OPTION]... [-o FILE]";
}

// Returns a value that the attribute may have.
std::string_view example_value(const AttributeSpec& attribute) {
  if (attribute.kind == AttributeKind::choice) return attribute.choices.front().word;
  return attribute.kind == AttributeKind::integers ? "2,3" : "1";
}

// Returns an example of a call with files as operands.
std::string file_example(const Operator& op) {
  std::string out = cat("tensorop ", op.name);
  for (const OperandSpec& operand : op.operands) out += cat(" ", operand.name, ".npy");
  for (const AttributeSpec& attribute : op.attributes) {
    if (!attribute.required) continue;
    out += cat(" ", option_name(attribute.name), " ", example_value(attribute));
  }
  return out + " -o out.npy";
}

// If there are too many operands, removes the one after an option of two values, because the user meant it as
// the value of that option. Returns the option and the word; empty: no such word.
std::pair<std::string, std::string> take_flag_value(const Operator& op, const Arguments& arguments,
                                                    std::vector<std::string>& operands) {
  const auto named = std::ranges::count_if(
      op.operands, [&](const OperandSpec& operand) { return arguments.has(option_name(operand.name)); });
  if (op.operands.back().variadic || std::ssize(operands) + named <= std::ssize(op.operands)) return {};
  for (const auto& [option, word] : arguments.after_value_flags) {
    const auto at = std::ranges::find(operands, word);
    if (at == operands.end()) continue;
    operands.erase(at);
    return {option, word};
  }
  return {};
}

}  // namespace

Request read_request(const FoundOperator& found, const Arguments& arguments) {
  const Operator& op = *found.op;
  Request request;
  request.op = found;
  std::vector<std::string> operands = arguments.operands;
  const auto [flag, flag_value] = take_flag_value(op, arguments, operands);
  request.positional.assign(operands.begin(), operands.end());
  for (const OperandSpec& operand : op.operands) {
    if (auto text = arguments.value(option_name(operand.name))) {
      request.named.push_back({std::string(operand.name), std::move(*text)});
    }
  }
  if (auto text = arguments.value(option_name(kMaskName)))
    request.named.push_back({std::string(kMaskName), std::move(*text)});
  for (const std::string& text : arguments.values("--reshape")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw Error(cat("--reshape ", in_quotes(text), " is not NAME=SHAPE"));
    request.reshapes.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  for (const AttributeSpec& attribute : op.attributes) {
    auto text = arguments.value(option_name(attribute.name));
    if (option_name(attribute.name) == flag) text = flag_value;
    if (text) request.attributes.push_back({std::string(attribute.name), std::move(*text)});
  }
  request.spec = arguments.value("--spec");
  request.oob = arguments.value("--oob");
  request.duplicates = arguments.value("--duplicates");
  request.dtype = arguments.value("--dtype");
  request.text_format = read_input_format(arguments);
  return request;
}

namespace {

Request make_request(const FoundOperator& found, const Arguments& arguments) {
  Request request = read_request(found, arguments);
  request.dry_run = arguments.has("--dry-run");
  return request;
}

// Returns the destination of --open-mask, which differs from the destination of the result.
std::optional<Destination> read_open_mask(const Arguments& arguments,
                                          const std::optional<Destination>& output) {
  const auto path = arguments.value("--open-mask");
  if (!path) return std::nullopt;
  if (*path == "-" && output && output->path == "-")
    throw Error("the result and --open-mask cannot both go to standard output", "", "give --output FILE");
  Destination mask{.durable = arguments.has("--fsync")};
  set_path(mask, Operand::of_file(*path));
  PathKeys keys;
  if (*path != "-" && output && output->path != "-" && keys.key_of(mask.path) == keys.key_of(output->path))
    throw Error("--output and --open-mask are the same file");
  try {
    mask.format = &format_of(mask);
  } catch (const Error& error) {
    throw Error(cat("--open-mask ", std::string_view(error.what())), "",
                cat("name it ", kNpyFormat.endings[0], " or ", kJsonFormat.endings[0]));
  }
  return mask;
}

// Returns the destination of --onnx-case.
std::optional<CaseDestination> read_case(const Arguments& arguments) {
  auto folder = arguments.value(kCase);
  if (!folder) return std::nullopt;
  return CaseDestination{std::move(*folder), arguments.has("--fsync")};
}

// Throws Error if the destination is in the folder of a case, which must have no other files.
void require_outside(const std::optional<Destination>& destination, std::string_view option,
                     const CaseDestination& onnx_case) {
  if (!destination || destination->path == "-") return;
  PathKeys keys;
  if (keys.key_of(destination->path) == keys.key_of(onnx_case.folder))
    throw Error(cat(option, " and --onnx-case are the same path"));
  const std::vector<std::string> folders = keys.folders_of(destination->path);
  if (std::ranges::count(folders, keys.key_of_folder(onnx_case.folder)) == 0) return;
  throw Error(cat(option, " ", printable(destination->path), " is in the folder of --onnx-case"));
}

// The call of an operator, before any file is opened.
struct OperatorCall {
  std::optional<Destination> destination;  // of the result; with a case only if it is given
  std::optional<Destination> open_mask;
  std::optional<CaseDestination> onnx_case;
  Request request;
};

OperatorCall read_call(const FoundOperator& found, const Arguments& arguments) {
  OperatorCall call;
  call.destination = read_destination(arguments);
  call.onnx_case = read_case(arguments);
  if (call.onnx_case && !arguments.has("--output") && !arguments.has("--format")) call.destination.reset();
  call.open_mask = read_open_mask(arguments, call.destination);
  if (call.onnx_case) {
    require_outside(call.destination, "--output", *call.onnx_case);
    require_outside(call.open_mask, "--open-mask", *call.onnx_case);
  }
  call.request = make_request(found, arguments);
  return call;
}

// Throws Error for options that do not fit the number of versions that --spec means.
void check_spec_options(const FoundOperator& found, const Arguments& arguments) {
  const std::string spec = arguments.value("--spec").value_or("");
  const auto refuse = [&](std::string_view option, std::string_view what) {
    if (arguments.has(option)) throw Error(cat(found.name->name, ": ", option, what), kCallRule);
  };
  if (!names_several(spec)) {
    for (const std::string_view option : {"--only", "--json"}) refuse(option, " needs --spec all");
    return;
  }
  for (const std::string_view option : std::initializer_list<std::string_view>{
           "--output", "--format", "--open-mask", "--fsync", kExplainPlan, kCase})
    refuse(option, cat(" cannot be combined with --spec ", spec));
  if (lower(spec) != "all") refuse("--only", " needs --spec all");
}

// Compares the call under several versions. There is no single result.
int compare_versions(const FoundOperator& found, const Arguments& arguments) {
  const auto compare = [&] {
    std::vector<Framework> only;
    if (const auto list = arguments.value("--only")) only = read_publishers(*list);
    const MeteredSettings metered(arguments, "");
    Settings settings = metered.get();
    std::vector<std::string> warnings;
    keep_warnings(settings, warnings);
    const Portability versions = find_portability(make_request(found, arguments), only, settings);
    print(arguments.has("--json")
              ? Json::document().add_all(portability_json(versions)).add_end(nullptr, warnings).line()
              : portability_text(versions));
    return versions.exit_status();
  };
  int status = 0;
  alone(arguments, [&] { status = with_json_error(arguments, compare); });
  return status;
}

int run_operator(const FoundOperator& found, const Arguments& arguments) {
  together(arguments, [&] { check_spec_options(found, arguments); });
  if (names_several(arguments.value("--spec").value_or(""))) return compare_versions(found, arguments);
  OperatorCall call;
  together(arguments, [&] { with_context(found.name->name, [&] { call = read_call(found, arguments); }); });
  if (call.request.dry_run) {
    const OutputInfo output = infer_request(call.request, read_settings(arguments));
    alone(arguments, [&] { print(describe_output(output)); });
    return 0;
  }
  const MeteredSettings settings(arguments, call.destination ? call.destination->path : "");
  if (call.onnx_case) {
    alone(arguments, [&] {
      (void)run_request_as_case(call.request, *call.onnx_case, settings.get(), call.destination,
                                call.open_mask);
    });
  } else {
    run_request(call.request, *call.destination, settings.get(), call.open_mask);
  }
  return 0;
}

}  // namespace

Command operator_command(const FoundOperator& found) {
  const Operator& op = *found.op;
  return {std::string(found.name->name),
          {operator_usage(op)},
          std::string(op.summary),
          {std::string(op.example), file_example(op)},
          operator_options(found),
          [found](const Arguments& arguments) { return run_operator(found, arguments); },
          &op};
}

}  // namespace tensorop
