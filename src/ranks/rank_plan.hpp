// Computes one plan on all ranks together: each rank computes a part of the result.
#pragma once

#include "engine/bind.hpp"
#include "engine/settings.hpp"
#include "kernels/element_target.hpp"
#include "kernels/schedules/prepared_plan.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {

// The part of a result that this rank has made.
struct RankPart {
  Range elements;
  RankCost cost;
  PreparedPlan plan;  // for the elements that warnings count
};

// Computes the whole result into a target that accepts elements at any place, and that has a map only if all
// ranks share it. Called by all ranks together; throws PlanFault for the lowest position, or Error. The
// returned parts of all ranks form the whole, unless the result is written through the map.
RankPart fill_by_ranks(const Ranks& ranks, const Bound& bound, const ElementTarget& target,
                       const Settings& settings);

}  // namespace tensorop
