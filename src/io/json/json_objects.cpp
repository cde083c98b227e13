#include "io/json/json_objects.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/system/memory.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/json/json_check.hpp"
#include "io/json/json_cursor.hpp"

namespace tensorop {
namespace {

// Counts the lines of a text.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  // The line of an offset. Calls must have ascending offsets.
  std::int64_t line_of(std::size_t offset) {
    line_ += std::ranges::count(text_.substr(counted_, offset - counted_), '\n');
    counted_ = offset;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t counted_ = 0;
  std::int64_t line_ = 1;
};

// The last value read, of that kind, whose text begins at `begin`: the text of a string, else the JSON.
TextSpan span_of(const JsonCursor& in, JsonKind kind, const TextSpan& text, std::size_t begin) {
  if (kind == JsonKind::string) return owned_span(in.text());
  return {text.text.substr(begin, in.offset() - begin), text.owner};
}

// More keys than any record needs: an endless document must be refused at some point.
constexpr std::size_t kMostKeys = 256;

// Reads the objects of one document.
class ObjectsReader {
 public:
  ObjectsReader(const TextSpan& text, const std::string& name)
      : text_(text), in_(text.text, name), name_(name), lines_(text.text) {}

  std::vector<JsonObject> read() {
    std::int64_t last_line = 0;  // line of the previous value
    bool had_list = false;
    while (!in_.at_end()) {
      const std::int64_t line = line_here();
      if (had_list) refuse(line, "unexpected text after the list");
      if (line == last_line)
        refuse(line, "unexpected text after the object: each object begins on its own line");
      had_list = read_value(last_line == 0);
      last_line = line_here();
    }
    return std::move(objects_);
  }

 private:
  [[noreturn]] void refuse(std::int64_t line, std::string_view message) const {
    throw Error(cat(name_, ":", line, ": ", message));
  }

  std::int64_t line_here() { return lines_.line_of(in_.offset()); }

  // Reads an object, or a list of objects if it `may_be_list`. Returns whether it was a list.
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

  // Reads the beginning of a value and records its offset.
  JsonKind next_value() {
    if (!in_.at_end()) begin_ = in_.offset();
    return in_.value();
  }

  void read_object(JsonKind kind) {
    if (kind != JsonKind::object)
      refuse(lines_.line_of(begin_), cat("expected an object, found ", kind_name(kind)));
    const std::int64_t line = lines_.line_of(begin_);
    std::vector<JsonMember>& members = objects_.emplace_back(JsonObject{.line = line}).members;
    while (in_.next_member()) {
      const std::string_view key = in_.text();
      if (std::ranges::find(members, key, &JsonMember::key) != members.end())
        refuse(line, cat("duplicate key \"", printable(key), '"'));
      if (members.size() == kMostKeys) refuse(line, cat("more than ", kMostKeys, " keys"));
      read_member(members.emplace_back(JsonMember{.key = std::string(key)}), line);
    }
  }

  void read_member(JsonMember& member, std::int64_t line) {
    member.kind = next_value();
    if (!in_.skip_rest(member.kind, kDeepestJson))
      refuse(line, cat("key \"", printable(member.key), "\": more than ", kDeepestJson,
                       " lists and objects within each other"));
    member.value = span_of(in_, member.kind, text_, begin_);
  }

  const TextSpan& text_;
  JsonCursor in_;
  const std::string& name_;
  Lines lines_;
  std::size_t begin_ = 0;  // offset of the last value read
  std::vector<JsonObject> objects_;
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

std::vector<JsonMember> read_json_items(const TextSpan& list) {
  JsonCursor in(list.text);
  std::vector<JsonMember> items;
  if (in.value() != JsonKind::list) throw Error("expected a list");
  while (in.next_item()) {
    static_cast<void>(in.at_end());
    const std::size_t begin = in.offset();
    JsonMember item{.kind = in.value()};
    if (!in.skip_rest(item.kind, kDeepestJson)) throw Error("lists are nested too deep");
    item.value = span_of(in, item.kind, list, begin);
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<JsonMember> read_json_members(const TextSpan& object, const std::string& name) {
  return std::move(read_json_objects(object, name).at(0).members);
}

std::vector<JsonObject> read_json_objects(const TextSpan& text, const std::string& name) {
  // A copy, because the file may change. A text that is refused at its beginning is not copied completely.
  constexpr std::size_t kHeadBytes = 1 << 16;
  const std::string_view head = text.text.substr(0, kHeadBytes);
  const bool is_refused = head.size() < text.text.size() && !JsonCheck()(head);
  const std::string_view read = is_refused ? head : text.text;
  require_memory(to_int64(read.size()), "the text");
  std::vector<JsonObject> objects = ObjectsReader(owned_span(read), name).read();
  number_neighbours(objects);
  return objects;
}

}  // namespace tensorop
