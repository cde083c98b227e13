#include "io/format.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/table/table_parts.hpp"
#include "io/table/text_hints.hpp"

namespace tensorop {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view name;
  std::string_view hint = {};  // how to convert the file to a supported format
};

// First bytes of error documents that a server sends in place of a file.
constexpr std::string_view kAnswers[] = {"{\"error\"", "{\"message\"", "{\"detail\"", "{\"errors\""};
constexpr std::string_view kDownloadHint =
    "a file of this name is binary, and this one is text: a failed download?";

constexpr std::string_view kHdf5Hint =
    "python3 -c 'import h5py, numpy; d = {}; h5py.File(\"FILE\").visititems(lambda k, v: d.update({k: "
    "v[()]}) if "
    "hasattr(v, \"shape\") else None); numpy.savez(\"x.npz\", **d)' writes its arrays to x.npz";
constexpr std::string_view kParquetHint =
    "python3 -c 'import pandas, numpy; d = pandas.read_parquet(\"FILE\"); numpy.savez(\"x.npz\", **{k: "
    "d[k].to_numpy() for k "
    "in d})' writes its columns to x.npz";

// A longer signature comes before its own prefixes.
constexpr Signature kSignatures[] = {
    {"version https://git-lfs"sv, "a Git LFS pointer; git lfs pull fetches the file"sv},
    {"version https://hawser"sv, "a Git LFS pointer; git lfs pull fetches the file"sv},
    {"\x1f\x8b"sv, "gzip; gunzip unpacks it"sv},
    {"BZh"sv, "bzip2; bunzip2 unpacks it"sv},
    {"\xfd"
     "7zXZ\0"sv,
     "xz; unxz unpacks it"sv},
    {"\x28\xb5\x2f\xfd"sv, "Zstandard; unzstd unpacks it"sv},
    {"7z\xbc\xaf\x27\x1c"sv, "7-Zip"sv},
    {"\x89HDF\r\n\x1a\n"sv, "HDF5"sv, kHdf5Hint},
    {"CDF\x01"sv, "NetCDF"sv},
    {"CDF\x02"sv, "NetCDF"sv},
    {"PAR1"sv, "Parquet"sv, kParquetHint},
    {"ARROW1"sv, "Arrow"sv},
    {"MATLAB 5.0"sv, "a MATLAB file"sv},
    {"\x93"sv, "a damaged NPY file"sv},
    {"\xc2\x93NUMPY"sv, "an NPY file that was changed as if it were text"sv},
    {"\xef\xbf\xbdNUMPY"sv, "an NPY file that was changed as if it were text"sv},
    {"NUMPY"sv, "an NPY file without its first byte"sv},
    {"\x80\x02"sv, "a Python pickle"sv, kTorchHint},
    {"\x80\x03"sv, "a Python pickle"sv, kTorchHint},
    {"\x80\x04"sv, "a Python pickle"sv, kTorchHint},
    {"\x80\x05"sv, "a Python pickle"sv, kTorchHint},
    {"\xff\xfe"sv, "text in UTF-16; iconv -f UTF-16 -t UTF-8 converts it"sv},
    {"\xfe\xff"sv, "text in UTF-16; iconv -f UTF-16 -t UTF-8 converts it"sv},
    {"\x89PNG"sv, "a PNG picture"sv},
    {"\xff\xd8\xff"sv, "a JPEG picture"sv},
    {"%PDF"sv, "PDF"sv},
    {"\x7f"
     "ELF"sv,
     "a program"sv},
    {"<!"sv, "HTML or XML"sv},
    {"<?"sv, "HTML or XML"sv},
    {"<html"sv, "HTML or XML"sv},
    {"<HTML"sv, "HTML or XML"sv},
    {"<Error"sv, "HTML or XML"sv},
    {"dims:"sv, "protobuf text, which is not read"sv},
    {"data_type:"sv, "protobuf text, which is not read"sv},
    {"ir_version:"sv, "protobuf text, which is not read"sv},
};

// Whether the first bytes of a file, which may cut a character, are text.
bool begins_as_text(std::string_view head) {
  constexpr std::size_t kEnough = 64;
  head = head.substr(0, kEnough);
  for (int i = 0; i < 3 && !is_utf8(head); ++i) head.remove_suffix(1);
  return is_utf8(head) && is_text(head);
}

// In the order of listings.
constexpr const Format* kFormats[] = {
    &kNpyFormat,        &kJsonFormat, &kNestedJsonFormat,  &kTextFormat, &kCsvFormat,
    &kTsvFormat,        &kOnnxFormat, &kTensorProtoFormat, &kNpzFormat,  &kSafetensorsFormat,
    &kShardIndexFormat, &kGgufFormat, &kRawFormat};

// The formats that detect files, in order of precedence: a format that checks more bytes comes first, because
// the first byte of a binary format may also begin a text.
constexpr const Format* kDetected[] = {&kSafetensorsFormat, &kOnnxFormat, &kTensorProtoFormat,
                                       &kNpyFormat,         &kNpzFormat,  &kGgufFormat,
                                       &kShardIndexFormat,  &kTextFormat, &kJsonFormat};

