// Arrays that memory does not hold are brought into temporary files: every order, dtype and way to read them.
#include "io/array/array_reading.hpp"

#include <sys/mman.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "io/sink.hpp"
#include "io/source.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/standard_input.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::io_array_reading_test {
namespace {

// Bytes without equal neighbours, each 0 or 1 for a bool.
Tensor some_tensor(DType dtype, const Shape& shape) {
  const std::int64_t bytes = count(shape) * element_size(dtype);
  auto storage = std::make_shared<Storage>(bytes);
  for (std::int64_t i = 0; i < bytes; ++i) {
    const auto value = static_cast<unsigned>(i * 7 + i / 251);
    storage->data()[i] = static_cast<std::byte>(dtype == DType::boolean ? value & 1U : value);
  }
  return {dtype, shape, storage};
}

bool is_same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.bytes() == 0 || std::memcmp(a.data(), b.data(), to_size(a.bytes())) == 0);
}

// Counts the bytes of memory for which large pages are asked.
class LargePagesSystem : public System {
 public:
  int madvise(void* address, size_t bytes, int advice) override {
    if (advice == MADV_HUGEPAGE) large_bytes += to_int64(bytes);
    return System::madvise(address, bytes, advice);
  }
  std::int64_t large_bytes = 0;
};

}  // namespace

TEST_CASE("an array that is brought into memory has large pages there, unless it is small",
          "[io][array_reading]") {
  const TempDir dir;
  const std::string path = dir.file("a.npy");
  const auto large_bytes = [&](const Shape& shape) {
    write_file(path, npy_bytes(some_tensor(DType::int32, shape), {.big_endian = true}));
    LargePagesSystem system;
    const ScopedSystem scope(system);
    (void)Source::open(path, {}).tensor();
    return system.large_bytes;
  };
  CHECK(large_bytes({1025, 1024}) >= 1025 * 4096);
  CHECK(large_bytes({1000}) == 0);
}

TEST_CASE("an array that memory does not hold is brought into a temporary file, whatever its order",
          "[io][array_reading]") {
  const TempDir dir;
  const TempDir scratch;
  int files = 0;
  const auto options = [&](std::int64_t memory, int threads) {
    Source::Options out;
    out.arrays.memory = memory;
    out.arrays.threads = Threads(threads);
    out.arrays.scratch = [&](std::int64_t bytes) {
      ++files;
      return ScratchFile(scratch.path().string(), bytes);
    };
    return out;
  };
  const std::vector<Shape> shapes = {{},     {1},       {600},         {30, 20}, {1, 40, 1},
                                     {0, 3}, {3, 0, 2}, {7, 1, 11, 5}, {300, 3}, {2, 3, 4, 5, 6}};
  for (const DType dtype : {DType::boolean, DType::int16, DType::bfloat16, DType::float32, DType::int64,
                            DType::complex64, DType::complex128}) {
    for (const Shape& shape : shapes) {
      const Tensor tensor = some_tensor(dtype, shape);
      for (const bool fortran_order : {false, true}) {
        for (const bool big_endian : {false, true}) {
          const std::string path = dir.file("a.npy");
          write_file(path, npy_bytes(tensor, {.fortran_order = fortran_order, .big_endian = big_endian}));
          for (const std::int64_t memory : {std::int64_t{1}, tensor.bytes()}) {
            CAPTURE(name(dtype), to_string(shape), fortran_order, big_endian, memory);
            files = 0;
            const Source source = Source::open(path, options(memory, 2));
            CHECK(is_same(*source.tensor(), tensor));
            CHECK(source.tensor()->mapping() == source.mapping());
            if (memory == tensor.bytes()) CHECK(files == 0);
            if (files != 0) CHECK(source.mapping()->resident_share(source.tensor()->data(), 1) == 1.0);
            CHECK(names_in(scratch.path()).empty());
          }
        }
      }
      // A deflated array.
      const std::string archive = dir.file("a.npz");
      {
        const auto writer = format_by_ending(archive).create_archive(archive, {});
        (void)writer->announce({{.name = "x", .compress = true}});
        const auto sink = writer->add("x", dtype, shape, 0);
        sink->append({reinterpret_cast<const char*>(tensor.data()), to_size(tensor.bytes())});
        sink->commit();
        writer->commit();
      }
      files = 0;
      const Source source = Source::open(archive, options(1, 1));
      CAPTURE(name(dtype), to_string(shape));
      CHECK(is_same(*source.tensor(), tensor));
      CHECK(files == (tensor.bytes() > 1 ? 1 : 0));
    }
  }
}

TEST_CASE("a stream that memory does not hold is brought into a temporary file", "[io][array_reading]") {
  const TempDir dir;
  const TempDir scratch;
  const Tensor tensor = some_tensor(DType::int32, {700, 900});
  for (const bool fortran_order : {false, true}) {
    for (const bool big_endian : {false, true}) {
      const std::string bytes = npy_bytes(tensor, {.fortran_order = fortran_order, .big_endian = big_endian});
      int files = 0;
      const auto read = [&](const std::string& text) {
        // What follows the first byte of a redirected file is a stream.
        write_file(dir.file("a"), "x" + text);
        const StandardInputScope scope(dir.file("a"), 1);
        files = 0;
        return Source::open("-", {.arrays = {.memory = 1000, .scratch = [&](std::int64_t size) {
                                               ++files;
                                               return ScratchFile(scratch.path().string(), size);
                                             }}});
      };
      const Source source = read(bytes);
      CHECK(is_same(*source.tensor(), tensor));
      // As it is stored, and as memory wants it where that is something else.
      CHECK(files == (fortran_order || big_endian ? 2 : 1));
      CHECK(source.tensor()->mapping() != nullptr);
      const std::string promise = "standard input: header promises 2520000 bytes of data, the file holds ";
      CHECK(error_of([&] { (void)read(bytes.substr(0, bytes.size() - 1)); }) == promise + "2519999");
      CHECK(error_of([&] { (void)read(bytes + "x"); }) == promise + "more");
      CHECK(names_in(scratch.path()).empty());
    }
  }
}

}  // namespace tensorop::io_array_reading_test
