// The exception types of tensorop, and escaping of untrusted text for messages. Owns: message layout. Knows
// nothing of tensors, files or operators.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace tensorop {

// The reason why a call, or a job of a call, has no result: an Error or a MemoryError. Caught by code that
// reports failures. The complete line is "CONTEXT: MESSAGE [RULE]", outermost context first.
class Failure : public std::exception {
 public:
  // `rule` is the id of the violated operator rule ("IX-1", docs/ops), or empty. `hint` is a remedy, printed
  // on a line of its own, or empty. `details` are lines printed between message and hint, each with its line
  // end, such as a picture; or empty.
  explicit Failure(std::string message, std::string_view rule = {}, std::string hint = {},
                   std::string details = {});

  // Prepends "context: " to the line. Called while the exception unwinds.
  void add_context(std::string_view context);

  // Sets the hint, unless the failure has one already.
  void add_hint(std::string_view hint);

  [[nodiscard]] const char* what() const noexcept override { return line_.c_str(); }
  [[nodiscard]] const std::string& rule() const noexcept { return rule_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
  [[nodiscard]] const std::string& details() const noexcept { return details_; }

 private:
  std::string line_;
  std::string rule_;
  std::string hint_;
  std::string details_;
};

// Wrong usage, invalid input or a failing file: everything that a user can cause. Thrown by validation,
// binding and i/o. Code that can recover may handle it and continue.
class Error : public Failure {
 public:
  using Failure::Failure;
};

// There is not enough memory: no input is wrong.
class MemoryError : public Failure {
 public:
  using Failure::Failure;
};

// Throws MemoryError "CONTEXT: out of memory: N bytes are free", for a failed allocation of unknown size.
[[noreturn]] void throw_out_of_memory(std::string_view context);

// Runs `body`; prepends `context` to a Failure that it throws. A failed allocation becomes a MemoryError.
template <class Body>
decltype(auto) with_context(std::string_view context, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (Failure& error) {
    error.add_context(context);
    throw;
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(context);
  }
}

// Makes untrusted text (a path, a name, a value) safe for one line of a terminal: control characters and
// invalid UTF-8 become \n, \t, \x1b ...; text over 200 characters is cut and ends with "...".
[[nodiscard]] std::string printable(std::string_view text);

// printable() in single quotes, for a value that a user typed. Paths are not quoted.
[[nodiscard]] std::string in_quotes(std::string_view text);

// Indents each line by two spaces.
[[nodiscard]] std::string indented(std::string_view lines);

}  // namespace tensorop
