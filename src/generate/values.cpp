#include "generate/values.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "generate/weights.hpp"
#include "tensor/convert_elements.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

double special_float(Random& random) {
  using Limits = std::numeric_limits<double>;
  // Prefers values that find faults when they are combined.
  static const std::vector<double> frequent = {0.0, -0.0, Limits::quiet_NaN(), Limits::infinity(),
                                               -Limits::infinity()};
  if (random.chance(50)) return random.pick(frequent);
  static const std::vector<double> special = {0.0,
                                              -0.0,
                                              1.0,
                                              -1.0,
                                              0.5,
                                              3.0,
                                              Limits::infinity(),
                                              -Limits::infinity(),
                                              Limits::quiet_NaN(),
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
  return random.pick(special);
}

// Any bits, as many as T has.
template <class T>
T any_bits(Random& random) {
  const std::uint64_t drawn = random.bits();
  T out;
  std::memcpy(static_cast<void*>(&out), &drawn, sizeof(T));
  return out;
}

// For `place` 0 to 3: a large number, a small one, minus the large one, the small one.
template <AnyFloat T>
T term(std::int64_t place) {
  const double large = static_cast<double>(std::uint64_t{4} << float_digits<T>());
  return round_to<T>(place == 0 ? large : place == 2 ? -large : 3.0);
}

// Along every axis, each element is the next term.
template <AnyFloat T>
void fill_with_terms(Random& random, const Shape& shape, T* out) {
  const std::int64_t first = random.between(0, 3);
  for (std::int64_t i = 0; i < count(shape); ++i) {
    std::int64_t place = first;
    std::int64_t rest = i;
    for (auto size = shape.rbegin(); size != shape.rend(); rest /= *size++) place += rest % *size;
    out[i] = term<T>(place % 4);
  }
}

template <class T>
T random_number(Random& random, ValueKind kind) {
  if constexpr (SmallNumber<T>) {
    return any_bits<T>(random);
  } else if constexpr (AnyFloat<T>) {
    if (kind == ValueKind::bits) return any_bits<T>(random);
    if (kind == ValueKind::special) return round_to<T>(special_float(random));
    if (kind == ValueKind::order || kind == ValueKind::series) return term<T>(random.between(0, 3));
    return round_to<T>(static_cast<double>(random.between(-40, 40)) / 8.0);
  } else {
    if (kind != ValueKind::small && kind != ValueKind::special) return any_bits<T>(random);
    if (kind == ValueKind::small) {
      const std::int64_t value = random.between(-6, 6);
      return static_cast<T>(value);
    }
    // Near 0, near the middle and near the end of the unsigned range, which wrap to the ends of the signed
    // one.
    const std::uint64_t half = std::uint64_t{1} << (8 * sizeof(T) - 1);
    const auto turns = static_cast<std::uint64_t>(random.between(0, 2));
    return static_cast<T>(turns * half + static_cast<std::uint64_t>(random.between(-2, 2)));
  }
}

std::string random_text(Random& random) {
  static const std::vector<std::string> texts = {"a",  "Z",      " ",      "\"",        "\\",
                                                 "\n", "\u00e9", "\u6f22", "\U0001f600"};
  std::string text;
  const std::int64_t length = random.chance(weights::kLongText) ? 20 : random.between(0, 4);
  for (std::int64_t i = 0; i < length; ++i) text += random.pick(texts);
  return text;
}

Tensor random_strings(Random& random, const Shape& shape) {
  const auto texts = std::make_shared<std::vector<std::string>>(static_cast<std::size_t>(count(shape)));
  auto storage = std::make_shared<Storage>(count(shape) * element_size(DType::string));
  auto* out = reinterpret_cast<StringRef*>(storage->data());
  for (std::string& text : *texts) {
    text = random_text(random);
    *out++ = {text.data(), static_cast<std::int64_t>(text.size())};
  }
  storage->arenas = {texts};
  return {DType::string, shape, storage};
}

template <class T>
T random_value(Random& random, ValueKind kind) {
  if (kind == ValueKind::mixed) kind = static_cast<ValueKind>(random.between(0, 2));
  if constexpr (std::is_same_v<T, Bool>) {
    return Bool{random.chance(50) ? std::uint8_t{1} : std::uint8_t{0}};
  } else if constexpr (Complex<T>) {
    const auto real = random_number<Part<T>>(random, kind);
    return {real, random_number<Part<T>>(random, kind)};
  } else {
    return random_number<T>(random, kind);
  }
}

// A class of elements, and the one that is planted.
template <class T>
struct ElementClass {
  std::string_view name;
  T element;
};

template <class T>
std::vector<ElementClass<T>> classes_of() {
  if constexpr (AnyFloat<T>) {
    using Limits = std::numeric_limits<double>;
    T smallest{};
    const std::uint64_t least_bits = 1;
    std::memcpy(static_cast<void*>(&smallest), &least_bits, sizeof(T));
    return {{"NaN", round_to<T>(Limits::quiet_NaN())},
            {"infinity", round_to<T>(Limits::infinity())},
            {"-infinity", round_to<T>(-Limits::infinity())},
            {"0", round_to<T>(0.0)},
            {"-0", round_to<T>(-0.0)},
            {"1", round_to<T>(1.0)},
            {"smallest", smallest},
            {"largest", largest_finite<T>()},
            {"tie with 1", round_to<T>(static_cast<double>(std::uint64_t{1} << float_digits<T>()))}};
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    std::vector<ElementClass<T>> out = {{"0", T{0}}, {"1", T{1}}, {"maximum", Limits::max()}};
    if (std::is_signed_v<T>) out.insert(out.end(), {{"-1", static_cast<T>(-1)}, {"minimum", Limits::min()}});
    return out;
  } else {
    return {};
  }
}

// Calls visit(name, element) for each class that the dtype has; `element` is a T of the dtype.
template <class Visit>
void for_each_class(DType dtype, const Visit& visit) {
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (AnyFloat<T> || std::is_integral_v<T>) {
      for (const ElementClass<T>& known : classes_of<T>()) visit(known.name, known.element);
    }
  });
}

}  // namespace

