// safetensors: every way in which a header can be wrong, what is read although it is, and the bytes that are
// written. The reference's bytes of many arrays: tests/io/safetensors_roundtrip.py.
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
      for (std::int64_t k = 0; k < tensor.size(); ++k) {
        sink->append({reinterpret_cast<const char*>(tensor.data()) + k, 1});
      }
    }
    sink->commit();
  }
  archive->commit();
}

}  // namespace

TEST_CASE("what is wrong with a safetensors file is said", "[io][safetensors]") {
  struct Row {
    std::string bytes;
    std::string message;
  };
  const std::string deep(100'000, '[');
  const std::vector<Row> rows = {
      {"\x10\0\0\0\0\0\0"s, "too short for a safetensors header: 7 bytes, at least 8"},
      {length_of(0), "the safetensors header is empty"},
      {length_of(100'000'001) + "{}", "safetensors header of 100000001 bytes (at most 100000000)"},
      {length_of(std::uint64_t{1} << 63) + "{}",
       "safetensors header of 9223372036854775808 bytes (at most 100000000)"},
      {length_of(~std::uint64_t{0}) + "{}",
       "safetensors header of 18446744073709551615 bytes (at most 100000000)"},
      {length_of(3) + "{}", "safetensors header of 3 bytes, the file holds 2 after its length"},
      // The text of the header.
      {framed("{\"\xff\":1}"),
       "header: malformed JSON at byte 10: invalid string: ill-formed UTF-8 byte (last read: "
       "'\"\\xff'); expected string literal"},
      {framed("\xEF\xBB\xBF{}"), "header begins with a byte order mark (byte 8)"},
      {framed("{}\0\0"s), "header: malformed JSON at byte 10: a zero byte"},
      {framed(R"({"\ud800":1})"),
       "header: malformed JSON at byte 16: invalid string: surrogate U+D800..U+DBFF must be "
       "followed "
       "by U+DC00..U+DFFF (last read: '\"\\ud800\"'); expected string literal"},
      {framed("    "), "header must be one JSON object, found white space"},
      {framed("[]"), "header must be one JSON object, found a list"},
      {framed("\"x\""), "header must be one JSON object, found a string"},
      {framed("{} {}"), "header: malformed JSON at byte 11: unexpected '{'; expected the end of the header"},
      {framed(cat(R"({"x":)", deep)), "array 'x': must be an object, found a list"},
      {framed(cat(R"({"x":{"y":)", deep)),
       "header: more than 100 lists and objects within each other (byte 116)"},
      // Keys.
      {framed(object(cat(kF32, ",", entry("\\u0061", "F32", "[0]", "[8,8]"))), 8),
       "header: key \"a\" stands twice"},
      {framed(R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8),
       "array 'a': key \"dtype\" stands twice"},
      {framed(R"({"a":{"dtype":"F32","x":{"k":1,"k":2},"shape":[2],"data_offsets":[0,8]}})", 8),
       "array 'a': key \"k\" stands twice"},
      {framed(R"({"__metadata__":{},"__metadata__":{}})"), "header: key \"__metadata__\" stands twice"},
      {framed(R"({"__metadata__":{"k":"1","\u006b":"1"}})"), "__metadata__: key \"k\" stands twice"},
      {framed(R"({"__metadata__":{"k":1}})"), "metadata 'k' must be a string, found a number"},
      {framed(R"({"__metadata__":{"k":{}}})"), "metadata 'k' must be a string, found an object"},
      {framed(R"({"__metadata__":[]})"), "__metadata__ must be an object of strings, found a list"},
      {framed(R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", 8), "array 'a': key \"shape\" is missing"},
      {framed(R"({"a":{"shape":[2],"data_offsets":[0,8]}})", 8), "array 'a': key \"dtype\" is missing"},
      {framed(R"({"a":{"dtype":"F32","shape":[2]}})", 8), "array 'a': key \"data_offsets\" is missing"},
      {framed(R"({"a":[]})"), "array 'a': must be an object, found a list"},
      {framed(R"({"a":null})"), "array 'a': must be an object, found null"},
      // Shapes.
      {framed(object(entry("a", "F32", "[1.0]", "[0,4]")), 4),
       "array 'a': shape[0] = 1.0 is not a non-negative integer below 2^63"},
      {framed(object(entry("a", "F32", "[1,1e2]", "[0,4]")), 4),
       "array 'a': shape[1] = 1e2 is not a non-negative integer below 2^63"},
      {framed(object(entry("a", "F32", "[-1]", "[0,4]")), 4),
       "array 'a': shape[0] = -1 is not a non-negative integer below 2^63"},
      {framed(object(entry("a", "F32", "[9223372036854775808,2,0]", "[0,0]"))),
       "array 'a': shape[0] = 9223372036854775808 is not a non-negative integer below 2^63"},
      {framed(object(entry("a", "F32", "[\"2\"]", "[0,8]")), 8),
       "array 'a': shape[0] must be a non-negative integer, found a string"},
      {framed(object(entry("a", "F32", "[01]", "[0,8]")), 8),
       "array 'a': shape[0] = 01 is not a non-negative integer below 2^63"},
      {framed(object(entry("a", "F32", "2", "[0,8]")), 8),
       "array 'a': shape must be a list of integers, found a number"},
      {framed(object(entry("a", "F32",
                           cat(
                               "[1",
                               [] {
                                 std::string ones;
                                 for (int i = 0; i < 64; ++i) ones += ",1";
                                 return ones;
                               }(),
                               "]"),
                           "[0,4]")),
              4),
       "array 'a': shape has more than 64 dimensions: rank is at most 64"},
      {framed(object(entry("a", "F32", "[4294967296,4294967296]", "[0,0]"))),
       "array 'a': the shape (4294967296,4294967296) is too large [G-2]"},
      {framed(object(entry("a", "F32", "[-0]", "[0,0]"))),
       "array 'a': shape[0] = -0 is not a non-negative integer below 2^63"},
      // A dimension of 0 leaves no element.
      {framed(object(entry("a", "U8", "[0,9223372036854775807,9]", "[0,4]")), 4),
       "array 'a': data_offsets span 4 bytes, uint8 of shape (0,9223372036854775807,9) needs 0"},
      // Offsets.
      {framed(object(entry("a", "F32", "[2]", "[0]")), 8), "array 'a': data_offsets has 1 number, not 2"},
      {framed(object(entry("a", "F32", "[2]", "[0,4,8]")), 8),
       "array 'a': data_offsets has 3 numbers, not 2"},
      {framed(object(entry("a", "F32", "[2]", "[8,0]")), 8),
       "array 'a': data_offsets [8,0]: begin is above end"},
      {framed(object(entry("a", "F32", "[2]", "[0,9223372036854775808]")), 8),
       "array 'a': data_offsets[1] = 9223372036854775808 is not a non-negative integer below 2^63"},
      {framed(object(entry("a", "F32", "[2]", "[0,9]")), 8),
       "array 'a': it ends at byte 9 of the data, the file has 8"},
      {framed(object(entry("a", "F32", "[2]", "[0,4]")), 4),
       "array 'a': data_offsets span 4 bytes, float32 of shape (2) needs 8"},
      {framed(object(cat(kF32, ",", entry("b", "F32", "[2]", "[0,8]"))), 8),
       "array 'b' begins at byte 0 of the data, array 'a' ends at 8"},
      {framed(object(cat(kF32, ",", entry("b", "F32", "[2]", "[7,15]"))), 15),
       "array 'b' begins at byte 7 of the data, array 'a' ends at 8"},
      {framed(object(cat(kF32, ",", entry("b", "F32", "[2]", "[16,24]"))), 24),
       "bytes 8..15 of the data belong to no array"},
      {framed(object(entry("a", "F32", "[2]", "[1,9]")), 9), "bytes 0..0 of the data belong to no array"},
      {framed(object(kF32), 30),
       "22 bytes after the last array\nhead -c 70 FILE > x.safetensors leaves them out"},
      {framed("{}", 1), "1 byte after the last array\nhead -c 10 FILE > x.safetensors leaves them out"},
      {framed(object(kF32), 7), "array 'a': it ends at byte 8 of the data, the file has 7"},
      {framed(object(cat(kF32, ",", entry("e", "F32", "[0]", "[5,5]"))), 8),
       "array 'e' begins at byte 5 of the data, array 'a' ends at 8"},
      {framed(object(cat(kF32, ",", entry("e", "F32", "[0]", "[9,9]"))), 8),
       "array 'e': it ends at byte 9 of the data, the file has 8"},
      // Dtypes.
      {framed(object(entry("a", "F128", "[2]", "[0,8]")), 8), "dtype 'F128' is not known"},
      {framed(object(entry("a", "f32", "[2]", "[0,8]")), 8), "dtype 'f32' is not known"},
      {framed(object(entry("a", "", "[2]", "[0,8]")), 8), "dtype '' is not known"},
      {framed(R"({"a":{"dtype":null,"shape":[2],"data_offsets":[0,8]}})", 8),
       "array 'a': dtype must be a string, found null"},
      {framed(object(entry("a", "F6_E2M3", "[4]", "[0,3]")), 3), "dtype 'F6_E2M3' is not supported"},
      {framed(object(entry("a", "F6_E3M2", "[3]", "[0,3]")), 3),
       "array 'a': F6_E3M2 of shape (3) has 18 bits, which are not a multiple of 8"},
      {framed(object(entry("a", "F4", "[3]", "[0,2]")), 2),
       "array 'a': F4 of shape (3) has 12 bits, which are not a multiple of 8"},
      {framed("{}"), "the archive holds no arrays"},
  };
  const TempDir dir;
  for (const Row& row : rows) {
    CAPTURE(row.bytes.substr(0, 200));
    CHECK(refusal(dir, row.bytes) == row.message);
  }
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

TEST_CASE("a safetensors file that is cut at any byte is refused", "[io][safetensors]") {
  const TempDir dir;
  const std::string whole = framed(object(cat(kF32, ",", entry("b", "U8", "[1]", "[8,9]"))), 9);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(refusal(dir, whole.substr(0, size)) != "no error");
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
