// What each kind of report says of itself.
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "report/file_report.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"

namespace tensorop::report_rows_test {

using Strings = std::set<std::string>;

// An outcome that is added to the table is in the schema too.
TEST_CASE("the JSON schema has the outcomes and numbers of each report", "[reports]") {
  const auto schema = nlohmann::json::parse(get(source_dir() + "/docs/report.schema.json")).at("$defs");
  struct Row {
    const ReportKind& kind;
    std::string entry;
    Strings only_counted;
    Strings others;  // of entries that are not counted
  };
  const Row rows[] = {{kCompareReport, "pair", {"not_run"}, {}},
                      {kCheckReport, "case", {}, {"done"}},
                      {kRunReport, "job", {"not_run", "up_to_date"}, {}}};
  for (const auto& [kind, entry, only_counted, others] : rows) {
    CAPTURE(entry);
    Strings numbers;
    for (const ReportNumber& number : numbers_of({Counts()}, kind)) numbers.insert(std::string(number.name));
    const auto& summary = schema.at("summary_of_" + std::string(kind.list));
    CHECK(summary.at("required").get<Strings>() == numbers);
    Strings listed = others;
    for (const OutcomeRow& row : outcome_rows()) {
      const std::string name(row.name);
      if ((row.counted_by & kind.counted_by) != 0 && !only_counted.contains(name)) listed.insert(name);
    }
    CHECK(schema.at(entry).at("properties").at("outcome").at("enum").get<Strings>() == listed);
  }
}

// A second run replaces the report of the first one, also if it ends before its inputs are known.
TEST_CASE("a report is taken for one of its kind", "[reports]") {
  Finding finding{.suite = "f", .name = "a case", .outcome = Outcome::error};
  finding.error = std::make_shared<Failure>("missing.npy: cannot open");
  Counts counts;
  counts.add(finding);
  for (const ReportRow& row : report_rows()) {
    CAPTURE(row.option);
    const auto report = row.make({kCheckReport, "--rtol 1"}, std::nullopt);
    constexpr std::int64_t kRoom = 100'000;
    for (int findings = 0; findings < 2; ++findings) {
      CHECK(row.may_be_old(report->text({ReportEnd{counts}, "1 case: 0 equal, 1 different", kRoom})));
      report->add(finding);
    }
    CHECK_FALSE(row.may_be_old(R"({"op":"add"})"));
    CHECK_FALSE(row.may_be_old(std::string_view("\x93NUMPY\x01\0v\0{", 11)));
  }
}

}  // namespace tensorop::report_rows_test
