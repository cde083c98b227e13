#include "engine/access.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/checked.hpp"
#include "engine/settings.hpp"
#include "kernels/index/row_map.hpp"

namespace tensorop {
namespace {

// Whether the rows of a gather are read in nearly ascending or descending order, judged by sampled blocks of
// rows: the system then reads what lies around a row by itself.
bool is_sequential(const RowMoves& gather) {
  constexpr std::int64_t kBlocks = 16;
  constexpr std::int64_t kRows = 64;
  constexpr std::int64_t kNear = 128 << 10;  // bytes that any system reads ahead
  const std::int64_t rows = gather.map.rows();
  if (rows < 2 * kRows) return false;
  std::int64_t steps = 0;
  std::int64_t near = 0;
  std::int64_t offsets[kRows];
  for (std::int64_t block = 0; block < kBlocks; ++block) {
    const std::int64_t first = part_bound(rows - kRows, block, kBlocks - 1);
    try {
      gather.map.locate(first, kRows, offsets);
    } catch (const PlanFault&) {
      return false;  // filling finds the lowest bad index
    }
    for (std::int64_t i = 1; i < kRows; ++i) {
      const std::int64_t step = offsets[i] - offsets[i - 1];
      ++steps;
      near += std::abs(step) <= kNear / gather.row_bytes() ? 1 : 0;
    }
  }
  return near >= steps - steps / 16;
}

// Whether a range of a gather's result that a thread fills reads a small part of data, and nearly all of that
// part: the system then reads ahead, and no page is read again.
bool reads_in_groups(const ScheduleFacts& facts, const Settings& settings) {
  constexpr double kMostPages = 0.5;
  if (facts.group_size == 0 || pages_touched(facts) < kMostPages) return false;
  return facts.group_size * facts.row_bytes <= memory_of(settings) / (2 * settings.threads.count());
}

}  // namespace

AccessReport find_access(const Plan& plan, const Inputs& inputs, std::int64_t result_bytes,
                         const Settings& settings) {
  AccessReport report;
  const RowMoves* const moves = plan.moves();
  if (moves == nullptr) return report;
  ScheduleFacts& facts = report.facts;
  facts = facts_of(*moves);
  const auto random = random_access(*moves, facts);
  if (!random) {
    report.decision = choose(facts);
    report.decision.reason = AccessReason::in_order;
    return report;
  }
  facts.kind = random->kind;
  facts.can_advise = !facts.is_scatter && facts.kind == RandomAccess::Kind::rows;
  facts.result_bytes = result_bytes;
  facts.asked = settings.access;
  double resident = 0;
  for (const auto& operand : random->operands) facts.bytes += to_int64(operand.size());
  facts.sort_bytes = random->sort_bytes;
  // Finding the amount of free memory takes a part of a millisecond, so it is done only if it matters.
  if (!facts.is_small() && facts.kind != RandomAccess::Kind::rows) facts.memory = memory_of(settings);
  if (facts.bytes >= kSmallAccess) {
    for (const auto& operand : random->operands) {
      const MappedFile* file = inputs.find(operand.data());
      const double share =
          file == nullptr ? 1 : file->resident_share(operand.data(), to_int64(operand.size())).value_or(1);
      resident += share * static_cast<double>(operand.size());
    }
    facts.resident = resident / static_cast<double>(facts.bytes);
    if (facts.resident < 1 && facts.can_advise) {
      facts.sequential = is_sequential(*moves);
      facts.in_groups = reads_in_groups(facts, settings);
    }
  }
  report.decision = choose(facts);
  if (report.decision.access == Access::bands) {
    facts.memory = memory_of(settings);
    report.bands = plan_bands(*moves, facts.memory);
  }
  return report;
}

}  // namespace tensorop
