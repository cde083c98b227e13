#include "io/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/archive.hpp"
#include "io/json_grammar.hpp"
#include "io/json_scanner.hpp"
#include "io/json_writer.hpp"

namespace tensorop {
namespace {

[[noreturn]] void refuse_array(const SafetensorsArray& array, std::string_view what,
                               std::string_view rule = {}) {
  throw Error(cat("array ", in_quotes(array.name), ": ", what), rule);
}

// The dtype that the format calls `stored`; nothing where tensorop has none for it.
std::optional<DType> dtype_of(std::string_view stored) {
  const auto* const row = std::ranges::find(kDTypes, stored, &DTypeInfo::safetensors);
  if (stored.empty() || row == kDTypes.end()) return std::nullopt;
  return row->dtype;
}

// Reads the JSON of a header event by event (json_grammar.hpp). Throws Error for anything wrong in it, except
// for names that stand twice and for what the offsets say.
class HeaderHandler {
 public:
  HeaderHandler(JsonScanner& in, SafetensorsHeader& header) : in_(in), header_(header) {}

  void null() {
    if (wanted_ == Wanted::metadata) {
      header_.warnings.push_back(cat(kSafetensorsMetadata, " is null: ignored"));
    } else {
      refuse_unless_ignored("null");
    }
  }
  void boolean(bool value) { refuse_unless_ignored(value ? "true" : "false"); }
  void number(std::string_view text) {
    if (wanted_ != Wanted::integer) return refuse_unless_ignored("a number");
    constexpr std::string_view kDigits = "0123456789";
    const auto value = parse_int64(text);
    // After a leading zero the token ends.
    const std::string_view rest = in_.rest();
    const std::string_view more = rest.substr(0, rest.find_first_not_of(kDigits));
    if (!value || !more.empty() || text.find_first_not_of(kDigits) != std::string_view::npos) {
      refuse(cat(list_name_, '[', list_size_, "] = ", printable(text), printable(more),
                 " is not a non-negative integer below 2^63"));
    }
    take(*value);
  }
  void string(std::string_view text) {
    if (wanted_ == Wanted::metadata_text) {
      header_.metadata.back().second = text;
    } else if (wanted_ == Wanted::dtype) {
      array().stored = text;
    } else {
      refuse_unless_ignored("a string");
    }
  }

  void begin_list() {
    open();
    if (wanted_ == Wanted::shape || wanted_ == Wanted::offsets) {
      list_name_ = wanted_ == Wanted::shape ? kShape : kOffsets;
      list_size_ = 0;
      wanted_ = Wanted::integer;
    } else {
      refuse_unless_ignored("a list");
    }
  }
  void end_list() {
    --depth_;
    if (wanted_ == Wanted::integer && list_name_ == kOffsets && list_size_ != 2) {
      refuse(cat(kOffsets, " has ", counted(list_size_, "number"), ", not 2"));
    }
  }

  void begin_object() {
    open();
    if (wanted_ == Wanted::metadata || wanted_ == Wanted::array) {
      object_ = wanted_;
    } else if (wanted_ != Wanted::header) {
      refuse_unless_ignored("an object");
    }
    // Of the outermost object the names are compared at the end.
    keys_.emplace_back();
  }
  void key(std::string_view text) {
    if (keys_.size() == 1) return begin_member(text);
    if (keys_.size() > 2) return add_key(text);
    if (object_ == Wanted::metadata) {
      add_key(text);
      header_.metadata.emplace_back(text, "");
      wanted_ = Wanted::metadata_text;
      return;
    }
    const auto known = std::ranges::find(kKeys, text, &Key::name);
    if (known == kKeys.end()) {
      add_key(text);
      wanted_ = Wanted::anything;
      if (unknown_keys_++ == 0) {
        first_unknown_ =
            cat("array ", in_quotes(array().name), ": unknown key \"", printable(text), "\" is ignored");
      }
      return;
    }
    bool& seen = seen_[static_cast<std::size_t>(known - kKeys.begin())];
    if (seen) refuse_twice(text);
    seen = true;
    wanted_ = known->value;
  }
  void end_object() {
    --depth_;
    std::vector<std::string>& keys = keys_.back();
    std::ranges::sort(keys);
    const auto twice = std::ranges::adjacent_find(keys);
    if (twice != keys.end()) refuse_twice(*twice);
    keys_.pop_back();
    if (keys_.size() != 1 || object_ != Wanted::array) return;
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      if (!seen_[i]) refuse(cat("key \"", kKeys[i].name, "\" is missing"));
    }
  }

