#include "generate/drawing.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "generate/values.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kLeftOut = "not given";

// In the order of ValueKind.
constexpr std::string_view kValueKinds[] = {"small", "special", "bits", "order", "mixed"};

// Second operands of integer division, powers and shifts as their rules want them, mostly.
Tensor tamed(const Operator& op, DType dtype, const Shape& shape, const Tensor& drawn, Random& random) {
  const auto has_rule = [&](std::string_view rule) { return std::ranges::count(op.rules, rule) != 0; };
  if (has_rule("EW-8"))
    return integer_tensor(dtype, shape,
                          [&](std::int64_t) { return random.between(0, random.chance(15) ? 70 : 7); });
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

}  // namespace

std::string Drawing::pick(std::string_view parameter, const std::vector<std::string>& values,
                          bool is_attribute) {
  std::vector<Coverage::Level> offered;
  for (const std::string& value : values) offered.push_back(coverage_.level(parameter, value, is_attribute));
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
  request.attributes.push_back({std::string(attribute), OperandText(std::move(text))});
}

void Drawing::pick_words() {
  const Operator& op = *subject_.op.op;
  for (const AttributeRow& row : subject_.version->attributes) {
    const AttributeSpec& spec = *find_attribute(op, row.name);
    std::vector<std::string> words;
    if (spec.kind == AttributeKind::choice) words = allowed_words(spec, *subject_.version);
    if (spec.kind == AttributeKind::boolean || spec.kind == AttributeKind::flag) words = {"false", "true"};
    if (words.empty()) continue;
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
  // Calls without elements find few faults.
  const std::string sizes =
      pick("sizes", {"2 and more", "2 and more", "2 and more", "with 1", "with 1", "with 0"});
  Shape shape;
  std::int64_t left = subject_.max_elements;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::int64_t most = std::clamp<std::int64_t>(left, 1, rank > 3 ? 3 : 5);
    shape.push_back(random_.between(std::min<std::int64_t>(2, most), most));
    left /= shape.back();
  }
  // The last dimensions are not the ones that are always short.
  std::rotate(shape.begin(), shape.begin() + random_.between(0, rank - 1), shape.end());
  shape = enlarged(std::move(shape));
  auto& any = shape[static_cast<std::size_t>(random_.between(0, rank - 1))];
  if (sizes != "2 and more") any = sizes == "with 1" ? 1 : 0;
  return shape;
}

Shape Drawing::enlarged(Shape shape, std::int64_t row_elements) {
  if (subject_.min_elements == 0) return shape;
  // It need not be the tensor that is large.
  const std::int64_t part = random_.pick(std::vector<std::int64_t>{1, 1, 20, 500});
  const std::int64_t rows = subject_.min_elements / std::max<std::int64_t>(row_elements, 1);
  return grown(random_, std::move(shape), rows / part);
}

std::int64_t Drawing::pick_axis(std::int64_t rank) {
  const AttributeSpec& spec = *find_attribute(*subject_.op.op, "axis");
  const std::int64_t given =
      parse_int64(default_text(spec, *subject_.op.name, *subject_.version)).value_or(0);
  const std::int64_t by_default = given < 0 ? given + rank : given;
  if (!has("axis")) return by_default;
  const std::string word = pick_attribute("axis", {"first", "middle", "last", "negative"});
  const std::int64_t axis = word == "first"    ? 0
                            : word == "last"   ? rank - 1
                            : word == "middle" ? rank / 2
                                               : random_.between(0, rank - 1);
  if (word == "negative" || axis != by_default || random_.chance(50))
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
  for (std::int64_t& dim : shape) dim = random_.between(random_.chance(5) ? 0 : 1, 4);
  return shape;
}

DType Drawing::pick_dtype(std::size_t i) {
  const std::string_view variable = type_variable(*subject_.op.op, *subject_.version, i);
  const std::string parameter = cat("dtype ", variable);
  if (const std::string known = picked(parameter); !known.empty()) return *parse_dtype(known);
  const DTypeSet allowed = allowed_types(*subject_.version, variable);
  std::vector<std::string> all;
  std::vector<std::string> asked;
  for (const DTypeInfo& row : kDTypes) {
    if (!allowed.contains(row.dtype)) continue;
    all.emplace_back(row.name);
    if (std::ranges::count(subject_.dtypes, row.dtype) != 0) asked.emplace_back(row.name);
  }
  return *parse_dtype(pick(parameter, asked.empty() ? all : asked));
}

void Drawing::add(Tensor tensor) {
  const auto& operands = subject_.op.op->operands;
  if (operands.back().variadic) {
    request.positional.emplace_back(std::move(tensor));
  } else {
    request.named.push_back({std::string(operands[next_operand_].name), OperandText(std::move(tensor))});
  }
  ++next_operand_;
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
    // What finds most: sums depend on the order, others on values such as NaN.
    const std::string reduction = picked("reduction");
    kinds.insert(kinds.end(), 3, reduction == "add" || reduction == "mul" ? "order" : "special");
    kind = pick("values", kinds);
  }
  const auto at = std::ranges::find(kValueKinds, kind) - kValueKinds;
  Tensor tensor = random_tensor(random_, dtype, shape, static_cast<ValueKind>(at));
  const bool is_second = next_operand_ == 1 && kIntegerTypes.contains(dtype);
  add(is_second ? tamed(op, dtype, shape, tensor, random_) : std::move(tensor));
}

void Drawing::add_indices(const Shape& shape, const std::function<std::int64_t(std::int64_t)>& extent) {
  if (!check_size(shape)) return;
  const Version& version = *subject_.version;
  const DType dtype = pick_dtype(next_operand_);
  std::vector<std::string> kinds = {"any", "ends", "ascending", "distinct", "duplicates"};
  if (kSignedTypes.contains(dtype)) kinds.emplace_back("negative");
  const bool by_oob = request.oob.value_or("error") != "error";
  if (by_oob || version.index.out_of_bounds != OutOfBounds::error) kinds.emplace_back("out of range");
  const std::string kind = pick("indices", kinds);
  const std::int64_t first = random_.between(0, 100);
  const std::int64_t all = std::max<std::int64_t>(count(shape), 1);
  add(integer_tensor(dtype, shape, [&](std::int64_t position) {
    const std::int64_t size = extent(position);
    if (kind == "out of range") return random_.between(-2 * size - 2, 2 * size + 2);
    if (size <= 0) return std::int64_t{0};
    if (kind == "ends") return random_.chance(50) ? 0 : size - 1;
    if (kind == "ascending") return position * size / all;
    if (kind == "distinct") return (first + position) % size;
    if (kind == "duplicates") return first % size;
    const std::int64_t any = random_.between(0, size - 1);
    return kind == "negative" && (position == 0 || random_.chance(50)) ? any - size : any;
  }));
}

bool draw_call(Drawing& drawing) {
  const Operator& op = *drawing.subject().op.op;
  CallMaker maker = find_indexed_maker(op.name);
  if (maker == nullptr) maker = find_slice_maker(op);
  if (maker == nullptr) maker = find_broadcast_maker(op);
  if (maker == nullptr) throw Error(cat("no calls of ", op.name, " can be generated"));
  drawing.pick_words();
  maker(drawing);
  return !drawing.is_too_large();
}

}  // namespace tensorop
