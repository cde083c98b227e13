#include "cli/docs_tables.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "base/text/text.hpp"
#include "describe/describe.hpp"
#include "ops/foreign_names.hpp"
#include "ops/registry.hpp"
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

// The cells for the opsets of ONNX and of OpenVINO at which the operator has a new version, and for its other
// versions.
Cells version_cells(const Operator& op) {
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
  return {join(words["onnx"]), join(words["openvino"]), join(words["others"])};
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
  std::vector<Cells> rows;
  for (const std::string& name : names) {
    const Operator& op = *require_operator(name).op;
    Cells cells = version_cells(op);
    const auto same = std::ranges::find_if(
        rows, [&](const Cells& row) { return std::ranges::equal(cells, std::span(row).subspan(1)); });
    if (same != rows.end()) {
      same->front() += cat(", ", op.name);
    } else {
      cells.insert(cells.begin(), std::string(op.name));
      rows.push_back(std::move(cells));
    }
  }
  return table_text({"operators", "onnx", "openvino", "others"}, rows);
}

std::string options_markdown(const std::string& command, const std::string& page) {
  std::vector<Option> options = global_options();
  if (!command.empty()) {
    options.clear();
    for (OptionGroup& group : option_groups(require_command(command))) {
      if (group.heading != Heading::globals) std::ranges::move(group.options, std::back_inserter(options));
    }
  }
  std::vector<Cells> rows;
  for (const Option& option : options) {
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
