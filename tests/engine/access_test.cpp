// How operands are read at random: a table of the choice, and the choice for files on the disk.
#include "engine/access.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "engine/engine.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kGiB = 1 << 30;

AccessFacts rows_of(std::int64_t bytes, double resident, std::int64_t row_bytes = 512) {
  AccessFacts facts;
  facts.bytes = bytes;
  facts.resident = resident;
  facts.rows = 100'000;
  facts.row_bytes = row_bytes;
  facts.can_advise = true;
  facts.anywhere = true;
  facts.result_bytes = facts.rows * row_bytes;
  facts.memory = kGiB;
  return facts;
}

AccessFacts whole_of(RandomAccess::Kind kind, std::int64_t bytes, double resident,
                     std::int64_t result_bytes) {
  AccessFacts facts = rows_of(bytes, resident);
  facts.kind = kind;
  facts.result_bytes = result_bytes;
  facts.can_advise = false;
  return facts;
}

TEST_CASE("an access is chosen from what is known of the operands", "[engine]") {
  using enum RandomAccess::Kind;
  AccessFacts ascending = rows_of(4 * kGiB, 0);
  ascending.ascending = true;
  AccessFacts not_advised = rows_of(4 * kGiB, 0, kMiB);
  not_advised.can_advise = false;
  AccessFacts to_stream = whole_of(columns, 4 * kGiB, 0, 4 * kGiB);
  to_stream.anywhere = false;
  AccessFacts rows_to_stream = rows_of(4 * kGiB, 0.5);
  rows_to_stream.anywhere = false;
  AccessFacts grouped = rows_of(4 * kGiB, 0);
  grouped.in_groups = true;
  AccessFacts sorted = whole_of(targets, 0, 1, kGiB);
  sorted.sort_bytes = kGiB / 4;
  AccessFacts not_sorted = sorted;
  ++not_sorted.sort_bytes;
  AccessFacts small_not_sorted = whole_of(targets, 0, 1, 4);
  small_not_sorted.sort_bytes = not_sorted.sort_bytes;
  struct Case {
    std::string what;
    AccessFacts facts;
    Access access;
    AccessReason reason;
  };
  for (const auto& [what, facts, access, reason] : std::vector<Case>{
           {"a small file", rows_of(31 * kMiB, 0), Access::plain, AccessReason::small},
           {"a larger one", rows_of(32 * kMiB, 0), Access::windows, AccessReason::short_rows},
           {"in memory", rows_of(4 * kGiB, 1), Access::plain, AccessReason::resident},
           {"nearly", rows_of(4 * kGiB, 0.98), Access::windows, AccessReason::short_rows},
           {"ascending", ascending, Access::plain, AccessReason::ascending},
           {"from part after part", grouped, Access::plain, AccessReason::in_groups},
           {"to a stream", rows_to_stream, Access::windows, AccessReason::short_rows},
           {"long rows", rows_of(4 * kGiB, 0, 16 << 10), Access::advised, AccessReason::long_rows},
           {"that are not known ahead", not_advised, Access::windows, AccessReason::short_rows},
           {"an outer axis", whole_of(columns, kGiB, 0.5, kGiB), Access::windows, AccessReason::outer_axis},
           {"a small one", whole_of(columns, 15 * kMiB, 0, 15 * kMiB), Access::plain, AccessReason::small},
           {"in memory", whole_of(columns, kGiB, 1, kGiB), Access::plain, AccessReason::resident},
           {"a larger result", whole_of(columns, kGiB, 1, kGiB + 1), Access::windows,
            AccessReason::large_result},
           {"to a stream", to_stream, Access::plain, AccessReason::no_positions},
           {"targets", whole_of(targets, 0, 1, kGiB), Access::plain, AccessReason::resident},
           {"more than memory sorts", not_sorted, Access::windows, AccessReason::many_rows},
           {"of which all else is small", small_not_sorted, Access::windows, AccessReason::many_rows},
           {"as many as it does", sorted, Access::plain, AccessReason::resident},
           {"that are read from a disk", whole_of(targets, kGiB, 0.5, kGiB), Access::windows,
            AccessReason::short_rows},
           {"more of them", whole_of(targets, 0, 1, 2 * kGiB), Access::windows, AccessReason::large_result},
       }) {
    CAPTURE(what);
    const AccessChoice choice = choose_access(facts);
    CHECK(choice.access == access);
    CHECK(choice.reason == reason);
  }
}

TEST_CASE("how many pages random rows touch", "[engine]") {
  struct Case {
    std::int64_t rows;
    std::int64_t row_bytes;
    double share;
  };
  // Of 2^20 pages: each of n reads misses a page with the probability 1 - 1 / 2^20.
  for (const auto& [rows, row_bytes, share] : std::vector<Case>{{0, 512, 0},
                                                                {1 << 20, 4, 0.632},
                                                                {1 << 19, 4096, 0.632},
                                                                {1 << 17, 4, 0.1175},
                                                                {1 << 24, 512, 1}}) {
    AccessFacts facts = rows_of(4 * kGiB, 0, row_bytes);
    facts.rows = rows;
    CHECK(std::abs(pages_touched(facts) - share) < 0.001);
  }
}

// What a call of zeros explains: operands are shapes of uint8, the last of them more than are sorted
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
  for (std::size_t i = 0; i < operands.size(); ++i) request.positional.emplace_back(cat("@", i));
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
    CHECK(reports[0].choice.access == Access::plain);
    CHECK(reports[0].choice.reason == AccessReason::small);
  }
}

}  // namespace
}  // namespace tensorop
