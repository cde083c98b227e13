// The origin of a result's elements, as data: the elements of operands that each is computed from, in order,
// and the indices that selected them. Asks the plan that computes the result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/bind.hpp"
#include "engine/settings.hpp"
#include "kernels/rows/plan.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The element of an operand at a flat, row-major position.
struct OperandElement {
  std::size_t operand = 0;
  std::int64_t position = 0;
  friend bool operator==(const OperandElement&, const OperandElement&) = default;
};

// An element of indices that was used to select a row of operand 0.
struct ChosenIndex {
  std::int64_t position = 0;               // in indices, flat
  std::int64_t axis = 0;                   // of operand 0
  std::int64_t size = 0;                   // of that axis
  std::optional<std::int64_t> coordinate;  // on that axis; nothing if the index is out of range
  bool in_range = true;                    // as counted from the front or the end, before any policy
  std::int64_t window = 1;                 // consecutive positions that the index selects, from its own on
};

// An element of an operand that the result is computed from, or would be.
struct Contribution {
  OperandElement element;
  bool is_used = true;                    // false: overwritten, or not an initial value
  std::vector<ChosenIndex> indices = {};  // of the index tuple that selected it, or its target
};

struct ElementOrigin {
  std::int64_t position = 0;              // in the result, flat
  Tensor value;                           // the element, of rank 0
  std::vector<Contribution> from;         // in the order of combination, at most kMostListed
  std::int64_t contributions = 0;         // number of all contributions
  std::vector<ChosenIndex> unresolved;    // gather: the tuple that is out of range and selects no row
  std::optional<std::int64_t> condition;  // `where`: the position of the condition's element
  bool is_open = false;                   // the version leaves the element unspecified
};

// An element of the result that depends on a given element of an operand.
struct Arrival {
  std::int64_t position = 0;  // in the result, flat
  bool is_used = true;        // false: another update replaces it
};

// All elements of the result that depend on an element of an operand.
struct Arrivals {
  std::vector<Arrival> list;  // in the order in which they are found, each once, at most kMostListed
  std::int64_t count = 0;     // number of all; an element counts once for each index that sends it there
  std::int64_t dropped = 0;   // updates that are dropped because their index is out of range
};

struct ArrivedElement {
  OperandElement element;
  Arrivals arrivals;
};

class Explainer {
 public:
  static constexpr std::size_t kMostListed = 16;

  // Throws Error like bind().
  Explainer(const Request& request, const Settings& settings);

  [[nodiscard]] const Call& call() const { return bound_.call; }
  [[nodiscard]] const Planned& planned() const { return bound_.planned; }
  [[nodiscard]] const OutputInfo& output() const { return planned().output; }
  // Whether indices select the rows of the result, or the targets of updates.
  [[nodiscard]] bool is_gather() const { return moves() != nullptr && !moves()->is_scatter(); }
  [[nodiscard]] bool is_scatter() const { return moves() != nullptr && moves()->is_scatter(); }
  [[nodiscard]] OpenReason open_reason() const { return bound_.planned.plan.facts().open_reason; }
  // Returns, for each operand, the dimensions of the result along which its elements are repeated.
  [[nodiscard]] std::vector<std::vector<std::size_t>> repeated_axes() const;

  // Returns the origins of elements at flat positions. A gather reads the indices of their rows; a scatter
  // reads all indices once. Throws the same Error as computing these elements.
  [[nodiscard]] std::vector<ElementOrigin> origins(std::span<const std::int64_t> positions) const;

  // Returns the elements of the result that depend on an element of an operand. Looks through the rows that
  // indices select, or through the result. Throws Error.
  [[nodiscard]] Arrivals arrivals(const OperandElement& element) const;

 private:
  [[nodiscard]] const RowMoves* moves() const { return bound_.planned.plan.moves(); }
  // Throws PlanFault for faults that computing the elements would miss.
  void check_values() const;
  [[nodiscard]] ElementOrigin origin(std::int64_t position, std::span<const Move> updates) const;
  [[nodiscard]] ChosenIndex chosen(const RowMap& map, std::int64_t tuple, std::size_t component,
                                   std::int64_t offset) const;
  [[nodiscard]] std::vector<ChosenIndex> indices_of_row(const RowMap& map, std::int64_t row) const;
  void add_gathered(const RowMoves& moves, ElementOrigin& out) const;
  void add_updates(const RowMoves& moves, std::span<const Move> updates, ElementOrigin& out) const;
  void add_elements(ElementOrigin& out) const;
  [[nodiscard]] bool compute(const RowMoves& moves, std::span<const Move> updates, std::int64_t position,
                             std::byte* out) const;
  [[nodiscard]] Arrivals arrivals_of_rows(const RowMoves& moves, const OperandElement& element) const;

  Settings settings_;
  Bound bound_;
};

}  // namespace tensorop
