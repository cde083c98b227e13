// TensorProto: every dtype in every field that may hold it, and the bytes that are written: a table of
// testdata/inputs, as is what is malformed. tests/io/tensor_proto_roundtrip.py compares with python3-onnx.
#include "io/onnx/tensor_proto.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/inspect.hpp"
#include "io/json/json_writer.hpp"
#include "io/onnx/protobuf.hpp"
#include "io/sink.hpp"
#include "io/source.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/hex.hpp"
#include "support/input_table.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::io_tensor_proto_test {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The bytes of `text`, from `offset` bytes after an address that is aligned for every dtype.
std::shared_ptr<const MappedFile> place(std::string_view text, std::size_t offset) {
  auto storage = std::make_shared<Storage>(static_cast<std::int64_t>(text.size() + offset));
  if (!text.empty()) std::memcpy(storage->data() + offset, text.data(), text.size());
  return std::make_shared<MappedFile>(std::span(storage->data() + offset, text.size()), storage);
}

struct NamedMessage {
  std::string name;
  Tensor tensor;
};

Tensor read_placed(const std::shared_ptr<const MappedFile>& file) {
  return decode_tensor_proto(tensor_proto_entry(file->bytes(), 0, file), file->bytes(), 0, {});
}

NamedMessage read(std::string_view text, std::size_t offset = 0) {
  const auto file = place(text, offset);
  return {tensor_proto_name(file->bytes()), read_placed(file)};
}

// "name float32 (2,2) [[1.0,2.0],[3.0,4.0]]".
std::string describe(const NamedMessage& named) {
  const Tensor& tensor = named.tensor;
  return cat(named.name, named.name.empty() ? "" : " ", name(tensor.dtype()), ' ', to_string(tensor.shape()),
             ' ', nested_json(tensor));
}

std::string encoded(const Encoding& encoding, const Tensor& tensor) {
  std::string out = encoding.prefix;
  if (encoding.element_bytes != 0) {
    out.append(reinterpret_cast<const char*>(tensor.data()), static_cast<std::size_t>(tensor.bytes()));
  } else {
    encoding.encode(0, tensor.size(), tensor.data(), out);
  }
  return out + encoding.suffix;
}

std::string written(const Tensor& tensor, std::string_view name) {
  const std::int64_t measure =
      tensor.dtype() == DType::string ? tensor_proto_string_bytes(tensor.strings()) : 0;
  return encoded(tensor_proto_encoding(tensor.dtype(), tensor.shape(), measure, name), tensor);
}

struct Row {
  std::string hex;
  std::string expected;
};

// What the program never reads as a TensorProto, or says more about; all else is in testdata/inputs.
const std::vector<Row> kRefused = {
    {"", "is empty"},
    {"2b", "wire type 3 of field 5 (int32_data) is not read (byte 0)"},
    {"08 07 12 03 61 62 63 3a 02 0a 00 42 04 0a 00 10 0d",
     "is an ONNX model, not a tensor\ntensorop check FOLDER checks the folder of its case"},
    {"0a 46 61*70", "not an ONNX tensor: no data_type (field 2)"},
};

std::string dims(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "08 01 ";
  return out;
}

}  // namespace

TEST_CASE("a message is read at any address", "[io][pb]") {
  for (const InputRow& row : read_input_table("tensor_proto")) {
    CAPTURE(row.name);
    for (std::size_t offset = 0; offset < 8; ++offset)
      CHECK(describe(read(row.bytes, offset)) == row.lines.at(0));
    const auto file = place(row.bytes, 0);
    CHECK(tensor_proto_entry(file->bytes(), 0, file).shape == read(row.bytes).tensor.shape());
  }
}

TEST_CASE("what is no tensor is refused with its words", "[io][pb]") {
  for (const Row& row : kRefused) {
    CAPTURE(row.hex);
    const std::string message = from_hex(row.hex);
    CHECK(error_of([&] { (void)read(message); }) == row.expected);
  }
}

TEST_CASE("a rank above 64 is refused", "[io][pb]") {
  const std::string refused = "more than 64 dims (byte 128): rank is at most 64";
  CHECK(read(from_hex(dims(64) + "10 02 4a 01 05")).tensor.rank() == 64);
  CHECK(error_of([&] { (void)read(from_hex(dims(65) + "10 02 4a 01 05")); }) == refused);
  CHECK(error_of([&] { (void)read(from_hex("0a 41 01*65 10 02 4a 01 05")); }) ==
        "more than 64 dims (byte 0): rank is at most 64");
}

