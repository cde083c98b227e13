// NPZ archives: what is written reads back, what is read is checked and no more of it than needed, and names.
// Malformed archives: testdata/inputs; NumPy's and Python's: tests/io/npz_roundtrip.py.
#include "io/npz/npz_writer.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/json/json_writer.hpp"
#include "io/npz/zip_directory.hpp"
#include "io/npz/zip_records.hpp"
#include "io/sink.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::io_npz_test {
namespace {

namespace fs = std::filesystem;

struct NamedArray {
  std::string name;
  Tensor tensor;
  std::int64_t characters = 0;
};

std::vector<NamedArray> sample() {
  const std::vector<StringRef> texts = {{"abc", 3}, {"", 0}, {"\xc3\xa4", 2}};
  return {
      {"matrix", tensor_of<float>(DType::float32, {2, 3}, {1, 2, 3, -0.0F, 5, 1e20F})},
      {"scalar", tensor_of<std::int64_t>(DType::int64, {}, {-7})},
      {"empty", tensor_of<std::uint8_t>(DType::uint8, {0, 4}, {})},
      {"texts", tensor_of(DType::string, {3}, texts), 3},
      {"\xc3\xa4:=/", tensor_of<std::uint16_t>(DType::bfloat16, {1}, {0x3f80})},
      {"long", tensor_of<std::int16_t>(DType::int16, {50000}, std::vector<std::int16_t>(50000, 7))},
  };
}

// In two slices, as blocks come.
void add(ArchiveWriter& archive, const NamedArray& array) {
  const Tensor& tensor = array.tensor;
  const auto sink = archive.add(array.name, tensor.dtype(), tensor.shape(), array.characters);
  const std::int64_t half = tensor.size() / 2;
  for (const auto& [first, end] : {std::pair(std::int64_t{0}, half), {half, tensor.size()}}) {
    std::string text;
    sink->encode(first, end - first, tensor.data() + first * element_size(tensor.dtype()), text);
    sink->append(text);
  }
  sink->commit();
}

struct Way {
  bool compress = false;
  std::int64_t zip64_from = 0xFFFFFFFF;
};

void write_archive(const std::string& path, const Way& way, const std::vector<NamedArray>& arrays) {
  const auto archive = write_npz(path, {}, way.zip64_from);
  std::vector<ArchiveArray> members;
  for (const NamedArray& array : arrays) members.push_back({.name = array.name, .compress = way.compress});
  (void)archive->announce(members);
  for (const NamedArray& array : arrays) add(*archive, array);
  archive->commit();
}

std::unique_ptr<Archive> open(const std::string& path) {
  InputFile file = InputFile::open(path);
  return kNpzFormat.open(file);
}

ZipDirectory open_directory(const std::string& path) {
  return read_zip_directory(InputFile::open(path).bytes());
}

const Way kEveryWay[] = {
    {.compress = false},
    {.compress = true},
    {.compress = false, .zip64_from = 1},
    {.compress = true, .zip64_from = 1},
};

}  // namespace

TEST_CASE("a member whose size is the first that 32 bits do not hold needs zip64", "[io][npz]") {
  const TempDir dir;
  const std::vector<NamedArray> arrays = {{"a", tensor_of<std::int32_t>(DType::int32, {2}, {1, 2})}};
  write_archive(dir.file("a.npz"), {}, arrays);
  const auto size = open_directory(dir.file("a.npz")).members.at(0).bytes;
  for (const std::int64_t zip64_from : {size, size + 1}) {
    write_archive(dir.file("a.npz"), {.zip64_from = zip64_from}, arrays);
    constexpr std::size_t kVersionNeeded = 4;  // in the member's own header: 4.5 is zip64, 2.0 is not
    CHECK(get(dir.file("a.npz"))[kVersionNeeded] == (zip64_from == size ? 45 : 20));
  }
}

// APPNOTE 4.4.22: 65535 in 16 bits says that the zip64 record has the number of members.
TEST_CASE("the directory of 65535 members or more has a zip64 record with their number", "[io][npz]") {
  for (const std::int64_t members : {65534, 65535, 65536}) {
    CAPTURE(members);
    const std::string end = ZipRecords(std::int64_t{1} << 31).end_of_directory(members, 0, 0, "");
    const std::string number = {static_cast<char>(members), static_cast<char>(members >> 8),
                                static_cast<char>(members >> 16)};
    if (members < 65535) {
      CHECK(end.substr(0, 4) == "PK\5\6");
      CHECK(end.substr(8, 2) == number.substr(0, 2));
    } else {
      CHECK(end.substr(0, 4) == "PK\6\6");
      CHECK(end.substr(24, 3) == number);
      CHECK(end.substr(end.size() - 22 + 8, 2) == "\xFF\xFF");
    }
  }
}

