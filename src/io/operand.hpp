// Operands as text: what a text means as an operand, and as a destination FILE:NAME. Construction decides by
// the text alone; the functions below the class are the second step, which asks the file system what a path
// means. No other code splits these texts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text/error.hpp"
#include "io/text/text_cursor.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// A range as it is written: START:STOP or START:STOP:STEP, each an integer or left out, which is the
// beginning or the end of the axis. Integers beyond int64 are its limits. The step may be 0, which no valid
// range has.
struct IndexRange {
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> stop;
  std::int64_t step = 1;
};

// The dtype and the shape in DTYPE[DIM,...].
struct RawHeader {
  DType dtype;
  Shape shape;                              // 0 for the dimension `open`
  std::optional<std::size_t> open;          // "?": computed from the file size
  std::shared_ptr<const Error> fault = {};  // a malformed dimension, or a shape that is too large; else null

  void require_valid() const {
    if (fault) throw Error(*fault);
  }
  // StreamReading::enough: one byte more than the elements, to detect a stream that goes on.
  [[nodiscard]] std::int64_t enough_bytes() const;
};

// The forms of operands. The first three may also be a file whose name is the whole text.
struct NamedFile {               // a file or FILE:NAME
  bool looks_like_json = false;  // if no file has that name, the text is malformed JSON
};
struct AbstractTensor {  // DTYPE[DIM,...]: a tensor without elements
  RawHeader header;
};
struct RangeText {
  IndexRange range;
};
struct RawBytes {  // DTYPE[DIM,...]@FILE: a file, or "-", that contains only elements
  RawHeader header;
};
struct StandardInput {};  // "-"
struct InlineJson {       // the tensor itself
  TextSpan text;
};
struct JobResult {};  // "@id" in a job file

class Operand {
 public:
  // An operand as on the command line. Never throws: opening an operand reports what is wrong with it.
  Operand(std::string as_written);
  Operand(const char* as_written) : Operand(std::string(as_written)) {}
  // The tensor itself, as JSON or already read.
  Operand(TextSpan json) : form_(InlineJson{std::move(json)}) {}
  Operand(Tensor tensor) : form_(std::move(tensor)) {}
  // A path, or FILE:NAME, whatever it looks like.
  [[nodiscard]] static Operand of_path(std::string file);
  // As on the command line where an operand cannot be a tensor itself: what looks like one is a path.
  [[nodiscard]] static Operand of_file(std::string as_written);
  // A file that has only the elements of that dtype and shape.
  [[nodiscard]] static Operand of_bytes(DType dtype, const Shape& shape, std::string file);
  // "@id", the result of another job.
  [[nodiscard]] static Operand of_result(std::string id);

  // The form if it is `Form`, else null.
  template <class Form>
  [[nodiscard]] const Form* as() const {
    return std::get_if<Form>(&form_);
  }
  // Whether it reads standard input, which can be read only once.
  [[nodiscard]] bool is_standard_input() const { return as<StandardInput>() != nullptr || path == "-"; }
  // Whether it is the tensor itself.
  [[nodiscard]] bool is_tensor() const { return as<InlineJson>() != nullptr || as<Tensor>() != nullptr; }
  // Whether it is a tensor itself or, if no file has its name, malformed JSON.
  [[nodiscard]] bool may_be_json() const {
    const auto* const file = as<NamedFile>();
    return as<InlineJson>() != nullptr || (file != nullptr && file->looks_like_json);
  }
  // Whether it may name a file, a folder, an archive or one of its arrays by `path` alone.
  [[nodiscard]] bool is_path() const { return !path.empty() && as<RawBytes>() == nullptr; }
  // As on the command line: the text with its path, or the JSON; empty for a tensor already read.
  [[nodiscard]] std::string shown() const;

  // The same operand with a path relative to `folder`.
  [[nodiscard]] Operand in_folder(const std::string& folder) const;
  // Replaces it by a tensor.
  void set(Tensor tensor);

  std::string text;  // as it was written; empty if it was made of a tensor
  std::string path;  // the file, or FILE:NAME; "-": raw bytes from standard input; empty: it can be no file
  // The dtype that a model declares for it; untyped JSON gets this dtype.
  std::optional<DType> declared = {};

 private:
  Operand() = default;

  std::variant<NamedFile, AbstractTensor, RangeText, RawBytes, StandardInput, InlineJson, JobResult, Tensor>
      form_;
};

// FILE:NAME, split into its parts; a whole file if `name` is empty.
struct NameInFile {
  std::string file;
  std::string name = {};
};

// The parts of FILE:NAME, split at the first colon to whose left is a FILE for which `is_archive(file)` is
// true; nothing if there is none.
template <class IsArchive>
[[nodiscard]] std::optional<NameInFile> find_member(const Operand& operand, const IsArchive& is_archive);

// The files that an operand may name: the file of its path and, if it does not exist, for each colon an array
// of the archive whose name ends there.
[[nodiscard]] std::vector<NameInFile> possible_files(const Operand& operand);

// Returns a hint for an operand that names no file, but may be meant as something else; empty if there is
// none.
[[nodiscard]] std::string operand_hint(const Operand& operand);

// The splits of a path at its colons, from left to right, whose file part is shorter than PATH_MAX. Only for
// find_member().
[[nodiscard]] std::vector<NameInFile> split_path(const std::string& path);

template <class IsArchive>
std::optional<NameInFile> find_member(const Operand& operand, const IsArchive& is_archive) {
  if (!operand.is_path()) return std::nullopt;
  for (NameInFile& parts : split_path(operand.path)) {
    if (is_archive(parts.file)) return std::move(parts);
  }
  return std::nullopt;
}

}  // namespace tensorop
