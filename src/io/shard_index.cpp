#include "io/shard_index.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/json_grammar.hpp"

namespace tensorop {
namespace {

// Handles the events of an index (json_grammar.hpp): looks for one key of its "weight_map".
class IndexHandler {
 public:
  explicit IndexHandler(std::optional<std::string_view> name) : name_(name) {}

  [[nodiscard]] bool is_index() const { return is_index_; }
  // The array that was looked for and the file that it is in, if it was found.
  [[nodiscard]] const std::string& array() const { return array_; }
  [[nodiscard]] const std::optional<std::string>& file() const { return file_; }

  void null() { require_object(); }
  void boolean(bool /*value*/) { require_object(); }
  void number(std::string_view /*text*/) { require_object(); }
  void string(std::string_view text) {
    require_object();
    if (is_wanted_) file_ = text;
    is_wanted_ = false;
  }
  void begin_list() {
    require_object();
    ++depth_;
  }
  void end_list() { --depth_; }
  void begin_object() {
    ++depth_;
    is_wanted_ = false;
    if (depth_ == 2 && is_map_) is_index_ = true;
  }
  void end_object() { --depth_; }
  void key(std::string_view text) {
    if (depth_ == 1) {
      is_map_ = text == "weight_map";
      // The rest of another document may be long.
      if (!is_map_ && text != "metadata") throw Error("is no index");
    }
    is_wanted_ = depth_ == 2 && is_map_ && !file_ && (!name_ || text == *name_);
    if (is_wanted_) array_ = text;
  }
  static std::ptrdiff_t read_ahead(JsonScanner& /*in*/) { return 0; }

 private:
  void require_object() const {
    if (depth_ == 0) throw Error("is no index");
  }

  std::optional<std::string_view> name_;
  int depth_ = 0;
  bool is_map_ = false;     // the last key of the outermost object was that of the map
  bool is_wanted_ = false;  // the last key was that of the array
  bool is_index_ = false;
  std::string array_;
  std::optional<std::string> file_;
};

}  // namespace

void refuse_shard_index(std::string_view text, std::optional<std::string_view> name) {
  IndexHandler handler(name);
  try {
    JsonText whole(JsonSpan{text});
    JsonScanner in(whole);
    const JsonToken first = in.next();
    parse_json(in, first, handler);
  } catch (const Error&) {  // another reader has more to say of it
  }
  if (!handler.is_index()) return;
  const std::string hint =
      handler.file() ? cat("array ", printable(handler.array()), " is in ", printable(*handler.file()),
                           name ? "" : "; FILE:NAME tells the file of another one")
      : name         ? cat("it names no array ", in_quotes(*name))
                     : "it names no arrays";
  throw Error("is the index of a model in several safetensors files, not a tensor", "", hint);
}

}  // namespace tensorop
