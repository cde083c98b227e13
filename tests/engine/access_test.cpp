// How operands are read at random: what is chosen for files on the disk.
#include "engine/access.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::engine_access_test {
namespace {

// The --explain-plan of a call of zeros: operands are shapes of uint8, the last of them more than are sorted
// beforehand.
std::vector<AccessReport> reports_of(const std::string& op, const std::vector<Shape>& operands,
                                     const std::string& destination) {
  std::vector<AccessReport> reports;
  Settings settings;
  settings.lookup = [&](const std::string& text) -> std::optional<Tensor> {
    if (!text.starts_with('@')) return std::nullopt;
    const Shape& shape = operands.at(std::stoul(text.substr(1)));
    return Tensor(DType::uint8, shape, std::make_shared<Storage>(count(shape)));
  };
  settings.explain = [&](const AccessReport& report) { reports.push_back(report); };
  Request request;
  request.op = require_operator(op);
  for (std::size_t i = 0; i < operands.size(); ++i)
    request.positional.push_back(Operand::of_result(cat("@", i)));
  run_request(request, {destination}, settings);
  return reports;
}

constexpr std::int64_t kMoves = (std::int64_t{2} << 20) + 1;

TEST_CASE("a call explains itself once, also where a stream needs the whole result first", "[engine]") {
  const TempDir dir;
  CHECK(reports_of("scatterupdate", {{1}, {kMoves}, {kMoves}}, dir.file("out.json")).size() == 1);
  CHECK(get(dir.file("out.json")) == "{\"dtype\":\"uint8\",\"shape\":[1],\"data\":[0]}\n");
}

TEST_CASE("small tensors are read plainly, although their result is written at random", "[engine]") {
  const TempDir dir;
  struct Case {
    std::string op;
    std::vector<Shape> operands;
    RandomAccess::Kind kind;
  };
  for (const auto& [op, operands, kind] :
       std::vector<Case>{{"gatherelements", {{1024, 1024}, {1024, 1024}}, RandomAccess::Kind::columns},
                         {"scatterupdate", {{kMoves}, {kMoves}, {kMoves}}, RandomAccess::Kind::targets}}) {
    CAPTURE(op);
    const std::vector<AccessReport> reports = reports_of(op, operands, dir.file("out.npy"));
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].facts.kind == kind);
    CHECK(reports[0].decision.access == Access::plain);
    CHECK(reports[0].decision.reason == AccessReason::small);
  }
}

}  // namespace
}  // namespace tensorop::engine_access_test
