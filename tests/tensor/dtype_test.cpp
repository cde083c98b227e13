// The table of dtypes, and sets of them.
#include "tensor/dtype.hpp"

#include <set>

#include "support/catch.hpp"

namespace tensorop::tensor_dtype_test {
namespace {

struct Row {
  DType dtype;
  std::string name;
  std::string npy;
  int onnx;
  std::string safetensors;
  DTypeKind kind;
  int size;
  int bits;
};

const std::vector<Row> kRows = {
    {DType::boolean, "bool", "|b1", 9, "BOOL", DTypeKind::boolean, 1, 8},
    {DType::int8, "int8", "|i1", 3, "I8", DTypeKind::signed_integer, 1, 8},
    {DType::int16, "int16", "<i2", 5, "I16", DTypeKind::signed_integer, 2, 16},
    {DType::int32, "int32", "<i4", 6, "I32", DTypeKind::signed_integer, 4, 32},
    {DType::int64, "int64", "<i8", 7, "I64", DTypeKind::signed_integer, 8, 64},
    {DType::uint8, "uint8", "|u1", 2, "U8", DTypeKind::unsigned_integer, 1, 8},
    {DType::uint16, "uint16", "<u2", 4, "U16", DTypeKind::unsigned_integer, 2, 16},
    {DType::uint32, "uint32", "<u4", 12, "U32", DTypeKind::unsigned_integer, 4, 32},
    {DType::uint64, "uint64", "<u8", 13, "U64", DTypeKind::unsigned_integer, 8, 64},
    {DType::float16, "float16", "<f2", 10, "F16", DTypeKind::floating, 2, 16},
    {DType::bfloat16, "bfloat16", "<V2", 16, "BF16", DTypeKind::floating, 2, 16},
    {DType::float32, "float32", "<f4", 1, "F32", DTypeKind::floating, 4, 32},
    {DType::float64, "float64", "<f8", 11, "F64", DTypeKind::floating, 8, 64},
    {DType::complex64, "complex64", "<c8", 14, "C64", DTypeKind::complex, 8, 64},
    {DType::complex128, "complex128", "<c16", 15, "", DTypeKind::complex, 16, 128},
    {DType::string, "string", "", 8, "", DTypeKind::string, 16, 128},
    {DType::float8_e4m3fn, "float8_e4m3fn", "<V1", 17, "F8_E4M3", DTypeKind::small_floating, 1, 8},
    {DType::float8_e4m3fnuz, "float8_e4m3fnuz", "<V1", 18, "F8_E4M3FNUZ", DTypeKind::small_floating, 1, 8},
    {DType::float8_e5m2, "float8_e5m2", "<V1", 19, "F8_E5M2", DTypeKind::small_floating, 1, 8},
    {DType::float8_e5m2fnuz, "float8_e5m2fnuz", "<V1", 20, "F8_E5M2FNUZ", DTypeKind::small_floating, 1, 8},
    {DType::float8_e8m0fnu, "float8_e8m0fnu", "<V1", 24, "F8_E8M0", DTypeKind::small_floating, 1, 8},
    {DType::float4_e2m1fn, "float4_e2m1fn", "<V1", 23, "F4", DTypeKind::small_floating, 1, 4},
    {DType::int4, "int4", "<V1", 22, "", DTypeKind::small_integer, 1, 4},
    {DType::uint4, "uint4", "<V1", 21, "", DTypeKind::small_integer, 1, 4},
};

TEST_CASE("there are twenty-four dtypes, each with its name, codes and size", "[tensor]") {
  CHECK(kRows.size() == static_cast<std::size_t>(kDTypeCount));
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const DTypeInfo& found = info(row.dtype);
    CHECK(found.dtype == row.dtype);
    CHECK(found.name == row.name);
    CHECK(name(row.dtype) == row.name);
    CHECK(found.npy == row.npy);
    CHECK(found.onnx == row.onnx);
    CHECK(found.safetensors == row.safetensors);
    CHECK(found.bits == row.bits);
    CHECK(found.kind == row.kind);
    CHECK(found.size == row.size);
    CHECK(element_size(row.dtype) == row.size);
    CHECK(parse_dtype(row.name) == row.dtype);
    dispatch(row.dtype, [&]<class T>(TypeTag<T>) { CHECK(sizeof(T) == static_cast<std::size_t>(row.size)); });
    dispatch_width(row.size, [&]<class Word>(TypeTag<Word>) {
      CHECK(sizeof(Word) == static_cast<std::size_t>(row.size));
    });
  }
}

TEST_CASE("a dtype has one name, as it is written", "[tensor]") {
  for (const std::string text :
       {"", "float", "Float32", "FLOAT32", "f32", "<f4", "float32 ", " float32", "int", "boolean", "str",
        "int128", "float8", "FLOAT8E4M3FN", "Int4", "int2", "float8_e4m3"}) {
    CAPTURE(text);
    CHECK(!parse_dtype(text));
  }
}

TEST_CASE("a user may write a small dtype as ONNX does, in any case", "[tensor]") {
  const std::vector<std::pair<std::string, DType>> rows = {
      {"FLOAT8E4M3FN", DType::float8_e4m3fn},
      {"Float8E4M3FNUZ", DType::float8_e4m3fnuz},
      {"float8e5m2", DType::float8_e5m2},
      {"FLOAT8E5M2FNUZ", DType::float8_e5m2fnuz},
      {"FLOAT8E8M0", DType::float8_e8m0fnu},
      {"FLOAT4E2M1", DType::float4_e2m1fn},
      {"INT4", DType::int4},
      {"Uint4", DType::uint4},
      {"float8_e5m2", DType::float8_e5m2},
      {"int64", DType::int64},
  };
  for (const auto& [text, dtype] : rows) {
    CAPTURE(text);
    CHECK(read_dtype(text) == dtype);
  }
  for (const std::string text : {"FLOAT", "INT64", "INT2", "FLOAT8", "FLOAT8E4M3", "BFLOAT16"}) {
    CAPTURE(text);
    CHECK_THROWS(read_dtype(text));
  }
}

TEST_CASE("sets hold what they were made of", "[tensor]") {
  struct Case {
    std::string what;
    DTypeSet set;
    std::string names;
  };
  const std::vector<Case> cases = {
      {"none", {}, ""},
      {"one", DType::string, "string"},
      {"in the order of the table", {DType::float64, DType::int8}, "int8, float64"},
      {"signed", kSignedTypes, "int8, int16, int32, int64"},
      {"unsigned", kUnsignedTypes, "uint8, uint16, uint32, uint64"},
      {"integers", kIntegerTypes, "int8, int16, int32, int64, uint8, uint16, uint32, uint64"},
      {"floats", kFloatTypes, "float16, bfloat16, float32, float64"},
      {"complex", kComplexTypes, "complex64, complex128"},
      {"numbers", kNumericTypes,
       "int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64"},
      {"small floats", kSmallFloatTypes,
       "float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn"},
      {"small integers", kSmallIntegerTypes, "int4, uint4"},
      {"a union", kComplexTypes | DTypeSet{DType::boolean}, "bool, complex64, complex128"},
      {"without", kFloatTypes.without({DType::bfloat16, DType::int8}), "float16, float32, float64"},
      {"without all", kFloatTypes.without(kAllTypes), ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    CHECK(c.set.names() == c.names);
    CHECK(c.set.empty() == c.names.empty());
  }
  for (const Row& row : kRows) {
    CHECK(kAllTypes.contains(row.dtype));
    CHECK(DTypeSet(row.dtype).contains(row.dtype));
    CHECK(!kAllTypes.without(row.dtype).contains(row.dtype));
    const bool number = row.kind == DTypeKind::signed_integer || row.kind == DTypeKind::unsigned_integer ||
                        row.kind == DTypeKind::floating;
    CHECK(kNumericTypes.contains(row.dtype) == number);
  }
  CHECK((kSignedTypes | kUnsignedTypes) == kIntegerTypes);
}

}  // namespace
}  // namespace tensorop::tensor_dtype_test
