// The bytes of work that an operation counts; those of operators are counted in threads_test.cpp.
#include <fstream>
#include <string>

#include "base/text/text.hpp"
#include "compare/compare.hpp"
#include "convert/convert.hpp"
#include "engine/positions.hpp"
#include "support/catch.hpp"
#include "support/compared.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::engine_meter_test {
namespace {

TEST_CASE("texts, conversions and comparisons count their bytes", "[engine][progress]") {
  constexpr std::int64_t kNumbers = 200000;
  const TempDir directory;
  std::string text = "[";
  for (int i = 0; i < kNumbers; ++i) text += cat(i == 0 ? "" : ",", i % 10);
  text += "]";
  const std::string json = directory.file("a.json");
  std::ofstream(json) << text;
  const std::string npy = directory.file("a.npy");
  const std::string other = directory.file("b.json");
  // The text from its second character on, less none or what is in front of the first part.
  const auto read = static_cast<std::int64_t>(text.size());
  constexpr std::int64_t kBytes = 8 * kNumbers;
  for (const int threads : {1, 3}) {
    const auto counted = [&](const auto& operation, std::int64_t least, std::int64_t most) {
      Meter meter;
      Settings settings;
      settings.threads = Threads(threads, &meter);
      operation(settings);
      CHECK(meter.done() == meter.total());
      CHECK(meter.total() >= least);
      CHECK(meter.total() <= most);
    };
    CAPTURE(threads);
    const auto converts = [&](const std::string& from, const std::string& to) {
      return [&, from, to](const Settings& settings) {
        convert({.inputs = {from}, .destination = {.path = to}}, settings);
      };
    };
    counted(converts(json, npy), kBytes + read - 10, kBytes + read);
    counted(converts(npy, other), kBytes, kBytes);
    counted(converts(npy, directory.file("a.npz")), kBytes, kBytes);
    counted([&](const Settings& settings) { CHECK(compare_operands(npy, npy, {}, settings).equal); },
            2 * kBytes, 2 * kBytes);
    constexpr std::int64_t kPositions = kBytes / 10 * 9;
    counted([&](const Settings& settings) { write_nonzero(npy, nullptr, {.path = other}, settings); },
            kPositions, kPositions);
    counted(
        [&](const Settings& settings) {
          write_lookup({.keys = npy, .ids = "[1]", .refuses_duplicates = false}, {.path = other}, settings);
        },
        kBytes + 8, 2 * kBytes);
  }
}

}  // namespace
}  // namespace tensorop::engine_meter_test
