// ONNX's own cases through the binary.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"

namespace tensorop::cli_onnx_cases_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

}  // namespace

// The cases of Debian's package libonnx-testdata, ONNX 1.12. How many there are of each operator was counted
// with the Python package onnx: models of one node of that op_type.
TEST_CASE("ONNX's own cases are equal bit for bit, all that tensorop has", "[cli][onnx]") {
  const std::string data = "/usr/share/libonnx-testdata/data";
  if (!fs::exists(data)) return skip("the package libonnx-testdata is not installed");
  std::map<std::string, std::string> operators;  // of each case
  const auto infos = run_tensorop({"info", "--json", data}, {});
  CHECK(infos.status == 0);
  const Json described = Json::parse(infos.out);
  for (const Json& file : described.at("files")) {
    const Json& model = file.at("model");
    if (model.at("skipped").is_null()) operators[file.at("path")] = model.at("nodes").back().at("op_type");
  }
  const auto result = run_tensorop({"check", "--json", data}, {});
  const Json report = Json::parse(result.out);
  std::map<std::string, int> equal;
  std::vector<std::string> others;
  std::vector<std::string> other_bits;
  for (const Json& found : report.at("cases")) {
    if (found.at("outcome") == "skipped") continue;
    const fs::path model = found.at("file").get<std::string>();
    if (found.at("outcome") == "equal") {
      if (found.at("same_bits") == false) other_bits.push_back(found.at("name"));
      ++equal[cat(model.parent_path().parent_path().filename().string(), " ",
                  operators.at(model.parent_path().string()))];
    } else {
      others.push_back(found.at("name"));
      CHECK(found.at("error").at("rule") == "BC-L6");
    }
  }
  CHECK(equal == std::map<std::string, int>{
                     {"node Add", 3},
                     {"node And", 8},
                     {"node BitShift", 8},
                     {"node Concat", 12},
                     {"node Div", 4},
                     {"node Equal", 2},
                     {"node Expand", 2},
                     {"node Gather", 4},
                     {"node GatherElements", 3},
                     {"node GatherND", 3},
                     {"node Greater", 2},
                     {"node GreaterOrEqual", 2},
                     {"node Less", 2},
                     {"node LessOrEqual", 2},
                     {"node Max", 14},
                     {"node Min", 14},
                     {"node Mod", 13},
                     {"node Mul", 4},
                     {"node Or", 8},
                     {"node PRelu", 2},
                     {"node Pow", 14},
                     {"node Scatter", 2},
                     {"node ScatterElements", 4},
                     {"node ScatterND", 3},
                     {"node Sub", 4},
                     {"node Where", 2},
                     {"node Xor", 8},
                     {"pytorch-converted Gather", 2},
                     {"pytorch-converted PRelu", 6},
                     {"pytorch-operator Add", 3},
                     {"pytorch-operator Concat", 1},
                     {"pytorch-operator Max", 1},
                     {"pytorch-operator Min", 1},
                     {"pytorch-operator Pow", 1},
                     {"simple Expand", 4},
                 });
  // They broadcast inner dimensions of 1 under opset 6, which that version does not: other backends leave
  // them out too.
  CHECK(others == std::vector<std::string>{"test_operator_add_size1_broadcast",
                                           "test_operator_add_size1_singleton_broadcast"});
  // A NaN of the machine that made the case, which is negative; arithmetic here results in a positive one.
  CHECK(other_bits == std::vector<std::string>{"test_operator_pow"});
  CHECK(result.status == 2);
}

}  // namespace tensorop::cli_onnx_cases_test
