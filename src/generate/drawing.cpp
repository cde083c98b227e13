#include "generate/drawing.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "generate/values.hpp"
#include "generate/weights.hpp"
#include "ops/axes.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kLeftOut = "not given";

// In the order of ValueKind.
constexpr std::string_view kValueKinds[] = {"small", "special", "bits", "order", "mixed"};

// Second operands of integer division, powers and shifts as their rules want them, mostly.
Tensor tamed(const Operator& op, DType dtype, const Shape& shape, const Tensor& drawn, Random& random) {
  const auto has_rule = [&](std::string_view rule) { return std::ranges::count(op.rules, rule) != 0; };
  if (has_rule("EW-8"))
    return integer_tensor(dtype, shape, [&](std::int64_t) {
      return random.between(0, random.chance(weights::kWideShift) ? 70 : 7);
    });
  if (!has_rule("EW-7")) return drawn;
  auto storage = std::make_shared<Storage>(drawn.bytes());
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      auto* out = reinterpret_cast<T*>(storage->data());
      for (std::int64_t i = 0; i < drawn.size(); ++i)
        out[i] = drawn.as<T>()[i] == 0 ? T{1} : drawn.as<T>()[i];
    }
  });
  return {dtype, shape, storage};
}

const std::string kIndexParameter = "planted indices";
// Many float updates of one element, whose sum depends on their order.
constexpr std::string_view kSums = "sums";
constexpr std::string_view kOrder = "order";
constexpr std::string_view kAllEqual = "all equal";

bool is_float(DType dtype) {
  return kFloatTypes.contains(dtype);
}

// The index of a class on an axis of that size.
std::int64_t class_index(std::string_view name, std::int64_t size) {
  return name == "first" ? 0 : name == "last" ? size - 1 : name == "negative first" ? -size : -1;
}

// The flat position, in a shape, of a place that all operands share. `place` has a byte for each coordinate,
// from the last dimension on. The coordinates are the same in operands of equal sizes, and 0 in a dimension
// that is repeated.
std::int64_t position_of(std::int64_t place, const Shape& shape) {
  constexpr int kMostBits = 56;
  std::int64_t position = 0;
  for (std::int64_t d = 0; d < rank(shape); ++d) {
    const std::int64_t bits = std::min<std::int64_t>(8 * (rank(shape) - 1 - d), kMostBits);
    const std::int64_t size = shape[static_cast<std::size_t>(d)];
    position = position * size + ((place >> bits) & 255) % size;
  }
  return position;
}

// The parameter that has the classes of an operand's elements.
std::string class_parameter(DType dtype, std::string_view operand) {
  return cat(kIntegerTypes.contains(dtype) ? "integers" : "floats", " of ", operand);
}

}  // namespace

std::string Drawing::pick(std::string_view parameter, const std::vector<std::string>& values,
                          Coverage::Kind kind) {
  std::vector<Coverage::Level> offered;
  offered.reserve(values.size());
  for (const std::string& value : values) offered.push_back(coverage_.level(parameter, value, kind));
  auto chosen = random_.pick(offered);
  for (const Coverage::Level level : wanted_) {
    if (std::ranges::count(offered, level) != 0) chosen = level;
  }
  levels_.push_back(chosen);
  return coverage_.value(chosen);
}

std::string Drawing::picked(std::string_view parameter) const {
  for (const Coverage::Level level : levels_) {
    if (coverage_.parameter(level) == parameter) return coverage_.value(level);
  }
  return {};
}

void Drawing::set(std::string_view attribute, std::string text) {
  request.attributes.push_back({std::string(attribute), Operand(std::move(text))});
}

void Drawing::pick_words() {
  const Operator& op = *subject_.op.op;
  for (const AttributeRow& row : subject_.version->attributes) {
    const AttributeSpec& spec = *find_attribute(op, row.name);
    std::vector<std::string> words;
    if (spec.kind == AttributeKind::choice) words = allowed_words(spec, *subject_.version);
    if (spec.kind == AttributeKind::boolean || spec.kind == AttributeKind::flag) words = {"false", "true"};
    if (words.empty() || subject_.op.name->fixes(spec.name)) continue;
    const std::string_view by_default = default_text(spec, *subject_.op.name, *subject_.version);
    if (by_default.empty() && !spec.required) words.emplace_back(kLeftOut);
    const std::string word = pick_attribute(spec.name, words);
    if (word != kLeftOut && (word != by_default || random_.chance(50))) set(spec.name, word);
  }
  if (subject_.version->framework != Framework::standard) return;
  if (!op.oob.empty()) request.oob = pick("oob", words_of(op.oob));
  if (request.oob == "fill") set("fill_value", "1");
  if (op.duplicates.empty()) return;
  std::vector<std::string> words = words_of(op.duplicates);
  words.emplace_back(kLeftOut);  // beside a reduction it cannot be given
  if (const std::string word = pick("duplicates", words); word != kLeftOut) request.duplicates = word;
}

