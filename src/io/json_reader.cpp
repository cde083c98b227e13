#include "io/json_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/json_data.hpp"
#include "io/json_grammar.hpp"
#include "io/json_scanner.hpp"
#include "io/number_text.hpp"

namespace tensorop {
namespace {

constexpr std::array<std::string_view, 3> kKeys = {"dtype", "shape", "data"};

// Handles the events of one reading of a document (json_grammar.hpp). Throws Error for anything wrong.
class TensorHandler {
 public:
  // `header` is what is known of the document; `is_complete` if it was read before.
  TensorHandler(JsonScanner& in, JsonHeader& header, bool is_complete, const JsonReading& reading)
      : in_(in), header_(header), is_complete_(is_complete), reading_(reading) {}

  // Whether the data has been read; else it stands in front of the keys, and is to be read again.
  [[nodiscard]] bool has_data() const { return data_.has_value(); }
  [[nodiscard]] DataReader& data() { return *data_; }

  void null() { unfit("null"); }

  void boolean(bool value) {
    if (DataReader* data = data_here()) return data->boolean(value);
    unfit(value ? "true" : "false");
  }

  void number(std::string_view text) {
    if (DataReader* data = data_here()) return data->number(text);
    if (part_ == Part::shape && in_shape_) return dimension(text);
    unfit("a number", text);
  }

  void string(std::string_view text) {
    if (DataReader* data = data_here()) return data->string(text);
    if (part_ == Part::dtype) return set_dtype(text);
    unfit("a string");
  }

  void begin_object() {
    if (part_ != Part::nothing) return unfit("an object");
    part_ = Part::between;
    // The dtype may come after the data.
    if (!reading_.keep_text) in_.source().keep_from(in_.offset() - 1);
  }

  void key(std::string_view text) {
    const auto* found = std::find(kKeys.begin(), kKeys.end(), text);
    if (found == kKeys.end()) {
      const std::vector<std::string> keys(kKeys.begin(), kKeys.end());
      const std::string near = nearest(text, keys);
      throw Error(cat("unknown key \"", printable(text), "\" (",
                      near.empty() ? "allowed: " + join(keys) : cat("did you mean \"", near, "\"?"), ')'));
    }
    const auto index = static_cast<std::size_t>(found - kKeys.begin());
    if (std::exchange(seen_[index], true)) throw Error(cat("duplicate key \"", text, '"'));
    constexpr std::array kParts = {Part::dtype, Part::shape, Part::data};
    part_ = kParts[index];
    if (part_ == Part::shape) header_.shape = Shape();
    if (part_ != Part::data) return;
    if (seen_[0] || is_complete_) {
      if (!reading_.keep_text) in_.source().keep_nothing();
      data_.emplace(header_, reading_);
    } else {
      part_ = Part::skipped_data;
    }
  }

  void end_object() {
    if (!seen_[2]) throw Error("key \"data\" is missing");
  }

  void begin_list() {
    if (part_ == Part::skipped_data) return skipped_.open("an element");
    if (DataReader* data = data_here()) return data->begin_list();
    if (part_ != Part::shape || in_shape_) unfit("a list");
    in_shape_ = true;
  }

  void end_list() {
    if (part_ == Part::skipped_data) return skipped_.close();
    if (part_ == Part::data) return data_->end_list();
    in_shape_ = false;
  }

  std::ptrdiff_t read_ahead(JsonScanner& in) { return part_ == Part::data ? data_->read_ahead(in) : 0; }

 private:
  enum class Part : std::uint8_t { nothing, between, dtype, shape, data, skipped_data };

  // The reader of the data, when that is where the event belongs.
  DataReader* data_here() {
    if (part_ == Part::data) [[likely]]
      return &*data_;
    if (part_ != Part::nothing) return nullptr;
    part_ = Part::data;
    return &data_.emplace(header_, reading_);
  }

