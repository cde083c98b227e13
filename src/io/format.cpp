#include "io/format.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/archive.hpp"
#include "io/encoding.hpp"
#include "io/file_info.hpp"
#include "io/json_reader.hpp"
#include "io/json_writer.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/npz_writer.hpp"
#include "io/zip_directory.hpp"

namespace tensorop {
namespace {

constexpr Format kFormats[] = {
    {
        .name = "npy",
        .title = "NPY",
        .article = "an",
        .endings = {".npy"},
        .detect_bytes = kNpyMagic.size(),
        .detects = begins_as_npy,
        .read = read_npy,
        .describe = describe_npy,
        .encode = npy_encoding,
        .needs_string_width = true,
    },
    {
        .name = "json",
        .title = "JSON",
        .article = "a",
        .endings = {".json"},
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
        .name = "npz",
        .title = "NPZ",
        .article = "an",
        .endings = {".npz"},
        .detect_bytes = kZipDetectBytes,
        .detects = begins_as_zip,
        .open_archive = open_npz,
        .create_archive = create_npz,
        .can_compress = true,
    },
};

static_assert(std::ranges::count_if(kFormats, &Format::is_default) == 1);

bool is_choice(const Format& format, FormatChoice choice) {
  return format.is_writable() && (choice == FormatChoice::all || !format.is_archive());
}

std::string ending_hint(FormatChoice choice) {
  std::vector<std::string> endings;
  for (const Format& format : kFormats) {
    if (is_choice(format, choice) && !format.endings[0].empty()) endings.emplace_back(format.endings[0]);
  }
  return cat("name it ", join_words(std::move(endings), "or"), ", or give --format ",
             join_words(format_names(choice), "or"));
}

}  // namespace

std::span<const Format> formats() {
  return kFormats;
}

const Format& default_format() {
  return *std::ranges::find_if(kFormats, &Format::is_default);
}

const Format& detect_format(std::string_view head) {
  const auto* found = std::ranges::find_if(
      kFormats, [&](const Format& format) { return format.detects != nullptr && format.detects(head); });
  return found == std::end(kFormats) ? default_format() : *found;
}

std::size_t most_detect_bytes() {
  constexpr std::size_t kMost = std::ranges::max(kFormats, {}, &Format::detect_bytes).detect_bytes;
  return kMost;
}

const Format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, lower(name), &Format::name);
  return found == std::end(kFormats) || !found->is_writable() ? nullptr : found;
}

std::string noun_of(const Format& format) {
  return cat(format.article, " ", format.title, format.is_archive() ? " archive" : " file");
}

std::vector<std::string> format_names(FormatChoice choice) {
  std::vector<std::string> names;
  for (const Format& format : kFormats) {
    if (is_choice(format, choice)) names.emplace_back(format.name);
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

namespace {

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

std::string_view known_ending(std::string_view path) {
  return find_ending(path).second;
}

bool names_archive(std::string_view path) {
  const Format* const format = find_ending(path).first;
  return format != nullptr && format->is_archive();
}

const Format& format_by_ending(std::string_view path, FormatChoice choice) {
  for (const Format& format : kFormats) {
    const bool fits = std::ranges::any_of(
        format.endings, [&](std::string_view ending) { return !ending.empty() && path.ends_with(ending); });
    if (fits && format.is_writable()) return format;
  }
  throw Error(cat(printable(path), ": cannot tell the format from the file extension"), "",
              ending_hint(choice));
}

}  // namespace tensorop
