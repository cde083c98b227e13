// The formats, one row each: the names of a format, and how it is detected, read and written. All
// differences between formats are in their rows and in the files that a row names; code that reads or writes
// files looks them up here.
//
// A format holds one tensor or is an archive of named arrays. To add a format: its files, one of which has
// its row; the declaration of the row below; and its place in the list of format.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

class Archive;
class ArchiveWriter;
class InputFile;
struct ArchiveOptions;
struct Encoding;
struct TextHead;
struct TextReading;
struct TextTensor;

struct Format {
  std::string_view name;                         // as --format and `info` call it: "npy"
  std::string_view title;                        // as messages call it: "NPY"
  std::string_view article;                      // of the title: "an"
  std::array<std::string_view, 3> endings = {};  // of file names, for writing; the first is the usual one

  // Whether a file that begins with `head` is of the format; null: input_format() looks at its ending alone.
  bool (*detects)(std::string_view head) = nullptr;
  bool is_binary = false;

  // StreamReading::enough; null: kUnknown.
  std::int64_t (*enough_bytes)(std::string_view head) = nullptr;

  // Reading: one of these two, or none where files of the format are detected as another one.
  // The arrays of a file whose header tells their dtypes. Throws Error.
  std::unique_ptr<Archive> (*open)(const InputFile& file) = nullptr;
  // A tensor as text, which may leave its dtype open: reading.as is what it is then (json_reader.hpp).
  TextTensor (*read_text)(std::string_view text, const TextReading& reading) = nullptr;
  // Beside `read_text`: what the beginning of the text shows of its dtype; null: nothing.
  TextHead (*peek_text)(std::string_view text) = nullptr;

  // Writing: `encode` or `create_archive`, or none. `strings` is what measure_strings() says of all elements
  // of dtype string; `name`, which may be empty, counts where the format names_array.
  Encoding (*encode)(DType dtype, const Shape& shape, std::int64_t strings, std::string_view name) = nullptr;
  // Where strings are to be measured first.
  std::int64_t (*measure_strings)(std::span<const StringRef> strings) = nullptr;
  bool names_array = false;  // beside `encode`: a file can hold the name of its array
  // Beside `encode`: whether what is read again has this shape; null: any.
  bool (*keeps_shape)(const Shape& shape) = nullptr;
  // Beside `encode`: names what the file with these bytes holds beside its array, and what a rewrite
  // would lose: "comments". Returns "" if it holds nothing else. Null: the format has no place for more.
  std::string (*remarks)(std::span<const std::byte> file) = nullptr;
  // Throws Error naming the path.
  std::unique_ptr<ArchiveWriter> (*create_archive)(const std::string& path,
                                                   const ArchiveOptions& options) = nullptr;
  // Beside `create_archive`: throws Error where an array cannot have this name.
  void (*require_name)(const std::string& name) = nullptr;
  bool can_compress = false;    // create_archive does what ArchiveOptions::compress says
  bool keeps_metadata = false;  // it writes ArchiveOptions::metadata
  DTypeSet unnamed = {};        // dtypes that a file of the format does not tell from others
  DTypeSet missing = {};        // dtypes that it cannot hold
  bool limits_bytes = false;    // files of 2 GiB and more cannot be

  // Whether a file has any number of arrays, with names. Files of one array can all be written.
  [[nodiscard]] constexpr bool is_archive() const { return encode == nullptr; }
  // Whether dtype and shape can be read without the elements.
  [[nodiscard]] constexpr bool has_header() const { return open != nullptr; }
  [[nodiscard]] constexpr bool is_readable() const { return open != nullptr || read_text != nullptr; }
  [[nodiscard]] constexpr bool is_writable() const { return encode != nullptr || create_archive != nullptr; }
};

// The line of Python that makes a safetensors file of what PyTorch saved, for hints.
inline constexpr std::string_view kTorchHint =
    "python3 -c 'import torch, safetensors.torch as s; s.save_file(torch.load(\"FILE\", "
    "map_location=\"cpu\", "
    "weights_only=True), \"x.safetensors\")' writes its tensors to x.safetensors";

// The rows, each in the file that reads the format.
extern const Format kNpyFormat;
extern const Format kJsonFormat;
extern const Format kNestedJsonFormat;
extern const Format kTextFormat;
extern const Format kCsvFormat;
extern const Format kTsvFormat;
extern const Format kOnnxFormat;
extern const Format kTensorProtoFormat;
extern const Format kNpzFormat;
// The name of the array that `name` means in an NPZ archive: the member "a.npy" is the array "a".
[[nodiscard]] std::string_view npz_array_name(std::string_view name);
extern const Format kSafetensorsFormat;
extern const Format kShardIndexFormat;
extern const Format kGgufFormat;
extern const Format kRawFormat;

// Whether it is a table: text that JSON is not, of rows of fields.
[[nodiscard]] bool is_table(const Format& format);
// All of them, in the order in which they are listed.
[[nodiscard]] std::span<const Format* const> formats();

// The format that detects a file with these bytes, or that begins with them; null where none does.
[[nodiscard]] const Format* detect_format(std::string_view file);
// The format of an input: binary formats and JSON lists and objects that are detected, then `given`, then the
// ending of `path`, then text that is detected, then a single value as JSON. The ending also says what a
// damaged file was to be. Throws Error that says what the input looks like.
[[nodiscard]] const Format& input_format(std::string_view file, std::string_view path, const Format* given);

// Throws the Error for a file with these first bytes that another program makes a readable file of; does
// nothing for others.
void refuse_foreign(std::string_view head);

// The format of that name, in any case, where results can be written in it; else null.
[[nodiscard]] const Format* find_format(std::string_view name);
// The format of text named by `name`, in any case: a value of --input-format; null for "auto". Throws Error.
[[nodiscard]] const Format* read_text_format(std::string_view name);
// The values of --input-format.
[[nodiscard]] std::vector<std::string> text_format_names();

// The initializers of an ONNX model, also of one that has none, which is an error for Format::open.
[[nodiscard]] std::unique_ptr<Archive> open_onnx_model(const InputFile& file);

// "an NPY file", "an NPZ archive".
[[nodiscard]] std::string noun_of(const Format& format);

// The end of `path` that is the file extension of a format or of ONNX models, in any case; empty when there
// is none.
[[nodiscard]] std::string_view known_ending(std::string_view path);
// Whether it is that of an archive.
[[nodiscard]] bool names_archive(std::string_view path);

// The names of the formats that a result may be written in: the values of --format.
[[nodiscard]] std::vector<std::string> format_names();
// The titles of the formats for which `wanted` is true, for sentences.
[[nodiscard]] std::vector<std::string> format_titles(bool (*wanted)(const Format& format));
// The same of the formats in which results are written: ".npz".
[[nodiscard]] std::vector<std::string> format_endings(
    const std::function<bool(const Format& format)>& wanted);
// The file extensions of those that hold all `dtypes` and name them, archives last.
[[nodiscard]] std::vector<std::string> endings_naming(DTypeSet dtypes);
// The format in which results are written that has the file extension of `path`, in any case; else null.
[[nodiscard]] const Format* find_format_by_ending(std::string_view path);
// The same. Throws Error naming the path when there is none.
[[nodiscard]] const Format& format_by_ending(std::string_view path);

}  // namespace tensorop
