#include "io/format.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/foreign_format.hpp"
#include "io/table/table_field.hpp"
#include "io/table/table_reader.hpp"

namespace tensorop {
namespace {

// In the order in which they are listed.
constexpr const Format* kFormats[] = {&kNpyFormat,         &kJsonFormat, &kNestedJsonFormat,
                                      &kTextFormat,        &kCsvFormat,  &kTsvFormat,
                                      &kTensorProtoFormat, &kNpzFormat,  &kSafetensorsFormat};

std::string ending_hint() {
  return cat("name it ", join_words(format_endings([](const Format&) { return true; }), "or"),
             ", or give --format ", join_words(format_names(), "or"));
}

}  // namespace

std::span<const Format* const> formats() {
  return kFormats;
}

const Format& default_format() {
  return **std::ranges::find_if(kFormats, &Format::is_default);
}

const Format* detect_format(std::string_view head) {
  // The first byte of a binary format may also begin a text; what looks at more bytes is more certain.
  const auto certainty = [](const Format* format) {
    return std::pair(format->is_binary, format->detect_bytes);
  };
  const Format* found = nullptr;
  for (const Format* format : kFormats) {
    if (format->detects == nullptr || !format->detects(head)) continue;
    if (found == nullptr || certainty(format) > certainty(found)) found = format;
  }
  return found;
}

namespace {

// A single value, or nothing: what JSON says of it is right.
bool is_single_value(std::string_view head) {
  std::string_view text = after_blanks(head);
  if (text.empty() || text[0] == '"') return true;
  text = text.substr(0, text.find_first_of(kBlanks));
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
  const bool has_header = foreign.empty() && !after_blanks(rest).empty() &&
                          (detect_format(after_blanks(rest)) != nullptr || is_single_value(rest));
  throw Error(cat("is neither ", join(titles), " nor a table of numbers; it begins with ", first_bytes(head),
                  foreign.empty() ? "" : cat(" (", foreign, ')')),
              "", has_header ? "a table has no header line: tail -n +2 FILE leaves it out" : "");
}

// The format whose file extension `path` has, and the extension; null when there is none.
std::pair<const Format*, std::string_view> find_ending(std::string_view path) {
  for (const Format* format : kFormats) {
    for (const std::string_view ending : format->endings) {
      if (ending.empty() || path.size() < ending.size()) continue;
      const std::string_view end = path.substr(path.size() - ending.size());
      if (lower(end) == ending) return {format, end};
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
  for (const Format* format : kFormats) {
    bytes.all = std::max(bytes.all, format->detect_bytes);
    if (format->is_binary) bytes.binary = std::max(bytes.binary, format->detect_bytes);
  }
  return bytes;
}

bool may_detect_format(std::string_view head) {
  return std::ranges::any_of(kFormats, [&](const Format* format) {
    return format->may_detect != nullptr && format->may_detect(head);
  });
}

const Format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, lower(name), &Format::name);
  return found == std::end(kFormats) || !(*found)->is_writable() ? nullptr : *found;
}

const Format* read_text_format(std::string_view name) {
  if (lower(name) == "auto") return nullptr;
  const auto* found = std::ranges::find(kFormats, lower(name), &Format::name);
  if (found == std::end(kFormats) || (*found)->read_text == nullptr) {
    throw Error(cat(in_quotes(name), " is not one of ", join(text_format_names())));
  }
  return *found;
}

std::vector<std::string> text_format_names() {
  std::vector<std::string> names = {"auto"};
  for (const Format* format : kFormats) {
    if (format->read_text != nullptr) names.emplace_back(format->name);
  }
  return names;
}

std::string noun_of(const Format& format) {
  return cat(format.article, " ", format.title, format.is_archive() ? " archive" : " file");
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format* format : kFormats) {
    if (format->is_writable()) names.emplace_back(format->name);
  }
  return names;
}

std::vector<std::string> format_titles(bool (*wanted)(const Format& format)) {
  std::vector<std::string> titles;
  for (const Format* format : kFormats) {
    if (wanted(*format)) titles.emplace_back(format->title);
  }
  return titles;
}

std::vector<std::string> format_endings(const std::function<bool(const Format& format)>& wanted) {
  std::vector<std::string> endings;
  for (const Format* format : kFormats) {
    if (format->is_writable() && !format->endings[0].empty() && wanted(*format)) {
      endings.emplace_back(format->endings[0]);
    }
  }
  return endings;
}

std::vector<std::string> endings_naming(DTypeSet dtypes) {
  std::vector<std::string> endings;
  for (const bool is_archive : {false, true}) {
    for (std::string& ending : format_endings([&](const Format& format) {
           return format.is_binary && format.is_archive() == is_archive &&
                  dtypes.without(format.unnamed | format.missing) == dtypes;
         })) {
      endings.push_back(std::move(ending));
    }
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

const Format& format_by_ending(std::string_view path) {
  if (const Format* format = find_format_by_ending(path)) return *format;
  throw Error(cat(printable(path), ": cannot tell the format from the file extension"), "", ending_hint());
}

}  // namespace tensorop
