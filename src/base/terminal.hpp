// How wide text is made.
#pragma once

namespace tensorop {

// The columns of the terminal that a descriptor is; 80 for a file or a pipe.
[[nodiscard]] int terminal_columns(int descriptor);

// Those of text on standard output: the variable COLUMNS, else the same; from 40 to 100, which is as much of
// a line as is easily read.
[[nodiscard]] int text_columns();

// Whether text is UTF-8 in the locale of the environment: by the first of LC_ALL, LC_CTYPE and LANG that is
// set.
[[nodiscard]] bool has_utf8_locale();

}  // namespace tensorop
