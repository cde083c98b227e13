// The scatters. Each operator collects the updates of every target location in row-major order of the
// indices; folding them, or saying which elements a publisher leaves open, is a second step.
#include <algorithm>

#include "support/reference_array.hpp"

namespace tensorop::reference {
namespace {

struct Update {
  Element element;
  std::int64_t position;  // in the operand updates, repeated
};
using Updates = std::vector<std::vector<Update>>;  // of each element of data, in order

struct Collected {
  Array data;
  Updates updates;
  Shape shape;  // to which the operand updates is repeated
};

// Float mean (4.2): the sum is in the type already; one division in the compute type, one rounding.
Element divide_by_count(const Element& sum, std::size_t count) {
  const auto divisor = static_cast<double>(count);
  const auto quotient = [&](double value) { return in_compute_type(sum.dtype, value / divisor); };
  if (kFloatTypes.contains(sum.dtype)) return make_real(sum.dtype, quotient(real(sum)));
  return make_complex(sum.dtype, {quotient(complex(sum).real()), quotient(complex(sum).imag())});
}

Element integer_mean(DType dtype, const std::vector<Element>& terms, bool wraps) {
  Wide sum = 0;
  for (const Element& term : terms) sum += integer(term);
  if (wraps) sum = integer(make_integer(dtype, sum));
  const auto count = static_cast<Wide>(terms.size());
  Wide mean = sum / count;
  if (sum % count < 0) --mean;  // towards minus infinity
  return make_integer(dtype, mean);
}

// 16-bit floats with an accumulator of their compute type.
Element fold_wide(const std::string& reduction, const std::vector<Element>& terms, const Rules& rules) {
  if (terms.size() == 1 && reduction != "mean") return terms[0];  // copied: a NaN keeps its bits
  const DType dtype = terms[0].dtype;
  double result = real(terms[0]);
  for (std::size_t i = 1; i < terms.size(); ++i) {
    const double term = real(terms[i]);
    const double next = reduction == "sub"   ? result - term
                        : reduction == "mul" ? result * term
                                             : result + term;
    result = in_compute_type(dtype, next);
  }
  if (reduction != "mean") return make_real(dtype, result);
  if (rules.rounds_mean_sum) return divide_by_count(make_real(dtype, result), terms.size());
  return make_real(dtype, in_compute_type(dtype, result / static_cast<double>(terms.size())));
}

Element fold(const std::string& reduction, const std::vector<Element>& terms, const Rules& rules) {
  const DType dtype = terms[0].dtype;
  const bool is_half = dtype == DType::float16 || dtype == DType::bfloat16;
  const bool rounds = reduction != "min" && reduction != "max";
  if (is_half && rounds && rules.rounds_once) return fold_wide(reduction, terms, rules);
  if (reduction == "mean" && kIntegerTypes.contains(dtype))
    return integer_mean(dtype, terms, rules.rounds_mean_sum || rules.wraps_mean);
  Element result = terms[0];
  if (reduction == "join") {  // of origins(): thousands of updates of one element
    for (std::size_t i = 1; i < terms.size(); ++i) result.bytes += terms[i].bytes;
    return result;
  }
  for (std::size_t i = 1; i < terms.size(); ++i) {
    result = combine(find_reduction(reduction)->op, "", result, terms[i]);
  }
  return reduction == "mean" ? divide_by_count(result, terms.size()) : result;
}

// The terms that a reduction folds into element `t`.
std::vector<Element> terms_of(const Arguments& arguments, const Collected& collected, std::size_t t) {
  std::vector<Element> terms;
  for (const Update& update : collected.updates[t]) terms.push_back(update.element);
  if (!terms.empty() && flag(arguments, "use_init_val", true))
    terms.insert(terms.begin(), collected.data.elements[t]);
  return terms;
}

// The coordinate in an operand of `shape` that is repeated, by NumPy's rule.
Coordinate unrepeated(const Coordinate& c, const Shape& shape) {
  Coordinate own = tail(c, static_cast<std::int64_t>(c.size() - shape.size()));
  for (std::size_t d = 0; d < own.size(); ++d) {
    if (shape[d] == 1) own[d] = 0;
  }
  return own;
}

// The updates in the shape they must have: NumPy's rule, where the call asks for it.
Array updates_of(const Arguments& arguments, const Shape& expected, const char* rule) {
  const Array updates(arguments.operands[2]);
  if (updates.shape == expected) return updates;
  const bool repeats = arguments.rules.repeats_updates || arguments.rules.off_axis;
  require(repeats || flag(arguments, "broadcast_updates", false), rule);
  require(updates.rank() <= static_cast<std::int64_t>(expected.size()), rule);
  const std::size_t missing = expected.size() - updates.shape.size();
  for (std::size_t d = 0; d < updates.shape.size(); ++d) {
    require(updates.shape[d] == 1 || updates.shape[d] == expected[missing + d], rule);
  }
  Array out(updates.dtype, expected);
  for (const Coordinate& c : coordinates_of(expected)) out.at(c) = updates.at(unrepeated(c, updates.shape));
  return out;
}

std::size_t index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

Collected collect_elements(const Arguments& arguments) {
  const Array data(arguments.operands[0]);
  const Array indices(arguments.operands[1]);
  require(data.rank() >= 1, "GA-1");
  const Rules& rules = arguments.rules;
  require(indices.rank() == data.rank(), rules.torch_shapes ? "PT-2" : "GE-2");
  const std::size_t a = index(normal_axis(number(arguments, "axis", 0), data.rank()));
  const bool has_value = arguments.is_value;
  if (rules.torch_shapes && !has_value) {
    const Shape& given = arguments.operands[2].shape();
    require(given.size() == indices.shape.size(), "PT-2");
    for (std::size_t d = 0; d < given.size(); ++d) require(indices.shape[d] <= given[d], "PT-1");
  } else if (!rules.torch_shapes && !rules.off_axis) {
    (void)updates_of(arguments, indices.shape, "SE-3");
  }
  for (std::size_t d = 0; d < data.shape.size(); ++d) {
    const bool free = d == a && !arguments.rules.bounded_axis;
    const bool is_equal = indices.shape[d] == data.shape[d];
    const bool repeated = is_equal || indices.shape[d] == 1 || data.shape[d] == 1;
    const bool fits = rules.off_axis         ? repeated
                      : rules.equal_off_axis ? is_equal
                                             : indices.shape[d] <= data.shape[d];
    require(free || fits, rules.torch_shapes ? "PT-1" : "GE-4");
  }
  Shape shape = indices.shape;
  for (std::size_t d = 0; d < shape.size() && rules.off_axis; ++d) {
    if (d != a && shape[d] == 1) shape[d] = data.shape[d];
  }
  const Array value(arguments.operands[2]);
  const bool has_no_data = rules.updates_like_indices && data.elements.empty();
  if (rules.updates_like_indices) (void)updates_of(arguments, indices.shape, "SE-3");
  const Array updates = has_value            ? value
                        : rules.torch_shapes ? Array(arguments.operands[2])
                                             : updates_of(arguments, shape, "SE-3");
  if (rules.off_axis && (updates.elements.empty() || has_no_data))
    return {data, Updates(data.elements.size()), updates.shape};
  const auto n = resolve_indices(arguments, indices, [&](const Coordinate&) { return data.shape[a]; });

  Updates collected(data.elements.size());
  for (const Coordinate& i : coordinates_of(shape)) {
    Coordinate own = i;
    Coordinate t = i;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (indices.shape[d] == 1) own[d] = 0;
      if (data.shape[d] == 1) t[d] = 0;
    }
    const auto target = n[index(position_of(own, indices.shape))];
    if (!target) continue;
    t[a] = *target;
    if (has_value) {
      collected[index(position_of(t, data.shape))].push_back(
          {value.elements[0], position_of(i, indices.shape)});
      continue;
    }
    collected[index(position_of(t, data.shape))].push_back({updates.at(i), position_of(i, updates.shape)});
  }
  return {data, collected, has_value ? indices.shape : updates.shape};
}

Collected collect_slices(const Arguments& arguments) {
  const Array data(arguments.operands[0]);
  const Array indices(arguments.operands[1]);
  require(data.rank() >= 1, "GA-1");
  const std::int64_t a = normal_axis(number(arguments, "axis", 0), data.rank());
  const Shape front = slice(data.shape, 0, a);
  const Shape back = tail(data.shape, a + 1);
  Array updates(arguments.operands[2]);
  if (arguments.rules.cycles_updates) {
    if (updates.elements.empty()) return {data, Updates(data.elements.size()), updates.shape};
    Array cycled(data.dtype, indices.shape);
    for (std::size_t i = 0; i < cycled.elements.size(); ++i)
      cycled.elements[i] = updates.elements[i % updates.elements.size()];
    updates = cycled;
  } else {
    updates = updates_of(arguments, front + indices.shape + back, "SU-2");
  }
  const auto n = resolve_indices(arguments, indices, [&](const Coordinate&) { return data.shape[index(a)]; });

  Updates collected(data.elements.size());
  const auto before = coordinates_of(front);
  const auto after = coordinates_of(back);
  for (const Coordinate& i : coordinates_of(indices.shape)) {
    const auto target = n[index(position_of(i, indices.shape))];
    if (!target) continue;
    for (const Coordinate& p : before) {
      for (const Coordinate& s : after) {
        const Coordinate t = p + Coordinate{*target} + s;
        collected[index(position_of(t, data.shape))].push_back(
            {updates.at(p + i + s), position_of(p + i + s, updates.shape)});
      }
    }
  }
  return {data, collected, updates.shape};
}

Collected collect_tuples(const Arguments& arguments) {
  const Array data(arguments.operands[0]);
  const Array indices(arguments.operands[1]);
  const Array given(arguments.operands[2]);
  const std::int64_t q = indices.rank();
  const bool alone = arguments.rules.tuples_alone;
  require(data.rank() >= 1 && q >= (alone ? 2 : 1), "GN-1");
  const std::int64_t k = indices.shape.back();
  require(k <= data.rank() && (k > 0 || !alone), "SN-2");
  const Shape tuples = slice(indices.shape, 0, q - 1);
  const Shape expected = tuples + tail(data.shape, k);
  const bool skips_empty = arguments.rules.no_empty_axis;
  for (std::size_t j = 0; j < index(k); ++j) require(!skips_empty || q != 1 || data.shape[j] != 0, "IX-1");
  if (skips_empty && coordinates_of(expected).empty()) return {data, Updates(data.elements.size()), expected};
  const bool lone = arguments.rules.one_element_updates && expected.empty() && given.elements.size() == 1;
  const Array updates = lone ? given : updates_of(arguments, expected, "SN-3");
  require(!alone || !data.elements.empty() || coordinates_of(tuples).empty(), "IX-1");
  if (skips_empty && data.elements.empty()) return {data, Updates(), updates.shape};
  const auto n =
      resolve_indices(arguments, indices, [&](const Coordinate& c) { return data.shape[index(c.back())]; });

  Updates collected(data.elements.size());
  const auto rows = coordinates_of(tail(data.shape, k));
  for (const Coordinate& i : coordinates_of(tuples)) {
    Coordinate t;
    for (std::int64_t j = 0; j < k; ++j) {
      const auto component = n[index(position_of(i + Coordinate{j}, indices.shape))];
      if (component) t.push_back(*component);
    }
    if (t.size() != index(k)) continue;  // dropped
    for (const Coordinate& s : rows) {
      const std::int64_t from = lone ? 0 : position_of(i + s, updates.shape);
      collected[index(position_of(t + s, data.shape))].push_back({updates.elements[index(from)], from});
    }
  }
  return {data, collected, updates.shape};
}

// TensorScatter: its text, with what is modulo the size of the axis only in the component of the axis.
Collected collect_windows(const Arguments& arguments) {
  const Array data(arguments.operands[0]);
  const Array updates(arguments.operands[2]);
  require(data.rank() >= 2, "TS-1");
  const std::int64_t axis = normal_axis(number(arguments, "axis", -2), data.rank());
  require(axis != 0, "TS-1");
  const std::int64_t size = data.shape[index(axis)];
  require(updates.rank() == data.rank() && updates.shape[index(axis)] <= size, "TS-2");
  Shape same = updates.shape;
  same[index(axis)] = size;
  require(same == data.shape, "TS-2");
  const bool circular = word(arguments, "mode", "linear") == "circular";
  std::vector<Wide> starts(index(data.shape[0]), 0);
  if (!arguments.left_out) {
    const Array indices(arguments.operands[1]);
    require(indices.shape == Shape{data.shape[0]}, "TS-3");
    for (std::size_t b = 0; b < starts.size(); ++b) {
      starts[b] = integer(indices.elements[b]);
      const auto at = static_cast<std::int64_t>(b);
      if (circular && starts[b] < 0) throw ReferenceError("IX-2", at, indices.shape);
      if (!circular && (starts[b] < 0 || starts[b] + updates.shape[index(axis)] > size))
        throw ReferenceError("IX-1", at, indices.shape);
    }
  }
  Updates collected(data.elements.size());
  for (const Coordinate& c : coordinates_of(updates.shape)) {
    const Wide k = starts[index(c[0])] + c[index(axis)];
    Coordinate t = c;
    t[index(axis)] = static_cast<std::int64_t>(circular ? k % size : k);
    collected[index(position_of(t, data.shape))].push_back({updates.at(c), position_of(c, updates.shape)});
  }
  return {data, collected, updates.shape};
}

Collected collect_slice_windows(const Arguments& arguments) {
  const Array data(arguments.operands[0]);
  const Array updates(arguments.operands[2]);
  const auto targets = slice_targets(arguments);
  Updates collected(data.elements.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i])
      collected[index(position_of(*targets[i], data.shape))].push_back(
          {updates.elements[i], static_cast<std::int64_t>(i)});
  }
  return {data, collected, updates.shape};
}

