#include "explain/why.hpp"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "engine/execute.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/row_updates.hpp"
#include "ops/axes.hpp"
#include "ops/fault_text.hpp"
#include "ops/index_policy.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kDataOperand = 0;  // the indexed tensor
constexpr std::size_t kIndexOperand = 1;
constexpr std::size_t kUpdateOperand = 2;

void add(Arrivals& out, std::int64_t position) {
  const bool is_listed = std::ranges::find(out.list, position, &Arrival::position) != out.list.end();
  if (!is_listed && out.list.size() < Explainer::kMostListed) out.list.push_back({position});
  ++out.count;
}

// Returns the updates of a scatter that go to the rows of these elements, sorted by row; updates of a row
// stay in order. Reads all indices once. Throws PlanFault for the lowest bad index.
std::vector<Move> updates_of(const RowMoves& scatter, std::span<const std::int64_t> positions,
                             const Threads& threads) {
  constexpr std::int64_t kRowsAtOnce = 64 * kIndexBlock;
  constexpr std::int64_t kFilterBits = 1 << 12;
  std::vector<std::int64_t> targets;
  std::bitset<kFilterBits> filter;  // most offsets belong to other rows
  for (const std::int64_t position : positions) {
    targets.push_back(position / scatter.row_elements);
    filter.set(to_size(targets.back() % kFilterBits));
  }
  std::ranges::sort(targets);
  const Range rows = {0, scatter.map.rows()};
  std::vector<std::vector<Move>> found(to_size(ceil_div(rows.count, kRowsAtOnce)));
  threads.for_each(to_int64(found.size()), [&](std::int64_t block, int /*worker*/) {
    scatter.map.for_each_block(part_of_range(rows, block, kRowsAtOnce), [&](std::int64_t row, std::int64_t n,
                                                                            const std::int64_t* offsets) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (offsets[i] != kSkip && filter.test(to_size(offsets[i] % kFilterBits)) &&
            std::ranges::binary_search(targets, offsets[i]))
          found[to_size(block)].push_back({offsets[i], row + i});
      }
    });
  });
  std::vector<Move> out;
  for (const auto& moves : found) out.insert(out.end(), moves.begin(), moves.end());
  std::ranges::stable_sort(out, {}, &Move::target);
  return out;
}

// Returns the part of `updates`, sorted by updates_of(), that goes to the row of the element at `position`.
std::span<const Move> updates_at(std::span<const Move> updates, const RowMoves& scatter,
                                 std::int64_t position) {
  const std::int64_t target = position / scatter.row_elements;
  return {std::ranges::lower_bound(updates, target, {}, &Move::target),
          std::ranges::upper_bound(updates, target, {}, &Move::target)};
}

}  // namespace

Explainer::Explainer(const Request& request, const Settings& settings)
    : settings_(settings), bound_(bind(request, settings)) {}

void Explainer::check_values() const {
  require_no_duplicates(planned().plan, settings_);
  // A copy does not use indices, but checks them.
  if (!planned().plan.facts().fill_checks) check_all(planned().plan, settings_.threads);
}

ChosenIndex Explainer::chosen(const RowMap& map, std::int64_t tuple, std::size_t component,
                              std::int64_t offset) const {
  const IndexDecoder& decoder = map.decoder();
  const IndexAxis& axis = decoder.axes()[component];
  ChosenIndex out;
  out.position = decoder.element_of(tuple, to_int64(component));
  out.axis = axis.axis;
  out.size = indexed_size(call(), axis.axis);
  const std::int64_t value = decoder.value(out.position);
  const IndexPolicy policy = index_policy(call());
  out.window = std::max(axis.window, out.size - axis.size + 1);
  out.in_range = policy.is_in_range(value, axis.size);
  // If the operator itself wraps, no index is beyond the end.
  if (decoder.wraps() && policy.out_of_bounds == OutOfBounds::error) out.in_range = value >= 0;
  // The strides of the components are row-major, unless there is nothing to select.
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

// Adds the element of data that a gather copies, or the index tuple that selects none.
void Explainer::add_gathered(const RowMoves& moves, ElementOrigin& out) const {
  const std::int64_t row = out.position / moves.row_elements;
  std::int64_t offset = 0;
  moves.map.locate(row, 1, &offset);
  if (offset == kSkip) {
    out.unresolved = indices_of_row(moves.map, row);
    return;
  }
  const std::int64_t from = offset * moves.row_elements + out.position % moves.row_elements;
  out.from = {{{kDataOperand, from}, true, indices_of_row(moves.map, row)}};
  out.contributions = 1;
}

// Adds data's own element, which updates may replace, and the updates of the element.
void Explainer::add_updates(const RowMoves& moves, std::span<const Move> updates, ElementOrigin& out) const {
  const std::int64_t column = out.position % moves.row_elements;
  const RowUpdates& rule = *moves.row_updates;
  out.from = {{{kDataOperand, out.position}, updates.empty() || rule.starts_from_data(), {}}};
  out.contributions = to_int64(updates.size()) + 1;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const bool is_last = i + 1 == updates.size();
    // The last update is the one that replaces the element.
    if (i >= kMostListed - 1 && !is_last) continue;
    const std::int64_t row = updates[i].update;
    out.from.push_back({{kUpdateOperand, rule.position(row * moves.row_elements + column)},
                        rule.reduces() || is_last,
                        indices_of_row(moves.map, row)});
  }
}