  static std::ptrdiff_t read_ahead(JsonScanner&) { return 0; }

  // After the last event.
  void finish() {
    if (unknown_keys_ == 0) return;
    header_.warnings.push_back(
        unknown_keys_ == 1 ? first_unknown_ : cat(first_unknown_, ", and ", unknown_keys_ - 1, " more"));
  }

 private:
  // What the next value is to be; `anything`: a value that is ignored, and what is in it.
  enum class Wanted : std::uint8_t {
    header,
    metadata,
    metadata_text,
    array,
    dtype,
    shape,
    offsets,
    integer,
    anything
  };
  struct Key {
    std::string_view name;
    Wanted value;
  };
  static constexpr std::string_view kShape = "shape";
  static constexpr std::string_view kOffsets = "data_offsets";
  static constexpr std::array<Key, 3> kKeys = {
      {{"dtype", Wanted::dtype}, {kShape, Wanted::shape}, {kOffsets, Wanted::offsets}}};
  // As in job files.
  static constexpr int kDeepest = 100;

  SafetensorsArray& array() { return header_.arrays.back(); }

  // A key of the outermost object.
  void begin_member(std::string_view name) {
    if (name == kSafetensorsMetadata) {
      if (has_metadata_) throw Error(cat("header: key \"", kSafetensorsMetadata, "\" stands twice"));
      has_metadata_ = true;
      wanted_ = Wanted::metadata;
      return;
    }
    header_.arrays.push_back({.name = std::string(name)});
    seen_ = {};
    wanted_ = Wanted::array;
  }

  void take(std::int64_t value) {
    if (list_name_ == kShape) {
      if (array().shape.size() == kMaxRank) {
        refuse(cat("shape has more than ", kMaxRank, " dimensions: rank is at most ", kMaxRank));
      }
      array().shape.push_back(value);
    } else {
      (list_size_ == 0 ? array().begin : array().end) = value;
    }
    ++list_size_;
  }

  void open() {
    if (++depth_ <= kDeepest) return;
    throw Error(cat("header: more than ", kDeepest, " lists and objects within each other (byte ",
                    in_.offset() - 1 + to_size(kSafetensorsPrefix), ')'));
  }

  void add_key(std::string_view text) { keys_.back().emplace_back(text); }

  void refuse_unless_ignored(std::string_view found) {
    switch (wanted_) {
      case Wanted::anything:
        return;
      case Wanted::header:
        throw Error(cat("header must be one JSON object, found ", found));
      case Wanted::metadata:
        throw Error(cat(kSafetensorsMetadata, " must be an object of strings, found ", found));
      case Wanted::metadata_text:
        throw Error(
            cat("metadata ", in_quotes(header_.metadata.back().first), " must be a string, found ", found));
      case Wanted::array:
        refuse(cat("must be an object, found ", found));
      case Wanted::dtype:
        refuse(cat("dtype must be a string, found ", found));
      case Wanted::shape:
      case Wanted::offsets:
        refuse(
            cat(wanted_ == Wanted::shape ? kShape : kOffsets, " must be a list of integers, found ", found));
      case Wanted::integer:
        refuse(cat(list_name_, '[', list_size_, "] must be a non-negative integer, found ", found));
    }
  }
  void refuse_twice(std::string_view key) {
    const std::string what = cat("key \"", printable(key), "\" stands twice");
    if (keys_.size() == 2 && object_ == Wanted::metadata) throw Error(cat(kSafetensorsMetadata, ": ", what));
    refuse(what);
  }
  // What is wrong with the array that was begun last.
  [[noreturn]] void refuse(std::string_view what) { refuse_array(array(), what); }

