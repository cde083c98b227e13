// Sizes around 2^31, 2^32, 2^47 and 2^63: shapes from headers alone, against products in 128 bits; and
// elements read from where only 64 bits reach, in files that are mostly holes.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/operator_facts.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"
#include "support/type_tables.hpp"

namespace tensorop::engine_boundary_test {
namespace {

__extension__ typedef __int128 Wide;  // as GCC and Clang have it

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

bool fits(const Shape& shape, std::int64_t element_bytes) {
  if (std::ranges::find(shape, 0) != shape.end()) return true;
  Wide bytes = element_bytes;
  for (const std::int64_t dim : shape) {
    bytes *= dim;
    if (bytes > kMost) return false;
  }
  return true;
}

// A call of one operator, of shapes alone.
struct Call {
  Request request;
  std::vector<std::pair<DType, Shape>> operands;
  Shape result;
  std::int64_t result_bytes = 0;  // of an element
};

// The dtype itself, or the widest one that the operator has under the default semantics.
DType allowed_dtype(const std::string& op, DType dtype) {
  const DTypeSet allowed = published_types({"default", 0, op, "data"});
  for (const DType choice : {dtype, DType::uint64}) {
    if (allowed.contains(choice)) return choice;
  }
  return DType::boolean;
}

Call call_of(const OperatorFacts& facts, DType dtype, std::int64_t n, std::int64_t k) {
  const SizedCall sized = sized_call(facts, n, k);
  const std::string op(facts.name);
  const DType data = allowed_dtype(op, dtype);
  Call call;
  call.request.op = require_operator(op);
  for (const auto& [name, text] : sized.attributes) call.request.attributes.push_back({name, text});
  for (std::size_t i = 0; i < sized.operands.size(); ++i) {
    const DType own = sized.names[i] == "indices"     ? DType::int8
                      : sized.names[i] == "condition" ? DType::boolean
                                                      : data;
    call.operands.emplace_back(own, sized.operands[i]);
    std::vector<std::string> dims;
    for (const std::int64_t dim : sized.operands[i]) dims.push_back(cat(dim));
    call.request.positional.emplace_back(cat(name(own), "[", join(dims, ","), "]"));
  }
  call.result = sized.result;
  call.result_bytes = facts.boolean_result ? 1 : element_size(data);
  return call;
}

void check_call(const Call& call) {
  bool expected = true;
  std::string text(call.request.op.name->name);
  for (const auto& [dtype, shape] : call.operands) expected = expected && fits(shape, element_size(dtype));
  for (const Operand& operand : call.request.positional) text += " " + operand.text;
  CAPTURE(text);
  try {
    const OutputInfo output = infer_request(call.request, {});
    CHECK(output.shape == call.result);
    CHECK(expected);
    CHECK(element_size(output.dtype) == call.result_bytes);
    CHECK(fits(call.result, call.result_bytes));
  } catch (const Error& error) {
    const std::string_view line = error.what();
    CAPTURE(line);
    CHECK(line.ends_with("bytes [G-2]"));
    // The operands fit: so it is the result that does not.
    if (expected) CHECK_FALSE(fits(call.result, call.result_bytes));
  }
}

}  // namespace

TEST_CASE("every operator around 2^31, 2^32, 2^47 and 2^63 gives the right shape or an error",
          "[engine][boundary]") {
  std::vector<std::int64_t> sizes;
  for (const int power : {31, 32, 47, 60, 61, 62}) {
    for (const std::int64_t off : {-1, 0, 1}) sizes.push_back((std::int64_t{1} << power) + off);
  }
  for (const std::int64_t part : {1, 2, 3, 4, 8, 16}) sizes.push_back(kMost / part);
  for (const std::int64_t size : {kMost - 1, std::int64_t{3037000499}, std::int64_t{3037000500}})
    sizes.push_back(size);
  for (const OperatorFacts& facts : operator_facts()) {
    for (const DType dtype : {DType::int8, DType::int16, DType::float32, DType::float64}) {
      if (kAnySanitizer && dtype != DType::float32) continue;
      for (const std::int64_t n : sizes) {
        for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, n,
                                     kMost / n, kMost / n + 1}) {
          check_call(call_of(facts, dtype, n, k));
        }
      }
    }
  }
}

namespace {

// An int8 file of this shape that holds zeros but for `planted`: value by flat position.
void write_hole(const std::string& path, const std::string& shape, std::int64_t bytes,
                const std::vector<std::pair<std::int64_t, char>>& planted) {
  const std::string text = cat("{'descr': '|i1', 'fortran_order': False, 'shape': (", shape, "), }\n");
  const std::string header =
      cat(std::string_view("\x93NUMPY\1\0", 8), static_cast<char>(text.size()), '\0', text);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  const auto begin = static_cast<off_t>(header.size());
  REQUIRE(::ftruncate(fd, begin + bytes) == 0);
  REQUIRE(::pwrite(fd, header.data(), header.size(), 0) == begin);
  for (const auto& [position, value] : planted) REQUIRE(::pwrite(fd, &value, 1, begin + position) == 1);
  ::close(fd);
}

Request gathering(const std::string& op, const std::string& data, const std::string& indices) {
  Request request;
  request.op = require_operator(op);
  request.positional = {data, indices};
  return request;
}

}  // namespace

