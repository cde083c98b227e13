// The formats, one row each: the names of a format, and how to detect, read and write it. All differences
// between formats are in their rows and in the files that a row names; other code looks the formats up here.
//
// A format stores one tensor or is an archive of named arrays. To add a format: write its files, one of which
// defines its row; declare the row below; and add it to the list in format.cpp.
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
struct ArchiveArray;
struct ArchiveOptions;
struct Encoding;
struct TextHead;
struct TextReading;
struct TextTensor;

// Checks a text while its bytes arrive: called with ever longer beginnings of one text. Returns how many
// bytes are checked, where the next call goes on; nothing if no text that begins so can be read.
using TextCheck = std::function<std::optional<std::size_t>(std::string_view begun)>;

struct Format {
  std::string_view name;                         // name in --format and `info`: "npy"
  std::string_view title;                        // name in messages: "NPY"
  std::string_view article;                      // article of the title: "an"
  std::array<std::string_view, 3> endings = {};  // file extensions; writing uses the first one

  // Whether a file that begins with `head` has the format; null: only the file extension decides.
  bool (*detects)(std::string_view head) = nullptr;
  bool detects_in_file = false;  // `head` is the whole file: what tells may be anywhere
  bool is_binary = false;
  bool has_arrays = false;  // a file has any number of named arrays; otherwise it has one
  bool is_table = false;    // a text table: rows of fields
  char separator = 0;       // of a table's fields; 0: tabs if the first row has one, else commas

  // For a binary format: as StreamReading::enough; null if the bytes that a stream needs are unknown.
  std::int64_t (*enough_bytes)(std::string_view head) = nullptr;
  // For a text format: makes the check of one text; null if its text is not checked as it arrives.
  TextCheck (*check_text)() = nullptr;

  // Reading: one of the next two functions, or none if files of the format are detected as another format.
  // Opens a file whose header declares the dtypes. Throws Error.
  std::unique_ptr<Archive> (*open)(const InputFile& file) = nullptr;
  // For files that are models: opens the arrays of a model, also if it has none, which `open` refuses.
  std::unique_ptr<Archive> (*open_model)(const InputFile& file) = nullptr;
  // Reads a tensor from text. For untyped text, reading.as is its dtype (json_reader.hpp).
  TextTensor (*read_text)(std::string_view text, const TextReading& reading) = nullptr;
  // For `read_text`: what the beginning of the text shows of its dtype; null: nothing.
  TextHead (*peek_text)(std::string_view text) = nullptr;

  // Writing: `encode`, `create_archive`, or none. `strings` is the result of measure_strings() for all
  // elements of dtype string; `name`, which may be empty, is used if names_array.
  Encoding (*encode)(DType dtype, const Shape& shape, std::int64_t strings, std::string_view name) = nullptr;
  // Not null if strings must be measured first.
  std::int64_t (*measure_strings)(std::span<const StringRef> strings) = nullptr;
  bool names_array = false;  // with `encode`: a file can store the array's name
  // With `encode`: whether reading the file gives this shape again; null: any shape.
  bool (*keeps_shape)(const Shape& shape) = nullptr;
  // With `encode`: names content of the file `file` that a rewrite would lose: "comments". Returns "" if
  // there is none. Null: the format cannot store other content.
  std::string (*remarks)(std::span<const std::byte> file) = nullptr;
  // Throws Error naming the path.
  std::unique_ptr<ArchiveWriter> (*create_archive)(const std::string& path,
                                                   const ArchiveOptions& options) = nullptr;
  // With `create_archive`: throws Error if an array cannot have this name.
  void (*require_name)(const std::string& name) = nullptr;
  // With `create_archive`: the least bytes of an archive of these members, as far as the dtypes and shapes of
  // the new ones tell. Throws Error if the format cannot store one of them, or all of them together.
  std::int64_t (*least_bytes)(std::span<const ArchiveArray> arrays) = nullptr;
  // For a format that is only read: the hint of the error for a result in it.
  std::string_view output_hint = "convert makes an archive of a model: -o FILE.safetensors, -o FILE.npz";
  // The array that a name means; null: the name itself.
  std::string_view (*array_name)(std::string_view name) = nullptr;
  bool has_index = false;       // an index may list the arrays of several files, and state their sizes
  bool can_compress = false;    // the archive honours ArchiveArray::compress
  bool keeps_metadata = false;  // create_archive writes ArchiveOptions::metadata
  DTypeSet unnamed = {};        // dtypes that files of the format cannot distinguish
  DTypeSet missing = {};        // dtypes that the format does not support
  bool limits_bytes = false;    // files of 2 GiB and more are not valid

