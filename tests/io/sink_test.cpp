// Results on their way: the bytes of each format in slices, and nothing before the commit.
#include "io/sink.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "io/source.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/faulty_system.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::io_sink_test {
namespace {

namespace fs = std::filesystem;

// Writes `tensor` in slices of `slice` elements, as the engine does.
void write(Sink& sink, const Tensor& tensor, std::int64_t slice) {
  const std::int64_t width = element_size(tensor.dtype());
  for (std::int64_t first = 0; first < tensor.size(); first += slice) {
    const std::int64_t elements = std::min(slice, tensor.size() - first);
    const std::byte* data = tensor.data() + first * width;
    if (const ElementFile* file = sink.elements()) {
      file->write(first, data, elements * width);
    } else {
      std::string text;
      sink.encode(first, elements, data, text);
      sink.append(text);
    }
  }
  sink.commit();
}

std::string written(const TempDir& dir, const Tensor& tensor, std::string_view format, std::int64_t slice,
                    std::int64_t characters = 0) {
  const Destination destination{dir.file("out"), find_format(format)};
  write(*open_sink(destination, tensor.dtype(), tensor.shape(), characters), tensor, slice);
  return get(dir.file("out"));
}

}  // namespace

TEST_CASE("each format has its bytes, in whatever slices they are written", "[io][sink]") {
  const TempDir dir;
  const Tensor floats = tensor_of<float>(DType::float32, {2, 3}, {0, -0.0F, 1.5F, 1e20F, -2, 0.1F});
  for (const std::int64_t slice : {1, 2, 3, 4, 6, 100}) {
    CAPTURE(slice);
    CHECK(written(dir, floats, "npy", slice) == npy_bytes(floats));
    CHECK(written(dir, floats, "json", slice) ==
          "{\"dtype\":\"float32\",\"shape\":[2,3],\"data\":[[0.0,-0.0,1.5],[1e+20,-2.0,0.1]]}\n");
    CHECK(written(dir, floats, "nested", slice) ==
          "[[0.0,-0.0,1.5],[100000002004087734272.0,-2.0,0.10000000149011612]]\n");
  }
}

TEST_CASE("strings are written as wide as was said", "[io][sink]") {
  const TempDir dir;
  const std::vector<std::string> texts = {"a", "", "\xf0\x9f\x99\x82\"", "\n"};
  std::vector<StringRef> refs;
  refs.reserve(texts.size());
  for (const std::string& text : texts) refs.push_back({text.data(), static_cast<std::int64_t>(text.size())});
  const Tensor strings = tensor_of(DType::string, {4}, refs);
  for (const std::int64_t slice : {1, 3, 4}) {
    CHECK(written(dir, strings, "npy", slice, 2) == npy_bytes(strings));
    CHECK(written(dir, strings, "nested", slice, 2) == "[\"a\",\"\",\"\xf0\x9f\x99\x82\\\"\",\"\\n\"]\n");
  }
  const Tensor none = tensor_of<StringRef>(DType::string, {0}, {});
  CHECK(written(dir, none, "npy", 1, 1) == npy_bytes(none));
}

TEST_CASE("a file of elements as in memory is written in any order, or through a mapping", "[io][sink]") {
  const TempDir dir;
  const Tensor numbers = tensor_of<std::int16_t>(DType::int16, {4}, {1, 2, 3, 4});
  {
    const auto sink = open_sink({dir.file("a.npy")}, DType::int16, {4}, 0);
    REQUIRE(sink->elements() != nullptr);
    CHECK_FALSE(sink->is_stream());
    sink->elements()->write(2, numbers.data() + 4, 4);
    sink->elements()->write(0, numbers.data(), 4);
    CHECK_FALSE(fs::exists(dir.path() / "a.npy"));
    sink->commit();
  }
  CHECK(get(dir.file("a.npy")) == npy_bytes(numbers));
  {
    const auto sink = open_sink({dir.file("b.npy")}, DType::int16, {4}, 0);
    std::memcpy(sink->elements()->map(), numbers.data(), 8);
    sink->commit();
  }
  CHECK(get(dir.file("b.npy")) == npy_bytes(numbers));
}

TEST_CASE("an encoding has its prefix and suffix around the elements, in whichever way they are written",
          "[io][sink]") {
  const TempDir dir;
  const std::string path = dir.file("out");
  const auto sink_to = [](const std::string& destination, std::int64_t element_bytes) {
    Encoding encoding{.prefix = "<", .suffix = ">", .element_bytes = element_bytes, .least_bytes = 3};
    if (element_bytes == 0) {
      encoding.encode = [](std::int64_t first, std::int64_t count, const std::byte* /*data*/,
                           std::string& out) {
        for (std::int64_t i = 0; i < count; ++i) out += static_cast<char>('a' + first + i);
      };
    }
    return file_sink(std::move(encoding), OutputFile::create(destination));
  };
  const Tensor letters = tensor_of<std::uint8_t>(DType::uint8, {3}, {'a', 'b', 'c'});
  for (const std::int64_t element_bytes : {0, 1}) {
    CAPTURE(element_bytes);
    const auto sink = sink_to(path, element_bytes);
    CHECK((sink->elements() != nullptr) == (element_bytes == 1));
    CHECK(sink->takes_memory() == (element_bytes == 1));
    write(*sink, letters, 2);
    CHECK(get(path) == "<abc>");
  }
  {
    const auto sink = sink_to(path, 1);
    std::memcpy(sink->elements()->map(), "xyz", 3);
    sink->commit();
    CHECK(get(path) == "<xyz>");
  }
}

