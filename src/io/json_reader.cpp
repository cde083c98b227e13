// The parser is nlohmann's, event by event. Of it this file trusts the grammar only: numbers are converted
// from their text, and everything a message says is worded here.
#include "io/json_reader.hpp"

#include <algorithm>
#include <array>
#include <clocale>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/number_text.hpp"

namespace tensorop {

JsonText::JsonText(std::string_view whole, std::shared_ptr<const void> owner)
    : whole_(whole), owner_(std::move(owner)) {}

JsonText::JsonText(InputFile stream, std::string read_so_far)
    : stream_(std::move(stream)), kept_(std::move(read_so_far)) {}

std::string_view JsonText::next() {
  constexpr std::size_t kBlock = 1 << 16;
  if (stream_ && next_ == kept_.size()) {
    kept_.resize(next_ + kBlock);
    kept_.resize(next_ + stream_->read(std::as_writable_bytes(std::span(kept_).subspan(next_))));
  }
  const std::string_view all = stream_ ? std::string_view(kept_) : whole_;
  return all.substr(std::exchange(next_, all.size()));
}

namespace {

using Json = nlohmann::json;

// The characters of a JsonText, for nlohmann. A block is asked for only when a character of it is.
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

template <class T>
inline constexpr bool kIsFloat16 = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

std::string counted(std::int64_t count, std::string_view thing) {
  return cat(count, ' ', thing, count == 1 ? "" : "s");
}

std::string brackets(std::span<const std::int64_t> coordinates) {
  std::string out;
  for (const std::int64_t coordinate : coordinates) out += cat(out.empty() ? '[' : ',', coordinate);
  return out.empty() ? out : out + ']';
}

// Nested lists: where the reader is, and the shape as far as it shows. The first list of each depth says how
// long all others of that depth are, the first element how deep elements lie.
class Nesting {
 public:
  static constexpr std::size_t kDeepest = kMaxRank + 1;  // a complex element is a list too

  // `pairs`: the innermost lists are complex elements, [re, im]. Lists more than `deepest` deep are refused.
  Nesting(bool pairs, std::size_t deepest) : pairs_(pairs), deepest_(deepest) { lengths_.fill(kUnknown); }

  // A list begins; `expected` is what an element would be.
  void open(std::string_view expected) {
    require_room();
    if (depth_ == rank_) refuse(pairs_ ? "[re, im]" : expected, "a list");
    if (depth_ == deepest_) throw_too_deep();
    counts_[++depth_] = 0;
  }

  void close() {
    std::int64_t& length = lengths_[depth_];
    const std::int64_t count = counts_[depth_];
    if (length == kUnknown) {
      length = count;
      // Without elements the lists themselves show the depth.
      if (count == 0) rank_ = depth_;
    } else if (count != length) {
      refuse_short_row();
    }
    --depth_;
    ++counts_[depth_];
  }

  // Refuses an element where there can be none. `found` is what it is.
  void require_element(std::string_view found) {
    if (depth_ != rank_) [[unlikely]]
      settle_rank(found);
    require_room();
  }
  // Steps over the element.
  void next() { ++counts_[depth_]; }

  [[noreturn]] void refuse(std::string_view expected, std::string_view found, std::string hint = {}) const {
    throw Error(cat(place(), ": expected ", expected, ", found ", found), {}, std::move(hint));
  }

  // "element [1,2]".
  [[nodiscard]] std::string place() const {
    const std::size_t depth = pairs_ && depth_ == rank_ ? depth_ - 1 : depth_;
    return depth == 0 ? "element" : "element " + brackets(path(depth));
  }

  [[nodiscard]] Shape shape() const {
    const bool empty = rank_ > 0 && lengths_[rank_] == 0;
    const std::size_t dims = pairs_ && !empty ? rank_ - 1 : rank_;
    if (dims > kMaxRank) throw_too_deep();
    return Shape(lengths_.begin() + 1, lengths_.begin() + 1 + static_cast<std::ptrdiff_t>(dims));
  }

 private:
  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();
  static constexpr std::size_t kNoRank = std::numeric_limits<std::size_t>::max();

