// Parts of reports that tests/cli/check_reports.md cannot show.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/text/json.hpp"
#include "base/text/markup.hpp"
#include "report/file_report.hpp"
#include "report/finding_json.hpp"
#include "support/catch.hpp"

namespace tensorop::report_finding_test {
namespace {

using Parsed = nlohmann::ordered_json;

}  // namespace

TEST_CASE("characters that XML does not have become text or U+FFFD", "[report]") {
  CHECK(escaped("a\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBC") == "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBC");
  CHECK(escaped("\x01\xFF") == "\\x01\\xff");
}

TEST_CASE("JSON has every value exactly, in order", "[report][json]") {
  CHECK(Json("a\"\n\xC3\xA9").text() == "\"a\\\"\\n\xC3\xA9\"");
  CHECK(Parsed::parse(Json("a\xFF").text()) == "a\\xff");
  CHECK(Json::object().add("a\xFF", true).text() == R"({"a\\xff":true})");
  CHECK(Json::object().text() == "{}");
  CHECK(Json::object().add("b", 1).add("a", true).add("c", Json()).text() == R"({"b":1,"a":true,"c":null})");
  CHECK(Json::list(std::vector<std::int64_t>{}).text() == "[]");
  CHECK(Json::list(std::vector<std::int64_t>{2, 0}).text() == "[2,0]");
  CHECK(Json(std::int64_t{-9223372036854775807 - 1}).text() == "-9223372036854775808");
  CHECK(Json(std::uint64_t{18446744073709551615U}).text() == "18446744073709551615");
  CHECK(Json(1e300 * 1e300).text() == R"("Infinity")");
  CHECK(Json(0.1).text() == "0.1");
  CHECK(Json::of_text(R"([0.10000000149011612,"NaN"])").text() == R"([0.10000000149011612,"NaN"])");
  CHECK(Json(std::optional<bool>()).text() == "null");
}

TEST_CASE("a list that is written item by item is a document", "[report][json]") {
  for (int items = 0; items < 3; ++items) {
    JsonList list(Json::document(), "list");
    std::string text;
    for (int i = 0; i < items; ++i) text += list.item(Json(i));
    text += list.end(Json::object().add("last", 1));
    CAPTURE(text);
    CHECK(Parsed::parse(text).at("list").size() == static_cast<std::size_t>(items));
    CHECK(Parsed::parse(text).at("last") == 1);
  }
}

TEST_CASE("the seconds of a finding are in JUnit XML and JSON", "[report]") {
  Finding finding{.name = "n", .place = {"f", 3, "f:3"}};
  finding.seconds = 0.25;
  const Counts counts;
  const auto junit = junit_report(kCheckReport);
  junit->add(finding);
  CHECK(junit->text({.end = {.counts = counts}, .summary = ""}).find("time=\"0.250\"") != std::string::npos);
  CHECK(Parsed::parse(finding_json(finding, kCheckReport).text()).at("seconds") == 0.25);
}

TEST_CASE("the worst outcome is the exit status", "[report]") {
  struct Row {
    Outcome outcome;
    int status;
  };
  const std::vector<Row> rows = {
      Row{Outcome::equal, 0},      Row{Outcome::different, 1},   Row{Outcome::missing, 1},
      Row{Outcome::extra, 1},      Row{Outcome::error, 2},       Row{Outcome::updated, 0},
      Row{Outcome::skipped, 0},    Row{Outcome::not_given, 0},   Row{Outcome::done, 0},
      Row{Outcome::unreadable, 2}, Row{Outcome::interrupted, 2}, Row{Outcome::not_compared, 2},
      Row{Outcome::not_run, 2},    Row{Outcome::refused, 2},     Row{Outcome::crashed, 2},
      Row{Outcome::timed_out, 2},  Row{Outcome::no_result, 1},   Row{Outcome::known_failure, 0},
      Row{Outcome::up_to_date, 0}, Row{Outcome::passes_now, 1}};
  CHECK(rows.size() == kOutcomeCount);
  for (const auto& [outcome, status] : rows) {
    Finding finding;
    finding.outcome = outcome;
    Counts counts;
    counts.add(finding);
    finding.outcome = Outcome::different;
    CAPTURE(name(outcome));
    CHECK(exit_status(counts) == status);
    CHECK(is_failure(outcome) == (status != 0));
    counts.add(finding);
    CHECK(exit_status(counts) == std::max(status, 1));
  }
}

}  // namespace tensorop::report_finding_test
