// Two processes that write one destination, each paused at any of its system calls while the other one goes
// on: what is there at the end is the complete result of one of them. tests/faults has the same for whole
// operations.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/files/output_file.hpp"
#include "base/files/output_folder.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/paused_process.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::base_two_writers_test {
namespace {

// To fork costs much more with a sanitizer, which has maps of all memory.
constexpr int kStep = kAnySanitizer ? 3 : 1;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

void write_file(const std::string& path, std::string_view text) {
  OutputFile file = OutputFile::create(path);
  file.append(bytes_of(text));
  file.commit();
}

void write_shared(const std::string& path, std::string_view text) {
  using Writers = OutputFile::Writers;
  OutputFile file = OutputFile::create(path, false, {}, Writers::this_machine);
  file.reserve(std::ssize(text));
  OutputFile other = OutputFile::join(file.shared(), path, false, Writers::this_machine);
  other.write_at(0, bytes_of(text));
  other.leave();
  file.commit();
}

void write_folder(const std::string& path, std::string_view text) {
  OutputFolder folder(path);
  write_file(folder.path_of("inner"), text);
  folder.commit();
}

struct Way {
  std::string_view name;
  void (*write)(const std::string& path, std::string_view text);
  std::string_view file;        // within the destination
  bool refuses_second = false;  // which finds that the destination is not free any more
};
constexpr std::array kWays = {
    Way{"file", write_file, ""},
    Way{"file of several ranks", write_shared, ""},
    Way{"folder", write_folder, "/inner", true},
};

std::function<int()> writer(const Way& way, const std::string& path, std::string_view text) {
  return [=] {
    try {
      way.write(path, text);
    } catch (const Error&) {
      return 2;
    }
    return 0;
  };
}

// False if the first one makes fewer calls than `first`, or the second one fewer than `second`.
std::pair<bool, bool> run_pair(const Way& way, bool named, bool has_old, int first, int second) {
  const TempDir dir;
  const std::string path = dir.file("out");
  if (has_old) way.write(path, "old");
  PausedProcess a(writer(way, path, "the first one"), named, first);
  PausedProcess b(writer(way, path, "the second one"), named, second);
  const std::pair<bool, bool> paused = {a.is_paused(), b.is_paused()};
  const int a_status = a.finish();
  const int b_status = b.finish();
  CAPTURE(way.name, named, has_old, first, second, a_status, b_status);
  const std::string result = get(cat(path, way.file));
  CHECK(((a_status == 0 && result == "the first one") || (b_status == 0 && result == "the second one")));
  if (!way.refuses_second) CHECK((a_status == 0 && b_status == 0));
  CHECK(names_in(dir.path()) == std::set<std::string>{"out"});
  return paused;
}

}  // namespace

TEST_CASE("of two processes that write one destination, at any pace, one leaves its whole result",
          "[release][base][output]") {
  for (const Way& way : kWays) {
    for (const bool named : {false, true}) {
      for (const bool has_old : {false, true}) {
        if (has_old && way.refuses_second) continue;
        int first = 1;
        bool first_pauses = true;
        for (; first_pauses; first += kStep) {
          bool second_pauses = true;
          for (int second = 1; second_pauses; second += kStep)
            std::tie(first_pauses, second_pauses) = run_pair(way, named, has_old, first, second);
        }
        CHECK(first > 5);
      }
    }
  }
}

}  // namespace tensorop::base_two_writers_test
