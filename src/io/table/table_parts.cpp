#include "io/table/table_parts.hpp"

#include <algorithm>
#include <concepts>
#include <string>

#include "base/checked.hpp"
#include "io/json/number_scan.hpp"
#include "io/table/table_field.hpp"

namespace tensorop {
namespace {

// The field at `at`, in all its spellings. False, with `at` unchanged, where it is no T.
template <Number T>
[[nodiscard]] bool scan_field(const char*& at, const char* end, T& value) {
  if (scan_number(at, end, value)) return true;
  std::string buffer;
  const char* const stop = std::find_if(at, end, ends_field);
  const TableField field = read_field({at, static_cast<std::size_t>(stop - at)}, buffer);
  if (field.kind == FieldKind::number) {
    if (parse_number(field.text, value) != NumberStatus::ok) return false;
  } else if (field.kind != FieldKind::not_finite || !convert_real(field.value, value)) {
    return false;
  }
  at = stop;
  return true;
}

template <Number T>
bool read_as(NumberPart& part, std::int64_t columns, Separator separator, bool inferred) {
  // A copy: a mapped file may change between two looks at it. The line break at the end ends every loop here.
  std::string text(part.text);
  text.back() = '\n';
  const char* at = text.data();
  const char* const end = at + text.size();
  T* const out = reinterpret_cast<T*>(part.out);
  PartLists& lists = *part.lists;
  const bool skips_tabs = separator != Separator::tab;
  const auto skip_blanks = [&] {
    while (*at == ' ' || (skips_tabs && *at == '\t')) ++at;
  };
  std::int64_t element = 0;
  while (at != end) {
    if (columns > part.elements - element) return false;
    if (columns > 1 && !lists.open()) return false;
    skip_blanks();
    for (std::int64_t column = 1;; ++column) {
      const bool negative = *at == '-';
      if (!scan_field(at, end, out[element])) return false;
      if constexpr (std::same_as<T, std::int64_t>) {
        if (inferred && negative && out[element] == 0) part.float_only.push_back({element, -0.0});
      }
      ++element;
      const char* const stop = at;
      skip_blanks();
      if (column == columns) break;
      if (separator == Separator::blanks) {
        if (at == stop) return false;
      } else {
        if (*at != (separator == Separator::comma ? ',' : '\t')) return false;
        ++at;
        skip_blanks();
      }
    }
    if (*at == '\r') ++at;
    if (*at != '\n') return false;
    ++at;
    lists.next(columns);
    if (columns > 1 && !lists.close()) return false;
  }
  return element == part.elements;
}

}  // namespace

PartFormat table_parts(std::int64_t columns, Separator separator) {
  const auto count = [columns](NumberPart& part) {
    const std::int64_t lines = std::ranges::count(part.text, '\n');
    // A number and what ends it take two characters: no room is made for lines that are too short.
    const auto elements = checked_mul(lines, columns);
    const bool is_possible = elements && *elements <= to_int64(part.text.size()) / 2;
    part.elements = is_possible ? *elements : 0;
  };
  const auto read = [columns, separator](NumberPart& part, DType dtype, bool inferred) {
    dispatch(dtype, [&]<class T>(TypeTag<T>) {
      if constexpr (Number<T>) part.fits = part.lists && read_as<T>(part, columns, separator, inferred);
    });
  };
  return {'\n', count, read};
}

}  // namespace tensorop
