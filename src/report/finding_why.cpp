#include "report/finding_why.hpp"

#include <exception>
#include <utility>

#include "describe/why_report.hpp"
#include "explain/why.hpp"

namespace tensorop {
namespace {

// The flat position; -1 if it is outside `shape`.
std::int64_t flat(const std::vector<std::int64_t>& position, const Shape& shape) {
  if (position.size() != shape.size()) return -1;
  std::int64_t out = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (position[d] < 0 || position[d] >= shape[d]) return -1;
    out = out * shape[d] + position[d];
  }
  return out;
}

}  // namespace

std::vector<std::string> why_sentences(const Finding& finding, const Settings& settings,
                                       std::span<const std::vector<std::int64_t>> positions) {
  if (!finding.call || positions.empty()) return {};
  Settings own = settings;
  own.warn = nullptr;
  own.executor = nullptr;
  try {
    const Explainer explainer(*finding.call, own);
    std::vector<std::int64_t> flats;
    for (const auto& position : positions) {
      flats.push_back(flat(position, explainer.output().shape));
      if (flats.back() < 0) return {};
    }
    std::vector<std::string> out;
    for (const ElementOrigin& origin : explainer.origins(flats))
      out.push_back(why_sentence(explainer, origin));
    return out;
  } catch (const std::exception&) {  // the sentence is optional: no error is reported
    return {};
  }
}

void explain_elements(Finding& finding, const Settings& settings) {
  if (!finding.comparison) return;
  Comparison& comparison = *finding.comparison;
  std::vector<DifferingElement*> listed;
  if (comparison.first) listed.push_back(&*comparison.first);
  if (comparison.worst) listed.push_back(&*comparison.worst);
  for (DifferingElement& element : comparison.first_shown) listed.push_back(&element);
  for (DifferingElement& element : comparison.worst_shown) listed.push_back(&element);
  std::vector<std::vector<std::int64_t>> positions;
  positions.reserve(listed.size());
  for (const DifferingElement* element : listed) positions.push_back(element->position);
  std::vector<std::string> sentences = why_sentences(finding, settings, positions);
  for (std::size_t i = 0; i < sentences.size(); ++i) listed[i]->why = std::move(sentences[i]);
}

}  // namespace tensorop
