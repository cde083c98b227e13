// The NPY format: every header that is one, elements in every layout, and streams that are short, long or
// endless. Malformed headers: testdata/inputs.
#include "io/npy/npy.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/system.hpp"
#include "base/text.hpp"
#include "io/json/json_writer.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/input_table.hpp"
#include "support/npy_writer.hpp"
#include "support/standard_input.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::io_npy_test {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// A file of this version around `literal`.
std::string framed(std::string_view literal, int version = 1) {
  std::string file = cat(kNpyMagic, static_cast<char>(version), '\0');
  const std::size_t digits = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < digits; ++i) file += static_cast<char>(literal.size() >> (8 * i) & 255U);
  return cat(file, literal);
}

std::string literal_of(std::string_view descr, std::string_view shape, std::string_view order = "False") {
  return cat("{'descr': ", descr, ", 'fortran_order': ", order, ", 'shape': ", shape, ", }");
}

NpyHeader parse(std::string_view file) {
  return parse_npy_header(bytes_of(file));
}

std::string parse_error(std::string_view file) {
  return error_of([&] { (void)parse(file); });
}

// A pipe that holds `text` and then ends.
InputFile stream_of(std::string_view text) {
  const int end = pipe_with(text);
  InputFile file = InputFile::open(cat("/proc/self/fd/", end));
  ::close(end);
  return file;
}

Tensor read_mapped(const TempDir& dir, const std::string& bytes) {
  write_file(dir.file("a.npy"), bytes);
  InputFile file = InputFile::open(dir.file("a.npy"));
  return read_npy(source_of(file), {});
}

Tensor read_streamed(std::string_view bytes) {
  InputFile file = stream_of(bytes);
  return read_npy(source_of(file), {});
}

}  // namespace

TEST_CASE("a header is read in every spelling of the literal that Python accepts", "[io][npy]") {
  struct Row {
    std::string literal;
    Shape shape;
    bool fortran_order;
  };
  const std::vector<Row> rows = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", {2, 3}, false},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", {2, 3}, false},
      {"{'descr':'<f4','fortran_order':True,'shape':(2,3)}", {2, 3}, true},
      {"{ 'descr' : '<f4' , 'fortran_order' : True , 'shape' : ( 2 , 3 , ) , }", {2, 3}, true},
      {"  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", {2, 3}, false},
      {"{\n'descr':\n'<f4',\n'fortran_order':\nFalse,\n'shape':\n(2,\n3)\n}\n\n", {2, 3}, false},
      {"{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 3)}", {2, 3}, false},
      {"{'shape': (2, 3), 'descr': \"<f4\", 'fortran_order': False}", {2, 3}, false},
      {"{'fortran_order': True, 'shape': (7,), 'descr': '<f4'}", {7}, true},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L)}", {2, 3}, false},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (5L,)}", {5}, false},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", {}, false},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': ( )}", {}, false},
      {"{\t'descr':\t'<f4',\r'fortran_order':\f False,\r\n'shape':\t(\t2,\t3\r)\f}\r\n", {2, 3}, false},
      {"\t{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}\r", {2, 3}, false},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (00, 0L)}", {0, 0}, false},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9223372036854775807)}",
       {0, std::numeric_limits<std::int64_t>::max()},
       false},
  };
  for (const Row& row : rows) {
    CAPTURE(printable(row.literal));
    for (const int version : {1, 2, 3}) {
      const std::string file = framed(row.literal, version);
      const NpyHeader header = parse(file);
      CHECK(header.dtype == DType::float32);
      CHECK(header.shape == row.shape);
      CHECK(header.fortran_order == row.fortran_order);
      CHECK(header.item_bytes == 4);
      CHECK(header.data_offset == static_cast<std::int64_t>(file.size()));
      // Elements after it are no part of it.
      CHECK(parse(file + "{'").data_offset == header.data_offset);
    }
  }
}

