#include "jobs/job_values.hpp"

#include <algorithm>
#include <utility>

#include "base/files/paths.hpp"
#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "io/json/json_objects.hpp"
#include "io/opened_file.hpp"
#include "io/source.hpp"
#include "ops/rule.hpp"

namespace tensorop {
namespace {

[[noreturn]] void refuse(const JsonMember& member, std::string_view expected) {
  throw Error(cat("expected ", expected, ", found ", kind_name(member.kind)));
}

std::string without_blanks(std::string_view json) {
  std::string out(json);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return out;
}

}  // namespace

std::string text_of(const JsonMember& member, std::string_view what) {
  if (member.kind != JsonKind::string) refuse(member, what);
  if (member.value.text.empty()) throw Error(cat("expected ", what, ", found an empty string"));
  return std::string(member.value.text);
}

bool boolean_of(const JsonMember& member) {
  if (member.kind != JsonKind::boolean) refuse(member, "true or false");
  return member.value.text == "true";
}

namespace {

// Returns the operand with its path in the folder. Throws Error if a job cannot have it.
Operand in_job(const Operand& operand, const std::string& folder) {
  if (operand.is_standard_input())
    throw Error("a job cannot use standard input or standard output: name a file");
  if (operand.path.find('\0') != std::string::npos) throw Error("a file name cannot contain a zero byte");
  return operand.in_folder(folder);
}

// Returns an operand. A string has the same meaning as on the command line, with paths relative to the
// folder; any other value is the tensor itself.
Operand operand_of(const JsonMember& member, const std::string& folder) {
  if (member.kind == JsonKind::null) refuse(member, "an operand");
  if (member.kind != JsonKind::string) return {member.value};
  std::string text = text_of(member, "a file name");
  return text.starts_with('@') ? Operand::of_result(std::move(text)) : in_job({std::move(text)}, folder);
}

}  // namespace

Operand file_of(const JsonMember& member, const std::string& folder) {
  return in_job(Operand::of_file(text_of(member, "a file name")), folder);
}

NamedText named_operand_of(const JsonMember& member, const std::string& folder) {
  return {member.key, operand_of(member, folder)};
}

namespace {

// Returns a list such as [2, 3, 4] as "2,3,4"; any other value as an operand.
NamedText list_attribute_of(const JsonMember& member, const std::string& folder) {
  const std::string_view text = member.value.text;
  if (member.kind == JsonKind::null || member.kind == JsonKind::boolean) refuse(member, "a list of integers");
  if (member.kind == JsonKind::number) return {member.key, std::string(text)};
  if (member.kind == JsonKind::list) {
    std::string inner = without_blanks(text.substr(1, text.size() - 2));
    if (is_plain_list(inner)) return {member.key, std::move(inner)};
  } else if (member.kind == JsonKind::string) {
    if (text.empty() || is_plain_list(text)) return {member.key, std::string(text)};
    if (text.starts_with('@')) throw Error("only operands can be the result of another job");
  }
  return named_operand_of(member, folder);
}

std::string error_of(const JsonMember& member) {
  std::string text = text_of(member, "a rule id or part of a message");
  if (is_rule_id(text) && find_rule(text) == nullptr) {
    throw Error(cat("unknown rule ", in_quotes(text)), "",
                "tensorop explain lists all rules; part of a message needs more than capital letters, digits "
                "and \"-\"");
  }
  return text;
}

// The error that a golden file holds: {"error":"IX-1"}. Nothing: it holds something else.
std::optional<std::string> error_in(const std::string& path) {
  constexpr std::int64_t kMostBytes = 4096;
  if (!may_hold_error(path) || !is_regular_file(path)) return std::nullopt;
  try {
    const OpenedFile opened = open_file(Operand::of_path(path), &kJsonFormat);
    if (std::ssize(opened.file.bytes()) > kMostBytes) return std::nullopt;
    const std::vector<JsonObject> objects = read_json_objects(text_of(opened), printable(path));
    const bool is_error = objects.size() == 1 && objects[0].members.size() == 1;
    if (!is_error || objects[0].members[0].key != "error") return std::nullopt;
    return error_of(objects[0].members[0]);
  } catch (const Error&) {  // opening it as a tensor says why
    return std::nullopt;
  }
}

}  // namespace

bool may_hold_error(const std::string& path) {
  return lower(path).ends_with(".json");
}

NamedText attribute_of(const JsonMember& member, AttributeKind kind, const std::string& folder) {
  if (kind == AttributeKind::integers) return list_attribute_of(member, folder);
  const bool is_element = kind == AttributeKind::element;
  const bool is_flag = kind == AttributeKind::boolean || kind == AttributeKind::flag;
  const bool is_boolean = member.kind == JsonKind::boolean;
  if (member.kind != JsonKind::number && member.kind != JsonKind::string &&
      !((is_flag || is_element) && is_boolean)) {
    refuse(member, is_flag                          ? "true or false"
                   : is_element                     ? "a value"
                   : kind == AttributeKind::integer ? "an integer"
                                                    : "a word");
  }
  return {member.key, std::string(member.value.text)};
}

std::vector<Operand> operands_of(const JsonMember& member, const std::string& folder) {
  if (member.kind != JsonKind::list) refuse(member, "a list of operands");
  std::vector<Operand> out;
  for (const JsonMember& item : read_json_items(member.value)) out.push_back(operand_of(item, folder));
  return out;
}

std::vector<JsonMember> members_of(const JsonMember& object, std::string_view expected) {
  if (object.kind != JsonKind::object) refuse(object, expected);
  return read_json_members(object.value, object.key);
}

std::vector<NamedText> reshapes_of(const JsonMember& member) {
  std::vector<NamedText> out;
  for (const JsonMember& shape : members_of(member, "an object of shapes")) {
    const bool is_shape =
        shape.kind == JsonKind::list || shape.kind == JsonKind::string || shape.kind == JsonKind::number;
    if (!is_shape) with_context(in_quotes(shape.key), [&] { refuse(shape, "a shape"); });
    out.push_back({shape.key, without_blanks(shape.value.text)});
  }
  return out;
}

Expectation expectation_of(const JsonMember& member, const std::string& folder) {
  if (member.kind == JsonKind::null) refuse(member, "a tensor, a golden file or an error");
  if (member.kind == JsonKind::object) {
    const std::vector<JsonMember> members = read_json_members(member.value, "expect");
    const auto error = std::ranges::find(members, "error", &JsonMember::key);
    if (error != members.end()) {
      if (members.size() != 1) throw Error("\"error\" cannot be combined with another key");
      return {Expectation::Kind::error, with_context("error", [&] { return error_of(*error); })};
    }
  }
  Operand operand = operand_of(member, folder);
  if (operand.as<JobResult>() != nullptr)
    throw Error("expected a tensor, a golden file or an error, found an id");
  if (operand.is_tensor()) return {Expectation::Kind::tensor, {}, std::move(operand)};
  const std::optional<std::string> error = error_in(operand.path);
  return {error ? Expectation::Kind::error : Expectation::Kind::file, error.value_or(""), std::move(operand)};
}

void read_dtypes(const JsonMember& member, Request& request) {
  if (member.kind == JsonKind::list) {
    const std::vector<Operand> words = operands_of(member, "");
    if (words.size() != request.positional.size())
      throw Error(
          cat("its length is ", words.size(), ", the list \"operands\" has ", request.positional.size()));
    for (std::size_t i = 0; i < words.size(); ++i) request.positional[i].declared = read_dtype(words[i].text);
    return;
  }
  for (const JsonMember& one : members_of(member, "an object or a list of dtypes")) {
    const DType dtype = read_dtype(text_of(one, "a dtype name"));
    bool is_known = false;
    const auto declare = [&](Operand& operand, const std::string& name) {
      if (name != one.key) return;
      operand.declared = dtype;
      is_known = true;
    };
    for (NamedText& operand : request.named) declare(operand, operand.name);
    std::size_t number = request.named.size();
    for (Operand& operand : request.positional) declare(operand, cat("operand_", ++number));
    if (!is_known) throw Error(cat(in_quotes(one.key), " is no operand of the job"));
  }
}

ToleranceText tolerance_of(const JsonMember& member) {
  if (member.kind == JsonKind::null || member.kind == JsonKind::list || member.kind == JsonKind::object) {
    refuse(member, "a number or a word");
  }
  return {member.key, std::string(member.value.text)};
}

}  // namespace tensorop
