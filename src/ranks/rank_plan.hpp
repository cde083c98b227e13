// One plan, computed by all ranks together: each computes a part of the result.
#pragma once

#include <functional>

#include "engine/bind.hpp"
#include "engine/settings.hpp"
#include "kernels/range.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {

// Where the elements of the result go.
struct RankResult {
  // Any thread, any rank, any order.
  std::function<void(Range elements, const std::byte* from)> write;
  // The whole result as memory that the ranks of one machine share; null: there is none.
  std::function<std::byte*()> map = nullptr;
};

// What this rank has made of a result.
struct RankPart {
  Range elements;
  RankCost cost;
};

// Computes the whole result. Together; throws PlanFault for the lowest position, or Error. The parts of all
// ranks are the whole, unless the result is written by way of RankResult::map.
RankPart fill_by_ranks(const Ranks& ranks, const Bound& bound, const RankResult& result,
                       const Settings& settings);

}  // namespace tensorop
