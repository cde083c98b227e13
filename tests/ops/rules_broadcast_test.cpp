// The rules of broadcast and expand: sections 2.3 to 2.8, 5.1 and 5.2 of the specification.
#include "ops/rules.hpp"
#include "support/catch.hpp"

namespace tensorop {

std::vector<RuleCase> broadcast_rules() {
  return {
      // BC-U1, BC-U2: one way onto the target.
      {"broadcast [[1,2,3]] --shape 3", "broadcast: data (1,3) has more dimensions than shape (3) [BC-U1]"},
      {"broadcast [1] --shape []", "broadcast: data (1) has more dimensions than shape () [BC-U1]"},
      {"broadcast [1,2,3] --shape 3,2",
       "broadcast: data (3) does not broadcast to shape (3,2): dimension 1 of the result is 2, that of data "
       "is "
       "3 [BC-U2]"},
      {"broadcast float32[16,1,1] --shape 1,1,50,50 --spec openvino-3 --dry-run",
       "broadcast: data (16,1,1) does not broadcast to shape (1,1,50,50): dimension 1 of the result is 1, "
       "that "
       "of data is 16 [BC-U2]"},
      {"broadcast [] --shape 1",
       "broadcast: data (0) does not broadcast to shape (1): dimension 0 of the result is 1, that of data is "
       "0 "
       "[BC-U2]"},

      // BC-B1: both ways.
      {"broadcast [1,2,3] --shape 2 --mode bidirectional",
       "broadcast: data (3) and shape (2) do not broadcast: dimension 0 of the result would be both 3 and 2 "
       "[BC-B1]"},
      {"expand float32[2,1,3] --shape 4,0 --dry-run",
       "expand: data (2,1,3) and shape (4,0) do not broadcast: dimension 2 of the result would be both 3 and "
       "0 "
       "[BC-B1]"},

      // BC-E1 ... BC-E5: explicit.
      {"broadcast [1,2,3] --shape 2,3 --mode explicit",
       "broadcast: mode explicit needs axes_mapping [BC-E1]"},
      {"broadcast [1,2,3] --shape 2,3 --axes_mapping 1",
       "broadcast: axes_mapping is only allowed with mode explicit, not with numpy [BC-E1]"},
      {"broadcast [1,2,3] --shape 2,3 --mode explicit --axes_mapping 0,1",
       "broadcast: axes_mapping has 2 entries; data (3) needs 1, one for each of its dimensions [BC-E2]"},
      {"broadcast [[1,2]] --shape 2,2 --mode explicit --axes_mapping 0",
       "broadcast: axes_mapping has 1 entry; data (1,2) needs 2, one for each of its dimensions [BC-E2]"},
      {"broadcast [1] --shape 2,3 --mode explicit --axes_mapping [[1]]",
       "broadcast: axes_mapping has shape (1,1); its rank must be 1 [BC-E2]"},
      {"broadcast [1] --shape 2,3 --mode explicit --axes_mapping [1.5]",
       "broadcast: axes_mapping is float64; the default semantics allows int8, int16, int32, int64, uint8, "
       "uint16, uint32, uint64 [BC-E2]"},
      // A scalar may come with one axis, if that has size 1.
      {"broadcast 3 --shape 1,3 --mode explicit --axes_mapping 1",
       "broadcast: axes_mapping[0] = 1 maps scalar data to a dimension of 3 in shape (1,3); it must be 1 "
       "[BC-E2]"},
      {"broadcast [1,2,3] --shape 2,3 --mode explicit --axes_mapping 2",
       "broadcast: axes_mapping[0] = 2 is out of range for shape (2,3) (allowed 0..1) [BC-E3]"},
      {"broadcast [[1,2,3]] --shape 2,3 --mode explicit --axes_mapping [0,-1]",
       "broadcast: axes_mapping[1] = -1 is out of range for shape (2,3) (allowed 0..1) [BC-E3]"},
      {"broadcast 3 --shape [] --mode explicit --axes_mapping 0",
       "broadcast: axes_mapping[0] = 0 is out of range for shape () (it has no dimensions) [BC-E3]"},
      {"broadcast [[1,2,3]] --shape 2,3 --mode explicit --axes_mapping [1,0]",
       "broadcast: axes_mapping[1] = 0 must be greater than axes_mapping[0] = 1 [BC-E4]"},
      {"broadcast [[1,2,3]] --shape 2,3 --mode explicit --axes_mapping 1,1",
       "broadcast: axes_mapping[1] = 1 must be greater than axes_mapping[0] = 1 [BC-E4]"},
      {"broadcast float32[2,5] --shape 3,5,9 --mode explicit --axes_mapping 0,1 --dry-run",
       "broadcast: dimension 0 of data (2,5) is 2; dimension 0 of shape (3,5,9) needs 3 or 1 [BC-E5]"},
      {"broadcast float32[16] --shape 1,16 --mode explicit --axes_mapping 0 --spec openvino-1 --dry-run",
       "broadcast: dimension 0 of data (16) is 16; dimension 0 of shape (1,16) needs 1 [BC-E5]"},

      // BC-T1, BC-T2: the target itself.
      {"broadcast 3 --shape [[1]]", "broadcast: shape has shape (1,1); its rank must be 1 [BC-T1]"},
      {"expand 3 --shape [1.5]",
       "expand: shape is float64; the default semantics allows int8, int16, int32, int64, uint8, uint16, "
       "uint32, uint64 [BC-T1]"},
      {R"(expand 3 --shape {"dtype":"int32","data":[2,2]} --spec onnx-13)",
       "expand: shape is int32; onnx Expand-13 allows int64 [BC-T1]"},
      {"broadcast 3 --shape 1,,2", "broadcast: shape '1,,2' is not a list of integers [BC-T1]"},
      {R"(expand 3 --shape {"dtype":"uint64","data":[1,9223372036854775808]})",
       "expand: shape[1] = 9223372036854775808 is too large [BC-T1]"},
      {"broadcast 3 --shape [2,-1]",
       "broadcast: shape[1] = -1 is negative; dimensions are non-negative [BC-T2]"},
      {"expand 3 --shape [-1]", "expand: shape[0] = -1 is negative; dimensions are non-negative [BC-T2]"},

      // BR-1 ... BR-3.
      {"broadcast 3 --shape 2,3 --mode foo",
       "broadcast: mode 'foo' is not one of numpy, bidirectional, pdpd, explicit, unidirectional, "
       "multidirectional [BR-1]"},
      {"broadcast [1] --shape 2 --mode unidirection",
       "broadcast: mode 'unidirection' is not one of numpy, bidirectional, pdpd, explicit, unidirectional, "
       "multidirectional [BR-1]",
       "did you mean unidirectional?"},
      {"broadcast [1] --shape 2 --mode unidirectional --spec openvino-3",
       "broadcast: mode 'unidirectional' is not one of numpy, bidirectional, pdpd, explicit in openvino "
       "Broadcast-3 [BR-1]",
       "unidirectional is allowed by the default semantics (no --spec)"},
      // The other names mean the same.
      {"broadcast [1,2,3] --shape 2 --mode multidirectional",
       "broadcast: data (3) and shape (2) do not broadcast: dimension 0 of the result would be both 3 and 2 "
       "[BC-B1]"},
      {"broadcast [] --shape 1 --mode unidirectional",
       "broadcast: data (0) does not broadcast to shape (1): dimension 0 of the result is 1, that of data is "
       "0 "
       "[BC-U2]"},
      {"broadcast 3 --shape 2,3 --mode bidirectional --spec openvino-2",
       "broadcast: mode 'bidirectional' is not one of numpy, explicit, pdpd in openvino Broadcast-1 [BR-1]",
       "bidirectional is allowed by openvino-3 and the default semantics (no --spec)"},
      {"broadcast [1,2] --shape 3,2 --mode pdpd --axis 2",
       "broadcast: axis 2 does not put data (2) within shape (3,2) (allowed 0..1) [BR-2]"},
      {"broadcast [1,2] --shape 3,2 --mode pdpd --axis -2",
       "broadcast: axis -2 does not put data (2) within shape (3,2) (allowed 0..1) [BR-2]"},
      {"broadcast float32[3,2,1] --shape 3,2 --mode pdpd --dry-run",
       "broadcast: axis -1 (right-aligned) does not put data (3,2,1) within shape (3,2) (allowed 0..0) "
       "[BR-2]"},
      {"broadcast float32[3,2,4] --shape 3,2 --mode pdpd --axis 0 --dry-run",
       "broadcast: axis 0 does not put data (3,2,4) within shape (3,2) (no axis does) [BR-2]"},
      {"broadcast [1,2] --shape 3,2 --mode pdpd --axis 0",
       "broadcast: dimension 0 of data (2) is 2; dimension 0 of shape (3,2) needs 3 or 1 [BR-3]"},

      // T-1.
      {"broadcast bool[2] --shape 2 --spec openvino-3 --dry-run",
       "broadcast: data is bool; openvino Broadcast-3 allows int8, int16, int32, int64, uint8, uint16, "
       "uint32, "
       "uint64, float16, bfloat16, float32, float64 [T-1]",
       "bool is allowed by openvino-1 and the default semantics (no --spec)"},
      {"expand bfloat16[2] --shape 2 --spec onnx-12 --dry-run",
       "expand: data is bfloat16; onnx Expand-8 allows bool, int8, int16, int32, int64, uint8, uint16, "
       "uint32, "
       "uint64, float16, float32, float64, complex64, complex128, string [T-1]",
       "bfloat16 is allowed by onnx-13 and the default semantics (no --spec)"},

      // G-2: elements, then bytes.
      {"expand 3 --shape 4611686018427387904,1000,2",
       "expand: shape (4611686018427387904,1000,2) has more elements of 8 bytes than fit in 2^63 bytes "
       "[G-2]"},
      {"broadcast int8[1] --shape 9223372036854775807,1,2 --dry-run",
       "broadcast: shape (9223372036854775807,1,2) has more elements of 1 bytes than fit in 2^63 bytes "
       "[G-2]"},
      {"broadcast int16[1] --shape 4611686018427387904 --dry-run",
       "broadcast: shape (4611686018427387904) has more elements of 2 bytes than fit in 2^63 bytes [G-2]"},
      {"expand 3 --shape 1000000000,1000000000",
       "expand: the result of shape (1000000000,1000000000) would have 8000000000000000000 bytes (at most "
       "2^47) [G-2]"},
  };
}

TEST_CASE("every rule of broadcast and expand is named with its operand, place, value and what is allowed",
          "[rules]") {
  check_rules(broadcast_rules());
}

}  // namespace tensorop
