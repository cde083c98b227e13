#include "engine/open_warning.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "kernels/open_elements.hpp"

namespace tensorop {
namespace {

// The warning looks at so many elements of a result at most: looking at all of a large one would take half as
// long as computing it.
constexpr std::int64_t kMostCounted = std::int64_t{1} << 22;

}  // namespace

void warn_of_open(const Bound& bound, const Settings& settings) {
  const auto& [output, plan] = bound.planned;
  if (!settings.warn || !settings.warns_of_open || plan->facts().open_reason == OpenReason::none) return;
  const std::int64_t elements = count(output.shape);
  const OpenCount open = count_open(*plan, std::min(elements, kMostCounted), settings.threads);
  if (open.count == 0) return;
  const std::string first =
      output.shape.empty() ? "" : cat(", the first at ", element_name("", open.first, output.shape));
  settings.warn(cat(bound.call.name->name, ": ", bound.call.version_name(), " leaves ",
                    elements > kMostCounted ? "at least " : "", open.count, " of ", elements,
                    elements == 1 ? " element" : " elements", " open", first, ": ",
                    reason_text(plan->facts().open_reason)));
}

}  // namespace tensorop
