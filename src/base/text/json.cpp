#include "base/text/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/json_string.hpp"

namespace tensorop {

std::string json_library() {
  return cat("nlohmann/json ", NLOHMANN_JSON_VERSION_MAJOR, ".", NLOHMANN_JSON_VERSION_MINOR, ".",
             NLOHMANN_JSON_VERSION_PATCH);
}

Json::Json(double value)
    : text_(std::isfinite(value) ? nlohmann::json(value).dump()
            : std::isnan(value)  ? R"("NaN")"
            : value > 0          ? R"("Infinity")"
                                 : R"("-Infinity")") {}

Json::Json(std::string_view text) : text_(json_string(text)) {}

Json Json::as_written(std::string text) {
  Json out;
  out.text_ = std::move(text);
  return out;
}

Json Json::of_text(std::string_view json) {
  return as_written(nlohmann::json::parse(json).dump());
}

void Json::add_members(std::string_view members) {
  if (members.empty()) return;
  text_.pop_back();
  if (text_.size() > 1) text_ += ',';
  text_ += members;
  text_ += '}';
}

Json& Json::add(std::string_view key, const Json& value) {
  add_members(cat(json_string(key), ":", value.text_));
  return *this;
}

Json& Json::add_all(const Json& other) {
  add_members(std::string_view(other.text_).substr(1, other.text_.size() - 2));
  return *this;
}

Json& Json::add_end(const Failure* error, const std::vector<std::string>& warnings) {
  return add("error", error_json(error)).add("warnings", list(warnings));
}

Json error_json(const Failure* error) {
  if (error == nullptr) return {};
  return Json::object()
      .add("message", error->what())
      .add("rule", Json::or_null(error->rule()))
      .add("hint", Json::or_null(error->hint()))
      .add("details", Json::or_null(error->details()));
}

JsonList::JsonList(const Json& head, std::string_view list) {
  const std::string_view text = head.text();
  before_ = cat(text.substr(0, text.size() - 1), ",\"", list, "\":[\n");
}

std::string JsonList::item(const Json& item) {
  return std::exchange(before_, ",\n") + item.text();
}

std::string JsonList::end(const Json& tail) {
  const std::string lead = before_ == ",\n" ? "\n" : before_;
  return cat(lead, "],", std::string_view(tail.text()).substr(1), "\n");
}

}  // namespace tensorop
