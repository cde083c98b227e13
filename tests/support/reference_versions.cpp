// Which versions there are and what they differ in, besides their dtypes (support/type_tables.hpp): the rows
// "rules" of testdata/spec/versions.txt.
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "support/reference.hpp"
#include "support/type_tables.hpp"

namespace tensorop::reference {
namespace {

const std::map<std::string, bool Rules::*> kFlags = {
    {"negative_indices", &Rules::negative_indices},
    {"zero_fill", &Rules::zero_fill},
    {"batch_dims", &Rules::batch_dims},
    {"negative_batch_dims", &Rules::negative_batch_dims},
    {"broadcast_batch_dims", &Rules::broadcast_batch_dims},
    {"fused_batch_dims", &Rules::fused_batch_dims},
    {"empty_tuples", &Rules::empty_tuples},
    {"equal_off_axis", &Rules::equal_off_axis},
    {"bounded_axis", &Rules::bounded_axis},
    {"nearest", &Rules::nearest},
    {"negative_axis", &Rules::negative_axis},
    {"zero_dims", &Rules::zero_dims},
    {"byte_truth", &Rules::byte_truth},
    {"one_way_expand", &Rules::one_way_expand},
    {"one_element_updates", &Rules::one_element_updates},
    {"float_floor_mod", &Rules::float_floor_mod},
    {"off_axis", &Rules::off_axis},
    {"torch_shapes", &Rules::torch_shapes},
    {"vector_index", &Rules::vector_index},
    {"both_scalars", &Rules::both_scalars},
    {"repeats_updates", &Rules::repeats_updates},
    {"keeps_dims", &Rules::keeps_dims},
    {"flat", &Rules::flat},
    {"missing_zero_divisor", &Rules::missing_zero_divisor},
    {"keeps_zero", &Rules::keeps_zero},
    {"pow_of_zero", &Rules::pow_of_zero},
    {"natural_pow", &Rules::natural_pow},
    {"number_truth", &Rules::number_truth},
    {"open_zeros", &Rules::open_zeros},
    {"open_overflow", &Rules::open_overflow},
    {"wraps_mean", &Rules::wraps_mean},
    {"takes_value", &Rules::takes_value},
    {"cycles_updates", &Rules::cycles_updates},
    {"scalar_data", &Rules::scalar_data},
    {"no_empty_axis", &Rules::no_empty_axis},
    {"zero_of_empty_axis", &Rules::zero_of_empty_axis},
    {"unchecked_empty", &Rules::unchecked_empty},
    {"axis_or_flat", &Rules::axis_or_flat},
    {"updates_like_indices", &Rules::updates_like_indices},
    {"missing_complex_order", &Rules::missing_complex_order},
    {"axis", &Rules::axis},
    {"skips_empty", &Rules::skips_empty},
    {"rounds_once", &Rules::rounds_once},
    {"rounds_mean_sum", &Rules::rounds_mean_sum},
    {"clips_raw", &Rules::clips_raw},
    {"one_way_condition", &Rules::one_way_condition},
    {"use_init_val", &Rules::use_init_val},
    {"open_duplicates", &Rules::open_duplicates},
    {"open_nan", &Rules::open_nan},
    {"open_zero_divisor", &Rules::open_zero_divisor},
    {"open_wide_shift", &Rules::open_wide_shift},
    {"any_index", &Rules::any_index},
    {"scalar_condition", &Rules::scalar_condition},
    {"any_order", &Rules::any_order},
    {"any_shift", &Rules::any_shift},
    {"nan_unordered", &Rules::nan_unordered},
    {"batch_axis", &Rules::batch_axis},
    {"no_empty_data", &Rules::no_empty_data},
    {"tuples_alone", &Rules::tuples_alone},
    {"bad_indices", &Rules::bad_indices},
    {"makes_data", &Rules::makes_data},
    {"conjugates", &Rules::conjugates},
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, at);) words.push_back(word);
  return words;
}

void apply(const std::string& word, Rules& rules) {
  if (word.starts_with('$')) {
    static const auto kWords = version_rows("let");
    for (const std::vector<std::string>& row : kWords) {
      if (row[0] != word.substr(1)) continue;
      for (const std::string& own : split(row[1], ' ')) apply(own, rules);
      return;
    }
    throw std::logic_error("no words " + word);
  }
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    const bool off = word.starts_with('-');
    rules.*kFlags.at(word.substr(off ? 1 : 0)) = !off;
    return;
  }
  const std::string name = word.substr(0, equals);
  const std::string value = word.substr(equals + 1);
  if (name == "no_bool") {
    rules.no_bool = value;
  } else if (name == "index_modes") {
    rules.index_modes = split(value, ',');
  } else if (name == "reductions") {
    rules.reductions = split(value, ',');
  } else if (name == "modes") {
    rules.modes = split(value, ',');
  } else if (name == "schemes") {
    rules.schemes = split(value, ',');
  } else if (name == "most_operands") {
    rules.most_operands = std::stoi(value);
  } else {
    rules.other_defaults[name] = value;
  }
}

