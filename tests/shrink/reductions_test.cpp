// Smaller calls: each kind of reduction, and that looking for the smallest call ends.
#include "shrink/reductions.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "engine/engine.hpp"
#include "jobs/call_text.hpp"
#include "jobs/jobs.hpp"
#include "shrink/call_cost.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::shrink_reductions_test {
namespace {

LoadedCall call_of(const std::string& job) {
  const TempDir dir;
  std::ofstream(dir.file("jobs.jsonl")) << job.substr(0, job.size() - 1) << ",\"output\":\"unused.npy\"}\n";
  std::vector<Job> jobs;
  read_jobs(dir.file("jobs.jsonl"), JobPurpose::run, jobs);
  return load(jobs.at(0).request, Settings());
}

std::optional<Tensor> result_of(const LoadedCall& call) {
  try {
    return evaluate(request_of(call), {});
  } catch (const Failure&) {
    return std::nullopt;
  }
}

using Holds = std::function<bool(const LoadedCall&)>;

// Takes the first reduction that holds until none does, as `check --shrink`.
LoadedCall smallest(LoadedCall call, const Holds& holds) {
  constexpr int kMostSteps = 200;
  for (int step = 0; step < kMostSteps; ++step) {
    const std::vector<LoadedCall> smaller = reductions(call);
    const auto next = std::ranges::find_if(smaller, holds);
    if (next == smaller.end()) return call;
    REQUIRE(cost_of(*next) < cost_of(call));
    call = *next;
  }
  FAIL("no end after " << kMostSteps << " steps: " << sentence_of(call));
  return call;
}

struct ReductionRow {
  const char* kind;
  const char* job;
  const char* smaller;  // is among the reductions
};

constexpr ReductionRow kReductionRows[] = {
    {"fewer dimensions", R"({"op":"add","a":[[5],[6]],"b":[[7],[8]]})", "add a [5,6] b [7,8]"},
    {"fewer dimensions, of an operand alone", R"({"op":"add","a":[[5,6]],"b":[7,8]})", "add a [5,6] b [7,8]"},
    {"fewer dimensions, to none", R"({"op":"where","condition":[true],"x":[5],"y":[6]})",
     "where condition true x 5 y 6"},
    {"fewer dimensions, and the axis counts one less",
     R"({"op":"gather","data":[[[5,6],[7,8]]],"indices":[1],"axis":2})",
     "gather data [[5,6],[7,8]] indices [1] axis 1"},
    {"fewer dimensions, and index tuples are shorter",
     R"({"op":"gathernd","data":[[5,6]],"indices":[[0,1],[0,0]]})", "gathernd data [5,6] indices [[1],[0]]"},
    {"smaller sizes", R"({"op":"add","a":[5,6,7],"b":[8,9,1]})", "add a [6,7] b [9,1]"},
    {"smaller sizes, of an operand that is repeated along it", R"({"op":"add","a":[[5,6],[7,8]],"b":[1,2]})",
     "add a [[5,6]] b [1,2]"},
    {"smaller sizes, and indices follow their elements",
     R"({"op":"gather","data":[5,6,7,8],"indices":[3,-1,0]})", "gather data [6,7,8] indices [2,-1,0]"},
    {"smaller sizes, and only the indices of that axis follow",
     R"({"op":"gathernd","data":[[5,6],[7,8],[9,1]],"indices":[[2,1]]})",
     "gathernd data [[7,8],[9,1]] indices [[1,1]]"},
    {"smaller sizes, of an attribute too", R"({"op":"broadcast","data":[5,6,7],"shape":[2,3]})",
     "broadcast data [5,6] shape 2,2"},
    {"fewer index tuples", R"({"op":"gathernd","data":[5,6],"indices":[[1],[0],[-1]]})",
     "gathernd data [5,6] indices [[1],[-1]]"},
    {"fewer index tuples, with their updates",
     R"({"op":"scatternd","data":[5,6,7],"indices":[[1],[0]],"updates":[8,9]})",
     "scatternd data [5,6,7] indices [[1]] updates [8]"},
    {"simpler values, all", R"({"op":"add","a":[5,7],"b":3})", "add a [0,0] b 3"},
    {"simpler values, each counted", R"({"op":"add","a":[5,7],"b":3})", "add a [0,1] b 3"},
    {"simpler values, one", R"({"op":"add","a":[5,7],"b":3})", "add a [5,3] b 3"},
    {"simpler values, of floats",
     R"({"op":"add","a":{"dtype":"float32","data":["NaN",-0.0]},"b":{"dtype":"float32","data":1.5}})",
     "add a float32 [0.0,-0.0] b float32 1.5"},
    {"default attributes", R"({"op":"gather","data":[[5,6],[7,8]],"indices":[1],"axis":1})",
     "gather data [[5,6],[7,8]] indices [1]"},
    {"default attributes, of words",
     R"({"op":"scatterelements","data":[5,6],"indices":[1],"updates":[7],"reduction":"add"})",
     "scatterelements data [5,6] indices [1] updates [7]"},
    {"a simpler dtype", R"({"op":"gather","data":{"dtype":"bfloat16","data":[5,6]},"indices":[1]})",
     "gather data [5,6] indices [1]"},
    {"a simpler dtype, of all operands that have it",
     R"({"op":"min","operands":[{"dtype":"int8","data":[5]},{"dtype":"int8","data":[6]},)"
     R"({"dtype":"int8","data":[7]}]})",
     "min a [5] b [6] operand 3 [7]"},
    {"a simpler dtype, of indices", R"({"op":"gather","data":[5,6],"indices":{"dtype":"int32","data":[1]}})",
     "gather data [5,6] indices [1]"},
};

}  // namespace

