#include "io/safetensors/shard_index.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/json/json_cursor.hpp"

namespace tensorop {
namespace {

// What the index of a model in several files says of one array.
struct IndexEntry {
  bool is_index = false;
  std::string array = {};
  std::optional<std::string> file = {};  // if the index names the array
};

// Looks for the array `name`, or for the first one without a name, as far as the text is an index. Throws
// Error for malformed text.
void find_entry(JsonCursor& in, std::optional<std::string_view> name, IndexEntry& entry) {
  if (in.value() != JsonKind::object) return;
  while (in.next_member()) {
    const bool is_map = in.text() == "weight_map";
    // The rest of another document may be long.
    if (!is_map && in.text() != "metadata") return;
    const JsonKind kind = in.value();
    if (!is_map || kind != JsonKind::object) {
      if (!in.skip_rest(kind, kDeepestJson)) return;
      continue;
    }
    entry.is_index = true;
    while (in.next_member()) {
      const bool is_wanted = !entry.file && (!name || in.text() == *name);
      if (is_wanted) entry.array = in.text();
      const JsonKind value = in.value();
      if (is_wanted && value == JsonKind::string) entry.file = in.text();
      if (!in.skip_rest(value, kDeepestJson)) return;
    }
  }
}

}  // namespace

void refuse_shard_index(std::string_view text, std::optional<std::string_view> name) {
  IndexEntry entry;
  try {
    JsonText whole(JsonSpan{text});
    JsonCursor in(whole);
    find_entry(in, name, entry);
  } catch (const Error&) {  // another reader has more to say of it
  }
  if (!entry.is_index) return;
  const std::string hint = entry.file
                               ? cat("array ", printable(entry.array), " is in ", printable(*entry.file),
                                     name ? "" : "; FILE:NAME tells the file of another one")
                           : name ? cat("it names no array ", in_quotes(*name))
                                  : "it names no arrays";
  throw Error("is the index of a model in several safetensors files, not a tensor", "", hint);
}

}  // namespace tensorop
