// JSON for programs: values, and documents with a long list that are written piece by piece. The JSON library
// is named in json.cpp alone.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace tensorop {

// The JSON library and its version: "nlohmann/json 3.11.2".
[[nodiscard]] std::string json_library();

// The schema version of everything that is printed for programs. It grows when a key changes its meaning or
// is removed. docs/json.md has all keys.
inline constexpr int kSchemaVersion = 3;

// A value. Objects keep the order of their keys.
class Json {
 public:
  Json();  // null
  template <std::integral T>
  Json(T value);
  // A number that is not finite is "NaN", "Infinity" or "-Infinity".
  Json(double value);
  // Bytes that are not UTF-8 are escaped as in messages.
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  // Null where there is no value.
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}
  Json(Json&& other) noexcept;
  Json& operator=(Json&& other) noexcept;
  ~Json();

  [[nodiscard]] static Json object();
  // An object that begins with "schema_version".
  [[nodiscard]] static Json document() { return object().add("schema_version", kSchemaVersion); }
  template <class Items>
  [[nodiscard]] static Json list(const Items& items) {
    return list(items, [](const auto& item) -> Json { return {item}; });
  }
  template <class Items, class ToJson>
  [[nodiscard]] static Json list(const Items& items, const ToJson& json_of) {
    Json out = empty_list();
    for (const auto& item : items) out.push(json_of(item));
    return out;
  }
  // The value that a JSON text says, of an element of a tensor.
  [[nodiscard]] static Json of_text(std::string_view json);
  // The text, or null where it is empty.
  [[nodiscard]] static Json or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

  // A key that the object does not have.
  Json& add(std::string_view key, Json value) &;
  Json&& add(std::string_view key, Json value) && { return std::move(add(key, std::move(value))); }
  // What `other` has, after what this object has.
  Json& add_all(Json other) &;

  // On one line, without its end.
  [[nodiscard]] std::string text() const;

 private:
  struct Value;
  explicit Json(std::unique_ptr<Value> value);
  Json(std::int64_t value, std::uint64_t magnitude, bool is_bool);
  [[nodiscard]] static Json empty_list();
  void push(Json item);

  std::unique_ptr<Value> value_;
};

template <std::integral T>
Json::Json(T value)
    : Json(static_cast<std::int64_t>(value), std::is_signed_v<T> ? 0 : static_cast<std::uint64_t>(value),
           std::same_as<T, bool>) {}

// A document whose list is written item by item, each on its line, so that none of them is kept:
// {HEAD,"LIST":[
// ITEM,
// ITEM
// ],TAIL}
class JsonList {
 public:
  JsonList(Json head, std::string_view list);

  // The text of an item, and of the end of the document with the members of `tail`, which has some.
  [[nodiscard]] std::string item(const Json& item);
  [[nodiscard]] std::string end(const Json& tail);

 private:
  std::string before_;  // the next piece
};

}  // namespace tensorop