std::int64_t Drawing::pick_number(std::string_view parameter, std::int64_t from, std::int64_t to) {
  std::vector<std::string> numbers;
  for (std::int64_t number = from; number <= to; ++number) numbers.push_back(cat(number));
  return *parse_int64(pick(parameter, numbers));
}

Shape Drawing::pick_shape(std::int64_t rank) {
  if (rank == 0) return {};
  // The place of a dimension of 0 or 1. Calls without elements find few faults.
  std::vector<std::string> places = {"first"};
  if (rank > 2) places.emplace_back("between");
  if (rank > 1) places.emplace_back("last");
  std::vector<std::string> words(weights::kPlainSizes * places.size(), "2 and more");
  for (const std::string& place : places) {
    words.insert(words.end(), weights::kSizesWithOne, cat("1 ", place));
    words.push_back(cat("0 ", place));
  }
  const std::string sizes = pick("sizes", words);
  Shape shape;
  std::int64_t left = subject_.max_elements;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::int64_t most = std::clamp<std::int64_t>(left, 1, rank > 3 ? 3 : 5);
    shape.push_back(random_.between(std::min<std::int64_t>(2, most), most));
    left /= shape.back();
  }
  // Otherwise the last dimensions would always be short.
  std::rotate(shape.begin(), shape.begin() + random_.between(0, rank - 1), shape.end());
  shape = enlarged(std::move(shape));
  if (sizes == "2 and more") return shape;
  std::int64_t& size = sizes.ends_with("between")
                           ? shape[static_cast<std::size_t>(random_.between(1, rank - 2))]
                       : sizes.ends_with("last") ? shape.back()
                                                 : shape.front();
  size = sizes.front() - '0';
  return shape;
}

Shape Drawing::enlarged(Shape shape, std::int64_t row_elements) {
  if (subject_.min_elements == 0) return shape;
  // Another tensor may be the large one.
  const std::int64_t part = random_.pick(std::vector<std::int64_t>{1, 1, 20, 500});
  const std::int64_t rows = subject_.min_elements / std::max<std::int64_t>(row_elements, 1);
  return grown(random_, std::move(shape), rows / part);
}

std::int64_t Drawing::pick_axis(std::int64_t rank) {
  const AttributeSpec& spec = *find_attribute(*subject_.op.op, "axis");
  const auto text = parse_int64(default_text(spec, *subject_.op.name, *subject_.version));
  const std::int64_t given = text.value_or(0);
  const std::int64_t by_default = given < 0 ? given + rank : given;
  if (!has("axis")) return by_default;
  const std::string word = pick_attribute("axis", {"first", "middle", "last", "negative"});
  const std::int64_t axis = word == "first"    ? 0
                            : word == "last"   ? rank - 1
                            : word == "middle" ? rank / 2
                                               : random_.between(0, rank - 1);
  if (word == "negative" || !text || axis != by_default || random_.chance(50))
    set("axis", cat(word == "negative" ? axis - rank : axis));
  return axis;
}

std::int64_t Drawing::pick_batch_dims(std::int64_t most, std::int64_t further) {
  if (!has("batch_dims")) return 0;
  std::vector<std::string> words = {"0"};
  if (most > 0) words.insert(words.end(), {"1", "all"});
  if (most > 0 && further > 0) words.emplace_back("negative");
  const std::string word = pick_attribute("batch_dims", words);
  const std::int64_t b = word == "0" ? 0 : word == "1" ? 1 : word == "all" ? most : random_.between(1, most);
  if (b != 0 || random_.chance(50)) set("batch_dims", cat(word == "negative" ? -further : b));
  return b;
}

Shape Drawing::pick_dims(std::string_view parameter, std::int64_t most) {
  Shape shape(static_cast<std::size_t>(pick_number(parameter, 0, most)));
  for (std::int64_t& dim : shape) dim = random_.between(random_.chance(weights::kNoTuples) ? 0 : 1, 4);
  return shape;
}

