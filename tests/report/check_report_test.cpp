// The reports of a check, made from results that no check has computed.
#include "report/check_report.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "report/json_object.hpp"
#include "report/junit.hpp"
#include "support/catch.hpp"

namespace tensorop {
namespace {

using Json = nlohmann::json;

Job job_of(Expectation::Kind kind, const std::string& expected) {
  Job job;
  job.file = "f";
  job.line = 3;
  job.name = "n";
  job.expect = Expectation{kind, expected};
  return job;
}

CaseResult result_of(CaseOutcome outcome) {
  CaseResult result;
  result.outcome = outcome;
  result.seconds = 0.25;
  return result;
}

}  // namespace

TEST_CASE("text that is not UTF-8 is escaped in JSON", "[report][json]") {
  CHECK(json_string("a\"\n\xC3\xA9") == "\"a\\\"\\n\xC3\xA9\"");
  CHECK(Json::parse(json_string("a\xFF")) == "a\\xff");
  CHECK(JsonObjectText().text() == "{}");
  CHECK(JsonObjectText().add("a", "1").add("b", json_bool(true)).text() == R"({"a":1,"b":true})");
  CHECK(json_integers({}) == "[]");
  CHECK(json_integers({2, 0}) == "[2,0]");
}

TEST_CASE("the JSON of a check is one object for any number of cases", "[report][check]") {
  const Job job = job_of(Expectation::Kind::file, "g.npy");
  for (int cases = 0; cases < 3; ++cases) {
    CheckJson json;
    CheckCounts counts;
    std::string text;
    for (int i = 0; i < cases; ++i) {
      text += json.add(job, result_of(CaseOutcome::equal));
      counts.add(job, result_of(CaseOutcome::equal));
    }
    const Json parsed = Json::parse(text + json.finish(counts));
    CHECK(parsed.at("cases").size() == static_cast<std::size_t>(cases));
    CHECK(parsed.at("summary").at("equal") == cases);
  }
}

TEST_CASE("an outcome has the same reason in text, JUnit XML and JSON", "[report][check]") {
  const Job job = job_of(Expectation::Kind::file, "g.npy");
  CaseResult failed = result_of(CaseOutcome::error);
  failed.error = std::make_shared<Error>("no <file>", "G-8", "make one");
  CHECK(case_text(job, failed) == "f:3: error: n\n  no <file> [G-8]\n  hint: make one\n");
  JUnitReport junit("");
  junit.add(junit_test(job, failed));
  CHECK(junit.text().find("<error message=\"no &lt;file&gt; [G-8]\">") != std::string::npos);
  CheckJson json;
  CheckCounts counts;
  counts.add(job, failed);
  const std::string text = json.add(job, failed);
  const Json entry = Json::parse(text + json.finish(counts)).at("cases").at(0);
  CHECK(entry.at("error") == Json{{"rule", "G-8"}, {"message", "no <file> [G-8]"}, {"hint", "make one"}});
  CHECK(entry.at("seconds") == 0.25);

  CaseResult created = result_of(CaseOutcome::updated);
  created.result = OutputInfo{DType::int8, {2}};
  created.update = GoldenUpdate::created;
  CHECK(case_text(job, created) == "f:3: updated: n\n  g.npy: new: int8 (2)\n");
  CaseResult missing_error = result_of(CaseOutcome::different);
  missing_error.result = OutputInfo{DType::int8, {2}};
  CHECK(case_text(job_of(Expectation::Kind::error, "IX-1"), missing_error) ==
        "f:3: different: n\n  expected the error 'IX-1', found int8 (2)\n");
  CHECK(case_text(job, result_of(CaseOutcome::equal)).empty());
}

}  // namespace tensorop
