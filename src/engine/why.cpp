#include "engine/why.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "engine/execute.hpp"
#include "engine/mask.hpp"
#include "kernels/elements/walk.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/row_updates.hpp"
#include "ops/common.hpp"
#include "ops/fault_text.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kTableOperand = 0;  // the indexed tensor
constexpr std::size_t kConditionOperand = 0;
constexpr std::size_t kIndexOperand = 1;
constexpr std::size_t kUpdateOperand = 2;

// An index element; what is larger than any axis as the largest int64.
std::int64_t index_value(const Tensor& indices, std::int64_t position) {
  return dispatch(indices.dtype(), [&]<class T>(TypeTag<T>) -> std::int64_t {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const T value = indices.as<T>()[position];
      return std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value)
                                                : std::numeric_limits<std::int64_t>::max();
    } else {
      return 0;  // indices are integers
    }
  });
}

void add(Arrivals& out, std::int64_t position) {
  const bool is_listed = std::ranges::find(out.list, position, &Arrival::position) != out.list.end();
  if (!is_listed && out.list.size() < Explainer::kMostListed) out.list.push_back({position});
  ++out.count;
}

}  // namespace

Explainer::Explainer(const Request& request, const Settings& settings)
    : settings_(settings), has_mask_(tensorop::has_mask(request)), bound_(bind(request, settings)) {}

void Explainer::prepare(const Planned& planned) const {
  Decision decision;
  decision.memory = memory_of(settings_);
  planned.plan->prepare({0, 0}, decision, settings_.threads);
  // Of a copy the indices are checked and not used.
  const PlanFacts& facts = planned.plan->facts();
  if (!facts.fill_checks) check(*planned.plan, {0, facts.check_size}, settings_.threads);
}

ChosenIndex Explainer::chosen(const RowMap& map, std::int64_t tuple, std::size_t component,
                              std::int64_t offset) const {
  const IndexDecoder& decoder = map.decoder();
  const IndexAxis& axis = decoder.axes()[component];
  ChosenIndex out;
  out.position = decoder.element_of(tuple, to_int64(component));
  out.axis = axis.axis;
  out.size = indexed_size(call(), axis.axis);
  const std::int64_t value = index_value(decoder.indices(), out.position);
  const IndexPolicy policy = index_policy(call());
  const bool counts = policy.negative == Negative::count;
  out.window = std::max(axis.window, out.size - axis.size + 1);
  out.in_range = value < axis.size && (value >= 0 || (counts && value >= -axis.size));
  // An operator that wraps by itself, as tensorscatter does, has no index that is out of range.
  if (decoder.wraps() && policy.out_of_bounds == OutOfBounds::error) out.in_range = value >= 0;
  // The strides of the components are those of a row-major tensor, except where nothing is to be chosen.
  if (offset != kSkip) out.coordinate = axis.size == 1 ? 0 : offset / axis.stride % out.size;
  return out;
}

std::vector<ChosenIndex> Explainer::indices_of_row(const RowMap& map, std::int64_t row) const {
  std::vector<ChosenIndex> out;
  if (map.decoder().axes().empty()) return out;
  const std::int64_t tuple = map.tuples_of({row, 1}).first;
  std::int64_t offset = 0;
  map.decoder().decode(tuple, 1, &offset);
  for (std::size_t c = 0; c < map.decoder().axes().size(); ++c) out.push_back(chosen(map, tuple, c, offset));
  return out;
}

void Explainer::add_gathered(const RowMoves& moves, ElementOrigin& out) const {
  const auto indices = indices_of_row(*moves.map, out.position / moves.row_elements);
  if (out.from.empty()) {
    out.unresolved = indices;
  } else {
    out.from[0].indices = indices;
  }
}

// The updates that go to the element, out of all, and data's own element, which they may replace. `out` has
// those that are used: of the updates all, or the last one.
void Explainer::add_updates(const RowMoves& moves, std::span<const Move> updates, ElementOrigin& out) const {
  const std::int64_t column = out.position % moves.row_elements;
  const OperandElement own{kTableOperand, out.position};
  const bool keeps_own = !out.from.empty() && out.from[0].element == own;
  const std::int64_t target = out.position / moves.row_elements;
  const std::span all(std::ranges::lower_bound(updates, target, {}, &Move::target),
                      std::ranges::upper_bound(updates, target, {}, &Move::target));
  const auto used = to_int64(out.from.size()) - (keeps_own ? 1 : 0);
  out.from = {{own, keeps_own, {}}};
  out.contributions = to_int64(all.size()) + 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    // The last one is what replaces.
    if (i >= kMostListed - 1 && i + 1 != all.size()) continue;
    const bool is_used = used == to_int64(all.size()) || i + 1 == all.size();
    const std::int64_t row = all[i].update;
    out.from.push_back({{kUpdateOperand, moves.row_updates->position(row * moves.row_elements + column)},
                        is_used,
                        indices_of_row(*moves.map, row)});
  }
}