  [[nodiscard]] constexpr bool is_archive() const { return has_arrays; }
  // Whether dtype and shape can be read without the elements.
  [[nodiscard]] constexpr bool has_header() const { return open != nullptr; }
  [[nodiscard]] constexpr bool is_readable() const { return open != nullptr || read_text != nullptr; }
  [[nodiscard]] constexpr bool is_writable() const { return encode != nullptr || create_archive != nullptr; }
};

// A Python command that converts a PyTorch file to safetensors, for hints.
inline constexpr std::string_view kTorchHint =
    "python3 -c 'import torch, safetensors.torch as s; s.save_file(torch.load(\"FILE\", "
    "map_location=\"cpu\", "
    "weights_only=True), \"x.safetensors\")' writes its tensors to x.safetensors";

// The rows, each defined in the file that reads the format.
extern const Format kNpyFormat;
extern const Format kJsonFormat;
extern const Format kNestedJsonFormat;
extern const Format kTextFormat;
extern const Format kCsvFormat;
extern const Format kTsvFormat;
extern const Format kOnnxFormat;
extern const Format kTensorProtoFormat;
extern const Format kNpzFormat;
// The array that `name` means in an NPZ archive: the member "a.npy" is the array "a".
[[nodiscard]] std::string_view npz_array_name(std::string_view name);
extern const Format kSafetensorsFormat;
extern const Format kShardIndexFormat;
extern const Format kGgufFormat;
extern const Format kRawFormat;

// All formats, in the order of listings.
[[nodiscard]] std::span<const Format* const> formats();

// Detects the format of a file from its bytes, or from its first bytes; null if unknown.
[[nodiscard]] const Format* detect_format(std::string_view file);
// Determines the format of an input. In order of precedence: detected binary formats and JSON lists and
// objects; `given`; the extension of `path`; other detected text; a single JSON value. The extension also
// names the format of a damaged file. Throws Error that describes the input.
[[nodiscard]] const Format& input_format(std::string_view file, std::string_view path, const Format* given);

// Whether a file of text that begins with these first characters is not taken for another format.
[[nodiscard]] bool begins_plain_text(std::string_view text);

// Throws the Error with a conversion hint if `head` begins a file of a known foreign format.
void refuse_foreign(std::string_view head);

// The format with this name, in any case, if results can be written in it; else null.
[[nodiscard]] const Format* find_format(std::string_view name);
// The text format with this name, in any case: a value of --input-format; null for "auto". Throws Error.
[[nodiscard]] const Format* read_text_format(std::string_view name);
// The values of --input-format.
[[nodiscard]] std::vector<std::string> text_format_names();

// "an NPY file", "an NPZ archive".
[[nodiscard]] std::string noun_of(const Format& format);

// The file extension of a format at the end of `path`, in any case; empty if there is none.
[[nodiscard]] std::string_view known_ending(std::string_view path);
// Whether the extension of `path` is an archive's.
[[nodiscard]] bool names_archive(std::string_view path);

// The names of the formats for results: the values of --format.
[[nodiscard]] std::vector<std::string> format_names();
// The titles of the formats for which `wanted` is true, for sentences.
[[nodiscard]] std::vector<std::string> format_titles(bool (*wanted)(const Format& format));
// The file extensions of the formats for results: ".npz".
[[nodiscard]] std::vector<std::string> format_endings(
    const std::function<bool(const Format& format)>& wanted);
// The file extensions of formats that support and distinguish all `dtypes`, archives last.
[[nodiscard]] std::vector<std::string> endings_naming(DTypeSet dtypes);
// The format for results with the file extension of `path`, in any case; else null.
[[nodiscard]] const Format* find_format_by_ending(std::string_view path);
// Throws the Error for a result in a format that is only read.
[[noreturn]] void refuse_output(std::string_view path, const Format& format);
// find_format_by_ending(). Throws Error naming the path if there is none.
[[nodiscard]] const Format& format_by_ending(std::string_view path);

}  // namespace tensorop
