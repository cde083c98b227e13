// The type tables of section 7 of the specification, and section 11 for the default semantics, written down
// again as they stand there and compared with the descriptions: a wrong row there is found here.
#include <map>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"

namespace tensorop {
namespace {

// A row of a table. `versions`: "Name since since ..." separated by commas, where a name may be that of one
// type variable: "Pow/exponent", "Expand/shape". `dtypes`: a column each, '*' where allowed.
struct TypeTableRow {
  Framework framework;
  std::string versions;
  std::string dtypes;
};

constexpr Framework kOnnx = Framework::onnx;
constexpr Framework kOpenvino = Framework::openvino;

// 7.1. Columns: bool, i8 i16 i32 i64, u8 u16 u32 u64, f16 bf16 f32 f64, c64 c128, str.
const std::vector<TypeTableRow> kDataTypes = {
    {kOnnx,
     "Gather 1 11, GatherElements 11, GatherND 11 12, Scatter 9 11, ScatterElements 11, ScatterND 11, Expand "
     "8, "
     "Where 9",
     "* **** **** *.** ** *"},
    {kOnnx,
     "Gather 13, GatherElements 13, GatherND 13, ScatterElements 13 16 18, ScatterND 13 16 18, Expand 13, "
     "Where 16",
     "* **** **** **** ** *"},
    {kOnnx, "Add 1, Sub 1, Mul 1, Div 1, Pow 1 7, Min 1 6 8, Max 1 6 8, Greater 1 7, Less 1 7",
     ". .... .... *.** .. ."},
    {kOnnx, "Add 6 7, Sub 6 7, Mul 6 7, Div 6 7", ". ..** ..** *.** .. ."},
    {kOnnx, "Add 13, Sub 13, Mul 13, Div 13", ". ..** ..** **** .. ."},
    {kOnnx,
     "Add 14, Sub 14, Mul 14, Div 14, Mod 13, Min 13, Max 13, Greater 13, Less 13, GreaterOrEqual 16, "
     "LessOrEqual 16",
     ". **** **** **** .. ."},
    {kOnnx,
     "Mod 10, Min 12, Max 12, Greater 9, Less 9, GreaterOrEqual 12, LessOrEqual 12, Pow/exponent 12 13",
     ". **** **** *.** .. ."},
    {kOnnx, "Pow 12", ". ..** .... *.** .. ."},
    {kOnnx, "Pow 13 15", ". ..** .... **** .. ."},
    {kOnnx, "Pow/exponent 15", ". **** **** **** .. ."},
    {kOnnx, "Equal 1 7", "* ..** .... .... .. ."},
    {kOnnx, "Equal 11", "* **** **** *.** .. ."},
    {kOnnx, "Equal 13", "* **** **** **** .. ."},
    {kOnnx, "Equal 19", "* **** **** **** .. *"},
    {kOnnx, "And 1 7, Or 1 7, Xor 1 7", "* .... .... .... .. ."},
    {kOpenvino, "LogicalAnd 1, LogicalOr 1, LogicalXor 1", "* .... .... .... .. ."},
    {kOnnx, "BitwiseAnd 18, BitwiseOr 18, BitwiseXor 18", ". **** **** .... .. ."},
    {kOnnx, "BitShift 11", ". .... **** .... .. ."},
    {kOpenvino,
     "Gather 1 7 8, GatherND 5 8, GatherElements 6, ScatterElementsUpdate 12, Broadcast 1, Equal 1, NotEqual "
     "1",
     "* **** **** **** .. *"},
    {kOpenvino, "Greater 1, GreaterEqual 1, Less 1, LessEqual 1", "* **** **** **** .. ."},
    {kOpenvino,
     "ScatterUpdate 3, ScatterElementsUpdate 3, ScatterNDUpdate 3, Broadcast 3, Select 1, Add 1, Subtract 1, "
     "Multiply 1, Divide 1, Power 1, Mod 1, FloorMod 1, Maximum 1, Minimum 1, SquaredDifference 1",
     ". **** **** **** .. ."},
    {kOpenvino, "ScatterNDUpdate 15", "* **** **** **** .. ."},
    // 3.3: as onnx GatherND-13.
    {Framework::mdf, "gathernd 0", "* **** **** **** ** *"},
    // Section 11, by operator.
    {Framework::standard,
     "Gather 0, GatherElements 0, GatherND 0, ScatterElements 0, ScatterND 0, ScatterUpdate 0, Expand 0, "
     "Broadcast 0, Where 0, Equal 0, NotEqual 0",
     "* **** **** **** ** *"},
    {Framework::standard, "Add 0, Sub 0, Mul 0, Div 0, SquaredDifference 0", ". **** **** **** ** ."},
    {Framework::standard, "Pow 0, Pow/exponent 0, Mod 0, FloorMod 0", ". **** **** **** .. ."},
    {Framework::standard, "Less 0, LessOrEqual 0, Greater 0, GreaterOrEqual 0, Min 0, Max 0",
     "* **** **** **** .. ."},
    {Framework::standard, "And 0, Or 0, Xor 0", "* .... .... .... .. ."},
    {Framework::standard, "BitwiseAnd 0, BitwiseOr 0, BitwiseXor 0", "* **** **** .... .. ."},
    {Framework::standard, "BitShift 0", ". **** **** .... .. ."},
};

// 7.2. Columns: i8 i16 i32 i64, u8 u16 u32 u64.
const std::vector<TypeTableRow> kIndexTypes = {
    {kOnnx, "Gather 1 11 13, GatherElements 11 13, Scatter 9 11, ScatterElements 11 13 16 18", "..** ...."},
    {kOnnx, "GatherND 11 12 13, ScatterND 11 13 16 18, Expand/shape 8 13", "...* ...."},
    {kOpenvino, "GatherElements 6, ScatterNDUpdate 3 15", "..** ...."},
    {kOpenvino,
     "Gather 1 7 8, GatherND 5 8, ScatterUpdate 3, ScatterElementsUpdate 3 12, Broadcast/shape 1 3, "
     "Broadcast/axes_mapping 1 3",
     "**** ****"},
    // 3.3: as onnx GatherND-13, and i32.
    {Framework::mdf, "gathernd 0", "..** ...."},
    {Framework::standard,
     "Gather 0, GatherElements 0, GatherND 0, ScatterElements 0, ScatterND 0, ScatterUpdate 0, Expand/shape "
     "0, "
     "Broadcast/shape 0, Broadcast/axes_mapping 0",
     "**** ****"},
};

// "onnx-13 Gather/indices": what a set of dtypes belongs to.
using TypeSets = std::map<std::string, DTypeSet>;

std::string key(Framework framework, int since, std::string_view published, std::string_view type) {
  return cat(spec_name(framework, since), ' ', published, '/', type);
}

void read_table(const std::vector<TypeTableRow>& table, int first_column, const std::string& usual_type,
                TypeSets& sets) {
  for (const TypeTableRow& row : table) {
    DTypeSet allowed;
    int column = first_column;
    for (const char mark : row.dtypes) {
      if (mark == ' ') continue;
      if (mark == '*') allowed = allowed | DTypeSet(static_cast<DType>(column));
      ++column;
    }
    // Whole rows only: every one has as many columns as the first.
    CHECK(row.dtypes.size() == table[0].dtypes.size());
    std::istringstream versions(row.versions);
    for (std::string version; std::getline(versions, version, ',');) {
      std::istringstream words(version);
      std::string name;
      words >> name;
      const std::size_t slash = name.find('/');
      const std::string type = slash == std::string::npos ? usual_type : name.substr(slash + 1);
      for (int since = 0; words >> since;) {
        const std::string entry = key(row.framework, since, name.substr(0, slash), type);
        CAPTURE(entry);
        CHECK(sets.emplace(entry, allowed).second);
      }
    }
  }
}

// The words of the tables for the type variables of the descriptions.
std::string table_word(const Operator& op, std::string_view type) {
  if (type == "Tind") return "indices";
  if (op.name == "pow" && type == "T1") return "exponent";
  return std::string(type);
}

TypeSets described() {
  TypeSets sets;
  for (const Operator* op : kOperators) {
    for (const Version& version : op->versions) {
      for (const TypeRow& row : version.types) {
        // A condition has a test of its own; of consumed_inputs the tables say nothing.
        if (row.type == "B" || row.type == "consumed_inputs") continue;
        const std::string entry =
            key(version.framework, version.since, version.published, table_word(*op, row.type));
        CAPTURE(entry);
        CHECK(sets.emplace(entry, row.allowed).second);
      }
    }
  }
  return sets;
}

TEST_CASE("the descriptions have the dtypes of the specification's tables", "[descriptions]") {
  TypeSets tables;
  read_table(kDataTypes, static_cast<int>(DType::boolean), "T", tables);
  read_table(kIndexTypes, static_cast<int>(DType::int8), "indices", tables);
  TypeSets descriptions = described();
  for (const auto& [entry, allowed] : tables) {
    CAPTURE(entry);
    const auto found = descriptions.find(entry);
    CHECK(found != descriptions.end());
    if (found == descriptions.end()) continue;
    CHECK(found->second.names() == allowed.names());
    descriptions.erase(found);
  }
  std::string unknown;
  for (const auto& [entry, allowed] : descriptions) unknown += entry + "; ";
  CHECK(unknown.empty());  // described, but in no table
}

// What was published stays: a dtype that tensorop gains is in no published version.
TEST_CASE("published versions allow the sixteen dtypes of the tables at most", "[descriptions]") {
  constexpr DTypeSet kPublished = {DType::boolean, DType::int8,      DType::int16,      DType::int32,
                                   DType::int64,   DType::uint8,     DType::uint16,     DType::uint32,
                                   DType::uint64,  DType::float16,   DType::bfloat16,   DType::float32,
                                   DType::float64, DType::complex64, DType::complex128, DType::string};
  for (const Operator* op : kOperators) {
    for (const Version& version : op->versions) {
      if (version.framework == Framework::standard) continue;
      for (const TypeRow& row : version.types) {
        CAPTURE(key(version.framework, version.since, version.published, row.type));
        CHECK(row.allowed.without(kPublished).names().empty());
      }
    }
  }
}

TEST_CASE("a condition is bool in every version", "[descriptions]") {
  for (const Operator* op : kOperators) {
    for (std::size_t i = 0; i < op->operands.size(); ++i) {
      if (op->operands[i].role != OperandRole::condition) continue;
      for (const Version& version : op->versions) {
        CAPTURE(op->name, version.published);
        CHECK(allowed_types(version, type_variable(*op, version, i)) == DTypeSet(DType::boolean));
      }
    }
  }
}

// 1.3: whether negative indices count from the end, and what is out of range.
TEST_CASE("the descriptions have the index rules of the specification's table", "[descriptions]") {
  const std::set<std::string> refuse_negative = {
      "onnx-1 Gather",
      "onnx-9 Scatter",
      "openvino-1 Gather",
      "openvino-7 Gather",
      "openvino-5 GatherND",
      "openvino-6 GatherElements",
      "openvino-3 ScatterUpdate",
      "openvino-3 ScatterElementsUpdate",
      "openvino-3 ScatterNDUpdate",
  };
  std::set<std::string> found;
  for (const Operator* op : kOperators) {
    for (const Version& version : op->versions) {
      const std::string entry = cat(spec_name(version.framework, version.since), ' ', version.published);
      CAPTURE(entry);
      CHECK(version.index.zero_fill == (entry == "openvino-8 Gather"));
      CHECK(version.index.negative == !refuse_negative.contains(entry));
      if (!version.index.negative) found.insert(entry);
    }
  }
  CHECK(found == refuse_negative);
}

}  // namespace
}  // namespace tensorop
