// The element-wise operators and where/select as a user calls them: results that show what each attribute and
// version means, and every rule with its exact message.
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/bind.hpp"
#include "engine/engine.hpp"
#include "io/json_writer.hpp"
#include "ops/fault_text.hpp"
#include "ops/rules.hpp"
#include "support/catch.hpp"

namespace tensorop {
namespace {

// A call and the result it must have: dtype, shape and elements.
struct ResultCase {
  std::string call;
  std::string result;
};

std::string result_text(const Tensor& tensor) {
  std::string out = cat(name(tensor.dtype()), to_string(tensor.shape()));
  const std::int64_t width = element_size(tensor.dtype());
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    out += ' ';
    append_json_element(out, tensor.dtype(), tensor.data() + i * width);
  }
  return out;
}

void check_results(const std::vector<ResultCase>& cases) {
  for (const ResultCase& c : cases) {
    CAPTURE(c.call);
    CHECK(result_text(evaluate(parse_call(c.call), {})) == c.result);
  }
}

TEST_CASE("element-wise operators compute what their attributes and versions say", "[elementwise]") {
  check_results({
      {"add [[1,2],[3,4]] [10,20]", "int64(2,2) 11 22 13 24"},
      {"add 1 2", "int64() 3"},
      {"add [] [[1],[2]]", "int64(2,0)"},
      {"subtract [5] [1.5]", "float64(1) 3.5"},
      // The quotient is truncated, or floored where Divide-1 is meant.
      {"div [-7,7] [2]", "int64(2) -3 3"},
      {"div [-7,7] [2] --pythondiv 1", "int64(2) -4 3"},
      {"divide [-7,7] [2]", "int64(2) -4 3"},
      {"divide [-7,7] [2] --pythondiv false", "int64(2) -3 3"},
      {"div [-7,7] [2] --spec openvino-8", "int64(2) -4 3"},
      {"divide [-7,7] [2] --spec openvino-1 --pythondiv 0", "int64(2) -3 3"},
      {"div [-7,7] [2] --spec onnx-14", "int64(2) -3 3"},
      {"divide [-7.0,7.0] [2]", "float64(2) -3.5 3.5"},
      // The remainder has the divisor's sign, with fmod and as Mod-1 the dividend's.
      {"mod [-7,7] [3,-3]", "int64(2) 2 -2"},
      {"mod [-7,7] [3,-3] --fmod 1", "int64(2) -1 1"},
      {"mod [-7,7] [3,-3] --spec openvino-1", "int64(2) -1 1"},
      {"mod [-7.5,7.5] [3.0]", "float64(2) 1.5 1.5"},
      {"mod [-7.5,7.5] [3.0] --spec openvino-1", "float64(2) -1.5 1.5"},
      {"mod [-7.5,7.5] [3.0] --spec onnx-13 --fmod true", "float64(2) -1.5 1.5"},
      {"floormod [-7.5,7.5] [3.0] --spec openvino-1", "float64(2) 1.5 1.5"},
      {R"(squareddifference {"dtype":"uint8","data":[1,200]} [3,100])", "uint8(2) 4 16"},
      // The exponent's dtype is its own, except in the older versions.
      {"pow [2,3] [10,-1]", "int64(2) 1024 0"},
      {R"(pow {"dtype":"float32","data":[4]} [0.5])", "float32(1) 2.0"},
      {R"(pow [2,3] {"dtype":"int8","data":[3]})", "int64(2) 8 27"},
      {R"(power {"dtype":"float32","data":[4]} [0.5] --spec openvino-1)", "float32(1) 2.0"},
      {"pow 10 [2.5]", "int64(1) 316"},
      // Any number of operands, folded from the left.
      {"min [3,1,2]", "int64(3) 3 1 2"},
      {"max [1,5] [[2],[3]] 4", "int64(2,2) 4 5 4 5"},
      {"min [true,true] [true,false]", "bool(2) true false"},
      {"maximum [1,5] [2,2] --spec openvino-1", "int64(2) 2 5"},
      {"max 1.0 2.0 --spec onnx-1", "float64() 2.0"},
      // Comparisons, logic, bits.
      {"equal [\"a\",\"b\"] [\"a\"]", "bool(2) true false"},
      {"notequal [1.0,2.0] [1.0]", "bool(2) false true"},
      {"less [true,false] [true]", "bool(2) false true"},
      {"lessequal [1,2,3] 2", "bool(3) true true false"},
      {"greaterequal [1,2,3] 2 --spec openvino-1", "bool(3) false true true"},
      {R"(and {"dtype":"bool","data":[true,false]} [true])", "bool(2) true false"},
      {"logicalxor [true,false] [true] --spec openvino-1", "bool(2) false true"},
      {"bitwiseand [12,10] 6", "int64(2) 4 2"},
      {"bitwisexor [true,false] [true]", "bool(2) false true"},
      {"bitshift [1,-1] 3 --direction LEFT", "int64(2) 8 -8"},
      {"bitshift [16,-1] [3,99] --direction right", "int64(2) 2 -1"},
      // Divisors of zero are no error where nothing is computed.
      {R"(div {"dtype":"int32","shape":[0,2],"data":[]} [0,0])", "int32(0,2)"},
  });
}

TEST_CASE("each broadcasting rule places b as its section says", "[elementwise]") {
  const std::string a = "[[[1,2],[3,4]],[[5,6],[7,8]]] ";
  check_results({
      {"add " + a + "[10,20]", "int64(2,2,2) 11 22 13 24 15 26 17 28"},
      {"add " + a + "[10,20] --auto_broadcast pdpd", "int64(2,2,2) 11 22 13 24 15 26 17 28"},
      {"add " + a + "[10,20] --auto_broadcast pdpd --axis 1", "int64(2,2,2) 11 12 23 24 15 16 27 28"},
      {"add " + a + "[[10],[20]] --auto_broadcast PDPD --axis 0 --spec openvino-1",
       "int64(2,2,2) 11 12 13 14 25 26 27 28"},
      {"add " + a + "[10,20] --broadcast 1 --axis 0", "int64(2,2,2) 11 12 13 14 25 26 27 28"},
      {"add " + a + "[[10]] --broadcast 1 --axis 7", "int64(2,2,2) 11 12 13 14 15 16 17 18"},
      {"add " + a + "[10,20] --broadcast 1 --spec onnx-6", "int64(2,2,2) 11 22 13 24 15 26 17 28"},
      {"add [1.0] [2.0] --axis 5 --spec onnx-1 --consumed_inputs 0,0", "float64(1) 3.0"},
      {"max " + a + "[10,0] 3 --auto_broadcast pdpd --axis 0", "int64(2,2,2) 10 10 10 10 5 6 7 8"},
  });
}

TEST_CASE("where and select take x or y under their broadcasting rules", "[elementwise]") {
  const std::string x = "[[1,2,3],[4,5,6]] ";
  check_results({
      {"where [[true],[false]] [1,2] [3,4]", "int64(2,2) 1 2 3 4"},
      {"select [true,false,true] " + x + "0", "int64(2,3) 1 0 3 4 0 6"},
      {"select [true,false,true] " + x + "[[9],[8]] --spec openvino-1", "int64(2,3) 1 9 3 4 8 6"},
      {"where [true,false] [\"a\",\"b\"] [\"c\",\"d\"] --spec onnx-9", "string(2) \"a\" \"d\""},
      {"select [true,false] [1,2] [3,4] --auto_broadcast none", "int64(2) 1 4"},
      {"select [true,false] " + x + "[7,8] --auto_broadcast pdpd --axis 0", "int64(2,3) 1 2 3 8 8 8"},
      {"select [true,false,true] " + x + "7 --auto_broadcast pdpd --spec openvino-1",
       "int64(2,3) 1 7 3 4 7 6"},
      {"where [] [1] 2", "int64(0)"},
      {"where true [[1]] 2", "int64(1,1) 1"},
  });
}

std::vector<RuleCase> broadcasting_rules() {
  return {
      // BC-M1.
      {"add [1,2,3] [1,2]",
       "add: a (3) and b (2) do not broadcast: dimension 0 of the result would be both 3 and 2 [BC-M1]"},
      {"less float32[3,1,5] float32[4,4,5] --dry-run",
       "less: a (3,1,5) and b (4,4,5) do not broadcast: dimension 0 of the result would be both 3 and 4 "
       "[BC-M1]"},
      {"mul float32[2,0] float32[3] --spec onnx-14 --dry-run",
       "mul: a (2,0) and b (3) do not broadcast: dimension 1 of the result would be both 0 and 3 [BC-M1]"},
      {"max float32[2,3] float32[3] float32[4] --dry-run",
       "max: a (2,3) and b (3) and operand 3 (4) do not broadcast: dimension 1 of the result would be both 3 "
       "and "
       "4 [BC-M1]"},
      {"max 1 1 1 1 1 1 1 1 1 [1,2] [1,2,3]",
       "max: a () and b () and operand 3 () and operand 4 () and operand 5 () and operand 6 () and operand 7 "
       "() and "
       "operand 8 () and ... and operand 11 (3) do not broadcast: dimension 0 of the result would be both 2 "
       "and 3 "
       "[BC-M1]"},
      // BC-N1.
      {"add 1 [1] --auto_broadcast none",
       "add: a () and b (1) must have the same shape: their ranks are 0 and 1 [BC-N1]"},
      {"power float32[2,3] float32[2,1] --auto_broadcast none --spec openvino-1 --dry-run",
       "power: a (2,3) and b (2,1) must have the same shape: dimension 1 is 3 and 1 [BC-N1]"},
      {"min float32[2] float32[2] float32[1] --spec onnx-6 --dry-run",
       "min: a (2) and operand 3 (1) must have the same shape: dimension 0 is 2 and 1 [BC-N1]"},
      // BC-L.
      {"add [1] [1] --broadcast 2", "add: broadcast '2' is not one of 0, 1 [BC-L1]"},
      {"add [1.0] [1.0] --broadcast true --spec onnx-1", "add: broadcast 'true' is not one of 0, 1 [BC-L1]"},
      {"sub [[1],[2]] [1] --broadcast 0",
       "sub: a (2,1) and b (1) must have the same shape: their ranks are 2 and 1 [BC-L2]",
       "broadcast 1 broadcasts b to a"},
      {"greater float32[2,3] float32[3] --axis 1 --spec onnx-1 --dry-run",
       "greater: a (2,3) and b (3) must have the same shape: their ranks are 2 and 1 [BC-L2]",
       "broadcast 1 broadcasts b to a"},
      {"add [1,2,3] [[1,2,3]] --broadcast 1", "add: b (1,3) has more dimensions than a (3) [BC-L3]"},
      {"and bool[2,3] bool[3] --broadcast 1 --axis 2 --spec onnx-6 --dry-run",
       "and: axis 2 is out of range for b (3) within a (2,3) (allowed 0..1) [BC-L5]"},
      {"div float32[2,3] float32[3] --broadcast 1 --axis -1 --dry-run",
       "div: axis -1 is out of range for b (3) within a (2,3) (allowed 0..1) [BC-L5]"},
      {"mul float32[2,3,4,5] float32[3,1] --broadcast 1 --axis 1 --dry-run",
       "mul: b (3,1) at axis 1 is not a contiguous part of a (2,3,4,5): dimension 2 of a is 4, dimension 1 "
       "of b is 1 "
       "[BC-L6]"},
      {"mul float32[2,3,4,5] float32[3,4] --broadcast 1 --dry-run",
       "mul: b (3,4) at axis 2 is not a contiguous part of a (2,3,4,5): dimension 2 of a is 4, dimension 0 "
       "of b is 3 "
       "[BC-L6]"},
      // BC-P.
      {"add [1,2,3] [[1,2,3]] --auto_broadcast pdpd", "add: b (1,3) has more dimensions than a (3) [BC-P1]"},
      {"add [[1,2,3]] [1,2,3] --auto_broadcast pdpd --axis -2",
       "add: axis -2 is out of range (at least -1) [BC-P2]"},
      {"multiply float32[2,3,4,5] float32[4,5] --auto_broadcast pdpd --axis 3 --spec openvino-1 --dry-run",
       "multiply: b (4,5) at axis 3 does not end within a (2,3,4,5) [BC-P3]"},
      {"multiply float32[2,3,4,5] float32[3,4] --auto_broadcast pdpd --dry-run",
       "multiply: b (3,4) at axis 2 does not broadcast to a (2,3,4,5): dimension 2 of a is 4, dimension 0 of "
       "b is 3 "
       "[BC-P4]"},
      {"add float32[1,3] float32[2,3] --auto_broadcast pdpd --dry-run",
       "add: b (2,3) at axis 0 does not broadcast to a (1,3): dimension 0 of a is 1, dimension 0 of b is 2 "
       "[BC-P4]"},
      // EW-3: a rule that the version does not have.
      {"power [1] [1] --auto_broadcast pdpd --spec openvino-1",
       "power: auto_broadcast 'pdpd' is not one of numpy, none in openvino Power-1 [EW-3]",
       "pdpd is allowed by the default semantics (no --spec)"},
      {"minimum [1] [1] --auto_broadcast pdpd --spec openvino-15",
       "minimum: auto_broadcast 'pdpd' is not one of numpy, none in openvino Minimum-1 [EW-3]",
       "pdpd is allowed by the default semantics (no --spec)"},
      {"add [1] [1] --auto_broadcast explicit",
       "add: auto_broadcast 'explicit' is not one of numpy, pdpd, none [EW-3]"},
      // G-8: rules that exclude each other, axes without a use.
      {"add [1] [1] --auto_broadcast numpy --spec onnx-14",
       "add: onnx Add-14 has no attribute auto_broadcast [G-8]",
       "it is in openvino-1 and the default semantics (no --spec)"},
      {"add [1] [1] --broadcast 1 --spec openvino-1", "add: openvino Add-1 has no attribute broadcast [G-8]",
       "it is in onnx-1, onnx-6 and the default semantics (no --spec)"},
      {"add [1] [1] --broadcast 1 --auto_broadcast pdpd",
       "add: broadcast and auto_broadcast cannot be combined [G-8]"},
      {"add [1] [1] --axis 0",
       "add: axis is only allowed with auto_broadcast pdpd or broadcast 1, not with numpy [G-8]"},
      {"add [1] [1] --axis 0 --auto_broadcast none --spec openvino-1",
       "add: axis is only allowed with auto_broadcast pdpd, not with none [G-8]"},
      {"floormod [1] [1] --axis 0 --spec openvino-1",
       "floormod: openvino FloorMod-1 has no attribute axis [G-8]",
       "it is in the default semantics (no --spec)"},
  };
}

std::vector<RuleCase> arithmetic_rules() {
  return {
      // EW-1 and the operands of those that take two.
      {"minimum [1] --spec openvino-1", "minimum: openvino Minimum-1 takes 2 operands, not 1 [EW-1]"},
      {"max [1] [2] [3] --spec openvino-1", "max: openvino Maximum-1 takes 2 operands, not 3 [EW-1]"},
      {"min", "min: operand a is missing [G-8]"},
      {"add [1]", "add: operand b is missing [G-8]"},
      {"add [1] [2] [3]", "add: unexpected operand '[3]': add takes 2 [G-8]"},
      // EW-2 is T-1 and T-2.
      {"add bool[2] bool[2] --dry-run",
       "add: a is bool; the default semantics allows int8, int16, int32, int64, uint8, uint16, uint32, "
       "uint64, "
       "float16, bfloat16, float32, float64, complex64, complex128 [T-1]"},
      {"and int8[2] int8[2] --dry-run", "and: a is int8; the default semantics allows bool [T-1]"},
      {"less complex64[2] complex64[2] --dry-run",
       "less: a is complex64; the default semantics allows bool, int8, int16, int32, int64, uint8, uint16, "
       "uint32, "
       "uint64, float16, bfloat16, float32, float64 [T-1]"},
      {"bitshift int8[2] int8[2] --direction left --spec onnx-11 --dry-run",
       "bitshift: a is int8; onnx BitShift-11 allows uint8, uint16, uint32, uint64 [T-1]",
       "int8 is allowed by the default semantics (no --spec)"},
      {"add int8[2] int8[2] --spec onnx-7 --dry-run",
       "add: a is int8; onnx Add-7 allows int32, int64, uint32, uint64, float16, float32, float64 [T-1]",
       "int8 is allowed by onnx-14, openvino-1 and the default semantics (no --spec)"},
      {"add float32[2] float64[2] --dry-run",
       "add: b is float64, a is float32; they must have the same dtype [T-2]"},
      {"min float32[2] float32[2] int8[2] --dry-run",
       "min: operand 3 is int8, a is float32; they must have the same dtype [T-2]"},
      // The exponent has a dtype of its own from Pow-12 on.
      {"pow float32[2] float64[2] --spec onnx-7 --dry-run",
       "pow: b is float64, a is float32; they must have the same dtype [T-2]"},
      {"power float32[2] int32[2] --spec openvino-1 --dry-run",
       "power: b is int32, a is float32; they must have the same dtype [T-2]"},
      {"pow bfloat16[2] bfloat16[2] --spec onnx-13 --dry-run",
       "pow: b is bfloat16; onnx Pow-13 allows int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
       "float16, "
       "float32, float64 [T-1]",
       "bfloat16 is allowed by onnx-15, openvino-1 and the default semantics (no --spec)"},
      // EW-4 ... EW-6.
      {"mod float32[2] float32[2] --spec onnx-13 --dry-run",
       "mod: a is float32, and onnx Mod-13 defines mod of floats only with fmod 1 [EW-4]"},
      {"mod float16[2] float16[2] --fmod 0 --spec onnx-10 --dry-run",
       "mod: a is float16, and onnx Mod-10 defines mod of floats only with fmod 1 [EW-4]"},
      {"mod [1] [1] --fmod 2", "mod: fmod '2' is not one of 0, 1, true, false [EW-5]"},
      {"mod [1] [1] --fmod 1 --spec openvino-1", "mod: openvino Mod-1 has no attribute fmod [G-8]",
       "it is in onnx-10, onnx-13 and the default semantics (no --spec)"},
      {"bitshift [1] [1] --direction up", "bitshift: direction 'up' is not one of left, right [EW-6]"},
      {"bitshift [1] [1]", "bitshift: attribute direction is missing [G-8]"},
      {"div [1] [1] --pythondiv 1 --spec onnx-14", "div: onnx Div-14 has no attribute pythondiv [G-8]",
       "it is in openvino-1 and the default semantics (no --spec)"},
      {"divide [1] [1] --spec onnx-14", "divide: onnx-14 has no operator of this name [T-0]",
       "divide is in openvino-1"},
      {"bitwiseand [1] [1] --spec onnx-17", "bitwiseand: onnx-17 has no operator of this name [T-0]",
       "bitwiseand is in onnx-18"},
      // EW-7: the first output position and the divisor after it.
      {"div [[1,2],[3,4],[5,6]] [[1,0]]",
       "div: b[0,1] = 0: integer division by zero at output position [0,1] [EW-7]"},
      {"divide 1 0", "divide: b = 0: integer division by zero [EW-7]"},
      {"mod [[1],[2]] [3,0] --fmod 1",
       "mod: b[1] = 0: integer division by zero at output position [0,1] [EW-7]"},
      {"floormod [[5,6],[7,8]] [4,0] --auto_broadcast pdpd --axis 0",
       "floormod: b[1] = 0: integer division by zero at output position [1,0] [EW-7]"},
      {R"(div {"dtype":"int8","data":[-128,7]} [-1,0] --spec onnx-14)",
       "div: b[1] = 0: integer division by zero at output position [1] [EW-7]"},
      {"pow [[2,0]] [[1],[-3]]",
       "pow: a[0,1] = 0 to the power b[1,0] = -3: integer division by zero at output position [1,1] [EW-7]"},
      // EW-8.
      {"pow [2,10] [0.5,30.5]",
       "pow: a[1] = 10 to the power b[1] = 30.5: not representable in int64 at output position [1] [EW-8]"},
      {R"(pow {"dtype":"int8","data":[2]} {"dtype":"float16","data":["NaN"]})",
       "pow: a[0] = 2 to the power b[0] = NaN: not representable in int8 at output position [0] [EW-8]"},
      {"pow 0 -0.5", "pow: a = 0 to the power b = -0.5: not representable in int64 [EW-8]"},
      {"bitshift [1,2] [3,-1] --direction left",
       "bitshift: b[1] = -1: negative shift amount at output position [1] [EW-8]"},
  };
}

std::vector<RuleCase> where_rules() {
  return {
      {"where [1,0] [1,2] [3,4]", "where: condition is int64; the default semantics allows bool [WH-1]"},
      {"select float32[2] int8[2] int8[2] --spec openvino-1 --dry-run",
       "select: condition is float32; openvino Select-1 allows bool [WH-1]"},
      {"where [true] float32[2] float64[2] --dry-run",
       "where: y is float64, x is float32; they must have the same dtype [T-2]"},
      {"where bool[2] bfloat16[2] bfloat16[2] --spec onnx-9 --dry-run",
       "where: x is bfloat16; onnx Where-9 allows bool, int8, int16, int32, int64, uint8, uint16, uint32, "
       "uint64, "
       "float16, float32, float64, complex64, complex128, string [T-1]",
       "bfloat16 is allowed by onnx-16, openvino-1 and the default semantics (no --spec)"},
      {"where bool[2] int8[3] int8[3] --dry-run",
       "where: condition (2) and x (3) do not broadcast: dimension 0 of the result would be both 2 and 3 "
       "[WH-2]"},
      {"where bool[2,1] int8[3] int8[4] --spec onnx-16 --dry-run",
       "where: condition (2,1) and x (3) and y (4) do not broadcast: dimension 1 of the result would be both "
       "3 and 4 "
       "[WH-2]"},
      {"select bool[2] int8[2] int8[1] --auto_broadcast none --dry-run",
       "select: condition (2) and y (1) must have the same shape: dimension 0 is 2 and 1 [SL-1]"},
      {"select bool[2] int8[2] int8[3] --spec openvino-1 --dry-run",
       "select: x (2) and y (3) do not broadcast: dimension 0 of the result would be both 2 and 3 [SL-2]"},
      // The condition is broadcast one way.
      {"select [[true],[false]] [1,2] [3,4] --spec openvino-1",
       "select: condition (2,1) has more dimensions than the result (2) [SL-2]"},
      {"select bool[2,1] int8[1,2] int8[1,1] --spec openvino-1 --dry-run",
       "select: condition (2,1) does not broadcast to the result (1,2): dimension 0 of the result is 1, that "
       "of "
       "condition is 2 [SL-2]"},
      // SL-3 is BC-P, first for y, then for the condition.
      {"select bool[2,3] int8[3] int8[2,3] --auto_broadcast pdpd --dry-run",
       "select: y (2,3) has more dimensions than x (3) [BC-P1]"},
      {"select bool[2] int8[2,3] int8[3] --auto_broadcast pdpd --spec openvino-1 --dry-run",
       "select: condition (2) at axis 1 does not broadcast to x (2,3): dimension 1 of x is 3, dimension 0 of "
       "condition "
       "is 2 [BC-P4]"},
      {"where [true] [1] [2] --axis 0 --spec onnx-16", "where: onnx Where-16 has no attribute axis [G-8]",
       "it is in openvino-1 and the default semantics (no --spec)"},
      {"where [true] [1] [2] --axis 0",
       "where: axis is only allowed with auto_broadcast pdpd, not with numpy [G-8]"},
      {"where [true] [1] [2] --spec openvino-1", "where: openvino-1 has no operator of this name [T-0]",
       "where is in onnx-9, onnx-16"},
      {"select [true] [1] [2] --spec onnx-16", "select: onnx-16 has no operator of this name [T-0]",
       "select is in openvino-1"},
  };
}

TEST_CASE("element-wise operators name the broken rule", "[elementwise][rules]") {
  check_rules(broadcasting_rules());
  check_rules(arithmetic_rules());
}

TEST_CASE("where and select name the broken rule", "[elementwise][rules]") {
  check_rules(where_rules());
}

// Two rules broken at once: the one of the earlier stage is named (G-9).
TEST_CASE("element-wise operators name the rule of the earliest stage", "[elementwise][rules]") {
  struct OrderCase {
    std::string call;
    std::string rule;
  };
  const std::vector<OrderCase> cases = {
      {"minimum bool[2] --auto_broadcast pdpd --spec openvino-1 --dry-run", "EW-1"},
      {"add bool[2] bool[2] --broadcast 2 --dry-run", "BC-L1"},
      {"add bool[2] bool[2] --axis 0 --dry-run", "G-8"},
      {"mod bool[2] bool[2] --fmod 2 --dry-run", "EW-5"},
      {"power bool[2] bool[2] --auto_broadcast pdpd --spec openvino-1 --dry-run", "EW-3"},
      {"add bool[2] float32[3] --dry-run", "T-1"},
      {"mod float32[2] float64[2] --spec onnx-13 --dry-run", "T-2"},
      {"mod float32[2] float32[3] --spec onnx-13 --dry-run", "EW-4"},
      {"where float32[2] float32[2] float64[3] --dry-run", "T-2"},
      {"where float32[2] float32[3] float32[3] --dry-run", "WH-1"},
      {"div [1,2] [0,0,0]", "BC-M1"},
      {"pow [0,10] [-1.5,99.5]", "EW-8"},
      {"pow [0,2] [-1,5]", "EW-7"},
  };
  for (const OrderCase& c : cases) {
    CAPTURE(c.call);
    const Request request = parse_call(c.call);
    std::string rule;
    try {
      (void)(request.dry_run ? infer_request(request, {}).shape : evaluate(request, {}).shape());
    } catch (const Error& error) {
      rule = error.rule();
    }
    CHECK(rule == c.rule);
  }
}

// Whatever the threads do, the lowest position is named; check() finds it without writing anything.
TEST_CASE("the first division by zero of a large result is named", "[elementwise]") {
  constexpr std::int64_t kRows = 3000;
  constexpr std::int64_t kColumns = 1000;
  const auto storage = std::make_shared<Storage>(kRows * kColumns);
  std::memset(storage->data(), 3, kRows * kColumns);
  const Tensor a(DType::int8, {kRows, kColumns}, storage);
  const auto divisors = std::make_shared<Storage>(kRows * kColumns);
  std::memset(divisors->data(), 1, kRows * kColumns);
  for (const std::int64_t position : {1234567, 1234568, 2000000, 2999999}) divisors->data()[position] = {};
  const Tensor b(DType::int8, {kRows, kColumns}, divisors);
  const std::string message =
      "b[1234,567] = 0: integer division by zero at output position [1234,567] [EW-7]";
  for (const int threads : {1, 2, 7}) {
    Settings settings;
    settings.threads = Threads(threads);
    settings.lookup = [&](const std::string& text) -> std::optional<Tensor> {
      return text == "@a" ? std::optional(a) : text == "@b" ? std::optional(b) : std::nullopt;
    };
    const Request request = parse_call("div @a @b");
    const auto said = [](const auto& work) {
      try {
        work();
      } catch (const Error& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    CHECK(said([&] { (void)evaluate(request, settings); }) == "div: " + message);
    const Bound bound = bind(request, settings);
    const Plan& plan = *bound.planned.plan;
    CHECK(plan.fill_checks());
    CHECK(said([&] {
            with_fault_text(bound.call, bound.planned, [&] { plan.check({0, plan.check_size()}); });
          }) == message);
  }
}

}  // namespace
}  // namespace tensorop
