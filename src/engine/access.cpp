#include "engine/access.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "engine/settings.hpp"
#include "kernels/cache.hpp"

namespace tensorop {
namespace {

// Reading so much is a matter of some ten milliseconds, in whichever order.
constexpr std::int64_t kSmallAccess = 32 << 20;
// The share of memory that sorting rows may take.
constexpr std::int64_t kSortShare = 4;

}  // namespace

double pages_touched(const AccessFacts& facts) {
  constexpr auto kPageBytes = static_cast<double>(kPage);
  const double pages = std::max(1.0, static_cast<double>(facts.bytes) / kPageBytes);
  const double reads =
      static_cast<double>(facts.rows) * (1 + static_cast<double>(facts.row_bytes) / kPageBytes);
  return 1 - std::exp(-reads / pages);
}

AccessChoice choose_access(const AccessFacts& facts) {
  using Kind = RandomAccess::Kind;
  if (facts.bytes + facts.sort_bytes + (facts.kind == Kind::rows ? 0 : facts.result_bytes) < kSmallAccess)
    return {Access::plain, AccessReason::small};
  // A result that is written at random stays in the page cache until it is complete.
  const bool large_result = facts.kind != Kind::rows && facts.result_bytes > facts.memory;
  const bool many_rows = facts.sort_bytes > facts.memory / kSortShare;
  // The ranks of one machine share its page cache.
  if (!large_result && !many_rows && facts.resident == 1 && (facts.machines == 1 || facts.replicated))
    return {Access::plain, AccessReason::resident};
  if (facts.in_groups) return {Access::plain, AccessReason::in_groups};
  if (facts.ranks > 1) {
    if (facts.by_range && facts.row_bytes >= kLongRow) return {Access::plain, AccessReason::long_rows};
    return {Access::exchange, AccessReason::on_ranks};
  }
  if (facts.kind == Kind::columns) {
    if (!facts.anywhere) return {Access::plain, AccessReason::no_positions};
    return {Access::windows, large_result ? AccessReason::large_result : AccessReason::outer_axis};
  }
  if (large_result) return {Access::windows, AccessReason::large_result};
  if (many_rows) return {Access::windows, AccessReason::many_rows};
  if (facts.ascending) return {Access::plain, AccessReason::ascending};
  if (facts.row_bytes >= kLongRow && facts.can_advise) return {Access::advised, AccessReason::long_rows};
  return {Access::windows, AccessReason::short_rows};
}

namespace {

// Whether rows are read in about the order in which they lie, in blocks of rows that are sampled here and
// there: the system then reads ahead by itself.
bool rows_ascend(const RandomAccess& random) {
  constexpr std::int64_t kBlocks = 16;
  constexpr std::int64_t kRows = 64;
  constexpr std::int64_t kNear = 128 << 10;  // bytes that any system reads ahead
  if (!random.locate || random.rows < 2 * kRows) return false;
  std::int64_t steps = 0;
  std::int64_t near = 0;
  std::int64_t offsets[kRows];
  for (std::int64_t block = 0; block < kBlocks; ++block) {
    const std::int64_t first = part_bound(random.rows - kRows, block, kBlocks - 1);
    try {
      random.locate(first, kRows, offsets);
    } catch (const PlanFault&) {
      return false;  // filling finds the lowest one
    }
    for (std::int64_t i = 1; i < kRows; ++i) {
      const std::int64_t step = offsets[i] - offsets[i - 1];
      ++steps;
      near += step >= 0 && step <= kNear / random.row_bytes ? 1 : 0;
    }
  }
  return near >= steps - steps / 16;
}

// Whether ranges of the result that threads fill at a time read a small part of the operand each, and nearly
// all of it: the system reads ahead, and no page is read again.
bool reads_in_groups(const RandomAccess& random, const AccessFacts& facts, const Settings& settings) {
  constexpr double kMostPages = 0.5;
  if (random.part_bytes == 0 || pages_touched(facts) < kMostPages) return false;
  return random.part_bytes <= memory_of(settings) / (2 * settings.threads.count());
}

}  // namespace

AccessReport find_access(const Plan& plan, const Inputs& inputs, std::int64_t result_bytes, bool anywhere,
                         const Settings& settings) {
  AccessReport report;
  const auto random = plan.random_access();
  if (!random) return report;
  AccessFacts& facts = report.facts;
  facts.kind = random->kind;
  facts.rows = random->rows;
  facts.row_bytes = random->row_bytes;
  facts.can_advise = random->locate != nullptr;
  facts.anywhere = anywhere;
  facts.result_bytes = result_bytes;
  double resident = 0;
  for (const auto& operand : random->operands) facts.bytes += to_int64(operand.size());
  facts.sort_bytes = random->sort_bytes;
  const bool is_small = facts.bytes + facts.sort_bytes + result_bytes < kSmallAccess;
  // Finding out how much memory there is takes a part of a millisecond: only where it decides something.
  if (!is_small && facts.kind != RandomAccess::Kind::rows) facts.memory = memory_of(settings);
  if (facts.bytes >= kSmallAccess) {
    for (const auto& operand : random->operands) {
      const MappedFile* file = inputs.find(operand.data());
      const double share =
          file == nullptr ? 1 : file->resident_share(operand.data(), to_int64(operand.size())).value_or(1);
      resident += share * static_cast<double>(operand.size());
    }
    facts.resident = resident / static_cast<double>(facts.bytes);
    if (facts.resident < 1) {
      facts.ascending = rows_ascend(*random);
      facts.in_groups = reads_in_groups(*random, facts, settings);
    }
  }
  report.choice = choose_access(facts);
  if (settings.access) {
    const bool possible = facts.kind != RandomAccess::Kind::columns || anywhere;
    if (*settings.access != Access::windows || possible)
      report.choice = {*settings.access, AccessReason::asked_for};
  }
  if (report.choice.access == Access::windows) {
    facts.memory = memory_of(settings);
    report.windows = plan.plan_windows(facts.memory, anywhere);
  }
  return report;
}

}  // namespace tensorop
