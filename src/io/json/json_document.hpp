// JSON for programs: values, and documents with a long list that are written piece by piece. The JSON library
// is named in json.cpp alone.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tensorop {

// The JSON library and its version: "nlohmann/json 3.11.2".
[[nodiscard]] std::string json_library();

// The schema version of everything that is printed for programs. It grows when a key changes its meaning or
// is removed. docs/report.schema.json has all keys.
inline constexpr int kSchemaVersion = 4;

// A value, which is its text. Objects keep the order of their keys.
class Json {
 public:
  Json() = default;  // null
  template <std::integral T>
  Json(T value) : text_(cat(value)) {}
  Json(bool value) : text_(value ? "true" : "false") {}
  // A number that is not finite is "NaN", "Infinity" or "-Infinity".
  Json(double value);
  // Bytes that are not UTF-8 are escaped as in messages.
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  // Null where there is no value.
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}

  [[nodiscard]] static Json object() { return as_written("{}"); }
  // An object that begins with "schema_version".
  [[nodiscard]] static Json document() { return object().add("schema_version", kSchemaVersion); }
  template <class Items>
  [[nodiscard]] static Json list(const Items& items) {
    return list(items, [](const auto& item) -> Json { return {item}; });
  }
  template <class Items, class ToJson>
  [[nodiscard]] static Json list(const Items& items, const ToJson& json_of) {
    std::string text;
    for (const auto& item : items) text += cat(text.empty() ? '[' : ',', json_of(item).text());
    return as_written(text.empty() ? "[]" : text + ']');
  }
  // The value that a JSON text says, of an element of a tensor.
  [[nodiscard]] static Json of_text(std::string_view json);
  // The text, or null where it is empty.
  [[nodiscard]] static Json or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

  // A key that the object does not have.
  Json& add(std::string_view key, const Json& value);
  // What `other` has, after what this object has.
  Json& add_all(const Json& other);
  // What documents end with: the error, or null, and warnings.
  Json& add_end(const Failure* error = nullptr, const std::vector<std::string>& warnings = {});

  [[nodiscard]] const std::string& text() const { return text_; }
  // The text with the end of a line.
  [[nodiscard]] std::string line() const { return text_ + '\n'; }

 private:
  [[nodiscard]] static Json as_written(std::string text);
  void add_members(std::string_view members);

  std::string text_ = "null";
};

// {"message":...,"rule":...,"hint":...,"details":...}; null where there is none.
[[nodiscard]] Json error_json(const Failure* error);

// A document whose list is written item by item, each on its line, so that none of them is kept:
// {HEAD,"LIST":[
// ITEM,
// ITEM
// ],TAIL}
class JsonList {
 public:
  JsonList(const Json& head, std::string_view list);

  // The text of an item, and of the end of the document with the members of `tail`, which has some.
  [[nodiscard]] std::string item(const Json& item);
  [[nodiscard]] std::string end(const Json& tail);

 private:
  std::string before_;  // the next piece
};

}  // namespace tensorop