// Number of bytes that detection and messages look at, except for the fields of an ONNX model.
constexpr std::size_t kHeadBytes = 4096;

std::string ending_hint() {
  return cat("name it ", join_words(format_endings([](const Format&) { return true; }), "or"),
             ", or give --format ", join_words(format_names(), "or"));
}

// The results of `get` for each format for which `wanted` is true.
template <class Wanted, class Get>
std::vector<std::string> listed_formats(const Wanted& wanted, const Get& get) {
  std::vector<std::string> out;
  for (const Format* format : kFormats) {
    if (std::invoke(wanted, *format)) out.emplace_back(std::invoke(get, *format));
  }
  return out;
}

// Finds a format by name, in any case; null if there is none.
const Format* find_named(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, lower(name), &Format::name);
  return found == std::end(kFormats) ? nullptr : *found;
}

const Signature* find_signature(std::string_view head) {
  const auto* const found = std::ranges::find_if(
      kSignatures, [&](const Signature& signature) { return head.starts_with(signature.bytes); });
  return found == std::end(kSignatures) ? nullptr : found;
}

// The first bytes of a file, for messages: "'version https://gi...'", or "bytes 1f 8b 08 00" if not text.
std::string first_bytes(std::string_view head) {
  constexpr std::size_t kMostText = 24;
  constexpr std::size_t kMostBytes = 8;
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  std::string_view shown = line.substr(0, kMostText);
  // Does not cut a character.
  while (!shown.empty() && !is_utf8(shown) && shown.size() + 4 > std::min(kMostText, line.size())) {
    shown.remove_suffix(1);
  }
  if (!shown.empty() && is_text(shown) && is_utf8(shown))
    return cat('\'', printable(shown), shown.size() < line.size() ? "..." : "", '\'');
  return cat("bytes ", join(head.substr(0, kMostBytes), " ",
                            [](char c) { return hex(static_cast<unsigned char>(c), 2); }));
}

// Whether the text is a single value or empty; JSON's error message then fits.
bool is_single_value(std::string_view head) {
  std::string_view text = after_blanks(head);
  if (text.empty() || text[0] == '"') return true;
  text = text.substr(0, text.find_first_of(kBlanks));
  // The end of a long number is beyond the head.
  if (text.size() >= kTableDetectBytes)
    return text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
  std::string buffer;
  return text == "null" || read_field(text, buffer).kind != FieldKind::other;
}

// Whether the head is text although files with this extension are binary: a server's error page, or a pointer
// to a file.
bool is_failed_download(std::string_view head, const Format* named) {
  if (named == nullptr || !named->is_binary) return false;
  const bool is_answer = std::ranges::any_of(
      kAnswers, [&](std::string_view answer) { return after_blanks(head).starts_with(answer); });
  if (is_answer) return true;
  constexpr std::size_t kLeast = 9;  // shorter files may be truncated binary files
  return head.size() >= kLeast && begins_as_text(head) && detect_format(head) == nullptr &&
         !is_single_value(head);
}

// Whether a text in brackets begins a table of strings, not a JSON list: "[PAD]".
bool begins_with_bracketed_word(std::string_view head) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view kWords[] = {"true", "false", "null", "none", "nan", "inf", "infinity"};
  if (!head.starts_with('[')) return false;
  const std::string text = lower(head.substr(1, kTableDetectBytes));
  const std::string word = text.substr(0, text.find_first_not_of(kLetters));
  return !word.empty() && std::ranges::find(kWords, word) == std::end(kWords);
}

[[noreturn]] void refuse_input(std::string_view head, const Format* named = nullptr) {
  const auto titles =
      format_titles([](const Format& format) { return format.is_readable() && !format.is_table; });
  const Signature* const foreign = find_signature(head);
  std::string_view hint = foreign == nullptr ? std::string_view() : foreign->hint;
  if (foreign == nullptr && begins_as_text(head))
    hint = is_failed_download(head, named) ? kDownloadHint : hint_of_first_field(head);
  throw Error(cat("is neither ", join(titles), " nor a table of numbers; it begins with ", first_bytes(head),
                  foreign == nullptr ? "" : cat(" (", foreign->name, ')')),
              "", std::string(hint));
}

// The format with the longest file extension that `path` has, and the extension; null if there is none.
std::pair<const Format*, std::string_view> find_ending(std::string_view path) {
  std::pair<const Format*, std::string_view> longest = {nullptr, {}};
  for (const Format* format : kFormats) {
    for (const std::string_view ending : format->endings) {
      if (ending.empty() || path.size() < ending.size()) continue;
      const std::string_view end = path.substr(path.size() - ending.size());
      if (lower(end) == ending && ending.size() > longest.second.size()) longest = {format, end};
    }
  }
  return longest;
}

}  // namespace

std::span<const Format* const> formats() {
  return kFormats;
}