  // The indices of the lists and elements being read, outermost first.
  [[nodiscard]] std::span<const std::int64_t> path(std::size_t depth) const {
    return std::span(counts_).subspan(1, depth);
  }

  void require_room() const {
    if (counts_[depth_] == lengths_[depth_]) [[unlikely]]
      refuse_long_row();
  }

  void settle_rank(std::string_view found) {
    const bool unpaired = pairs_ && (rank_ == kNoRank ? depth_ == 0 : depth_ + 1 == rank_);
    if (unpaired) refuse("[re, im]", found);
    if (rank_ != kNoRank) refuse("a list", found);
    rank_ = depth_;
    if (pairs_) lengths_[rank_] = 2;
  }

  [[noreturn]] void refuse_long_row() const {
    const std::int64_t length = lengths_[depth_];
    if (length == 0) throw Error(cat(row(), " has elements, ", first_row(), " has none"));
    if (pairs_ && depth_ == rank_) refuse_pair("more than 2 parts");
    throw Error(cat(row(), " has more than the ", counted(length, "element"), " of ", first_row()));
  }

  [[noreturn]] void refuse_short_row() const {
    const std::int64_t count = counts_[depth_];
    if (pairs_ && depth_ == rank_) refuse_pair(counted(count, "part"));
    throw Error(cat(row(), " has ", counted(count, "element"), ", ", first_row(), " has ", lengths_[depth_]));
  }

  // A list of numbers may be meant as real elements, or as one element with a part too many.
  [[noreturn]] void refuse_pair(std::string_view parts) const {
    if (rank_ > 1) refuse("[re, im]", parts);
    throw Error("element [0]: expected [re, im], found a number");
  }

  [[nodiscard]] std::string row() const { return "row " + brackets(path(depth_ - 1)); }
  [[nodiscard]] std::string first_row() const {
    return "row " + brackets(std::vector<std::int64_t>(depth_ - 1, 0));
  }

  [[noreturn]] static void throw_too_deep() {
    throw Error(cat("lists are nested more than ", kMaxRank, " deep: rank is at most ", kMaxRank));
  }

  bool pairs_;
  std::size_t deepest_;
  std::size_t depth_ = 0;       // lists open
  std::size_t rank_ = kNoRank;  // lists open around an element
  // At [d] what is known of the list at depth d: how many of its items are passed, and how many it must have.
  // [0] is the document, whose one item ends it.
  std::array<std::int64_t, kDeepest + 1> counts_{};
  std::array<std::int64_t, kDeepest + 1> lengths_{};
};

// The elements read so far, in memory that doubles as they come: promises of the text cost nothing.
class Elements {
 public:
  // From here on more than `most` bytes are refused with `message`.
  void limit(std::int64_t most, std::string message) {
    most_ = most;
    message_ = std::move(message);
  }

  template <class T>
  void push(const T& value) {
    if (capacity_ - used_ < static_cast<std::int64_t>(sizeof value)) [[unlikely]]
      grow();
    std::memcpy(data_ + used_, &value, sizeof value);
    used_ += static_cast<std::int64_t>(sizeof value);
  }

  // Keeps a copy of `text` as long as the elements live.
  StringRef keep(std::string_view text) {
    constexpr std::size_t kBlock = 1 << 16;
    if (text.size() > arena_left_) {
      arena_left_ = std::max(kBlock, text.size());
      arena_->push_back(std::make_unique<char[]>(arena_left_));
      arena_next_ = arena_->back().get();
    }
    const StringRef out{arena_next_, to_int64(text.size())};
    arena_next_ = std::copy(text.begin(), text.end(), arena_next_);
    arena_left_ -= text.size();
    return out;
  }

  [[nodiscard]] std::int64_t bytes() const { return used_; }

  [[nodiscard]] std::shared_ptr<Storage> take() {
    if (!storage_) storage_ = std::make_shared<Storage>(0);
    storage_->keep_alive = arena_;
    return storage_;
  }

 private:
  using Arena = std::vector<std::unique_ptr<char[]>>;

  void grow() {
    constexpr std::int64_t kFirst = 256;
    if (used_ >= most_) throw Error(message_);
    capacity_ = std::min(most_, std::max(kFirst, 2 * capacity_));
    auto larger = std::make_shared<Storage>(capacity_);
    if (used_ > 0) std::memcpy(larger->data(), data_, to_size(used_));
    storage_ = std::move(larger);
    data_ = storage_->data();
  }