TEST_CASE("kept members are found and aligned, whichever is replaced and wherever sizes begin to be zip64",
          "[io][npz]") {
  const TempDir dir;
  const auto arrays = sample();
  const auto same = [](const Tensor& a, const Tensor& b) { return npy_bytes(a) == npy_bytes(b); };
  for (const Way& before : kEveryWay) {
    for (const std::int64_t zip64_from : {std::int64_t{1}, std::int64_t{700}, std::int64_t{0xFFFFFFFF}}) {
      for (std::size_t replaced = 0; replaced <= arrays.size(); ++replaced) {
        write_archive(dir.file("a.npz"), before, arrays);
        std::vector<ArchiveArray> members = kept_members(open(dir.file("a.npz")));
        const std::string name = replaced < arrays.size() ? arrays[replaced].name : "added";
        const NamedArray& other = arrays[(replaced + 1) % arrays.size()];
        const NamedArray changed{name, other.tensor, other.characters};
        if (replaced == arrays.size()) members.push_back({.name = name});
        members[replaced].is_kept = false;
        members[replaced].compress = before.compress;
        const auto writer = write_npz(dir.file("a.npz"), {}, zip64_from);
        CHECK(writer->announce(std::move(members)) == std::vector<std::size_t>{replaced});
        add(*writer, changed);
        writer->commit();
        CAPTURE(before.compress, before.zip64_from, zip64_from, name);
        InputFile opened = InputFile::open(dir.file("a.npz"));
        const auto& mapping = opened.mapping();
        const auto archive = kNpzFormat.open(opened);
        CHECK(archive->size() == std::max(arrays.size(), replaced + 1));
        CHECK(
            same(archive->read(archive->readable(archive->entry(archive->find(name))), {}), changed.tensor));
        for (std::size_t i = 0; i < arrays.size(); ++i) {
          CHECK(archive->name(i) == arrays[i].name);
          if (i == replaced) continue;
          const Tensor tensor = archive->read(archive->readable(archive->entry(i)), {});
          CHECK(same(tensor, arrays[i].tensor));
          const auto* const begin = mapping->bytes().data();
          const bool is_mapped = tensor.data() >= begin && tensor.data() < begin + mapping->bytes().size();
          // Data begins behind the header of NPY, which has a multiple of 64 bytes.
          if (is_mapped) CHECK((tensor.data() - begin) % 64 == 0);
        }
      }
    }
  }
}

TEST_CASE("a stored member is the NPY file as it is, aligned, and is not copied when it is read",
          "[io][npz]") {
  const TempDir dir;
  const auto arrays = sample();
  for (const std::int64_t zip64_from : {std::int64_t{1}, std::int64_t{0xFFFFFFFF}}) {
    write_archive(dir.file("a.npz"), {.zip64_from = zip64_from}, arrays);
    const std::string bytes = get(dir.file("a.npz"));
    InputFile opened = InputFile::open(dir.file("a.npz"));
    const auto& mapping = opened.mapping();
    const auto archive = kNpzFormat.open(opened);
    std::size_t place = 0;
    for (const NamedArray& array : arrays) {
      CAPTURE(array.name);
      place = bytes.find(npy_bytes(array.tensor), place);
      REQUIRE(place != std::string::npos);
      CHECK(place % 64 == 0);
      const Tensor tensor = archive->read(archive->readable(archive->entry(archive->find(array.name))), {});
      const bool is_mapped = tensor.data() >= mapping->bytes().data() &&
                             tensor.data() <= mapping->bytes().data() + mapping->bytes().size();
      CHECK(is_mapped == (tensor.dtype() != DType::string));
    }
  }
}

TEST_CASE("an element that changed is found by its checksum, and only when elements are read", "[io][npz]") {
  const TempDir dir;
  const auto arrays = sample();
  write_archive(dir.file("a.npz"), {}, arrays);
  std::string bytes = get(dir.file("a.npz"));
  const std::string npy = npy_bytes(arrays[0].tensor);
  bytes[bytes.find(npy) + npy.size() - 1] ^= 1;
  write_file(dir.file("a.npz"), bytes);
  const auto archive = open(dir.file("a.npz"));
  CHECK(archive->entry(archive->find("matrix")).shape == Shape{2, 3});
  const std::string line =
      error_of([&] { (void)archive->read(archive->readable(archive->entry(archive->find("matrix"))), {}); });
  CHECK(line.starts_with("the data is damaged: its CRC-32 is 0x"));
  CHECK(nested_json(archive->read(archive->readable(archive->entry(archive->find("scalar"))), {})) == "-7");
}

