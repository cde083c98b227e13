#include "io/json_objects.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/json_grammar.hpp"
#include "io/json_scanner.hpp"

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

JsonSpan own(std::string_view text) {
  const auto owner = std::make_shared<const std::string>(text);
  return {*owner, owner};
}

// Where a value lies in the text, which may yet move.
struct Value {
  std::size_t begin;
  std::size_t end;
};

// Handles the events of one value of the outermost level (json_grammar.hpp).
class ObjectsHandler {
 public:
  ObjectsHandler(JsonScanner& in, Lines& lines, const std::string& name, std::vector<JsonObject>& objects,
                 std::vector<Value>& values)
      : in_(in), lines_(lines), name_(name), objects_(objects), values_(values) {}

  [[nodiscard]] bool had_list() const { return had_list_; }

  void null() { scalar(JsonKind::null, 4); }
  void boolean(bool value) { scalar(JsonKind::boolean, value ? 4 : 5); }

  void number(std::string_view text) { scalar(JsonKind::number, text.size()); }

  void string(std::string_view text) {
    if (nested_ != 0) return;
    require_object(JsonKind::string);
    member().kind = JsonKind::string;
    member().value = own(text);
  }

  void begin_object() {
    if (in_object_) return begin_nested(JsonKind::object);
    in_object_ = true;
    objects_.push_back({lines_.line_of(in_.offset() - 1), 0, {}});
  }

  void key(std::string_view text) {
    if (nested_ != 0) return;
    std::vector<JsonMember>& members = objects_.back().members;
    if (std::ranges::find(members, text, &JsonMember::key) != members.end()) {
      refuse_object(cat("duplicate key \"", printable(text), '"'));
    }
    if (members.size() == kMostMembers) refuse_object(cat("more than ", kMostMembers, " keys"));
    members.push_back({std::string(text), JsonKind::null, {}});
  }

  void end_object() {
    if (nested_ != 0) return end_nested();
    in_object_ = false;
  }

  void begin_list() {
    if (in_object_) return begin_nested(JsonKind::list);
    if (had_list_ || !objects_.empty()) require_object(JsonKind::list);
    had_list_ = true;
  }

  void end_list() {
    if (nested_ != 0) end_nested();
  }

  static std::ptrdiff_t read_ahead(JsonScanner&) { return 0; }

 private:
  // More than any tensor or record has: an endless document must be refused at some point.
  static constexpr std::int64_t kDeepest = 100;
  static constexpr std::size_t kMostMembers = 256;

  JsonMember& member() { return objects_.back().members.back(); }

  [[noreturn]] void refuse(std::size_t offset, std::string_view message) {
    throw Error(cat(name_, ":", lines_.line_of(offset), ": ", message));
  }
  [[noreturn]] void refuse_object(std::string_view message) {
    throw Error(cat(name_, ":", objects_.back().line, ": ", message));
  }

  // Refuses what is not an object where only objects are taken.
  void require_object(JsonKind found) {
    if (!in_object_) refuse(in_.offset() - 1, cat("expected an object, found ", kind_name(found)));
  }

  // The value of the current key is the text from `begin` to where the scanner is.
  void take(JsonKind kind, std::size_t begin) {
    member().kind = kind;
    values_.push_back({begin, in_.offset()});
  }

  void scalar(JsonKind kind, std::size_t size) {
    if (nested_ != 0) return;
    require_object(kind);
    take(kind, in_.offset() - size);
  }

  void begin_nested(JsonKind kind) {
    if (nested_++ == 0) {
      nested_kind_ = kind;
      nested_begin_ = in_.offset() - 1;
    }
    if (nested_ <= kDeepest) return;
    refuse_object(cat("key \"", printable(member().key), "\": more than ", kDeepest,
                      " lists and objects within each other"));
  }

  void end_nested() {
    if (--nested_ == 0) take(nested_kind_, nested_begin_);
  }

  JsonScanner& in_;
  Lines& lines_;
  const std::string& name_;
  std::vector<JsonObject>& objects_;
  std::vector<Value>& values_;  // of the members that are no strings
  bool had_list_ = false;
  bool in_object_ = false;
  std::int64_t nested_ = 0;  // lists and objects open within a member
  JsonKind nested_kind_ = JsonKind::null;
  std::size_t nested_begin_ = 0;
};

JsonMember item_of(const JsonSpan& json) {
  switch (json.text[0]) {
    case '[':
      return {{}, JsonKind::list, json};
    case '{':
      return {{}, JsonKind::object, json};
    case '"': {
      JsonText text(json);
      JsonScanner in(text);
      static_cast<void>(in.next());
      return {{}, JsonKind::string, own(in.text())};
    }
    case 'n':
      return {{}, JsonKind::null, json};
    case 't':
    case 'f':
      return {{}, JsonKind::boolean, json};
    default:
      return {{}, JsonKind::number, json};
  }
}

// Numbers the objects that share a line with another one.
void number_neighbours(std::vector<JsonObject>& objects) {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const bool shares = (i > 0 && objects[i - 1].line == objects[i].line) ||
                        (i + 1 < objects.size() && objects[i + 1].line == objects[i].line);
    if (shares) objects[i].number = to_int64(i) + 1;
  }
}

}  // namespace

std::string_view kind_name(JsonKind kind) {
  constexpr std::string_view kNames[] = {"null",     "true or false", "a number",
                                         "a string", "a list",        "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<JsonMember> read_json_items(const JsonSpan& list) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::string_view json = list.text;
  std::vector<JsonMember> items;
  std::size_t begin = 1;
  std::int64_t depth = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1U : 0U;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    const bool ends = depth == 0 || (depth == 1 && c == ',');
    if (!ends) continue;
    const std::string_view item = json.substr(begin, at - begin);
    const std::size_t first = item.find_first_not_of(kBlank);
    if (first != std::string_view::npos) {
      items.push_back(item_of({item.substr(first, item.find_last_not_of(kBlank) + 1 - first), list.owner}));
    }
    begin = at + 1;
  }
  return items;
}

std::vector<JsonObject> read_json_objects(JsonText& text, const std::string& name) {
  std::vector<JsonObject> objects;
  std::vector<Value> values;
  text.keep_from(0);
  JsonScanner in(text, name);
  Lines lines(text);
  std::int64_t last_line = 0;  // of the value before
  bool had_list = false;
  while (!in.at_end()) {
    const std::int64_t line = lines.line_of(in.offset());
    const auto refuse = [&](std::string_view what) {
      throw Error(cat(name, ":", line, ": unexpected text after the ", what));
    };
    if (had_list) refuse("list");
    if (line == last_line) refuse("object: each object begins on its own line");
    ObjectsHandler handler(in, lines, name, objects, values);
    const JsonToken first = in.next();
    parse_json(in, first, handler);
    had_list = handler.had_list();
    last_line = lines.line_of(in.offset());
  }
  const JsonSpan whole = text.share();
  auto value = values.begin();
  for (JsonObject& object : objects) {
    for (JsonMember& member : object.members) {
      if (member.kind == JsonKind::string) continue;
      member.value = {whole.text.substr(value->begin, value->end - value->begin), whole.owner};
      ++value;
    }
  }
  number_neighbours(objects);
  return objects;
}

}  // namespace tensorop