ElementOrigin Explainer::origin(const Plan& plan, std::int64_t position,
                                std::span<const Move> updates) const {
  const Range range{position, 1};
  ElementOrigin out;
  out.position = position;
  const auto storage = std::make_shared<Storage>(element_size(output().dtype));
  plan.fill(range, storage->data());
  std::vector<Tensor> sources = call().operands;
  if (auto fill = fill_value(call())) sources.push_back(std::move(*fill));
  for (const Tensor& source : sources) {
    for (auto& arena : source.arenas()) storage->arenas.push_back(std::move(arena));
  }
  out.value = Tensor(output().dtype, {}, storage);
  const Origins origins = plan.origins(range);
  out.contributions = to_int64(origins[0].size());
  for (const OperandElement& element : origins[0]) out.from.push_back({element});
  if (const auto& moves = plan.facts().moves) {
    moves->is_scatter() ? add_updates(*moves, updates, out) : add_gathered(*moves, out);
  }
  if (call().operand_spec(0).role == OperandRole::condition)
    out.condition = plan.facts().broadcast->offset(kConditionOperand, position);
  std::uint64_t open = 0;
  plan.mark_open(range, &open);
  out.is_open = (open & 1) != 0;
  return out;
}

std::vector<ElementOrigin> Explainer::origins(std::span<const std::int64_t> positions) const {
  return with_context(call().name->name, [&] {
    const Planned planned = call().op->plan(call());
    return with_fault_text(call(), planned, [&] {
      prepare(planned);
      const std::vector<Move> updates = planned.plan->keep_moves(positions, settings_.threads);
      std::vector<ElementOrigin> out;
      for (const std::int64_t position : positions) out.push_back(origin(*planned.plan, position, updates));
      return out;
    });
  });
}

std::vector<std::vector<std::size_t>> Explainer::repeated_axes() const {
  const Shape& shape = output().shape;
  const BroadcastWalk* const walk = bound_.planned.plan->facts().broadcast;
  std::vector<std::vector<std::size_t>> out(call().operands.size());
  if (count(shape) == 0 || walk == nullptr) return out;
  const auto strides = row_major_strides(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    // A scatter without indices is a copy of its first operand.
    for (std::size_t i = 0; i < std::min(out.size(), walk->operands()); ++i) {
      if (walk->offset(i, 0) == walk->offset(i, strides[d])) out[i].push_back(d);
    }
  }
  return out;
}

// Rows that indices move: those that an element is in, or is an index of.
Arrivals Explainer::arrivals_of_rows(const RowMoves& moves, const OperandElement& element) const {
  const RowMap& map = *moves.map;
  const std::int64_t width = moves.row_elements;
  Arrivals out;
  const auto take = [&](std::int64_t row, std::int64_t offset, std::int64_t column) {
    if (offset == kSkip) {
      ++out.dropped;
    } else {
      add(out, (moves.is_scatter() ? offset : row) * width + column);
    }
  };
  const bool is_one_row = element.operand == kUpdateOperand && !moves.row_updates->repeats();
  const Range rows = is_one_row ? Range{element.position / width, 1} : Range{0, map.rows()};
  const auto look_at = [&](std::int64_t row, std::int64_t offset) {
    if (element.operand == kIndexOperand) {
      const std::int64_t tuple = map.decoder().tuple_of(element.position);
      if (map.decoder().element_of(map.tuples_of({row, 1}).first) == map.decoder().element_of(tuple))
        take(row, offset, 0);
    } else if (element.operand == kTableOperand) {
      if (offset == element.position / width) take(row, offset, element.position % width);
    } else if (!moves.row_updates->repeats()) {
      take(row, offset, element.position % width);
    } else {
      for (std::int64_t column = 0; column < width; ++column) {
        if (moves.row_updates->position(row * width + column) == element.position) take(row, offset, column);
      }
    }
  };
  map.for_each_block(rows, [&](std::int64_t first, std::int64_t n, const std::int64_t* offsets) {
    for (std::int64_t i = 0; i < n; ++i) look_at(first + i, offsets[i]);
  });
  return out;
}

// Every element of the result is made of one element of each operand at most.
Arrivals Explainer::arrivals_of_elements(const Plan& plan, const OperandElement& element) const {
  constexpr std::int64_t kBlock = 4096;
  const std::int64_t size = count(output().shape);
  Arrivals out;
  for (std::int64_t first = 0; first < size; first += kBlock) {
    const Range range{first, std::min(kBlock, size - first)};
    if (call().operand_spec(element.operand).role == OperandRole::condition) {
      for (std::int64_t at = first; at < range.end(); ++at) {
        if (plan.facts().broadcast->offset(element.operand, at) == element.position) add(out, at);
      }
      continue;
    }
    const Origins origins = plan.origins(range);
    for (std::int64_t i = 0; i < range.count; ++i) {
      if (std::ranges::find(origins[to_size(i)], element) != origins[to_size(i)].end()) add(out, first + i);
    }
  }
  return out;
}

Arrivals Explainer::arrivals(const OperandElement& element) const {
  return with_context(call().name->name, [&] {
    const Planned planned = call().op->plan(call());
    return with_fault_text(call(), planned, [&] {
      prepare(planned);
      const auto& moves = planned.plan->facts().moves;
      if (!moves) return arrivals_of_elements(*planned.plan, element);
      Arrivals out;
      if (moves->is_scatter() && element.operand == kTableOperand) {
        add(out, element.position);
      } else {
        out = arrivals_of_rows(*moves, element);
      }
      if (!moves->is_scatter() || element.operand == kIndexOperand) return out;
      std::vector<std::int64_t> positions;
      for (const Arrival& arrival : out.list) positions.push_back(arrival.position);
      (void)planned.plan->keep_moves(positions, settings_.threads);
      for (Arrival& arrival : out.list) {
        const Origins origins = planned.plan->origins({arrival.position, 1});
        arrival.is_used = std::ranges::find(origins[0], element) != origins[0].end();
      }
      return out;
    });
  });
}

}  // namespace tensorop
