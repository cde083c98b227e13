#include "support/type_tables.hpp"

#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/text.hpp"

namespace tensorop {
namespace {

// A row of a table. `versions`: "Name since since ..." separated by commas, where a name may be that of one
// type variable: "Pow/exponent", "Expand/shape". `dtypes`: a column each, '*' where allowed, '-' where the
// publisher allows what tensorop does not compute.
struct TypeTableRow {
  const char* framework;
  std::string versions;
  std::string dtypes;
};

constexpr const char* kOnnx = "onnx";
constexpr const char* kOpenvino = "openvino";
constexpr const char* kMdf = "mdf";
constexpr const char* kStablehlo = "stablehlo";
constexpr const char* kWebnn = "webnn";
constexpr const char* kTorch = "torch";
constexpr const char* kNumpy = "numpy";
constexpr const char* kJax = "jax";
constexpr const char* kDefault = "default";

// 7.1. Columns: bool, i8 i16 i32 i64, u8 u16 u32 u64, f16 bf16 f32 f64, c64 c128, str, the small ones.
const std::vector<TypeTableRow> kDataTypes = {
    {kOnnx,
     "Gather 1 11, GatherElements 11, GatherND 11 12, Scatter 9 11, ScatterElements 11, ScatterND 11, Expand "
     "8, Where 9",
     "* **** **** *.** ** * ........"},
    {kOnnx,
     "Gather 13, GatherElements 13, GatherND 13, ScatterElements 13 16 18, ScatterND 13 16 18, Expand 13, "
     "Where 16",
     "* **** **** **** ** * ........"},
    {kOnnx, "TensorScatter 24", "* **** **** **** ** * ********"},
    {kOnnx, "Add 1, Sub 1, Mul 1, Div 1, Pow 1 7, Min 1 6 8, Max 1 6 8, Greater 1 7, Less 1 7",
     ". .... .... *.** .. . ........"},
    {kOnnx, "Add 6 7, Sub 6 7, Mul 6 7, Div 6 7", ". ..** ..** *.** .. . ........"},
    {kOnnx, "Add 13, Sub 13, Mul 13, Div 13", ". ..** ..** **** .. . ........"},
    {kOnnx,
     "Add 14, Sub 14, Mul 14, Div 14, Mod 13 28, Min 13, Max 13, Greater 13, Less 13, GreaterOrEqual 16, "
     "LessOrEqual 16",
     ". **** **** **** .. . ........"},
    {kOnnx,
     "Mod 10, Min 12, Max 12, Greater 9, Less 9, GreaterOrEqual 12, LessOrEqual 12, Pow/exponent 12 13",
     ". **** **** *.** .. . ........"},
    {kOnnx, "Pow 12", ". ..** .... *.** .. . ........"},
    {kOnnx, "Pow 13 15", ". ..** .... **** .. . ........"},
    {kOnnx, "Pow/exponent 15", ". **** **** **** .. . ........"},
    {kOnnx, "Equal 1 7", "* ..** .... .... .. . ........"},
    {kOnnx, "Equal 11", "* **** **** *.** .. . ........"},
    {kOnnx, "Equal 13", "* **** **** **** .. . ........"},
    {kOnnx, "Equal 19", "* **** **** **** .. * ........"},
    {kOnnx, "And 1 7, Or 1 7, Xor 1 7", "* .... .... .... .. . ........"},
    {kOpenvino, "LogicalAnd 1, LogicalOr 1, LogicalXor 1", "* .... .... .... .. . ........"},
    {kOnnx, "BitwiseAnd 18, BitwiseOr 18, BitwiseXor 18", ". **** **** .... .. . ........"},
    {kOnnx, "BitShift 11", ". .... **** .... .. . ........"},
    {kOnnx, "BitShift 28", ". **** **** .... .. . ........"},
    {kOpenvino, "BitwiseLeftShift 15, BitwiseRightShift 15", ". **** **** .... .. . ........"},
    {kOpenvino, "BitwiseAnd 13, BitwiseOr 13, BitwiseXor 13", "* **** **** .... .. . ........"},
    {kOnnx, "PRelu 1 6 7", ". .... .... *.** .. . ........"},
    {kOnnx, "PRelu 9", ". ..** ..** *.** .. . ........"},
    {kOnnx, "PRelu 16", ". ..** ..** **** .. . ........"},
    {kOpenvino, "PReLU 1", ". .... .... **** .. . ........"},
    {kOpenvino,
     "Gather 1 7 8, GatherND 5 8, GatherElements 6, ScatterElementsUpdate 12, Broadcast 1, Equal 1, NotEqual "
     "1",
     "* **** **** **** .. * ........"},
    {kOpenvino, "Greater 1, GreaterEqual 1, Less 1, LessEqual 1", "* **** **** **** .. . ........"},
    {kOpenvino,
     "ScatterUpdate 3, ScatterElementsUpdate 3, ScatterNDUpdate 3, Broadcast 3, Select 1, Add 1, Subtract 1, "
     "Multiply 1, Divide 1, Power 1, Mod 1, FloorMod 1, Maximum 1, Minimum 1, SquaredDifference 1",
     ". **** **** **** .. . ........"},
    {kOpenvino, "ScatterNDUpdate 15", "* **** **** **** .. . ........"},
    // 3.3: as onnx GatherND-13.
    {kMdf, "gathernd 0", "* **** **** **** ** * ........"},
    {kStablehlo, "gather 9 1001, scatter 9 1001, dynamicslice 9, dynamicupdateslice 9",
     "* **** **** **** ** . ********"},
    // 2.3 and 5 of the publishers' specification.
    {kWebnn,
     "gather 0, gatherElements 0, gatherND 0, scatterElements 0, scatterND 0, expand 0, where 0, add 0, sub "
     "0, mul 0, div 0, max 0, min 0, pow 0, equal 0, notEqual 0, greater 0, greaterOrEqual 0, lesser 0, "
     "lesserOrEqual 0",
     ". *.** *.** *.*. .. . ........"},
    {kWebnn, "logicalAnd 0, logicalOr 0, logicalXor 0", ". .... *... .... .. . ........"},
    {kWebnn, "prelu 0", ". *.** .... *.*. .. . ........"},
    {kStablehlo, "broadcastindim 9, select 9", "* **** **** **** ** . ********"},
    {kStablehlo,
     "add 9, multiply 9, compareeq 9, comparene 9, maximum 9, minimum 9, comparelt 9, comparele 9, comparegt "
     "9, comparege 9",
     "* **** **** **** ** . --------"},
    {kStablehlo, "subtract 9, divide 9", ". **** **** **** ** . --------"},
    {kStablehlo, "power 9, remainder 9", ". **** **** **** -- . --------"},
    {kStablehlo, "and 9, or 9, xor 9", "* **** **** .... .. . ......--"},
    {kStablehlo, "shiftleft 9, shiftrightarithmetic 9, shiftrightlogical 9",
     ". **** **** .... .. . ......--"},
    {kTorch, "index_select 2", "* **** **** **** ** . *****..."},
    {kTorch, "take 2, gather 2, take_along_dim 2, expand 2, where 2", "* **** **** **** ** . ........"},
    {kTorch, "scatter 2, scatter_add 2, scatter_reduce 2, index_copy 2, index_add 2, put_ 2, index_put 2",
     "* **** *... **** ** . ........"},
    {kTorch, "index_reduce 2", ". **** *... **** .. . ........"},
    {kNumpy, "take 2, take_along_axis 2, put_along_axis 2, put 2, broadcast_to 2, where 2",
     "* **** **** *.** ** * ........"},
    {kNumpy, "ufunc_at 2", "* **** **** *.** ** . ........"},
    {kJax, "take 0, take_along_axis 0, put_along_axis 0, at_get 0, at 0, broadcast_to 0, where 0",
     "* **** **** **** ** . ........"},
    {kTorch, "add 2, mul 2", "* **** *--- **** ** . ........"},
    {kTorch, "sub 2", ". **** *--- **** ** . ........"},
    {kTorch, "div 2", "- ---- ---- **** ** . ........"},
    {kTorch, "floor_divide 2", ". **** *--- ---- .. . ........"},
    {kTorch, "bitwise_left_shift 2, bitwise_right_shift 2", ". **** *--- .... .. . ........"},
    {kTorch, "remainder 2, fmod 2", ". **** *--- **** .. . ........"},
    {kTorch, "pow 2", ". **** *--- **** -- . ........"},
    {kTorch, "minimum 2, maximum 2, lt 2, le 2, gt 2, ge 2", "* **** *--- **** .. . ........"},
    {kTorch, "eq 2, ne 2, logical_and 2, logical_or 2, logical_xor 2", "* **** *--- **** ** . ........"},
    {kTorch, "bitwise_and 2, bitwise_or 2, bitwise_xor 2", "* **** *--- .... .. . ........"},
    {kNumpy, "add 2", "* **** **** *.** ** - ........"},
    {kNumpy, "multiply 2, logical_and 2, logical_or 2, logical_xor 2", "* **** **** *.** ** . ........"},
    {kNumpy, "subtract 2", ". **** **** *.** ** . ........"},
    {kNumpy, "divide 2", "- ---- ---- *.** ** . ........"},
    {kNumpy, "power 2", "- **** **** *.** -- . ........"},
    {kNumpy, "floor_divide 2", "- **** **** -.-- .. . ........"},
    {kNumpy, "left_shift 2, right_shift 2", "- **** **** .... .. . ........"},
    {kNumpy, "fmod 2, remainder 2", "- **** **** *.** .. . ........"},
    {kNumpy, "minimum 2, maximum 2", "* **** **** *.** ** . ........"},
    {kNumpy, "less 2, less_equal 2, greater 2, greater_equal 2", "* **** **** *.** ** - ........"},
    {kNumpy, "equal 2, not_equal 2", "* **** **** *.** ** * ........"},
    {kNumpy, "bitwise_and 2, bitwise_or 2, bitwise_xor 2", "* **** **** .... .. . ........"},
    {kJax, "add 0, multiply 0, equal 0, not_equal 0, logical_and 0, logical_or 0, logical_xor 0",
     "* **** **** **** ** . ........"},
    {kJax, "subtract 0", ". **** **** **** ** . ........"},
    {kJax, "divide 0", "- ---- ---- **** ** . ........"},
    {kJax, "power 0", "- ---- ---- **** -- . ........"},
    {kJax, "floor_divide 0", "- **** **** ---- .. . ........"},
    {kJax, "left_shift 0, right_shift 0", "- **** **** .... .. . ........"},
    {kJax, "fmod 0, remainder 0", "- **** **** **** .. . ........"},
    {kJax, "minimum 0, maximum 0, less 0, less_equal 0, greater 0, greater_equal 0",
     "* **** **** **** ** . ........"},
    {kJax, "bitwise_and 0, bitwise_or 0, bitwise_xor 0", "* **** **** .... .. . ........"},
    // Section 11, by operator.
    {kDefault, "GatherSlices 0, ScatterSlices 0, DynamicSlice 0, DynamicUpdateSlice 0",
     "* **** **** **** ** * ********"},
    {kDefault,
     "Gather 0, GatherElements 0, GatherND 0, ScatterElements 0, ScatterND 0, ScatterUpdate 0, TensorScatter "
     "0, Expand 0, Broadcast 0, Where 0",
     "* **** **** **** ** * ********"},
    {kDefault, "Equal 0, NotEqual 0", "* **** **** **** ** * ........"},
    {kDefault, "Add 0, Sub 0, Mul 0, Div 0, SquaredDifference 0", ". **** **** **** ** . ........"},
    {kDefault, "Pow 0, Pow/exponent 0, Mod 0, FloorMod 0, PRelu 0", ". **** **** **** .. . ........"},
    {kDefault, "Less 0, LessOrEqual 0, Greater 0, GreaterOrEqual 0, Min 0, Max 0",
     "* **** **** **** .. . ........"},
    {kDefault, "And 0, Or 0, Xor 0", "* .... .... .... .. . ........"},
    {kDefault, "BitwiseAnd 0, BitwiseOr 0, BitwiseXor 0", "* **** **** .... .. . ........"},
    {kDefault, "BitShift 0", ". **** **** .... .. . ........"},
};

// 7.2. Columns: bool, which a mask in place of indices has, i8 i16 i32 i64, u8 u16 u32 u64.
const std::vector<TypeTableRow> kIndexTypes = {
    {kOnnx, "Gather 1 11 13, GatherElements 11 13, Scatter 9 11, ScatterElements 11 13 16 18", ". ..** ...."},
    {kOnnx, "GatherND 11 12 13, ScatterND 11 13 16 18, TensorScatter 24, Expand/shape 8 13", ". ...* ...."},
    {kOpenvino, "GatherElements 6, ScatterNDUpdate 3 15", ". ..** ...."},
    {kOpenvino,
     "Gather 1 7 8, GatherND 5 8, ScatterUpdate 3, ScatterElementsUpdate 3 12, Broadcast/shape 1 3, "
     "Broadcast/axes_mapping 1 3",
     ". **** ****"},
    // 3.3: as onnx GatherND-13, and i32.
    {kMdf, "gathernd 0", ". ..** ...."},
    {kStablehlo,
     "gather 9 1001, scatter 9 1001, dynamicslice 9, dynamicupdateslice 9, broadcastindim/shape 9, "
     "broadcastindim/axes_mapping 9",
     ". **** ****"},
    {kDefault, "GatherSlices 0, ScatterSlices 0, DynamicSlice 0, DynamicUpdateSlice 0", ". **** ****"},
    {kWebnn, "gather 0, gatherElements 0, gatherND 0, scatterElements 0, scatterND 0, expand/shape 0",
     ". ..** ..*."},
    {kTorch,
     "index_select 2, index_add 2, index_reduce 2, gather 2, scatter 2, scatter_add 2, scatter_reduce 2",
     ". ..** ...."},
    {kTorch, "index_put 2", "- ..** -..."},
    {kTorch, "take 2, take_along_dim 2, index_copy 2, put_ 2, expand/shape 2", ". ...* ...."},
    {kNumpy, "take 2, put 2", ". **** ***."},
    {kNumpy, "take_along_axis 2, put_along_axis 2, broadcast_to/shape 2", ". **** ****"},
    {kNumpy, "ufunc_at 2", "- **** ****"},
    {kJax, "take_along_axis 0, put_along_axis 0, broadcast_to/shape 0", ". **** ****"},
    {kJax, "take 0, at_get 0, at 0", "- **** ****"},
    {kDefault,
     "Gather 0, GatherElements 0, GatherND 0, ScatterElements 0, ScatterND 0, ScatterUpdate 0, TensorScatter "
     "0, Expand/shape "
     "0, Broadcast/shape 0, Broadcast/axes_mapping 0",
     ". **** ****"},
};

// Adds the rows of a table whose first column is the dtype `first`; `variable` is that of names without one.
void add_table(const std::vector<TypeTableRow>& table, DType first, const std::string& variable,
               std::map<TypeKey, DTypeSet>& sets, char wanted) {
  for (const TypeTableRow& row : table) {
    if (row.dtypes.size() != table[0].dtypes.size()) throw std::logic_error("columns of " + row.versions);
    DTypeSet allowed;
    int column = static_cast<int>(first);
    for (const char mark : row.dtypes) {
      if (mark == ' ') continue;
      if (mark == wanted) allowed = allowed | DTypeSet(static_cast<DType>(column));
      ++column;
    }
    std::istringstream versions(row.versions);
    for (std::string version; std::getline(versions, version, ',');) {
      std::istringstream words(version);
      TypeKey key{row.framework, 0, "", variable};
      words >> key.name;
      if (const std::size_t slash = key.name.find('/'); slash != std::string::npos) {
        key.variable = key.name.substr(slash + 1);
        key.name.resize(slash);
      }
      key.name = fold_name(key.name);
      while (words >> key.since) {
        if (!sets.emplace(key, allowed).second) throw std::logic_error(key.name + " stands in two rows");
      }
    }
  }
}

}  // namespace

namespace {

std::map<TypeKey, DTypeSet> tables_of(char mark) {
  std::map<TypeKey, DTypeSet> sets;
  add_table(kDataTypes, DType::boolean, "data", sets, mark);
  add_table(kIndexTypes, DType::boolean, "indices", sets, mark);
  // MDF has the operators of opset 15, but Scatter.
  std::map<TypeKey, std::pair<int, DTypeSet>> newest;
  for (const auto& [key, types] : sets) {
    if (key.framework != kOnnx || key.since > 15 || key.name == "scatter" || key.name == "gathernd") continue;
    auto& [since, own] = newest[{kMdf, 0, key.name, key.variable}];
    if (key.since >= since) since = key.since, own = types;
  }
  for (const auto& [key, types] : newest) sets.emplace(key, types.second);
  return sets;
}

}  // namespace

const std::map<TypeKey, DTypeSet>& type_tables() {
  static const std::map<TypeKey, DTypeSet> kTables = tables_of('*');
  return kTables;
}

DTypeSet types_not_here(const TypeKey& key) {
  static const std::map<TypeKey, DTypeSet> kTables = tables_of('-');
  const auto found = kTables.find(key);
  return found == kTables.end() ? DTypeSet{} : found->second;
}

DTypeSet published_types(const TypeKey& key) {
  const auto found = type_tables().find(key);
  return found == type_tables().end() ? DTypeSet{} : found->second;
}

}  // namespace tensorop
