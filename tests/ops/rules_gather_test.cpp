// The rules of the gather family: section 3 of the specification, and what it says of index values.
#include "ops/rules.hpp"
#include "support/catch.hpp"

namespace tensorop {

std::vector<RuleCase> gather_rules() {
  return {
      // GA-1 ... GA-5; GA-2 is AX-1, GA-6 is IX.
      {"gather 3 0", "gather: data is a scalar; its rank must be at least 1 [GA-1]"},
      {"gather [1,2] 0 --axis 1",
       "gather: axis 1 is out of range for data of shape (2) (allowed -1..0) [AX-1]"},
      {"gather [[1,2],[3,4]] 0 --axis -3",
       "gather: axis -3 is out of range for data of shape (2,2) (allowed -2..1) [AX-1]"},
      {"gather [[1,2],[3,4]] [[0],[0]] --batch_dims 3",
       "gather: batch_dims 3 is out of range for data (2,2) and indices (2,1) (allowed -2..2) [GA-3]"},
      {"gather float32[2,2] int64[2,1,1] --batch_dims -3 --dry-run",
       "gather: batch_dims -3 is out of range for data (2,2) and indices (2,1,1) (allowed -2..2) [GA-3]"},
      {"gather [[1,2],[3,4]] 0 --batch_dims 1 --axis 1",
       "gather: batch_dims 1 is out of range for data (2,2) and indices () (allowed 0..0) [GA-3]"},
      {"gather [[1,2],[3,4]] [[0],[0]] --batch_dims 1", "gather: batch_dims 1 must not exceed axis 0 [GA-4]"},
      {"gather float32[2,2] int64[2,2] --batch_dims 2 --axis 1 --dry-run",
       "gather: batch_dims 2 must not exceed axis 1 [GA-4]"},
      {"gather float32[2,2] int64[2,1,1] --batch_dims -1 --axis 1 --dry-run",
       "gather: batch_dims -1 (that is 2) must not exceed axis 1 [GA-4]"},
      {"gather [[1,2],[3,4]] [[0],[0],[1]] --batch_dims 1 --axis 1",
       "gather: batch dimension 0 of data (2,2) is 2, that of indices (3,1) is 3; they must be equal [GA-5]"},
      {"gather float32[2,3,4] int64[2,1,4] --batch_dims 2 --axis 2 --spec openvino-7 --dry-run",
       "gather: batch dimension 1 of data (2,3,4) is 3, that of indices (2,1,4) is 1; they must be equal "
       "[GA-5]"},

      // GE-1, GE-2, GE-4; GE-3 is AX-1, GE-5 is IX.
      {"gatherelements 3 3", "gatherelements: data is a scalar; its rank must be at least 1 [GE-1]"},
      {"gatherelements [3] [[3]]", "gatherelements: indices (1,1) must have the rank of data (1) [GE-2]"},
      {"gatherelements [3] [0] --axis 1",
       "gatherelements: axis 1 is out of range for data of shape (1) (allowed -1..0) [AX-1]"},
      {"gatherelements [[1,2],[3,4]] [[0,0,0]]",
       "gatherelements: dimension 1 of indices (1,3) must not exceed that of data (2,2) (only axis 0 is "
       "free) "
       "[GE-4]"},
      {"gatherelements [[1,2],[3,4]] [[0]] --spec openvino-6",
       "gatherelements: dimension 1 of indices (1,1) must equal that of data (2,2) (only axis 0 is free) "
       "[GE-4]",
       "smaller dimensions are allowed by onnx-11, onnx-13 and the default semantics (no --spec)"},
      {"gatherelements [[1,2],[3,4]] [[0],[0],[0]] --axis 1 --spec openvino-6",
       "gatherelements: dimension 0 of indices (3,1) must equal that of data (2,2) (only axis 1 is free) "
       "[GE-4]"},

      // GN-1 ... GN-4; GN-5 is IX.
      {"gathernd 3 [0]", "gathernd: data is a scalar; its rank must be at least 1 [GN-1]"},
      {"gathernd [3] 0", "gathernd: indices is a scalar; its rank must be at least 1 [GN-1]"},
      {"gathernd [[1,2],[3,4]] [[1],[0]] --batch_dims 2",
       "gathernd: batch_dims 2 is out of range for data (2,2) and indices (2,1) (allowed -2..1) [GN-2]"},
      {"gathernd [[1,2],[3,4]] [[1],[0]] --batch_dims -3",
       "gathernd: batch_dims -3 is out of range for data (2,2) and indices (2,1) (allowed -2..1) [GN-2]"},
      {"gathernd [[1,2],[3,4]] [[1],[0]] --batch_dims -1 --spec onnx-13",
       "gathernd: batch_dims -1 is out of range for data (2,2) and indices (2,1) (allowed 0..1) [GN-2]",
       "negative batch_dims are allowed by the default semantics (no --spec)"},
      {"gathernd [[1,2],[3,4]] [[1],[0],[0]] --batch_dims 1",
       "gathernd: batch dimension 0 of data (2,2) is 2, that of indices (3,1) is 3; they must be equal or "
       "one "
       "of them 1 [GN-3]"},
      {"gathernd [[1,2],[3,4]] [[1]] --batch_dims 1 --spec onnx-13",
       "gathernd: batch dimension 0 of data (2,2) is 2, that of indices (1,1) is 1; they must be equal "
       "[GN-3]",
       "a batch dimension of 1 against another size is allowed by openvino-5, openvino-8 and the default "
       "semantics (no --spec)"},
      {"gathernd [[1,2],[3,4]] [[1,0,0]]",
       "gathernd: the last dimension of indices (1,3) is 3; for data (2,2) with batch_dims 0 it must be 0..2 "
       "[GN-4]"},
      {"gathernd [[1,2],[3,4]] [[1,0],[0,0]] --batch_dims 1 --spec mdf",
       "gathernd: the last dimension of indices (2,2) is 2; for data (2,2) with batch_dims 1 it must be 1..1 "
       "[GN-4]"},
      {"gathernd float32[2,2] int64[2,0] --spec onnx-11 --dry-run",
       "gathernd: the last dimension of indices (2,0) is 0; for data (2,2) with batch_dims 0 it must be 1..2 "
       "[GN-4]",
       "index tuples of length 0 are allowed by openvino-5, openvino-8 and the default semantics (no "
       "--spec)"},

      // IX-1: the lowest bad element in row-major order, by its coordinates.
      {"gather [1,2] 2",
       "gather: indices = 2 is out of range for axis 0 of data (size 2; allowed -2..1) [IX-1]"},
      {"gather [[1,2],[3,4]] [0,-3,2] --axis 1",
       "gather: indices[1] = -3 is out of range for axis 1 of data (size 2; allowed -2..1) [IX-1]"},
      {"gather [[1,2],[3,4]] [[1,1],[1,5]] --axis -1",
       "gather: indices[1,1] = 5 is out of range for axis 1 of data (size 2; allowed -2..1) [IX-1]"},
      {R"(gather [1,2] {"dtype":"uint64","data":[0,18446744073709551615]})",
       "gather: indices[1] = 18446744073709551615 is out of range for axis 0 of data (size 2; allowed -2..1) "
       "[IX-1]"},
      {R"(gather [1,2] {"dtype":"int64","data":[-9223372036854775808]})",
       "gather: indices[0] = -9223372036854775808 is out of range for axis 0 of data (size 2; allowed -2..1) "
       "[IX-1]"},
      {R"(gather [1,2] {"dtype":"uint8","data":[255]} --spec openvino-7)",
       "gather: indices[0] = 255 is out of range for axis 0 of data (size 2; allowed 0..1) [IX-1]"},
      // Nothing is valid on an axis without elements, and indices count though nothing would be copied.
      {R"(gather {"dtype":"float32","shape":[0,3],"data":[]} 0)",
       "gather: indices = 0 is out of range for axis 0 of data (size 0; nothing is allowed) [IX-1]"},
      {R"(gather {"dtype":"float32","shape":[3,0],"data":[]} [2,7])",
       "gather: indices[1] = 7 is out of range for axis 0 of data (size 3; allowed -3..2) [IX-1]"},
      {R"(gather {"dtype":"float32","shape":[0,3],"data":[]} 0 --oob clip)",
       "gather: indices = 0 is out of range for axis 0 of data (size 0; nothing is allowed) [IX-1]"},
      {R"(gather {"dtype":"float32","shape":[0,3],"data":[]} 0 --oob wrap)",
       "gather: indices = 0 is out of range for axis 0 of data (size 0; nothing is allowed) [IX-1]"},
      {"gather [[1,2],[3,4]] [[0],[2]] --batch_dims 1 --axis 1",
       "gather: indices[1,0] = 2 is out of range for axis 1 of data (size 2; allowed -2..1) [IX-1]"},
      {"gatherelements [[1,2],[3,4]] [[0,1],[0,2]]",
       "gatherelements: indices[1,1] = 2 is out of range for axis 0 of data (size 2; allowed -2..1) [IX-1]"},
      {"gathernd [[1,2],[3,4]] [[0,1],[1,-3]]",
       "gathernd: indices[1,1] = -3 is out of range for axis 1 of data (size 2; allowed -2..1) [IX-1]"},
      // Each component by itself: (0,3) would be a place within six elements.
      {"gathernd [[1,2,3],[4,5,6]] [[0,3]]",
       "gathernd: indices[0,1] = 3 is out of range for axis 1 of data (size 3; allowed -3..2) [IX-1]"},
      // Component j is one of axis b + j.
      {"gathernd [[1,2,3],[4,5,6]] [[2],[3]] --batch_dims 1",
       "gathernd: indices[1,0] = 3 is out of range for axis 1 of data (size 3; allowed -3..2) [IX-1]"},

      // IX-2: negative where the version has none.
      {"gather [[1,2],[3,4]] [0,-1] --spec onnx-1",
       "gather: indices[1] = -1 is negative, which onnx Gather-1 does not allow for axis 0 of data (size 2; "
       "allowed 0..1) [IX-2]",
       "negative indices are allowed by onnx-11, onnx-13, openvino-8 and the default semantics (no --spec)"},
      {"gather [1,2] -9 --spec openvino-1",
       "gather: indices = -9 is negative, which openvino Gather-1 does not allow for axis 0 of data (size 2; "
       "allowed 0..1) [IX-2]",
       "negative indices are allowed by onnx-11, onnx-13, openvino-8 and the default semantics (no --spec)"},
      {"gatherelements [1,2] [0,-1] --spec openvino-6",
       "gatherelements: indices[1] = -1 is negative, which openvino GatherElements-6 does not allow for axis "
       "0 "
       "of data (size 2; allowed 0..1) [IX-2]",
       "negative indices are allowed by onnx-11, onnx-13 and the default semantics (no --spec)"},
      {"gathernd [[1,2],[3,4]] [[0,1],[1,-1]] --spec openvino-5",
       "gathernd: indices[1,1] = -1 is negative, which openvino GatherND-5 does not allow for axis 1 of data "
       "(size 2; allowed 0..1) [IX-2]",
       "negative indices are allowed by onnx-11, onnx-12, onnx-13, openvino-8, mdf and the default semantics "
       "(no --spec)"},

      // IX-3: the dtype of indices.
      {"gather float32[2,2] float32[2] --dry-run",
       "gather: indices is float32; the default semantics allows int8, int16, int32, int64, uint8, uint16, "
       "uint32, uint64 [IX-3]"},
      {"gather float32[2,2] bool[2] --spec onnx-13 --dry-run",
       "gather: indices is bool; onnx Gather-13 allows int32, int64 [IX-3]"},
      {"gatherelements float32[2,2] uint8[2] --spec onnx-13 --dry-run",
       "gatherelements: indices is uint8; onnx GatherElements-13 allows int32, int64 [IX-3]",
       "uint8 is allowed by the default semantics (no --spec)"},
      {"gathernd float32[2,2] int32[2,1] --spec onnx-13 --dry-run",
       "gathernd: indices is int32; onnx GatherND-13 allows int64 [IX-3]",
       "int32 is allowed by openvino-5, openvino-8, mdf and the default semantics (no --spec)"},
      {"gathernd float32[2,2] uint64[2,1] --spec mdf --dry-run",
       "gathernd: indices is uint64; mdf allows int32, int64 [IX-3]",
       "uint64 is allowed by openvino-5, openvino-8 and the default semantics (no --spec)"},

      // T-1.
      {"gather complex64[2,2] int32[2] --spec openvino-8 --dry-run",
       "gather: data is complex64; openvino Gather-8 allows bool, int8, int16, int32, int64, uint8, uint16, "
       "uint32, uint64, float16, bfloat16, float32, float64, string [T-1]",
       "complex64 is allowed by onnx-1, onnx-11, onnx-13 and the default semantics (no --spec)"},
      {"gathernd bfloat16[2,2] int64[2,1] --spec onnx-12 --dry-run",
       "gathernd: data is bfloat16; onnx GatherND-12 allows bool, int8, int16, int32, int64, uint8, uint16, "
       "uint32, uint64, float16, float32, float64, complex64, complex128, string [T-1]",
       "bfloat16 is allowed by onnx-13, openvino-5, openvino-8, mdf and the default semantics (no --spec)"},

      // G-2: the result does not fit.
      {"gather float64[1,576460752303423488] int64[2] --dry-run",
       "gather: shape (2,576460752303423488) has more elements of 8 bytes than fit in 2^63 bytes [G-2]"},
  };
}

TEST_CASE("every rule of the gather family is named with its operand, place, value and what is allowed",
          "[rules]") {
  check_rules(gather_rules());
}

}  // namespace tensorop
