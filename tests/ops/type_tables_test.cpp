// The type tables of the specification (support/type_tables.hpp) and its table of index rules, compared with
// the descriptions: a wrong row there is found here.
#include <set>

#include "base/text/text.hpp"
#include "ops/registry.hpp"
#include "ops/statement.hpp"
#include "support/catch.hpp"
#include "support/reference.hpp"
#include "support/type_tables.hpp"

namespace tensorop::ops_type_tables_test {
namespace {

// The words of the tables for the type variables of the descriptions.
std::string table_word(const Operator& op, std::string_view type) {
  if (type == "T") return "data";
  if (type == "Tind") return "indices";
  if (op.name == "pow" && type == "T1") return "exponent";
  return std::string(type);
}

TypeKey key_of(const Operator& op, const Version& version, std::string_view type) {
  const bool standard = version.framework == Framework::standard;
  const std::string spec = spec_name(version.framework, version.since);
  return {standard ? "default" : spec.substr(0, spec.find('-')), version.since,
          fold_name(standard ? op.name : version.published), table_word(op, type)};
}

TEST_CASE("the descriptions have the dtypes of the specification's tables", "[descriptions]") {
  std::map<TypeKey, DTypeSet> missing = type_tables();
  for (const Operator* op : kOperators) {
    for (const Version& version : op->versions) {
      for (const TypeRow& row : version.types) {
        if (row.type == "B") continue;  // a condition has a test of its own
        CAPTURE(op->name, version.published, spec_name(version.framework, version.since), row.type);
        if (row.type == "consumed_inputs") {  // the tables say nothing of it
          CHECK(row.allowed == kIntegerTypes);
          continue;
        }
        const TypeKey key = key_of(*op, version, row.type);
        CHECK(published_types(key).names() == row.allowed.names());
        CHECK(types_not_here(key).names() == row.missing.names());
        CHECK(missing.erase(key) == 1);  // in the tables, and described once
      }
    }
  }
  for (const auto& [key, allowed] : missing) {
    FAIL_CHECK(key.framework << " " << key.name << "-" << key.since << "/" << key.variable
                             << " is not described");
  }
}

TEST_CASE("the publishers have the newest versions of the specification's tables", "[descriptions]") {
  for (const std::vector<std::string>& row : version_rows("newest")) {
    CAPTURE(row.at(0));
    CHECK(find_publisher(row.at(0))->newest == std::stoi(row.at(1)));
  }
}

TEST_CASE("a condition is bool in every version, and in the libraries other numbers of a byte too",
          "[descriptions]") {
  for (const Operator* op : kOperators) {
    for (std::size_t i = 0; i < op->operands.size(); ++i) {
      if (op->operands[i].role != OperandRole::condition) continue;
      for (const Version& version : op->versions) {
        CAPTURE(op->name, version.published);
        DTypeSet truth = version.framework == Framework::webnn ? DType::uint8 : DType::boolean;
        if (version.framework == Framework::torch) truth = {DType::boolean, DType::uint8};
        if (version.framework == Framework::numpy || version.framework == Framework::jax)
          truth = {DType::boolean, DType::uint8, DType::int8};
        CHECK(allowed_types(version, type_variable(*op, version, i)) == truth);
      }
    }
  }
}

bool has_indices_operand(const Operator& op) {
  return op.operands.size() > 1 && op.operands[1].role == OperandRole::indices;
}

// Whether negative indices count from the end, and what is out of range.
TEST_CASE("the descriptions have the index rules of the specification's table", "[descriptions]") {
  std::set<std::string> refuse_negative;
  std::set<std::string> zero_fill;
  for (const reference::PublishedVersion& row : reference::published_versions()) {
    if (!row.rules.negative_indices && !row.rules.any_index && row.op != "tensorscatter")
      refuse_negative.insert(cat(row.framework, '-', row.since, ' ', row.typed));
    if (row.rules.zero_fill) zero_fill.insert(cat(row.framework, '-', row.since, ' ', row.typed));
  }
  // The texts of these versions state a range, or nothing, and not what is outside it.
  const std::set<std::string> open_range = {
      "onnx-9 Scatter",    "onnx-11 ScatterND", "onnx-13 ScatterND", "onnx-16 ScatterND",
      "onnx-18 ScatterND", "openvino-1 Gather", "openvino-7 Gather", "mdf ScatterND",
  };
  const std::set<std::string> open_negative = {"onnx-1 Gather", "onnx-9 Scatter", "openvino-1 Gather",
                                               "openvino-7 Gather", "onnx-24 TensorScatter"};
  std::set<std::string> found;
  for (const Operator* op : kOperators) {
    for (const Version& version : op->versions) {
      const std::string entry = cat(spec_name(version.framework, version.since), ' ', version.published);
      CAPTURE(entry);
      const bool is_window = op->family == "slices";
      const std::string typed =
          cat(framework_name(version.framework), '-', version.since, ' ', fold_name(version.published));
      OutOfBounds expected = zero_fill.contains(typed) ? OutOfBounds::zero : OutOfBounds::error;
      if (version.framework == Framework::webnn && has_indices_operand(*op)) expected = OutOfBounds::clip;
      if (is_window) expected = version.published == "scatter" ? OutOfBounds::drop : OutOfBounds::clamp;
      CHECK(version.rules.index.out_of_bounds == expected);
      const bool is_raw = version.published == "TensorScatter" || is_window;
      CHECK((version.rules.index.negative == Negative::raw) == is_raw);
      if (version.rules.index.negative == Negative::refuse) found.insert(typed);
      CHECK(leaves_open(version, "IX-1") == open_range.contains(entry));
      CHECK(leaves_open(version, "IX-2") == open_negative.contains(entry));
      CHECK(version.rules.index.clips_raw ==
            (entry == "numpy-2 take" || entry == "numpy-2 put" || entry == "jax-0 take"));
    }
  }
  CHECK(found == refuse_negative);
}

// What a version says of an index is a row with an address, except in StableHLO and WebNN, which refuse none.
TEST_CASE("each refusal of an index is a statement with its address", "[descriptions]") {
  for (const Operator* op : kOperators) {
    if (!has_indices_operand(*op)) continue;
    for (const Version& version : op->versions) {
      CAPTURE(op->name, version.published, spec_name(version));
      if (version.framework == Framework::standard) continue;
      const bool has_modes = version.framework == Framework::jax && version.published.ends_with("along_axis");
      if (version.rules.index.out_of_bounds == OutOfBounds::error && !has_modes)
        CHECK(find_statement(version, "IX-1") != nullptr);
      if (version.rules.index.negative == Negative::refuse) CHECK(find_statement(version, "IX-2") != nullptr);
    }
  }
  for (const Statement& row : all_statements()) {
    CAPTURE(row.rule, row.words);
    // Publisher, release, and the page or the file.
    CHECK(source_of(row).find(", ") != std::string::npos);
    CHECK((row.stand == Stand::refused) == !row.code.empty());
    for (const std::string_view published : row.published) {
      const auto is_meant = [&](const Operator* op) {
        return std::ranges::any_of(op->versions, [&](const Version& version) {
          return version.framework == row.framework && version.published == published &&
                 find_statement(version, row.rule) == &row;
        });
      };
      CHECK(std::ranges::any_of(kOperators, is_meant));
    }
  }
}

}  // namespace
}  // namespace tensorop::ops_type_tables_test
