// safetensors: what is read although the format forbids it. What is malformed: testdata/inputs. The bytes
// that are written: tests/io/safetensors_roundtrip.py.
#include "io/safetensors/safetensors_header.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/safetensors/safetensors_writer.hpp"
#include "io/sink.hpp"
#include "io/source.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::io_safetensors_test {
namespace {

using namespace std::string_literals;

std::string length_of(std::uint64_t length) {
  std::string out;
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(length >> shift & 0xFFU);
  return out;
}

// A file with this header, and `bytes` bytes of data.
std::string framed(const std::string& json, std::size_t bytes = 0) {
  return length_of(json.size()) + json + std::string(bytes, '\1');
}

// "a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}
std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return cat('"', name, R"(":{"dtype":")", dtype, R"(","shape":)", shape, R"(,"data_offsets":)", offsets,
             '}');
}

std::string object(const std::string& members) {
  return cat('{', members, '}');
}

const std::string kF32 = entry("a", "F32", "[2]", "[0,8]");

// The message for a file with these bytes, as the archive or, where that is fine, as its only array.
std::string refusal(const TempDir& dir, const std::string& bytes) {
  write_file(dir.file("a.safetensors"), bytes);
  return error_of([&] {
    InputFile file = InputFile::open(dir.file("a.safetensors"));
    const auto archive = kSafetensorsFormat.open(file);
    (void)archive->read(archive->readable(archive->entry(archive->only_array())), {});
  });
}

std::unique_ptr<Archive> open_file(InputFile& file) {
  return kSafetensorsFormat.open(file);
}

}  // namespace

TEST_CASE("a file that is shorter than the length of its header is refused", "[io][safetensors]") {
  CHECK(refusal(TempDir(), "\x10\0\0\0\0\0\0"s) == "too short for a safetensors header: 7 bytes, at least 8");
}