DType Drawing::pick_dtype(std::size_t i) {
  const std::string_view variable = type_variable(*subject_.op.op, *subject_.version, i);
  const std::string parameter = cat("dtype ", variable);
  if (const std::string known = picked(parameter); !known.empty()) return *parse_dtype(known);
  const DTypeSet allowed = allowed_types(*subject_.version, variable);
  // Prefers the requested dtypes that can hold the wanted class of elements. If none can, any requested
  // dtype.
  const auto names = [&](const auto& is_chosen) {
    std::vector<std::string> out;
    for (const DTypeInfo& row : kDTypes) {
      if (allowed.contains(row.dtype) && is_chosen(row.dtype)) out.emplace_back(row.name);
    }
    return out;
  };
  const auto is_asked = [&](DType dtype) { return std::ranges::count(subject_.dtypes, dtype) != 0; };
  const bool any_asked = !names(is_asked).empty();
  const auto may_be = [&](DType dtype) { return !any_asked || is_asked(dtype); };
  const auto fitting = names([&](DType dtype) { return may_be(dtype) && has_wanted_class(dtype); });
  return *parse_dtype(pick(parameter, fitting.empty() ? names(may_be) : fitting));
}

std::string_view Drawing::operand_name() const {
  const auto& operands = subject_.op.op->operands;
  return operands[std::min(next_operand_, operands.size() - 1)].name;
}

void Drawing::add(Tensor tensor) {
  const bool takes_arrays = subject_.op.name->takes_arrays;
  if (subject_.op.name->makes_data && next_operand_ == 0) {
    request.attributes.push_back({std::string(kMadeShapeName), Operand(list_text(tensor.shape()))});
  } else if (takes_arrays && next_operand_ == 1) {
    // The components of index tuples, each as an operand.
    const std::int64_t k = tensor.shape().back();
    const Shape shape = slice(tensor.shape(), 0, tensor.rank() - 1);
    for (std::int64_t c = 0; c < k; ++c) {
      request.positional.emplace_back(integer_tensor(tensor.dtype(), shape, [&](std::int64_t position) {
        return integer_at(tensor, position * k + c);
      }));
    }
  } else if (takes_arrays || subject_.op.op->operands.back().variadic) {
    request.positional.emplace_back(std::move(tensor));
  } else {
    request.named.push_back({std::string(operand_name()), Operand(std::move(tensor))});
  }
  ++next_operand_;
}

bool Drawing::is_wanted(Coverage::Level level) const {
  return std::ranges::count(wanted_, level) != 0;
}

bool Drawing::has_wanted_class(DType dtype) const {
  return std::ranges::all_of(wanted_, [&](Coverage::Level level) {
    const std::string& parameter = coverage_.parameter(level);
    if (parameter == kSums) return is_float(dtype);
    if (parameter != class_parameter(DType::float32, operand_name()) &&
        parameter != class_parameter(DType::int32, operand_name()))
      return true;
    return parameter == class_parameter(dtype, operand_name()) &&
           std::ranges::count(element_classes(dtype), coverage_.value(level)) != 0;
  });
}

std::map<std::int64_t, std::string> Drawing::pick_classes(const std::string& parameter, Coverage::Kind kind,
                                                          std::vector<std::string> classes,
                                                          const Shape& shape, bool has_more) {
  std::set<std::string> goals;
  for (const std::string& name : classes) {
    if (is_wanted(coverage_.level(parameter, name, kind))) goals.insert(name);
  }
  // With the other operand's order, equal classes are combined.
  if (!classes.empty())
    std::rotate(classes.begin(), classes.begin() + first_class_ % std::ssize(classes), classes.end());
  if (random_.chance(weights::kReversed)) std::ranges::reverse(classes);
  std::stable_partition(classes.begin(), classes.end(),
                        [&](const std::string& name) { return goals.contains(name); });
  // At least half of the elements stay unchanged, and so does a place already used.
  const std::int64_t most =
      std::min(has_more ? std::ssize(classes) : std::ssize(goals), (count(shape) + 1) / 2);
  std::map<std::int64_t, std::string> out;
  for (std::int64_t i = 0; i < std::min(most, std::ssize(places_)); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (out.try_emplace(position_of(places_[at], shape), classes[at]).second)
      levels_.push_back(coverage_.level(parameter, classes[at], kind));
  }
  return out;
}

bool Drawing::check_size(const Shape& shape) {
  is_too_large_ |= bounded_count(shape) > subject_.max_elements;
  return !is_too_large_;
}

