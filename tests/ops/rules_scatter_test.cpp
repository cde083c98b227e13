// The rules of the scatter family: section 4 of the specification, and what it says of index values.
#include "ops/rules.hpp"
#include "support/catch.hpp"

namespace tensorop {

std::vector<RuleCase> scatter_rules() {
  return {
      // SE-1 ... SE-3, SE-5, SE-6; SE-4 is AX-1, SE-7 is IX.
      {"scatter 3 0 1", "scatter: data is a scalar; its rank must be at least 1 [SE-1]"},
      {"scatterelements [3] [[0]] [1]",
       "scatterelements: indices (1,1) must have the rank of data (1) [SE-2]"},
      {"scatterelements [3] [0] [1] --axis -2",
       "scatterelements: axis -2 is out of range for data of shape (1) (allowed -1..0) [AX-1]"},
      {"scatterelements [3] [0] [1,2]",
       "scatterelements: updates (2) must have shape (1): that of indices [SE-3]"},
      {"scatterelements [3] [0] [[1]]",
       "scatterelements: updates (1,1) must have shape (1): that of indices [SE-3]"},
      {"scatterelements [[1,2],[3,4]] [[0,0,0]] [[1,2,3]]",
       "scatterelements: dimension 1 of indices (1,3) must not exceed that of data (2,2) (only axis 0 is "
       "free) "
       "[SE-5]"},
      {"scatterelementsupdate [3] [0,0] [1,2] --spec openvino-3",
       "scatterelementsupdate: dimension 0 of indices (2) must not exceed that of data (1) [SE-5]",
       "more along the axis is allowed by onnx-9, onnx-11, onnx-13, onnx-16, onnx-18, openvino-12 and "
       "the default semantics (no --spec)"},
      {"scatterelements [3] [0] [1] --reduction foo",
       "scatterelements: reduction 'foo' is not one of none, add, sum, sub, mul, prod, min, max, mean "
       "[SE-6]"},
      {"scatterelements [3] [0] [1] --reduction maxx",
       "scatterelements: reduction 'maxx' is not one of none, add, sum, sub, mul, prod, min, max, mean "
       "[SE-6]",
       "did you mean max?"},
      {"scatterelements [3] [0] [1] --reduction min --spec onnx-17",
       "scatterelements: reduction 'min' is not one of none, add, mul in onnx ScatterElements-16 [SE-6]",
       "min is allowed by onnx-18, openvino-12 and the default semantics (no --spec)"},
      // A publisher's spelling is the publisher's alone.
      {"scatterelements [3] [0] [1] --reduction sum --spec onnx-18",
       "scatterelements: reduction 'sum' is not one of none, add, mul, max, min in onnx ScatterElements-18 "
       "[SE-6]",
       "sum is allowed by openvino-12 and the default semantics (no --spec)"},
      {"scatterelements [3] [0] [1] --reduction sub --spec openvino-12",
       "scatterelements: reduction 'sub' is not one of none, sum, prod, min, max, mean in openvino "
       "ScatterElementsUpdate-12 [SE-6]",
       "sub is allowed by the default semantics (no --spec)"},

      // SU-1, SU-2; SU-3 is IX.
      {"scatterupdate 3 0 3", "scatterupdate: data is a scalar; its rank must be at least 1 [SU-1]"},
      {"scatterupdate [3] 0 3 --axis 1",
       "scatterupdate: axis 1 is out of range for data of shape (1) (allowed -1..0) [AX-1]"},
      {"scatterupdate [3] 0 [3]",
       "scatterupdate: updates (1) must have shape (): that of data (1) with that of indices () instead of "
       "axis 0 [SU-2]"},
      {"scatterupdate float32[10,25,3] int64[12,2] float32[10,12,3] --axis -2 --dry-run",
       "scatterupdate: updates (10,12,3) must have shape (10,12,2,3): that of data (10,25,3) with that of "
       "indices (12,2) instead of axis 1 [SU-2]"},

      // SN-1 ... SN-4; SN-5 is IX.
      {"scatternd 3 [0] 3", "scatternd: data is a scalar; its rank must be at least 1 [SN-1]"},
      {"scatternd [3] 0 3", "scatternd: indices is a scalar; its rank must be at least 1 [SN-1]"},
      {"scatternd [3] [0,0] 3",
       "scatternd: the last dimension of indices (2) is 2; for data (1) it must be 0..1 [SN-2]"},
      {"scatternd [3] [[0]] [[3]]",
       "scatternd: updates (1,1) must have shape (1): that of indices (1,1) without its last dimension, then "
       "that of data (1) from dimension 1 [SN-3]"},
      {"scatternd float32[4,5,6] int64[2,3,2] float32[2,3,5] --dry-run",
       "scatternd: updates (2,3,5) must have shape (2,3,6): that of indices (2,3,2) without its last "
       "dimension, "
       "then that of data (4,5,6) from dimension 2 [SN-3]"},
      {"scatternd [3] [0] [3] --spec onnx-18",
       "scatternd: updates (1) must have shape (): that of indices (1) without its last dimension, then that "
       "of "
       "data (1) from dimension 1 [SN-3]",
       "a single update of any shape is allowed by openvino-3, openvino-15 and the default semantics (no "
       "--spec)"},
      {"scatternd [3] [0] 3 --reduction average",
       "scatternd: reduction 'average' is not one of none, add, sum, sub, mul, prod, min, max, mean [SN-4]"},
      {"scatternd [3] [0] 3 --reduction mean --spec openvino-15",
       "scatternd: reduction 'mean' is not one of none, sum, sub, prod, min, max in openvino "
       "ScatterNDUpdate-15 "
       "[SN-4]",
       "mean is allowed by the default semantics (no --spec)"},
      {"scatternd [3] [0] 3 --reduction max --spec onnx-16",
       "scatternd: reduction 'max' is not one of none, add, mul in onnx ScatterND-16 [SN-4]",
       "max is allowed by onnx-18, openvino-15 and the default semantics (no --spec)"},

      // IX-1.
      {"scatterelements [1,2,3] [3] [9]",
       "scatterelements: indices[0] = 3 is out of range for axis 0 of data (size 3; allowed -3..2) [IX-1]"},
      {"scatterelements [[1,2,3]] [[0,-4]] [[8,9]] --axis 1",
       "scatterelements: indices[0,1] = -4 is out of range for axis 1 of data (size 3; allowed -3..2) "
       "[IX-1]"},
      {R"(scatterelements {"dtype":"int64","shape":[0],"data":[]} [0] [1])",
       "scatterelements: indices[0] = 0 is out of range for axis 0 of data (size 0; nothing is allowed) "
       "[IX-1]"},
      {R"(scatterelements {"dtype":"int64","shape":[0],"data":[]} [0] [1] --oob wrap)",
       "scatterelements: indices[0] = 0 is out of range for axis 0 of data (size 0; nothing is allowed) "
       "[IX-1]"},
      {"scatterupdate [[1,2],[3,4]] [1,2] [[5,6],[7,8]] --axis 1",
       "scatterupdate: indices[1] = 2 is out of range for axis 1 of data (size 2; allowed -2..1) [IX-1]"},
      {"scatternd [[1,2],[3,4]] [[0,1],[2,0]] [8,9]",
       "scatternd: indices[1,0] = 2 is out of range for axis 0 of data (size 2; allowed -2..1) [IX-1]"},
      {"scatternd [[1,2],[3,4]] [[0,3]] [9] --spec openvino-15",
       "scatternd: indices[0,1] = 3 is out of range for axis 1 of data (size 2; allowed -2..1) [IX-1]"},
      // Tuples are checked though they update nothing.
      {R"(scatternd {"dtype":"int64","shape":[2,0],"data":[]} [[5]] {"dtype":"int64","shape":[1,0],"data":[]})",
       "scatternd: indices[0,0] = 5 is out of range for axis 0 of data (size 2; allowed -2..1) [IX-1]"},

      // IX-2.
      {"scatterelements [1,2] [-1] [9] --spec openvino-3",
       "scatterelements: indices[0] = -1 is negative, which openvino ScatterElementsUpdate-3 does not allow "
       "for "
       "axis 0 of data (size 2; allowed 0..1) [IX-2]",
       "negative indices are allowed by onnx-11, onnx-13, onnx-16, onnx-18, openvino-12 and the default "
       "semantics (no --spec)"},
      {"scatterupdate [1,2] -1 9 --spec openvino-3",
       "scatterupdate: indices = -1 is negative, which openvino ScatterUpdate-3 does not allow for axis 0 of "
       "data (size 2; allowed 0..1) [IX-2]",
       "negative indices are allowed by the default semantics (no --spec)"},
      {"scatternd [1,2] [[1],[-1]] [8,9] --spec openvino-3",
       "scatternd: indices[1,0] = -1 is negative, which openvino ScatterNDUpdate-3 does not allow for axis 0 "
       "of "
       "data (size 2; allowed 0..1) [IX-2]",
       "negative indices are allowed by onnx-11, onnx-13, onnx-16, onnx-18, openvino-15 and the default "
       "semantics (no --spec)"},

      // IX-3.
      {"scatterelements float32[3] int8[3] float32[3] --spec onnx-18 --dry-run",
       "scatterelements: indices is int8; onnx ScatterElements-18 allows int32, int64 [IX-3]",
       "int8 is allowed by openvino-3, openvino-12 and the default semantics (no --spec)"},
      {"scatternd float32[3] int32[3,1] float32[3] --spec onnx-18 --dry-run",
       "scatternd: indices is int32; onnx ScatterND-18 allows int64 [IX-3]",
       "int32 is allowed by openvino-3, openvino-15 and the default semantics (no --spec)"},
      {"scatterupdate float32[3] string[3] float32[3] --dry-run",
       "scatterupdate: indices is string; the default semantics allows int8, int16, int32, int64, uint8, "
       "uint16, uint32, uint64 [IX-3]"},

      // T-1, T-2, T-3.
      {"scatternd bool[3] int64[3,1] bool[3] --spec openvino-3 --dry-run",
       "scatternd: data is bool; openvino ScatterNDUpdate-3 allows int8, int16, int32, int64, uint8, uint16, "
       "uint32, uint64, float16, bfloat16, float32, float64 [T-1]",
       "bool is allowed by onnx-11, onnx-13, onnx-16, onnx-18, openvino-15 and the default semantics (no "
       "--spec)"},
      {"scatterelements float32[3] int64[3] float64[3] --dry-run",
       "scatterelements: updates is float64, data is float32; they must have the same dtype [T-2]"},
      {R"(scatterelements [1.5] [0] ["b"])",
       "scatterelements: updates is string, data is float64; they must have the same dtype [T-2]"},
      {R"(scatterelements ["a"] [0] ["b"] --reduction add)",
       "scatterelements: reduction add is not defined for string data (allowed: none) [T-3]"},
      {"scatterelements float8_e4m3fn[3] int64[3] float8_e4m3fn[3] --reduction add --dry-run",
       "scatterelements: reduction add is not defined for float8_e4m3fn data (allowed: none) [T-1]"},
      {"scatternd uint4[3] int64[3,1] uint4[3] --reduction max --dry-run",
       "scatternd: reduction max is not defined for uint4 data (allowed: none) [T-1]"},
      {"scatterupdate float4_e2m1fn[3] int64[3] float4_e2m1fn[3] --reduction mean --dry-run",
       "scatterupdate: reduction mean is not defined for float4_e2m1fn data (allowed: none) [T-1]"},
      {"scatterelements [true] [0] [true] --reduction mean --spec openvino-12",
       "scatterelements: reduction mean is not defined for bool data (allowed: none, sum, prod, min, max) "
       "[T-3]"},
      {"scatternd complex64[3] int64[3,1] complex64[3] --reduction max --dry-run",
       "scatternd: reduction max is not defined for complex64 data (allowed: none, add, sum, sub, mul, prod, "
       "mean) [T-3]"},
      {"scatterupdate bool[3] int64[3] bool[3] --reduction mean --dry-run",
       "scatterupdate: reduction mean is not defined for bool data (allowed: none, add, sum, sub, mul, prod, "
       "min, max) [T-3]"},
  };
}

TEST_CASE("every rule of the scatter family is named with its operand, place, value and what is allowed",
          "[rules]") {
  check_rules(scatter_rules());
}

}  // namespace tensorop