TEST_CASE("of a stream nothing is written before the first elements, and all of it by the commit",
          "[io][sink]") {
  class CountingSystem : public System {
   public:
    ssize_t write(int fd, const void* buffer, size_t bytes) override {
      taken.append(static_cast<const char*>(buffer), bytes);
      return System::write(fd, buffer, bytes);
    }
    std::string taken;
  };
  const Tensor numbers = tensor_of<std::int16_t>(DType::int16, {3}, {1, 2, 3});
  const Tensor empty = tensor_of<std::int16_t>(DType::int16, {0}, {});
  struct Row {
    std::string_view format;
    const Tensor& tensor;
    std::string bytes;
  };
  const std::vector<Row> rows = {
      {"npy", numbers, npy_bytes(numbers)},
      {"npy", empty, npy_bytes(empty)},
      {"json", numbers, "{\"dtype\":\"int16\",\"shape\":[3],\"data\":[1,2,3]}\n"},
      {"nested", empty, "[]\n"},
  };
  for (const Row& row : rows) {
    CountingSystem counting;
    const ScopedSystem scope(counting);
    const auto sink = open_sink({"/dev/null", find_format(row.format)}, DType::int16, row.tensor.shape(), 0);
    CHECK(sink->is_stream());
    CHECK(sink->elements() == nullptr);
    CHECK(counting.taken.empty());
    write(*sink, row.tensor, 2);
    CHECK(counting.taken == row.bytes);
  }
}

TEST_CASE("what cannot fit on the file system is refused before the first byte, in every format",
          "[io][sink]") {
  const TempDir dir;
  write_file(dir.file("out"), "before");
  struct Row {
    std::string_view format;
    DType dtype;
    Shape shape;
    std::int64_t characters;
    std::string least;
  };
  constexpr std::int64_t kMany = std::int64_t{1} << 56;
  const std::string most = cat(std::numeric_limits<std::int64_t>::max());
  const std::vector<Row> rows = {
      {"npy", DType::float32, {kMany}, 0, "288230376151711872"},
      {"json", DType::float32, {kMany}, 0, "144115188075855872"},
      {"nested", DType::uint8, {kMany}, 0, "144115188075855872"},
      {"npy", DType::string, {kMany}, 3, "864691128455135232"},
      {"npy", DType::string, {kMany}, 1000, most},
      {"npy", DType::string, {1}, std::int64_t{1} << 61, most},
  };
  for (const Row& row : rows) {
    const std::string line = error_of([&] {
      (void)open_sink({dir.file("out"), find_format(row.format)}, row.dtype, row.shape, row.characters);
    });
    CHECK(line.starts_with(cat(dir.file("out"), ": the result needs at least ", row.least, " bytes, ")));
    CHECK(line.ends_with(" are free on that file system"));
  }
  CHECK(get(dir.file("out")) == "before");
}

TEST_CASE("an archive that a program without locks replaces is left to it", "[io][sink]") {
  const Tensor tensor = tensor_of<std::int32_t>(DType::int32, {2}, {7, 8});
  const Tensor other = tensor_of<std::int32_t>(DType::int32, {1}, {9});
  for (const char* file : {"a.npz", "a.safetensors"}) {
    for (const bool is_alone : {false, true}) {
      const TempDir dir;
      const std::string path = dir.file(file);
      const auto add = [&](const char* name, const Tensor& array) {
        const Destination destination{.path = path, .array = name, .is_member = true};
        return open_sink(destination, array.dtype(), array.shape(), 0);
      };
      write(*add("x", tensor), tensor, 2);
      if (!is_alone) write(*add("y", tensor), tensor, 2);
      const std::string theirs = get(path);
      const auto sink = add("x", other);
      std::filesystem::copy_file(path, dir.file("theirs"));
      std::filesystem::rename(dir.file("theirs"), path);
      CAPTURE(path, is_alone);
      const std::string line = error_of([&] { write(*sink, other, 1); });
      CHECK(line == path + ": was replaced or changed by another process: it is left as it is");
      CHECK(get(path) == theirs);
    }
  }
}

TEST_CASE("a file that a program without locks creates while a new archive gets its name is left to it",
          "[io][sink]") {
  // Their file is there when ours is to be named.
  class LateFileSystem : public NamedOnlySystem {
   public:
    LateFileSystem(std::string path, bool named_only) : NamedOnlySystem(named_only), path_(std::move(path)) {}
    int link_fd(int fd, const char* path) override {
      write_file(path_, "theirs");
      return System::link_fd(fd, path);
    }
    int rename(const char* from, const char* to) override {
      write_file(path_, "theirs");
      return System::rename(from, to);
    }
    int rename_new(const char* from, const char* to) override {
      write_file(path_, "theirs");
      return System::rename_new(from, to);
    }

   private:
    std::string path_;
  };
  const Tensor tensor = tensor_of<std::int32_t>(DType::int32, {2}, {7, 8});
  for (const char* file : {"a.npz", "a.safetensors"}) {
    for (const bool named_only : {false, true}) {
      const TempDir dir;
      const std::string path = dir.file(file);
      CAPTURE(path, named_only);
      LateFileSystem late(path, named_only);
      const ScopedSystem scope(late);
      const auto sink = open_sink({.path = path, .array = "x", .is_member = true}, DType::int32, {2}, 0);
      const std::string line = error_of([&] { write(*sink, tensor, 2); });
      CHECK(line == path +
                        ": was created by another process: it is left as it is\n"
                        "the command can be repeated: it adds to the archive then");
      CHECK(get(path) == "theirs");
      CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
    }
  }
}

}  // namespace tensorop::io_sink_test