  std::shared_ptr<Storage> storage_;
  std::byte* data_ = nullptr;
  std::int64_t used_ = 0;
  std::int64_t capacity_ = 0;
  std::int64_t most_ = std::numeric_limits<std::int64_t>::max();
  std::string message_;
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  char* arena_next_ = nullptr;
  std::size_t arena_left_ = 0;
};

// What one pass over the text finds out for the next one.
struct Findings {
  std::optional<DType> dtype;  // named by the text, or asked for by the caller
  std::optional<Shape> shape;
  bool named = false;      // the text has named its dtype
  bool keys_read = false;  // dtype and shape are all that the text says of them
  bool fractions = false;  // an untyped text of numbers that are not all integers
};

bool is_complex(std::optional<DType> dtype) {
  return dtype && kComplexTypes.contains(*dtype);
}

// The value of "data", or the whole of an untyped document. Its functions for elements return false when the
// text is to be read again, with what `findings` then says.
class DataReader {
 public:
  explicit DataReader(Findings& findings)
      : findings_(findings),
        nesting_(is_complex(findings.dtype), is_complex(findings.dtype) ? Nesting::kDeepest : kMaxRank) {
    dtype_ = findings.dtype;
    if (!dtype_ && findings.fractions) dtype_ = DType::float64;
    inferred_ = !dtype_;
    if (!findings.shape) return;
    const std::int64_t size = dtype_ ? element_size(*dtype_) : 1;
    require_fits(*findings.shape, size);
    if (!dtype_) return;
    const std::int64_t elements = count(*findings.shape);
    elements_.limit(elements * size, cat("data holds more than the ", counted(elements, "element"),
                                         " of shape ", to_string(*findings.shape)));
  }

  void open() { nesting_.open(expected()); }
  void close() { nesting_.close(); }

  bool boolean(bool value) {
    const std::string_view found = value ? "true" : "false";
    nesting_.require_element(found);
    if (!dtype_) dtype_ = DType::boolean;
    if (dtype_ != DType::boolean) nesting_.refuse(expected(), found);
    elements_.push(Bool{static_cast<std::uint8_t>(value)});
    nesting_.next();
    return true;
  }

  // A number whose text is that of `value`; but "-0" where `minus_zero`.
  template <class Integer>
  bool integer(Integer value, bool minus_zero = false) {
    if (!begin_number()) return false;
    dispatch(*dtype_, [&]<class T>(TypeTag<T>) {
      if constexpr (kIsInteger<T>) {
        if (std::in_range<T>(value)) {
          elements_.push(static_cast<T>(value));
        } else {
          refuse_or_put_off(cat(value));
        }
      } else if constexpr (!kIsFloat16<T>) {
        minus_zero ? push_rounded<T>(-0.0) : push_rounded<T>(value);
      } else {
        // Up to the largest float16 the integer is exact in a float, so that it is rounded once.
        const bool small = std::in_range<std::int32_t>(value) && -65504 <= static_cast<std::int32_t>(value) &&
                           static_cast<std::int32_t>(value) <= 65504;
        if (small && !minus_zero) {
          push_rounded<T>(static_cast<float>(value));
        } else {
          parse<T>(minus_zero ? "-0" : cat(value));
        }
      }
    });
    nesting_.next();
    return true;
  }

  bool number(std::string_view text) {
    if (!begin_number()) return false;
    dispatch(*dtype_, [&]<class T>(TypeTag<T>) {
      if constexpr (std::is_same_v<T, std::complex<float>>) {
        parse<float>(text);
      } else if constexpr (std::is_same_v<T, std::complex<double>>) {
        parse<double>(text);
      } else {
        parse<T>(text);
      }
    });
    nesting_.next();
    return !(inferred_ && findings_.fractions);
  }

