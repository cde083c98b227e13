// One plan, computed by all ranks together: each computes a part of the result.
#pragma once

#include "engine/bind.hpp"
#include "engine/settings.hpp"
#include "kernels/element_target.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {

// What this rank has made of a result.
struct RankPart {
  Range elements;
  RankCost cost;
};

// Computes the whole result, to a target that takes elements anywhere and that has a map only where all ranks
// share it. Together; throws PlanFault for the lowest position, or Error. The parts of all ranks are the
// whole, unless the result is written by way of the map.
RankPart fill_by_ranks(const Ranks& ranks, const Bound& bound, const ElementTarget& target,
                       const Settings& settings);

}  // namespace tensorop
