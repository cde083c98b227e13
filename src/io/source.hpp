// Open operands.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/files/input_file.hpp"
#include "base/process/threads.hpp"
#include "io/array/array_reading.hpp"
#include "io/format.hpp"
#include "io/opened_file.hpp"
#include "io/text/text_cursor.hpp"
#include "io/text/text_tensor.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class ArchiveCache;

// An open operand: a tensor, or text or bytes whose dtype is not resolved yet. Text may name its dtype; the
// dtype of untyped text, and of bytes in a file that names no dtype, depends on other operands.
class Source {
 public:
  struct Options {
    ArrayReading arrays = {};     // how to read elements
    bool header_only = false;     // if the format has a header: the tensor has no elements
    bool allow_abstract = false;  // "float32[2,3]" is a tensor without elements
    bool read_later = false;      // only opens text; read() or resolve() reads it
    // The dtype, of one byte, for elements in a file that names no dtype (ArrayEntry::names_dtype).
    std::optional<DType> unnamed_as = {};
    const Format* text_format = nullptr;     // format of text, as in open_file()
    std::optional<std::string> column = {};  // of a text table in a file: takes only the column of this name
    // Called with warnings about the input; may be null.
    std::function<void(const std::string& line)> warn = nullptr;
    ArchiveCache* archives = nullptr;  // shares archives with other calls; null: opens each again
  };

  // Throws Error naming the path (or the inline text) if it does not exist or cannot be read. The caller must
  // open standard input only once, and finds the result of another job itself.
  static Source open(const Operand& operand, const Options& options);
  // Opens inline JSON. Throws Error.
  static Source of_json(TextSpan text, const Options& options);
  // Takes an open file: its tensor or text, or the selected array of an archive. Throws Error naming it.
  static Source of_file(const OpenedFile& opened, const Options& options);
  static Source of_tensor(Tensor tensor);
  // Takes an array of an archive, called `name`. Throws Error naming the array.
  static Source of_entry(const Archive& archive, ArrayEntry array, std::string name, const Options& options);

  // The name in messages: the path, "a.npz:x", "standard input", or nothing for inline JSON.
  [[nodiscard]] const std::string& name() const { return name_; }
  // The file that contains the tensor or the unread text; a temporary file if the input was copied there.
  // Null for inline JSON, and for elements that were decoded into memory.
  [[nodiscard]] const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }

  // The tensor, or null until its dtype is resolved.
  [[nodiscard]] const Tensor* tensor() const { return tensor_ ? &*tensor_ : nullptr; }
  // True for text that is open but not read.
  [[nodiscard]] bool is_unread() const { return text_ && !natural_; }
  // True for bytes whose dtype is not resolved. The dtype may be any small dtype.
  [[nodiscard]] bool is_unnamed() const { return bytes_.has_value(); }
  // If tensor() is null: what the beginning of unread text shows of its dtype.
  [[nodiscard]] TextHead peek() const {
    return is_unread() && has_strings_ ? format_->peek_text(text_->text) : TextHead();
  }
  // Whether the operand is a text table in a file.
  [[nodiscard]] bool is_table() const { return is_table_; }
  // How many lines of text are comments, for a warning, once it is read; empty if none is.
  [[nodiscard]] std::string comments_text() const;
  // Calls Options::warn; `line` without the name, or nothing.
  void warn_of(const std::string& line) const;
  // Reads unread text: sets tensor() if the text names its dtype; otherwise the next two functions describe
  // it. Does nothing for other operands. Throws Error.
  void read() { read({.exactness = Exactness::all_fit}); }
  // Reads unread text to be cast to `dtype`. Numbers for a float dtype are read as that, rounded once;
  // strings as strings. All others keep their own dtype: float64 must hold them, unless a complex dtype
  // rounds them too; integers beyond int64 are uint64, or float64 if that does not hold all of them. Does
  // nothing for other operands. Throws Error.
  void read_to_cast(DType dtype, Overflow overflow);
  // For untyped text that has been read: its natural dtype; whether any dtype is possible. Bytes have no
  // natural dtype: throws Error.
  [[nodiscard]] DType natural_dtype() const;
  [[nodiscard]] bool fits_any_dtype() const { return natural_ && natural_->empty; }
  // For untyped text: whether all elements are "NaN", "Infinity" or "-Infinity". They are float64, or strings
  // if others are.
  [[nodiscard]] bool may_be_strings() const { return natural_ && natural_->all_not_finite; }
  // Resolves the dtype of bytes and of text without a tensor(): untyped elements become `dtype`. Unread text
  // is read once; text that names its dtype keeps it. Throws Error if elements do not fit; the operand is
  // then unchanged. Exactness::any is for a dtype that the user names.
  void resolve(DType dtype, Exactness exactness = Exactness::all_fit);
  // Replaces the tensor by another tensor of the same shape.
  void replace(Tensor tensor) { take_tensor(std::move(tensor)); }

 private:
  void finish_opening(const Options& options);
  void read(const TextReading& reading);
  void take_file(const OpenedFile& opened, const Options& options);
  void take_tensor(Tensor tensor);
  void take_array(const Archive& archive, ArrayEntry array, const Options& options);
  [[nodiscard]] TextTensor read_text(const TextReading& reading) const;
  template <class Body>
  auto in_context(const Body& body) const;

  std::string name_;
  std::shared_ptr<const MappedFile> mapping_;
  std::optional<Tensor> tensor_;
  const Format* format_ = nullptr;  // format of the text
  // Text may be strings by itself: JSON, and a table by its file extension or an option.
  bool has_strings_ = true;
  bool is_table_ = false;
  mutable std::int64_t comments_ = 0;  // set by read_text()
  Threads threads_ = Threads(1);
  std::function<void(const std::string& line)> warn_ = nullptr;  // called with warnings without the name
  std::optional<TextSpan> text_;                                 // until the tensor is set
  std::optional<TextTensor> natural_;
  std::optional<Tensor> bytes_;  // until their dtype is resolved
  std::string unnamed_;          // dtype code of the file, if it names no dtype
};

}  // namespace tensorop
