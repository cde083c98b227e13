#include "support/json_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/text.hpp"
#include "tensor/half.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

using Json = nlohmann::json;

// A JSON value, with every number as its text and with the keys of objects as often as they occur.
struct Node {
  enum class Kind { null, boolean, number, string, list, object };
  Kind kind = Kind::null;
  std::string text;  // of a number; of a string its meaning; "true" or "false"
  std::vector<Node> items;
  std::vector<std::string> keys;  // of an object, one for each item
};

// Makes nodes of nlohmann's events.
class Builder {
 public:
  Node root;

  bool null() { return add({}); }
  bool boolean(bool value) { return add({Node::Kind::boolean, value ? "true" : "false", {}, {}}); }
  // An integer that begins with a minus sign; its value alone does not tell "-0".
  bool number_integer(Json::number_integer_t value) {
    return add({Node::Kind::number, value == 0 ? "-0" : cat(value), {}, {}});
  }
  bool number_unsigned(Json::number_unsigned_t value) {
    return add({Node::Kind::number, cat(value), {}, {}});
  }
  bool number_float(Json::number_float_t, const std::string& text) {
    return add({Node::Kind::number, text, {}, {}});
  }
  bool string(std::string& text) { return add({Node::Kind::string, text, {}, {}}); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Node::Kind::object); }
  bool key(std::string& text) {
    open_.back()->keys.push_back(text);
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Node::Kind::list); }
  bool end_array() { return close(); }
  // Also for numbers beyond float64, which no dtype can hold.
  bool parse_error(std::size_t, const std::string&, const Json::exception&) { return false; }

 private:
  Node& append(Node node) {
    if (open_.empty()) return root = std::move(node);
    return open_.back()->items.emplace_back(std::move(node));
  }
  bool add(Node node) {
    append(std::move(node));
    return true;
  }
  bool open(Node::Kind kind) {
    open_.push_back(&append({kind, "", {}, {}}));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<Node*> open_;  // outermost first; only the last one grows
};

std::optional<Node> parse(std::string_view text) {
  // nlohmann takes a zero byte for the end of the text; JSON has none.
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  Builder builder;
  if (!Json::sax_parse(text, &builder)) return std::nullopt;
  return std::move(builder.root);
}

bool is_complex(DType dtype) {
  return info(dtype).kind == DTypeKind::complex;
}

bool is_integer_text(std::string_view number) {
  return number.find_first_of(".eE") == std::string_view::npos;
}

bool is_not_finite(const Node& node) {
  return node.kind == Node::Kind::string &&
         (node.text == "NaN" || node.text == "Infinity" || node.text == "-Infinity");
}

// The lengths of the lists, outermost first; nothing where rows differ. Values that are not lists go to
// `leaves`.
std::optional<Shape> shape_of(const Node& node, std::vector<const Node*>& leaves) {
  if (node.kind != Node::Kind::list) {
    leaves.push_back(&node);
    return Shape();
  }
  Shape row;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto shape = shape_of(node.items[i], leaves);
    if (!shape || (i > 0 && *shape != row)) return std::nullopt;
    row = *shape;
  }
  row.insert(row.begin(), static_cast<std::int64_t>(node.items.size()));
  return row;
}

// The dtype that the elements of an untyped text show.
std::optional<DType> inferred(const std::vector<const Node*>& leaves) {
  const auto all = [&](auto holds) {
    return std::ranges::all_of(leaves, [&](const Node* leaf) { return holds(*leaf); });
  };
  const auto is_number = [](const Node& leaf) { return leaf.kind == Node::Kind::number; };
  if (all([&](const Node& leaf) { return is_number(leaf) && is_integer_text(leaf.text); })) {
    return DType::int64;  // no elements too
  }
  if (all([](const Node& leaf) { return leaf.kind == Node::Kind::boolean; })) return DType::boolean;
  if (all([&](const Node& leaf) { return is_number(leaf) || is_not_finite(leaf); })) return DType::float64;
  if (all([](const Node& leaf) { return leaf.kind == Node::Kind::string; })) return DType::string;
  return std::nullopt;
}

