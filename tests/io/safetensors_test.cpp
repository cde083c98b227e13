// safetensors: what is read although the format forbids it, and the bytes that are written. What is
// malformed: testdata/inputs. The reference's bytes of many arrays: tests/io/safetensors_roundtrip.py.
#include "io/safetensors/safetensors_header.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text.hpp"
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
    const auto archive = kSafetensorsFormat.open_archive(file);
    (void)archive->read(archive->only(), {});
  });
}

std::unique_ptr<Archive> open_file(InputFile& file) {
  return kSafetensorsFormat.open_archive(file);
}

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

void write_archive(const std::string& path, const std::vector<NamedTensor>& arrays,
                   const Metadata& metadata = {}) {
  const auto archive = write_safetensors(path, {.metadata = metadata});
  std::vector<ArchiveArray> announced;
  for (const auto& [name, tensor] : arrays) announced.push_back({name, tensor.dtype(), tensor.shape()});
  for (const std::size_t i : archive->announce(announced)) {
    const auto& [name, tensor] = arrays[i];
    const auto sink = archive->add(name, tensor.dtype(), tensor.shape(), 0);
    const std::int64_t width = element_size(tensor.dtype());
    const std::int64_t half = tensor.size() / 2;
    const ElementFile* const elements = sink->elements();
    REQUIRE((elements == nullptr) == (info(tensor.dtype()).bits == 4));
    if (elements != nullptr) {
      // In two slices, the second one first.
      elements->write(half, tensor.data() + half * width, (tensor.size() - half) * width);
      elements->write(0, tensor.data(), half * width);
    } else {
      for (std::int64_t k = 0; k < tensor.size(); k += sink->together()) {
        std::string bytes;
        sink->encode(k, sink->together(), tensor.data() + k, bytes);
        sink->append(bytes);
      }
    }
    sink->commit();
  }
  archive->commit();
}

}  // namespace

TEST_CASE("a file that is shorter than the length of its header is refused", "[io][safetensors]") {
  CHECK(refusal(TempDir(), "\x10\0\0\0\0\0\0"s) == "too short for a safetensors header: 7 bytes, at least 8");
}

TEST_CASE("dimensions beside a 0 may have any product", "[io][safetensors]") {
  const TempDir dir;
  for (const char* shape : {"[0,9223372036854775807,9]", "[4611686018427387904,4,0]"}) {
    CAPTURE(shape);
    write_file(dir.file("a"), framed(object(entry("a", "F32", shape, "[0,0]"))));
    InputFile file = InputFile::open(dir.file("a"));
    const auto archive = open_file(file);
    CHECK(cat(archive->read(archive->only(), {}).shape().size()) == "3");
  }
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
    CHECK(archive->read(archive->only(), {}).shape() == Shape{2});
    std::vector<std::string> heard;
    (void)Source::open(dir.file("a.safetensors"),
                       {.arrays = {.warn = [&](const std::string& line) { heard.push_back(line); }}});
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
  CHECK(nested_json(archive->read(archive->find("b"), {})) == "[1,1]");
  CHECK(error_of([&] { (void)archive->read(0, {.header_only = true}); }) == "dtype 'Q7' is not known");
  CHECK(error_of([&] { (void)archive->read(1, {}); }) == "dtype 'F6_E2M3' is not supported");
  const FileInfo info = archive->describe(1);
  CHECK(!info.dtype);
  CHECK(info.stored == "F6_E2M3");
  CHECK(info.shape == Shape{4});
  CHECK(info.bytes == 3);
  CHECK(archive->describe(0).bytes == 3);
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
    const Tensor tensor = open_file(file)->read(0, {});
    const auto bytes = file.mapping()->bytes();
    const bool is_mapped = tensor.data() >= bytes.data() && tensor.data() < bytes.data() + bytes.size();
    CHECK(is_mapped);
    CHECK(std::memcmp(tensor.data(), "\1\1\1\1\1\1\1\1", 8) == 0);
  }
}

TEST_CASE("the worked example of safetensors is written byte for byte", "[io][safetensors]") {
  const TempDir dir;
  write_archive(dir.file("a"), {{"c", tensor_of<std::uint8_t>(DType::boolean, {3}, {1, 0, 1})},
                                {"z", tensor_of<float>(DType::float32, {1}, {3})},
                                {"a", tensor_of<float>(DType::float32, {2}, {1, 2})},
                                {"b", tensor_of<std::int64_t>(DType::int64, {}, {-1})}});
  const std::string json =
      R"({"b":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},)"
      R"("z":{"dtype":"F32","shape":[1],"data_offsets":[16,20]},"c":{"dtype":"BOOL","shape":[3],"data_offsets":[20,23]}})"
      "      ";
  CHECK(json.size() == 224);
  CHECK(get(dir.file("a")) == "\xe0\0\0\0\0\0\0\0"s + json + "\xff\xff\xff\xff\xff\xff\xff\xff"s +
                                  "\0\0\x80\x3f\0\0\0\x40"s + "\0\0\x40\x40"s + "\1\0\1"s);
  write_archive(dir.file("empty"), {});
  CHECK(get(dir.file("empty")) == "\x08\0\0\0\0\0\0\0{}      "s);
}

TEST_CASE("elements of 4 bits are two in a byte of the file", "[io][safetensors]") {
  const TempDir dir;
  const Tensor four = tensor_of<std::uint8_t>(DType::float4_e2m1fn, {2, 3}, {1, 2, 0, 15, 7, 8});
  write_archive(dir.file("a"), {{"f", four}, {"b", tensor_of<std::uint8_t>(DType::boolean, {1}, {1})}});
  const std::string bytes = get(dir.file("a"));
  CHECK(bytes.substr(bytes.size() - 4) == "\x21\xf0\x87\1"s);
  for (const std::int64_t memory : {0, 1}) {
    const Source source =
        Source::open(dir.file("a") + ":f", {.arrays = {.memory = memory, .scratch = [&](std::int64_t size) {
                                                         return ScratchFile(dir.path().string(), size);
                                                       }}});
    CHECK(std::memcmp(source.tensor()->data(), four.data(), 6) == 0);
  }
  CHECK(
      error_of([&] {
        write_archive(dir.file("b"), {{"f", tensor_of<std::uint8_t>(DType::float4_e2m1fn, {3}, {1, 2, 3})}});
      }) ==
      "array 'f': the size of 3 elements of float4_e2m1fn is not a multiple of 8 bits, as safetensors wants "
      "it\n"
      "a .pb file has them");
}

TEST_CASE("names and metadata are escaped as the reference escapes them", "[io][safetensors]") {
  const TempDir dir;
  const Metadata metadata = {{"k\"\\", "\b\f\n\r\t\x01\x1f\x7f/\xc3\xa4"}, {"", ""}};
  write_archive(dir.file("a"), {{"n\"", tensor_of<std::int8_t>(DType::int8, {0}, {})}}, metadata);
  const std::string json = R"({"__metadata__":{"k\"\\":"\b\f\n\r\t\u0001\u001f)"
                           "\x7f/\xc3\xa4"
                           R"(","":""},"n\"":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}})";
  CHECK(get(dir.file("a")).substr(8, json.size()) == json);
  InputFile file = InputFile::open(dir.file("a"));
  const auto archive = open_file(file);
  CHECK(archive->metadata() == metadata);
  CHECK(archive->name(0) == "n\"");
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
