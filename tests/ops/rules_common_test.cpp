// The rules that hold for every operator (G-2, G-8, T-0), the order in which rules are named (G-9), and that
// no rule of the gather, scatter and broadcast families is left without a case.
#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "ops/rule.hpp"
#include "ops/rules.hpp"
#include "support/catch.hpp"

namespace tensorop {
namespace {

// The rules that speak of these families. Those that only refer to another one are named by that:
// GA-2, GE-3, SE-4 are AX-1; GA-6, GE-5, GN-5, SE-7, SU-3, SN-5 are IX. AX-2 speaks of axes in a tensor,
// which the command line does not have.
const std::vector<std::string> kRules = {
    "G-2",   "G-8",   "AX-1",  "IX-1",  "IX-2",  "IX-3",  "T-0",  "T-1",  "T-2",   "T-3",   "GA-1",  "GA-3",
    "GA-4",  "GA-5",  "GE-1",  "GE-2",  "GE-4",  "GN-1",  "GN-2", "GN-3", "GN-4",  "SE-1",  "SE-2",  "SE-3",
    "SE-5",  "SE-6",  "SU-1",  "SU-2",  "SN-1",  "SN-2",  "SN-3", "SN-4", "BC-U1", "BC-U2", "BC-B1", "BC-E1",
    "BC-E2", "BC-E3", "BC-E4", "BC-E5", "BC-T1", "BC-T2", "BR-1", "BR-2", "BR-3",
};

// What came of a call: the rule of its error; empty when it succeeded.
std::string rule_broken_by(const std::string& call) {
  const Request request = parse_call(call);
  try {
    if (request.dry_run) {
      (void)infer_request(request, {});
    } else {
      (void)evaluate(request, {});
    }
  } catch (const Error& error) {
    return error.rule();
  }
  return "";
}

// A call that breaks two rules, and the one to be named.
struct OrderCase {
  std::string call;
  std::string rule;
};

// In the order of the stages of G-9.
const std::vector<OrderCase> kOrder = {
    // Operator and version, then the number of inputs and unknown attributes, then values of attributes.
    {"gather 3 --spec onnx-99", "T-0"},
    {"gather 3 0 --batch_dims x --spec onnx-0", "T-0"},
    {"scatter [1] [0] [1] --reduction add --spec onnx-8", "T-0"},
    {"scatterelements [1] [0] --reduction foo", "G-8"},
    {"scatterelements [1] [0] [1] [1] --reduction foo", "G-8"},
    {"scatternd [1] [0] 1 --reduction foo --axis 0", "G-8"},
    {"scatternd [1] [0] 1 --reduction mean --use_init_val 0 --spec onnx-18", "G-8"},
    {"scatternd [1] [0] 1 --reduction foo --oob clip --spec onnx-18", "G-8"},
    {"broadcast 3 --mode foo", "G-8"},
    {"broadcast 3 --shape 2 --mode foo --axes_mapping 1.5", "BR-1"},
    {"broadcast 3 --shape 1.5 --mode foo", "BC-T1"},
    {"broadcast 3 --shape 2 --axis 0 --axes_mapping 0", "G-8"},
    // Attributes before dtypes.
    {"scatterelements complex64[2] float32[2] complex64[2] --reduction foo --dry-run", "SE-6"},
    {"scatternd complex64[2] float32[2] complex64[2] --reduction max --spec onnx-16 --dry-run", "SN-4"},
    {"broadcast bool[2] --shape 2 --mode bogus --spec openvino-3 --dry-run", "BR-1"},
    {"broadcast bool[2] --shape 2 --mode explicit --spec openvino-3 --dry-run", "BC-E1"},
    {"broadcast bool[2] --shape 2 --axes_mapping 0 --spec openvino-3 --dry-run", "BC-E1"},
    {"broadcast bool[2] --shape 2 --axis 0 --spec openvino-3 --dry-run", "G-8"},
    {"expand bfloat16[2] --shape [1.5] --spec onnx-8 --dry-run", "BC-T1"},
    {"gather complex64[2] int64[1] --axis x --spec openvino-8 --dry-run", "G-8"},
    // Among dtypes: T-1, T-2, T-3, and IX-3 after T-1 and T-2.
    {"scatterelements complex64[2] float32[2] complex64[2] --spec openvino-12 --dry-run", "T-1"},
    {"scatterelements float32[2] int64[2] complex64[2] --spec openvino-12 --dry-run", "T-1"},
    {"scatterelements float32[2] float32[2] float64[2] --dry-run", "T-2"},
    {"scatterelements bool[2] int64[2] int8[2] --reduction mean --dry-run", "T-2"},
    {"gather bfloat16[2] int8[2] --spec onnx-11 --dry-run", "T-1"},
    // Dtypes before ranks, axes and shapes.
    {"gather complex64[] int64[2] --axis 7 --spec openvino-8 --dry-run", "T-1"},
    {"gather float32[] int8[2] --spec onnx-13 --dry-run", "IX-3"},
    {"gathernd float32[2] float32[] --dry-run", "IX-3"},
    {"scatterelements string[] int64[] string[] --reduction add --dry-run", "T-3"},
    {"scatternd string[2] int64[] string[] --reduction add --dry-run", "T-3"},
    {"scatterupdate bool[2] int64[3] bool[2] --reduction mean --axis 4 --dry-run", "T-3"},
    {"scatterelements float32[2,2] int64[2] float64[3] --dry-run", "T-2"},
    {"expand bfloat16[2] --shape 3 --spec onnx-8 --dry-run", "T-1"},
    {"broadcast string[2] --shape 3 --spec openvino-3 --dry-run", "T-1"},
    // Ranks before axes and batch_dims.
    {"gather 3 0 --axis 5", "GA-1"},
    {"gather 3 0 --batch_dims 4", "GA-1"},
    {"gatherelements 3 [0] --axis 5", "GE-1"},
    {"gatherelements [[3]] [0] --axis 5", "GE-2"},
    {"gathernd 3 0 --batch_dims 9", "GN-1"},
    {"gathernd [3] 0 --batch_dims 9", "GN-1"},
    {"scatterelements 3 [0] 5 --axis 9", "SE-1"},
    {"scatterelements [[3]] [0] [5,6] --axis 9", "SE-2"},
    {"scatterupdate 3 0 [5,6] --axis 9", "SU-1"},
    {"scatternd 3 [0,0,0] [5,6]", "SN-1"},
    // Axes and batch_dims before shapes, the axis first.
    {"gather [[1,2],[3,4]] [[0],[0],[0]] --axis 2 --batch_dims 9", "AX-1"},
    {"gather [[1,2],[3,4]] [[0],[0],[0]] --axis 1 --batch_dims 9", "GA-3"},
    {"gather [[1,2],[3,4]] [[0],[0],[0]] --batch_dims 1", "GA-4"},
    {"gatherelements [[1,2]] [[0,0,0]] --axis 2", "AX-1"},
    {"gathernd [[1,2],[3,4]] [[0,0,0]] --batch_dims 2", "GN-2"},
    {"scatterelements [1] [0,0] [1,2,3] --axis 1", "AX-1"},
    {"scatterupdate [1] [0,0] [1,2,3] --axis 1", "AX-1"},
    // Among shapes the lowest number.
    {"gathernd [[1,2],[3,4]] [[0,0,0],[0,0,0],[0,0,0]] --batch_dims 1", "GN-3"},
    {"scatterelements [[1]] [[0,0]] [[1,2,3]]", "SE-3"},
    {"scatternd [1] [0,0] [1,2,3]", "SN-2"},
    {"broadcast [[1,2]] --shape [-1]", "BC-T2"},
    {"broadcast [1,2,3] --shape 3,3 --mode explicit --axes_mapping 7,7", "BC-E2"},
    {"broadcast float32[2,2,2] --shape 3,3,3 --mode explicit --axes_mapping 1,1,7 --dry-run", "BC-E3"},
    {"broadcast float32[2,2] --shape 3,3,3 --mode explicit --axes_mapping 1,1 --dry-run", "BC-E4"},
    {"broadcast [[2,2]] --shape 3 --mode pdpd", "BR-2"},
    // Shapes before index values; among those the lowest position, whichever rule it breaks.
    {"gather [[1,2],[3,4]] [[9],[0],[0]] --batch_dims 1 --axis 1", "GA-5"},
    {"gatherelements [[1,2]] [[9,9,9]]", "GE-4"},
    {"gathernd [[1,2],[3,4]] [[9,9,9]]", "GN-4"},
    {"scatterelements [1] [9] [1,2]", "SE-3"},
    {"scatterupdate [1] [9] [1,2]", "SU-2"},
    {"scatternd [1] [[9]] [1,2]", "SN-3"},
    {"gather [1,2] [9,-1] --spec onnx-1", "IX-1"},
    {"gather [1,2] [-1,9] --spec onnx-1", "IX-2"},
    {"gathernd [[1,2]] [[0,-1],[9,0]] --spec openvino-5", "IX-2"},
    {"gathernd [[1,2]] [[1,-1],[0,0]] --spec openvino-5", "IX-1"},
};

}  // namespace

std::string rule_of(const std::string& message) {
  const std::size_t open = message.rfind('[');
  return message.empty() || message.back() != ']' ? "" : message.substr(open + 1, message.size() - open - 2);
}

Request parse_call(const std::string& call) {
  Request request;
  std::istringstream words(call);
  std::string op;
  words >> op;
  request.op = require_operator(op);
  for (std::string word; words >> word;) {
    if (word == "--dry-run") {
      request.dry_run = true;
      continue;
    }
    if (!word.starts_with("--")) {
      request.positional.push_back(word);
      continue;
    }
    const std::string name = word.substr(2);
    std::string text;
    if (!(words >> text)) FAIL("no value for " << word << " in: " << call);
    if (name == "spec") {
      request.spec = text;
    } else if (name == "oob") {
      request.oob = text;
    } else if (name == "dtype") {
      request.dtype = text;
    } else if (name == "data" || name == "indices" || name == "updates" || name == "mask") {
      request.named.push_back({name, text});
    } else {
      request.attributes.push_back({name, text});
    }
  }
  return request;
}

namespace {

// Runs a case, which must fail with its message and its hint; then calls `also` with the error.
void check_case(const RuleCase& c, const std::function<void(const Request&, const Error&)>& also) {
  CAPTURE(c.call);
  const Request request = parse_call(c.call);
  try {
    if (request.dry_run) {
      (void)infer_request(request, {});
    } else {
      (void)evaluate(request, {});
    }
    FAIL_CHECK("succeeds; expected " << c.message);
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == c.message);
    CHECK(error.hint() == c.hint);
    also(request, error);
  }
}

}  // namespace

