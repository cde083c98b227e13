// A table of comparisons of tensors, with a line for each pair.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json.hpp"
#include "compare/compare.hpp"

namespace tensorop {

class ComparisonTable {
 public:
  // The keys that lines are sorted by: rms, max, cosine or elements, the worst one first, or name.
  static constexpr std::array<std::string_view, 5> kKeys = {"rms", "max", "cosine", "elements", "name"};

  // Adds a comparison of tensors of one dtype and shape, under PictureOptions::table.
  void add(const std::string& name, const Comparison& comparison);
  // Returns the table, empty if it has no line. Lines that are equally bad keep their order.
  [[nodiscard]] std::string text(const std::string& key) const;
  // The same as a list.
  [[nodiscard]] Json json(const std::string& key) const;

 private:
  struct Line {
    std::string name;
    // In the order of the keys; nothing if the dtype has no errors.
    std::array<std::optional<double>, 4> values;
    std::int64_t elements;
    bool has_other_numbers;  // NaN or infinities on one side alone, which have no error
  };
  [[nodiscard]] std::vector<const Line*> sorted(const std::string& key) const;

  std::vector<Line> lines_;
};

}  // namespace tensorop
