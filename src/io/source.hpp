// Operands: a path, one array of an archive, "-", or the tensor itself as inline JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/input_file.hpp"
#include "io/format.hpp"
#include "io/json_reader.hpp"
#include "io/opened_file.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// One opened operand: a tensor, or text whose dtype is not settled yet. Text may name its dtype itself.
// Untyped text does not: its dtype depends on other operands.
class Source {
 public:
  struct Options {
    bool header_only = false;     // tensors without elements will do, where the format has a header
    bool allow_abstract = false;  // "float32[2,3]" is a tensor without elements
    bool is_json = false;         // the text is the tensor itself, whatever files there are
    bool read_later = false;      // text is opened only; read() or resolve() reads it
    // What untyped text is read as, at once.
    std::optional<DType> untyped_as = {};
  };

  // Throws Error naming the path (or the inline text) when nothing, or nothing readable, has that name.
  // Standard input is opened once; the caller sees to that.
  static Source open(const std::string& text, const Options& options);
  // An operand that is in memory already.
  static Source of(Tensor tensor);

  // How messages call it: the path, "a.npz:x", "standard input", or nothing for inline JSON.
  [[nodiscard]] const std::string& name() const { return name_; }
  // The mapped file that the tensor, or text that is still to be read, lies in: null for streams, inline
  // JSON, and elements that were brought into memory.
  [[nodiscard]] const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }

  // The tensor, or null as long as its dtype is not settled.
  [[nodiscard]] const Tensor* tensor() const { return tensor_ ? &*tensor_ : nullptr; }
  // True for text that has been opened and not read.
  [[nodiscard]] bool is_unread() const { return text_ != nullptr && !natural_; }
  // Reads unread text for what it is by itself: a tensor() if it names its dtype, else the two below tell.
  // Otherwise does nothing. Throws Error.
  void read();
  // Of untyped text that has been read: what it would be by itself; true where any dtype would do.
  [[nodiscard]] DType natural_dtype() const { return natural_->tensor.dtype(); }
  [[nodiscard]] bool fits_any_dtype() const { return natural_->empty; }
  // Settles the dtype of text without a tensor(): untyped elements become `dtype`. Unread text is read once;
  // one that names its dtype keeps that. Throws Error when elements do not
  // fit; the operand is then as it was.
  void resolve(DType dtype);

 private:
  void take_file(OpenedFile opened, bool header_only);
  void take_tensor(Tensor tensor);
  [[nodiscard]] JsonTensor read_natural() const;
  template <class Body>
  auto in_context(const Body& body) const;

  std::string name_;
  std::shared_ptr<const MappedFile> mapping_;
  std::optional<Tensor> tensor_;
  const Format* format_ = nullptr;  // of the text
  std::shared_ptr<JsonText> text_;  // until the tensor is there
  std::optional<JsonTensor> natural_;
};

// "float32[2,3]" as a tensor without elements; nothing when `text` is not of that form.
[[nodiscard]] std::optional<Tensor> parse_abstract(const std::string& text);

}  // namespace tensorop