TEST_CASE("a header of 64 dimensions is the largest", "[io][npy]") {
  std::string dims;
  for (int i = 0; i < 64; ++i) dims += "1, ";
  CHECK(parse(framed(literal_of("'<f4'", cat("(", dims, ")")))).shape == Shape(64, 1));
  CHECK(parse_error(framed(literal_of("'<f4'", cat("(", dims, "1)")))) ==
        "malformed NPY header: more than 64 dimensions");
}

TEST_CASE("each element type has its codes", "[io][npy]") {
  struct Row {
    std::string_view descr;
    DType dtype;
    StoredEncoding encoding;
    std::int64_t bytes;
  };
  constexpr auto kNative = StoredEncoding::native;
  constexpr auto kSwapped = StoredEncoding::swapped;
  const std::vector<Row> rows = {
      {"|b1", DType::boolean, kNative, 1},
      {"|i1", DType::int8, kNative, 1},
      {"|u1", DType::uint8, kNative, 1},
      {"<i1", DType::int8, kNative, 1},
      {">u1", DType::uint8, kNative, 1},
      {"<i2", DType::int16, kNative, 2},
      {">i2", DType::int16, kSwapped, 2},
      {"=i4", DType::int32, kNative, 4},
      {">i8", DType::int64, kSwapped, 8},
      {"<u2", DType::uint16, kNative, 2},
      {">u4", DType::uint32, kSwapped, 4},
      {"<u8", DType::uint64, kNative, 8},
      {"<f2", DType::float16, kNative, 2},
      {">f2", DType::float16, kSwapped, 2},
      {"<V2", DType::bfloat16, kNative, 2},
      {"|V2", DType::bfloat16, kNative, 2},
      {"<f4", DType::float32, kNative, 4},
      {">f8", DType::float64, kSwapped, 8},
      {"<c8", DType::complex64, kNative, 8},
      {">c16", DType::complex128, kSwapped, 16},
      {"<U5", DType::string, StoredEncoding::utf32, 20},
      {">U5", DType::string, StoredEncoding::utf32_swapped, 20},
      {"|S5", DType::string, StoredEncoding::bytes, 5},
      // Without a byte order.
      {"?", DType::boolean, kNative, 1},
      {"b1", DType::boolean, kNative, 1},
      {"bool", DType::boolean, kNative, 1},
      {"b", DType::int8, kNative, 1},
      {"i1", DType::int8, kNative, 1},
      {"B", DType::uint8, kNative, 1},
      {"h", DType::int16, kNative, 2},
      {"H", DType::uint16, kNative, 2},
      {"i", DType::int32, kNative, 4},
      {"i4", DType::int32, kNative, 4},
      {"int32", DType::int32, kNative, 4},
      {"I", DType::uint32, kNative, 4},
      {"q", DType::int64, kNative, 8},
      {"Q", DType::uint64, kNative, 8},
      {"uint64", DType::uint64, kNative, 8},
      {"e", DType::float16, kNative, 2},
      {"f", DType::float32, kNative, 4},
      {"float32", DType::float32, kNative, 4},
      {"d", DType::float64, kNative, 8},
      {"f8", DType::float64, kNative, 8},
      {"float64", DType::float64, kNative, 8},
      {"F", DType::complex64, kNative, 8},
      {"D", DType::complex128, kNative, 16},
      {"c16", DType::complex128, kNative, 16},
      {"complex128", DType::complex128, kNative, 16},
  };
  for (const Row& row : rows) {
    CAPTURE(row.descr);
    const NpyHeader header = parse(framed(literal_of(cat("'", row.descr, "'"), "(2,)")));
    CHECK(header.dtype == row.dtype);
    CHECK(header.encoding == row.encoding);
    CHECK(header.item_bytes == row.bytes);
  }
}

