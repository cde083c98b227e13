// The dimension numbers that calls of the gather and scatter families are in StableHLO: both calls have the
// same result.
#include "engine/stablehlo.hpp"

#include <algorithm>
#include <map>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/bind.hpp"
#include "engine/engine.hpp"
#include "ops/index_policy.hpp"
#include "support/catch.hpp"
#include "support/operator_facts.hpp"
#include "support/reference_array.hpp"

namespace tensorop::engine_stablehlo_test {
namespace {

bool has_negative(const Tensor& indices) {
  const reference::Array array(indices);
  return std::ranges::any_of(array.elements, [](const auto& index) { return reference::integer(index) < 0; });
}

bool are_equal(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  return std::ranges::equal(reference::Array(a).elements, reference::Array(b).elements, {},
                            &reference::Element::bytes, &reference::Element::bytes);
}

TEST_CASE("a call and its dimension numbers in StableHLO have the same result",
          "[release][engine][stablehlo]") {
  Random random(7);
  std::map<std::string, int> compared;
  for (int i = 0; i < 6000; ++i) {
    const RandomCase call = draw_call(random, {"gather", "scatter"}, 0);
    // If an index out of range is no error, the result says nothing about the indices.
    if (call.arguments.rules.zero_fill || call.arguments.rules.nearest) continue;
    Request request = call.request;
    request.oob.reset();
    request.duplicates.reset();
    try {
      const Tensor result = evaluate(request, {});
      if (has_negative(call.arguments.operands[1])) continue;
      const Bound bound = bind(request, {});
      if (index_policy(bound.call).out_of_bounds != OutOfBounds::error) continue;
      Request same = as_stablehlo(bound.call, bound.planned);
      CHECK(same.spec == "stablehlo-1.1");
      // The default semantics have more dtypes, and round sums of half floats once, as scatters of torch do.
      const bool is_half = result.dtype() == DType::float16 || result.dtype() == DType::bfloat16;
      const bool is_torch_scatter =
          bound.call.version->framework == Framework::torch && bound.call.op->name == "scatterelements";
      const bool rounds_each_step =
          is_half && call.arguments.op.starts_with("scatter") && bound.call.strict() && !is_torch_scatter;
      if (!rounds_each_step) same.spec.reset();
      CAPTURE(i, request.op.name->name, call.arguments.framework, name(result.dtype()),
              dimension_numbers(same), bound.call.operands[0].shape(), bound.call.operands[1].shape());
      CHECK(are_equal(evaluate(same, {}), result));
      Request written = same;
      std::erase_if(written.attributes, [](const NamedText& given) {
        return given.name != "slice_sizes" && given.name != "reduction";
      });
      written.attributes.push_back({"dimension_numbers", dimension_numbers(same)});
      CHECK(are_equal(evaluate(written, {}), result));
      ++compared[call.arguments.op];
    } catch (const Error& error) {
      // A call that is wrong, or that StableHLO cannot say.
      CHECK((!error.rule().empty() ||
             std::string(error.what()).find("no dimension numbers") != std::string::npos));
    }
  }
  CHECK(compared.size() == 6);
  for (const auto& [op, count] : compared) {
    CAPTURE(op);
    CHECK(count > 50);
  }
}

}  // namespace
}  // namespace tensorop::engine_stablehlo_test
