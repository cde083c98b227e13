#include "ops/rule.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/text/text.hpp"
#include "ops/row_rules.hpp"

namespace tensorop {
namespace {

constexpr Rule kCommonRules[] = {
    // Every operator.
    {"T-0", "The operator exists in the version that --spec names, under the name that was typed.",
     "Each publisher, by the number in which each version appeared. A spec beyond the newest known one is "
     "answered with that.",
     "tensorop expand '[1]' --shape 2 --spec onnx-7", "tensorop expand '[1]' --shape 2 --spec onnx-8"},
    {"G-8",
     "Every required operand and attribute is given, none is given twice, and the version and the chosen "
     "mode use every attribute that is given.",
     "ONNX and OpenVINO list the inputs and attributes of each version. Options such as --oob are tensorop's "
     "own.",
     "tensorop gather '[1,2]' 0 --batch-dims 0 --spec onnx-13",
     "tensorop gather '[1,2]' 0 --batch-dims 0 --spec openvino-8"},
    {"G-2",
     "The result has at most 64 dimensions and at most 2^47 bytes; under --dry-run, fewer than 2^63 bytes. "
     "Updates repeated for index tuples of length 0 are at most 2^28.",
     "tensorop. ONNX and OpenVINO state no limit.", "tensorop broadcast 1 --shape 4611686018427387904,4",
     "tensorop broadcast 1 --shape 0,4"},
    {"T-1", "The version allows the dtype of each data operand.",
     "ONNX and OpenVINO, in the type constraints of each version. tensorop's own semantics refuse what has "
     "no meaning: arithmetic, order and reductions of float8, float4, int4 and uint4.",
     "tensorop gather '{\"dtype\":\"bfloat16\",\"data\":[1,2]}' 0 --spec onnx-11",
     "tensorop gather '{\"dtype\":\"bfloat16\",\"data\":[1,2]}' 0 --spec onnx-13"},
    {"NI-1",
     "tensorop computes what the publisher of the version defines for these dtypes, attributes and "
     "elements.",
     "tensorop, of calls that PyTorch, NumPy, JAX or StableHLO accept. `ops OPERATOR` lists the dtypes that "
     "are not in tensorop.",
     "tensorop div '[1]' '[2]' --spec numpy-2", "tensorop div '[1.0]' '[2.0]' --spec numpy-2"},
    {"T-2",
     "Operands that share a type variable have the same dtype: data and updates, a and b, x and y. Nothing "
     "is promoted.",
     "ONNX and OpenVINO.",
     "tensorop add '{\"dtype\":\"int32\",\"data\":[1]}' '{\"dtype\":\"int64\",\"data\":[2]}'",
     "tensorop add '{\"dtype\":\"int64\",\"data\":[1]}' '{\"dtype\":\"int64\",\"data\":[2]}'"},
    {"T-3", "The reduction is defined for the dtype of data.",
     "OpenVINO for numbers and bool. ONNX declares every dtype without saying what a reduction of complex "
     "numbers or strings is; tensorop refuses those without a meaning.",
     "tensorop scatternd '[true,false]' '[[0]]' '[true]' --reduction mean",
     "tensorop scatternd '[true,false]' '[[0]]' '[true]' --reduction max"},

    // Axes and indices.
    {"AX-1", "The axis is in the range -rank(data) to rank(data)-1. A negative axis counts from the end.",
     "ONNX and OpenVINO.", "tensorop gather '[[1,2],[3,4]]' 0 --axis 2",
     "tensorop gather '[[1,2],[3,4]]' 0 --axis -1"},
    {"AX-3", "The axis is not negative, in versions whose axes are counted from the front alone.",
     "WebNN gather, gatherElements and scatterElements, whose axis is an unsigned integer.",
     "tensorop gather '{\"dtype\":\"float32\",\"data\":[1,2]}' 0 --axis -1 --spec webnn",
     "tensorop gather '{\"dtype\":\"float32\",\"data\":[1,2]}' 0 --axis 0 --spec webnn"},
    {"ND-1", "No operand and no result has a dimension of 0, in publishers without empty tensors.",
     "WebNN, which allows no empty tensor (its issue 391 asks for them).",
     "tensorop add '[]' '[1]' --dtype float32 --spec webnn",
     "tensorop add '[2]' '[1]' --dtype float32 --spec webnn"},
    {"IX-3", "The version allows the dtype of indices.",
     "ONNX, OpenVINO and PyTorch, in the types of each version. PyTorch's gather and scatters take int32 "
     "from version 2.8 on.",
     "tensorop gathernd '[1,2]' '{\"dtype\":\"int32\",\"data\":[[0]]}' --spec onnx-13",
     "tensorop gathernd '[1,2]' '{\"dtype\":\"int64\",\"data\":[[0]]}' --spec onnx-13", "PT-3"},
    {"IX-1",
     "Every index is in range: -d to d-1 for an axis of size d, or 0 to d-1 in versions without negative "
     "indices. In OpenVINO Gather-8, StableHLO and WebNN, and with --oob other than error, an index out of "
     "range is no error. In "
     "tensorscatter 0 to d less the length of updates along the axis; with --mode circular any from 0 on.",
     "ONNX and OpenVINO. Where their text leaves the result open, tensorop decided for an error.",
     "tensorop gather '[1,2,3]' 3", "tensorop gather '[1,2,3]' 2"},
    {"IX-2", "No index is negative, in versions without negative indices.",
     "OpenVINO GatherND-5, GatherElements-6, ScatterUpdate-3, ScatterElementsUpdate-3 and ScatterNDUpdate-3, "
     "PyTorch. Where a text leaves the result open, tensorop decided for an error.",
     "tensorop gather '[1,2,3]' -1 --spec openvino-7", "tensorop gather '[1,2,3]' -1 --spec openvino-8"},
};

constexpr Rule kBroadcastRules[] = {
    // Broadcasting between operands.
    {"BC-M1",
     "numpy: with the shapes aligned on the right, two sizes in one dimension are equal, or one of them is "
     "1.",
     "ONNX from opset 7 (Min and Max from 8), ONNX Where and Expand, OpenVINO and NumPy.",
     "tensorop add '[1,2,3]' '[1,2]'", "tensorop add '[1,2,3]' '[[1],[2]]'", "WH-2 BC-B1"},
    {"BC-N1", "none: the shapes of all operands are identical, ranks included.",
     "OpenVINO auto_broadcast none; ONNX Min and Max before opset 8, and with --broadcast 0, the default, "
     "ONNX opsets 1 to 6.",
     "tensorop add '[1,2]' '[1]' --auto-broadcast none", "tensorop add '[1,2]' '[1,1]' --auto-broadcast none",
     "SL-1 BC-L2"},
    {"BC-P1", "pdpd: the rank of b is at most the rank of a.", "OpenVINO auto_broadcast pdpd.",
     "tensorop add '[1,2]' '[[1,2]]' --auto-broadcast pdpd",
     "tensorop add '[[1,2]]' '[1,2]' --auto-broadcast pdpd"},
    {"BC-P2", "pdpd: axis is at least -1; -1 aligns b with a on the right.", "OpenVINO auto_broadcast pdpd.",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --auto-broadcast pdpd --axis -2",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --auto-broadcast pdpd --axis -1"},
    {"BC-P3",
     "pdpd: b, which begins at dimension axis of a, ends within a. Trailing dimensions of size 1 of b do not "
     "count. In Broadcast a is the target and b is data.",
     "OpenVINO auto_broadcast pdpd, by its text; its implementation counts the trailing dimensions.",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --auto-broadcast pdpd --axis 2",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --auto-broadcast pdpd --axis 1", "BR-2"},
    {"BC-P4",
     "pdpd: each dimension of b is 1 or equal to the dimension of a at its position. Only b is repeated.",
     "OpenVINO auto_broadcast pdpd. That inner dimensions of size 1 are repeated follows from its example. "
     "In Broadcast OpenVINO's code, which also repeats a target dimension of size 1; tensorop does not.",
     "tensorop add '[[1,2],[3,4]]' '[1,2,3]' --auto-broadcast pdpd",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --auto-broadcast pdpd", "BR-3"},
    {"BC-L1", "legacy: --broadcast is 0 or 1.", "ONNX opsets 1 to 6.",
     "tensorop add '[1,2]' '[1]' --broadcast 2", "tensorop add '[1,2]' '[1]' --broadcast 1"},
    {"BC-L3", "legacy: with --broadcast 1 the rank of b is at most the rank of a.", "ONNX opsets 1 to 6.",
     "tensorop add '[1,2]' '[[1,2]]' --broadcast 1", "tensorop add '[[1,2]]' '[1,2]' --broadcast 1"},
    {"BC-L5",
     "legacy: axis is non-negative, and b, which begins at dimension axis of a, ends within a. A b of one "
     "element fits at any axis.",
     "ONNX opsets 1 to 6. That a negative axis is an error is tensorop's decision.",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --broadcast 1 --axis 2",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --broadcast 1 --axis 1"},
    {"BC-L6",
     "legacy: the shape of b is equal to a contiguous part of the shape of a. Dimensions of size 1 are not "
     "repeated, unless b has one element.",
     "ONNX opsets 1 to 6.", "tensorop add '[[1,2],[3,4]]' '[[1],[2]]' --broadcast 1",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --broadcast 1"},

    // Broadcast and Expand.
    {"BC-T1",
     "--shape is a list of integers: a tensor of rank 1, of an integer dtype that the version allows.",
     "ONNX Expand and OpenVINO Broadcast.", "tensorop broadcast 1 --shape '[1.5]'",
     "tensorop broadcast 1 --shape '[2]'"},
    {"BC-T2", "No dimension of --shape is negative. -1 does not stand for a dimension to be computed.",
     "ONNX Expand and OpenVINO Broadcast.", "tensorop broadcast 1 --shape '[-1]'",
     "tensorop broadcast 1 --shape '[1]'"},
    {"BC-W1", "In PyTorch's expand, -1 in --shape keeps the dimension of data, which has one there.",
     "PyTorch.", "tensorop expand '[1,2]' --shape='-1,2' --spec torch-2",
     "tensorop expand '[1,2]' --shape='3,-1' --spec torch-2"},
    {"BR-1", "The version has the mode.",
     "OpenVINO. Broadcast-1 has no bidirectional; pdpd is in OpenVINO's code, not in its documents.",
     "tensorop broadcast '[1,2]' --shape 2,2 --mode bidirectional --spec openvino-1",
     "tensorop broadcast '[1,2]' --shape 2,2 --mode bidirectional --spec openvino-3"},
    {"BC-U1", "numpy: the rank of data is at most the length of --shape.",
     "OpenVINO Broadcast and NumPy broadcast_to.", "tensorop broadcast '[[1,2,3]]' --shape 3",
     "tensorop broadcast '[[1,2,3]]' --shape 1,3"},
    {"BC-U2",
     "numpy: with data.shape and --shape aligned on the right, each dimension of data is 1 or equal to that "
     "of --shape.",
     "OpenVINO Broadcast and NumPy broadcast_to.", "tensorop broadcast '[1,2]' --shape 2,3",
     "tensorop broadcast '[1,2]' --shape 3,2"},
    {"BC-E1", "--axes-mapping is given in mode explicit, and only there.", "OpenVINO Broadcast.",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 0"},
    {"BC-E2",
     "explicit: --axes-mapping is a list of integers with one entry for each dimension of data. Scalar data "
     "may have one entry if that target dimension is 1.",
     "OpenVINO Broadcast; the exception for scalars is in its code.",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 0,1",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 0"},
    {"BC-E3", "explicit: each entry of --axes-mapping is a dimension of the target, counted from 0.",
     "OpenVINO Broadcast.", "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 2",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 0"},
    {"BC-E4",
     "explicit: the entries of --axes-mapping are strictly increasing; in StableHLO they are distinct, in "
     "any order.",
     "OpenVINO Broadcast, which says sorted; that no entry repeats is tensorop's decision. StableHLO "
     "broadcast_in_dim (C4).",
     "tensorop broadcast '[[1,2]]' --shape 2,1 --mode explicit --axes-mapping 1,0",
     "tensorop broadcast '[[1,2]]' --shape 1,2 --mode explicit --axes-mapping 0,1"},
    {"BC-E5",
     "explicit: each dimension of data is 1 or equal to the target dimension that --axes-mapping gives it.",
     "OpenVINO's code; its documents say nothing.",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 1",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 0"},

    // Concat.
    {"CC-1", "All operands have the same rank, at least 1. PyTorch leaves out operands of shape (0).",
     "ONNX, OpenVINO, StableHLO, PyTorch, NumPy and JAX.", "tensorop concat '[1]' '[[2]]'",
     "tensorop concat '[[1]]' '[[2]]'"},
    {"CC-2", "The dimensions of all operands are equal, but for the axis.",
     "ONNX, OpenVINO, StableHLO, PyTorch, NumPy and JAX.", "tensorop concat '[[1,2]]' '[[3]]'",
     "tensorop concat '[[1,2]]' '[[3]]' --axis 1"},

    // Where and Select.
    {"WH-1", "The condition is bool.", "ONNX Where and OpenVINO Select.",
     "tensorop where '[1,0]' '[1,2]' '[3,4]'", "tensorop where '[true,false]' '[1,2]' '[3,4]'"},
    {"SL-2",
     "numpy in OpenVINO: x and y broadcast together, and the condition broadcasts to their shape without "
     "enlarging it.",
     "OpenVINO Select-1, by its text; its code also lets the condition enlarge the result.",
     "tensorop select '[[true],[false]]' '[1,2]' '[3,4]' --spec openvino-1",
     "tensorop select '[true,false]' '[1,2]' '[3,4]' --spec openvino-1"},
    {"SL-4", "In StableHLO x and y have the same shape.", "StableHLO select (C2).",
     "tensorop select true '[1,2]' '[[1,2]]' --spec stablehlo-1.1",
     "tensorop select true '[1,2]' '[3,4]' --spec stablehlo-1.1"},
    {"SL-5", "In StableHLO the condition has rank 0 or the shape of x and y.", "StableHLO select (C1).",
     "tensorop select '[true]' '[1,2]' '[3,4]' --spec stablehlo-1.1",
     "tensorop select '[true,false]' '[1,2]' '[3,4]' --spec stablehlo-1.1"},

    // Element-wise operators.
    {"EW-1", "There are as many operands as the version has, if it fixes their number.",
     "ONNX and OpenVINO. OpenVINO's Minimum and Maximum take two operands, all others any number.",
     "tensorop min '[1]' '[2]' '[3]' --spec openvino-1", "tensorop min '[1]' '[2]' --spec openvino-1"},
    {"EW-3", "The version has the broadcasting rule.",
     "ONNX and OpenVINO. OpenVINO documents pdpd for Add, Subtract, Multiply, Divide, comparisons, logical "
     "operators and Select only.",
     "tensorop pow '[2]' '[3]' --auto-broadcast pdpd --spec openvino-1",
     "tensorop pow '[2]' '[3]' --auto-broadcast numpy --spec openvino-1"},
    {"EW-4", "mod of floats under --spec onnx-N, before onnx-28, has --fmod.", "ONNX Mod-10 and Mod-13.",
     "tensorop mod '[7.5]' '[2.0]' --spec onnx-13", "tensorop mod '[7.5]' '[2.0]' --fmod --spec onnx-13"},
    {"EW-5", "--fmod is 0, 1, true or false.", "ONNX Mod (0 and 1).", "tensorop mod '[7]' '[3]' --fmod=2",
     "tensorop mod '[7]' '[3]' --fmod=1"},
    {"EW-6", "--direction is left or right.", "ONNX BitShift.",
     "tensorop bitshift '[1]' '[2]' --direction up", "tensorop bitshift '[1]' '[2]' --direction left"},
    {"EW-7", "No integer is divided by zero, and no integer 0 is raised to a negative power.",
     "tensorop. Most publishers leave the result undefined.", "tensorop div '[1]' '[0]'",
     "tensorop div '[1]' '[2]'"},
    {"EW-8",
     "The result of pow is representable in the integer dtype of a, its integer exponent is non-negative in "
     "a version that refuses others, and the shift amount of bitshift is non-negative, before onnx-28.",
     "tensorop. Most publishers leave the result undefined.",
     "tensorop bitshift '[1]' '[-1]' --direction left", "tensorop bitshift '[1]' '[1]' --direction left"},
    {"PR-1",
     "prelu in ONNX opsets 1 to 6: b has one element, the shape of a, or one element for each channel, which "
     "is dimension 1 of a.",
     "ONNX PRelu-1 and PRelu-6, which say that a slope of size 1 is shared across channels; that channels "
     "are "
     "dimension 1 is tensorop's decision.",
     "tensorop prelu '[[-1.0,2.0,3.0]]' '[2.0,3.0]' --spec onnx-6",
     "tensorop prelu '[[-1.0,2.0,3.0]]' '[2.0,3.0,4.0]' --spec onnx-6"},
};

template <std::size_t... kCounts>
consteval auto joined(const Rule (&... parts)[kCounts]) {
  std::array<Rule, (kCounts + ...)> out;
  auto end = out.begin();
  ((end = std::ranges::copy(parts, end).out), ...);
  return out;
}

constexpr std::array kAllRules = joined(kCommonRules, kRowRules, kBroadcastRules);

}  // namespace

std::span<const Rule> all_rules() {
  return kAllRules;
}

const Rule* find_rule(std::string_view id) {
  if (id.starts_with('[') && id.ends_with(']')) id = id.substr(1, id.size() - 2);
  const std::string wanted = fold_name(id);
  const auto* const found = std::ranges::find_if(kAllRules, [&](const Rule& rule) {
    const auto is_wanted = [&](std::string_view own) { return fold_name(own) == wanted; };
    return is_wanted(rule.id) || std::any_of(rule.formerly.begin(), rule.formerly.end(), is_wanted);
  });
  return found == std::end(kAllRules) ? nullptr : found;
}

std::vector<const Rule*> rules_of(const Operator& op) {
  std::set<std::string_view> ids = {"T-0", "G-2", kCallRule};
  std::set<std::string_view> types;
  bool has_indices = false;
  for (const OperandSpec& operand : op.operands) {
    ids.insert(operand.rule);
    if (!types.insert(operand.type).second || operand.variadic) ids.insert(kSameTypeRule);
    has_indices = has_indices || operand.role == OperandRole::indices;
  }
  for (const AttributeSpec& attribute : op.attributes) ids.insert(attribute.rule);
  ids.insert(op.rules.begin(), op.rules.end());
  ids.insert(op.broadcast_rules.begin(), op.broadcast_rules.end());
  for (const Version& version : op.versions) {
    const bool is_standard = version.framework == Framework::standard;
    if (!is_standard && !publisher_of(version.framework).rules.zero_dims) ids.insert("ND-1");
    if (version.rules.operands != 0) ids.insert(op.count_rule);
    const auto lacks = [](const auto& row) { return !row.missing.empty(); };
    if (std::ranges::any_of(version.types, lacks) || std::ranges::any_of(version.attributes, lacks) ||
        !version.rules.missing_rule.empty() || version.rules.converts)
      ids.insert(kMissingRule);
    if (has_indices && (version.rules.index.out_of_bounds == OutOfBounds::error || !op.oob.empty()))
      ids.insert("IX-1");
    if (has_indices && version.rules.index.negative == Negative::refuse) ids.insert("IX-2");
  }
  std::vector<const Rule*> rules;
  for (const Rule& rule : kAllRules) {
    if (ids.contains(rule.id)) rules.push_back(&rule);
  }
  return rules;
}

bool is_rule_id(std::string_view text) {
  return text.find('-') != std::string_view::npos &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == std::string_view::npos;
}

}  // namespace tensorop
