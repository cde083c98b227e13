#include "io/json/json_writer.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/json_string.hpp"
#include "base/text/text.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

// Collects text in a block before appending it to a string: an element costs one check for room and no
// allocation. flush() completes the string; a destructor cannot, because an allocation may fail.
class Writer {
 public:
  Writer(std::string& out, Digits digits) : out_(out), is_exact_(digits == Digits::exact) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void put(char c) {
    make_room(1);
    *end_++ = c;
  }

  void put(Bool value) {
    const std::string_view text = value ? "true" : "false";
    make_room(text.size());
    end_ = std::copy(text.begin(), text.end(), end_);
  }

  void put(StringRef value) {
    // Bypasses the block: a string may be longer than the block.
    flush();
    append_json_string(out_, value.view());
  }

  void flush() {
    out_.append(block_, end_);
    end_ = block_;
  }

  template <class T>
  void put(std::complex<T> value) {
    put('[');
    put(value.real());
    put(',');
    put(value.imag());
    put(']');
  }

  template <Number T>
  void put(T value) {
    constexpr std::size_t kQuotes = 2;
    make_room(kNumberTextSize + kQuotes);
    char* end = is_exact_ ? write_exact(end_, value) : write_number(end_, value);
    const bool finite = '0' <= end[-1] && end[-1] <= '9';
    if (!finite) [[unlikely]] {
      end = std::copy_backward(end_, end, end + 1) + (end - end_);
      *end_ = '"';
      *end++ = '"';
    }
    end_ = end;
  }

 private:
  void make_room(std::size_t bytes) {
    if (static_cast<std::size_t>(block_ + sizeof block_ - end_) < bytes) flush();
  }

  std::string& out_;
  bool is_exact_;
  char block_[4096];
  char* end_ = block_;
};

// A position in the nested form of a tensor without zero dimensions.
class NestedPosition {
 public:
  NestedPosition(const Shape& shape, std::int64_t position)
      : shape_(shape), at_(coordinates(position, shape)) {}

  [[nodiscard]] std::int64_t left_in_row() const { return shape_.back() - at_.back(); }

  // The number of lists that begin before the element: all its coordinates in them are 0.
  [[nodiscard]] std::size_t beginning() const {
    std::size_t lists = 0;
    while (lists < at_.size() && at_[at_.size() - 1 - lists] == 0) ++lists;
    return lists;
  }

  // Steps over `count` elements of the row; returns the number of lists that end after them.
  std::size_t advance(std::int64_t count) {
    std::size_t lists = 0;
    at_.back() += count;
    for (std::size_t axis = at_.size(); axis > 0 && at_[axis - 1] == shape_[axis - 1]; --axis) {
      ++lists;
      at_[axis - 1] = 0;
      if (axis > 1) ++at_[axis - 2];
    }
    return lists;
  }

 private:
  const Shape& shape_;
  Shape at_;
};

Encoding encoding_of(DType dtype, const Shape& shape, std::string prefix, std::string suffix, Digits digits) {
  constexpr std::int64_t kShortestElement = 2;  // a digit and a separator
  Encoding encoding;
  encoding.prefix = std::move(prefix);
  encoding.suffix = std::move(suffix);
  encoding.encode = [dtype, shape, digits](std::int64_t first, std::int64_t count, const std::byte* elements,
                                           std::string& out) {
    append_json_slice(out, dtype, shape, first, count, elements, digits);
  };
  encoding.least_bytes = saturated(checked_mul(count(shape), kShortestElement));
  return encoding;
}

}  // namespace

std::string json_element(DType dtype, const std::byte* element, Digits digits) {
  std::string out;
  append_json_slice(out, dtype, {}, 0, 1, element, digits);
  return out;
}

std::string json_element(const Tensor& tensor, std::int64_t position, Digits digits) {
  return json_element(tensor.dtype(), tensor.data() + position * element_size(tensor.dtype()), digits);
}

void append_json_slice(std::string& out, DType dtype, const Shape& shape, std::int64_t first,
                       std::int64_t count, const std::byte* elements, Digits digits) {
  Writer writer(out, digits);
  if (shape.empty()) {
    if (count > 0) dispatch(dtype, [&]<class T>(TypeTag<T>) { writer.put(*StoredElements<T>(elements)); });
    return writer.flush();
  }
  NestedPosition position(shape, first);
  bool comma = first != 0;
  while (count > 0) {
    if (comma) writer.put(',');
    comma = true;
    for (std::size_t lists = position.beginning(); lists > 0; --lists) writer.put('[');
    // The rest of the row, limited to the slice.
    const std::int64_t some = std::min(count, position.left_in_row());
    dispatch(dtype, [&]<class T>(TypeTag<T>) {
      for (std::int64_t i = 0; i < some; ++i, elements += sizeof(T)) {
        if (i != 0) writer.put(',');
        writer.put(*StoredElements<T>(elements));
      }
    });
    for (std::size_t lists = position.advance(some); lists > 0; --lists) writer.put(']');
    count -= some;
  }
  writer.flush();
}

std::string json_of_empty(const Shape& shape) {
  constexpr std::int64_t kMostLists = 1'000'000;
  // Nothing is written inside a dimension of 0, so the dimensions after it are not visible.
  const Shape outer(shape.begin(), std::find(shape.begin(), shape.end(), 0));
  const auto lists = element_count(outer);
  if (!lists || *lists > kMostLists)
    throw Error(cat("the nested form of the empty shape ", to_string(shape), " would have more than ",
                    kMostLists, " empty lists"));
  if (outer.empty()) return "[]";
  std::string out;
  NestedPosition position(outer, 0);
  for (std::int64_t i = 0; i < *lists; ++i) {
    if (i != 0) out += ',';
    out.append(position.beginning(), '[');
    out += "[]";
    out.append(position.advance(1), ']');
  }
  return out;
}

std::string nested_json(const Tensor& tensor) {
  if (tensor.size() == 0) return json_of_empty(tensor.shape());
  std::string out;
  append_json_slice(out, tensor.dtype(), tensor.shape(), 0, tensor.size(), tensor.data());
  return out;
}

std::string json_prefix(DType dtype, const Shape& shape) {
  const std::string sizes = join(shape, ",", [](std::int64_t size) { return cat(size); });
  return cat("{\"dtype\":\"", name(dtype), "\",\"shape\":[", sizes, "],\"data\":");
}

// An empty tensor has no elements to encode. In the described form its data is flat.
Encoding json_encoding(DType dtype, const Shape& shape, std::int64_t /*strings*/, std::string_view /*name*/) {
  const std::string_view data = count(shape) == 0 ? "[]" : "";
  return encoding_of(dtype, shape, cat(json_prefix(dtype, shape), data), cat(kJsonSuffix, '\n'),
                     Digits::shortest);
}

Encoding nested_json_encoding(DType dtype, const Shape& shape, std::int64_t /*strings*/,
                              std::string_view /*name*/) {
  return encoding_of(dtype, shape, count(shape) == 0 ? json_of_empty(shape) : "", "\n", Digits::exact);
}

}  // namespace tensorop