Collected collect(const Arguments& arguments) {
  if (arguments.op == "scatterslices" || arguments.op == "dynamicupdateslice")
    return collect_slice_windows(arguments);
  if (arguments.op == "tensorscatter") return collect_windows(arguments);
  if (arguments.op == "scatterelements") return collect_elements(arguments);
  return arguments.op == "scatterupdate" ? collect_slices(arguments) : collect_tuples(arguments);
}

// Duplicates, where they are refused: the lowest update that is not the first one of its element.
void require_no_duplicates(const Collected& collected, const Shape& updates) {
  std::optional<std::int64_t> lowest;
  for (const std::vector<Update>& own : collected.updates) {
    if (own.size() > 1) lowest = std::min(lowest.value_or(own[1].position), own[1].position);
  }
  if (!lowest) return;
  if (updates.size() == 1 && collected.shape.size() == 1 && updates != collected.shape && updates[0] > 1)
    throw ReferenceError(kDuplicates, *lowest % updates[0], updates);  // repeated in cycles
  const Coordinate place = coordinates_of(collected.shape)[index(*lowest)];
  throw ReferenceError(kDuplicates, position_of(unrepeated(place, updates), updates), updates);
}

}  // namespace

Array scatter(const Arguments& arguments) {
  const std::string reduction = word(arguments, "reduction", "none");
  const Collected collected = collect(arguments);
  if (arguments.duplicates == "error") require_no_duplicates(collected, arguments.operands[2].shape());
  Array out = collected.data;
  for (std::size_t t = 0; t < out.elements.size(); ++t) {
    if (collected.updates[t].empty()) continue;
    out.elements[t] = reduction == "none"
                          ? collected.updates[t].back().element
                          : fold(reduction, terms_of(arguments, collected, t), arguments.rules);
  }
  return out;
}

// Open are the order of duplicates without a reduction, and a minimum or maximum that may select a NaN.
std::vector<bool> open_in_scatter(const Arguments& arguments) {
  const std::string reduction = word(arguments, "reduction", "none");
  const Collected collected = collect(arguments);
  std::vector<bool> open;
  for (std::size_t t = 0; t < collected.updates.size(); ++t) {
    const std::vector<Element> terms = terms_of(arguments, collected, t);
    const bool duplicates = reduction == "none" && collected.updates[t].size() > 1;
    const bool nan =
        (reduction == "min" || reduction == "max") && terms.size() > 1 && std::ranges::any_of(terms, is_nan);
    open.push_back((duplicates && arguments.rules.open_duplicates) || (nan && arguments.rules.open_nan));
  }
  return open;
}

}  // namespace tensorop::reference