TEST_CASE("each kind of reduction makes a smaller call that is valid", "[shrink][reductions]") {
  for (const auto& [kind, job, smaller] : kReductionRows) {
    CAPTURE(kind, job);
    const LoadedCall call = call_of(job);
    REQUIRE(result_of(call));
    const std::vector<LoadedCall> found = reductions(call);
    const std::string wanted_text = smaller;
    const auto is_wanted = [&](const LoadedCall& one) { return sentence_of(one) == wanted_text; };
    const auto wanted = std::ranges::find_if(found, is_wanted);
    CAPTURE(smaller);
    REQUIRE(wanted != found.end());
    CHECK(result_of(*wanted));
    CHECK(std::ranges::is_sorted(found, {}, cost_of));
    CHECK(cost_of(found.back()) < cost_of(call));
  }
}

TEST_CASE("a valid call without a condition becomes one of the least cost", "[shrink][reductions]") {
  for (const auto& [kind, job, smaller] : kReductionRows) {
    CAPTURE(kind, job);
    const LoadedCall least =
        smallest(call_of(job), [](const LoadedCall& one) { return result_of(one).has_value(); });
    CAPTURE(sentence_of(least));
    for (const LoadedOperand& operand : least.operands) {
      CHECK(operand.tensor.size() == 1);
      CHECK(operand.tensor.rank() <= 1);
    }
  }
}

TEST_CASE("a call is made smaller while it has a property", "[shrink][reductions]") {
  struct Row {
    const char* job;
    Holds holds;
    const char* smallest;
  };
  const auto differs_without = [](const char* attribute) {
    return [attribute](const LoadedCall& call) {
      LoadedCall without = call;
      const auto& specs = call.op.op->attributes;
      const auto at = std::ranges::find(specs, attribute, &AttributeSpec::name) - specs.begin();
      without.attributes[static_cast<std::size_t>(at)].is_given = false;
      const auto one = result_of(call);
      const auto other = result_of(without);
      return one && other && elements_text(*one, kAllElements) != elements_text(*other, kAllElements);
    };
  };
  const Row rows[] = {
      {R"({"op":"gather","data":[[5,6,7],[8,9,1],[2,3,4]],"indices":[[2,1,0]],"axis":-1,"spec":"onnx-13"})",
       differs_without("axis"), "gather data [[0]] indices [0,0] axis -1 spec onnx-13"},
      {R"({"op":"gathernd","data":[[[5,6],[7,8]],[[9,1],[2,3]]],"indices":[[[1]],[[0]]],"batch_dims":1})",
       differs_without("batch_dims"), "gathernd data [[0]] indices [[0]] batch_dims 1"},
      {R"({"op":"scatterelements","data":[5,6,7],"indices":[1,1,0],"updates":[8,9,1],"reduction":"add"})",
       differs_without("reduction"), "scatterelements data [1] indices [0] updates [0] reduction add"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.job);
    CHECK(sentence_of(smallest(call_of(row.job), row.holds)) == row.smallest);
  }
}

}  // namespace tensorop::shrink_reductions_test
