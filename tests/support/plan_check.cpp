#include "support/plan_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/execute.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/schedules/open_elements.hpp"
#include "kernels/schedules/tiles.hpp"
#include "ops/fault_text.hpp"
#include "tensor/element.hpp"

namespace tensorop {
namespace {

// [0, size) in up to `most` ranges, in random order. Some may be empty.
std::vector<Range> random_ranges(Random& random, std::int64_t size, std::int64_t most) {
  std::vector<std::int64_t> cuts = {0, size};
  for (std::int64_t i = random.between(0, most - 1); i > 0; --i) cuts.push_back(random.between(0, size));
  std::ranges::sort(cuts);
  std::vector<Range> ranges;
  for (std::size_t i = 1; i < cuts.size(); ++i) ranges.push_back({cuts[i - 1], cuts[i] - cuts[i - 1]});
  for (std::size_t i = ranges.size(); i > 1; --i) {
    std::swap(ranges[i - 1],
              ranges[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  return ranges;
}

// The lowest fault of any number of steps.
class LowestFault {
 public:
  void run(const std::function<void()>& step) {
    try {
      step();
    } catch (const PlanFault& fault) {
      if (!fault_ || fault.position < fault_->position) fault_ = fault;
    }
  }
  [[nodiscard]] const std::optional<PlanFault>& get() const { return fault_; }

 private:
  std::optional<PlanFault> fault_;
};

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Bit for bit, but for NaN: which of two NaN goes on is not prescribed, and depends on the loop.
template <class T>
bool same_element(T a, T b) {
  if constexpr (std::is_same_v<T, StringRef>) {
    return a.view() == b.view();
  } else if constexpr (Half<T>) {
    return same_bits(a, b) || (std::isnan(to_float(a)) && std::isnan(to_float(b)));
  } else if constexpr (Floating<T>) {
    return same_bits(a, b) || (std::isnan(a) && std::isnan(b));
  } else if constexpr (Complex<T>) {
    return same_element(a.real(), b.real()) && same_element(a.imag(), b.imag());
  } else {
    return same_bits(a, b);
  }
}

bool same_elements(const Tensor& a, const std::byte* b) {
  return dispatch(a.dtype(), [&]<class T>(TypeTag<T>) {
    const StoredElements<T> elements = a.as<T>();
    for (std::int64_t i = 0; i < a.size(); ++i) {
      if (!same_element(elements[i], StoredElements<T>(b)[i])) return false;
    }
    return true;
  });
}

// One for operands in memory, or another one by which ranges are filled.
Decision any_decision(Random& random, const Plan& plan) {
  Decision decision = choose_in_memory(plan.moves());
  if (random.chance(30)) decision.order = random.chance(50) ? Order::direct : Order::sorted;
  if (random.chance(20)) decision.access = Access::advised;
  if (random.chance(20)) decision.keep_offsets = false;
  return decision;
}

class PlanCheck {
 public:
  PlanCheck(Random& random, const Bound& first, const Bound& second, const std::optional<Tensor>& result)
      : random_(random),
        bounds_{&first, &second},
        result_(result),
        elements_(count(first.planned.output.shape)),
        width_(element_size(first.planned.output.dtype)),
        out_(elements_ * width_) {}

  // Every step adds to what is wrong, or to the lowest fault.
  void run() {
    // One of them for some elements alone: others take longer, and are the same.
    const std::int64_t first = random_.between(0, elements_);
    const Range some = {first, random_.between(0, elements_ - first)};
    for (const Bound* bound : bounds_) {
      const Range range = bound == bounds_[0] ? Range{0, elements_} : some;
      const Plan& plan = bound->planned.plan;
      faults_.run([&] {
        Settings settings;
        settings.threads = Threads(static_cast<int>(random_.between(1, 3)));
        require_no_duplicates(plan, settings);
        prepared_.emplace_back(plan, range, any_decision(random_, plan), settings.threads);
      });
    }
    if (faults_.get()) return;
    fill_ranges();
    check_ranges();
    if (faults_.get()) return;
    if (result_ && !same_elements(*result_, out_.data())) wrong_ += "in ranges it has other elements; ";
    const RowMoves* const moves = any_plan().moves();
    if (moves != nullptr && moves->is_scatter() && columns_of(*moves) > 0 && result_) fill_parts();
  }

  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] const std::optional<PlanFault>& fault() const { return faults_.get(); }

 private:
  [[nodiscard]] const PreparedPlan& any_plan() { return prepared_[random_.chance(50) ? 0 : 1]; }

  void fill_ranges() {
    for (const Range range : random_ranges(random_, elements_, 12)) {
      Storage buffer(range.count * width_);  // a range need not begin where memory is aligned
      faults_.run([&] { any_plan().fill(range, buffer.data()); });
      if (range.count != 0)
        std::memcpy(out_.data() + range.first * width_, buffer.data(),
                    static_cast<std::size_t>(range.count * width_));
    }
  }

  void check_ranges() {
    LowestFault found;
    for (const Range range : random_ranges(random_, any_plan().plan().facts().check_size, 9)) {
      if (range.count != 0) found.run([&] { any_plan().plan().check(range); });
    }
    const bool in_fill = faults_.get().has_value();
    if (in_fill && (!found.get() || found.get()->position != faults_.get()->position)) {
      wrong_ += "check() does not find the lowest fault of fill(); ";
    }
    if (!in_fill && found.get() && any_plan().plan().facts().fill_checks)
      wrong_ += "fill() misses a fault of check(); ";
    if (found.get()) faults_.run([&] { throw *found.get(); });
  }

  void fill_parts() {
    Storage whole(elements_ * width_);
    const RowMoves& moves = *any_plan().moves();
    write_base_of_tiles(moves, {0, elements_}, memory_target(whole.data(), width_), Threads(2));
    const std::int64_t parts = random_.between(1, 5);
    for (std::int64_t part = parts; part-- > 0;) fill_tiles(moves, whole.data(), part, parts);
    if (!same_elements(*result_, whole.data())) wrong_ += "in parts it has other elements; ";
  }

  Random& random_;
  std::array<const Bound*, 2> bounds_;
  const std::optional<Tensor>& result_;
  std::int64_t elements_;
  std::int64_t width_;
  Storage out_;
  std::vector<PreparedPlan> prepared_;
  LowestFault faults_;
  std::string wrong_;
};

}  // namespace

std::string plan_faults(Random& random, const Request& request, const Settings& settings,
                        const std::optional<Tensor>& result, const std::string& message) {
  try {
    const Bound first = bind(request, settings);
    const Bound second = bind(request, settings);
    PlanCheck check(random, first, second, result);
    check.run();
    if (!check.wrong().empty()) return "the plan: " + check.wrong();
    if (check.fault().has_value() == result.has_value())
      return "the plan has a fault and the call has none, or the other way round";
    if (!check.fault()) return "";
    const Error error = fault_error(*check.fault(), first.call, first.planned);
    const std::string said = cat(first.call.name->name, ": ", std::string_view(error.what()));
    return said == message ? "" : cat("the plan says: ", said);
  } catch (const Failure& error) {
    return error.what() == message ? "" : cat("binding again says: ", std::string_view(error.what()));
  }
}

std::vector<bool> plan_open(Random& random, const Request& request, const Settings& settings) {
  const Bound first = bind(request, settings);
  const Bound second = bind(request, settings);
  const Threads threads(static_cast<int>(random.between(1, 3)));
  const std::int64_t elements = count(first.planned.output.shape);
  std::vector<PreparedPlan> prepared;
  for (const Bound* bound : {&first, &second}) {
    const Plan& plan = bound->planned.plan;
    prepared.emplace_back(plan, Range{0, elements}, any_decision(random, plan), threads);
  }
  std::vector<bool> open(static_cast<std::size_t>(elements));
  OpenCount counted;
  for (const Range range : random_ranges(random, elements, 5)) {
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(range.count / 64 + 1));
    prepared[random.chance(50) ? 0 : 1].mark_open(range, bits.data());
    for (std::int64_t i = 0; i < range.count; ++i) {
      if ((bits[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) == 0) continue;
      open[static_cast<std::size_t>(range.first + i)] = true;
      ++counted.count;
      if (counted.first < 0 || range.first + i < counted.first) counted.first = range.first + i;
    }
  }
  const OpenCount found = count_marked(open_marker(prepared[0]), elements, threads);
  if (found.count != counted.count || found.first != counted.first)
    throw std::logic_error("count_marked() does not count what mark_open() marks");
  Storage masked(elements);
  const std::int64_t memory = random.between(0, 2 * elements);
  write_marked(open_marker(prepared[1]), elements, memory, memory_target(masked.data(), 1), threads);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (static_cast<int>(masked.data()[i]) != (open[i] ? 1 : 0))
      throw std::logic_error("write_marked() does not tell what mark_open() marks");
  }
  return open;
}

}  // namespace tensorop