TEST_CASE("a malformed header is refused alike in every version", "[io][npy]") {
  const std::string first = cat(kNpyMagic, '\1', '\0');
  for (const InputRow& row : read_input_table("bad_npy")) {
    constexpr std::size_t kFrame = 10;
    if (!row.bytes.starts_with(first) || row.bytes.size() < kFrame) continue;
    CAPTURE(row.name);
    const std::string literal = row.bytes.substr(kFrame);
    const std::string refused = parse_error(framed(literal, 1));
    CHECK(parse_error(framed(literal, 2)) == refused);
    CHECK(parse_error(framed(literal, 3)) == refused);
  }
}

TEST_CASE("shapes whose elements or bytes overflow are refused", "[io][npy]") {
  const std::string huge = "(4294967296, 4294967296)";
  CHECK(parse_error(framed(literal_of("'|i1'", huge))) ==
        "shape (4294967296,4294967296) has more elements of 1 bytes than fit in 2^63 bytes [G-2]");
  CHECK(parse_error(framed(literal_of("'<c16'", "(576460752303423488,)"))) ==
        "shape (576460752303423488) has more elements of 16 bytes than fit in 2^63 bytes [G-2]");
  CHECK(parse_error(framed(literal_of("'|u1'", "(9223372036854775807,)"))) == "no error");
  // A string is 16 bytes in memory, however narrow it is in the file, and as wide as it is stored.
  CHECK(parse_error(framed(literal_of("'|S1'", "(1152921504606846976,)"))) ==
        "shape (1152921504606846976) has more elements of 16 bytes than fit in 2^63 bytes [G-2]");
  CHECK(parse_error(framed(literal_of("'<U1000000000'", "(10000000000,)"))) ==
        "shape (10000000000) has more elements of 4000000000 bytes than fit in 2^63 bytes [G-2]");
  // With a zero dimension there is nothing that could be too much.
  CHECK(parse(framed(literal_of("'<f8'", "(4294967296, 0, 4294967296)"))).shape ==
        Shape{4294967296, 0, 4294967296});
}

TEST_CASE("strings are read to their last character that is not zero", "[io][npy]") {
  const TempDir dir;
  // U+1F642, zeros inside, the empty string; "<U3" and ">U3" hold the same.
  const std::vector<std::vector<std::uint32_t>> codes = {{'a', 0x1F642, 0xE9}, {'b', 0, 'c'}, {0, 0, 0}};
  for (const bool big : {false, true}) {
    std::string data;
    for (const auto& text : codes) {
      for (const std::uint32_t code : text) {
        const std::uint32_t stored = big ? __builtin_bswap32(code) : code;
        data.append(reinterpret_cast<const char*>(&stored), 4);
      }
    }
    const std::string bytes = framed(literal_of(big ? "'>U3'" : "'<U3'", "(3,)")) + data;
    for (const Tensor& read : {read_mapped(dir, bytes), read_streamed(bytes)}) {
      CHECK(nested_json(read) == "[\"a\xf0\x9f\x99\x82\xc3\xa9\",\"b\\u0000c\",\"\"]");
    }
  }
  const std::string plain = framed(literal_of("'|S4'", "(2, 2)", "True")) + "a\0\0\0bcd\0\xc3\xa9\0\0wxyz"s;
  for (const Tensor& read : {read_mapped(dir, plain), read_streamed(plain)}) {
    CHECK(nested_json(read) == "[[\"a\",\"\xc3\xa9\"],[\"bcd\",\"wxyz\"]]");
  }
}

TEST_CASE("a string that is no Unicode is refused with its place", "[io][npy]") {
  const TempDir dir;
  const auto utf32 = [](std::uint32_t code) {
    return framed(literal_of("'<U1'", "(1, 2)")) + "a\0\0\0"s +
           std::string(reinterpret_cast<const char*>(&code), 4);
  };
  for (const std::string& bytes : {utf32(0xD800), utf32(0xDFFF), utf32(0x110000), utf32(0xFFFFFFFF),
                                   framed(literal_of("'|S2'", "(1, 2)")) + "ok\xff."}) {
    CHECK(error_of([&] { (void)read_mapped(dir, bytes); }) == "element [0,1] is not valid Unicode");
    CHECK(error_of([&] { (void)read_streamed(bytes); }) == "element [0,1] is not valid Unicode");
  }
  CHECK(nested_json(read_streamed(utf32(0x10FFFF))) == "[[\"a\",\"\xf4\x8f\xbf\xbf\"]]");
}