  bool string(std::string_view text) {
    nesting_.require_element("a string");
    if (!dtype_) dtype_ = DType::string;
    const auto not_finite = parse_not_finite(text);
    if (dtype_ == DType::string) {
      elements_.push(elements_.keep(text));
      all_not_finite_ = all_not_finite_ && not_finite;
    } else if (not_finite && inferred_ && dtype_ == DType::int64) {
      findings_.fractions = true;
      return false;
    } else if (not_finite && (kFloatTypes | kComplexTypes).contains(*dtype_)) {
      dispatch(*dtype_, [&]<class T>(TypeTag<T>) { push_rounded<T>(*not_finite); });
    } else {
      const bool number = (kFloatTypes | kComplexTypes).contains(*dtype_);
      nesting_.refuse(expected(), "a string",
                      number ? "not-finite numbers are \"NaN\", \"Infinity\" and \"-Infinity\"" : "");
    }
    nesting_.next();
    return true;
  }

  // An element that no dtype has: null or an object.
  [[noreturn]] void refuse(std::string_view found) const { nesting_.refuse(expected(), found); }

  [[nodiscard]] JsonTensor finish() {
    if (put_off_) throw Error(*put_off_);
    const DType dtype = dtype_.value_or(DType::int64);
    const std::int64_t elements = elements_.bytes() / element_size(dtype);
    const Shape shape = final_shape(dtype, elements);
    return {Tensor(dtype, shape, elements_.take()), findings_.named, !findings_.named && elements == 0};
  }

 private:
  [[nodiscard]] std::string_view expected() const {
    if (!dtype_) return "a number, a string, true or false";
    if (dtype_ == DType::boolean) return "true or false";
    return dtype_ == DType::string ? "a string" : "a number";
  }

  bool begin_number() {
    nesting_.require_element("a number");
    if (!dtype_) dtype_ = DType::int64;
    if (dtype_ == DType::string && inferred_ && all_not_finite_) {
      findings_.fractions = true;
      return false;
    }
    if (dtype_ == DType::boolean || dtype_ == DType::string) nesting_.refuse(expected(), "a number");
    return true;
  }

  template <class T>
  void parse(std::string_view text) {
    if constexpr (kIsInteger<T> || kIsFloat<T>) {
      T value{};
      switch (parse_number(text, value)) {
        case NumberStatus::ok:
          return elements_.push(value);
        case NumberStatus::range:
          return refuse_or_put_off(text);
        case NumberStatus::fraction:
          break;
      }
      if (inferred_) {
        findings_.fractions = true;
        return;
      }
      throw Error(cat(nesting_.place(), " = ", printable(text), " is no integer, ", name(*dtype_),
                      " takes only integers"));
    }
  }

  // In an untyped text an integer may be too large for int64 and yet be one of many floats.
  void refuse_or_put_off(std::string_view text) {
    std::string message = cat(nesting_.place(), " = ", printable(text), " does not fit in ", name(*dtype_),
                              " (", range_text(*dtype_), ")");
    if (!inferred_) throw Error(std::move(message));
    if (!put_off_) put_off_ = std::move(message);
    elements_.push(std::int64_t{0});
  }

  // Pushes `value` as T, or as a part of T. One rounding.
  template <class T>
  void push_rounded(auto value) {
    if constexpr (std::is_same_v<T, Float16>) elements_.push(to_float16(value));
    if constexpr (std::is_same_v<T, BFloat16>) elements_.push(to_bfloat16(value));
    if constexpr (std::is_floating_point_v<T>) elements_.push(static_cast<T>(value));
    if constexpr (std::is_same_v<T, std::complex<float>>) elements_.push(static_cast<float>(value));
    if constexpr (std::is_same_v<T, std::complex<double>>) elements_.push(static_cast<double>(value));
  }

  // The shape the text states, checked against that of its lists; or the latter.
  [[nodiscard]] Shape final_shape(DType dtype, std::int64_t elements) const {
    Shape found = nesting_.shape();
    if (!findings_.shape) return found;
    const Shape& stated = *findings_.shape;
    require_fits(stated, element_size(dtype));
    const std::int64_t wanted = count(stated);
    const bool flat = found == Shape{wanted};
    // Lists show the dimensions up to the first 0.
    const auto zero = std::find(stated.begin(), stated.end(), 0);
    const bool nested = found == (zero == stated.end() ? stated : Shape(stated.begin(), zero + 1));
    if (flat || nested) return stated;
    if (is_complex(dtype) && found.empty() && elements == 1) {
      throw Error("element [0]: expected [re, im], found a number");
    }
    throw Error(cat("data has shape ", to_string(found), ", which is neither ", to_string(stated),
                    " nor a flat list of ", counted(wanted, "element")));
  }