void check_messages(const std::vector<RuleCase>& cases) {
  for (const RuleCase& c : cases) check_case(c, [](const Request&, const Error&) {});
}

void check_rules(const std::vector<RuleCase>& cases) {
  for (const RuleCase& c : cases) {
    check_case(c, [&](const Request& request, const Error& error) {
      CHECK(error.rule() == rule_of(c.message));
      CHECK(std::ranges::count(rules_of(*request.op.op), find_rule(error.rule())) == 1);
    });
  }
}

std::vector<RuleCase> common_rules() {
  return {
      // T-0: no such operator, no such version.
      {"gather [1] 0 --spec foo",
       "gather: spec 'foo' is not a specification: use onnx-N, openvino-N or mdf [T-0]"},
      {"gather [1] 0 --spec onnx",
       "gather: spec 'onnx' is not a specification: use onnx-N, openvino-N or mdf [T-0]",
       "name the opset too, as in onnx-28"},
      {"gather [1] 0 --spec onnx-0",
       "gather: spec 'onnx-0' is not a specification: use onnx-N, openvino-N or mdf [T-0]",
       "name the opset too, as in onnx-28"},
      {"gather [1] 0 --spec onnx13",
       "gather: spec 'onnx13' is not a specification: use onnx-N, openvino-N or mdf [T-0]",
       "did you mean onnx-13?"},
      {"gather [1] 0 --spec OpenVino:99",
       "gather: spec 'OpenVino:99' is not a specification: use onnx-N, openvino-N or mdf [T-0]",
       "did you mean openvino-16?"},
      {"gathernd [1] [0] --spec mdf-1",
       "gathernd: spec 'mdf-1' is not a specification: use onnx-N, openvino-N or mdf [T-0]",
       "did you mean mdf?"},
      {"gather [1] 0 --spec onnx-29", "gather: spec 'onnx-29': the newest known opset is onnx-28 [T-0]"},
      {"gather [1] 0 --spec openvino-17",
       "gather: spec 'openvino-17': the newest known opset is openvino-16 [T-0]"},
      {"gathernd [1] [0] --spec onnx-10", "gathernd: onnx-10 has no operator of this name [T-0]",
       "gathernd is in onnx-11, onnx-12, onnx-13, openvino-5, openvino-8, mdf"},
      {"gather [1] 0 --spec mdf", "gather: mdf has no operator of this name [T-0]",
       "gather is in onnx-1, onnx-11, onnx-13, openvino-1, openvino-7, openvino-8"},
      {"scatterupdate [3] 0 3 --spec onnx-18", "scatterupdate: onnx-18 has no operator of this name [T-0]",
       "scatterupdate is in openvino-3"},
      // Under a specification the name that was typed chooses.
      {"scatter [1] [0] [2] --spec onnx-8", "scatter: onnx-8 has no operator of this name [T-0]",
       "scatter is in onnx-9, onnx-11"},
      {"scatter [1] [0] [2] --spec openvino-12", "scatter: openvino-12 has no operator of this name [T-0]",
       "scatter is in onnx-9, onnx-11"},
      {"scatterelements [1] [0] [2] --spec onnx-10",
       "scatterelements: onnx-10 has no operator of this name [T-0]",
       "scatterelements is in onnx-11, onnx-13, onnx-16, onnx-18, openvino-3, openvino-12"},
      {"scatterndupdate [1] [0] 2 --spec onnx-18",
       "scatterndupdate: onnx-18 has no operator of this name [T-0]",
       "scatterndupdate is in openvino-3, openvino-15"},
      {"expand [1] --shape 2 --spec onnx-7", "expand: onnx-7 has no operator of this name [T-0]",
       "expand is in onnx-8, onnx-13"},

      // G-8: operands.
      {"gather [1]", "gather: operand indices is missing [G-8]"},
      {"scatternd --updates [1] [1]", "scatternd: operand indices is missing [G-8]"},
      {"gather [1] 2 3", "gather: unexpected operand '3': gather takes 2 [G-8]"},
      {"gather [1] --data [2] --data [3]", "gather: data is given twice [G-8]"},
      {"gather [1] 0 --updates 0", "gather: unknown operand 'updates' [G-8]"},
      // G-8: attributes.
      {"gather [1] 0 --axes 0", "gather: unknown attribute 'axes' [G-8]", "did you mean axis?"},
      {"gatherelements [1] [0] --batch_dims 0", "gatherelements: unknown attribute 'batch_dims' [G-8]"},
      {"gather [1] 0 --axis 0 --axis 0", "gather: axis is given twice [G-8]"},
      {"gather [1] 0 --batch_dims 0 --spec onnx-13",
       "gather: onnx Gather-13 has no attribute batch_dims [G-8]",
       "it is in openvino-7, openvino-8 and the default semantics (no --spec)"},
      {"gathernd [1] [0] --batch_dims 0 --spec onnx-11",
       "gathernd: onnx GatherND-11 has no attribute batch_dims [G-8]",
       "it is in onnx-12, onnx-13, openvino-5, openvino-8, mdf and the default semantics (no --spec)"},
      {"scatterelements [3] [0] [1] --reduction add --spec onnx-13",
       "scatterelements: onnx ScatterElements-13 has no attribute reduction [G-8]",
       "it is in onnx-16, onnx-18, openvino-12 and the default semantics (no --spec)"},
      {"scatter [3] [0] [1] --reduction none --spec onnx-18",
       "scatter: onnx Scatter-11 has no attribute reduction [G-8]",
       "it is in onnx-16, onnx-18, openvino-12 and the default semantics (no --spec)"},
      {"scatternd [3] [0] 3 --use_init_val false --spec openvino-15",
       "scatternd: openvino ScatterNDUpdate-15 has no attribute use_init_val [G-8]",
       "it is in the default semantics (no --spec)"},
      {"scatterupdate [3] 0 3 --reduction add --spec openvino-3",
       "scatterupdate: openvino ScatterUpdate-3 has no attribute reduction [G-8]",
       "it is in the default semantics (no --spec)"},
      {"expand [1] --spec onnx-13", "expand: attribute shape is missing [G-8]"},
      {"broadcast [1,2] --shape 3,2 --axis 0",
       "broadcast: axis is only allowed with mode pdpd, not with numpy [G-8]"},
      {"gather [1] 0 --axis x", "gather: axis 'x' is not an integer [G-8]"},
      {"gather [1] 0 --axis 1.0", "gather: axis '1.0' is not an integer [G-8]"},
      {"gather [1] 0 --axis 9223372036854775808",
       "gather: axis '9223372036854775808' is not an integer [G-8]"},
      {"scatterelements [1] [0] [2] --use_init_val maybe",
       "scatterelements: use_init_val 'maybe' is not one of 0, 1, true, false [G-8]"},
      {"scatterupdate [3] 0 3 --reduction foo",
       "scatterupdate: reduction 'foo' is not one of none, add, sum, sub, mul, prod, min, max, mean [G-8]"},
      {"gather [1] 0 --dtype floaty",
       "gather: dtype 'floaty' is not one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
       "float16, bfloat16, float32, float64, complex64, complex128, string, "
       "float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn, int4, "
       "uint4 [G-8]",
       "did you mean float16?"},
      // G-8: --oob belongs to the default semantics and to operators with indices.
      {"gather [1] 0 --oob drop", "gather: oob 'drop' is not one of error, zero, clip, wrap [G-8]"},
      {"scatternd [1] [0] 1 --oob zero", "scatternd: oob 'zero' is not one of error, drop, clip, wrap [G-8]"},
      {"gather [1] 0 --oob clip --spec onnx-13", "gather: oob cannot be combined with a specification [G-8]"},
      {"expand [1] --shape 2 --oob clip", "expand: unknown attribute 'oob' [G-8]"},
  };
}