TEST_CASE("what the reference reads and the format forbids is read with a warning", "[io][safetensors]") {
  const TempDir dir;
  struct Row {
    std::string json;
    std::vector<std::string> warnings;
  };
  const std::vector<Row> rows = {
      {object(kF32), {}},
      {object(cat(R"("__metadata__":null,)", kF32)), {"__metadata__ is null: ignored"}},
      {R"({"a":{"dtype":"F32","extra":[{"b":[1]},null],"shape":[2],"more":1,"data_offsets":[0,8]}})",
       {"array 'a': unknown key \"extra\" is ignored, and 1 more"}},
      {R"({"a":{"dtype":"F32","x\u001b":"","shape":[2],"data_offsets":[0,8]}})",
       {"array 'a': unknown key \"x\\x1b\" is ignored"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.json);
    write_file(dir.file("a.safetensors"), framed(row.json, 8));
    InputFile file = InputFile::open(dir.file("a.safetensors"));
    const auto archive = open_file(file);
    CHECK(archive->warnings() == row.warnings);
    CHECK(archive->read(archive->readable(archive->entry(archive->only_array())), {}).shape() == Shape{2});
    std::vector<std::string> heard;
    (void)Source::open(dir.file("a.safetensors"),
                       {.warn = [&](const std::string& line) { heard.push_back(line); }});
    REQUIRE(heard.size() == row.warnings.size());
    for (std::size_t i = 0; i < heard.size(); ++i) {
      CHECK(heard[i] == cat(dir.file("a.safetensors"), ": ", row.warnings[i]));
    }
  }
}

TEST_CASE("arrays that tensorop cannot read leave the others of a file", "[io][safetensors]") {
  const TempDir dir;
  write_file(dir.file("a"), framed(object(cat(entry("new", "Q7", "[5]", "[0,3]"), ",",
                                              entry("six", "F6_E2M3", "[4]", "[3,6]"), ",",
                                              entry("b", "U8", "[2]", "[6,8]"))),
                                   8));
  InputFile file = InputFile::open(dir.file("a"));
  const auto archive = open_file(file);
  REQUIRE(archive->size() == 3);
  CHECK(nested_json(archive->read(archive->readable(archive->entry(archive->find("b"))), {})) == "[1,1]");
  CHECK(error_of([&] { (void)archive->readable(archive->entry(0)); }) == "dtype 'Q7' is not known");
  CHECK(error_of([&] { (void)archive->readable(archive->entry(1)); }) == "dtype 'F6_E2M3' is not supported");
  const ArrayEntry info = archive->entry(1);
  CHECK(!info.dtype);
  CHECK(info.stored == "F6_E2M3");
  CHECK(info.shape == Shape{4});
  CHECK(info.bytes == 3);
  CHECK(archive->entry(0).bytes == 3);
}

TEST_CASE("the names of arrays are any text, and no paths", "[io][safetensors]") {
  const TempDir dir;
  const std::vector<std::pair<std::string, std::string>> names = {
      {R"(\u001b[2J)", "\x1b[2J"}, {"../x", "../x"}, {"", ""}, {"a:b", "a:b"}, {"a.npz:x", "a.npz:x"}};
  std::string members;
  for (const auto& [text, name] : names) {
    members += cat(members.empty() ? "" : ",", entry(text, "U8", "[0]", "[0,0]"));
  }
  write_file(dir.file("f"), framed(object(members)));
  for (const auto& [text, name] : names) {
    CAPTURE(text);
    const Source source = Source::open(cat(dir.file("f"), ":", name), {});
    CHECK(source.tensor()->shape() == Shape{0});
    CHECK(source.name() == printable(cat(dir.file("f"), ":", name)));
  }
  CHECK(names_in(dir.path()) == std::set<std::string>{"f"});
}

TEST_CASE("an array stays in the file, at any address", "[io][safetensors]") {
  const TempDir dir;
  for (const std::size_t padding : {0U, 1U}) {
    CAPTURE(padding);
    std::string json = object(kF32);
    json.append((8 - json.size() % 8) % 8 + padding, ' ');
    write_file(dir.file("a"), framed(json, 8));
    InputFile file = InputFile::open(dir.file("a"));
    const auto archive = open_file(file);
    const Tensor tensor = archive->read(archive->readable(archive->entry(0)), {});
    const auto bytes = file.mapping()->bytes();
    const bool is_mapped = tensor.data() >= bytes.data() && tensor.data() < bytes.data() + bytes.size();
    CHECK(is_mapped);
    CHECK(std::memcmp(tensor.data(), "\1\1\1\1\1\1\1\1", 8) == 0);
  }
}

TEST_CASE("a safetensors file is detected from its first bytes", "[io][safetensors]") {
  for (const char first : {'{', ' ', '\t', '\r', '\n'})
    CHECK(kSafetensorsFormat.detects(length_of(2) + first));
  CHECK(kSafetensorsFormat.detects(length_of(100'000'000) + "{"));
  // '{' and '[' as lengths: JSON would begin so too.
  CHECK(kSafetensorsFormat.detects(length_of('{') + "{"));
  // A TensorProto begins with 08, 10 or 0a, JSON with what follows white space.
  for (const std::uint64_t length : {0x08U, 0x10U, 0x0aU, 0x108U, 0x7b0aU, 0x5bU, 0x20U}) {
    CAPTURE(length);
    CHECK(detect_format(length_of(length) + "{}")->name == "safetensors");
  }
  CHECK_FALSE(kSafetensorsFormat.detects(length_of(2)));
  CHECK_FALSE(kSafetensorsFormat.detects(length_of(2) + "["));
  CHECK_FALSE(kSafetensorsFormat.detects(length_of(100'000'001) + "{"));
  CHECK_FALSE(kSafetensorsFormat.detects(length_of(std::uint64_t{1} << 32) + "{"));
  CHECK_FALSE(kSafetensorsFormat.detects(length_of(std::uint64_t{1} << 63) + "{"));
  CHECK_FALSE(kSafetensorsFormat.detects(length_of(~std::uint64_t{0}) + "{"));
}

}  // namespace tensorop::io_safetensors_test