TEST_CASE("an endless stream is refused at its beginning", "[io][pb]") {
  constexpr std::int64_t all = StreamReading::kUnknown;
  for (const auto& [front, then, enough] : std::vector<std::tuple<std::string, std::string, std::int64_t>>{
           {"", "08 01", 0},                            // more than 64 dims
           {"08 01 10 01 32 05", "00", 0},              // float32 in string_data
           {"12 01 61", "00", 0},                       // data_type of another wire type
           {"08 01 10 02 4a ff ff ff ff 0f", "00", 0},  // raw_data of 4 GiB
           {"08 01 10 02 4a ff ff ff ff 07", "00", all},
       }) {
    CAPTURE(front, then);
    std::string head = from_hex(front);
    while (head.size() < 1 << 16) head += from_hex(then);
    CHECK(kTensorProtoFormat.enough_bytes(head) == enough);
  }
}

TEST_CASE("raw_data stays where it is, at any address", "[io][pb]") {
  // raw_data begins at byte 8.
  const std::string message = from_hex("08 02 10 81 00 4a 88 00 00 00 80 3f 00 00 00 40");
  REQUIRE(message.size() == 16);
  for (const std::size_t address : {0U, 1U, 2U, 7U}) {
    const auto file = place(message, address);
    const Tensor used = read_placed(file);
    CHECK(used.data() == file->bytes().data() + 8);
    CHECK(nested_json(used) == "[1.0,2.0]");
  }
}

TEST_CASE("the name is found without a look at elements", "[io][pb]") {
  const auto name = [](const std::string& hex) { return tensor_proto_name(bytes_of(from_hex(hex))); };
  CHECK(name("08 01 10 01 42 01 78 4a 04 00 00 80 3f") == "x");
  CHECK(name("08 01 10 01 4a 04 00 00 80 3f 42 01 78") == "x");
  CHECK(name("08 01 10 01 4a 04 00 00 80 3f").empty());
  // The error is left to the reader of the elements.
  CHECK(name("42 01 78 4a 04 00") == "x");
  CHECK(name("4a 04 00 42 01 78").empty());
  CHECK(name("40 01").empty());
  CHECK(name("").empty());
}

TEST_CASE("the worked examples are written byte for byte", "[io][pb]") {
  for (const InputRow& row : read_input_table("tensor_proto")) {
    if (!row.name.starts_with("canonical_")) continue;
    CAPTURE(row.name);
    const NamedMessage named = read(row.bytes);
    CHECK(written(named.tensor, named.name) == row.bytes);
  }
}

TEST_CASE("a message longer than readers accept is not begun", "[io][pb]") {
  const auto refused = [](std::int64_t bytes, std::string_view formats = ".npy, .npz and .safetensors") {
    return cat("the TensorProto would have ", bytes,
               " bytes; readers of protobuf accept at most 2147483647\n", formats, " files may be larger");
  };
  // dims 5 + 1, data_type 2, raw_data 1 + 5.
  CHECK(tensor_proto_encoding(DType::uint8, {2147483633}, 0).least_bytes == 2147483633);
  CHECK(error_of([] { (void)tensor_proto_encoding(DType::uint8, {2147483634}, 0); }) == refused(2147483648));
  CHECK(error_of([] {
          (void)tensor_proto_encoding(DType::float64, {std::int64_t{1} << 40}, 0);
        }).starts_with("the TensorProto would have 879609302"));
  CHECK(error_of([] { (void)tensor_proto_encoding(DType::string, {1}, 2147483640, "abc"); }) ==
        refused(2147483649, ".npy and .npz"));
  const TempDir dir;
  const std::string path = dir.file("a.pb");
  CHECK(error_of([&] { (void)open_sink({path}, DType::int16, {std::int64_t{1} << 30}, 0); }) ==
        refused(2147483662));
  CHECK(names_in(dir.path()).empty());
}

