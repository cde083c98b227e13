#include "support/random_case.hpp"

#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

using reference::Array;
using reference::Element;
using reference::make_integer;
using reference::Wide;

enum class Style : std::uint8_t { small, extreme, bits };

Element random_integer(Random& random, DType dtype, Style style) {
  if (style == Style::small) return make_integer(dtype, random.between(-6, 6));
  if (style == Style::bits) return make_integer(dtype, static_cast<Wide>(random.bits()));
  // Near 0, near the middle and near the end of the unsigned range, which wrap to the ends of the signed one.
  const Wide half = Wide{1} << (8 * element_size(dtype) - 1);
  return make_integer(dtype, random.between(0, 2) * half + random.between(-2, 2));
}

double special_float(Random& random) {
  static const std::vector<double> kSpecial = {0.0,
                                               -0.0,
                                               1.0,
                                               -1.0,
                                               0.5,
                                               3.0,
                                               std::numeric_limits<double>::infinity(),
                                               -std::numeric_limits<double>::infinity(),
                                               std::numeric_limits<double>::quiet_NaN(),
                                               65504.0,
                                               0x1p-24,
                                               2049.0,
                                               3.4e38,
                                               -3.3e38,
                                               0x1p-149,
                                               0x1p-126,
                                               1.7e308,
                                               5e-324,
                                               2147483648.0,
                                               -9223372036854775808.0};
  return random.pick(kSpecial);
}

std::string random_bytes(Random& random, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(random.between(0, 255));
  return bytes;
}

// A float of `dtype` or one part of a complex number.
Element random_real(Random& random, DType dtype, Style style) {
  if (style == Style::bits) return {dtype, random_bytes(random, element_size(dtype))};
  if (style == Style::extreme) return reference::make_real(dtype, special_float(random));
  return reference::make_real(dtype, static_cast<double>(random.between(-40, 40)) / 8.0);
}

std::string random_text(Random& random) {
  static const std::vector<std::string> kPieces = {"a",  "Z",      " ",      "\"",        "\\",
                                                   "\n", "\u00e9", "\u6f22", "\U0001f600"};
  std::string text;
  const std::int64_t length = random.chance(5) ? 20 : random.between(0, 4);
  for (std::int64_t i = 0; i < length; ++i) text += random.pick(kPieces);
  return text;
}

Element random_element(Random& random, DType dtype, Style style) {
  if (dtype == DType::boolean) return reference::make_bool(random.chance(50));
  if (dtype == DType::string) return {dtype, random_text(random)};
  if (kSmallTypes.contains(dtype)) return {dtype, random_bytes(random, 1)};
  if (kIntegerTypes.contains(dtype)) return random_integer(random, dtype, style);
  if (kFloatTypes.contains(dtype)) return random_real(random, dtype, style);
  const DType part = dtype == DType::complex64 ? DType::float32 : DType::float64;
  return {dtype, random_real(random, part, style).bytes + random_real(random, part, style).bytes};
}

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
  const bool own_name = row.typed == "scatter" || row.typed == "select" || row.op == "bitshift";
  if (own_name || random.chance(50)) call.typed = row.typed;
  call.spec = row.framework == "mdf" ? "mdf" : cat(row.framework, "-", random.between(row.since, row.until));
  call.arguments.rules = row.rules;
  return call;
}

DType random_dtype(Random& random, const DTypeSet& from) {
  while (true) {
    const auto dtype = static_cast<DType>(random.between(0, kDTypeCount - 1));
    if (from.contains(dtype)) return dtype;
  }
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

Tensor random_tensor(Random& random, DType dtype, const Shape& shape) {
  Array array(dtype, shape);
  const bool mixed = random.chance(30);
  const auto any_style = [&] { return static_cast<Style>(random.between(0, 2)); };
  const Style style = any_style();
  for (Element& element : array.elements)
    element = random_element(random, dtype, mixed ? any_style() : style);
  return array.tensor();
}

Tensor small_tensor(Random& random, DType dtype, const Shape& shape) {
  Array array(dtype, shape);
  for (Element& element : array.elements) element = random_element(random, dtype, Style::small);
  return array.tensor();
}

Tensor random_indices(Random& random, const RandomCase& call, const Shape& shape,
                      const std::function<std::int64_t(const std::vector<std::int64_t>&)>& extent) {
  const reference::Rules& rules = call.arguments.rules;
  Array array(random_dtype(random, rules.index_types), shape);
  const bool tolerant = rules.zero_fill || call.arguments.oob != "error";
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

void set_axis(Random& random, RandomCase& call, std::int64_t axis, std::int64_t rank) {
  if (axis == 0 && random.chance(50)) return;
  if (random.chance(30)) axis -= rank;
  if (random.chance(1)) axis = random.chance(50) ? rank : -rank - 1;  // AX-1
  call.arguments.attributes["axis"] = cat(axis);
}

Shape shrunk(Random& random, const Shape& shape, std::int64_t rank) {
  Shape out(shape.end() - rank, shape.end());
  for (std::int64_t& dim : out) dim = random.chance(35) ? 1 : dim;
  return out;
}

Shape spoiled(Random& random, Shape shape) {
  if (shape.empty()) return {2};
  shape[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shape.size()) - 1))] += 1;
  return shape;
}

}  // namespace tensorop
