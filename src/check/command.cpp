#include "check/command.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kInputs = "inputs";
constexpr std::array<std::string_view, 8> kOfEveryCase = {kInputs,
                                                          CommandTemplate::kOutput,
                                                          CommandTemplate::kRawOutput,
                                                          CommandTemplate::kCase,
                                                          "name",
                                                          "op",
                                                          "spec",
                                                          "attributes"};

std::vector<std::string> known_placeholders() {
  std::vector<std::string> names(kOfEveryCase.begin(), kOfEveryCase.end());
  names.emplace_back(CommandTemplate::kCases);
  for (const Operator* op : kOperators) {
    for (const OperandSpec& operand : op->operands) names.emplace_back(operand.name);
    for (const AttributeSpec& attribute : op->attributes) names.emplace_back(attribute.name);
  }
  std::sort(names.begin() + kOfEveryCase.size(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool is_attribute(std::string_view name) {
  return std::ranges::any_of(kOperators,
                             [&](const Operator* op) { return find_attribute(*op, name) != nullptr; });
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

// The name in the braces that `text` begins with; empty if the braces hold no name.
std::string_view placeholder_at(std::string_view text) {
  const std::string_view raw = CommandTemplate::kRawOutput;
  if (text.starts_with(cat("{", raw, "}"))) return raw;
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 1);
  return end == std::string_view::npos || end == 1 || text[end] != '}' ? "" : text.substr(1, end - 1);
}

void require_known(std::string_view name) {
  const std::vector<std::string> known = known_placeholders();
  if (std::ranges::find(known, name) != known.end()) return;
  const std::string near = nearest(name, known);
  throw Error(cat("unknown placeholder {", name, "}"), "",
              near.empty() ? cat("of every case: {", join({kOfEveryCase.begin(), kOfEveryCase.end()}, "} {"),
                                 "}; and its operands and attributes; {{ is a brace")
                           : cat("did you mean {", near, "}?"));
}

}  // namespace

CommandTemplate::CommandTemplate(std::string_view text, Shell shell) : shell_(shell) {
  read(text);
  if (words_.empty()) throw Error("the command is empty");
  const auto is_placeholder = [](const Word& word) {
    return std::ranges::any_of(word, &Part::is_placeholder);
  };
  if (std::ranges::none_of(words_, is_placeholder)) {
    if (shell == Shell::yes) words_[0].push_back({" ", false});
    Word& last = shell == Shell::yes ? words_[0] : words_.emplace_back();
    last.push_back({std::string(kCase), true});
  }
  bool has_output = false;
  std::string other;  // a placeholder of one case
  for (const Word& word : words_) {
    for (const Part& part : word) {
      if (!part.is_placeholder) continue;
      require_known(part.text);
      is_for_many_ = is_for_many_ || part.text == kCases;
      if (part.text != kCases) other = part.text;
      is_raw_ = is_raw_ || part.text == kRawOutput;
      has_output = has_output || part.text == kOutput || part.text == kRawOutput || part.text == kCase;
      if (part.text == kInputs && shell == Shell::no && word.size() != 1) {
        throw Error("{inputs} must be a word of its own: it becomes a word for each operand");
      }
    }
  }
  if (is_for_many_ && !other.empty()) {
    throw Error(cat("{cases} cannot be combined with {", other, "}, which is of one case"));
  }
  if (!has_output && !is_for_many_) {
    throw Error(
        "the command has none of {output}, {case} and {cases}: it does not say where the result goes");
  }
}

void CommandTemplate::read(std::string_view text) {
  const bool splits = shell_ == Shell::no;
  Word word;
  bool in_word = !splits;
  char quote = '\0';
  const auto add = [&](char c) {
    if (word.empty() || word.back().is_placeholder) word.push_back({});
    word.back().text += c;
    in_word = true;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\0') throw Error("the command has a zero byte");
    if (c == '{') {
      if (const auto name = placeholder_at(text.substr(i)); !name.empty()) {
        word.push_back({std::string(name), true});
        in_word = true;
        i += name.size() + 1;
      } else {
        add(c);
        if (next == c) ++i;
      }
      continue;
    }
    if (!splits) {
      add(c);
      continue;
    }
    if (c == quote) {
      quote = '\0';
    } else if (c == '\\' && (quote == '\0' || (quote == '"' && (next == '"' || next == '\\')))) {
      if (next == '\0') throw Error("the command ends with a backslash");
      add(next);
      ++i;
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
      in_word = true;
    } else if (quote == '\0' && is_blank(c)) {
      if (in_word) words_.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      add(c);
    }
  }
  if (quote != '\0')
    throw Error(cat("the command has an open ", quote == '"' ? "double" : "single", " quote"));
  if (in_word) words_.push_back(std::move(word));
}

std::vector<std::string> CommandTemplate::words(const CommandValues& values) const {
  const auto value_of = [&](const std::string& name) -> const std::string& {
    const auto found = std::ranges::find(values.named, name, &CommandValues::Value::name);
    if (found != values.named.end() && found->text.find('\0') != std::string::npos) {
      throw Error(cat("{", name, "} has a zero byte, which no argument of a program can have"));
    }
    if (found != values.named.end()) return found->text;
    static const std::string none;
    if (is_attribute(name)) return none;
    throw Error(cat("the case has no {", name, "}"));
  };
  std::vector<std::string> out;
  if (shell_ == Shell::no) {
    for (const Word& word : words_) {
      if (word.size() == 1 && word[0].is_placeholder && word[0].text == kInputs) {
        out.insert(out.end(), values.inputs.begin(), values.inputs.end());
        continue;
      }
      std::string& text = out.emplace_back();
      for (const Part& part : word) text += part.is_placeholder ? value_of(part.text) : part.text;
    }
    return out;
  }
  std::string program;
  std::vector<std::string> arguments;
  const auto pass = [&](const std::string& value) {
    arguments.push_back(value);
    return cat("\"${", arguments.size(), "}\"");
  };
  for (const Part& part : words_[0]) {
    if (!part.is_placeholder) {
      program += part.text;
    } else if (part.text == kInputs) {
      std::vector<std::string> passed;
      for (const std::string& input : values.inputs) passed.push_back(pass(input));
      program += join(passed, " ");
    } else {
      program += pass(value_of(part.text));
    }
  }
  out = {"/bin/sh", "-c", program, "sh"};
  out.insert(out.end(), arguments.begin(), arguments.end());
  return out;
}

}  // namespace tensorop