TEST_CASE("a file is detected from its bytes, and its name changes what is not", "[io][pb]") {
  const std::string tensor = from_hex("10 02 4a 01 05");
  const auto format_of_input = [](const std::string& bytes, const std::string& path) {
    std::string found = "no error";
    const std::string error = error_of([&] { found = input_format(bytes, path, nullptr).name; });
    return error == "no error" ? found : error;
  };
  CHECK(format_of_input(tensor, "a") == "pb");
  CHECK(format_of_input(tensor, "a.npy") == "pb");
  CHECK(format_of_input("\x08", "a") == "pb");
  CHECK(format_of_input(from_hex("0a 01 02 10 02 4a 02 05 05"), "a") == "pb");
  CHECK(format_of_input(from_hex("0a 0a 02*10 10 02"), "a") == "pb");
  CHECK(format_of_input("\n[1]", "a") == "json");
  CHECK(format_of_input("\n[1]", "a.pb") == "json");
  CHECK(format_of_input("\n5", "a.pb") == "json");
  CHECK(format_of_input("\x93NUMPY", "a.pb") == "npy");
  CHECK(format_of_input("PK\3\4", "a.tensorproto") == "npz");
  // Rank 9, whose first dim is '{': JSON, unless the name says what it is.
  const std::string nine = from_hex("0a 09 7b 01*8 10 02");
  CHECK(format_of_input(nine, "a") == "json");
  CHECK(format_of_input(nine, "a.PB") == "pb");
  // Not in the order in which it is written.
  const std::string reversed = from_hex("4a 01 05 10 02");
  CHECK(format_of_input(reversed, "a.pb") == "pb");
  CHECK(format_of_input(reversed, "a").find("is neither NPY") != std::string::npos);
  CHECK(format_of_input("", "a.pb") == "pb");
  CHECK(format_of_input("", "a") == "json");
  for (const std::string path : {"a", "a.pb", "a.pbtxt"}) {
    const std::string error = format_of_input("dims: 2\ndata_type: 1\n", path);
    CHECK(error.find("begins with 'dims: 2' (protobuf text, which is not read)") != std::string::npos);
  }
}

TEST_CASE("a file with external data is refused and no other file is opened", "[io][pb]") {
  const TempDir dir;
  const std::string path = dir.file("a.pb");
  write_file(path, from_hex("08 01 10 02 6a 0d 0a 08 6c 6f 63 61 74 69 6f 6e 12 01 62 70 01"));
  write_file(dir.file("b"), "\x05");
  CHECK(error_of([&] { (void)Source::open(path, {}); }) ==
        cat(path, ": the data is in another file (external data, location 'b'), which is not read"));
  CHECK(error_of([&] { (void)inspect_file(path); }) ==
        cat(path, ": the data is in another file (external data, location 'b'), which is not read"));
}

TEST_CASE("info tells the field of the elements and the name", "[io][pb]") {
  const TempDir dir;
  const std::string path = dir.file("a.pb");
  write_file(path, from_hex("08 02 10 06 2a 02 01 02 42 01 78 88 01 00"));
  const ArrayEntry info = inspect_file(path).arrays.at(0);
  CHECK(info.format == "pb");
  CHECK(info.dtype == DType::int32);
  CHECK(info.shape == Shape{2});
  CHECK(info.stored == "int32_data");
  CHECK(info.bytes == 8);
  CHECK(info.name == "x");
  CHECK(info.warnings == std::vector<std::string>{"field 17 is not known and was skipped"});
}

TEST_CASE("info tells the bytes of elements, whatever field they are in", "[io][pb]") {
  const TempDir dir;
  for (const auto& [name, content, bytes] : std::vector<std::tuple<std::string, std::string, std::int64_t>>{
           {"raw.pb", from_hex("08 03 10 16 4a 02 87 0f"), 2},
           {"typed.pb", from_hex("08 03 10 16 2a 03 87 01 0f"), 2},
           {"empty.pb", from_hex("08 00 10 16"), 0},
           {"strings.pb", from_hex("08 03 10 08 32 01 61 32 03 c3 a4 62 32 00"), 4},
           {"strings.json", R"(["a","äb",""])", 4},
           {"numbers.json", "[1,2]", 16},
       }) {
    CAPTURE(name);
    write_file(dir.file(name), content);
    CHECK(inspect_file(dir.file(name)).arrays.at(0).bytes == bytes);
  }
}

}  // namespace tensorop::io_tensor_proto_test