std::vector<std::string> element_classes(DType dtype) {
  std::vector<std::string> names;
  for_each_class(dtype, [&](std::string_view name, auto) { names.emplace_back(name); });
  return names;
}

Tensor planted(const Tensor& tensor, const std::map<std::int64_t, std::string>& classes) {
  if (classes.empty()) return tensor;
  auto storage = std::make_shared<Storage>(tensor.bytes());
  if (tensor.bytes() != 0)
    std::memcpy(storage->data(), tensor.data(), static_cast<std::size_t>(tensor.bytes()));
  for_each_class(tensor.dtype(), [&]<class T>(std::string_view name, T element) {
    for (const auto& [position, wanted] : classes) {
      if (wanted == name) reinterpret_cast<T*>(storage->data())[position] = element;
    }
  });
  return {tensor.dtype(), tensor.shape(), storage};
}

Tensor random_tensor(Random& random, DType dtype, const Shape& shape, ValueKind kind) {
  if (dtype == DType::string) return random_strings(random, shape);
  auto storage = std::make_shared<Storage>(count(shape) * element_size(dtype));
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_same_v<T, StringRef>) {
      auto* out = reinterpret_cast<T*>(storage->data());
      if constexpr (AnyFloat<T>) {
        if (kind == ValueKind::series) return fill_with_terms(random, shape, out);
      }
      for (std::int64_t i = 0; i < count(shape); ++i) out[i] = random_value<T>(random, kind);
    }
  });
  return {dtype, shape, storage};
}

Tensor random_tensor(Random& random, DType dtype, const Shape& shape) {
  const auto kind = static_cast<ValueKind>(random.between(0, 2));
  return random_tensor(random, dtype, shape, random.chance(weights::kMixedKinds) ? ValueKind::mixed : kind);
}

std::int64_t integer_at(const Tensor& tensor, std::int64_t position) {
  return dispatch(tensor.dtype(), [&]<class T>(TypeTag<T>) -> std::int64_t {
    if constexpr (std::is_integral_v<T>) {
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      const T value = tensor.as<T>()[position];
      return std::cmp_greater(value, kMost) ? kMost : static_cast<std::int64_t>(value);
    } else {
      return 0;
    }
  });
}

Tensor integer_tensor(DType dtype, const Shape& shape,
                      const std::function<std::int64_t(std::int64_t position)>& value) {
  auto storage = std::make_shared<Storage>(count(shape) * element_size(dtype));
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      auto* out = reinterpret_cast<T*>(storage->data());
      for (std::int64_t i = 0; i < count(shape); ++i) {
        const std::int64_t wanted = value(i);
        out[i] = std::in_range<T>(wanted) ? static_cast<T>(wanted)
                 : wanted < 0             ? std::numeric_limits<T>::min()
                                          : std::numeric_limits<T>::max();
      }
    }
  });
  return {dtype, shape, storage};
}

DType random_dtype(Random& random, const DTypeSet& from) {
  while (true) {
    const auto dtype = static_cast<DType>(random.between(0, kDTypeCount - 1));
    if (from.contains(dtype)) return dtype;
  }
}

Shape shrunk(Random& random, const Shape& shape, std::int64_t rank) {
  Shape out(shape.end() - rank, shape.end());
  for (std::int64_t& dim : out) dim = random.chance(weights::kShrunkDim) ? 1 : dim;
  return out;
}

Shape grown(Random& random, Shape shape, std::int64_t elements) {
  while (!shape.empty() && count(shape) != 0 && count(shape) < elements) {
    std::int64_t& dim = shape[static_cast<std::size_t>(random.between(0, rank(shape) - 1))];
    dim = dim * random.between(2, 3) + random.between(-1, 1);
  }
  return shape;
}

Shape spoiled(Random& random, Shape shape) {
  if (shape.empty()) return {2};
  shape[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shape.size()) - 1))] += 1;
  return shape;
}

}  // namespace tensorop
