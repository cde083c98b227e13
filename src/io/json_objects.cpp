// Uses nlohmann's parser, event by event, for the grammar and the decoding of strings. The beginning and the
// end of a value follow from how far the parser has read at each event.
#include "io/json_objects.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/json_syntax.hpp"

namespace tensorop {
namespace {

using Json = nlohmann::json;

// How far a document has been read.
class Cursor {
 public:
  Cursor(JsonText& text, const std::string& name) : text_(text), name_(name) { text_.rewind(); }

  [[nodiscard]] bool at_end() {
    if (at_ < all_.size()) return false;
    const bool arrived = !text_.next().empty();
    all_ = text_.so_far();
    return !arrived;
  }
  // The next character; not at the end.
  [[nodiscard]] const char& peek() const { return all_[at_]; }
  void advance() { ++at_; }

  [[nodiscard]] std::size_t offset() const { return at_; }
  void go_back_to(std::size_t offset) { at_ = offset; }
  [[nodiscard]] std::string_view text() const { return all_; }
  // The line of an offset. Offsets are asked for in ascending order.
  [[nodiscard]] std::int64_t line_of(std::size_t offset) {
    line_ += std::count(all_.begin() + static_cast<std::ptrdiff_t>(counted_),
                        all_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    counted_ = offset;
    return line_;
  }
  [[noreturn]] void refuse_zero_byte() {
    throw Error(cat(name_, ":", line_of(at_), ": malformed JSON: a zero byte"));
  }

 private:
  JsonText& text_;
  const std::string& name_;
  std::string_view all_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;
  std::int64_t line_ = 1;
};

// The cursor as nlohmann wants it.
class Characters {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Characters() = default;  // the end
  explicit Characters(Cursor& cursor) : cursor_(&cursor) {}

  const char& operator*() const {
    const char& next = cursor_->peek();
    // nlohmann would take it for the end of the text.
    if (next == '\0') cursor_->refuse_zero_byte();
    return next;
  }
  Characters& operator++() {
    cursor_->advance();
    return *this;
  }
  // Only ever asked of the end: is there another character?
  bool operator==(const Characters&) const { return cursor_->at_end(); }

 private:
  Cursor* cursor_ = nullptr;
};

// Handles the parser's events of one value of the outermost level.
class Handler {
 public:
  Handler(Cursor& cursor, const std::string& name, std::int64_t lines_before,
          std::vector<JsonObject>& objects)
      : cursor_(cursor), name_(name), lines_before_(lines_before), objects_(objects) {}

  [[nodiscard]] bool had_list() const { return had_list_; }

  bool null() { return scalar(JsonKind::null, 0); }
  bool boolean(bool) { return scalar(JsonKind::boolean, 0); }
  // The parser has looked at the character after a number.
  bool number_integer(Json::number_integer_t) { return scalar(JsonKind::number, 1); }
  bool number_unsigned(Json::number_unsigned_t) { return scalar(JsonKind::number, 1); }
  bool number_float(Json::number_float_t, const std::string&) { return scalar(JsonKind::number, 1); }
  bool binary(Json::binary_t&) { return false; }  // not in JSON

  bool string(std::string& text) {
    if (nested_ != 0) return true;
    require_object(JsonKind::string);
    member().kind = JsonKind::string;
    member().text = std::move(text);
    return true;
  }

  bool start_object(std::size_t) {
    if (in_object_) return begin_nested(JsonKind::object);
    in_object_ = true;
    objects_.push_back({cursor_.line_of(cursor_.offset() - 1), 0, {}});
    return true;
  }

  bool key(std::string& text) {
    if (nested_ != 0) return true;
    std::vector<JsonMember>& members = objects_.back().members;
    if (std::ranges::find(members, text, &JsonMember::key) != members.end()) {
      throw Error(cat(name_, ":", objects_.back().line, ": duplicate key \"", printable(text), '"'));
    }
    if (members.size() == kMostMembers) {
      throw Error(cat(name_, ":", objects_.back().line, ": more than ", kMostMembers, " keys"));
    }
    members.push_back({std::move(text), JsonKind::null, {}});
    key_end_ = cursor_.offset();
    return true;
  }

  bool end_object() {
    if (nested_ != 0) return end_nested();
    in_object_ = false;
    return true;
  }

  bool start_array(std::size_t) {
    if (in_object_) return begin_nested(JsonKind::list);
    if (in_list_ || !objects_.empty()) require_object(JsonKind::list);
    in_list_ = had_list_ = true;
    return true;
  }

  bool end_array() {
    if (nested_ != 0) return end_nested();
    in_list_ = false;
    return true;
  }

  bool parse_error(std::size_t, const std::string& token, const Json::exception& error) {
    if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr) {
      throw Error(cat(name_, ":", cursor_.line_of(cursor_.offset()), ": ", printable(token),
                      " does not fit in any dtype"));
    }
    Error mine = json_syntax_error(error.what(), token, lines_before_);
    mine.add_context(name_);
    throw mine;
  }

