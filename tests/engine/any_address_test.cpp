// Operands at any address: which are used where they are stored, and what comes of it.
#include <cstdint>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "engine/bind.hpp"
#include "engine/engine.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/npy_writer.hpp"
#include "support/pb_writer.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::engine_any_address_test {
namespace {

// How many operands of the call do not lie at an address that is aligned for them.
int unaligned(const std::string& op, const std::vector<std::string>& operands) {
  Request request;
  request.op = require_operator(op);
  for (const std::string& operand : operands) request.positional.emplace_back(operand);
  const Bound bound = bind(request, {});
  int count = 0;
  for (const Tensor& tensor : bound.call.operands) {
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.data());
    if (address % static_cast<std::uintptr_t>(element_size(tensor.dtype())) != 0) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("operands are used where they are stored, at any address", "[engine]") {
  const TempDir dir;
  const Tensor data = tensor_of<float>(DType::float32, {2, 2}, {1, 2, 3, 4});
  const Tensor indices = tensor_of<std::int64_t>(DType::int64, {2, 2}, {0, 1, 1, 0});
  // raw_data of x begins at byte 8, and where there is a name as many bytes later as that has, and two: at a
  // multiple of 4 for the lengths 0, 2 and 6.
  int all = 0;
  for (std::size_t length = 0; length < 8; ++length) {
    const std::string x = dir.file(cat("x", length, ".pb"));
    const std::string i = dir.file(cat("i", length, ".pb"));
    write_file(x, pb_bytes(data, length));
    write_file(i, pb_bytes(indices, length));
    const int data_is = unaligned("add", {x, "[1]"});
    const int indices_are = unaligned("gather", {"[1,2]", i});
    CHECK(unaligned("gather", {x, i}) == data_is + indices_are);
    CHECK(unaligned("scatterelements", {x, i, x}) == 2 * data_is + indices_are);
    CHECK(unaligned("where", {"[[true],[false]]", x, x}) == 2 * data_is);
    all += data_is + indices_are;
  }
  // raw_data of i begins at a multiple of 8 for the lengths 0 and 6.
  CHECK(all == 5 + 6);
}

}  // namespace tensorop::engine_any_address_test
