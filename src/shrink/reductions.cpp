#include "shrink/reductions.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "base/checked.hpp"
#include "shrink/call_cost.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop {
namespace {

// A part of a dimension.
struct Slice {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// A dimension of an operand or, after all operands, the position of an attribute that is a list of integers.
struct Dimension {
  std::size_t slot = 0;
  std::size_t axis = 0;
};
using Dimensions = std::vector<Dimension>;

Tensor without_slice(const Tensor& tensor, std::size_t axis, Slice slice) {
  Shape shape = tensor.shape();
  const std::int64_t size = shape[axis];
  shape[axis] = size - slice.count;
  const std::int64_t inner = count(std::span(shape).subspan(axis + 1)) * element_size(tensor.dtype());
  const std::int64_t outer = count(std::span(shape).first(axis));
  const auto storage = std::make_shared<Storage>(count(shape) * element_size(tensor.dtype()));
  storage->arenas = tensor.arenas();
  std::byte* out = storage->data();
  for (std::int64_t row = 0; row < outer; ++row) {
    const std::byte* const from = tensor.data() + row * size * inner;
    const std::int64_t after = slice.first + slice.count;
    for (const Slice kept : {Slice{0, slice.first}, Slice{after, size - after}}) {
      if (kept.count * inner == 0) continue;
      std::memcpy(out, from + kept.first * inner, to_size(kept.count * inner));
      out += kept.count * inner;
    }
  }
  return {tensor.dtype(), shape, storage};
}

// Returns nothing if the dtype does not have the value.
std::optional<Tensor> with_number(const Tensor& tensor, std::int64_t at, double value) {
  const DType dtype = tensor.dtype();
  if (!can_cast(DType::float64, dtype)) return std::nullopt;
  const auto storage = std::make_shared<Storage>(tensor.bytes());
  std::memcpy(storage->data(), tensor.data(), to_size(tensor.bytes()));
  std::byte* const element = storage->data() + at * element_size(dtype);
  const auto* const from = reinterpret_cast<const std::byte*>(&value);
  const bool fits = cast_elements(element, dtype, from, DType::float64, 1) < 0;
  Tensor out(dtype, tensor.shape(), storage);
  return fits && number_at(out, at) == value ? std::optional(std::move(out)) : std::nullopt;
}

// Returns nothing if the dtype does not have all the values.
std::optional<Tensor> cast_to(const Tensor& tensor, DType dtype) {
  if (!can_cast(tensor.dtype(), dtype)) return std::nullopt;
  const auto storage = std::make_shared<Storage>(tensor.size() * element_size(dtype));
  if (cast_elements(storage->data(), dtype, tensor.data(), tensor.dtype(), tensor.size()) >= 0)
    return std::nullopt;
  return Tensor(dtype, tensor.shape(), storage);
}

// 0, 1, 2, ... in place of all elements, times `step`.
std::optional<Tensor> counting(DType dtype, const Shape& shape, std::int64_t step) {
  const auto storage = std::make_shared<Storage>(count(shape) * element_size(DType::int64));
  for (std::int64_t i = 0; i < count(shape); ++i) {
    const std::int64_t value = i * step;
    std::memcpy(storage->data() + i * to_int64(sizeof value), &value, sizeof value);
  }
  return cast_to(Tensor(DType::int64, shape, storage), dtype);
}

Shape without_axis(Shape shape, std::size_t axis) {
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}

// Makes the list of reductions, each once it is cheaper than the call.
class Reductions {
 public:
  explicit Reductions(const LoadedCall& call) : call_(call), cost_(cost_of(call)) {}

  std::vector<LoadedCall> all() {
    for_each_selection();
    reduce_attributes();
    reduce_dtypes();
    reduce_values();
    std::ranges::stable_sort(found_, {}, &Found::cost);
    std::vector<LoadedCall> out;
    for (Found& found : found_) out.push_back(std::move(found.call));
    return out;
  }

 private:
  struct Found {
    CallCost cost;
    LoadedCall call;
  };

  void add(LoadedCall call) {
    const CallCost cost = cost_of(call);
    if (cost < cost_) found_.push_back({cost, std::move(call)});
  }

  // Adds the call with `tensor` as operand `i`, if there is a tensor.
  void add_with(std::size_t i, std::optional<Tensor> tensor) {
    if (!tensor) return;
    LoadedCall call = call_;
    call.operands[i].tensor = *std::move(tensor);
    add(std::move(call));
  }

  // The list of integers in an attribute's slot; null: the attribute has no list.
  [[nodiscard]] static Shape* list_of(LoadedCall& call, std::size_t slot) {
    Attribute& attribute = call.attributes[slot - call.operands.size()];
    return attribute.is_given ? std::get_if<Shape>(&attribute.value) : nullptr;
  }