// The dimensions that "shape" states.
std::optional<Shape> stated_shape(const Node& node) {
  if (node.kind != Node::Kind::list || node.items.size() > kMaxRank) return std::nullopt;
  Shape shape;
  for (const Node& item : node.items) {
    if (item.kind != Node::Kind::number || !is_integer_text(item.text) || item.text[0] == '-') return {};
    const auto dimension = parse_int64(item.text);
    if (!dimension) return std::nullopt;
    shape.push_back(*dimension);
  }
  return shape;
}

// The number of elements where their bytes fit in int64.
std::optional<std::int64_t> fitting_count(const Shape& shape, std::int64_t element_size) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t elements = 1;
  for (const std::int64_t dimension : shape) {
    if (elements > std::numeric_limits<std::int64_t>::max() / element_size / dimension) return std::nullopt;
    elements *= dimension;
  }
  return elements;
}

template <std::integral T>
std::optional<T> integer_of(std::string_view number) {
  if (!is_integer_text(number)) return std::nullopt;
  const bool negative = number[0] == '-';
  if (negative) number.remove_prefix(1);
  constexpr std::size_t kMostDigits = 20;  // of the largest uint64
  if (number.size() > kMostDigits) return std::nullopt;
  __extension__ __int128 value = 0;
  for (const char digit : number) value = value * 10 + (digit - '0');
  if (negative) value = -value;
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) return std::nullopt;
  return static_cast<T>(value);
}

template <class T>
std::optional<T> not_finite_of(const std::string& text) {
  if constexpr (SmallFloat<T>) {
    const bool is_nan = text == "NaN";
    std::uint8_t bits = is_nan ? T::kLayout.nan : T::kLayout.infinity;
    if (bits == 0) return std::nullopt;
    if (text[0] == '-') bits |= 0x80;
    return T{bits};
  } else if constexpr (Half<T>) {
    constexpr auto kInfinity = HalfTraits<T>::kInfinity;
    if (text == "NaN") return T{static_cast<std::uint16_t>(kInfinity | HalfTraits<T>::kQuiet)};
    return T{static_cast<std::uint16_t>(text[0] == '-' ? kInfinity | 0x8000 : kInfinity)};
  } else if constexpr (std::floating_point<T>) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    if (text == "NaN") return std::numeric_limits<T>::quiet_NaN();
    return text[0] == '-' ? -kInfinity : kInfinity;
  } else {
    return std::nullopt;
  }
}

// The element, or the part of a complex one, that the leaf is.
template <class T>
std::optional<T> element_of(const Node& leaf) {
  if constexpr (std::same_as<T, Bool>) {
    if (leaf.kind != Node::Kind::boolean) return std::nullopt;
    return Bool{static_cast<std::uint8_t>(leaf.text == "true" ? 1 : 0)};
  } else {
    if (is_not_finite(leaf)) return not_finite_of<T>(leaf.text);
    if (leaf.kind != Node::Kind::number) return std::nullopt;
    if constexpr (std::integral<T>) {
      return integer_of<T>(leaf.text);
    } else if constexpr (SmallInteger<T>) {
      const auto value = integer_of<std::int8_t>(leaf.text);
      const bool fits =
          value && (std::same_as<T, Int4> ? -8 <= *value && *value < 8 : 0 <= *value && *value < 16);
      return fits ? std::optional(T{static_cast<std::uint8_t>(*value & 15)}) : std::nullopt;
    } else if constexpr (SmallFloat<T> || Half<T>) {
      T value{};
      return parse_number(leaf.text, value) == NumberStatus::ok ? std::optional(value) : std::nullopt;
    } else {
      T value = 0;
      if constexpr (std::same_as<T, float>) value = std::strtof(leaf.text.c_str(), nullptr);
      if constexpr (std::same_as<T, double>) value = std::strtod(leaf.text.c_str(), nullptr);
      if (std::isinf(value)) return std::nullopt;
      return value;
    }
  }
}

