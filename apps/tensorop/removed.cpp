#include "removed.hpp"

namespace tensorop {
namespace {

struct RemovedOption {
  std::string_view command;  // empty: every command and operator
  std::string_view word;     // the option, or the option with the removed value: "--explain-plan=json"
  std::string_view hint;
};
constexpr RemovedOption kRemovedOptions[] = {
    {"", "--alpha", "tensorop mul multiplies updates before"},
    {"check", "--explain-plan", "tensorop OPERATOR ... --explain-plan prints the plan of one call"},
    {"check", "--histogram", "compare --histogram draws one pair"},
    {"check", "--ignore", "compare --ignore MASK leaves out elements of one pair"},
    {"check", "--ignore-open",
     "elements that a version leaves unspecified are left out of tensorop's own results; a case's key is "
     "ignore_open"},
    {"check", "--map", "compare --map draws one pair"},
    {"check", "--write-known-failures", "--known-failures FILE --update rewrites FILE"},
    {"compare", "--rename", "--rename-regex FROM=TO, any number of times, changes names"},
    {"compare", "--why", "tensorop why JOBS --job NAME --at I,J explains an element"},
    {"explain", "--json", "explain prints text; tensorop ops --json has the rules of each operator"},
    {"explain", "--markdown", "explain prints text"},
    {"ops", "--markdown", "tensorop ops OPERATOR prints text, tensorop ops --json is for programs"},
    {"", "--explain-plan=json", "the plan is printed as text"},
    {"compare", "--sort", "--table=KEY sorts the lines of --table"},
    {"generate", "--min-elements",
     "--max-elements N draws calls of up to N elements; --count makes more of them"},
    {"generate", "--no-expect", "check --actual and check --command compute results"},
    {"generate", "--onnx-case", "--format onnx writes ONNX case folders"},
    {"ops", "--shapes",
     "tensorop add 'float32[2,3]' 'float32[3]' --dry-run --spec all answers for all versions"},
    {"run", "--html", "check and compare write pages; run has --json and --junit"},
    {"run", "--markdown", "check and compare write Markdown; run has --json and --junit"},
    {"run", "--stale", "make runs what is older than its operands; --missing runs jobs without a result"},
};

}  // namespace

std::string_view removed_hint(std::string_view command, std::string_view word) {
  for (const RemovedOption& row : kRemovedOptions) {
    if (row.word == word && (row.command.empty() || row.command == command)) return row.hint;
  }
  return {};
}

}  // namespace tensorop
