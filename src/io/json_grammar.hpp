// The grammar of JSON (RFC 8259): the values of a text, event by event.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "io/json_scanner.hpp"

namespace tensorop {

// Reads one value, of which `token` is the first token, and calls `handler` in the order of the text:
//     null(), boolean(bool), number(text), string(text),
//     begin_list(), end_list(), begin_object(), key(text), end_object();
//     read_ahead(in), after a comma of a list: it may skip elements of `in` together with the commas after
//     them, and returns how many more lists are open then.
// A text is valid until the call returns. Throws Error for malformed JSON, and what `handler` throws.
template <class Handler>
void parse_json(JsonScanner& in, JsonToken token, Handler& handler) {
  constexpr std::string_view kValue = "'[', '{', or a literal";
  const auto expect = [&](JsonToken wanted, std::string_view expected) {
    const JsonToken found = in.next(expected);
    if (found != wanted) in.refuse(found, expected);
  };
  // `found` is the first token of the member; afterwards `token` is that of its value.
  const auto begin_member = [&](JsonToken found) {
    if (found != JsonToken::string) in.refuse(found, "string literal");
    handler.key(in.text());
    expect(JsonToken::colon, "':'");
    token = in.next();
  };
  std::vector<bool> lists;  // what is open: a list or an object
  while (true) {
    switch (token) {
      case JsonToken::begin_list:
        handler.begin_list();
        token = in.next();
        if (token != JsonToken::end_list) {
          lists.push_back(true);
          continue;
        }
        handler.end_list();
        break;
      case JsonToken::begin_object:
        handler.begin_object();
        token = in.next("string literal");
        if (token != JsonToken::end_object) {
          lists.push_back(false);
          begin_member(token);
          continue;
        }
        handler.end_object();
        break;
      case JsonToken::number:
        handler.number(in.text());
        break;
      case JsonToken::string:
        handler.string(in.text());
        break;
      case JsonToken::word_true:
      case JsonToken::word_false:
        handler.boolean(token == JsonToken::word_true);
        break;
      case JsonToken::word_null:
        handler.null();
        break;
      default:
        in.refuse(token, kValue);
    }
    // After a value: what it ends, up to the next one.
    while (true) {
      if (lists.empty()) return;
      const bool in_list = lists.back();
      const std::string_view end = in_list ? "']'" : "'}'";
      token = in.next(end);
      if (token == JsonToken::comma) {
        if (in_list) {
          lists.resize(
              static_cast<std::size_t>(static_cast<std::ptrdiff_t>(lists.size()) + handler.read_ahead(in)),
              true);
          token = in.next();
        } else {
          begin_member(in.next("string literal"));
        }
        break;
      }
      if (token != (in_list ? JsonToken::end_list : JsonToken::end_object)) in.refuse(token, end);
      in_list ? handler.end_list() : handler.end_object();
      lists.pop_back();
    }
  }
}

}  // namespace tensorop
