// Calls of operators without indices: element-wise ones, where, broadcast, expand and concat.
#include <algorithm>

#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "generate/drawing.hpp"
#include "generate/values.hpp"
#include "generate/weights.hpp"

namespace tensorop {
namespace {

// One of the dimensions as 1.
Shape with_a_1(Random& random, Shape shape) {
  if (!shape.empty()) shape[static_cast<std::size_t>(random.between(0, rank(shape) - 1))] = 1;
  return shape;
}

Shape with_fewer(Random& random, const Shape& shape) {
  return Shape(shape.begin() + random.between(std::min<std::int64_t>(1, rank(shape)), rank(shape)),
               shape.end());
}

// How the shape of one operand, or of each operand, differs from the shape of the result.
std::vector<Shape> pick_operand_shapes(Drawing& drawing, const Shape& result, std::size_t operands) {
  Random& random = drawing.random();
  std::vector<std::string> words = {"equal", "all differ"};
  for (std::size_t i = 1; i <= operands; ++i) {
    for (const std::string_view how : {"rank 0 in ", "fewer dimensions in ", "1 in "})
      words.push_back(cat(how, "operand ", i));
  }
  const bool has_channels =
      drawing.subject().op.op->shapes == ShapeKind::broadcast_channels && rank(result) > 1;
  if (has_channels) words.emplace_back("channels");
  const std::string word = drawing.pick("shapes", words);
  std::vector<Shape> shapes(operands, result);
  if (word == "equal") return shapes;
  if (word == "channels") {
    shapes[1] = {result[1]};
  } else if (word == "all differ") {
    for (Shape& shape : shapes) shape = shrunk(random, result, random.between(0, rank(result)));
  } else {
    Shape& shape = shapes[static_cast<std::size_t>(word.back() - '1')];
    shape = word.starts_with("rank 0") ? Shape()
            : word.starts_with("1")    ? with_a_1(random, shape)
                                       : with_fewer(random, shape);
  }
  return shapes;
}

// Some dimensions of `whole`, from the one that the attribute axis names.
Shape pick_part(Drawing& drawing, const Shape& whole, bool with_ones) {
  Random& random = drawing.random();
  const std::string word = drawing.pick_attribute("axis", {"not given", "0", "from the front"});
  const std::int64_t start = word == "0" ? 0 : random.between(0, rank(whole));
  const std::int64_t end = word == "not given" ? rank(whole) : random.between(start, rank(whole));
  if (word != "not given") drawing.set("axis", cat(start));
  Shape part(whole.begin() + start, whole.begin() + end);
  if (with_ones && drawing.pick("shapes", {"equal", "1 in b"}) == "1 in b") part = with_a_1(random, part);
  return part;
}

}  // namespace

void draw_elementwise(Drawing& drawing) {
  const Operator& op = *drawing.subject().op.op;
  std::size_t operands = op.operands.size();
  if (const auto fixed = drawing.subject().version->rules.operands; fixed != 0) {
    operands = fixed;
  } else if (op.operands.back().variadic) {
    operands = static_cast<std::size_t>(drawing.pick_number("operands", 1, 3));
  }
  const Shape result = drawing.pick_shape(drawing.pick_rank(0));
  const bool is_pdpd = drawing.picked("auto_broadcast") == "pdpd";
  std::vector<Shape> shapes(operands, result);
  if (is_pdpd || drawing.picked("broadcast") == "1") {
    const std::size_t whole = op.operands[0].role == OperandRole::condition ? 1 : 0;
    const Shape part = pick_part(drawing, result, is_pdpd);
    for (std::size_t i = 0; i < operands; ++i) {
      if (i != whole) shapes[i] = part;
    }
  } else {
    shapes = pick_operand_shapes(drawing, result, operands);
  }
  for (const Shape& shape : shapes) drawing.add_data(shape);
}

void draw_broadcast(Drawing& drawing) {
  Random& random = drawing.random();
  Shape target = drawing.pick_shape(drawing.pick_rank(0));
  const std::string mode = drawing.picked("mode");
  const bool two_ways = !drawing.has("mode") || mode == "bidirectional" || mode == "multidirectional";
  Shape data = target;
  if (mode == "explicit") {
    Shape axes;
    data.clear();
    for (std::int64_t axis = 0; axis < rank(target); ++axis) {
      if (random.chance(50)) continue;
      axes.push_back(axis);
      data.push_back(random.chance(weights::kMappedOne) ? 1 : target[static_cast<std::size_t>(axis)]);
    }
    drawing.set("axes_mapping", list_text(axes));
  } else if (mode == "pdpd") {
    data = pick_part(drawing, target, true);
  } else {
    std::vector<std::string> words = {"equal", "rank 0 in data", "fewer dimensions in data", "1 in data"};
    if (two_ways) words.insert(words.end(), {"1 in shape", "fewer dimensions in shape", "both differ"});
    const std::string word = drawing.pick("shapes", words);
    if (word == "rank 0 in data") data.clear();
    if (word == "fewer dimensions in data") data = with_fewer(random, data);
    if (word == "1 in data") data = with_a_1(random, data);
    if (word == "1 in shape") target = with_a_1(random, target);
    if (word == "fewer dimensions in shape") target = with_fewer(random, target);
    if (word == "both differ") {
      data = shrunk(random, target, random.between(0, rank(target)));
      target = with_a_1(random, target);
    }
  }
  drawing.set("shape", list_text(target));
  drawing.add_data(data);
}

// Operands that differ along the axis alone; under a name that flattens them they may have any shape.
void draw_concat(Drawing& drawing) {
  const std::int64_t operands = drawing.pick_number("operands", 1, 3);
  Shape shape = drawing.pick_shape(drawing.pick_rank(1));
  const bool is_flat = drawing.picked("flat") == "true";
  const std::int64_t axis = is_flat ? 0 : drawing.pick_axis(rank(shape));
  const std::string sizes = drawing.pick("sizes along the axis", {"equal", "differ", "one is 0"});
  const std::int64_t at = drawing.random().between(0, operands - 1);
  const bool is_mixed = operands > 1 && drawing.subject().version->framework == Framework::torch &&
                        drawing.pick("an operand of shape (0)", {"no", "yes"}) == "yes";
  for (std::int64_t i = 0; i < operands; ++i) {
    std::int64_t& size = shape[static_cast<std::size_t>(axis)];
    if (sizes == "differ") size = drawing.random().between(1, 4);
    Shape own = shape;
    if (sizes == "one is 0" && i == at) own[static_cast<std::size_t>(axis)] = 0;
    // PyTorch skips shape (0); elsewhere it only fits vectors.
    drawing.add_data(is_mixed && i == at ? Shape{0} : own);
  }
}

}  // namespace tensorop
