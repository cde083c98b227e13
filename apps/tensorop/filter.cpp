#include "filter.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kFilter = "--filter";
constexpr std::string_view kExclude = "--exclude";

// The names that one text of --filter or --exclude selects.
Filter::Test test_of(const std::string& text, const std::vector<std::string>& names, FilterMembers members) {
  if (std::ranges::find(names, text) != names.end()) {
    return [text, members](const std::string& name) {
      return name == text || (members == FilterMembers::yes && name.starts_with(cat(text, ":")));
    };
  }
  if (text.find_first_of("*?") == std::string::npos)
    return [text](const std::string& name) { return name.find(text) != std::string::npos; };
  return [text](const std::string& name) { return matches_pattern(text, name); };
}

}  // namespace

std::vector<Option> filter_options(const std::string& things) {
  return {
      {std::string(kFilter), Heading::selection, "TEXT",
       cat("only ", things,
           " whose name is TEXT or, if none is, contains TEXT; with * or ? TEXT is a pattern for the "
           "whole name; of several a name needs one"),
       OptionRules{.repeats = true}},
      {std::string(kExclude), Heading::selection, "TEXT",
       cat("no ", things, " that --filter TEXT would select"), OptionRules{.repeats = true}},
  };
}

struct Filter::Noted {
  explicit Noted(std::size_t texts) : has_selected(texts) {}

  std::vector<std::atomic<bool>> has_selected;  // of each text of --filter
  std::atomic<bool> has_left = false;           // a name that --exclude does not exclude
};

Filter::Filter(const Arguments& arguments, std::string_view noun)
    : selected_(arguments.values(kFilter)),
      excluded_(arguments.values(kExclude)),
      noun_(noun),
      noted_(std::make_shared<Noted>(selected_.size())) {}

bool Filter::is_given() const {
  return !selected_.empty() || !excluded_.empty();
}

Filter::Test Filter::among(const std::vector<std::string>& names, FilterMembers members) const {
  const auto tests_of = [&](const std::vector<std::string>& texts) {
    std::vector<Test> out;
    out.reserve(texts.size());
    for (const std::string& text : texts) out.push_back(test_of(text, names, members));
    return out;
  };
  return [selected = tests_of(selected_), excluded = tests_of(excluded_),
          noted = noted_](const std::string& name) {
    bool is_selected = selected.empty();
    for (std::size_t i = 0; i < selected.size(); ++i) {
      if (!selected[i](name)) continue;
      is_selected = noted->has_selected[i] = true;
    }
    const auto excludes = [&](const Test& test) { return test(name); };
    if (!is_selected || std::ranges::any_of(excluded, excludes)) return false;
    noted->has_left = true;
    return true;
  };
}

void Filter::require_matches() const {
  std::vector<std::string> given;
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    given.push_back(cat(kFilter, " ", in_quotes(selected_[i])));
    if (!noted_->has_selected[i]) throw Error(cat(given[i], " matches no ", noun_));
  }
  for (const std::string& text : excluded_) given.push_back(cat(kExclude, " ", in_quotes(text)));
  if (is_given() && !noted_->has_left) throw Error(cat(join(given, " "), " leaves no ", noun_));
}

Filter::Test Filter::only_among(const std::vector<std::string>& names) const {
  Test test = among(names);
  for (const std::string& name : names) (void)test(name);
  require_matches();
  return test;
}

}  // namespace tensorop
