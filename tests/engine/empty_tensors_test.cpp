// Tensors without elements cost no time and no memory, whatever their dimensions: every operator with empty
// and small tensors, in all combinations of shapes.
#include <sys/resource.h>

#include <ctime>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "explain/portability.hpp"
#include "explain/why.hpp"
#include "explain/why_refusal.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::engine_empty_tensors_test {
namespace {

using Attributes = std::vector<NamedText>;

// The attributes that the operator is tried with, "N" a dimension; by default none.
std::vector<Attributes> attributes_of(std::string_view op) {
  if (op == "gather") return {{}, {{"axis", "1"}}, {{"axis", "1"}, {"batch_dims", "1"}}, {{"flat", "true"}}};
  if (op == "gatherelements") return {{}, {{"axis", "1"}}};
  if (op == "gathernd") return {{}, {{"batch_dims", "1"}}};
  if (op == "scatternd" || op == "scatterupdate" || op == "scatterelements") {
    std::vector<Attributes> all = {
        {}, {{"reduction", "add"}}, {{"reduction", "mean"}, {"use_init_val", "false"}}};
    if (op != "scatterelements")
      all.insert(all.end(),
                 {{{"broadcast_updates", "true"}}, {{"reduction", "add"}, {"broadcast_updates", "true"}}});
    return all;
  }
  if (op == "tensorscatter") {
    return {{}, {{"mode", "circular"}}, {{"axis", "1"}}, {{"axis", "1"}, {"mode", "circular"}}};
  }
  if (op == "gatherslices" || op == "dynamicslice") {
    std::vector<Attributes> all;
    for (const char* sizes : {"0", "0,N", "N,0", "1,0", "N,0,N"}) {
      all.push_back({{"slice_sizes", sizes}});
      if (op == "dynamicslice") continue;
      all.back().insert(all.back().end(), {{"start_index_map", "0"}, {"index_vector_dim", "1"}});
      all.push_back(all.back());
      all.back().push_back({"offset_dims", std::string_view(sizes).size() == 1 ? "1" : "1,2"});
    }
    return all;
  }
  if (op == "scatterslices") {
    const Attributes first = {{"scatter_dims_to_operand_dims", "0"}, {"index_vector_dim", "1"}};
    Attributes rows = first;
    rows.insert(rows.end(), {{"inserted_window_dims", "0"}, {"update_window_dims", "1"}});
    Attributes windows = first;
    windows.push_back({"update_window_dims", "1,2"});
    return {rows, windows};
  }
  if (op == "expand" || op == "broadcast") {
    return {
        {{"shape", "0"}}, {{"shape", "0,N"}}, {{"shape", "N,0"}}, {{"shape", "N,0,N"}}, {{"shape", "N,0,1"}}};
  }
  if (op == "bitshift") return {{{"direction", "left"}}};
  return {{}};
}

// Zeros: indices that are in range where the axis has elements.
Tensor zeros(DType dtype, const Shape& shape) {
  if (count(shape) == 0) return {dtype, shape};
  return {dtype, shape, std::make_shared<Storage>(count(shape) * element_size(dtype))};
}

struct Trial {
  const Operator& op;
  Attributes attributes;
  std::vector<Shape> shapes;
};

// Why the call is refused: the rule; empty: it is accepted.
std::string run(const Trial& trial, DType dtype) {
  Request request;
  request.op = require_operator(trial.op.name);
  request.attributes = trial.attributes;
  for (std::size_t i = 0; i < trial.shapes.size(); ++i) {
    const OperandRole role = trial.op.operands[std::min(i, trial.op.operands.size() - 1)].role;
    const DType own = role == OperandRole::indices     ? DType::int64
                      : role == OperandRole::condition ? DType::boolean
                                                       : dtype;
    request.positional.emplace_back(zeros(own, trial.shapes[i]));
  }
  const Settings settings;
  const std::clock_t start = std::clock();
  std::string rule = "";
  try {
    (void)evaluate(request, settings);
    (void)open_elements(request, settings);
    (void)find_portability(request, {Framework::standard, Framework::onnx}, settings);
    (void)Explainer(request, settings).origins({});
  } catch (const MemoryError&) {
    rule = "the result has elements";
  } catch (const Error& error) {
    rule = error.rule();
    (void)why_refused(request, settings, error);
  }
  const auto seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (seconds > 1) {
    std::string shapes;
    for (const Shape& shape : trial.shapes) shapes += to_string(shape);
    for (const NamedText& given : trial.attributes) shapes += cat(" ", given.name);
    FAIL_CHECK(trial.op.name << shapes << " took " << seconds << " s of processor time");
  }
  return rule;
}

std::int64_t peak_kibibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST_CASE("tensors without elements take neither time nor memory, whatever their dimensions", "[engine]") {
  constexpr DType kKinds[] = {DType::boolean,    DType::uint8,  DType::float16,
                              DType::complex128, DType::string, DType::int4};
  // The step through the combinations of shapes: no divisor of their number, so each operand has each shape.
  constexpr std::size_t kStep = kAnySanitizer ? 199 : 7;
  const std::int64_t before = peak_kibibytes();
  std::int64_t accepted = 0;
  // A result that has elements after all, such as of index tuples of length 0, is larger than any memory.
  const std::int64_t largest = std::int64_t{1} << 62;
  for (const std::int64_t n : {std::int64_t{1} << 42, largest}) {
    const Shape shapes[] = {{0}, {0, n}, {n, 0}, {n, 0, n}, {3, n, 0}, {1, n, 0},
                            {},  {1},    {3},    {1, 1},    {3, 1}};
    for (const Operator* const op : kOperators) {
      const std::size_t operands = op->operands.back().variadic ? 2 : op->operands.size();
      for (Attributes attributes : attributes_of(op->name)) {
        for (NamedText& given : attributes) {
          for (std::size_t at = given.text.find('N'); at != std::string::npos; at = given.text.find('N'))
            given.text.replace(at, 1, std::to_string(n));
        }
        std::size_t combinations = 1;
        for (std::size_t i = 0; i < operands; ++i) combinations *= std::size(shapes);
        for (std::size_t number = 0; number < combinations; number += kStep) {
          Trial trial{*op, attributes, {}};
          for (std::size_t i = 0, rest = number; i < operands; ++i, rest /= std::size(shapes))
            trial.shapes.push_back(shapes[rest % std::size(shapes)]);
          if (!run(trial, DType::int32).empty()) continue;
          ++accepted;
          if (n != largest) continue;
          for (const DType dtype : kKinds) (void)run(trial, dtype);
        }
      }
    }
  }
  CHECK(accepted > (kAnySanitizer ? 5 : 300));
  if (!kAnySanitizer) CHECK(peak_kibibytes() - before < 64 * 1024);
}

}  // namespace
}  // namespace tensorop::engine_empty_tensors_test
