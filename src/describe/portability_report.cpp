#include "describe/portability_report.hpp"

#include <algorithm>
#include <vector>

#include "base/hash.hpp"
#include "base/text/json.hpp"
#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "io/json/json_writer.hpp"
#include "ops/statement.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kWidestResult = 60;

std::string_view word_of(Verdict verdict) {
  constexpr std::string_view kWords[] = {"accepted", "refused", "not in tensorop", "open", "no equivalent"};
  return kWords[static_cast<std::size_t>(verdict)];
}

// Returns A, B, ..., Z, AA, ...
std::string letter_of(std::size_t number) {
  const std::string last(1, static_cast<char>('A' + number % 26));
  return number < 26 ? last : letter_of(number / 26 - 1) + last;
}

// Returns a class in the form "A [50.0,30.0]", "B float32(1000,2) 1f2e...".
std::string class_text(const Portability& found, std::size_t number) {
  const ResultClass& own = found.classes[number];
  const std::string type = cat(name(own.output.dtype), to_string(own.output.shape));
  std::string elements = own.elements ? printable(nested_json(*own.elements)) : "";
  if (found.dry_run) return cat(letter_of(number), " ", type);
  const bool is_short = own.elements && elements.size() <= kWidestResult;
  return cat(letter_of(number), " ", is_short ? elements : cat(type, " ", hexadecimal(own.checksum)));
}

struct PortabilityLine {
  const VersionVerdict* first;
  std::string message;
  Framework last;
  std::string specs;
  std::string result = {};
};

// Returns the error or the elements left open: " indices[1] = 7", " data is a scalar".
std::string message_of(const VersionVerdict& one) {
  std::string message = one.element.empty() ? one.message : one.element;
  const std::string version = cat(version_name(*one.version), " ");
  if (const std::size_t at = message.find(version); at != std::string::npos)
    message.erase(at, version.size());
  return message.empty() ? "" : cat(one.result ? "; " : " ", message);
}

bool are_on_one_line(const VersionVerdict& a, const VersionVerdict& b) {
  return a.verdict == b.verdict && a.result == b.result && a.rule() == b.rule() &&
         message_of(a) == message_of(b);
}

// Returns a line for all versions with the same verdict: accepted ones first, by class.
std::vector<PortabilityLine> lines_of(const Portability& found) {
  std::vector<const VersionVerdict*> sorted;
  for (const VersionVerdict& one : found.versions) sorted.push_back(&one);
  std::ranges::stable_sort(sorted, {}, [&](const VersionVerdict* one) {
    return std::pair(one->verdict, one->result.value_or(found.classes.size()));
  });
  std::vector<PortabilityLine> lines;
  for (const VersionVerdict* one : sorted) {
    const auto is_same = [&](const PortabilityLine& line) { return are_on_one_line(*line.first, *one); };
    const auto line = std::ranges::find_if(lines, is_same);
    const std::string message = message_of(*one);
    if (line == lines.end()) {
      lines.push_back({one, message, one->version->framework, one->row});
      continue;
    }
    line->specs += cat(line->last == one->version->framework ? " " : ", ", one->row);
    line->last = one->version->framework;
  }
  for (PortabilityLine& line : lines) {
    const VersionVerdict& one = *line.first;
    line.result = cat(one.result ? class_text(found, *one.result) : one.rule(), line.message);
  }
  return lines;
}

std::string difference_text(const Portability& found, std::size_t number) {
  const ResultClass& own = found.classes[number];
  const OutputInfo& first = found.classes[0].output;
  if (own.differs_at) {
    return cat("A and ", letter_of(number), " differ first at ",
               element_name("", *own.differs_at, own.output.shape), ": ",
               printable(json_element(own.first_value, 0)), ", ", printable(json_element(own.own_value, 0)),
               "\n");
  }
  return cat("A is ", name(first.dtype), to_string(first.shape), ", ", letter_of(number), " is ",
             name(own.output.dtype), to_string(own.output.shape), "\n");
}

std::int64_t accepting(const Portability& found) {
  return std::ranges::count(found.versions, Verdict::accepted, &VersionVerdict::verdict);
}

}  // namespace

std::string portability_text(const Portability& found) {
  const std::vector<PortabilityLine> lines = lines_of(found);
  std::size_t width = std::string_view("result").size();
  for (const PortabilityLine& line : lines)
    width = std::max(width, std::min(line.result.size(), kWidestResult));
  std::size_t verdict_width = 10;
  for (const PortabilityLine& line : lines)
    verdict_width = std::max(verdict_width, word_of(line.first->verdict).size() + 1);
  const auto row = [&](std::string_view verdict, std::string_view result, std::string_view specs) {
    return cat(padded(verdict, verdict_width), padded(result, width), " ", specs, "\n");
  };
  std::string out;
  if (!found.written.empty()) out = cat("with tensorop's defaults the call has ", found.written, "\n");
  out += row("verdict", "result", "specs");
  for (const PortabilityLine& line : lines) out += row(word_of(line.first->verdict), line.result, line.specs);
  for (std::size_t i = 1; i < found.classes.size(); ++i) out += difference_text(found, i);
  out += cat(counted(static_cast<std::int64_t>(found.classes.size()), "result"), ", ", accepting(found),
             " of ", counted(static_cast<std::int64_t>(found.versions.size()), "version"),
             " accept the call: ", found.is_portable() ? "portable" : "not portable", "\n");
  return out;
}

Json verdict_json(const VersionVerdict& one) {
  constexpr std::string_view kWords[] = {"accepted", "refused", "not_in_tensorop", "unspecified",
                                         "no_equivalent"};
  return Json::object()
      .add("spec", one.spec)
      .add("published", one.version->published)
      .add("mode", Json::or_null(one.mode))
      .add("verdict", kWords[static_cast<std::size_t>(one.verdict)])
      .add("class", one.result ? Json(letter_of(*one.result)) : Json())
      .add("rule", Json::or_null(one.rule()))
      .add("message", Json::or_null(one.message))
      .add("source", Json::or_null(source_of(*one.version, one.rule())));
}

Json portability_json(const Portability& found) {
  Json classes = Json::object();
  for (std::size_t i = 0; i < found.classes.size(); ++i) {
    const ResultClass& own = found.classes[i];
    Json entry =
        Json::object().add("dtype", name(own.output.dtype)).add("shape", Json::list(own.output.shape));
    if (!found.dry_run) {
      entry.add("data", own.elements ? Json::of_text(nested_json(*own.elements)) : Json())
          .add("checksum", hexadecimal(own.checksum));
      if (own.differs_at) {
        entry.add("differs_from", "A")
            .add("position", Json::list(coordinates(*own.differs_at, own.output.shape)))
            .add("values",
                 Json::list(std::initializer_list<Tensor>{own.first_value, own.own_value},
                            [](const Tensor& value) { return Json::of_text(json_element(value, 0)); }));
      }
    }
    classes.add(letter_of(i), entry);
  }
  return Json::object()
      .add("op", found.opened.call.name->name)
      .add("written_out", Json::or_null(found.written))
      .add("classes", classes)
      .add("versions", Json::list(found.versions, verdict_json))
      .add("portable", found.is_portable());
}

}  // namespace tensorop