  // A value that is neither data nor of the kind that the key needs. `number` is its text, if it is one.
  void unfit(std::string_view found, std::string_view number = {}) {
    switch (part_) {
      case Part::nothing:
      case Part::data:
        data_here()->refuse(found);
      case Part::dtype:
        throw Error(cat("dtype: expected a string, found ", found));
      case Part::shape:
        throw Error(cat(in_shape_ ? dimension_name() : "shape", ": expected ",
                        in_shape_ ? "an integer" : "a list of integers", ", found ", found));
      case Part::between:
      case Part::skipped_data:
        break;
    }
    if (found == "null" || found == "an object") skipped_.refuse("an element", found);
    double value = 0;
    if (!number.empty() && parse_number(number, value) != NumberStatus::ok) {
      throw Error(cat(skipped_.element(), " = ", printable(number), " does not fit in any dtype"));
    }
    skipped_.require_element(found);
    skipped_.next();
  }

  void set_dtype(std::string_view text) {
    header_.dtype = parse_dtype(text);
    header_.is_typed = true;
    if (header_.dtype) return;
    std::vector<std::string> names;
    names.reserve(kDTypeCount);
    for (int i = 0; i < kDTypeCount; ++i) names.emplace_back(name(static_cast<DType>(i)));
    const std::string near = nearest(text, names);
    throw Error(cat("unknown dtype ", in_quotes(text), " (",
                    near.empty() ? "allowed: " + join(names) : cat("did you mean ", near, "?"), ')'));
  }

  [[nodiscard]] std::string dimension_name() const { return cat("shape[", header_.shape->size(), ']'); }

  void dimension(std::string_view text) {
    Shape& shape = *header_.shape;
    std::int64_t value = 0;
    const NumberStatus status = parse_number(text, value);
    const bool is_negative = text[0] == '-';
    if (status != NumberStatus::ok || is_negative) {
      throw Error(cat(dimension_name(), " = ", printable(text),
                      status == NumberStatus::fraction ? " is not an integer"
                      : is_negative                    ? " is negative"
                                                       : " does not fit in int64"));
    }
    if (shape.size() == kMaxRank) {
      throw Error(cat("shape has more than ", kMaxRank, " dimensions: rank is at most ", kMaxRank));
    }
    shape.push_back(value);
  }

  JsonScanner& in_;
  JsonHeader& header_;
  bool is_complete_;
  const JsonReading& reading_;
  Part part_ = Part::nothing;
  bool in_shape_ = false;
  std::array<bool, kKeys.size()> seen_{};
  std::optional<DataReader> data_;
  Nesting skipped_{false, kDeepestList};
};

}  // namespace

JsonTensor read_json(JsonText& text, const JsonReading& reading) {
  if (reading.keep_text) text.keep_from(0);
  JsonScanner in(text);
  JsonHeader header;
  header.dtype = reading.as;
  for (bool is_complete = false;; is_complete = true) {
    const JsonToken first = in.next();
    if (first == JsonToken::end) throw Error("holds no JSON value");
    const std::size_t begin = in.offset() - 1;
    TensorHandler handler(in, header, is_complete, reading);
    parse_json(in, first, handler);
    constexpr std::string_view kEnd = "end of input";
    const JsonToken after = in.next(kEnd);
    if (after != JsonToken::end) in.refuse(after, kEnd);
    if (handler.has_data()) {
      JsonTensor tensor = handler.data().finish();
      tensor.typed = header.is_typed;
      tensor.empty = tensor.empty && !tensor.typed;
      return tensor;
    }
    in.go_to(begin);
  }
}

JsonHead peek_json(JsonText& text) {
  if (text.window().empty()) static_cast<void>(text.extend(0));
  JsonText front(JsonSpan{text.window()});
  JsonHead head;
  try {
    JsonScanner in(front);
    if (in.next() != JsonToken::begin_object) return head;
    head.is_described = true;
    do {
      static_cast<void>(in.next());
      const bool is_dtype = in.text() == "dtype";
      if (in.text() == "data") break;
      static_cast<void>(in.next());
      JsonToken token = in.next();
      if (is_dtype && token == JsonToken::string) {
        head.dtype = parse_dtype(in.text());
        break;
      }
      while (token != JsonToken::end_list && token != JsonToken::end) token = in.next();
    } while (in.next() == JsonToken::comma);
  } catch (const Error&) {  // read_json() reports it
  }
  return head;
}

}  // namespace tensorop
