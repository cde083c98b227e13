#include "shard_option.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

constexpr const char* kIndex = "TEST_SHARD_INDEX";
constexpr const char* kTotal = "TEST_TOTAL_SHARDS";
constexpr const char* kStatusFile = "TEST_SHARD_STATUS_FILE";

// Empty: not set.
std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::int64_t integer_in(const char* name) {
  const auto value = parse_int64(variable(name));
  if (!value) throw Error(cat(name, " ", in_quotes(variable(name)), " is not an integer"));
  return *value;
}

void make_status_file() {
  const std::string path(variable(kStatusFile));
  if (path.empty()) return;
  const int file = os().open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) throw_errno(path, cat("cannot make the file of ", kStatusFile));
  os().close(file);
}

std::optional<Shard> shard_of_environment() {
  const bool has_index = !variable(kIndex).empty();
  const bool has_total = !variable(kTotal).empty();
  if (!has_index && !has_total) return std::nullopt;
  if (!has_index || !has_total) {
    throw Error(cat(has_index ? kIndex : kTotal, " is set, but not ", has_index ? kTotal : kIndex), "",
                "set both or none, or give --shard I/N");
  }
  const std::int64_t total = integer_in(kTotal);
  if (total < 1) throw Error(cat(kTotal, " ", total, " is out of range (allowed: 1 and more)"));
  const std::int64_t index = integer_in(kIndex);
  if (index < 0 || index >= total) {
    throw Error(cat(kIndex, " ", index, " is out of range (allowed: 0..", total - 1, ")"));
  }
  make_status_file();
  return Shard{index + 1, total};
}

}  // namespace

Option shard_option() {
  return {"--shard", OptionKind::value, "I/N",
          "run part I of N parts, from 1; default: TEST_SHARD_INDEX (from 0) of TEST_TOTAL_SHARDS, else all"};
}

std::optional<Shard> read_shard(const Arguments& arguments) {
  const auto text = arguments.value("--shard");
  if (!text) return shard_of_environment();
  const std::string_view whole = *text;
  const std::size_t slash = std::min(whole.find('/'), whole.size());
  const auto number = parse_int64(whole.substr(0, slash));
  const auto count = parse_int64(whole.substr(std::min(slash + 1, whole.size())));
  if (!number || !count || *number < 1 || *number > *count) {
    throw Error(cat("--shard ", in_quotes(whole), " is not I/N (allowed: integers, 1 <= I <= N < 2^63)"));
  }
  return Shard{*number, *count};
}

std::string shard_prefix(const std::optional<Shard>& shard) {
  return shard ? cat("shard ", shard->number, "/", shard->count, ": ") : "";
}

}  // namespace tensorop
