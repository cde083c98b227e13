// How a terminal shows tensors; that a terminal gets this form: tests/cli/shells.py.
#include "io/display.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "support/catch.hpp"
#include "support/tensors.hpp"

namespace tensorop::io_display_test {
namespace {

std::string shown(const Tensor& tensor, int columns) {
  Display display(tensor.dtype(), tensor.shape());
  // In two parts, the last one first.
  const std::int64_t half = tensor.size() / 2;
  display.add_elements(half, tensor.size() - half, tensor.data() + half * element_size(tensor.dtype()));
  display.add_elements(0, half, tensor.data());
  return display.text(columns);
}

Tensor counting(Shape shape) {
  std::vector<std::int32_t> values(to_size(count(shape)));
  std::iota(values.begin(), values.end(), 0);
  return tensor_of<std::int32_t>(DType::int32, std::move(shape), values);
}

}  // namespace

TEST_CASE("a terminal shows dtype, shape and aligned elements of any rank", "[io][display]") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  struct Row {
    Tensor tensor;
    int columns;
    std::string text;
  };
  const std::vector<Row> rows = {
      {tensor_of<std::int64_t>(DType::int64, {}, {-7}), 80, "int64 ()\n-7\n"},
      {tensor_of<std::int64_t>(DType::int64, {0}, {}), 80, "int64 (0)\n[]\n"},
      {tensor_of<std::int64_t>(DType::int64, {2, 0, 3}, {}), 80, "int64 (2,0,3)\n[]\n"},
      {tensor_of<std::int64_t>(DType::int64, {1}, {5}), 80, "int64 (1)\n[5]\n"},
      {tensor_of<std::int64_t>(DType::int64, {2, 2}, {1, -20, 300, 4}), 80,
       "int64 (2,2)\n[[  1 -20]\n [300   4]]\n"},
      {counting({2, 2, 2}), 80, "int32 (2,2,2)\n[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n"},
      {counting({2, 1, 1, 1}), 80, "int32 (2,1,1,1)\n[[[[0]]]\n\n\n [[[1]]]]\n"},
      {tensor_of<float>(DType::float32, {4}, {1.5F, -0.25F, 1e20F, kInfinity}), 80,
       "float32 (4)\n[   1.5     -0.25     1e+20 Infinity]\n"},
      {tensor_of<std::complex<float>>(DType::complex64, {2}, {{1, 2}, {0, -1}}), 80,
       "complex64 (2)\n[1.0+2.0j 0.0-1.0j]\n"},
      {counting({12}), 20, "int32 (12)\n[ 0  1  2  3  4  5\n  6  7  8  9 10 11]\n"},
      {counting({2, 7}), 12, "int32 (2,7)\n[[ 0  1  2\n   3  4  5\n   6]\n [ 7  8  9\n  10 11 12\n  13]]\n"},
      {counting({1001}), 80, "int32 (1001)\n[   0    1    2 ...  998  999 1000]\n"},
      // Six elements are shown whole.
      {counting({200, 6}), 80,
       "int32 (200,6)\n[[   0    1    2    3    4    5]\n [   6    7    8    9   10   11]\n [  12   13   14  "
       " 15   16  "
       " 17]\n ...\n [1182 1183 1184 1185 1186 1187]\n [1188 1189 1190 1191 1192 1193]\n [1194 1195 1196 "
       "1197 1198 "
       "1199]]\n"},
      {counting({1000, 2}), 80,
       "int32 (1000,2)\n[[   0    1]\n [   2    3]\n [   4    5]\n ...\n [1994 1995]\n [1996 1997]\n [1998 "
       "1999]]\n"},
      {counting({6, 200}), 80,
       "int32 (6,200)\n[[   0    1    2 ...  197  198  199]\n [ 200  201  202 ...  397  398  399]\n [ 400  "
       "401  402 ...  597  598  599]\n [ 600  601  602 ...  797  798  799]\n [ 800  801  802 ...  997  998  "
       "999]\n [1000 1001 1002 ... 1197 1198 1199]]\n"},
      // As many elements at each end as make a page.
      {counting({10, 10, 10, 10}), 80, ""},
  };
  for (const Row& row : rows) {
    const std::string text = shown(row.tensor, row.columns);
    CAPTURE(to_string(row.tensor.shape()), text);
    if (!row.text.empty()) CHECK(text == row.text);
    CHECK(std::ranges::count(text, '\n') < 150);
  }
}

TEST_CASE("strings are shown in quotes, their control characters escaped, their characters counted",
          "[io][display]") {
  const Tensor tensor = tensor_of<StringRef>(
      DType::string, {3}, {StringRef{"a", 1}, StringRef{"\x1b[31m", 5}, StringRef{"\xC3\xA4\xC3\xB6", 4}});
  CHECK(shown(tensor, 80) == "string (3)\n[       'a' '\\x1b[31m'       '\xC3\xA4\xC3\xB6']\n");
}

}  // namespace tensorop::io_display_test