 private:
  // More than any tensor or record has: an endless document must be refused at some point.
  static constexpr std::int64_t kDeepest = 100;
  static constexpr std::size_t kMostMembers = 256;

  JsonMember& member() { return objects_.back().members.back(); }

  // Refuses what is not an object where only objects are taken.
  void require_object(JsonKind found) {
    if (in_object_) return;
    throw Error(cat(name_, ":", cursor_.line_of(cursor_.offset() - 1), ": expected an object, found ",
                    kind_name(found)));
  }

  // Sets the value of the current key to the text from after the key to `end`.
  void take(JsonKind kind, std::size_t end) {
    const std::string_view text = cursor_.text();
    const std::size_t begin = text.find_first_not_of(": \t\r\n", key_end_);
    member().kind = kind;
    member().text = text.substr(begin, end - begin);
  }

  bool scalar(JsonKind kind, std::size_t looked_ahead) {
    if (nested_ != 0) return true;
    require_object(kind);
    take(kind, cursor_.offset() - looked_ahead);
    return true;
  }

  bool begin_nested(JsonKind kind) {
    if (nested_++ == 0) member().kind = kind;
    if (nested_ <= kDeepest) return true;
    throw Error(cat(name_, ":", objects_.back().line, ": key \"", printable(member().key), "\": more than ",
                    kDeepest, " lists and objects within each other"));
  }

  bool end_nested() {
    if (--nested_ == 0) take(member().kind, cursor_.offset());
    return true;
  }

  Cursor& cursor_;
  const std::string& name_;
  std::int64_t lines_before_;
  std::vector<JsonObject>& objects_;
  bool in_list_ = false;
  bool had_list_ = false;
  bool in_object_ = false;
  std::int64_t nested_ = 0;  // lists and objects open within a member
  std::size_t key_end_ = 0;
};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Steps over blanks and blank lines; false at the end of the document.
bool find_value(Cursor& cursor) {
  while (!cursor.at_end()) {
    if (!is_space(cursor.peek())) return true;
    cursor.advance();
  }
  return false;
}

// After a value the rest of its line must be blank.
void require_end_of_line(Cursor& cursor, const std::string& name) {
  while (!cursor.at_end() && cursor.peek() != '\n') {
    if (!is_space(cursor.peek())) {
      throw Error(cat(name, ":", cursor.line_of(cursor.offset()),
                      ": unexpected text after the object: ", "each object begins on its own line"));
    }
    cursor.advance();
  }
}

void skip_byte_order_mark(Cursor& cursor) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  for (const char c : kMark) {
    if (cursor.at_end() || cursor.peek() != c) return cursor.go_back_to(0);
    cursor.advance();
  }
}

JsonMember item_of(std::string_view json) {
  switch (json[0]) {
    case '[':
      return {{}, JsonKind::list, std::string(json)};
    case '{':
      return {{}, JsonKind::object, std::string(json)};
    case '"':
      return {{}, JsonKind::string, Json::parse(json).get<std::string>()};
    case 'n':
      return {{}, JsonKind::null, std::string(json)};
    case 't':
    case 'f':
      return {{}, JsonKind::boolean, std::string(json)};
    default:
      return {{}, JsonKind::number, std::string(json)};
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

std::vector<JsonMember> read_json_items(std::string_view json) {
  constexpr std::string_view kBlank = " \t\r\n";
  std::vector<JsonMember> items;
  std::size_t begin = 1;
  std::int64_t depth = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      for (++at; json[at] != '"'; ++at) at += json[at] == '\\' ? 1U : 0U;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    const bool ends = depth == 0 || (depth == 1 && c == ',');
    if (!ends) continue;
    const std::string_view item = json.substr(begin, at - begin);
    const std::size_t first = item.find_first_not_of(kBlank);
    if (first != std::string_view::npos) {
      items.push_back(item_of(item.substr(first, item.find_last_not_of(kBlank) + 1 - first)));
    }
    begin = at + 1;
  }
  return items;
}

std::vector<JsonObject> read_json_objects(JsonText& text, const std::string& name) {
  std::vector<JsonObject> objects;
  Cursor cursor(text, name);
  skip_byte_order_mark(cursor);
  while (find_value(cursor)) {
    const std::size_t line_break = cursor.text().rfind('\n', cursor.offset());
    const std::int64_t lines_before = cursor.line_of(cursor.offset()) - 1;
    // From the beginning of the line, so that the parser's columns are right.
    if (line_break != std::string_view::npos) cursor.go_back_to(line_break + 1);
    Handler handler(cursor, name, lines_before, objects);
    constexpr bool kWholeText = false;
    Json::sax_parse(Characters(cursor), Characters(), &handler, Json::input_format_t::json, kWholeText);
    require_end_of_line(cursor, name);
    if (!handler.had_list()) continue;
    if (find_value(cursor)) {
      throw Error(cat(name, ":", cursor.line_of(cursor.offset()), ": unexpected text after the list"));
    }
  }
  number_neighbours(objects);
  return objects;
}

}  // namespace tensorop
