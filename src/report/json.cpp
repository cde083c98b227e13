#include "report/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tensorop {

struct Json::Value {
  nlohmann::ordered_json json;
};

std::string json_library() {
  return cat("nlohmann/json ", NLOHMANN_JSON_VERSION_MAJOR, ".", NLOHMANN_JSON_VERSION_MINOR, ".",
             NLOHMANN_JSON_VERSION_PATCH);
}

Json::Json() : value_(std::make_unique<Value>()) {}
Json::Json(std::unique_ptr<Value> value) : value_(std::move(value)) {}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Json(std::int64_t value, std::uint64_t magnitude, bool is_bool) : Json() {
  if (is_bool) {
    value_->json = magnitude != 0;
  } else if (magnitude != 0) {
    value_->json = magnitude;
  } else {
    value_->json = value;
  }
}

Json::Json(double value) : Json() {
  if (std::isfinite(value)) {
    value_->json = value;
  } else {
    value_->json = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  }
}

Json::Json(std::string_view text) : Json() {
  value_->json = is_utf8(text) ? std::string(text) : printable(text);
}

Json Json::object() {
  return Json(std::make_unique<Value>(Value{nlohmann::ordered_json::object()}));
}

Json Json::empty_list() {
  return Json(std::make_unique<Value>(Value{nlohmann::ordered_json::array()}));
}

Json Json::of_text(std::string_view json) {
  return Json(std::make_unique<Value>(Value{nlohmann::ordered_json::parse(json)}));
}

// The library would look for the key, which takes too long where there are many.
Json& Json::add(std::string_view key, Json value) & {
  auto& members = value_->json.get_ref<nlohmann::ordered_json::object_t&>();
  members.push_back({is_utf8(key) ? std::string(key) : printable(key), std::move(value.value_->json)});
  return *this;
}

Json& Json::add_all(Json other) & {
  auto& members = value_->json.get_ref<nlohmann::ordered_json::object_t&>();
  for (auto& member : other.value_->json.get_ref<nlohmann::ordered_json::object_t&>()) {
    members.push_back(std::move(member));
  }
  return *this;
}

void Json::push(Json item) {
  value_->json.push_back(std::move(item.value_->json));
}

std::string Json::text() const {
  return value_->json.dump();
}

JsonList::JsonList(Json head, std::string_view list) {
  const std::string text = head.text();
  before_ = cat(std::string_view(text).substr(0, text.size() - 1), ",\"", list, "\":[\n");
}

std::string JsonList::item(const Json& item) {
  return std::exchange(before_, ",\n") + item.text();
}

std::string JsonList::end(const Json& tail) {
  const std::string lead = before_ == ",\n" ? "\n" : before_;
  return cat(lead, "],", std::string_view(tail.text()).substr(1), "\n");
}

}  // namespace tensorop