TEST_CASE("an array as memory wants it stays in the mapping, at any address", "[io][npy]") {
  const TempDir dir;
  const auto data_of = [&](const std::string& bytes, std::size_t offset) {
    write_file(dir.file("a.npy"), bytes);
    InputFile file = InputFile::open(dir.file("a.npy"));
    const Tensor tensor = read_npy(source_of(file), {});
    CHECK(nested_json(tensor) == "[1.0,2.0]");
    return tensor.data() == file.mapping()->bytes().data() + offset;
  };
  const double values[] = {1, 2};
  const std::string data(reinterpret_cast<const char*>(values), 16);
  for (std::size_t pad = 0; pad < 16; ++pad) {
    CAPTURE(pad);
    const std::string header = framed(literal_of("'<f8'", "(2,)") + std::string(pad, ' '));
    CHECK(data_of(header + data, header.size()));
  }
  // Fortran order of one dimension is C order.
  const std::string header = framed(literal_of("'<f8'", "(2,)", "True"));
  CHECK(data_of(header + data, header.size()));
}

TEST_CASE("bytes that are missing or too many are refused, from files and streams", "[io][npy]") {
  const TempDir dir;
  const std::string header = framed(literal_of("'<i4'", "(2, 2)"));
  for (const std::size_t held : {0U, 1U, 15U, 17U, 64U}) {
    CAPTURE(held);
    const std::string bytes = header + std::string(held, 'x');
    const std::string promise = "header promises 16 bytes of data, the file holds ";
    CHECK(error_of([&] { (void)read_mapped(dir, bytes); }) == cat(promise, held));
    CHECK(error_of([&] { (void)read_streamed(bytes); }) ==
          (held < 16 ? cat(promise, held) : promise + "more"));
  }
  CHECK(nested_json(read_streamed(framed(literal_of("'<i4'", "(0,)")))) == "[]");
  CHECK(error_of([&] { (void)read_streamed(framed(literal_of("'<i4'", "(0,)")) + "x"); }) ==
        "header promises 0 bytes of data, the file holds more");
}

TEST_CASE("of a file whose elements are not wanted the header is read, and its length checked", "[io][npy]") {
  const TempDir dir;
  const std::string header = framed(literal_of("'>f8'", "(3,)"));
  write_file(dir.file("a.npy"), header + std::string(24, 'x'));
  InputFile file = InputFile::open(dir.file("a.npy"));
  const Tensor tensor = read_npy(source_of(file), {.header_only = true});
  CHECK(tensor.dtype() == DType::float64);
  CHECK(tensor.shape() == Shape{3});
  CHECK(tensor.data() == nullptr);
  write_file(dir.file("a.npy"), header);
  InputFile cut = InputFile::open(dir.file("a.npy"));
  CHECK(error_of([&] { (void)read_npy(source_of(cut), {.header_only = true}); }) ==
        "header promises 24 bytes of data, the file holds 0");
  InputFile stream = stream_of(header);
  CHECK(read_npy(source_of(stream), {.header_only = true}).shape() == Shape{3});
}

TEST_CASE("what was read from a stream to find out what it is belongs to it", "[io][npy]") {
  const std::string bytes = npy_bytes(tensor_of<std::int32_t>(DType::int32, {2}, {5, 6}));
  // Some of it, all of it, and one byte more.
  for (const std::size_t peeked :
       {std::size_t{0}, std::size_t{1}, std::size_t{8}, bytes.size(), bytes.size() + 1}) {
    CAPTURE(peeked);
    InputFile file = stream_of(bytes);
    CHECK(file.peek(peeked).size() == std::min(peeked, bytes.size()));
    CHECK(nested_json(read_npy(source_of(file), {})) == "[5,6]");
    InputFile longer = stream_of(bytes + "x");
    (void)longer.peek(peeked);
    CHECK(error_of([&] { (void)read_npy(source_of(longer), {}); }) ==
          "header promises 8 bytes of data, the file holds more");
  }
}

