// Width and encoding of terminal text.
#pragma once

namespace tensorop {

// The number of columns of the terminal `descriptor`; 80 for a file or a pipe.
[[nodiscard]] int terminal_columns(int descriptor);

// The width for text on standard output: the variable COLUMNS, else the terminal's columns; limited to 40 to
// 100, because longer lines are hard to read.
[[nodiscard]] int text_columns();

// Whether the locale of the environment uses UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is set
// decides.
[[nodiscard]] bool has_utf8_locale();

}  // namespace tensorop