TEST_CASE("operators, versions, operands and attributes that do not exist are named", "[rules]") {
  check_rules(common_rules());
}

TEST_CASE("of two broken rules the first in the order of G-9 is named", "[rules]") {
  for (const OrderCase& c : kOrder) {
    CAPTURE(c.call);
    CHECK(rule_broken_by(c.call) == c.rule);
  }
}

TEST_CASE("every rule of the gather, scatter and broadcast families has a case", "[rules]") {
  std::set<std::string> covered;
  for (const auto& cases : {common_rules(), gather_rules(), scatter_rules(), broadcast_rules()}) {
    for (const RuleCase& c : cases) covered.insert(rule_of(c.message));
  }
  for (const std::string& rule : kRules) {
    CAPTURE(rule);
    CHECK(covered.contains(rule));
    covered.erase(rule);
  }
  CAPTURE(covered);
  CHECK(covered.empty());  // a rule that the list above does not know
}

TEST_CASE("results without elements are results", "[rules]") {
  struct Case {
    std::string call;
    Shape shape;
  };
  const std::vector<Case> cases = {
      {"gather float32[0,3] int64[0] --dry-run", {0, 3}},
      {"gather float32[4,0] int64[2] --dry-run", {2, 0}},
      {R"(gather {"dtype":"int64","shape":[4,0],"data":[]} [3,-4])", {2, 0}},
      {R"(gather [1,2] {"dtype":"int64","shape":[3,0],"data":[]})", {3, 0}},
      {R"(gather {"dtype":"int64","shape":[0],"data":[]} {"dtype":"int64","shape":[0],"data":[]})", {0}},
      {R"(gatherelements {"dtype":"int64","shape":[0,3],"data":[]} {"dtype":"int64","shape":[0,2],"data":[]})",
       {0, 2}},
      {R"(gathernd {"dtype":"int64","shape":[0,3],"data":[]} {"dtype":"int64","shape":[0,1],"data":[]})",
       {0, 3}},
      {R"(gathernd [[1,2],[3,4]] {"dtype":"int64","shape":[2,0],"data":[]})", {2, 2, 2}},
      {R"(scatterelements {"dtype":"int64","shape":[0,3],"data":[]} {"dtype":"int64","shape":[0,2],"data":[]} )"
       R"({"dtype":"int64","shape":[0,2],"data":[]})",
       {0, 3}},
      {R"(scatternd [[1,2],[3,4]] {"dtype":"int64","shape":[0,1],"data":[]} {"dtype":"int64","shape":[0,2],"data":[]})",
       {2, 2}},
      {R"(scatterupdate {"dtype":"int64","shape":[2,0],"data":[]} 1 {"dtype":"int64","shape":[0],"data":[]})",
       {2, 0}},
      {"expand [[1],[2],[3]] --shape 3,0", {3, 0}},
      {"broadcast 3 --shape 0,4611686018427387904,4", {0, 4611686018427387904, 4}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.call);
    const Request request = parse_call(c.call);
    CHECK(infer_request(request, {}).shape == c.shape);
    if (!request.dry_run) CHECK(evaluate(request, {}).shape() == c.shape);
  }
}

}  // namespace tensorop
