#include "io/json/json_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/array/encoding.hpp"
#include "io/format.hpp"
#include "io/json/json_check.hpp"
#include "io/json/json_cursor.hpp"
#include "io/json/json_parts.hpp"
#include "io/json/json_writer.hpp"
#include "io/text/text_data.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

enum Key : std::uint8_t { kDType, kShape, kData };

// "did you mean X?", or all allowed names, for messages; `quote` is printed around X.
std::string suggestion(std::string_view text, const std::vector<std::string>& names, std::string_view quote) {
  const std::string near = nearest(text, names);
  return near.empty() ? "allowed: " + join(names) : cat("did you mean ", quote, near, quote, "?");
}

// The key of a described text that the cursor has just read. Adds the key to `seen`, the keys before it.
Key key_of(const JsonCursor& in, std::array<bool, kTensorKeys.size()>& seen) {
  const std::string_view text = in.text();
  const auto* found = std::find(kTensorKeys.begin(), kTensorKeys.end(), text);
  if (found == kTensorKeys.end()) {
    const std::vector<std::string> keys(kTensorKeys.begin(), kTensorKeys.end());
    throw Error(cat("unknown key \"", printable(text), "\" (", suggestion(text, keys, "\""), ')'));
  }
  const auto index = static_cast<std::size_t>(found - kTensorKeys.begin());
  if (std::exchange(seen[index], true)) throw Error(cat("duplicate key \"", text, '"'));
  return static_cast<Key>(index);
}

DType read_dtype(JsonCursor& in) {
  in.require(JsonKind::string, "dtype: expected a string");
  if (const auto dtype = parse_dtype(in.text())) return *dtype;
  std::vector<std::string> names;
  names.reserve(std::size(kDTypes));
  for (const DTypeInfo& row : kDTypes) names.emplace_back(row.name);
  throw Error(cat("unknown dtype ", in_quotes(in.text()), " (", suggestion(in.text(), names, ""), ')'));
}

std::int64_t read_dimension(JsonCursor& in, std::size_t index) {
  in.require(JsonKind::number, "shape[", index, "]: expected an integer");
  std::int64_t value = 0;
  const NumberStatus status = parse_number(in.text(), value);
  const bool is_negative = in.text()[0] == '-';
  if (status == NumberStatus::ok && !is_negative) return value;
  throw Error(cat("shape[", index, "] = ", printable(in.text()),
                  status == NumberStatus::fraction ? " is not an integer"
                  : is_negative                    ? " is negative"
                                                   : " does not fit in int64"));
}

Shape read_shape(JsonCursor& in) {
  in.require(JsonKind::list, "shape: expected a list of integers");
  Shape shape;
  while (in.next_item()) {
    const std::int64_t dimension = read_dimension(in, shape.size());
    if (shape.size() == kMaxRank)
      throw Error(cat("shape has more than ", kMaxRank, " dimensions: rank is at most ", kMaxRank));
    shape.push_back(dimension);
  }
  return shape;
}

// Reads, as data, the rest of a value that has begun as `kind`.
void read_data(JsonCursor& in, JsonKind kind, DataReader& data) {
  static const PartFormat parts = json_parts();
  while (true) {
    switch (kind) {
      case JsonKind::list:
        data.begin_list();
        break;
      case JsonKind::number:
        data.number(in.text());
        break;
      case JsonKind::string:
        data.string(in.text());
        break;
      case JsonKind::boolean:
        data.boolean(in.text() == "true");
        break;
      case JsonKind::null:
        data.refuse(kind_name(kind), "JSON has no NaN: write \"NaN\", in quotes, for a missing number");
      case JsonKind::object:
        data.refuse(kind_name(kind));
    }
    while (data.depth() != 0 && !in.next_item()) data.end_list();
    if (data.depth() == 0) return;
    in.skip(data.read_ahead(in.rest(), in.offset(), parts));
    kind = in.value();
  }
}

// Reads a described document after its opening bracket.
void read_described(JsonCursor& in, TextHeader& header, const TextReading& reading,
                    std::optional<DataReader>& data) {
  std::array<bool, kTensorKeys.size()> seen{};
  std::size_t data_begin = 0;
  while (in.next_member()) {
    const Key key = key_of(in, seen);
    if (key == kDType) {
      header.dtype = read_dtype(in);
      header.is_typed = true;
    } else if (key == kShape) {
      header.shape = read_shape(in);
    } else if (seen[kDType]) {
      read_data(in, in.value(), data.emplace(header, reading));
    } else {
      // The dtype may come later.
      data_begin = in.offset();
      // If the value is nested too deeply, reading it as data reports that.
      if (!in.skip_rest(in.value(), static_cast<int>(kDeepestList) + 1)) break;
    }
  }
  if (!seen[kData]) throw Error("key \"data\" is missing");
  if (data) return;
  const std::size_t end = in.offset();
  in.go_to(data_begin);
  read_data(in, in.value(), data.emplace(header, reading));
  in.go_to(end);
}

TextTensor read_document(std::string_view text, const TextReading& reading, TextHeader header) {
  JsonCursor in(text);
  if (in.at_end()) throw Error("holds no JSON value");
  std::optional<DataReader> data;
  const JsonKind kind = in.value();
  if (kind == JsonKind::object) {
    read_described(in, header, reading, data);
  } else {
    read_data(in, kind, data.emplace(header, reading));
  }
  in.require_end("the end of the text");
  TextTensor tensor = data->finish();
  tensor.typed = header.is_typed;
  tensor.empty = tensor.empty && !tensor.typed;
  return tensor;
}

// Whether the text begins as a list or an object. A string may also be the quoted header line of a table.
bool begins_as_json(std::string_view head) {
  const std::string_view text = after_blanks(head);
  return !text.empty() && (text[0] == '[' || text[0] == '{');
}

}  // namespace

TextTensor read_json(std::string_view text, const TextReading& reading) {
  return read_data_text(reading,
                        [&](const TextHeader& header) { return read_document(text, reading, header); });
}

TextHead peek_json(std::string_view text) {
  TextHead head;
  try {
    JsonCursor in(text);
    const JsonKind outer = in.value();
    if (outer != JsonKind::object) {
      JsonKind kind = outer;
      while (kind == JsonKind::list && in.next_item()) kind = in.value();
      if (kind == JsonKind::string && !parse_not_finite(in.text())) head.dtype = DType::string;
      return head;
    }
    head.is_described = true;
    while (in.next_member() && in.text() != kTensorKeys[kData]) {
      const bool is_dtype = in.text() == kTensorKeys[kDType];
      const JsonKind kind = in.value();
      if (is_dtype && kind == JsonKind::string) {
        head.dtype = parse_dtype(in.text());
        break;
      }
      if (!in.skip_rest(kind, 1)) break;
    }
  } catch (const Error&) {  // read_json() reports the error
  }
  return head;
}

constinit const Format kJsonFormat = {
    .name = "json",
    .title = "JSON",
    .article = "a",
    .endings = {".json"},
    .detects = begins_as_json,
    .check_text = [] { return TextCheck(JsonCheck()); },
    .read_text = read_json,
    .peek_text = peek_json,
    .encode = json_encoding,
};

constinit const Format kNestedJsonFormat = {
    .name = "nested",
    .title = "nested JSON",
    .article = "a",
    .encode = nested_json_encoding,
};

}  // namespace tensorop
