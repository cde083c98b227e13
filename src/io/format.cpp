#include "io/format.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/archive.hpp"
#include "io/encoding.hpp"
#include "io/file_info.hpp"
#include "io/foreign_format.hpp"
#include "io/json_reader.hpp"
#include "io/json_writer.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/npz_writer.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_writer.hpp"
#include "io/table_field.hpp"
#include "io/table_reader.hpp"
#include "io/table_writer.hpp"
#include "io/tensor_proto.hpp"
#include "io/zip_directory.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kFormatSpace = " \t\r\n";

// What stands in front of the first token of a text.
std::string_view without_leading_space(std::string_view head) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  head.remove_prefix(std::min(head.find_first_not_of(kFormatSpace), head.size()));
  return head;
}

// A list or an object. A string may also be the quoted header line of a table.
bool begins_as_json(std::string_view head) {
  const std::string_view text = without_leading_space(head);
  return !text.empty() && (text[0] == '[' || text[0] == '{');
}

constexpr Format kFormats[] = {
    {
        .name = "npy",
        .title = "NPY",
        .article = "an",
        .endings = {".npy"},
        .detect_bytes = kNpyMagic.size(),
        .detects = begins_as_npy,
        .is_binary = true,
        .read = read_npy,
        .describe = describe_npy,
        .encode = npy_encoding,
        .measure_strings = longest_characters,
        .unnamed = kSmallTypes,
    },
    {
        .name = "json",
        .title = "JSON",
        .article = "a",
        .endings = {".json"},
        .detect_bytes = 1,
        .detects = begins_as_json,
        .is_default = true,
        .read_text = read_json,
        .peek_text = peek_json,
        .encode = json_encoding,
    },
    {
        .name = "nested",
        .title = "nested JSON",
        .article = "a",
        .encode = nested_json_encoding,
    },
    {
        .name = "text",
        .title = "text",
        .article = "a",
        .endings = {".txt"},
        .detect_bytes = kTableDetectBytes,
        .detects = begins_as_table,
        .may_detect = may_begin_table,
        .ending_decides = true,
        .read_text = read_table,
        .peek_text = peek_table,
        .encode = text_encoding,
        .keeps_shape = table_keeps_shape,
    },
    {
        .name = "csv",
        .title = "CSV",
        .article = "a",
        .endings = {".csv"},
        .ending_decides = true,
        .read_text = read_csv,
        .peek_text = peek_table,
        .encode = csv_encoding,
        .keeps_shape = table_keeps_shape,
    },
    {
        .name = "tsv",
        .title = "TSV",
        .article = "a",
        .endings = {".tsv"},
        .ending_decides = true,
        .read_text = read_tsv,
        .peek_text = peek_table,
        .encode = tsv_encoding,
        .keeps_shape = table_keeps_shape,
    },
    {
        .name = "pb",
        .title = "TensorProto",
        .article = "a",
        .endings = {".pb", ".tensorproto"},
        .detect_bytes = kTensorProtoDetectBytes,
        .detects = begins_as_tensor_proto,
        .may_be = may_be_tensor_proto,
        .is_binary = true,
        .read = read_tensor_proto,
        .describe = describe_tensor_proto,
        .encode = tensor_proto_encoding,
        .measure_strings = tensor_proto_string_bytes,
        .encode_named = named_tensor_proto_encoding,
    },
    {
        .name = "npz",
        .title = "NPZ",
        .article = "an",
        .endings = {".npz"},
        .detect_bytes = kZipDetectBytes,
        .detects = begins_as_zip,
        .is_binary = true,
        .open_archive = open_npz,
        .measure_strings = longest_characters,
        .create_archive = create_npz,
        .require_name = require_file_name,
        .can_compress = true,
        .unnamed = kSmallTypes,
    },
    {
        .name = "safetensors",
        .title = "safetensors",
        .article = "a",
        .endings = {".safetensors"},
        .detect_bytes = kSafetensorsDetectBytes,
        .detects = begins_as_safetensors,
        .is_binary = true,
        .ending_explains = true,
        .open_archive = open_safetensors,
        .create_archive = create_safetensors,
        .require_name = require_safetensors_name,
        .keeps_metadata = true,
    },
};

static_assert(std::ranges::count_if(kFormats, &Format::is_default) == 1);

std::string ending_hint() {
  std::vector<std::string> endings;
  for (const Format& format : kFormats) {
    if (format.is_writable() && !format.endings[0].empty()) endings.emplace_back(format.endings[0]);
  }
  return cat("name it ", join_words(std::move(endings), "or"), ", or give --format ",
             join_words(format_names(), "or"));
}

}  // namespace

std::span<const Format> formats() {
  return kFormats;
}

const Format& default_format() {
  return *std::ranges::find_if(kFormats, &Format::is_default);
}

