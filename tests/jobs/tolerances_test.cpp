// Tolerances: what their texts mean for each dtype, and which are refused.
#include "jobs/tolerances.hpp"

#include <limits>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"

namespace tensorop::jobs_tolerances_test {
namespace {

std::string message_of(const std::vector<ToleranceText>& tolerances) {
  return error_of([&] { (void)parse_tolerances(tolerances); });
}

}  // namespace

TEST_CASE("tolerance auto has numbers for floats, and what is given stands", "[jobs][tolerances]") {
  const Tolerances automatic = parse_tolerances({{"tolerance", "auto"}});
  struct Expected {
    DType dtype;
    double rtol;
    double atol;
  };
  for (const Expected& row : std::vector<Expected>{{DType::float16, 1e-3, 1e-5},
                                                   {DType::bfloat16, 1.6e-2, 1e-5},
                                                   {DType::float32, 1.3e-6, 1e-5},
                                                   {DType::float64, 1e-7, 1e-7},
                                                   {DType::complex64, 1.3e-6, 1e-5},
                                                   {DType::complex128, 1e-7, 1e-7},
                                                   {DType::int8, 0, 0},
                                                   {DType::uint64, 0, 0},
                                                   {DType::boolean, 0, 0},
                                                   {DType::string, 0, 0}}) {
    CAPTURE(name(row.dtype));
    CHECK(automatic.for_dtype(row.dtype).rtol == row.rtol);
    CHECK(automatic.for_dtype(row.dtype).atol == row.atol);
  }
  const Tolerances mixed = parse_tolerances({{"tolerance", "Auto"}, {"rtol", "0.5"}});
  CHECK(mixed.for_dtype(DType::float32).rtol == 0.5);
  CHECK(mixed.for_dtype(DType::float32).atol == 1e-5);
  CHECK(mixed.for_dtype(DType::int32).rtol == 0.5);
}

TEST_CASE("exact_bits overrides tolerances, also those of others", "[jobs][tolerances]") {
  struct Row {
    std::vector<ToleranceText> texts;
    bool exact_bits;
    double rtol;
    bool allows_other_bits;
  };
  const ToleranceText rtol = {"rtol", "0.5"};
  for (const Row& row :
       std::vector<Row>{{{}, false, 0, false},
                        {{rtol}, false, 0.5, true},
                        {{rtol, {"exact_bits", "true"}}, true, 0, false},
                        {{{"rtol", "0.5", true}, {"exact_bits", "true"}}, true, 0, false},
                        {{rtol, {"exact_bits", "true", true}}, true, 0, false},
                        {{{"max_ulp", "4"}, {"exact_bits", "true"}}, true, 0, false},
                        {{{"exact_bits", "true", true}, {"exact_bits", "false"}}, false, 0, true},
                        {{{"tolerance", "auto"}, {"exact_bits", "true"}}, true, 0, false}}) {
    const Tolerances tolerances = parse_tolerances(row.texts);
    const ElementTolerance found = tolerances.for_dtype(DType::float32);
    CHECK(found.exact_bits == row.exact_bits);
    CHECK(found.rtol == row.rtol);
    CHECK_FALSE((found.exact_bits && found.max_ulp));
    CHECK(tolerances.allows_other_bits() == row.allows_other_bits);
  }
}

TEST_CASE("the allowed number of elements may differ, and no more", "[jobs][tolerances]") {
  struct Limit {
    std::string text;
    std::int64_t elements;
    std::int64_t allowed;
  };
  for (const Limit& row :
       std::vector<Limit>{{"0", 10, 0},
                          {"3", 10, 3},
                          {"3", 2, 3},
                          {"0%", 10, 0},
                          {"100%", 10, 10},
                          {"100.000000%", 10, 10},
                          {"50%", 3, 1},
                          {".5%", 200, 1},
                          {"0.5%", 199, 0},
                          {"1.%", 100, 1},
                          // In float64 this is 56.99999999999999.
                          {"0.57%", 10000, 57},
                          {"0.000001%", 99'999'999, 0},
                          {"0.000001%", 100'000'000, 1},
                          {"99.999999%", std::numeric_limits<std::int64_t>::max(), 9223371944621055438}}) {
    CAPTURE(row.text, row.elements);
    CHECK(parse_tolerances({{"max_mismatch", row.text}}).max_mismatch.allowed(row.elements) == row.allowed);
  }
}

TEST_CASE("what is no tolerance is refused", "[jobs][tolerances]") {
  struct Refused {
    std::string name;
    std::string text;
    std::string message;
  };
  std::vector<Refused> rows;
  for (const char* name : {"rtol", "atol"}) {
    for (const char* text : {"nan", "-nan", "inf", "infinity", "-inf", "-1", "-1e-300"}) {
      rows.push_back({name, text, cat(name, " '", text, "' is not a finite non-negative number")});
    }
    for (const char* text : {"", " 1", "1 ", "1,5", "0x1p3", "1%", "abc", "--1", "+-1", "1e"}) {
      rows.push_back({name, text, cat(name, " '", text, "' is not a number")});
    }
    for (const char* text : {"1e999", "1e-999", "-1e999"}) {
      rows.push_back({name, text, cat(name, " '", text, "' does not fit in float64")});
    }
  }
  for (const char* text : {"", "-1", "1.0", "1e3", "18446744073709551616", "nan"}) {
    rows.push_back({"max_ulp", text, cat("max_ulp '", text, "' is not an integer from 0 to 2^64-1")});
  }
  for (const char* text : {"", "%", ".%", "-1", "-1%", "1e1%", "100.000001%", "101%", "0.0000001%", "1.5",
                           "nan%", "1 %", "9223372036854775808", "99999999999999999999999%"}) {
    rows.push_back(
        {"max_mismatch", text,
         cat("max_mismatch '", text,
             "' is neither a non-negative integer nor a percentage 0%..100% (at most 6 decimals)")});
  }
  rows.push_back(
      {"tolerance", "exact", "tolerance 'exact' is not auto\nrtol, atol and max_ulp take numbers"});
  rows.push_back({"nan_unequal", "yes", "nan_unequal 'yes' is not one of true, false"});
  rows.push_back({"exact_bits", "1", "exact_bits '1' is not one of true, false"});
  rows.push_back(
      {"rtoll", "1",
       "unknown tolerance 'rtoll' (allowed: rtol, atol, max_ulp, max_mismatch, tolerance, nan_unequal, "
       "exact_bits, min_cosine, max_rms)"});
  for (const Refused& row : rows) CHECK(message_of({{row.name, row.text}}) == row.message);
  for (const char* text : {"0", "-0", "+1", "1e-5", ".5", "5.", "1e308", "5e-324"}) {
    CHECK(message_of({{"rtol", text}}) == "no error");
  }
}

}  // namespace tensorop::jobs_tolerances_test
