// JSON output for programs: values, and documents whose long list is written item by item. Only json.cpp
// uses the JSON library.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

// The JSON library and its version: "nlohmann/json 3.11.2".
[[nodiscard]] std::string json_library();

// The schema version of all JSON output. It grows when a key is removed or changes its meaning.
// docs/report.schema.json lists all keys.
inline constexpr int kSchemaVersion = 4;

// A JSON value, stored as its text. Objects keep the order of their keys.
class Json {
 public:
  Json() = default;  // null
  template <std::integral T>
  Json(T value) : text_(cat(value)) {}
  Json(bool value) : text_(value ? "true" : "false") {}
  // A non-finite number becomes "NaN", "Infinity" or "-Infinity".
  Json(double value);
  // Invalid UTF-8 is escaped as in messages.
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  // Null if there is no value.
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
  // Takes the JSON text of a tensor element as it is.
  [[nodiscard]] static Json of_text(std::string_view json);
  // The text, or null if it is empty.
  [[nodiscard]] static Json or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

  // Adds a key; the object must not have it.
  Json& add(std::string_view key, const Json& value);
  // Appends the members of `other`.
  Json& add_all(const Json& other);
  // Adds the end of every document: the error, or null, and warnings.
  Json& add_end(const Failure* error = nullptr, const std::vector<std::string>& warnings = {});

  [[nodiscard]] const std::string& text() const { return text_; }
  // The text and a newline.
  [[nodiscard]] std::string line() const { return text_ + '\n'; }

 private:
  [[nodiscard]] static Json as_written(std::string text);
  void add_members(std::string_view members);

  std::string text_ = "null";
};

// {"message":...,"rule":...,"hint":...,"details":...}; null if there is no error.
[[nodiscard]] Json error_json(const Failure* error);

// A document whose list is written item by item, each on its line, so that no item is kept in memory:
// {HEAD,"LIST":[ ITEM, ITEM ],TAIL}
class JsonList {
 public:
  JsonList(const Json& head, std::string_view list);

  // The text of an item; the text after the last item, with the members of `tail`, which must not be empty.
  [[nodiscard]] std::string item(const Json& item);
  [[nodiscard]] std::string end(const Json& tail);

 private:
  std::string before_;  // text before the next item
};

}  // namespace tensorop
