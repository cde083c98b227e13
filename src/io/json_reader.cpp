// Uses nlohmann's parser, event by event, only for the grammar: numbers are converted from their text
// (json_data.hpp), and messages are tensorop's own.
#include "io/json_reader.hpp"

#include <algorithm>
#include <array>
#include <clocale>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "io/json_data.hpp"
#include "io/json_syntax.hpp"

namespace tensorop {

JsonText::JsonText(std::string_view whole, std::shared_ptr<const void> owner)
    : whole_(whole), owner_(std::move(owner)) {}

JsonText::JsonText(InputFile stream, std::string read_so_far)
    : stream_(std::move(stream)), kept_(std::move(read_so_far)) {}

std::string_view JsonText::next() {
  constexpr std::size_t kBlock = 1 << 16;
  if (stream_ && next_ == kept_.size()) {
    if (kept_.capacity() < next_ + kBlock) require_memory(2 * to_int64(kept_.capacity()), "the text");
    kept_.resize(next_ + kBlock);
    kept_.resize(next_ + stream_->read(std::as_writable_bytes(std::span(kept_).subspan(next_))));
  }
  const std::string_view all = stream_ ? std::string_view(kept_) : whole_;
  return all.substr(std::exchange(next_, all.size()));
}

namespace {

using Json = nlohmann::json;

// The characters of a JsonText, for nlohmann. A block is read only when one of its characters is.
class Characters {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Characters() = default;  // the end
  explicit Characters(JsonText& text) : text_(&text) {}

  const char& operator*() const { return *at_; }
  Characters& operator++() {
    ++at_;
    return *this;
  }
  // Only ever asked of the end: is there another character?
  bool operator==(const Characters&) const { return at_ == stop_ && !refill(); }

 private:
  bool refill() const {
    if (rest_.empty()) rest_ = text_->next();
    if (rest_.empty()) return false;
    // nlohmann would take a zero byte for the end of the text.
    const std::string_view block = rest_.substr(0, rest_.find('\0'));
    if (block.empty()) throw Error(cat("malformed JSON at byte ", passed_ + 1, ": a zero byte"));
    rest_.remove_prefix(block.size());
    passed_ += block.size();
    at_ = block.data();
    stop_ = at_ + block.size();
    return true;
  }

  mutable const char* at_ = nullptr;
  mutable const char* stop_ = nullptr;
  mutable std::string_view rest_;
  mutable std::size_t passed_ = 0;  // bytes handed out in this block and before it
  JsonText* text_ = nullptr;
};

// Handles the parser's events of one pass. Throws Error for anything wrong.
class Handler {
 public:
  explicit Handler(Findings& findings) : findings_(findings) {}

  bool null() { return unfit("null"); }

  bool boolean(bool value) {
    if (DataReader* data = data_here()) return data->boolean(value);
    return unfit(value ? "true" : "false");
  }

  // Negative integers and "-0", which arrives as 0.
  bool number_integer(Json::number_integer_t value) {
    if (DataReader* data = data_here()) return data->integer(value, value == 0);
    if (part_ == Part::shape && in_shape_) refuse_dimension(cat(value), "is negative");
    return unfit("a number");
  }

  bool number_unsigned(Json::number_unsigned_t value) {
    if (DataReader* data = data_here()) return data->integer(value);
    if (part_ == Part::shape && in_shape_) return dimension(value);
    return unfit("a number");
  }

  // Fractions, exponents, and integers of more than 64 bits.
  bool number_float(Json::number_float_t, const std::string& text) {
    // The lexer has put the locale's decimal point there.
    if (point_ == '.') return number(text);
    std::string localized = text;
    std::replace(localized.begin(), localized.end(), point_, '.');
    return number(localized);
  }

  bool string(std::string& text) {
    if (DataReader* data = data_here()) return data->string(text);
    if (part_ == Part::dtype) return set_dtype(text);
    return unfit("a string");
  }

  bool binary(Json::binary_t&) { return false; }  // not in JSON

  bool start_object(std::size_t) {
    if (part_ != Part::nothing) return unfit("an object");
    part_ = Part::between;
    return true;
  }

  bool key(std::string& text) {
    const std::vector<std::string> keys = {"dtype", "shape", "data"};
    const auto found = std::find(keys.begin(), keys.end(), text);
    if (found == keys.end()) {
      const std::string near = nearest(text, keys);
      throw Error(cat("unknown key \"", printable(text), "\" (",
                      near.empty() ? "allowed: " + join(keys) : cat("did you mean \"", near, "\"?"), ')'));
    }
    const auto index = static_cast<std::size_t>(found - keys.begin());
    if (std::exchange(seen_[index], true)) throw Error(cat("duplicate key \"", text, '"'));
    constexpr std::array kParts = {Part::dtype, Part::shape, Part::data};
    part_ = kParts[index];
    if (part_ == Part::shape) findings_.shape = Shape();
    if (part_ != Part::data) return true;
    if (seen_[0] || findings_.keys_read) {
      data_.emplace(findings_);
    } else {
      // The dtype may follow: this pass finds it out, the next one reads the data.
      part_ = Part::skipped_data;
    }
    return true;
  }

