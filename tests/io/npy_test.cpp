// The NPY format: versions, mapped arrays, and streams. Malformed files: testdata/inputs. All headers and
// layouts that NumPy writes or reads: numpy_roundtrip.py.
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

}  // namespace

TEST_CASE("a header of 64 dimensions is the largest", "[io][npy]") {
  std::string dims;
  for (int i = 0; i < 64; ++i) dims += "1, ";
  CHECK(parse(framed(literal_of("'<f4'", cat("(", dims, ")")))).shape == Shape(64, 1));
  CHECK(parse_error(framed(literal_of("'<f4'", cat("(", dims, "1)")))) ==
        "malformed NPY header: more than 64 dimensions");
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

}  // namespace tensorop::io_npy_test
