// The one exception type of tensorop, and how text from outside is shown in a message.
// Owns: message layout. Knows nothing of tensors, files or operators.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace tensorop {

// Bad usage, bad input or a failing file: everything a user can cause. Thrown by validation, binding and
// i/o; caught once, in apps. The finished line is "CONTEXT: MESSAGE [RULE]", contexts outermost first.
class Error : public std::exception {
 public:
  // `rule` is the id of the violated rule of the operator specification ("IX-1"), or empty.
  // `hint` is a remedy, shown on a second line, or empty.
  explicit Error(std::string message, std::string_view rule = {}, std::string hint = {});

  // Puts "context: " in front of what is there. Called while the exception unwinds.
  void add_context(std::string_view context);

  [[nodiscard]] const char* what() const noexcept override { return line_.c_str(); }
  [[nodiscard]] const std::string& rule() const noexcept { return rule_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  std::string line_;
  std::string rule_;
  std::string hint_;
};

// Not the fault of any input: there is not enough memory. Who takes an Error for an answer, and goes on, must
// let this one through.
class MemoryError : public Error {
 public:
  using Error::Error;
};

// Runs `body`; an Error that leaves it gets `context` in front. That an allocation failed becomes one.
template <class Body>
decltype(auto) with_context(std::string_view context, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (Error& error) {
    error.add_context(context);
    throw;
  } catch (const std::bad_alloc&) {
    throw MemoryError(std::string(context) + ": out of memory");
  }
}

// Text from outside (a path, a name, a value) made safe for one line of a terminal: control characters and
// bytes that are no UTF-8 become \n, \t, \x1b ...; more than 200 characters are cut, with "..." at the end.
[[nodiscard]] std::string printable(std::string_view text);

// The same in single quotes: a value that was given, and may be empty.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace tensorop
