// Operands: a path, one array of an archive, "-", or the tensor itself as inline JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/files/input_file.hpp"
#include "base/threads.hpp"
#include "io/array/array_reading.hpp"
#include "io/format.hpp"
#include "io/opened_file.hpp"
#include "io/text/text_cursor.hpp"
#include "io/text/text_tensor.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class ArchiveCache;

// One open operand: a tensor, or text or bytes whose dtype is not resolved yet. Text may name its dtype
// itself; the dtype of untyped text depends on other operands, and so does that of bytes whose file does not
// say it.
class Source {
 public:
  struct Options {
    ArrayReading arrays = {};     // how elements are read
    bool header_only = false;     // of formats with a header: the tensor has no elements
    bool allow_abstract = false;  // "float32[2,3]" is a tensor without elements
    bool read_later = false;      // text is opened only; read() or resolve() reads it
    // The dtype to which untyped text is cast, at once, and what a small float of it does not hold.
    std::optional<DType> cast_untyped_to = {};
    Overflow overflow = Overflow::error;
    // The dtype of elements whose file does not say it (ArrayEntry::names_dtype); of one byte.
    std::optional<DType> unnamed_as = {};
    const Format* text_format = nullptr;  // of text, as in open_file()
    // Called with a line about what is read; may be null.
    std::function<void(const std::string& line)> warn = nullptr;
    ArchiveCache* archives = nullptr;  // of archives that other calls read too; null: each is opened anew
  };

  // Throws Error naming the path (or the inline text) when it does not exist or cannot be read. The caller
  // opens standard input only once.
  static Source open(const std::string& text, const Options& options);
  // Inline JSON. Throws Error.
  static Source of_json(TextSpan text, const Options& options);
  // A file that is open already, or the one array of an archive. Throws Error naming it.
  static Source of_file(OpenedFile opened, const Options& options);
  // A tensor that is in memory already.
  static Source of(Tensor tensor);
  // An array of an archive, called `name`. Throws Error naming the array.
  static Source of_entry(const Archive& archive, ArrayEntry array, std::string name, const Options& options);

  // The name in messages: the path, "a.npz:x", "standard input", or nothing for inline JSON.
  [[nodiscard]] const std::string& name() const { return name_; }
  // The file that the tensor, or text that is still to be read, lies in; a temporary file, where it was
  // brought there. Null for inline JSON, and for elements that were brought into memory.
  [[nodiscard]] const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }

  // The tensor, or null until its dtype is resolved.
  [[nodiscard]] const Tensor* tensor() const { return tensor_ ? &*tensor_ : nullptr; }
  // True for text that has been opened and not read.
  [[nodiscard]] bool is_unread() const { return text_ && !natural_; }
  // True for bytes whose dtype is not resolved. It may be any small dtype.
  [[nodiscard]] bool is_unnamed() const { return bytes_.has_value(); }
  // Without a tensor(): what the beginning of unread text shows of its dtype.
  [[nodiscard]] TextHead peek() const {
    return is_unread() && format_->peek_text != nullptr ? format_->peek_text(text_->text) : TextHead();
  }
  // Reads unread text as its own dtype: gives a tensor() if the text names its dtype, else the two functions
  // below describe it. Does nothing otherwise. Throws Error.
  void read();
  // Of untyped text that has been read: its own dtype; whether any dtype is possible. Bytes have no dtype of
  // their own: throws Error.
  [[nodiscard]] DType natural_dtype() const;
  [[nodiscard]] bool fits_any_dtype() const { return natural_ && natural_->empty; }
  // The same text: whether it has nothing but "NaN", "Infinity" and "-Infinity", which are float64, or
  // strings beside strings.
  [[nodiscard]] bool may_be_strings() const { return natural_ && natural_->all_not_finite; }
  // Resolves the dtype of bytes and of text without a tensor(): untyped elements become `dtype`. Unread text
  // is read once; text that names its dtype keeps it. Throws Error when elements do not fit; the operand is
  // then unchanged.
  void resolve(DType dtype);
  // Replaces the tensor by another one of its shape.
  void replace(Tensor tensor) { take_tensor(std::move(tensor)); }

 private:
  void settle(const Options& options);
  void take_file(OpenedFile opened, const Options& options);
  void take_tensor(Tensor tensor);
  void take_array(const Archive& archive, ArrayEntry array, const Options& options);
  void warn_of(const std::string& line) const;
  [[nodiscard]] TextTensor read_text(const TextReading& reading) const;
  template <class Body>
  auto in_context(const Body& body) const;

  std::string name_;
  std::shared_ptr<const MappedFile> mapping_;
  std::optional<Tensor> tensor_;
  const Format* format_ = nullptr;  // of the text
  Threads threads_ = Threads(1);
  std::function<void(const std::string& line)> warn_ = nullptr;  // of what is read, without the name
  std::optional<TextSpan> text_;                                 // until the tensor is there
  std::optional<TextTensor> natural_;
  std::optional<Tensor> bytes_;  // until their dtype is known
  std::string unnamed_;          // what the file has in its place
};

}  // namespace tensorop
