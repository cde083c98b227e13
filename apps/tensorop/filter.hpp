// --filter and --exclude: which cases, jobs, pairs or arrays a command looks at.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"

namespace tensorop {

// Returns --filter and --exclude, for commands that choose among `things`: "arrays".
[[nodiscard]] std::vector<Option> filter_options(const std::string& things);

// Whether "FILE" as a whole name also selects "FILE:ARRAY".
enum class FilterMembers : bool { no, yes };

class Filter {
 public:
  using Test = std::function<bool(const std::string& name)>;

  // `noun` names a thing that has a name: "case".
  Filter(const Arguments& arguments, std::string_view noun);

  [[nodiscard]] bool is_given() const;
  // Returns whether --filter selects a name and --exclude does not. A text among `names` selects that name
  // alone. Others select each name that contains them or, with * or ? in them, matches as a whole. No other
  // character is special. Any thread may call the test; it notes what each text of --filter selects.
  [[nodiscard]] Test among(const std::vector<std::string>& names,
                           FilterMembers members = FilterMembers::no) const;
  // Throws Error if a text of --filter has selected none of the names that were tested, or if none is left.
  void require_matches() const;
  // Returns among(names) after testing all of them. Throws Error as require_matches() does.
  [[nodiscard]] Test only_among(const std::vector<std::string>& names) const;

 private:
  struct Noted;

  std::vector<std::string> selected_;
  std::vector<std::string> excluded_;
  std::string_view noun_;
  std::shared_ptr<Noted> noted_;
};

}  // namespace tensorop
