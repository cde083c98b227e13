// Two processes that write arrays of one archive, each paused at any of its system calls while the other one
// goes on, some killed there: what a process has written is there at the end if the process says so.
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "convert/convert.hpp"
#include "io/sink.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/paused_process.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::io_archive_writers_test {
namespace {

constexpr int kRounds = kAnySanitizer ? 4 : 24;
constexpr int kMostCalls = 60;  // that are made before the result has its name, or few more

// A way to write the array `name` of the archive at `file`.
struct Way {
  std::string_view file;
  bool replaces = false;  // by `convert --replace` of the whole archive
};
constexpr std::array kWays = {Way{"m.npz"}, Way{"m.npz", true}, Way{"m.safetensors"},
                              Way{"m.safetensors", true}, Way{"m.safetensors.index.json"}};

void write_array(const TempDir& dir, const Way& way, const std::string& name, const std::string& value) {
  Conversion conversion{.inputs = {value}};
  set_path(conversion.destination, cat(dir.file(std::string(way.file)), ":", name));
  if (way.replaces) {
    conversion = {.inputs = {dir.file(std::string(way.file)), cat(name, "=", value)}, .replace = true};
    set_path(conversion.destination, dir.file(std::string(way.file)));
  }
  convert(conversion, {});
}

std::function<int()> writer_of(const TempDir& dir, const Way& way, const char* name) {
  return [&dir, way, name] {
    try {
      write_array(dir, way, name, "[7]");
    } catch (const Error&) {
      return 2;
    }
    return 0;
  };
}

void make_old(const TempDir& dir, const Way& way) {
  const bool is_index = way.file.ends_with(".json");
  Conversion conversion{.inputs = {"a=[1]", "b=[2]", "c=[3]"}};
  set_path(conversion.destination, dir.file(is_index ? "p.safetensors" : std::string(way.file)));
  convert(conversion, {});
  if (is_index)
    write_file(dir.file(std::string(way.file)),
               R"({"weight_map":{"a":"p.safetensors","b":"p.safetensors","c":"p.safetensors"}})");
}

// The array as JSON, or why there is none.
std::string values(const TempDir& dir, const Way& way, const std::string& name) {
  Conversion conversion{.inputs = {cat(dir.file(std::string(way.file)), ":", name)}};
  set_path(conversion.destination, dir.file("value.json"));
  try {
    convert(conversion, {});
  } catch (const Error& error) {
    return error.what();
  }
  return get(dir.file("value.json"));
}

// The processes pause at their calls of these numbers; the first one is killed there, or goes on.
void run_array_pair(const Way& way, bool named, bool has_old, int first, int second, bool is_killed) {
  const TempDir dir;
  if (has_old) make_old(dir, way);
  PausedProcess a(writer_of(dir, way, "a"), named, first);
  PausedProcess b(writer_of(dir, way, "b"), named, second);
  if (is_killed) {
    a.kill();
  } else {
    a.go_on();
  }
  const int b_status = b.finish();
  const int a_status = a.finish();
  CAPTURE(way.file, way.replaces, named, has_old, first, second, is_killed, a_status, b_status);
  CHECK(((a_status == 0 || is_killed) && b_status == 0));
  if (a_status == 0) CHECK(values(dir, way, "a").find("\"data\":[7]") != std::string::npos);
  if (b_status == 0) CHECK(values(dir, way, "b").find("\"data\":[7]") != std::string::npos);
  if (has_old) CHECK(values(dir, way, "c").find("\"data\":[3]") != std::string::npos);
}

}  // namespace

TEST_CASE("of two processes that write arrays of one archive, at any pace, none loses what the other wrote",
          "[release][io][output]") {
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  Random random(seed);
  for (const Way& way : kWays) {
    for (const bool named : {false, true}) {
      for (const bool has_old : {true, false}) {
        if (!has_old && (way.replaces || way.file.ends_with(".json"))) continue;
        for (int round = 0; round < kRounds; ++round) {
          const auto call = [&] { return static_cast<int>(random.between(1, kMostCalls)); };
          run_array_pair(way, named, has_old, call(), call(), round % 3 == 0);
        }
      }
    }
  }
}

}  // namespace tensorop::io_archive_writers_test
