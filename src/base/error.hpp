// The exception types of tensorop, and text from outside in messages.
// Owns: message layout. Knows nothing of tensors, files or operators.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace tensorop {

// Why a call, or a job of it, has no result: an Error or a MemoryError. Caught by what reports it. The
// complete line is "CONTEXT: MESSAGE [RULE]", contexts outermost first.
class Failure : public std::exception {
 public:
  // `rule` is the id of the violated rule of the operator specification ("IX-1"), or empty.
  // `hint` is a remedy, shown on a line of its own, or empty. `details` are lines between the two, each with
  // its end, or empty: shapes under each other.
  explicit Failure(std::string message, std::string_view rule = {}, std::string hint = {},
                   std::string details = {});

  // Prepends "context: " to the line. Called while the exception unwinds.
  void add_context(std::string_view context);

  // A remedy, if there is none yet.
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

// Wrong usage, invalid input or a failing file: everything a user can cause. Thrown by validation, binding
// and i/o. Code that has another answer to it may handle it and continue.
class Error : public Failure {
 public:
  using Failure::Failure;
};

// There is not enough memory: no input is wrong.
class MemoryError : public Failure {
 public:
  using Failure::Failure;
};

// Throws MemoryError "CONTEXT: out of memory: N bytes are free": an allocation failed whose size is not
// known.
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

// Text from outside (a path, a name, a value) made safe for one line of a terminal: control characters and
// bytes that are not UTF-8 become \n, \t, \x1b ...; text over 200 characters is cut and ends with "...".
[[nodiscard]] std::string printable(std::string_view text);

// The same in single quotes: for a value that a user typed. Paths are not quoted.
[[nodiscard]] std::string in_quotes(std::string_view text);

// Each line with two spaces before it.
[[nodiscard]] std::string indented(std::string_view lines);

}  // namespace tensorop
