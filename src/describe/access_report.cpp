#include "describe/access_report.hpp"

#include <cmath>
#include <string_view>

#include "base/text/byte_size.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

std::string_view access_name(Access access) {
  constexpr std::string_view kNames[] = {"plain", "advised", "bands", "exchange"};
  return kNames[static_cast<std::size_t>(access)];
}

// The order in which the access moves rows, unless it is range by range in their own order.
std::string_view order_text(const Decision& decision) {
  return decision.sorts() ? ", sorted" : decision.is_whole() ? ", tiled" : "";
}

// Returns the share in percent; "0%" and "100%" only if they are exact.
std::string percent_text(double share) {
  const auto percent = std::lround(share * 100);
  if (percent == 0 && share > 0) return "under 1%";
  if (percent == 100 && share < 1) return "over 99%";
  return cat(percent, "%");
}

// Returns how many bytes are read at random, and how much of them is in memory.
std::string operands_text(const AccessReport& report) {
  const ScheduleFacts& facts = report.facts;
  const bool by_columns = facts.kind == RandomAccess::Kind::columns || report.decision.is_whole();
  return cat(byte_size_text(facts.bytes),
             by_columns ? " are accessed along an outer axis, " : " are read at random, ",
             percent_text(facts.resident), " of them in memory");
}

std::string rows_text(const ScheduleFacts& facts) {
  return cat(counted(facts.rows, "row"), " of ", byte_size_text(facts.row_bytes), " touch ",
             percent_text(pages_touched(facts)), " of their pages");
}

std::string result_text(const ScheduleFacts& facts) {
  return cat("the result of ", byte_size_text(facts.result_bytes), " is written at random; ",
             byte_size_text(facts.memory), " of memory may be used");
}

std::string reason_text(const AccessReport& report) {
  const ScheduleFacts& facts = report.facts;
  const bool only_writes = facts.bytes == 0;
  switch (report.decision.reason) {
    case AccessReason::in_order:
      return "nothing is read or written at random";
    case AccessReason::small:
      return only_writes ? cat("the result, which is written at random, is small: ",
                               byte_size_text(facts.result_bytes))
                         : cat("what is read at random is small: ", byte_size_text(facts.bytes));
    case AccessReason::resident:
      return only_writes ? result_text(facts) : operands_text(report);
    case AccessReason::sequential:
      return cat(operands_text(report), "; the indices ascend or descend");
    case AccessReason::long_rows:
      return cat(operands_text(report), "; ", rows_text(facts),
                 ", and are long enough to be read one by one");
    case AccessReason::short_rows:
      return cat(operands_text(report), "; ", rows_text(facts), ", and are read faster in ascending order");
    case AccessReason::outer_axis:
      return operands_text(report);
    case AccessReason::large_result:
      return result_text(facts);
    case AccessReason::many_rows:
      return cat("sorting ", counted(facts.rows, "row"), " takes ", byte_size_text(facts.sort_bytes), "; ",
                 byte_size_text(facts.memory), " of memory may be used");
    case AccessReason::in_groups:
      return cat(operands_text(report), "; each ", facts.ranks > 1 ? "rank" : "range of the result",
                 " reads hardly more than its part of them");
    case AccessReason::on_ranks:
      return cat(counted(facts.rows, "row"), " of ", byte_size_text(facts.row_bytes), " are read by the ",
                 counted(facts.ranks, "rank"), " that own them, and sent");
    case AccessReason::asked_for:
      return "asked for";
  }
  __builtin_unreachable();
}

}  // namespace

std::vector<std::string> access_lines(const AccessReport& report) {
  const Access access = report.decision.access;
  std::vector<std::string> lines = {
      cat(access_name(access), order_text(report.decision), ": ", reason_text(report))};
  const std::string writes = cat("writes ", byte_size_text(report.facts.result_bytes));
  if (access == Access::bands) {
    const BandPlan& bands = report.bands;
    lines.push_back(cat(counted(bands.count, "band"), " of ", byte_size_text(bands.band_bytes), "; reads ",
                        byte_size_text(bands.read_bytes), ", ", writes));
    if (bands.scratch_bytes != 0)
      lines.back() += cat(", needs ", byte_size_text(bands.scratch_bytes), " of temporary space");
  }
  return lines;
}

std::vector<std::string> rank_lines(std::span<const RankCost> costs) {
  std::vector<std::string> lines;
  for (std::size_t rank = 0; rank < costs.size(); ++rank) {
    const RankCost& cost = costs[rank];
    lines.push_back(cat("rank ", rank, ": reads ", byte_size_text(cost.read), ", sends ",
                        byte_size_text(cost.sent), ", writes ", byte_size_text(cost.written)));
  }
  return lines;
}

}  // namespace tensorop
