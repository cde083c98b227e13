#include "support/random_case.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "ops/publisher.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

using reference::Array;
using reference::make_integer;
using reference::Wide;

// The least and the greatest value an index of `dtype` can have.
std::pair<Wide, Wide> limits(DType dtype) {
  const int bits = 8 * element_size(dtype);
  if (kUnsignedTypes.contains(dtype)) return {0, (Wide{1} << bits) - 1};
  return {-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
}

Wide clamp(Wide value, DType dtype) {
  const auto [least, greatest] = limits(dtype);
  return value < least ? least : value > greatest ? greatest : value;
}

Wide good_index(Random& random, DType dtype, std::int64_t extent, bool negative_allowed) {
  if (extent == 0) return 0;
  const std::int64_t index = random.between(0, extent - 1);
  const bool negative = negative_allowed && kSignedTypes.contains(dtype) && random.chance(35);
  return clamp(negative ? index - extent : index, dtype);
}

// Just outside on either side, or as far off as the dtype allows. Some are valid all the same.
Wide bad_index(Random& random, DType dtype, std::int64_t extent) {
  switch (random.between(0, 5)) {
    case 0:
      return clamp(extent, dtype);
    case 1:
      return clamp(-extent - 1, dtype);
    case 2:
      return limits(dtype).first;
    case 3:
      return limits(dtype).second;
    case 4:
      return clamp(-1, dtype);
    default:
      return clamp(random.between(-3 * extent - 2, 3 * extent + 2), dtype);
  }
}

}  // namespace

RandomCase random_call(Random& random, const std::string& op) {
  RandomCase call = {op, "", {op, {}, {}, "error", reference::default_rules(op)}};
  if (random.chance(60)) return call;
  std::vector<const reference::PublishedVersion*> rows;
  for (const auto& row : reference::published_versions()) {
    if (row.op == op) rows.push_back(&row);
  }
  if (rows.empty()) return call;
  const reference::PublishedVersion& row = *random.pick(rows);
  // Our name means the same version, but where the publisher has operators of both names.
  const bool is_library = row.framework == "torch" || row.framework == "numpy" || row.framework == "jax";
  const bool own_name = row.typed == "scatter" || row.typed == "select" || row.op == "bitshift" ||
                        (is_library && row.typed != "at");
  if (own_name || (row.typed != "at" && random.chance(50))) call.typed = row.typed;
  const Publisher& publisher = *find_publisher(row.framework);
  call.spec = spec_name(publisher.framework, static_cast<int>(random.between(row.since, row.until)));
  call.arguments.rules = row.rules;
  call.arguments.framework = row.framework;
  if (!row.rules.index_modes.empty() && random.chance(60))
    call.arguments.attributes["mode"] = random.pick(row.rules.index_modes);
  return call;
}

Shape random_shape(Random& random, std::int64_t rank, std::int64_t elements) {
  Shape shape;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (elements != 0) {
      shape.push_back(random.between(1, 3));
      continue;
    }
    const bool longer = rank <= 2 && random.chance(15);
    shape.push_back(random.chance(3) ? 0
                    : longer         ? random.between(5, 40)
                                     : random.between(1, rank > 4 ? 3 : 4));
  }
  while (rank > 0 && elements_in(shape) < elements) {
    std::int64_t& dim = shape[static_cast<std::size_t>(random.between(0, rank - 1))];
    dim = dim * random.between(2, 5) + random.between(-1, 1);
  }
  return shape;
}

std::int64_t elements_in(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) count *= dim;
  return count;
}

Tensor random_indices(Random& random, const RandomCase& call, const Shape& shape,
                      const std::function<std::int64_t(const std::vector<std::int64_t>&)>& extent) {
  const reference::Rules& rules = call.arguments.rules;
  Array array(random_dtype(random, rules.index_types), shape);
  const bool tolerant = rules.zero_fill || rules.any_index || reference::policy_of(call.arguments) != "error";
  const int percent_bad = tolerant ? 30 : 0;
  std::size_t at = 0;
  for (const auto& coordinate : reference::coordinates_of(shape)) {
    const std::int64_t size = extent(coordinate);
    const Wide value = random.chance(percent_bad)
                           ? bad_index(random, array.dtype, size)
                           : good_index(random, array.dtype, size, rules.negative_indices);
    array.elements[at++] = make_integer(array.dtype, value);
  }
  const std::int64_t faults =
      !tolerant && !array.elements.empty() && random.chance(12) ? random.between(1, 2) : 0;
  for (std::int64_t i = 0; i < faults; ++i) {
    const std::int64_t spot = random.between(0, static_cast<std::int64_t>(array.elements.size()) - 1);
    const Wide value = bad_index(random, array.dtype, random.between(1, 4));
    array.elements[static_cast<std::size_t>(spot)] = make_integer(array.dtype, value);
  }
  return array.tensor();
}

void maybe_oob(Random& random, RandomCase& call, const std::vector<std::string>& choices) {
  if (call.spec.empty() && random.chance(35)) call.arguments.oob = random.pick(choices);
}

std::int64_t repeated_elements(const Shape& indices, const Shape& data, std::size_t axis) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < std::min(indices.size(), data.size()); ++d)
    count *= d == axis ? indices[d] : std::max(indices[d], data[d]);
  return count;
}

bool set_flat(Random& random, RandomCase& call) {
  const reference::Rules& rules = call.arguments.rules;
  if (!rules.axis) return true;
  if (!rules.flat || random.chance(75)) return false;
  if (!rules.other_defaults.contains("flat") || random.chance(50)) call.arguments.attributes["flat"] = "true";
  return true;
}

void maybe_fill(Random& random, RandomCase& call, DType dtype) {
  if (reference::policy_of(call.arguments) != "fill") return;
  if (kSmallTypes.contains(dtype)) call.arguments.oob = "error";
  const bool is_needed = call.arguments.oob == "fill";
  if (!is_needed && (kSmallTypes.contains(dtype) || random.chance(50))) return;
  call.arguments.attributes["fill_value"] =
      dtype == DType::boolean ? (random.chance(50) ? "true" : "false") : cat(random.between(0, 9));
}

void set_axis(Random& random, RandomCase& call, std::int64_t axis, std::int64_t rank) {
  const auto& defaults = call.arguments.rules.other_defaults;
  const bool is_default = axis == 0 && !defaults.contains("axis") && !defaults.contains("flat");
  if (is_default && random.chance(50)) return;
  if (random.chance(call.arguments.rules.negative_axis ? 30 : 3)) axis -= rank;
  if (random.chance(1)) axis = random.chance(50) ? rank : -rank - 1;  // AX-1
  call.arguments.attributes["axis"] = cat(axis);
}

}  // namespace tensorop
