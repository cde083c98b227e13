#include "engine/version_hint.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/attributes.hpp"
#include "engine/version.hpp"
#include "io/opened_file.hpp"

namespace tensorop {
namespace {

// At most this number of index elements is checked again.
constexpr std::int64_t kMostChecked = std::int64_t{1} << 22;

// Versions in the order in which they are asked: of the own publisher, the default semantics, others; the
// oldest first.
std::vector<const Version*> asked_versions(const Call& call, bool only_near) {
  const auto distance = [&](const Version& version) {
    return version.framework == call.version->framework ? 0
           : version.framework == Framework::standard   ? 1
                                                        : 2;
  };
  std::vector<const Version*> out;
  for (const Version& version : call.op->versions) {
    const bool is_own = version.framework == call.version->framework && version.since == call.version->since;
    if (!is_own && (!only_near || distance(version) < 2)) out.push_back(&version);
  }
  std::ranges::stable_sort(out, {}, [&](const Version* version) { return distance(*version); });
  return out;
}

// Returns the hint for the first version that `accepts` the call as written for it.
std::string first_accepting(const Request& request, const Call& call, bool only_near, std::string_view one,
                            std::string_view several, std::string_view what,
                            const std::function<void(const Version&, const Request&)>& accepts) {
  for (const Version* const version : asked_versions(call, only_near)) {
    const std::optional<Request> written = call_in(request, *version);
    if (!written) continue;
    try {
      accepts(*version, *written);
    } catch (const Failure&) {
      continue;
    }
    const bool is_standard = version->framework == Framework::standard;
    std::string out =
        cat(spec_name(*version), is_standard ? " (no --spec) " : " ", is_standard ? several : one, " ", what);
    if (written->op.name->name != call.name->name) out += cat(" as ", written->op.name->name);
    for (std::size_t i = request.attributes.size(); i < written->attributes.size(); ++i)
      out += cat(" with ", written->attributes[i].name, " ", written->attributes[i].text);
    return out;
  }
  return {};
}

}  // namespace

std::string version_hint(const Request& request, const OpenedCall& opened, const Settings& settings,
                         bool of_elements) {
  if (!settings.names_versions) return {};
  Settings own = settings;
  own.names_versions = false;
  own.warn = nullptr;
  Request again = request;
  use_opened(again, opened);
  return first_accepting(again, opened.call, of_elements, "accepts", "accept", "this call",
                         [&](const Version&, const Request& written) {
                           const Bound bound = bind(written, own);
                           if (bound.planned.plan.facts().check_size > kMostChecked)
                             throw Error("not checked");
                           check_known_values(bound.call, bound.planned, own);
                         });
}

std::string attribute_hint(const Request& request, const Call& call, const Settings& settings) {
  const auto is_lacking = [&](const NamedText& given) {
    return find_attribute(*call.op, given.name) != nullptr &&
           find_attribute(*call.version, given.name) == nullptr;
  };
  const bool may_differ = call.strict() || std::ranges::any_of(request.attributes, is_lacking);
  if (!settings.names_versions || !may_differ || request.attributes.empty() ||
      std::ranges::any_of(request.attributes, names_file))
    return {};
  return first_accepting(request, call, false, "has", "have", "these attributes",
                         [&](const Version& version, const Request& written) {
                           Call other;
                           other.op = call.op;
                           other.name = written.op.name;
                           other.version = &version;
                           Inputs none;
                           bind_attributes(written, none, other);
                           if (call.op->check_attributes != nullptr) call.op->check_attributes(other);
                         });
}

}  // namespace tensorop