  JsonScanner& in_;
  SafetensorsHeader& header_;
  Wanted wanted_ = Wanted::header;
  int depth_ = 0;
  Wanted object_ = Wanted::header;  // what the object within the outermost one is
  // Of each open object: its keys, but for those that have a place of their own.
  std::vector<std::vector<std::string>> keys_;
  std::array<bool, kKeys.size()> seen_{};
  bool has_metadata_ = false;
  std::string_view list_name_;
  std::int64_t list_size_ = 0;
  std::int64_t unknown_keys_ = 0;
  std::string first_unknown_;
};

// Throws Error [ST-3].
void require_different_names(const std::vector<SafetensorsArray>& arrays) {
  std::vector<std::string_view> names;
  names.reserve(arrays.size());
  for (const SafetensorsArray& array : arrays) names.emplace_back(array.name);
  if (const auto name = find_duplicate(std::move(names))) {
    throw Error(cat("header: key \"", printable(*name), "\" stands twice"));
  }
}

// Bits of an element that is stored so; nothing where that is not known.
std::optional<int> stored_bits(const SafetensorsArray& array) {
  if (array.dtype) return info(*array.dtype).bits;
  if (array.stored.starts_with("F6_") && safetensors_order(array.stored)) return 6;
  return std::nullopt;
}

// Bytes of the elements. Throws Error where they are too many, or no integer.
std::int64_t stored_bytes(const SafetensorsArray& array, int bits) {
  const auto elements = element_count(array.shape);
  const auto total = elements ? checked_mul(*elements, bits) : std::nullopt;
  if (!total) refuse_array(array, cat("the shape ", to_string(array.shape), " is too large"), "G-2");
  if (*total % 8 != 0) {
    refuse_array(array, cat(array.stored, " of shape ", to_string(array.shape), " has ", *total,
                            " bits, which are not a multiple of 8"));
  }
  return *total / 8;
}

// Throws Error [ST-7].
void require_size(const SafetensorsArray& array, std::optional<std::int64_t> data_bytes) {
  if (array.begin > array.end) {
    refuse_array(array, cat("data_offsets [", array.begin, ',', array.end, "]: begin is above end"));
  }
  if (data_bytes && array.end > *data_bytes) {
    refuse_array(array, cat("it ends at byte ", array.end, " of the data, the file has ", *data_bytes));
  }
  const auto bits = stored_bits(array);
  if (!bits) return;
  const std::int64_t needed = stored_bytes(array, *bits);
  if (needed == array.end - array.begin) return;
  refuse_array(array, cat("data_offsets span ", array.end - array.begin, " bytes, ",
                          array.dtype ? name(*array.dtype) : std::string_view(array.stored), " of shape ",
                          to_string(array.shape), " needs ", needed));
}

// Where the arrays end. Throws Error [ST-8] where they do not follow each other.
std::int64_t require_no_gaps(const std::vector<SafetensorsArray>& arrays) {
  std::vector<const SafetensorsArray*> sorted;
  sorted.reserve(arrays.size());
  for (const SafetensorsArray& array : arrays) sorted.push_back(&array);
  std::ranges::stable_sort(sorted, {},
                           [](const SafetensorsArray* array) { return std::pair(array->begin, array->end); });
  std::int64_t end = 0;
  const SafetensorsArray* before = nullptr;
  for (const SafetensorsArray* array : sorted) {
    if (array->begin < end) {
      throw Error(cat("array ", in_quotes(array->name), " begins at byte ", array->begin,
                      " of the data, array ", in_quotes(before->name), " ends at ", end));
    }
    if (array->begin > end) {
      throw Error(cat("bytes ", end, "..", array->begin - 1, " of the data belong to no array"));
    }
    end = array->end;
    before = array;
  }
  return end;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

// As the reference implementation sorts them: wide ones first.
std::optional<std::size_t> safetensors_order(std::string_view stored) {
  constexpr std::string_view kOrder[] = {"U64",         "I64",     "F64",     "C64",     "F32", "U32",
                                         "I32",         "BF16",    "F16",     "U16",     "I16", "F8_E5M2FNUZ",
                                         "F8_E4M3FNUZ", "F8_E8M0", "F8_E4M3", "F8_E5M2", "I8",  "U8",
                                         "F6_E3M2",     "F6_E2M3", "F4",      "BOOL"};
  const auto* const found = std::ranges::find(kOrder, stored);
  if (found == std::end(kOrder)) return std::nullopt;
  return static_cast<std::size_t>(found - kOrder);
}

std::int64_t safetensors_header_bytes(std::string_view prefix, std::optional<std::int64_t> file_bytes) {
  if (prefix.size() < to_size(kSafetensorsPrefix)) {
    throw Error(cat("too short for a safetensors header: ", counted(to_int64(prefix.size()), "byte"),
                    ", at least ", kSafetensorsPrefix));
  }
  const std::uint64_t stated = little_endian(prefix.substr(0, to_size(kSafetensorsPrefix)));
  if (stated > static_cast<std::uint64_t>(kMostSafetensorsHeader)) {
    throw Error(cat("safetensors header of ", stated, " bytes (at most ", kMostSafetensorsHeader, ')'));
  }
  const auto bytes = static_cast<std::int64_t>(stated);
  if (bytes == 0) throw Error("the safetensors header is empty");
  if (file_bytes && bytes > *file_bytes - kSafetensorsPrefix) {
    throw Error(cat("safetensors header of ", bytes, " bytes, the file holds ",
                    *file_bytes - kSafetensorsPrefix, " after its length"));
  }
  return bytes;
}

SafetensorsHeader parse_safetensors_header(std::string_view json, std::optional<std::int64_t> data_bytes) {
  if (json.starts_with("\xEF\xBB\xBF")) throw Error("header begins with a byte order mark (byte 8)");
  SafetensorsHeader header;
  JsonText text(JsonSpan{json});
  JsonScanner in(text, "header", to_size(kSafetensorsPrefix));
  const JsonToken first = in.next();
  if (first == JsonToken::end) throw Error("header must be one JSON object, found white space");
  HeaderHandler handler(in, header);
  parse_json(in, first, handler);
  constexpr std::string_view kEnd = "the end of the header";
  const JsonToken after = in.next(kEnd);
  if (after != JsonToken::end) in.refuse(after, kEnd);
  handler.finish();
  require_different_names(header.arrays);
  for (SafetensorsArray& array : header.arrays) {
    array.dtype = dtype_of(array.stored);
    require_size(array, data_bytes);
  }
  header.data_bytes = require_no_gaps(header.arrays);
  if (data_bytes && header.data_bytes != *data_bytes) {
    throw Error(cat(counted(*data_bytes - header.data_bytes, "byte"), " after the last array"));
  }
  return header;
}

std::string safetensors_header(const std::vector<SafetensorsArray>& arrays, const Metadata& metadata) {
  std::string json = "{";
  const auto begin_key = [&](std::string_view key) {
    if (!json.ends_with('{')) json += ',';
    append_json_string(json, key);
    json += ':';
  };
  if (!metadata.empty()) {
    begin_key(kSafetensorsMetadata);
    json += '{';
    for (const auto& [key, value] : metadata) {
      begin_key(key);
      append_json_string(json, value);
    }
    json += '}';
  }
  for (const SafetensorsArray& array : arrays) {
    begin_key(array.name);
    json += "{\"dtype\":";
    append_json_string(json, array.stored);
    json += ",\"shape\":[";
    for (std::size_t i = 0; i < array.shape.size(); ++i) json += cat(i == 0 ? "" : ",", array.shape[i]);
    json += cat("],\"data_offsets\":[", array.begin, ',', array.end, "]}");
  }
  json += '}';
  // The data is aligned to 8 bytes.
  json.append((8 - json.size() % 8) % 8, ' ');
  if (to_int64(json.size()) > kMostSafetensorsHeader) {
    throw Error(cat("the safetensors header would have ", json.size(), " bytes (at most ",
                    kMostSafetensorsHeader, ')'));
  }
  std::string out;
  for (std::size_t i = 0; i < to_size(kSafetensorsPrefix); ++i) {
    out += static_cast<char>(json.size() >> (8 * i) & 0xFFU);
  }
  return out + json;
}

}  // namespace tensorop
