// Parts of a long text table, which threads read at the same time: whole lines.
#pragma once

#include <cstdint>

#include "io/json/json_parts.hpp"

namespace tensorop {

// What separates two fields of a row.
enum class Separator : std::uint8_t {
  blanks,  // any number of blanks and tabs
  comma,   // blanks and tabs may stand around it
  tab,     // one tab; blanks may stand around it
};

// Lines of `columns` numbers each, divided at line breaks. One column is a list, several are a list of lists.
[[nodiscard]] PartFormat table_parts(std::int64_t columns, Separator separator);

}  // namespace tensorop
