// What the reports of a check have in them that tests/cli/check_reports.md cannot show.
#include "report/check_report.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "report/json_object.hpp"
#include "report/junit.hpp"
#include "support/catch.hpp"

namespace tensorop {
namespace {

using Json = nlohmann::json;

}  // namespace

TEST_CASE("text that is not UTF-8 is escaped in JSON", "[report][json]") {
  CHECK(json_string("a\"\n\xC3\xA9") == "\"a\\\"\\n\xC3\xA9\"");
  CHECK(Json::parse(json_string("a\xFF")) == "a\\xff");
  CHECK(JsonObjectText().text() == "{}");
  CHECK(JsonObjectText().add("a", "1").add("b", json_bool(true)).text() == R"({"a":1,"b":true})");
  CHECK(json_integers({}) == "[]");
  CHECK(json_integers({2, 0}) == "[2,0]");
}

TEST_CASE("the seconds of a case are in JUnit XML and JSON", "[report][check]") {
  Job job;
  job.file = "f";
  job.line = 3;
  job.name = "n";
  CaseResult result;
  result.outcome = CaseOutcome::equal;
  result.seconds = 0.25;
  JUnitReport junit("");
  junit.add(junit_test(job, result));
  CHECK(junit.text().find("line=\"3\" time=\"0.25") != std::string::npos);
  CheckJson json;
  CheckCounts counts;
  counts.add(job, result);
  const std::string text = json.add(job, result);
  CHECK(Json::parse(text + json.finish(counts)).at("cases").at(0).at("seconds") == 0.25);
}

}  // namespace tensorop
