// The warnings of execute.hpp, about the elements of a result.
#include <algorithm>
#include <concepts>

#include "base/checked.hpp"
#include "base/text/text.hpp"
#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "kernels/schedules/open_elements.hpp"
#include "ops/index_policy.hpp"

namespace tensorop {
namespace {

// The warning checks at most this many elements of a result: checking all elements of a large result would
// take half as long as computing it.
constexpr std::int64_t kMostCounted = std::int64_t{1} << 22;

// -1 counts from the end. In a call that says what becomes of indices out of range it was probably meant to
// be one: `lookup` writes -1 for an id that it does not find.
void warn_of_last(const Call& call, const Settings& settings) {
  const IndexPolicy policy = index_policy(call);
  if (call.strict() || !policy.skips() || policy.negative != Negative::count) return;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const Tensor& indices = call.operands[i];
    if (call.operand_spec(i).role != OperandRole::indices || indices.data() == nullptr) continue;
    dispatch(indices.dtype(), [&]<class T>(TypeTag<T>) {
      if constexpr (std::signed_integral<T>) {
        const auto values = indices.as<T>();
        const std::int64_t size = std::min(indices.size(), kMostCounted);
        std::int64_t count = 0;
        for (std::int64_t at = 0; at < size; ++at) {
          if (values[at] < -1) return;
          count += values[at] == -1 ? 1 : 0;
        }
        if (count == 0) return;
        settings.warn(cat(call.name->name, ": ", count, " of ", size,
                          " indices are -1, which counts from the end: --oob does not act on it, but on the "
                          "positions of lookup --missing none"));
      }
    });
  }
}

}  // namespace

void warn_of_elements(const Bound& bound, const PreparedPlan& plan, const Settings& settings) {
  const OutputInfo& output = bound.planned.output;
  if (!settings.warn || !settings.warns_of_elements) return;
  warn_of_last(bound.call, settings);
  const std::int64_t elements = count(output.shape);
  const auto some = [&](const OpenCount& found, std::string_view state) {
    return cat(
        elements > kMostCounted ? "at least " : "", found.count, " of ", elements,
        elements == 1 ? " element" : " elements", state,
        output.shape.empty() ? "" : cat(", the first at ", element_name("", found.first, output.shape)));
  };
  const std::string context = cat(bound.call.name->name, ": ");
  const std::int64_t counted = std::min(elements, kMostCounted);
  if (const OpenCount open = count_marked(open_marker(plan), counted, settings.threads); open.count != 0)
    settings.warn(cat(context, bound.call.version_name("leaves"), " ", some(open, " open"), ": ",
                      reason_text(plan.plan().facts().open_reason)));
  if (const OpenCount found = count_marked(rounded_marker(plan), counted, settings.threads); found.count != 0)
    settings.warn(cat(context, bound.call.version_name("rounds"), " to ", name(output.dtype),
                      " after every update, which changes ", some(found, ""),
                      "; the default semantics round once"));
}

void warn_of_unnamed(const std::string& path, const Format& format, DType dtype, const Settings& settings) {
  // Readers of raw files must name every dtype anyway.
  if (!settings.warn || !format.unnamed.contains(dtype) || format.unnamed == kAllTypes) return;
  settings.warn(cat(path == "-" ? "standard output" : printable(path), ": ", format.title,
                    " has no code for ", name(dtype), ": ", info(dtype).npy,
                    " is written, and --dtype must name the dtype where the file is read; a ",
                    join_words(endings_naming(dtype), "or"), " file keeps it"));
}

void warn_of_unnamed(const Destination& destination, DType dtype, const Settings& settings) {
  if (settings.warn && kSmallTypes.contains(dtype))
    warn_of_unnamed(destination.path, format_of(destination), dtype, settings);
}

}  // namespace tensorop
