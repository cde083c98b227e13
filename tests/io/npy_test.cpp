// The NPY format: versions and mapped arrays. Malformed files: testdata/inputs. All headers and
// layouts that NumPy writes or reads: numpy_roundtrip.py.
#include "io/npy/npy.hpp"
#include "io/source.hpp"

#include <string>
#include <string_view>

#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/json/json_writer.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/input_table.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"

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

ArrayEntry parse(std::string_view file) {
  return parse_npy_header(bytes_of(file));
}

std::string parse_error(std::string_view file) {
  return error_of([&] { (void)parse(file); });
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
    const InputFile file = InputFile::open(dir.file("a.npy"));
    const auto opened = kNpyFormat.open(file);
    const Tensor tensor = opened->read(opened->readable(opened->entry(0)), {});
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
  const Source source = Source::open(dir.file("a.npy"), {.header_only = true});
  CHECK(source.tensor()->dtype() == DType::float64);
  CHECK(source.tensor()->shape() == Shape{3});
  CHECK(source.tensor()->data() == nullptr);
  write_file(dir.file("a.npy"), header);
  CHECK(error_of([&] { (void)Source::open(dir.file("a.npy"), {.header_only = true}); }) ==
        cat(dir.file("a.npy"), ": header promises 24 bytes of data, the file holds 0"));
}

}  // namespace tensorop::io_npy_test