// Appends the leaves as elements of the meaning's dtype; false where one of them is none.
bool append_elements(JsonMeaning& meaning, const std::vector<const Node*>& leaves) {
  return dispatch(meaning.dtype, [&]<class T>(TypeTag<T>) {
    for (const Node* leaf : leaves) {
      if constexpr (std::same_as<T, StringRef>) {
        if (leaf->kind != Node::Kind::string) return false;
        meaning.strings.push_back(leaf->text);
      } else {
        const auto element = element_of<Part<T>>(*leaf);
        if (!element) return false;
        meaning.bytes.append(reinterpret_cast<const char*>(&*element), sizeof *element);
      }
    }
    return true;
  });
}

}  // namespace

std::optional<JsonMeaning> json_meaning(std::string_view text, std::optional<DType> as) {
  const std::optional<Node> root = parse(text);
  if (!root) return std::nullopt;

  const Node* data = nullptr;
  std::optional<DType> named;
  std::optional<Shape> stated;
  if (root->kind != Node::Kind::object) data = &*root;
  for (std::size_t i = 0; i < root->keys.size(); ++i) {
    const std::string& key = root->keys[i];
    const Node& value = root->items[i];
    if (std::ranges::count(root->keys, key) != 1) return std::nullopt;
    if (key == "data") {
      data = &value;
    } else if (key == "dtype") {
      for (const DTypeInfo& row : kDTypes) {
        if (value.kind == Node::Kind::string && row.name == value.text) named = row.dtype;
      }
      if (!named) return std::nullopt;
    } else if (key == "shape") {
      stated = stated_shape(value);
      if (!stated) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  if (data == nullptr) return std::nullopt;

  std::vector<const Node*> leaves;
  std::optional<Shape> shape = shape_of(*data, leaves);
  if (!shape) return std::nullopt;
  const auto dtype = named ? named : as ? as : inferred(leaves);
  if (!dtype) return std::nullopt;
  if (is_complex(*dtype) && !leaves.empty()) {
    if (shape->empty() || shape->back() != 2) return std::nullopt;
    shape->pop_back();
  }
  if (shape->size() > kMaxRank) return std::nullopt;
  if (stated) {
    const auto elements = fitting_count(*stated, element_size(*dtype));
    if (!elements) return std::nullopt;
    // Nested data shows the dimensions up to the first 0.
    Shape shown = *stated;
    const auto zero = std::ranges::find(shown, 0);
    if (zero != shown.end()) shown.erase(zero + 1, shown.end());
    if (*shape != shown && *shape != Shape{*elements}) return std::nullopt;
    shape = stated;
  }
  JsonMeaning meaning{*dtype, *shape, {}, {}, named.has_value(), !named && leaves.empty()};
  if (!append_elements(meaning, leaves)) return std::nullopt;
  return meaning;
}

std::string difference(const JsonOutcome& outcome, const std::optional<JsonMeaning>& meaning) {
  if (!meaning) return outcome.refused.empty() ? "read, but to be refused" : "";
  if (!outcome.refused.empty()) return cat("refused, but to be read: ", outcome.refused);
  const Tensor& tensor = outcome.tensor;
  if (tensor.dtype() != meaning->dtype)
    return cat("dtype ", name(tensor.dtype()), ", not ", name(meaning->dtype));
  if (tensor.shape() != meaning->shape) {
    return cat("shape ", to_string(tensor.shape()), ", not ", to_string(meaning->shape));
  }
  if (outcome.typed != meaning->typed || outcome.empty != meaning->empty) return "typed or empty";
  const auto size = static_cast<std::size_t>(tensor.size());
  if (tensor.dtype() == DType::string) {
    for (std::size_t i = 0; i < size; ++i) {
      if (tensor.strings()[i].view() != meaning->strings[i]) return cat("string ", i);
    }
    return "";
  }
  const std::size_t element = static_cast<std::size_t>(element_size(tensor.dtype()));
  for (std::size_t i = 0; i < size * element; ++i) {
    if (tensor.data()[i] != static_cast<std::byte>(meaning->bytes[i])) return cat("element ", i / element);
  }
  return "";
}

}  // namespace tensorop
