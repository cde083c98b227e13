#include "cli/docs_tables.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "base/text.hpp"
#include "describe/describe.hpp"
#include "ops/foreign_names.hpp"
#include "ops/registry.hpp"
#include "ops/rule.hpp"
#include "support/catch.hpp"
#include "tensorop/commands.hpp"

namespace tensorop {
namespace {

using Cells = std::vector<std::string>;

std::string row_text(const Cells& cells) {
  return cat("| ", join(cells, " | "), " |\n");
}

std::string table_text(const Cells& head, const std::vector<Cells>& rows) {
  std::string out = cat(row_text(head), row_text(Cells(head.size(), "---")));
  for (const Cells& row : rows) out += row_text(row);
  return out;
}

std::string code(std::string_view text) {
  return cat("`", text, "`");
}

std::vector<Cells> operand_rows(const Operator& op) {
  std::vector<Cells> rows;
  for (const OperandSpec& operand : op.operands)
    rows.push_back({code(option_name(operand.name)), std::string(operand.type), std::string(operand.help)});
  return rows;
}

// "false; as divide true": a name may have its own default.
std::string default_cell(const Operator& op, const AttributeSpec& spec) {
  if (spec.required) return "required";
  if (spec.default_text.empty()) return "";
  std::string out(spec.default_text);
  for (const OperatorName& name : op.names) {
    const std::string own = cat("; as ", name.name, " ", name.preset.text);
    if (name.preset.attribute == spec.name && out.find(own) == std::string::npos) out += own;
  }
  return code(out);
}

std::vector<Cells> attribute_rows(const Operator& op) {
  std::vector<Cells> rows;
  for (const AttributeSpec& spec : op.attributes) {
    const std::string choices = spec.choices.empty() ? "" : cat(": ", join(words_of(spec.choices)));
    rows.push_back({code(option_name(spec.name)), default_cell(op, spec), cat(spec.help, choices)});
  }
  return rows;
}

// The lines of describe_version() as cells: title, attributes, dtypes, and indices if the operator has any.
std::vector<Cells> version_rows(const Operator& op) {
  std::vector<Cells> rows;
  for (const Version& version : op.versions) {
    Cells cells = {words_of(op, version).title, "", ""};
    std::istringstream in(describe_version(op, version));
    std::string line;
    std::getline(in, line);
    REQUIRE(line == cells[0]);
    while (std::getline(in, line)) {
      const std::string text = line.substr(2);
      if (text.starts_with("attributes: ")) {
        cells[1] = text.substr(text.find(' ') + 1);
      } else if (text.starts_with("indices: ")) {
        cells.push_back(text.substr(text.find(' ') + 1));
      } else {
        cells[2] += cat(cells[2].empty() ? "" : "; ", text);
      }
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

std::string operator_markdown(const Operator& op) {
  const bool has_indices = !words_of(op, op.versions.front()).indices.empty();
  std::string out = table_text({"operand", "type", "meaning"}, operand_rows(op));
  if (!op.attributes.empty())
    out += cat("\n", table_text({"attribute", "default", "meaning"}, attribute_rows(op)));
  Cells head = {"version", "attributes", "dtypes"};
  if (has_indices) head.emplace_back("indices");
  return cat(out, "\n", table_text(head, version_rows(op)));
}

// A row that several operators have: the names of these operators, and the cells.
struct SharedRow {
  std::vector<std::string> names;
  Cells cells;
};

std::vector<SharedRow> shared_rows(const std::vector<const Operator*>& ops,
                                   std::vector<Cells> (*rows_of)(const Operator& op)) {
  std::vector<SharedRow> out;
  for (const Operator* op : ops) {
    for (Cells& cells : rows_of(*op)) {
      const auto same = std::ranges::find(out, cells, &SharedRow::cells);
      if (same == out.end()) {
        out.push_back({{std::string(op->name)}, std::move(cells)});
      } else if (same->names.back() != op->name) {
        same->names.emplace_back(op->name);
      }
    }
  }
  return out;
}

// One row: the opsets of ONNX and of OpenVINO at which the operator has a new version, and its other
// versions.
std::vector<Cells> published_rows(const Operator& op) {
  std::map<std::string, std::vector<std::string>> words;
  for (const Version& version : op.versions) {
    const std::string title = words_of(op, version).title;
    std::string word = title.substr(0, title.find(" ("));
    std::string column = "others";
    for (const char* const publisher : {"onnx", "openvino"}) {
      if (!word.starts_with(cat(publisher, "-"))) continue;
      column = publisher;
      word.erase(0, column.size() + 1);
    }
    std::vector<std::string>& list = words[column];
    if (word != "default" && std::ranges::find(list, word) == list.end()) list.push_back(std::move(word));
  }
  return {{join(words["onnx"]), join(words["openvino"]), join(words["others"])}};
}

std::string shared_markdown(const std::vector<const Operator*>& ops) {
  std::vector<Cells> attributes;
  for (SharedRow& row : shared_rows(ops, attribute_rows)) {
    row.cells.insert(row.cells.begin() + 1, row.names.size() == ops.size() ? "all" : join(row.names));
    attributes.push_back(std::move(row.cells));
  }
  std::vector<Cells> versions;
  for (SharedRow& row : shared_rows(ops, published_rows)) {
    row.cells.insert(row.cells.begin(), join(row.names));
    versions.push_back(std::move(row.cells));
  }
  return cat(table_text({"attribute", "operators", "default", "meaning"}, attributes), "\n",
             table_text({"operators", "onnx", "openvino", "others"}, versions));
}

// A cell of a table has "\\|" for "|".
std::string with_bars(std::string_view text) {
  return join(split(text, "|"), "\\|");
}

// The words of the text that are options as code.
std::string with_options(const std::string& text) {
  std::string out;
  for (const std::string& word : split(with_bars(text), " ")) {
    const std::size_t end = word.find_last_not_of(".,:;)") + 1;
    const std::size_t begin = std::min(word.find_first_not_of('('), end);
    const bool is_option = word.find("--", begin) == begin;
    const std::string shown =
        is_option ? cat(word.substr(0, begin), code(word.substr(begin, end - begin)), word.substr(end))
                  : word;
    out += cat(out.empty() ? "" : " ", shown);
  }
  return out;
}

// The cell; if the page links the option of that name, with that link.
std::string linked(const std::string& cell, std::string_view name, const std::string& page) {
  for (std::size_t at = page.find("| [`"); at != std::string::npos; at = page.find("| [`", at + 1)) {
    const std::size_t end = page.find("`](", at);
    const std::string words = cat(" ", page.substr(at + 4, end - at - 4), " ");
    if (words.find(cat(" ", name, " ")) == std::string::npos) continue;
    return cat("[", cell, page.substr(end + 1, page.find(')', end) - end));
  }
  return cell;
}

}  // namespace

std::string operators_markdown(const std::vector<std::string>& names) {
  std::vector<const Operator*> ops;
  for (const std::string& name : names) ops.push_back(require_operator(name).op);
  return ops.size() == 1 ? operator_markdown(*ops[0]) : shared_markdown(ops);
}

std::string rules_markdown(const std::vector<std::string>& ids) {
  std::vector<Cells> rows;
  for (const std::string& id : ids) {
    const Rule* const rule = find_rule(id);
    REQUIRE(rule != nullptr);
    rows.push_back({std::string(rule->id), std::string(rule->statement)});
  }
  return table_text({"rule", "the call must satisfy"}, rows);
}

std::string options_markdown(const std::string& command, const std::string& other, const std::string& page) {
  std::vector<Option> options = global_options();
  if (!command.empty()) {
    options.clear();
    for (OptionGroup& group : option_groups(require_command(command))) {
      if (group.heading != Heading::globals) std::ranges::move(group.options, std::back_inserter(options));
    }
  }
  const std::vector<Option> known =
      other.empty() ? std::vector<Option>{} : all_options(require_command(other));
  std::vector<Cells> rows;
  for (const Option& option : options) {
    if (find_option(known, option.name) != nullptr) continue;
    std::vector<std::string> others = split(option.rules.excludes, " ");
    std::erase_if(others, [&](const std::string& name) { return find_option(options, name) == nullptr; });
    const std::string meaning =
        cat(meaning_of(option), others.empty() ? "" : cat("; not with ", join(others)));
    rows.push_back({linked(code(with_bars(usage_of(option))), option.name, page), with_options(meaning)});
  }
  return table_text({"option", "meaning"}, rows);
}

std::string foreign_markdown(std::string_view library) {
  std::vector<Cells> rows;
  for (const ForeignCall& row : foreign_calls()) {
    if (row.library != library) continue;
    const std::size_t remark = row.command.find(';');
    rows.push_back({code(row.call), cat(code(row.command.substr(0, remark)),
                                        remark == std::string_view::npos ? "" : row.command.substr(remark))});
  }
  return table_text({std::string(library), "tensorop"}, rows);
}

}  // namespace tensorop
