// The table of dtypes, and sets of them.
#include "tensor/dtype.hpp"

#include <set>

#include "support/catch.hpp"

namespace tensorop {
namespace {

struct Row {
  DType dtype;
  std::string name;
  std::string npy;
  DTypeKind kind;
  int size;
  int align;
};

const std::vector<Row> kRows = {
    {DType::boolean, "bool", "|b1", DTypeKind::boolean, 1, 1},
    {DType::int8, "int8", "|i1", DTypeKind::signed_integer, 1, 1},
    {DType::int16, "int16", "<i2", DTypeKind::signed_integer, 2, 2},
    {DType::int32, "int32", "<i4", DTypeKind::signed_integer, 4, 4},
    {DType::int64, "int64", "<i8", DTypeKind::signed_integer, 8, 8},
    {DType::uint8, "uint8", "|u1", DTypeKind::unsigned_integer, 1, 1},
    {DType::uint16, "uint16", "<u2", DTypeKind::unsigned_integer, 2, 2},
    {DType::uint32, "uint32", "<u4", DTypeKind::unsigned_integer, 4, 4},
    {DType::uint64, "uint64", "<u8", DTypeKind::unsigned_integer, 8, 8},
    {DType::float16, "float16", "<f2", DTypeKind::floating, 2, 2},
    {DType::bfloat16, "bfloat16", "<V2", DTypeKind::floating, 2, 2},
    {DType::float32, "float32", "<f4", DTypeKind::floating, 4, 4},
    {DType::float64, "float64", "<f8", DTypeKind::floating, 8, 8},
    {DType::complex64, "complex64", "<c8", DTypeKind::complex, 8, 8},
    {DType::complex128, "complex128", "<c16", DTypeKind::complex, 16, 8},
    {DType::string, "string", "", DTypeKind::string, 16, 8},
};

TEST_CASE("there are sixteen dtypes, each with its name, NPY code and size", "[tensor]") {
  CHECK(kRows.size() == static_cast<std::size_t>(kDTypeCount));
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const DTypeInfo& found = info(row.dtype);
    CHECK(found.dtype == row.dtype);
    CHECK(found.name == row.name);
    CHECK(name(row.dtype) == row.name);
    CHECK(found.npy == row.npy);
    CHECK(found.kind == row.kind);
    CHECK(found.size == row.size);
    CHECK(element_size(row.dtype) == row.size);
    CHECK(found.align == row.align);
    CHECK(parse_dtype(row.name) == row.dtype);
    dispatch(row.dtype, [&]<class T>(TypeTag<T>) {
      CHECK(sizeof(T) == static_cast<std::size_t>(row.size));
      CHECK(alignof(T) <= static_cast<std::size_t>(row.align));
    });
    dispatch_width(row.size, [&]<class Word>(TypeTag<Word>) {
      CHECK(sizeof(Word) == static_cast<std::size_t>(row.size));
      CHECK(alignof(Word) == static_cast<std::size_t>(row.align));
    });
  }
}

TEST_CASE("a dtype has one name, as it is written", "[tensor]") {
  for (const std::string text : {"", "float", "Float32", "FLOAT32", "f32", "<f4", "float32 ", " float32",
                                 "int", "boolean", "str", "int128", "float8"}) {
    CAPTURE(text);
    CHECK(!parse_dtype(text));
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
}  // namespace tensorop
