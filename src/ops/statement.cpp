#include "ops/statement.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"

namespace tensorop {
namespace {

constexpr int kAll = std::numeric_limits<int>::max();

// clang-format off
constexpr Statement kStatements[] = {
    {"IX-1", Framework::onnx, "Scatter", 9, 9, Stand::open, "no range is stated"},
    {"IX-1", Framework::onnx, "ScatterND", 11, kAll, Stand::open, "index values are expected in the valid range"},
    {"IX-1", Framework::openvino, "Gather", 1, 7, Stand::open, "the values for indices are in the range [0, data[axis] - 1]"},
    {"IX-1", Framework::openvino, "GatherElements", 6, kAll, Stand::refused, "all index values are expected to be within bounds; the reference implementation throws"},
    {"IX-1", Framework::torch, "", 0, kAll, Stand::refused, "index out of range (aten/src/ATen/native/TensorAdvancedIndexing.cpp)"},

    {"IX-2", Framework::onnx, "Gather", 1, 1, Stand::open, "all index values are expected to be within bounds, which are not stated"},
    {"IX-2", Framework::onnx, "Scatter", 9, 9, Stand::open, "no range is stated"},
    {"IX-2", Framework::onnx, "TensorScatter", 24, kAll, Stand::open, "nothing is said of negative indices in mode circular"},
    {"IX-2", Framework::openvino, "Gather", 1, 7, Stand::open, "the values for indices are in the range [0, data[axis] - 1]"},
    {"IX-2", Framework::openvino, "GatherElements", 6, kAll, Stand::refused, "all index values are expected to be within bounds; the reference implementation throws"},
    {"IX-2", Framework::torch, "", 0, kAll, Stand::refused, "index out of range (aten/src/ATen/native/TensorAdvancedIndexing.cpp)"},

    {"EW-7", Framework::onnx, "", 0, kAll, Stand::open, "nothing is said of integers divided by zero"},
    {"EW-7", Framework::openvino, "", 0, kAll, Stand::open, "the result of division by zero is undefined"},
    {"EW-8", Framework::onnx, "", 0, kAll, Stand::open, "nothing is said of results beyond the dtype, or of negative shifts"},
    {"EW-8", Framework::openvino, "", 0, kAll, Stand::open, "the result of such a shift is undefined; nothing is said of powers beyond the dtype"},

    {"GE-4", Framework::onnx, "", 0, kAll, Stand::refused, "only the rank is stated; ONNX Runtime refuses larger indices"},
};
// clang-format on

}  // namespace

std::span<const Statement> all_statements() {
  return kStatements;
}

const Statement* find_statement(const Version& version, std::string_view rule) {
  // MDF has the operators of ONNX's opset 15.
  const bool is_mdf = version.framework == Framework::mdf;
  const Framework framework = is_mdf ? Framework::onnx : version.framework;
  const int since = is_mdf ? 15 : version.since;
  const auto* const found = std::ranges::find_if(kStatements, [&](const Statement& row) {
    return row.rule == rule && row.framework == framework && row.since <= since && since <= row.last &&
           (row.published.empty() || row.published == version.published);
  });
  return found == std::end(kStatements) ? nullptr : found;
}

bool leaves_open(const Version& version, std::string_view rule) {
  const Statement* const row = find_statement(version, rule);
  return row != nullptr && row->stand == Stand::open;
}

std::string source_of(const Version& version) {
  if (version.framework == Framework::standard) return {};
  return cat(publisher_of(version.framework).source, published_name(version));
}

}  // namespace tensorop