  bool end_object() {
    if (!seen_[2]) throw Error("key \"data\" is missing");
    findings_.keys_read = true;
    return true;
  }

  bool start_array(std::size_t) {
    if (part_ == Part::skipped_data) {
      skipped_.open("an element");
    } else if (DataReader* data = data_here()) {
      data->open();
    } else if (part_ == Part::shape && !in_shape_) {
      in_shape_ = true;
    } else {
      unfit("a list");
    }
    return true;
  }

  bool end_array() {
    if (part_ == Part::skipped_data) {
      skipped_.close();
    } else if (DataReader* data = data_here()) {
      data->close();
    } else {
      in_shape_ = false;
    }
    return true;
  }

  bool parse_error(std::size_t, const std::string& token, const Json::exception& error) {
    if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr) return huge_number(token);
    const std::string_view message = error.what();
    if (part_ == Part::nothing && message.find("unexpected end of input") != std::string_view::npos) {
      throw Error("holds no JSON value");
    }
    throw json_syntax_error(message, token);
  }

  // After a pass that went through: the tensor; nothing when another pass is needed.
  [[nodiscard]] std::optional<JsonTensor> finish() {
    if (part_ == Part::skipped_data || !data_) return std::nullopt;
    return data_->finish();
  }

 private:
  enum class Part : std::uint8_t { nothing, between, dtype, shape, data, skipped_data };

  // The reader of the data, when that is where the event belongs.
  DataReader* data_here() {
    if (part_ == Part::data) [[likely]]
      return &*data_;
    if (part_ != Part::nothing) return nullptr;
    part_ = Part::data;
    return &data_.emplace(findings_);
  }

  // A value that is neither data nor of the kind that the key needs.
  bool unfit(std::string_view found) {
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
    skipped_.require_element(found);
    skipped_.next();
    return true;
  }

  bool number(const std::string& text) {
    if (DataReader* data = data_here()) return data->number(text);
    if (part_ != Part::shape || !in_shape_) return unfit("a number");
    const bool fraction = text.find_first_of(".eE") != std::string::npos;
    refuse_dimension(text, fraction         ? "is not an integer"
                           : text[0] == '-' ? "is negative"
                                            : "does not fit in int64");
  }

  // A number out of range of double. The parser stops here in any case.
  bool huge_number(const std::string& text) {
    if (part_ == Part::skipped_data) {
      throw Error(cat(skipped_.element(), " = ", printable(text), " does not fit in any dtype"));
    }
    if (!number(text)) return false;
    // An untyped text may have such an integer only together with floats; but no float is as large.
    static_cast<void>(data_->finish());
    return false;
  }

  bool set_dtype(const std::string& text) {
    findings_.dtype = parse_dtype(text);
    findings_.named = true;
    if (findings_.dtype) return true;
    std::vector<std::string> names;
    names.reserve(kDTypeCount);
    for (int i = 0; i < kDTypeCount; ++i) names.emplace_back(name(static_cast<DType>(i)));
    const std::string near = nearest(text, names);
    throw Error(cat("unknown dtype ", in_quotes(text), " (",
                    near.empty() ? "allowed: " + join(names) : cat("did you mean ", near, "?"), ')'));
  }

  [[nodiscard]] std::string dimension_name() const { return cat("shape[", findings_.shape->size(), ']'); }

  [[noreturn]] void refuse_dimension(std::string_view text, std::string_view why) const {
    throw Error(cat(dimension_name(), " = ", printable(text), ' ', why));
  }

  bool dimension(std::uint64_t value) {
    Shape& shape = *findings_.shape;
    if (!std::in_range<std::int64_t>(value)) refuse_dimension(cat(value), "does not fit in int64");
    if (shape.size() == kMaxRank) {
      throw Error(cat("shape has more than ", kMaxRank, " dimensions: rank is at most ", kMaxRank));
    }
    shape.push_back(static_cast<std::int64_t>(value));
    return true;
  }

  Findings& findings_;
  Part part_ = Part::nothing;
  bool in_shape_ = false;
  std::array<bool, 3> seen_{};  // dtype, shape, data
  std::optional<DataReader> data_;
  Nesting skipped_{false, Nesting::kDeepest};
  const char point_ = *std::localeconv()->decimal_point;
};

}  // namespace

JsonTensor read_json(JsonText& text, std::optional<DType> as) {
  Findings findings;
  findings.dtype = as;
  while (true) {
    text.rewind();
    Handler handler(findings);
    if (!Json::sax_parse(Characters(text), Characters(), &handler)) continue;
    if (auto tensor = handler.finish()) return *std::move(tensor);
  }
}

}  // namespace tensorop
