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
  // The value as written in the document, so that no digit of a number is lost; a string is decoded.
  TextSpan value = {};
};

struct JsonObject {
  std::int64_t line = 0;    // line of its beginning, from 1
  std::int64_t number = 0;  // number in its line, from 1, if several objects begin there; else 0
  bool in_list = false;     // the document is a list
  std::vector<JsonMember> members = {};
};

// Reads a document: one list of objects, or objects that each begin on their own line (JSON Lines; blank
// lines are skipped). `name` begins the messages: "NAME:LINE: ...". Throws Error at the first wrong byte, and
// for a duplicate key in an object. Reads a copy, because the text may change. The values keep the copy
// alive.
[[nodiscard]] std::vector<JsonObject> read_json_objects(const TextSpan& text, const std::string& name);

// The members of `object`, a value from read_json_objects(). Throws Error for a duplicate key.
[[nodiscard]] std::vector<JsonMember> read_json_members(const TextSpan& object, const std::string& name);
// The items, without keys, of the list `list`, a value from read_json_objects().
[[nodiscard]] std::vector<JsonMember> read_json_items(const TextSpan& list);

}  // namespace tensorop
