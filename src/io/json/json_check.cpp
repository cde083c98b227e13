#include "io/json/json_check.hpp"

#include "base/text/error.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

// Kinds of elements of one tensor, which may have one of them alone.
enum Kinds : unsigned { kNumbers = 1, kBooleans = 2, kStrings = 4, kObjects = 8 };

bool next(JsonCursor& in, JsonKind kind) {
  return kind == JsonKind::list ? in.next_item() : in.next_member();
}

}  // namespace

std::optional<std::size_t> JsonCheck::operator()(std::string_view begun) {
  try {
    JsonCursor in(begun, {}, {}, true);
    if (checked_ != 0) in.go_to(checked_);
    while (step(in)) checked_ = in.offset();
  } catch (const TextCut&) {
    return checked_;
  } catch (const Error&) {  // the reader of the text reports the error
  }
  return std::nullopt;
}

// Reads a value, of a list or an object up to its first item, or what follows a value. Returns false for a
// fault; changes nothing if it throws TextCut.
bool JsonCheck::step(JsonCursor& in) {
  if (wants_value_) {
    const JsonKind kind = in.value();
    const bool opens = kind == JsonKind::list || kind == JsonKind::object;
    wants_value_ = opens && next(in, kind);
    if (!opens) return element(in, kind);
    if (!begin(kind)) return false;
    if (!wants_value_) end();
  } else if (open_.empty()) {
    // An object may be followed by others, as in the lines of a job file.
    wants_value_ = !in.at_end();
    return had_object_;
  } else {
    wants_value_ = next(in, open_.back());
    if (!wants_value_) end();
  }
  return true;
}

bool JsonCheck::begin(JsonKind kind) {
  if (open_.size() == kDeepestJson) return false;
  if (kind == JsonKind::list) {
    if (objects_ == 0) nesting_.open({});
  } else {
    if (is_in_tensor()) kinds_ |= kObjects;
    if (kinds_ != 0 && (kinds_ != kObjects || (is_in_tensor() && open_.size() > 1))) return false;
    ++objects_;
  }
  open_.push_back(kind);
  return true;
}

void JsonCheck::end() {
  had_object_ = open_.back() == JsonKind::object;
  open_.pop_back();
  if (had_object_) {
    --objects_;
  } else if (objects_ == 0) {
    nesting_.close();
  }
}

bool JsonCheck::element(const JsonCursor& in, JsonKind kind) {
  had_object_ = false;
  if (!is_in_tensor()) return true;
  nesting_.require_element({});
  nesting_.next();
  if (kind == JsonKind::number) kinds_ |= kNumbers;
  if (kind == JsonKind::boolean) kinds_ |= kBooleans;
  // "NaN" and "Infinity" are numbers beside numbers, and strings beside strings.
  if (kind == JsonKind::string && !parse_not_finite(in.text())) kinds_ |= kStrings;
  return kind != JsonKind::null && (kinds_ & (kinds_ - 1)) == 0;
}

}  // namespace tensorop
