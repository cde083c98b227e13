// Documents that are lists of flat records (job files): each object with its line, each value as its own
// text. Knows nothing of the meaning of keys, nor of tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/json/json_cursor.hpp"
#include "io/text/text_cursor.hpp"

namespace tensorop {

struct JsonMember {
  std::string key = {};
  JsonKind kind = JsonKind::null;
  // The value as it stands in the document, so that no digit of a number is lost; of a string what it means.
  TextSpan value = {};
};

struct JsonObject {
  std::int64_t line = 0;    // where it begins; the first line is 1
  std::int64_t number = 0;  // its number, counted from 1, when others begin on the same line; else 0
  bool in_list = false;     // the document is a list
  std::vector<JsonMember> members = {};
};

// Reads a document that is one list of objects, or any number of objects each of which begins on a line of
// its own (JSON Lines; blank lines are skipped). `name` begins the messages: "NAME:LINE: ...". Throws Error
// at the first wrong byte, and for a duplicate key of an object. Reads a copy of the text, which may change.
// Values keep the copy alive.
[[nodiscard]] std::vector<JsonObject> read_json_objects(const TextSpan& text, const std::string& name);

// The members of `object`, a value that was read; `name` as above. Throws Error for a duplicate key.
[[nodiscard]] std::vector<JsonMember> read_json_members(const TextSpan& object, const std::string& name);
// The items of `list`, a value that was read; they have no keys.
[[nodiscard]] std::vector<JsonMember> read_json_items(const TextSpan& list);

}  // namespace tensorop
