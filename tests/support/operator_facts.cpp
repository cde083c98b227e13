#include "support/operator_facts.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/text/text.hpp"

namespace tensorop {
namespace {

const std::vector<const char*> kBinary = {"a:n,1", "b:1,k"};
// Operands of any number have no names.
const std::vector<const char*> kVariadic = {":n,1", ":1,k"};

// "n,k" in numbers.
std::string in_numbers(std::string_view text, std::int64_t n, std::int64_t k) {
  std::string out;
  for (const char c : text) out += c == 'n' ? cat(n) : c == 'k' ? cat(k) : std::string(1, c);
  return out;
}

Shape shape_of(std::string_view text, std::int64_t n, std::int64_t k) {
  Shape shape;
  for (const char c : text) {
    if (c != ',') shape.push_back(c == 'n' ? n : c == 'k' ? k : c - '0');
  }
  return shape;
}

}  // namespace

const std::vector<OperatorFacts>& operator_facts() {
  // clang-format off
  static const std::vector<OperatorFacts> kRows = {
      {"gather", "gather", {"data:n,2", "indices:k"}, "n,k", {{"axis", "1"}}, false},
      {"gatherelements", "gather", {"data:2,n", "indices:k,n"}, "k,n", {}, false},
      {"gathernd", "gather", {"data:2,n", "indices:k,1"}, "k,n", {}, false},
      {"scatterelements", "scatter", {"data:n,k", "indices:n,k", "updates:n,k"}, "n,k", {}, false},
      {"scatternd", "scatter", {"data:n,k", "indices:n,1", "updates:n,k"}, "n,k", {}, false},
      {"scatterupdate", "scatter", {"data:n,k", "indices:n", "updates:n,k"}, "n,k", {}, false},
      {"tensorscatter", "scatter", {"data:n,k", "indices:n", "updates:n,k"}, "n,k", {{"axis", "1"}}, false},
      {"gatherslices", "slices", {"data:2,n", "indices:k,1"}, "k,n",
       {{"offset_dims", "1"}, {"collapsed_slice_dims", "0"}, {"start_index_map", "0"}, {"index_vector_dim", "1"},
        {"slice_sizes", "1,n"}}, false},
      {"scatterslices", "slices", {"data:n,k", "indices:n,1", "updates:n,k"}, "n,k",
       {{"update_window_dims", "1"}, {"inserted_window_dims", "0"}, {"scatter_dims_to_operand_dims", "0"},
        {"index_vector_dim", "1"}}, false},
      {"dynamicslice", "slices", {"data:n,k", "indices:2"}, "n,k", {{"slice_sizes", "n,k"}}, false},
      {"dynamicupdateslice", "slices", {"data:n,k", "indices:2", "updates:n,k"}, "n,k", {}, false},
      {"broadcast", "broadcast", {"data:n,1"}, "n,k", {{"shape", "n,k"}}, false},
      {"expand", "broadcast", {"data:n,1"}, "n,k", {{"shape", "n,k"}}, false},
      {"concat", "concat", {":n,k"}, "n,k", {{"axis", "1"}}, false},
      {"add", "arithmetic", kBinary, "n,k", {}, false},
      {"sub", "arithmetic", kBinary, "n,k", {}, false},
      {"mul", "arithmetic", kBinary, "n,k", {}, false},
      {"div", "arithmetic", kBinary, "n,k", {}, false},
      {"squareddifference", "arithmetic", kBinary, "n,k", {}, false},
      {"pow", "remainders and powers", kBinary, "n,k", {}, false, true},
      {"mod", "remainders and powers", kBinary, "n,k", {}, false},
      {"floormod", "remainders and powers", kBinary, "n,k", {}, false},
      {"prelu", "arithmetic", {"a:n,k", "b:1,k"}, "n,k", {}, false},
      {"min", "min and max", kVariadic, "n,k", {}, false},
      {"max", "min and max", kVariadic, "n,k", {}, false},
      {"equal", "comparisons", kBinary, "n,k", {}, true},
      {"notequal", "comparisons", kBinary, "n,k", {}, true},
      {"less", "comparisons", kBinary, "n,k", {}, true},
      {"lessorequal", "comparisons", kBinary, "n,k", {}, true},
      {"greater", "comparisons", kBinary, "n,k", {}, true},
      {"greaterorequal", "comparisons", kBinary, "n,k", {}, true},
      {"and", "logical and bitwise", kBinary, "n,k", {}, false},
      {"or", "logical and bitwise", kBinary, "n,k", {}, false},
      {"xor", "logical and bitwise", kBinary, "n,k", {}, false},
      {"bitwiseand", "logical and bitwise", kBinary, "n,k", {}, false},
      {"bitwiseor", "logical and bitwise", kBinary, "n,k", {}, false},
      {"bitwisexor", "logical and bitwise", kBinary, "n,k", {}, false},
      {"bitshift", "logical and bitwise", kBinary, "n,k", {{"direction", "left"}}, false},
      {"where", "where", {"condition:n,1", "x:1,k", "y:n,1"}, "n,k", {}, false},
  };
  // clang-format on
  return kRows;
}

const OperatorFacts& facts_of(std::string_view op) {
  const auto row = std::ranges::find(operator_facts(), op, &OperatorFacts::name);
  if (row == operator_facts().end())
    throw std::out_of_range(cat(op, " has no row in support/operator_facts.cpp"));
  return *row;
}

RandomCase draw_call(Random& random, const std::vector<std::string_view>& groups, std::int64_t elements) {
  std::vector<const OperatorFacts*> rows;
  for (const OperatorFacts& facts : operator_facts()) {
    if (groups.empty() || std::ranges::find(groups, facts.group) != groups.end()) rows.push_back(&facts);
  }
  const OperatorFacts& facts = *random.pick(rows);
  return random_call(random, std::string(facts.name), elements);
}

SizedCall sized_call(const OperatorFacts& facts, std::int64_t n, std::int64_t k) {
  SizedCall call;
  for (const std::string_view operand : facts.operands) {
    const std::size_t colon = operand.find(':');
    call.names.emplace_back(operand.substr(0, colon));
    call.operands.push_back(shape_of(operand.substr(colon + 1), n, k));
  }
  call.result = shape_of(facts.result, n, k);
  for (const auto& [name, text] : facts.attributes) {
    call.attributes.emplace_back(name,
                                 std::string_view(name) == "shape" || std::string_view(name) == "slice_sizes"
                                     ? in_numbers(text, n, k)
                                     : text);
  }
  return call;
}

}  // namespace tensorop