namespace {

// Zeros without end after `front`; counts what is taken of them.
class EndlessSystem : public System {
 public:
  explicit EndlessSystem(std::string front) : front_(std::move(front)) {}
  int open(const char* /*path*/, int /*flags*/, mode_t /*mode*/) override {
    return System::open("/dev/zero", O_RDONLY, 0);
  }
  ssize_t read(int /*fd*/, void* buffer, size_t bytes) override {
    const std::size_t from_front = std::min(bytes, front_.size() - std::min(taken, front_.size()));
    std::memset(buffer, 0, bytes);
    std::memcpy(buffer, front_.data() + std::min(taken, front_.size()), from_front);
    taken += bytes;
    return static_cast<ssize_t>(bytes);
  }
  std::size_t taken = 0;

 private:
  std::string front_;
};

}  // namespace

TEST_CASE("an endless stream is refused at its first wrong byte, not at its end", "[io][npy]") {
  struct Row {
    std::string front;
    std::string message;
    std::size_t most;  // bytes read until then
  };
  const std::vector<Row> rows = {
      {cat(kNpyMagic, "\4\0"sv), "NPY version 4.0 is not supported (1.0, 2.0 and 3.0 are)", 12},
      {cat(kNpyMagic, "\2\0\xff\xff\xff\xff"sv),
       "malformed NPY header: it claims 4294967295 bytes (at most 65536)", 12},
      {cat(kNpyMagic, "\1\0\xff\xff"sv), "malformed NPY header: expected '{' before the keys at byte 0",
       65545},
      {framed(literal_of("'|O'", "(1,)")),
       "dtype '|O' (pickled Python objects) is not supported: nothing in a file is ever executed", 100},
      {framed(literal_of("'<f4'", "(4,)")), "header promises 16 bytes of data, the file holds more", 100},
  };
  for (const Row& row : rows) {
    CAPTURE(printable(row.front));
    EndlessSystem endless(row.front);
    const ScopedSystem scope(endless);
    InputFile file = InputFile::open("endless");
    CHECK(error_of([&] { (void)read_npy(source_of(file), {}); }) == row.message);
    CHECK(endless.taken <= row.most);
  }
}

TEST_CASE("memory grows with what a stream holds, not with what its header promises", "[io][npy]") {
  // If the promise were believed, either of these would end the process.
  const std::string tebibytes = framed(literal_of("'<f8'", "(1000000, 1000000, 100)")) + "12345678";
  CHECK(error_of([&] { (void)read_streamed(tebibytes); }) ==
        "header promises 800000000000000 bytes of data, the file holds 8");
  const std::string strings = framed(literal_of("'<U1000'", "(1000000000000,)")) + "abc";
  CHECK(error_of([&] { (void)read_streamed(strings); }) ==
        "header promises 4000000000000000 bytes of data, the file holds 3");
}

TEST_CASE("a stream longer than the first block arrives whole", "[io][npy]") {
  std::vector<std::int32_t> values(700000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * 7);
  const std::string bytes = npy_bytes(tensor_of(DType::int32, {700000}, values), {.big_endian = true});
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  std::thread writer([&] {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t got = ::write(ends[1], bytes.data() + done, bytes.size() - done);
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    ::close(ends[1]);
  });
  InputFile file = InputFile::open(cat("/proc/self/fd/", ends[0]));
  const Tensor tensor = read_npy(source_of(file), {});
  writer.join();
  ::close(ends[0]);
  REQUIRE(tensor.bytes() == static_cast<std::int64_t>(values.size() * sizeof values[0]));
  CHECK(std::memcmp(values.data(), tensor.data(), values.size() * sizeof values[0]) == 0);
}

