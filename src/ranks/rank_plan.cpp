#include "ranks/rank_plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "engine/access.hpp"
#include "engine/execute.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/row_updates.hpp"
#include "kernels/schedules/choose.hpp"
#include "kernels/schedules/tiles.hpp"
#include "ranks/exchange.hpp"

namespace tensorop {
namespace {

// Sending a group of this size takes as long as reading it on the ranks, at most two, whose parts it touches.
constexpr std::int64_t kSmallRankGroup = 4 << 20;
// With this many groups for each rank, the two groups that other ranks read too do not matter.
constexpr std::int64_t kManyGroups = 4;

class RankPlan {
 public:
  RankPlan(const Ranks& ranks, const Bound& bound, const ElementTarget& target, const Settings& settings)
      : ranks_(ranks),
        bound_(bound),
        plan_(bound.planned.plan),
        target_(target),
        settings_(settings),
        elements_(count(bound.planned.output.shape)),
        width_(element_size(bound.planned.output.dtype)),
        mine_(part_of(elements_, ranks.rank(), ranks.size())),
        moves_(plan_.moves()) {}

  RankPart run() {
    // Must give the same on all ranks.
    memory_ = memory_of(settings_);
    const AccessReport report = find_access();
    if (settings_.explain) settings_.explain(report);
    is_whole_ = report.decision.is_whole();
    block_ = range_elements(moves_, report.decision, width_);
    const bool exchanges = report.decision.access == Access::exchange;
    // Warnings count elements of the whole result, so each rank prepares the whole result.
    const bool rounds = moves_ != nullptr && moves_->rounding == Rounding::each_step;
    const bool counts = rounds || plan_.facts().open_reason != OpenReason::none;
    const Range prepared = counts ? Range{0, elements_} : mine_;
    together(ranks_, [&] {
      require_no_duplicates(plan_, settings_);
      prepared_.emplace(plan_, prepared, report.decision, settings_.threads);
      moves_ = prepared_->moves();
    });
    if (elements_ == 0 || (!exchanges && (is_whole_ || !plan_.facts().fill_checks))) check();
    if (elements_ == 0) return {{}, {}, std::move(*prepared_)};
    try {
      const bool in_parts = is_whole_ && target_.map != nullptr;
      exchanges ? exchange(report) : in_parts ? fill_parts() : fill_ranges();
    } catch (const PlanFault&) {
      // An exchange meets faults in its own order: check() finds the lowest.
      if (exchanges) check();
      throw;
    }
    return {mine_, cost_, std::move(*prepared_)};
  }

 private:
  [[nodiscard]] int size() const { return ranks_.size(); }

  // Element-wise plans read their operands from front to end.
  AccessReport find_access() {
    AccessReport report;
    ScheduleFacts& facts = report.facts;
    if (moves_ != nullptr) facts = facts_of(*moves_);
    facts.ranks = size();
    facts.machines = ranks_.machines();
    facts.result_bytes = elements_ * width_;
    if (moves_ == nullptr) return report;
    const RowMap& map = moves_->map;
    const bool is_scatter = moves_->is_scatter();
    facts.kind = is_scatter ? RandomAccess::Kind::targets : RandomAccess::Kind::rows;
    if (const auto random = random_access(*moves_, facts)) facts.sort_bytes = random->sort_bytes;
    const std::byte* const read = is_scatter ? moves_->row_updates->stored() : moves_->data.data();
    const std::int64_t read_rows = is_scatter ? facts.rows : moves_->data_rows();
    facts.bytes = read == nullptr ? 0 : read_rows * facts.row_bytes;
    facts.memory = memory_ * ranks_.ranks_per_machine();
    // Each rank may send a row to each other rank: rows too large for that are not exchanged.
    const bool fits = facts.row_bytes <= kMostExchanged / size();
    facts.by_range = !choose_in_memory(moves_).is_whole() || !fits;
    if (const std::int64_t group = map.group_size(); group != 0) {
      facts.in_groups = group * facts.row_bytes <= kSmallRankGroup ||
                        ceil_div(moves_->data_rows(), group) >= kManyGroups * size();
    }
    find_resident(read, facts);
    if (settings_.access == Access::exchange || settings_.access == Access::plain)
      facts.asked = settings_.access;
    report.decision = choose(facts);
    return report;
  }

