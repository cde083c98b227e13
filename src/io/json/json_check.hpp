// Checks JSON text while its bytes arrive, in memory that does not grow.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "io/json/json_cursor.hpp"
#include "io/text/lists.hpp"

namespace tensorop {

// A TextCheck: whether a longer text may be a JSON value, or a sequence of objects. A list must be a tensor,
// or have only objects.
class JsonCheck {
 public:
  std::optional<std::size_t> operator()(std::string_view begun);

 private:
  bool step(JsonCursor& in);
  bool begin(JsonKind kind);
  void end();
  bool element(const JsonCursor& in, JsonKind kind);
  // Whether the position is in lists only.
  [[nodiscard]] bool is_in_tensor() const { return objects_ == 0 && !open_.empty(); }

  std::size_t checked_ = 0;
  bool wants_value_ = true;     // a value is next, not a comma or what ends a list or an object
  std::vector<JsonKind> open_;  // lists and objects, outermost first
  std::size_t objects_ = 0;     // of open_
  bool had_object_ = false;     // the last value of the document is an object
  Nesting nesting_{false, kDeepestList};
  unsigned kinds_ = 0;  // of elements: Kinds
};

}  // namespace tensorop