TEST_CASE("the header is written byte for byte as numpy.save writes it", "[io][npy]") {
  struct Row {
    DType dtype;
    Shape shape;
    std::int64_t characters;
    std::string_view literal;
    std::size_t bytes;
  };
  const std::string_view dims32 =
      "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
      "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1";
  const std::string rank32 = literal_of("'|b1'", cat("(", dims32, ")"));
  const std::vector<Row> rows = {
      {DType::float32, {2, 3}, 0, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 128},
      {DType::float64, {}, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 128},
      {DType::int64, {5}, 0, "{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }", 128},
      {DType::boolean, {0}, 0, "{'descr': '|b1', 'fortran_order': False, 'shape': (0,), }", 128},
      {DType::uint8, {1, 0}, 0, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 0), }", 128},
      {DType::bfloat16, {1}, 0, "{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }", 128},
      {DType::complex128, {1}, 0, "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", 128},
      {DType::string, {2}, 7, "{'descr': '<U7', 'fortran_order': False, 'shape': (2,), }", 128},
      {DType::boolean, Shape(32, 1), 0, rank32, 192},
  };
  for (const Row& row : rows) {
    CAPTURE(printable(row.literal));
    const std::string header = npy_header(row.dtype, row.shape, row.characters);
    CHECK(header.size() == row.bytes);
    CHECK(header.substr(0, 8) == cat(kNpyMagic, "\1\0"sv));
    CHECK(static_cast<unsigned char>(header[8]) == row.bytes - 10);
    CHECK(header[9] == '\0');
    CHECK(header.substr(10, row.literal.size()) == row.literal);
    CHECK(header.find_first_not_of(' ', 10 + row.literal.size()) == header.size() - 1);
    CHECK(header.back() == '\n');
    const NpyHeader read = parse(header);
    CHECK(read.dtype == row.dtype);
    CHECK(read.shape == row.shape);
    CHECK(read.data_offset == static_cast<std::int64_t>(header.size()));
  }
}

TEST_CASE("room for the first dimension to grow decides over the header's length, as in NumPy", "[io][npy]") {
  // NumPy pads the literal by 21 less the digits of the first dimension before it aligns to 64.
  CHECK(npy_header(DType::float32, Shape(14, 1), 0).size() == 128);
  CHECK(npy_header(DType::float32, Shape(15, 1), 0).size() == 192);
  Shape full(14, 1);
  full[13] = 10;
  CHECK(npy_header(DType::float32, full, 0).size() == 128);
  // A multiple of 64 by itself: NumPy adds another line all the same.
  full[13] = 100;
  CHECK(npy_header(DType::float32, full, 0).size() == 192);
  // A longer first dimension takes from its own room.
  full[13] = 10;
  full[0] = 1000000000;
  CHECK(npy_header(DType::float32, full, 0).size() == 128);
}

TEST_CASE("strings are written as wide as the longest, in code points", "[io][npy]") {
  const std::vector<std::string> texts = {"", "ab", "\xf0\x9f\x99\x82", "\xe2\x82\xac\xc3\xa9z"};
  std::vector<StringRef> refs;
  refs.reserve(texts.size());
  for (const std::string& text : texts) refs.push_back({text.data(), static_cast<std::int64_t>(text.size())});
  CHECK(longest_characters(refs) == 3);
  CHECK(longest_characters({}) == 1);
  CHECK(longest_characters(std::span(refs).first(1)) == 1);
  std::string out = "kept";
  append_utf32(out, std::span(refs).subspan(1), 3);
  const std::uint32_t codes[] = {'a', 'b', 0, 0x1F642, 0, 0, 0x20AC, 0xE9, 'z'};
  CHECK(out == "kept" + std::string(reinterpret_cast<const char*>(codes), sizeof codes));
}

}  // namespace tensorop::io_npy_test