  // Takes the least value of all ranks.
  void find_resident(const std::byte* operand, ScheduleFacts& facts) {
    constexpr double kSteps = 1 << 20;
    const MappedFile* const file = facts.bytes == 0 ? nullptr : bound_.inputs.find(operand);
    const double share = file == nullptr ? 1 : file->resident_share(operand, facts.bytes).value_or(1);
    facts.resident = static_cast<double>(ranks_.least(static_cast<std::int64_t>(share * kSteps))) / kSteps;
    facts.replicated = ranks_.least(file == nullptr ? 1 : 0) == 1;
  }

  // Each rank checks its part of the elements that can fail.
  void check() {
    const Range part = part_of(plan_.facts().check_size, ranks_.rank(), size());
    together(ranks_, [&] { tensorop::check(plan_, part, settings_.threads); });
  }

  void exchange(const AccessReport& report) {
    BandSettings band_settings = band_settings_of(bound_.inputs, target_, settings_);
    band_settings.sharers = ranks_.ranks_per_machine();
    const Exchange exchange = {.ranks = ranks_,
                               .threads = settings_.threads,
                               .band_settings = band_settings,
                               .is_cold = report.facts.resident < 1,
                               .counts_pages = settings_.explain_ranks != nullptr,
                               .cost = cost_};
    moves_->is_scatter() ? scatter_by_exchange(*moves_, exchange) : gather_by_exchange(*moves_, exchange);
    const RowMap& map = moves_->map;
    const Range rows = part_of(map.rows(), ranks_.rank(), size());
    const Range data_rows = part_of(moves_->data_rows(), ranks_.rank(), size());
    const Range made = moves_->is_scatter() ? data_rows : rows;
    mine_ = {made.first * moves_->row_elements, made.count * moves_->row_elements};
    cost_.written += made.count * moves_->row_bytes();
    cost_.read += map.tuples_of(rows).count * map.decoder().components() *
                  element_size(map.decoder().indices().dtype());
  }

  // Fills the part of this rank, in blocks that stay in cache or, if the plan prefers the whole result, as
  // large as memory allows.
  void fill_ranges() {
    const Threads& threads = settings_.threads;
    const std::int64_t share = std::min(memory_ / 2, mine_.count * width_) / threads.count();
    const std::int64_t block = is_whole_ ? std::max(share, kRangeBytes) / width_ : block_;
    threads.expect(mine_.count * width_);
    together(ranks_, [&] { tensorop::fill_ranges(*prepared_, mine_, width_, block, target_, threads); });
    count_by_range();
  }

  // Fills parts of the whole result, which all ranks share: the parts of a thread need not be one range.
  void fill_parts() {
    const Threads& threads = settings_.threads;
    std::byte* whole = nullptr;
    threads.expect(mine_.count * width_);
    together(ranks_, [&] {
      whole = target_.map();
      write_base_of_tiles(*moves_, mine_, target_, threads);
    });
    // Ranks may have different numbers of threads, but must divide the result alike.
    const std::int64_t own_parts = ranks_.most(threads.count());
    together(ranks_, [&] {
      threads.for_each(own_parts, [&](std::int64_t part, int) {
        fill_tiles(*moves_, whole, ranks_.rank() * own_parts + part, size() * own_parts);
        threads.advance(mine_.count * width_ / own_parts);
      });
    });
    count_by_range();
  }

  // An upper bound: an operand that is divided like the result counts with this rank's part, any other
  // operand completely.
  void count_by_range() {
    cost_.written += mine_.count * width_;
    const bool in_groups = moves_ != nullptr && moves_->map.group_size() != 0;
    const std::size_t ordered = moves_ != nullptr && moves_->is_scatter() ? 0 : 1;  // divided like the result
    for (std::size_t i = 0; i < bound_.call.operands.size(); ++i) {
      const Tensor& operand = bound_.call.operands[i];
      const bool is_divided = moves_ != nullptr ? in_groups || i == ordered : operand.size() == elements_;
      cost_.read += is_divided ? part_of(operand.bytes(), ranks_.rank(), size()).count : operand.bytes();
    }
  }

  const Ranks& ranks_;
  const Bound& bound_;
  const Plan& plan_;
  const ElementTarget& target_;
  const Settings& settings_;
  std::int64_t elements_;
  std::int64_t width_;
  Range mine_;  // elements of the result
  const RowMoves* moves_;
  std::optional<PreparedPlan> prepared_;
  bool is_whole_ = false;
  std::int64_t block_ = 1;  // elements
  std::int64_t memory_ = 0;
  RankCost cost_;
};

}  // namespace

RankPart fill_by_ranks(const Ranks& ranks, const Bound& bound, const ElementTarget& target,
                       const Settings& settings) {
  return RankPlan(ranks, bound, target, settings).run();
}

}  // namespace tensorop
