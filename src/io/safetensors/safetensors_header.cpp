#include "io/safetensors/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/json_string.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/json/json_cursor.hpp"
#include "io/little_endian.hpp"

namespace tensorop {
namespace {

[[noreturn]] void refuse_array(const SafetensorsArray& array, std::string_view what,
                               std::string_view rule = {}) {
  throw Error(cat("array ", in_quotes(array.name), ": ", what), rule);
}

// The dtype for the code `stored`; nothing if tensorop has none.
std::optional<DType> dtype_of(std::string_view stored) {
  const auto* const row = std::ranges::find(kDTypes, stored, &DTypeInfo::safetensors);
  if (stored.empty() || row == kDTypes.end()) return std::nullopt;
  return row->dtype;
}

// Reads the JSON of a header. Throws Error for all faults except duplicate array names and wrong offsets.
class HeaderReader {
 public:
  HeaderReader(JsonCursor& in, SafetensorsHeader& header) : in_(in), header_(header) {}

  void read() {
    in_.require(JsonKind::object, "header must be one JSON object");
    bool has_metadata = false;
    while (in_.next_member()) {
      if (in_.text() != kSafetensorsMetadata) {
        read_array(header_.arrays.emplace_back(SafetensorsArray{.name = std::string(in_.text())}));
      } else if (std::exchange(has_metadata, true)) {
        throw Error(cat("header: key \"", kSafetensorsMetadata, "\" stands twice"));
      } else {
        read_metadata();
      }
    }
    in_.require_end("the end of the header");
    if (unknown_keys_ == 0) return;
    header_.warnings.push_back(
        unknown_keys_ == 1 ? first_unknown_ : cat(first_unknown_, ", and ", unknown_keys_ - 1, " more"));
  }

 private:
  static constexpr std::string_view kDType = "dtype";
  static constexpr std::string_view kShape = "shape";
  static constexpr std::string_view kOffsets = "data_offsets";
  static constexpr std::array<std::string_view, 3> kKeys = {kDType, kShape, kOffsets};

  void read_metadata() {
    const JsonKind kind = in_.value();
    if (kind == JsonKind::null) {
      header_.warnings.push_back(cat(kSafetensorsMetadata, " is null: ignored"));
      return;
    }
    if (kind != JsonKind::object) {
      throw Error(cat(kSafetensorsMetadata, " must be an object of strings, found ", in_.found(kind)));
    }
    while (in_.next_member()) {
      auto& [key, text] = header_.metadata.emplace_back(in_.text(), "");
      if (const JsonKind value = in_.value(); value != JsonKind::string)
        throw Error(cat("metadata ", in_quotes(key), " must be a string, found ", in_.found(value)));
      text = in_.text();
    }
    if (const auto key = find_duplicate(header_.metadata, &Metadata::value_type::first)) {
      throw Error(cat(kSafetensorsMetadata, ": key \"", printable(*key), "\" stands twice"));
    }
  }

  void read_array(SafetensorsArray& array) {
    if (const JsonKind kind = in_.value(); kind != JsonKind::object) {
      refuse_array(array, cat("must be an object, found ", in_.found(kind)));
    }
    std::array<bool, kKeys.size()> seen{};
    std::vector<std::string> unknown;
    while (in_.next_member()) {
      const auto* const key = std::ranges::find(kKeys, in_.text());
      if (key == kKeys.end()) {
        ignore(array, unknown.emplace_back(in_.text()));
        continue;
      }
      if (std::exchange(seen[static_cast<std::size_t>(key - kKeys.begin())], true)) {
        refuse_array(array, cat("key \"", *key, "\" stands twice"));
      }
      if (*key == kDType) {
        if (const JsonKind kind = in_.value(); kind != JsonKind::string) {
          refuse_array(array, cat("dtype must be a string, found ", in_.found(kind)));
        }
        array.stored = in_.text();
      } else if (*key == kShape) {
        if (read_integers(array, kShape, array.shape) > to_int64(kMaxRank)) {
          refuse_array(array,
                       cat("shape has more than ", kMaxRank, " dimensions: rank is at most ", kMaxRank));
        }
      } else {
        Shape offsets;
        const std::int64_t count = read_integers(array, kOffsets, offsets);
        if (count != 2) refuse_array(array, cat(kOffsets, " has ", counted(count, "number"), ", not 2"));
        array.begin = offsets[0];
        array.end = offsets[1];
      }
    }
    refuse_twice(array, unknown);
    const auto* const missing = std::ranges::find(seen, false);
    if (missing != seen.end()) {
      refuse_array(array,
                   cat("key \"", kKeys[static_cast<std::size_t>(missing - seen.begin())], "\" is missing"));
    }
  }

  // Reads a list of integers and returns their number. Integers beyond the maximum of the format are not
  // kept.
  std::int64_t read_integers(const SafetensorsArray& array, std::string_view key, Shape& out) {
    if (const JsonKind kind = in_.value(); kind != JsonKind::list) {
      refuse_array(array, cat(key, " must be a list of integers, found ", in_.found(kind)));
    }
    out.clear();
    std::int64_t count = 0;
    for (; in_.next_item(); ++count) {
      const std::int64_t integer = read_integer(array, key, count);
      if (out.size() < kMaxRank) out.push_back(integer);
    }
    return count;
  }