  [[nodiscard]] std::vector<std::int64_t> sizes_of(std::size_t slot) {
    if (slot < call_.operands.size()) return call_.operands[slot].tensor.shape();
    const Shape* const list = list_of(call_, slot);
    return list == nullptr ? Shape() : *list;
  }

  // Dimensions of the same size are shortened together: every combination of none, one or all of each
  // operand.
  void for_each_selection() {
    std::vector<std::int64_t> seen;
    const std::size_t slots = call_.operands.size() + call_.attributes.size();
    for (std::size_t slot = 0; slot < slots; ++slot) {
      for (const std::int64_t size : sizes_of(slot)) {
        if (size < 1 || std::ranges::find(seen, size) != seen.end()) continue;
        seen.push_back(size);
        selections_ = 0;
        Dimensions chosen;
        select(0, slots, size, chosen);
      }
    }
  }

  void select(std::size_t slot, std::size_t slots, std::int64_t size, Dimensions& chosen) {
    constexpr int kMostSelections = 300;
    if (selections_ >= kMostSelections) return;
    if (slot == slots) {
      if (chosen.empty()) return;
      ++selections_;
      cut(chosen, size);
      if (size == 1) drop(chosen);
      return;
    }
    const auto sizes = sizes_of(slot);
    if (std::ranges::count(sizes, size) > 1) {
      const std::size_t before = chosen.size();
      for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] == size) chosen.push_back({slot, axis});
      }
      select(slot + 1, slots, size, chosen);
      chosen.resize(before);
    }
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (sizes[axis] != size) continue;
      chosen.push_back({slot, axis});
      select(slot + 1, slots, size, chosen);
      chosen.pop_back();
    }
    select(slot + 1, slots, size, chosen);
  }

  // Parts of a dimension to leave out, the largest first.
  static std::vector<Slice> slices_of(std::int64_t size) {
    constexpr std::int64_t kFew = 8;
    std::vector<Slice> out;
    if (size > 1) {
      out.push_back({0, size - 1});
      out.push_back({1, size - 1});
    }
    if (size > 2) {
      for (std::int64_t part = size / 2; part > 1; part /= 2) {
        for (std::int64_t first = 0; first + part <= size; first += part) out.push_back({first, part});
        if (size > kFew * kFew) break;
      }
      for (std::int64_t first = 0; first < size && size <= kFew; ++first) out.push_back({first, 1});
    }
    return out;
  }

  // An index of a dimension without the slice. An index out of range stays at the same distance from the
  // range.
  static std::int64_t moved_index(std::int64_t index, std::int64_t size, Slice slice) {
    const std::int64_t left = size - slice.count;
    const std::int64_t position = index < 0 ? index + size : index;
    if (position < 0) return index + slice.count;
    std::int64_t out = position;
    if (position >= slice.first + slice.count) {
      out = position - slice.count;
    } else if (position >= slice.first) {
      out = std::clamp<std::int64_t>(slice.first, 0, std::max<std::int64_t>(left - 1, 0));
    }
    return index < 0 ? out - left : out;
  }

  // Adapts indices to the dimension without the slice: column `column` of the last axis, or all if it is -1.
  static void move_indices(LoadedCall& call, std::int64_t size, Slice slice, std::int64_t column) {
    for (LoadedOperand& operand : call.operands) {
      if (operand.role != OperandRole::indices || operand.tensor.rank() == 0) continue;
      const std::int64_t columns = operand.tensor.shape().back();
      for (std::int64_t i = 0; i < operand.tensor.size(); ++i) {
        if (column >= 0 && i % columns != column) continue;
        const auto index = static_cast<std::int64_t>(number_at(operand.tensor, i).value_or(0));
        const std::int64_t moved = moved_index(index, size, slice);
        if (moved == index) continue;
        if (auto with = with_number(operand.tensor, i, static_cast<double>(moved)))
          operand.tensor = *std::move(with);
      }
    }
  }

  // The number of columns of the index tuples, at most kMostColumns; 0 for one column, -1 without indices.
  [[nodiscard]] std::int64_t index_columns() const {
    constexpr std::int64_t kMostColumns = 6;
    for (const LoadedOperand& operand : call_.operands) {
      if (operand.role != OperandRole::indices || operand.tensor.rank() == 0) continue;
      const std::int64_t columns = operand.tensor.shape().back();
      return columns > 1 ? std::min(columns, kMostColumns) : 0;
    }
    return -1;
  }

  // Smaller sizes.
  void cut(const Dimensions& dimensions, std::int64_t size) {
    for (const Slice slice : slices_of(size)) {
      LoadedCall smaller = call_;
      for (const auto& [slot, axis] : dimensions) {
        if (slot < smaller.operands.size()) {
          smaller.operands[slot].tensor = without_slice(smaller.operands[slot].tensor, axis, slice);
        } else {
          (*list_of(smaller, slot))[axis] = size - slice.count;
        }
      }
      const std::int64_t columns = index_columns();
      for (std::int64_t column = -1; column < columns; ++column) {
        LoadedCall moved = smaller;
        move_indices(moved, size, slice, column);
        add(std::move(moved));
      }
      add(std::move(smaller));
    }
  }

  // Fewer dimensions, of size 1.
  void drop(const Dimensions& dimensions) {
    LoadedCall smaller = call_;
    std::vector<bool> is_chosen(call_.operands.size() + call_.attributes.size());
    for (std::size_t n = dimensions.size(); n-- > 0;) {  // the last axis of an operand first
      const auto [slot, axis] = dimensions[n];
      is_chosen[slot] = true;
      if (slot >= smaller.operands.size()) {
        Shape& list = *list_of(smaller, slot);
        list = without_axis(list, axis);
      } else {
        Tensor& tensor = smaller.operands[slot].tensor;
        tensor = tensor.reshaped(without_axis(tensor.shape(), axis));
      }
    }
    add_with_attributes(smaller);
    // An index tuple loses the index of that dimension.
    for (std::size_t i = 0; i < smaller.operands.size(); ++i) {
      const Tensor& tensor = smaller.operands[i].tensor;
      if (smaller.operands[i].role != OperandRole::indices || is_chosen[i] || tensor.rank() == 0) continue;
      const auto last = static_cast<std::size_t>(tensor.rank() - 1);
      for (std::int64_t column = 0; column < tensor.shape()[last]; ++column) {
        LoadedCall narrower = smaller;
        narrower.operands[i].tensor = without_slice(tensor, last, {column, 1});
        add_with_attributes(narrower);
      }
    }
  }

  // Adds the call, and calls with one integer attribute, or all, one nearer to 0, as for axes.
  void add_with_attributes(const LoadedCall& call) {
    add(call);
    LoadedCall all = call;
    int integers = 0;
    for (std::size_t i = 0; i < call.attributes.size(); ++i) {
      const auto* const value = std::get_if<std::int64_t>(&call.attributes[i].value);
      if (value == nullptr || *value == 0 || !call.attributes[i].in_version) continue;
      LoadedCall one = call;
      for (LoadedCall* const changed : {&one, &all}) {
        changed->attributes[i].value = *value + (*value < 0 ? 1 : -1);
        changed->attributes[i].is_given = true;
      }
      add(std::move(one));
      ++integers;
    }
    if (integers > 1) add(std::move(all));
  }

  void reduce_attributes() {
    add_with_attributes(call_);
    for (std::size_t i = 0; i < call_.attributes.size(); ++i) {
      if (!call_.attributes[i].is_given) continue;
      LoadedCall without = call_;
      without.attributes[i].is_given = false;
      add(std::move(without));
    }
    // Without its version it would be another call.
    for (const auto text : {&LoadedCall::oob, &LoadedCall::duplicates}) {
      LoadedCall without = call_;
      (without.*text).reset();
      add(std::move(without));
    }
  }

  // Operands of one dtype and role change together.
  void reduce_dtypes() {
    for (const LoadedOperand& operand : call_.operands) {
      const DType from = operand.tensor.dtype();
      for (const DType to : {DType::int64, DType::boolean, DType::float32, DType::float64}) {
        if (cost_of_dtype(to) >= cost_of_dtype(from)) continue;
        for (const bool is_counted : {false, true}) {
          LoadedCall changed = call_;
          bool fits = true;
          for (LoadedOperand& other : changed.operands) {
            if (other.tensor.dtype() != from || other.role != operand.role) continue;
            auto tensor = is_counted ? counting(to, other.tensor.shape(), 1) : cast_to(other.tensor, to);
            fits = fits && tensor;
            if (fits) other.tensor = *std::move(tensor);
          }
          if (fits) add(std::move(changed));
        }
      }
    }
  }

  void reduce_values() {
    constexpr std::int64_t kMostElements = 64;
    for (std::size_t i = 0; i < call_.operands.size(); ++i) {
      const Tensor& tensor = call_.operands[i].tensor;
      for (const std::int64_t step : {0, 1}) add_with(i, counting(tensor.dtype(), tensor.shape(), step));
      for (std::int64_t at = 0; at < tensor.size() && tensor.size() <= kMostElements; ++at) {
        const auto value = number_at(tensor, at);
        if (!value) continue;
        for (const double to : {0.0, 1.0, 2.0, -1.0, static_cast<double>(at), std::trunc(*value),
                                std::trunc(*value / 2), -*value}) {
          if (cost_of_value(to) < cost_of_value(*value)) add_with(i, with_number(tensor, at, to));
        }
      }
    }
  }

  LoadedCall call_;
  CallCost cost_;
  std::vector<Found> found_;
  int selections_ = 0;
};

}  // namespace

std::vector<LoadedCall> reductions(const LoadedCall& call) {
  return Reductions(call).all();
}

}  // namespace tensorop
