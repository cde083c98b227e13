// The data of a JSON document, element by element: its nesting, its elements, its dtype.
// Owns: shape and dtype as the data shows them, and the messages for elements that do not fit. Knows nothing
// of the JSON grammar, of keys or of the parser.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/json_reader.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Nested lists: where the reader is, and the shape as far as it shows. The first list of each depth says how
// long all others of that depth are, the first element how deep elements lie. Anything ragged is thrown as an
// Error that names the row or the element.
class Nesting {
 public:
  static constexpr std::size_t kDeepest = kMaxRank + 1;  // a complex element is a list too

  // `pairs`: the innermost lists are complex elements, [re, im]. Lists more than `deepest` deep are refused;
  // `deepest` is at most kDeepest.
  Nesting(bool pairs, std::size_t deepest) : pairs_(pairs), deepest_(deepest) { lengths_.fill(kUnknown); }

  // A list begins; `expected` is what an element would be.
  void open(std::string_view expected) {
    require_room();
    if (depth_ == rank_) [[unlikely]]
      refuse_list(expected);
    if (depth_ == deepest_) [[unlikely]]
      throw_too_deep();
    counts_[++depth_] = 0;
  }

  // The innermost list ends.
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

  [[noreturn]] void refuse(std::string_view expected, std::string_view found, std::string hint = {}) const;

  // "element [1,2]".
  [[nodiscard]] std::string element() const;

  // Once all lists are closed. Ends with the first 0, below which nothing shows.
  [[nodiscard]] Shape shape() const;

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

  void settle_rank(std::string_view found);
  [[noreturn]] void refuse_list(std::string_view expected) const;
  [[noreturn]] void refuse_long_row() const;
  [[noreturn]] void refuse_short_row() const;
  [[noreturn]] void refuse_pair(std::string_view parts) const;
  [[noreturn]] static void throw_too_deep();
  [[nodiscard]] std::string row() const;
  [[nodiscard]] std::string first_row() const;

  bool pairs_;
  std::size_t deepest_;
  std::size_t depth_ = 0;       // lists open
  std::size_t rank_ = kNoRank;  // lists open around an element
  // At [d] what is known of the list at depth d: how many of its items are passed, and how many it must have.
  // [0] is the document, whose one item ends it.
  std::array<std::int64_t, kDeepest + 1> counts_{};
  std::array<std::int64_t, kDeepest + 1> lengths_{};
};

// The elements read so far, in memory that doubles as they arrive: promises of the text cost nothing.
class Elements {
 public:
  // From here on more than `most` bytes are refused with `message`.
  void limit(std::int64_t most, std::string message);

  // `most` is a multiple of the size of what is pushed: all values are of one size.
  template <class T>
  void push(const T& value) {
    if (capacity_ - used_ < static_cast<std::int64_t>(sizeof value)) [[unlikely]]
      grow();
    std::memcpy(data_ + used_, &value, sizeof value);
    used_ += static_cast<std::int64_t>(sizeof value);
  }

  // Keeps a copy of `text` as long as the elements live.
  [[nodiscard]] StringRef keep(std::string_view text);

  [[nodiscard]] std::int64_t bytes() const { return used_; }

  // The memory with the elements at its front, and the kept texts with it. The last call.
  [[nodiscard]] std::shared_ptr<Storage> take();

 private:
  using Arena = std::vector<std::unique_ptr<char[]>>;

  void grow();

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

// The findings of one pass over the text, for the next one.
struct Findings {
  std::optional<DType> dtype;  // named by the text, or asked for by the caller
  std::optional<Shape> shape;
  bool named = false;      // the text has named its dtype
  bool keys_read = false;  // dtype and shape are all that the text says of them
  bool fractions = false;  // an untyped text of numbers that are not all integers
};

// The value of "data", or the whole of an untyped document. Its functions for elements return false when the
// text is to be read again, with what `findings` then says. An element or a list that does not fit is thrown
// as an Error.
class DataReader {
 public:
  // Reads what `findings` says so far; `findings` outlives the reader.
  explicit DataReader(Findings& findings);

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

  // A number whose text is that of `value`; but "-0" where `minus_zero`. Integer: int64_t or uint64_t.
  template <class Integer>
  bool integer(Integer value, bool minus_zero = false);
  // Any number as its JSON text.
  bool number(std::string_view text);
  bool string(std::string_view text);

  // An element that no dtype has: null or an object.
  [[noreturn]] void refuse(std::string_view found) const { nesting_.refuse(expected(), found); }

  // The tensor, once all of the data has been read. The last call.
  [[nodiscard]] JsonTensor finish();

 private:
  [[nodiscard]] std::string_view expected() const {
    if (!dtype_) return "a number, a string, true or false";
    if (dtype_ == DType::boolean) return "true or false";
    return dtype_ == DType::string ? "a string" : "a number";
  }
  bool begin_number();
  template <class T>
  void parse(std::string_view text);
  void refuse_or_put_off(std::string_view text);
  [[nodiscard]] Shape final_shape(DType dtype, std::int64_t elements) const;

  Findings& findings_;
  Nesting nesting_;
  Elements elements_;
  std::optional<DType> dtype_;  // unknown until the first element of an untyped text
  bool inferred_ = false;       // dtype_ comes from the elements read so far
  bool all_not_finite_ = true;  // every string so far could be a number
  std::optional<std::string> put_off_;
};

}  // namespace tensorop