void Drawing::add_data(const Shape& shape) {
  if (!check_size(shape)) return;
  const Operator& op = *subject_.op.op;
  const DType dtype = pick_dtype(std::min(next_operand_, op.operands.size() - 1));
  std::string kind = picked("values");
  if (kind.empty()) {
    std::vector<std::string> kinds(std::begin(kValueKinds), std::end(kValueKinds));
    // The values that find most faults: sums depend on the order, products of small numbers do not overflow,
    // other reductions depend on values such as NaN.
    const std::string reduction = picked("reduction");
    const bool is_sum = reduction == "add" || reduction == "sum" || reduction == "mean";
    const bool is_product = reduction == "mul" || reduction == "prod" || reduction == "multiply";
    kinds.insert(kinds.end(), weights::kMatchingKind, is_sum ? "order" : is_product ? "small" : "special");
    kind = pick("values", kinds);
  }
  auto values = static_cast<ValueKind>(std::ranges::find(kValueKinds, kind) - kValueKinds);
  if (values == ValueKind::order && next_operand_ > 0) values = ValueKind::series;
  Tensor tensor = random_tensor(random_, dtype, shape, values);
  const bool is_integer = kIntegerTypes.contains(dtype);
  const std::string parameter = class_parameter(dtype, operand_name());
  const Coverage::Kind classes = is_integer ? Coverage::Kind::integers : Coverage::Kind::floats;
  const auto planted_classes =
      pick_classes(parameter, classes, element_classes(dtype), shape, has_more_classes_);
  tensor = planted(tensor, planted_classes);
  add(next_operand_ == 1 && is_integer ? tamed(op, dtype, shape, tensor, random_) : std::move(tensor));
}

void Drawing::add_indices(const Shape& shape, const std::function<std::int64_t(std::int64_t)>& extent) {
  if (!check_size(shape)) return;
  const Version& version = *subject_.version;
  const DType dtype = pick_dtype(next_operand_);
  std::vector<std::string> kinds = {"any", "ends", "ascending", "distinct", std::string(kAllEqual)};
  if (kSignedTypes.contains(dtype)) kinds.emplace_back("negative");
  const bool by_oob = request.oob.value_or("error") != "error";
  if (by_oob || version.rules.index.out_of_bounds != OutOfBounds::error) kinds.emplace_back("out of range");
  const std::string kind = pick("indices", kinds);
  const std::int64_t first = random_.between(0, 100);
  const std::int64_t all = std::max<std::int64_t>(count(shape), 1);
  const auto classes = pick_index_classes(dtype, kind, shape);
  add(integer_tensor(dtype, shape, [&](std::int64_t position) {
    const std::int64_t size = extent(position);
    if (const auto found = classes.find(position); found != classes.end() && size > 0) {
      return class_index(found->second, size);
    }
    if (kind == "out of range") return random_.between(-2 * size - 2, 2 * size + 2);
    if (size <= 0) return std::int64_t{0};
    if (kind == "ends") return random_.chance(50) ? 0 : size - 1;
    if (kind == "ascending") return position * size / all;
    if (kind == "distinct") return (first + position) % size;
    if (kind == kAllEqual) return first % size;
    const std::int64_t any = random_.between(0, size - 1);
    return kind == "negative" && (position == 0 || random_.chance(50)) ? any - size : any;
  }));
}

std::map<std::int64_t, std::string> Drawing::pick_index_classes(DType dtype, std::string_view kind,
                                                                const Shape& shape) {
  // Planted indices must not make distinct indices equal, nor add negative ones, unless they are the goal.
  const bool is_negative = kind == "negative";
  std::vector<std::string> classes = {"first", "last"};
  for (const char* const name : {"negative first", "negative last"}) {
    if (!kSignedTypes.contains(dtype)) continue;
    if (is_wanted(coverage_.level(kIndexParameter, name, Coverage::Kind::special)) || is_negative)
      classes.emplace_back(name);
  }
  const bool has_more = has_more_classes_ && (is_negative || kind == "any" || kind == "ends");
  return pick_classes(kIndexParameter, Coverage::Kind::special, classes, shape, has_more);
}

void Drawing::want_sums() {
  if (!has("reduction") || !is_wanted(sums())) return;
  has_more_classes_ = false;
  wanted_.push_back(coverage_.level("values", kOrder, Coverage::Kind::other));
  wanted_.push_back(coverage_.level("indices", kAllEqual, Coverage::Kind::other));
}

void Drawing::note_sums() {
  constexpr std::int64_t kLeastTerms = 12;
  const bool is_list = request.named.empty();
  if (!has("reduction") || (is_list ? request.positional.size() : request.named.size()) < 2) return;
  const auto* const updates =
      is_list ? request.positional.back().as<Tensor>() : request.named.back().as<Tensor>();
  const bool are_met = picked("values") == kOrder && picked("indices") == kAllEqual && updates != nullptr &&
                       is_float(updates->dtype()) && updates->size() >= kLeastTerms;
  const Coverage::Level level = sums();
  if (are_met) levels_.push_back(level);
}

Coverage::Level Drawing::sums() {
  return coverage_.level(kSums, "depend on the order", Coverage::Kind::special);
}

}  // namespace tensorop