  std::int64_t read_integer(const SafetensorsArray& array, std::string_view key, std::int64_t index) {
    const auto place = [&] { return cat(key, '[', index, ']'); };
    if (const JsonKind kind = in_.value(); kind != JsonKind::number) {
      refuse_array(array, cat(place(), " must be a non-negative integer, found ", in_.found(kind)));
    }
    constexpr std::string_view kDigits = "0123456789";
    const std::string_view text = in_.text();
    const auto value = parse_int64(text);
    // A token ends after a leading zero.
    const std::string_view more = in_.rest().substr(0, in_.rest().find_first_not_of(kDigits));
    if (!value || !more.empty() || text.find_first_not_of(kDigits) != std::string_view::npos) {
      refuse_array(array, cat(place(), " = ", printable(text), printable(more),
                              " is not a non-negative integer below 2^63"));
    }
    return *value;
  }

  // Skips a key that is not part of the format.
  void ignore(const SafetensorsArray& array, std::string_view key) {
    if (unknown_keys_++ == 0) {
      first_unknown_ =
          cat("array ", in_quotes(array.name), ": unknown key \"", printable(key), "\" is ignored");
    }
    // Depth 2: the header and the array are objects too.
    skip_rest(array, in_.value(), 2);
  }

  // Skips the rest of an ignored value inside `depth` lists and objects.
  void skip_rest(const SafetensorsArray& array, JsonKind kind, int depth) {
    if (kind != JsonKind::list && kind != JsonKind::object) return;
    if (depth == kDeepestJson) {
      throw Error(cat("header: more than ", kDeepestJson, " lists and objects within each other (byte ",
                      in_.offset() - 1 + to_size(kSafetensorsPrefix), ')'));
    }
    std::vector<std::string> keys;
    while (kind == JsonKind::list ? in_.next_item() : in_.next_member()) {
      if (kind == JsonKind::object) keys.emplace_back(in_.text());
      skip_rest(array, in_.value(), depth + 1);
    }
    refuse_twice(array, keys);
  }

  // Rule ST-3.
  static void refuse_twice(const SafetensorsArray& array, const std::vector<std::string>& keys) {
    const auto key = find_duplicate({keys.begin(), keys.end()});
    if (key) refuse_array(array, cat("key \"", printable(*key), "\" stands twice"));
  }

  JsonCursor& in_;
  SafetensorsHeader& header_;
  std::int64_t unknown_keys_ = 0;
  std::string first_unknown_;
};

// Bits of a stored element; nothing if the dtype is unknown.
std::optional<int> stored_bits(const SafetensorsArray& array) {
  if (array.dtype) return info(*array.dtype).bits;
  if (array.stored.starts_with("F6_") && safetensors_order(array.stored)) return 6;
  return std::nullopt;
}

// Bytes of the elements. Throws Error if they are too many, or end within a byte.
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

// The end of the last array. Throws Error [ST-8] if there are gaps or overlaps.
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

}  // namespace

// The sort order of the reference implementation: wide dtypes first.
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
  const std::uint64_t stated = little_endian(text_bytes(prefix.substr(0, to_size(kSafetensorsPrefix))));
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
  JsonCursor in(json, "header", to_size(kSafetensorsPrefix));
  if (in.at_end()) throw Error("header must be one JSON object, found white space");
  HeaderReader(in, header).read();
  // Rule ST-3.
  if (const auto name = find_duplicate(header.arrays, &SafetensorsArray::name))
    throw Error(cat("header: key \"", printable(*name), "\" stands twice"));
  for (SafetensorsArray& array : header.arrays) {
    array.dtype = dtype_of(array.stored);
    require_size(array, data_bytes);
  }
  header.data_bytes = require_no_gaps(header.arrays);
  if (data_bytes && header.data_bytes != *data_bytes) {
    const std::int64_t end = kSafetensorsPrefix + to_int64(json.size()) + header.data_bytes;
    throw Error("the file goes on after the last array", "",
                cat("head -c ", end, " FILE > x.safetensors leaves them out"));
  }
  return header;
}

std::int64_t alignment_of(const SafetensorsArray& array) {
  const std::int64_t elements = bounded_count(array.shape);  // any number for an unknown dtype
  return elements == 0 ? 1 : std::max<std::int64_t>(1, (array.end - array.begin) / elements);
}

bool is_aligned(const SafetensorsArray& array, std::int64_t data_offset) {
  return (data_offset + array.begin) % alignment_of(array) == 0;
}

std::string safetensors_header(const std::vector<SafetensorsArray>& arrays, const Metadata& metadata,
                               std::int64_t modulus, std::int64_t remainder) {
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
  json.append(to_size((remainder - kSafetensorsPrefix - to_int64(json.size())) & (modulus - 1)), ' ');
  if (to_int64(json.size()) > kMostSafetensorsHeader) {
    throw Error(cat("the safetensors header would have ", json.size(), " bytes (at most ",
                    kMostSafetensorsHeader, ')'));
  }
  std::string out;
  append_little_endian(out, json.size(), to_size(kSafetensorsPrefix));
  return out + json;
}

}  // namespace tensorop
