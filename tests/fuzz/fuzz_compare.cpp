// Two tensors and tolerances, drawn from the input's bytes. However the elements are shared out the findings
// are the same; a tensor is equal to itself; and what is said to be needed is enough.
#include <algorithm>
#include <vector>

#include "base/text/text.hpp"
#include "fuzz/fuzz.hpp"
#include "report/comparison_text.hpp"
#include "report/finding_json.hpp"
#include "support/random_case.hpp"
#include "support/reference_array.hpp"

namespace tensorop::fuzz {
namespace {

const std::vector<std::string> kNumbers = {
    "0",    "1",     "1e-3",   "0.5",  "2.5e-7", "1e-320", "1e308",
    "4",    "65535", "1e400",  "-1",   "inf",    "nan",    "18446744073709551615",
    "0.1%", "100%",  "100.1%", "auto", "true",   ""};

std::vector<ToleranceText> random_texts(Random& random) {
  std::vector<ToleranceText> texts;
  for (const ToleranceKey& key : tolerance_keys()) {
    const std::string name(key.name);
    if (random.chance(60)) continue;
    const bool word = name == "tolerance" || name == "nan_unequal" || name == "exact_bits";
    const bool usual = word && random.chance(90);
    texts.push_back({name, usual ? name == "tolerance" ? "auto" : "true" : random.pick(kNumbers)});
  }
  return texts;
}

// The tensor with some of its elements drawn anew, or moved by a step.
Tensor changed(Random& random, const Tensor& tensor) {
  reference::Array array(tensor);
  const reference::Array other(random_tensor(random, tensor.dtype(), tensor.shape()));
  for (std::size_t i = 0; i < array.elements.size(); ++i) {
    std::string& bytes = array.elements[i].bytes;
    if (random.chance(20)) bytes = other.elements[i].bytes;
    if (random.chance(20) && tensor.dtype() != DType::string) bytes[0] = static_cast<char>(bytes[0] ^ 1);
  }
  return array.tensor();
}

std::string all_of(const Comparison& comparison) {
  return cat(comparison_text(comparison), comparison_json(comparison).text(), '\n');
}

// Both halves of the elements by themselves find what all of them do.
void check_halves(const Tensor& actual, const Tensor& expected, const Comparison& whole) {
  const std::int64_t half = actual.size() / 2;
  Difference merged = compare_elements(actual, expected, half, actual.size() - half, whole.tolerance);
  merged.merge(compare_elements(actual, expected, 0, half, whole.tolerance));
  Comparison again = whole;
  again.difference = merged;
  require(all_of(again) == all_of(whole), "the halves find something else than the whole");
}

// The lists begin with the first and the worst element, and hold no more than there are.
void check_lists(const Tensor& actual, const Tensor& expected, const Tolerances& tolerances,
                 const Comparison& found) {
  const Comparison lists = compare_tensors(actual, expected, tolerances, Threads(1), {.show = 3});
  const auto size = static_cast<std::int64_t>(lists.first_shown.size());
  require(size == std::min<std::int64_t>(3, found.difference.differing), "a list of another length");
  require(found.worst.has_value() == !lists.worst_shown.empty(), "a list of the worst without a worst");
  if (size == 0) return;
  require(lists.first_shown[0].position == found.first->position, "the list begins after the first element");
  Comparison without = lists;
  without.shown = 0;
  require(all_of(without) == all_of(found), "the lists change the report");
}

// Elements that a tolerance can fix pass under the tolerance that the report names.
void check_needed(const Tensor& actual, const Tensor& expected, const Comparison& found) {
  const Difference& difference = found.difference;
  const auto failing = [&](double rtol, double atol) {
    ElementTolerance tolerance = found.tolerance;
    tolerance.rtol = rtol;
    tolerance.atol = atol;
    return compare_elements(actual, expected, 0, actual.size(), tolerance).differing;
  };
  // Elements that differ in bits alone pass under no tolerance.
  const std::int64_t failed = difference.unfixable + (found.tolerance.exact_bits ? difference.only_bits : 0);
  if (difference.differing == failed || !kToleranceTypes.contains(actual.dtype())) return;
  const auto& [rtol, atol] = std::pair(found.tolerance.rtol, found.tolerance.atol);
  if (difference.needed_rtol != Difference::kNone) {
    require(failing(difference.needed_rtol, atol) == failed, "the rtol needed is not enough");
  }
  if (difference.needed_atol != Difference::kNone) {
    require(failing(rtol, difference.needed_atol) == failed, "the atol needed is not enough");
  }
}

void check(const Tensor& actual, const Tensor& expected, const Tolerances& tolerances) {
  const auto found = attempt([&] { return compare_tensors(actual, expected, tolerances, Threads(1)); });
  const auto verdict = attempt([&] {
    return compare_tensors(actual, expected, tolerances, Threads(1), {.depth = CompareDepth::verdict}).equal;
  });
  require(found.has_value() == verdict.has_value(), "a verdict is refused and the report is not");
  if (!found) return;
  require(found->equal == *verdict, "the verdict is not the report's");
  const std::string report = all_of(*found);
  require(is_utf8(report) && report.ends_with('\n'), "a report that is no text");
  if (!found->same_header()) return require(!found->equal, "equal, and yet another dtype or shape");
  check_halves(actual, expected, *found);
  check_needed(actual, expected, *found);
  check_lists(actual, expected, tolerances, *found);
  const Comparison self = compare_tensors(actual, actual, tolerances, Threads(1));
  require(self.equal || tolerances.nan_unequal, "a tensor differs from itself");
}

}  // namespace

static int run_compare(const std::uint8_t* data, std::size_t size) {
  Random random(text_of(data, size));
  const auto texts = random_texts(random);
  const auto tolerances = attempt([&] { return parse_tolerances(texts); });
  if (!tolerances) return 0;
  const DType dtype = random_dtype(random, kAllTypes);
  const Shape shape = random_shape(random, random.between(0, 3));
  const Tensor expected = random_tensor(random, dtype, shape);
  const Tensor actual = random.chance(5) ? random_tensor(random, random_dtype(random, kAllTypes), shape)
                                         : changed(random, expected);
  check(actual, expected, *tolerances);
  return 0;
}

const NamedTarget kCompareTarget("compare", run_compare);

}  // namespace tensorop::fuzz