const Format* detect_format(std::string_view head) {
  // The first byte of a binary format may also begin a text.
  for (const bool is_binary : {true, false}) {
    const auto* found = std::ranges::find_if(kFormats, [&](const Format& format) {
      return format.is_binary == is_binary && format.detects != nullptr && format.detects(head);
    });
    if (found != std::end(kFormats)) return found;
  }
  return nullptr;
}

namespace {

// A single value, or nothing: what JSON says of it is right.
bool is_single_value(std::string_view head) {
  std::string_view text = without_leading_space(head);
  if (text.empty() || text[0] == '"') return true;
  text = text.substr(0, text.find_first_of(kFormatSpace));
  // The end of a long number is out of sight.
  if (text.size() >= kTableDetectBytes)
    return text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
  std::string buffer;
  return text == "null" || read_field(text, buffer).kind != FieldKind::other;
}

[[noreturn]] void refuse_input(std::string_view head) {
  const auto titles =
      format_titles([](const Format& format) { return format.is_readable() && !format.ending_decides; });
  const std::string_view foreign = foreign_format(head);
  const std::string_view rest = head.substr(std::min(head.find('\n'), head.size()));
  const bool has_header = foreign.empty() && !without_leading_space(rest).empty() &&
                          (detect_format(without_leading_space(rest)) != nullptr || is_single_value(rest));
  throw Error(cat("is neither ", join(titles), " nor a table of numbers; it begins with ", first_bytes(head),
                  foreign.empty() ? "" : cat(" (", foreign, ')')),
              "", has_header ? "a table has no header line: tail -n +2 FILE leaves it out" : "");
}

// The format whose file extension `path` has, and the extension; null when there is none.
std::pair<const Format*, std::string_view> find_ending(std::string_view path) {
  for (const Format& format : formats()) {
    for (const std::string_view ending : format.endings) {
      if (ending.empty() || path.size() < ending.size()) continue;
      const std::string_view end = path.substr(path.size() - ending.size());
      if (lower(end) == ending) return {&format, end};
    }
  }
  return {nullptr, {}};
}

}  // namespace

const Format& input_format(std::string_view head, std::string_view path, const Format* given) {
  head = head.substr(0, detect_bytes().all);
  const Format* const detected = detect_format(head);
  const Format* const named = find_ending(path).first;
  const bool is_binary = detected != nullptr && detected->is_binary;
  if (!is_binary && named != nullptr && named->may_be != nullptr && named->may_be(head)) return *named;
  if (detected != nullptr && !detected->ending_decides) return *detected;
  if (detected == nullptr && named != nullptr && named->ending_explains && foreign_format(head).empty()) {
    return *named;
  }
  if (given != nullptr && given->is_default) return *given;
  if (!foreign_format(head).empty()) refuse_input(head);
  if (given != nullptr) return *given;
  if (head.empty() && named != nullptr && named->is_binary) {
    throw Error(cat("is empty, not ", noun_of(*named)));
  }
  if (named != nullptr && named->ending_decides) return *named;
  if (detected != nullptr) return *detected;
  if (!is_single_value(head)) refuse_input(head);
  return default_format();
}

DetectBytes detect_bytes() {
  DetectBytes bytes{0, 0};
  for (const Format& format : kFormats) {
    bytes.all = std::max(bytes.all, format.detect_bytes);
    if (format.is_binary) bytes.binary = std::max(bytes.binary, format.detect_bytes);
  }
  return bytes;
}

bool may_detect_format(std::string_view head) {
  return std::ranges::any_of(kFormats, [&](const Format& format) {
    return format.may_detect != nullptr && format.may_detect(head);
  });
}

const Format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, lower(name), &Format::name);
  return found == std::end(kFormats) || !found->is_writable() ? nullptr : found;
}

const Format* read_text_format(std::string_view name) {
  if (lower(name) == "auto") return nullptr;
  const auto* found = std::ranges::find(kFormats, lower(name), &Format::name);
  if (found == std::end(kFormats) || found->read_text == nullptr) {
    throw Error(cat(in_quotes(name), " is not one of ", join(text_format_names())));
  }
  return found;
}

std::vector<std::string> text_format_names() {
  std::vector<std::string> names = {"auto"};
  for (const Format& format : kFormats) {
    if (format.read_text != nullptr) names.emplace_back(format.name);
  }
  return names;
}

std::string noun_of(const Format& format) {
  return cat(format.article, " ", format.title, format.is_archive() ? " archive" : " file");
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) {
    if (format.is_writable()) names.emplace_back(format.name);
  }
  return names;
}

std::vector<std::string> format_titles(bool (*wanted)(const Format& format)) {
  std::vector<std::string> titles;
  for (const Format& format : kFormats) {
    if (wanted(format)) titles.emplace_back(format.title);
  }
  return titles;
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

const Format& format_by_ending(std::string_view path) {
  if (const Format* format = find_format_by_ending(path)) return *format;
  throw Error(cat(printable(path), ": cannot tell the format from the file extension"), "", ending_hint());
}

}  // namespace tensorop