TEST_CASE("elements beyond 2^31, 2^32 and 2^42 bytes are found where they are", "[engine][boundary]") {
  // Flat positions, and what is planted there.
  // The thread sanitizer has no room for so large a mapping.
  constexpr std::int64_t kAll = std::int64_t{1} << (kThreadSanitizer ? 33 : 42);
  const std::vector<std::int64_t> places = {(std::int64_t{1} << 31) - 1,
                                            std::int64_t{1} << 31,
                                            (std::int64_t{1} << 31) + 1,
                                            (std::int64_t{1} << 32) - 1,
                                            std::int64_t{1} << 32,
                                            (std::int64_t{1} << 32) + 1,
                                            kAll - 2,
                                            kAll - 1};
  std::vector<std::pair<std::int64_t, char>> planted;
  for (const std::int64_t place : places) planted.emplace_back(place, static_cast<char>(planted.size() + 1));
  const TempDir dir;
  constexpr std::int64_t kRow = std::int64_t{1} << 21;
  write_hole(dir.file("flat.npy"), cat(kAll, ","), kAll, planted);
  write_hole(dir.file("square.npy"), cat(kAll / kRow, ", ", kRow), kAll, planted);

  const auto list = [&](const std::function<std::string(std::int64_t)>& index) {
    std::vector<std::string> items;
    for (const std::int64_t place : places) items.push_back(index(place));
    return cat("[", join(items, ","), "]");
  };
  const std::string forward = list([](std::int64_t place) { return cat(place); });
  const std::string backward = list([&](std::int64_t place) { return cat(place - kAll); });
  const std::string tuple = list([](std::int64_t place) { return cat("[", place, "]"); });
  const std::string pair =
      list([&](std::int64_t place) { return cat("[", place / kRow, ",", place % kRow, "]"); });
  struct Row {
    const char* op;
    const char* data;
    std::string indices;
  };
  const std::vector<Row> rows = {
      {"gather", "flat.npy", forward},         {"gather", "flat.npy", backward},
      {"gatherelements", "flat.npy", forward}, {"gatherelements", "flat.npy", backward},
      {"gathernd", "flat.npy", tuple},         {"gathernd", "square.npy", pair},
  };
  for (const Row& row : rows) {
    CAPTURE(row.op, row.data, row.indices);
    const Tensor result = evaluate(gathering(row.op, dir.file(row.data), row.indices), {});
    REQUIRE(result.shape() == Shape{static_cast<std::int64_t>(places.size())});
    for (std::size_t i = 0; i < places.size(); ++i)
      CHECK(result.as<std::int8_t>()[to_int64(i)] == static_cast<int>(i + 1));
  }
  // One place further there is nothing.
  for (const Row& row : std::vector<Row>{{"gather", "flat.npy", cat("[", kAll, "]")},
                                         {"gather", "flat.npy", cat("[", -kAll - 1, "]")},
                                         {"gathernd", "square.npy", cat("[[0,", kRow, "]]")},
                                         {"gather", "flat.npy", "[9223372036854775807]"},
                                         {"gather", "flat.npy", "[-9223372036854775808]"}}) {
    CAPTURE(row.op, row.indices);
    const Request request = gathering(row.op, dir.file(row.data), row.indices);
    CHECK(error_of([&] { (void)evaluate(request, {}); }).ends_with("[IX-1]"));
  }
}

TEST_CASE("of a tensor without elements nothing is read, however many rows it has", "[engine][boundary]") {
  const TempDir dir;
  constexpr std::int64_t kRows = std::int64_t{1} << 21;
  write_hole(dir.file("empty.npy"), cat(kRows, ", 0"), 0, {});
  write_hole(dir.file("indices.npy"), cat(kRows, ", 1"), kRows, {});
  for (const char* op : {"gatherelements", "gather"}) {
    CAPTURE(op);
    Request request = gathering(op, dir.file("empty.npy"), dir.file("indices.npy"));
    request.attributes = {{"axis", "1"}};
    if (std::string_view(op) == "gather") request.attributes.push_back({"batch_dims", "1"});
    request.oob = "zero";
    const Tensor result = evaluate(request, {});
    REQUIRE(result.size() == kRows);
    CHECK(std::all_of(result.data(), result.data() + kRows,
                      [](std::byte element) { return element == std::byte{0}; }));
  }
}

}  // namespace tensorop::engine_boundary_test