const Format* detect_format(std::string_view file) {
  const std::string_view head = file.substr(0, kHeadBytes);
  const auto* const found = std::ranges::find_if(kDetected, [&](const Format* format) {
    return format->detects(format->detects_in_file ? file : head);
  });
  return found == std::end(kDetected) ? nullptr : *found;
}

bool begins_plain_text(std::string_view text) {
  const Format* const detected = detect_format(text);
  const bool is_mark = text.starts_with("\xEF\xBB\xBF");
  return is_text(text.substr(0, 1)) && !is_mark && find_signature(text) == nullptr &&
         (detected == nullptr || detected->is_table || begins_with_bracketed_word(text));
}

void refuse_foreign(std::string_view head) {
  const Signature* const found = find_signature(head);
  if (found != nullptr && !found->hint.empty()) refuse_input(head);
}

const Format& input_format(std::string_view file, std::string_view path, const Format* given) {
  const std::string_view head = file.substr(0, kHeadBytes);
  const Format* const detected = detect_format(file);
  const Format* const named = find_ending(path).first;
  if (detected != nullptr && detected->is_binary) return *detected;
  // A file .pb is a protobuf message unless it is text. A file with the name of an index is one if it is a
  // JSON object.
  if (named == &kTensorProtoFormat && (head.empty() || !is_text(head))) return *named;
  if (named == &kShardIndexFormat && after_blanks(head).starts_with('{')) return *named;
  const bool is_foreign = find_signature(head) != nullptr;
  const bool is_answer = is_failed_download(head, named);
  const Format* const table = given != nullptr ? given : named;
  const bool is_word = table != nullptr && table->is_table && begins_with_bracketed_word(head);
  if (detected != nullptr && !detected->is_table && !is_answer && !is_word) return *detected;
  if (is_answer && !is_foreign) refuse_input(head, named);
  if (detected == nullptr && named == &kSafetensorsFormat && !is_foreign) return *named;  // damaged
  if (given == &kJsonFormat) return *given;
  if (is_foreign) refuse_input(head);
  if (given != nullptr) return *given;
  if (head.empty() && named != nullptr && named->is_binary)
    throw Error(cat("is empty, not ", noun_of(*named)));
  if (named != nullptr && named->is_table) return *named;
  // Text that begins like a table.
  if (detected != nullptr) return named == &kJsonFormat ? *named : *detected;
  if (!is_single_value(head)) refuse_input(head);
  return kJsonFormat;
}

const Format* find_format(std::string_view name) {
  const Format* const found = find_named(name);
  return found == nullptr || !found->is_writable() ? nullptr : found;
}

const Format* read_text_format(std::string_view name) {
  if (lower(name) == "auto") return nullptr;
  const Format* const found = find_named(name);
  if (found != nullptr && found->read_text != nullptr) return found;
  throw Error(cat(in_quotes(name), " is not one of ", join(text_format_names())));
}

std::vector<std::string> text_format_names() {
  auto names =
      listed_formats([](const Format& format) { return format.read_text != nullptr; }, &Format::name);
  names.insert(names.begin(), "auto");
  return names;
}

std::string noun_of(const Format& format) {
  return cat(format.article, " ", format.title, format.is_archive() ? " archive" : " file");
}

std::vector<std::string> format_names() {
  return listed_formats(&Format::is_writable, &Format::name);
}

std::vector<std::string> format_titles(bool (*wanted)(const Format& format)) {
  return listed_formats(wanted, &Format::title);
}

std::vector<std::string> format_endings(const std::function<bool(const Format& format)>& wanted) {
  const auto has_ending = [&](const Format& format) {
    return format.is_writable() && !format.endings[0].empty() && wanted(format);
  };
  return listed_formats(has_ending, [](const Format& format) { return format.endings[0]; });
}

std::vector<std::string> endings_naming(DTypeSet dtypes) {
  std::vector<std::string> endings;
  for (const bool is_archive : {false, true}) {
    std::ranges::move(format_endings([&](const Format& format) {
                        return format.is_binary && format.is_archive() == is_archive &&
                               dtypes.without(format.unnamed | format.missing) == dtypes;
                      }),
                      std::back_inserter(endings));
  }
  return endings;
}

std::string_view known_ending(std::string_view path) {
  return find_ending(path).second;
}

bool names_archive(std::string_view path) {
  const Format* const format = find_ending(path).first;
  return format != nullptr && format->is_archive();
}

const Format* find_format_by_ending(std::string_view path) {
  const Format* const format = find_ending(path).first;
  return format != nullptr && format->is_writable() ? format : nullptr;
}

void refuse_output(std::string_view path, const Format& format) {
  throw Error(cat(printable(path), ": ", format.title, " files are only read"), "",
              std::string(format.output_hint));
}

const Format& format_by_ending(std::string_view path) {
  const Format* const format = find_ending(path).first;
  if (format != nullptr && format->is_writable()) return *format;
  if (is_folder(std::string(path))) throw directory_error(std::string(path));
  if (format != nullptr) refuse_output(path, *format);
  throw Error(cat(printable(path), ": cannot tell the format from the file extension"), "", ending_hint());
}

}  // namespace tensorop
