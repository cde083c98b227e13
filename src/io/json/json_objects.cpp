#include "io/json/json_objects.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/json/json_cursor.hpp"

namespace tensorop {
namespace {

// The lines of a text whose whole window is kept.
class Lines {
 public:
  explicit Lines(const JsonText& text) : text_(text) {}
  // Of an offset. Offsets are asked for in ascending order.
  std::int64_t line_of(std::size_t offset) {
    const std::string_view window = text_.window();
    line_ += std::count(window.begin() + static_cast<std::ptrdiff_t>(counted_),
                        window.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    counted_ = offset;
    return line_;
  }

 private:
  const JsonText& text_;
  std::size_t counted_ = 0;
  std::int64_t line_ = 1;
};

// More than any record has: an endless document must be refused at some point.
constexpr std::size_t kMostKeys = 256;

// Where a value lies in the text, which may yet move.
struct Value {
  std::size_t begin;
  std::size_t end;
};

// Reads the objects of one document.
class ObjectsReader {
 public:
  ObjectsReader(JsonText& text, const std::string& name) : in_(text, name), name_(name), lines_(text) {}

  std::vector<JsonObject> read() {
    std::int64_t last_line = 0;  // of the value before
    bool had_list = false;
    while (!in_.at_end()) {
      const std::int64_t line = line_here();
      if (had_list) refuse(line, "unexpected text after the list");
      if (line == last_line) {
        refuse(line, "unexpected text after the object: each object begins on its own line");
      }
      had_list = read_value(last_line == 0);
      last_line = line_here();
    }
    const JsonSpan whole = in_.source().share();
    auto value = values_.begin();
    for (JsonObject& object : objects_) {
      for (JsonMember& member : object.members) {
        if (member.kind == JsonKind::string) continue;
        member.value = {whole.text.substr(value->begin, value->end - value->begin), whole.owner};
        ++value;
      }
    }
    return std::move(objects_);
  }

 private:
  [[noreturn]] void refuse(std::int64_t line, std::string_view message) const {
    throw Error(cat(name_, ":", line, ": ", message));
  }

  std::int64_t line_here() { return lines_.line_of(in_.offset()); }

  // Reads an object, or a list of objects where that `may_be_list`. Whether it was a list.
  bool read_value(bool may_be_list) {
    const JsonKind kind = next_value();
    const bool is_list = kind == JsonKind::list && may_be_list;
    if (!is_list) return read_object(kind), false;
    while (in_.next_item()) {
      read_object(next_value());
      objects_.back().in_list = true;
    }
    return true;
  }

  // Reads the beginning of a value, and where it is.
  JsonKind next_value() {
    if (!in_.at_end()) begin_ = in_.offset();
    return in_.value();
  }

  void read_object(JsonKind kind) {
    if (kind != JsonKind::object) {
      refuse(lines_.line_of(begin_), cat("expected an object, found ", kind_name(kind)));
    }
    const std::int64_t line = lines_.line_of(begin_);
    std::vector<JsonMember>& members = objects_.emplace_back(JsonObject{.line = line}).members;
    while (in_.next_member()) {
      const std::string_view key = in_.text();
      if (std::ranges::find(members, key, &JsonMember::key) != members.end()) {
        refuse(line, cat("duplicate key \"", printable(key), '"'));
      }
      if (members.size() == kMostKeys) refuse(line, cat("more than ", kMostKeys, " keys"));
      read_member(members.emplace_back(JsonMember{.key = std::string(key)}), line);
    }
  }

  void read_member(JsonMember& member, std::int64_t line) {
    member.kind = next_value();
    if (member.kind == JsonKind::string) {
      member.value = owned_span(in_.text());
      return;
    }
    if (!in_.skip_rest(member.kind, kDeepestJson)) {
      refuse(line, cat("key \"", printable(member.key), "\": more than ", kDeepestJson,
                       " lists and objects within each other"));
    }
    values_.push_back({begin_, in_.offset()});
  }

  JsonCursor in_;
  const std::string& name_;
  Lines lines_;
  std::size_t begin_ = 0;  // of the value that was read last
  std::vector<JsonObject> objects_;
  std::vector<Value> values_;  // of the members that are not strings
};

// Numbers the objects that share a line with another one.
void number_neighbours(std::vector<JsonObject>& objects) {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const bool shares = (i > 0 && objects[i - 1].line == objects[i].line) ||
                        (i + 1 < objects.size() && objects[i + 1].line == objects[i].line);
    if (shares) objects[i].number = to_int64(i) + 1;
  }
}

}  // namespace

std::vector<JsonMember> read_json_items(const JsonSpan& list) {
  JsonText text(list);
  JsonCursor in(text);
  std::vector<JsonMember> items;
  if (in.value() != JsonKind::list) throw Error("expected a list");
  while (in.next_item()) {
    static_cast<void>(in.at_end());
    const std::size_t begin = in.offset();
    JsonMember item{.kind = in.value()};
    if (!in.skip_rest(item.kind, kDeepestJson)) throw Error("lists are nested too deep");
    item.value = item.kind == JsonKind::string
                     ? owned_span(in.text())
                     : JsonSpan{list.text.substr(begin, in.offset() - begin), list.owner};
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<JsonMember> read_json_members(const JsonSpan& object, const std::string& name) {
  JsonText text(object);
  return std::move(read_json_objects(text, name).at(0).members);
}

std::vector<JsonObject> read_json_objects(JsonText& text, const std::string& name) {
  text.own();
  text.keep_from(0);
  std::vector<JsonObject> objects = ObjectsReader(text, name).read();
  number_neighbours(objects);
  return objects;
}

}  // namespace tensorop