TEST_CASE("an array is found by its name, or by the name of its member", "[io][npz]") {
  const TempDir dir;
  const Tensor one = tensor_of<std::int8_t>(DType::int8, {}, {1});
  const Tensor two = tensor_of<std::int8_t>(DType::int8, {}, {2});
  write_archive(dir.file("a.npz"), {}, {{"x", one}, {"x.npy", two}, {"weights", one}});
  const auto archive = open(dir.file("a.npz"));
  CHECK(archive->find("x") == 0);
  CHECK(archive->find("x.npy") == 1);
  CHECK(archive->find("weights.npy") == 2);
  CHECK(error_of([&] { (void)archive->find("wieghts"); }) ==
        "the archive holds no array 'wieghts'\ndid you mean weights?");
  CHECK(error_of([&] { (void)archive->find("b\n"); }) ==
        "the archive holds no array 'b\\n'\nit holds x, x.npy, weights");
  CHECK(error_of([&] { (void)archive->only_array(); }) ==
        "the archive holds 3 arrays (x, x.npy, weights); name one of them\n"
        "FILE:NAME names one array of an archive");
  write_archive(dir.file("one.npz"), {}, {{"x", one}});
  CHECK(open(dir.file("one.npz"))->only_array() == 0);
  write_archive(dir.file("none.npz"), {}, {});
  CHECK(error_of([&] { (void)open(dir.file("none.npz"))->only_array(); }) == "the archive holds no arrays");
  CHECK(error_of([&] { (void)open(dir.file("none.npz"))->find("x"); }) ==
        "the archive holds no array 'x'\nit holds no arrays");
}

TEST_CASE("a long list of names is cut", "[io][npz]") {
  const TempDir dir;
  std::vector<NamedArray> arrays;
  for (int i = 0; i < 30; ++i) arrays.push_back({cat("a", i), tensor_of<std::int8_t>(DType::int8, {}, {1})});
  write_archive(dir.file("a.npz"), {}, arrays);
  CHECK(error_of([&] { (void)open(dir.file("a.npz"))->only_array(); }) ==
        "the archive holds 30 arrays (a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, "
        "a16, a17, a18, a19, ...); name one of them\nFILE:NAME names one array of an archive");
}

TEST_CASE("an array that cannot fit is refused before it is begun", "[io][npz]") {
  const TempDir dir;
  const auto archive = write_npz(dir.file("a.npz"), {});
  (void)archive->announce({{.name = "x"}, {.name = "y"}});
  const std::int64_t many = std::int64_t{1} << 56;
  const std::string line = error_of([&] { (void)archive->add("x", DType::float32, {many}, 0); });
  CHECK(line.starts_with(cat(dir.file("a.npz"), ": the result needs at least ")));
  CHECK(error_of([&] { (void)archive->add("y", DType::string, {many}, many); }) ==
        "array 'y' would have more than 2^63 bytes");
}

TEST_CASE("a name that no array can have in an archive is refused with the reason", "[io][npz]") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "'': the name is empty"},
      {"a\nb", "'a\\nb': it has control characters"},
      {std::string("a\0b", 3), "'a\\x00b': it has control characters"},
      {"a\x7f", "'a\\x7f': it has control characters"},
      {"a\xff", "'a\\xff': it is not valid UTF-8"},
      {"/a", "'/a': it leads out of the archive"},
      {"..", "'..': it leads out of the archive"},
      {"a/../../b", "'a/../../b': it leads out of the archive"},
      {"a/..", "'a/..': it leads out of the archive"},
      {std::string(1001, 'x'), cat("'", std::string(200, 'x'), "...': it has 1001 bytes (at most 1000)")},
  };
  for (const auto& row : rows) {
    CHECK(error_of([&] { require_file_name(row.first); }) ==
          cat("an array cannot have the name ", row.second, "\nNAME=OPERAND gives it another name"));
  }
  for (const char* name : {"x", "layer.0/weight", "..x", "x..", "na\xc3\xafve", " ", "a:b=c", "-"}) {
    CHECK(error_of([&] { require_file_name(name); }) == "no error");
  }
}

TEST_CASE("an archive with any byte changed is an error or has the same arrays", "[io][npz]") {
  const TempDir dir;
  const std::vector<NamedArray> arrays = {sample()[0], sample()[3]};
  for (const Way& options : kEveryWay) {
    write_archive(dir.file("whole.npz"), options, arrays);
    const std::string whole = get(dir.file("whole.npz"));
    // The arrays of the archive, or nothing if it was refused.
    const auto read_all = [&](const std::string& bytes) {
      write_file(dir.file("a.npz"), bytes);
      std::vector<std::string> read;
      const std::string line = error_of([&] {
        const auto archive = open(dir.file("a.npz"));
        for (std::size_t i = 0; i < archive->size(); ++i)
          read.push_back(nested_json(archive->read(archive->readable(archive->entry(i)), {})));
      });
      if (line != "no error") read.clear();
      return read;
    };
    const std::vector<std::string> expected = {nested_json(arrays[0].tensor), nested_json(arrays[1].tensor)};
    CHECK(read_all(whole) == expected);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const unsigned flip : {0x01U, 0x80U, 0xFFU}) {
        std::string changed = whole;
        changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ flip);
        const auto read = read_all(changed);
        if (!read.empty() && read != expected) FAIL_CHECK("byte " << i << " changed by " << flip);
      }
    }
  }
}

}  // namespace tensorop::io_npz_test