// The version's dtypes; everything else as in the default semantics, without reductions.
Rules rules_of(const std::string& framework, int since, const std::string& name) {
  Rules rules;
  rules.rounds_once = framework == "default";
  rules.types = published_types({framework, since, name, "data"});
  rules.missing_types = types_not_here({framework, since, name, "data"});
  rules.exponent_types = published_types({framework, since, name, "exponent"});
  rules.index_types = published_types({framework, since, name, "indices"});
  rules.missing_index_types = types_not_here({framework, since, name, "indices"});
  return rules;
}

int newest(const std::string& framework) {
  for (const std::vector<std::string>& row : version_rows("newest")) {
    if (row.at(0) == framework) return std::stoi(row.at(1));
  }
  return 0;
}

std::vector<PublishedVersion> versions_of_rows() {
  std::vector<PublishedVersion> all;
  for (const std::vector<std::string>& row : version_rows("rules")) {
    for (const std::string& names : split(row.at(1), ' ')) {
      for (const std::string& text : split(row.at(2), ' ')) {
        const int since = std::stoi(text);
        const std::string op = names.substr(0, names.find(':'));
        const std::string typed = names.substr(names.find(':') + 1);
        Rules rules = rules_of(row[0], since, typed);
        for (const std::string& word : split(row.at(3), ' ')) apply(word, rules);
        all.push_back({op, typed, row[0], since, newest(row[0]), rules});
      }
    }
  }
  // MDF has the newest of ONNX up to opset 15, but Scatter.
  std::map<std::string, PublishedVersion> mdf;
  for (const PublishedVersion& version : all) {
    const bool is_own = version.typed == "scatter" || version.op == "gathernd";
    if (version.framework != "onnx" || version.since > 15 || is_own) continue;
    PublishedVersion& newest = mdf[version.op];
    if (version.since >= newest.since) newest = version;
  }
  for (auto& [op, version] : mdf) {
    version.framework = "mdf";
    version.since = 0;
    all.push_back(version);
  }
  for (PublishedVersion& version : all) {
    for (const PublishedVersion& later : all) {
      const bool same = later.typed == version.typed && later.framework == version.framework;
      if (same && later.since > version.since) version.until = std::min(version.until, later.since - 1);
    }
  }
  return all;
}

}  // namespace

Rules default_rules(const std::string& op) {
  Rules rules = rules_of("default", 0, op);
  apply("$DefaultReductions", rules);
  rules.modes = {"numpy", "bidirectional", "pdpd", "explicit"};
  rules.schemes = {"numpy", "none", "pdpd"};
  if (op != "where") rules.schemes.push_back("legacy");
  rules.flat = op == "gather" || op == "gatherelements" || op == "scatterupdate";
  if (op == "tensorscatter") rules.negative_indices = false;
  if (op.ends_with("slice") || op.ends_with("slices")) {
    apply("-negative_indices", rules);
    apply("any_index", rules);
    apply("-use_init_val", rules);
    apply("$WindowWords", rules);
  }
  if (op == "prelu") rules.schemes = {"one_way"};
  return rules;
}

const ReductionFacts* find_reduction(const std::string& word) {
  static const auto kRows = [] {
    std::map<std::string, ReductionFacts> rows = {{"join", {"join", "join", "bifcs"}}};  // of origins()
    for (const std::vector<std::string>& row : version_rows("reduction")) {
      const std::vector<std::string> words = split(row.at(0), ' ');
      for (const std::string& own : words) rows[own] = {words[0], row.at(1), row.at(2)};
    }
    return rows;
  }();
  const auto row = kRows.find(word);
  return row == kRows.end() ? nullptr : &row->second;
}

bool ReductionFacts::is_defined(DType dtype) const {
  const char kind = dtype == DType::boolean         ? 'b'
                    : kIntegerTypes.contains(dtype) ? 'i'
                    : kFloatTypes.contains(dtype)   ? 'f'
                    : kComplexTypes.contains(dtype) ? 'c'
                                                    : 's';
  return kinds.find(kind) != std::string::npos;
}

const std::vector<PublishedVersion>& published_versions() {
  static const std::vector<PublishedVersion> kTable = versions_of_rows();
  return kTable;
}

}  // namespace tensorop::reference