// Computes the element of a scatter's result from these updates. Returns whether it is open.
bool Explainer::compute(const RowMoves& moves, std::span<const Move> updates, std::int64_t position,
                        std::byte* out) const {
  const int width = element_size(moves.dtype());
  std::memcpy(out, moves.data.data() + position * width, to_size(width));
  const Segment segment = {{position / moves.row_elements, 1}, position % moves.row_elements, 1, 0};
  const auto source = [&](const auto& use_moves) {
    for (std::span left = updates; !left.empty();
         left = left.subspan(std::min(left.size(), to_size(kIndexBlock))))
      use_moves(left.data(), std::min(to_int64(left.size()), kIndexBlock));
  };
  moves.row_updates->update(segment, out, nullptr, source);
  std::uint64_t open = 0;
  if (open_reason() != OpenReason::none)
    moves.row_updates->mark_open(segment, open_reason(), moves.data.data(), &open, source);
  return open != 0;
}

void Explainer::add_elements(ElementOrigin& out) const {
  const ElementPlan& plan = *planned().plan.elements();
  for (std::size_t i = 0; i < call().operands.size(); ++i) {
    const auto at = plan.origin(i, out.position);
    if (at && call().operand_spec(i).role == OperandRole::condition) {
      out.condition = at;
    } else if (at && plan.uses(i, out.position)) {
      out.from.push_back({{i, *at}});
    }
  }
  out.contributions = to_int64(out.from.size());
}

ElementOrigin Explainer::origin(std::int64_t position, std::span<const Move> updates) const {
  ElementOrigin out;
  out.position = position;
  const auto storage = std::make_shared<Storage>(element_size(output().dtype));
  if (is_scatter()) {
    updates = updates_at(updates, *moves(), position);
    out.is_open = compute(*moves(), updates, position, storage->data());
    add_updates(*moves(), updates, out);
  } else {
    const PreparedPlan plan(planned().plan);
    plan.fill({position, 1}, storage->data());
    moves() != nullptr ? add_gathered(*moves(), out) : add_elements(out);
    std::uint64_t open = 0;
    plan.mark_open({position, 1}, &open);
    out.is_open = (open & 1) != 0;
  }
  std::vector<Tensor> sources = call().operands;
  if (auto fill = fill_value(call())) sources.push_back(std::move(*fill));
  for (const Tensor& source : sources) {
    for (auto& arena : source.arenas()) storage->arenas.push_back(std::move(arena));
  }
  out.value = Tensor(output().dtype, {}, storage);
  return out;
}

std::vector<ElementOrigin> Explainer::origins(std::span<const std::int64_t> positions) const {
  return with_context(call().name->name, [&] {
    return with_fault_text(call(), planned(), [&] {
      check_values();
      std::vector<Move> updates;
      if (is_scatter()) updates = updates_of(*moves(), positions, settings_.threads);
      std::vector<ElementOrigin> out;
      for (const std::int64_t position : positions) out.push_back(origin(position, updates));
      return out;
    });
  });
}

std::vector<std::vector<std::size_t>> Explainer::repeated_axes() const {
  const Shape& shape = output().shape;
  std::vector<std::vector<std::size_t>> out(call().operands.size());
  if (count(shape) == 0 || moves() != nullptr) return out;
  const ElementPlan& plan = *planned().plan.elements();
  const auto strides = row_major_strides(shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto first = plan.origin(i, 0);
    for (std::size_t d = 0; d < shape.size() && first; ++d) {
      if (shape[d] != 1 && plan.origin(i, strides[d]) == first) out[i].push_back(d);
    }
  }
  return out;
}

// Finds rows that indices move and that contain the element, or that the element is an index of.
Arrivals Explainer::arrivals_of_rows(const RowMoves& moves, const OperandElement& element) const {
  const RowMap& map = moves.map;
  const std::int64_t width = moves.row_elements;
  Arrivals out;
  const auto add_arrival = [&](std::int64_t row, std::int64_t offset, std::int64_t column) {
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
        add_arrival(row, offset, 0);
    } else if (element.operand == kDataOperand) {
      if (offset == element.position / width) add_arrival(row, offset, element.position % width);
    } else if (!moves.row_updates->repeats()) {
      add_arrival(row, offset, element.position % width);
    } else {
      for (std::int64_t column = 0; column < width; ++column) {
        if (moves.row_updates->position(row * width + column) == element.position)
          add_arrival(row, offset, column);
      }
    }
  };
  map.for_each_block(rows, [&](std::int64_t first, std::int64_t n, const std::int64_t* offsets) {
    for (std::int64_t i = 0; i < n; ++i) look_at(first + i, offsets[i]);
  });
  return out;
}

Arrivals Explainer::arrivals(const OperandElement& element) const {
  return with_context(call().name->name, [&] {
    return with_fault_text(call(), planned(), [&] {
      check_values();
      Arrivals out;
      if (moves() == nullptr) {
        const ElementPlan& plan = *planned().plan.elements();
        plan.arrivals(element.operand, element.position, count(output().shape),
                      [&](std::int64_t position) { add(out, position); });
        return out;
      }
      if (is_scatter() && element.operand == kDataOperand) {
        add(out, element.position);
      } else {
        out = arrivals_of_rows(*moves(), element);
      }
      if (!is_scatter() || element.operand == kIndexOperand) return out;
      std::vector<std::int64_t> positions;
      for (const Arrival& arrival : out.list) positions.push_back(arrival.position);
      const std::vector<Move> updates = updates_of(*moves(), positions, settings_.threads);
      for (Arrival& arrival : out.list) {
        const auto own = updates_at(updates, *moves(), arrival.position);
        const RowUpdates& rule = *moves()->row_updates;
        if (element.operand == kDataOperand) {
          arrival.is_used = own.empty() || rule.starts_from_data();
        } else if (!rule.reduces()) {
          const std::int64_t column = arrival.position % moves()->row_elements;
          arrival.is_used =
              rule.position(own.back().update * moves()->row_elements + column) == element.position;
        }
      }
      return out;
    });
  });
}

}  // namespace tensorop