  Findings& findings_;
  Nesting nesting_;
  Elements elements_;
  std::optional<DType> dtype_;  // unknown until the first element of an untyped text
  bool inferred_ = false;       // dtype_ comes from the elements read so far
  bool all_not_finite_ = true;  // every string so far could be a number
  std::optional<std::string> put_off_;
};

// nlohmann's message, after its prefix, in our words:
// "parse error at line 1, column 3: syntax error while parsing value - MESSAGE; last read: 'TOKEN'; expected
// X".
Error syntax_error(std::string_view message, const std::string& token) {
  const auto drop_through = [&](std::string_view mark) {
    const std::size_t at = message.find(mark);
    if (at == std::string_view::npos) return std::string_view{};
    const std::string_view before = message.substr(0, at);
    message.remove_prefix(at + mark.size());
    return before;
  };
  drop_through("parse error at ");
  const std::string place(drop_through(": syntax error "));
  drop_through(" - ");
  std::string out = cat("malformed JSON at ", place, ": ");
  const std::string last_read = cat("; last read: '", token, "'");
  const std::size_t at = message.find(last_read);
  if (at != std::string_view::npos) {
    out += message.substr(0, at);
    message.remove_prefix(at + last_read.size());
    // The end of the token is where the fault lies.
    constexpr std::size_t kMostBytes = 24;
    std::string_view end = token;
    // Before a literal nlohmann keeps what it read since the last number or string.
    if (out.ends_with("literal") && end.size() > 1) {
      end.remove_prefix(end.find_last_of(" <>,:[]{}\"", end.size() - 2) + 1);
    }
    const bool cut = end.size() > kMostBytes;
    if (cut) end.remove_prefix(end.size() - kMostBytes);
    while (end.size() > 1 && (static_cast<unsigned char>(end[0]) & 0xC0) == 0x80) end.remove_prefix(1);
    out += cat(" (last read: '", cut ? "..." : "", printable(end), "')");
  }
  return Error(out + std::string(message));
}

// Takes the parser's events through one pass. Anything wrong is thrown as an Error.
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

  // Fractions, exponents, and integers beyond 64 bits.
  bool number_float(Json::number_float_t, const std::string& text) {
    // The lexer has put the locale's decimal point there.
    if (point_ == '.') return number(text);
    std::string mended = text;
    std::replace(mended.begin(), mended.end(), point_, '.');
    return number(mended);
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
    throw syntax_error(message, token);
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

  // Something that is neither data nor what the key wants.
  bool unfit(std::string_view found) {
    switch (part_) {
      case Part::nothing:
      case Part::data:
        data_here()->refuse(found);
      case Part::dtype:
        throw Error(cat("dtype: expected a string, found ", found));
      case Part::shape:
        throw Error(cat(in_shape_ ? dimension_place() : "shape", ": expected ",
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
    refuse_dimension(text, fraction         ? "is no integer"
                           : text[0] == '-' ? "is negative"
                                            : "does not fit in int64");
  }

  // A number beyond double. The parser stops here, whatever becomes of it.
  bool huge_number(const std::string& text) {
    if (part_ == Part::skipped_data) {
      throw Error(cat(skipped_.place(), " = ", printable(text), " does not fit in any dtype"));
    }
    if (!number(text)) return false;
    // An integer that an untyped text may only have beside floats; but no float is as large.
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
    throw Error(cat("unknown dtype \"", printable(text), "\" (",
                    near.empty() ? "one of " + join(names) : cat("did you mean \"", near, "\"?"), ')'));
  }

  [[nodiscard]] std::string dimension_place() const { return cat("shape[", findings_.shape->size(), ']'); }

  [[noreturn]] void refuse_dimension(std::string_view text, std::string_view why) const {
    throw Error(cat(dimension_place(), " = ", printable(text), ' ', why));
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
