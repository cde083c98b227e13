// Operands: a path, one array of an archive, "-", or the tensor itself as inline JSON. What a file is is read
// from its first bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/input_file.hpp"
#include "io/json_reader.hpp"
#include "io/npz.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// One opened operand. Its dtype is known at once unless it is untyped JSON, whose dtype depends on others.
class Source {
 public:
  struct Options {
    bool header_only = false;              // tensors without elements will do (NPY, NPZ)
    bool allow_abstract = false;           // "float32[2,3]" is a tensor without elements
    std::optional<DType> untyped_as = {};  // what untyped JSON is read as, at once; else resolve() will say
    bool is_json = false;                  // the text is the tensor itself, whatever files there are
  };

  // Throws Error naming the path (or the inline text) when there is nothing, or nothing readable, behind
  // `text`. Standard input is opened once; the caller sees to that.
  static Source open(const std::string& text, const Options& options);
  // An operand that is in memory already.
  static Source of(Tensor tensor);

  // How messages call it: the path, "a.npz:x", "standard input", or nothing for inline JSON.
  [[nodiscard]] const std::string& name() const { return name_; }
  // The file that it reads, for Inputs; null where none is mapped.
  [[nodiscard]] const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }
  // The tensor, or null for untyped JSON that resolve() has not given a dtype yet.
  [[nodiscard]] const Tensor* tensor() const { return tensor_ ? &*tensor_ : nullptr; }
  // Of untyped JSON: what it would be by itself; `empty` when any dtype would do.
  [[nodiscard]] DType natural_dtype() const { return natural_->tensor.dtype(); }
  [[nodiscard]] bool fits_any_dtype() const { return natural_->empty; }
  // Gives untyped JSON its dtype. Throws Error when its elements do not fit.
  void resolve(DType dtype);

 private:
  void open_file(const std::string& text, const Options& options);
  // The text as it is by itself.
  [[nodiscard]] JsonTensor read_natural() const;

  std::string name_;
  std::shared_ptr<const MappedFile> mapping_;
  std::optional<Tensor> tensor_;
  std::shared_ptr<JsonText> text_;  // of untyped JSON
  std::optional<JsonTensor> natural_;
};

enum class FileKind : std::uint8_t { npy, npz, json };

// A file whose first bytes have told what it is.
struct OpenedFile {
  InputFile file;
  std::string head;  // what was taken from a stream to find out
  FileKind kind;
  std::string shown;                 // how messages call it
  std::optional<std::string> array;  // of an archive: the name behind the colon
};
// Opens a path, "-", or "a.npz:x": the first colon parts it that has an archive to its left, where no file
// has the whole text for its name. Throws Error naming it.
[[nodiscard]] OpenedFile open_file(const std::string& path);
// The text of one that is JSON.
[[nodiscard]] JsonText json_text(OpenedFile opened);
// The directory of one that is an archive. Throws Error naming it; a stream is refused.
[[nodiscard]] NpzArchive open_archive(const OpenedFile& opened);
// "a.npz:x".
[[nodiscard]] std::string array_path(const OpenedFile& opened, const ZipMember& member);

// What the array of an operand is called by itself: as in its archive, or as its file without the ending.
// Empty for standard input and inline JSON. Throws Error where an archive does not tell which array is meant.
[[nodiscard]] std::string array_name(const std::string& text);

// True when a file has the whole of `text` for its name, or it names an array behind an archive and a colon.
[[nodiscard]] bool names_file(const std::string& text);

// Whether an operand text is the tensor itself where no file has that name: a list, an object, a string, a
// number, true or false.
[[nodiscard]] bool looks_like_json(std::string_view text);

// "float32[2,3]" as a tensor without elements; nothing when `text` is not of that form.
[[nodiscard]] std::optional<Tensor> parse_abstract(const std::string& text);

}  // namespace tensorop
