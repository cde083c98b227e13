// How wide text is made.
#pragma once

namespace tensorop {

// The columns of the terminal of a descriptor: the variable COLUMNS, else what the terminal says, else 80, as
// for a file or a pipe.
[[nodiscard]] int terminal_columns(int descriptor);

// Of text on standard output: the same, at most 100, which is as much as a line is easily read of.
[[nodiscard]] int text_columns();

}  // namespace tensorop
