// Blocks that a result shares with the file that it is made from: what is shared, what is written, and the
// same bytes where a file system cannot share. The file system here shares by copying.
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/files/output_file.hpp"
#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "convert/convert.hpp"
#include "engine/engine.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::convert_shared_blocks_test {
namespace {

class SharingSystem : public System {
 public:
  explicit SharingSystem(bool can_share) : can_share_(can_share) {}
  int clone_range(int from, off_t from_offset, int to, off_t to_offset, size_t bytes) override {
    constexpr off_t kBlock = OutputFile::kBlock;
    if (!can_share_ || from_offset % kBlock != 0 || to_offset % kBlock != 0 || bytes % kBlock != 0) {
      errno = EOPNOTSUPP;
      return -1;
    }
    shared += static_cast<std::int64_t>(bytes);
    while (bytes != 0) {
      const ssize_t copied = System::copy_file_range(from, &from_offset, to, &to_offset, bytes);
      if (copied <= 0) return -1;
      bytes -= static_cast<std::size_t>(copied);
    }
    return 0;
  }
  ssize_t copy_file_range(int from, off_t* from_offset, int to, off_t* to_offset, size_t bytes) override {
    const ssize_t copied = System::copy_file_range(from, from_offset, to, to_offset, bytes);
    if (copied > 0) written += copied;
    return copied;
  }
  ssize_t pwrite(int fd, const void* buffer, size_t bytes, off_t offset) override {
    const ssize_t done = System::pwrite(fd, buffer, bytes, offset);
    if (done > 0) written += done;
    return done;
  }
  std::atomic<std::int64_t> shared = 0;
  std::atomic<std::int64_t> written = 0;

 private:
  bool can_share_;
};

// Returns the Destination of FILE or FILE:NAME.
Destination destination_of(const std::string& text) {
  Destination destination;
  set_path(destination, Operand::of_file(text));
  return destination;
}

void make(const std::vector<std::string>& inputs, const std::string& output) {
  convert({.inputs = inputs, .destination = destination_of(output)}, {});
}

// Returns "NAME=FILE": an array of `rows` rows of 1024 bytes.
std::string array(const TempDir& dir, const std::string& name, std::int64_t rows, int value) {
  Request request;
  request.op = require_operator("expand");
  request.positional = {Operand(cat("{\"dtype\":\"uint8\",\"data\":[", value, "]}"))};
  request.attributes = {{"shape", cat(rows, ",1024")}};
  run_request(request, destination_of(dir.file(name + ".npy")), {});
  return cat(name, "=", dir.file(name + ".npy"));
}

// Replaces the rows 5000 and 9000 of an array.
void replace_rows(const TempDir& dir, const std::string& data, const std::string& output) {
  Request request;
  request.op = require_operator("scatternd");
  request.positional = {Operand(data), Operand("[[5000],[9000]]"), Operand(dir.file("rows.npy"))};
  run_request(request, destination_of(output), {});
}

void rename(const std::string& archive, const std::string& output) {
  convert({.inputs = {archive}, .destination = destination_of(output), .renames = {"^big$=renamed"}}, {});
}

constexpr std::int64_t kMiB = 1 << 20;

// Makes `output` by work(), with blocks shared and without: the same bytes. At most `most` bytes are written
// where they are shared, and at least `least` shared.
template <class Work>
void check_shared(const std::string& output, std::int64_t least, std::int64_t most, const Work& work) {
  const std::string before = get(output);
  SharingSystem without(false);
  {
    const ScopedSystem scope(without);
    work();
  }
  const std::string expected = get(output);
  before == "(nothing)" ? void(std::filesystem::remove(output))
                        : void(std::ofstream(output, std::ios::binary) << before);
  SharingSystem with(true);
  {
    const ScopedSystem scope(with);
    work();
  }
  CHECK((get(output) == expected));
  CHECK(without.shared == 0);
  CHECK(without.written > most);
  CHECK(with.shared >= least);
  CHECK(with.written <= most);
}

}  // namespace

TEST_CASE("where rows of an array are replaced, blocks of the others are shared with the old file",
          "[release][convert][shared]") {
  const TempDir dir;
  const std::string big = array(dir, "big", 16 * 1024, 7);
  (void)array(dir, "rows", 2, 1);
  const std::string model = dir.file("m.safetensors");
  make({big, array(dir, "other", 4 * 1024, 8)}, model);
  check_shared(model, 16 * kMiB, 5 * kMiB,
               [&] { replace_rows(dir, cat(model, ":big"), cat(model, ":big")); });
  // An archive of its own begins at another byte of a block.
  const std::string one = dir.file("one.safetensors");
  make({big}, one);
  check_shared(one, 11 * kMiB, 5 * kMiB, [&] { replace_rows(dir, cat(one, ":big"), cat(one, ":big")); });
  const std::string npy = dir.file("big.npy");
  check_shared(npy, 11 * kMiB, 5 * kMiB, [&] { replace_rows(dir, npy, npy); });
}

TEST_CASE("arrays that stay in an archive share their blocks with the old file",
          "[release][convert][shared]") {
  const TempDir dir;
  const std::string big = array(dir, "big", 8 * 1024, 7);
  const std::string other = array(dir, "other", 3, 8);
  (void)array(dir, "longer", 9, 5);
  for (const char* format : {"safetensors", "npz"}) {
    CAPTURE(format);
    const std::string path = dir.file(cat("m.", format));
    make({big, other}, path);
    check_shared(path, 7 * kMiB, kMiB, [&] { make({dir.file("other.npy")}, cat(path, ":other")); });
    check_shared(path, 7 * kMiB, kMiB, [&] { make({dir.file("other.npy")}, cat(path, ":added")); });
    // An array that moves, since the one before it is longer now.
    const std::string behind = dir.file(cat("behind.", format));
    make({other, big}, behind);
    check_shared(behind, 7 * kMiB, kMiB, [&] { make({dir.file("longer.npy")}, cat(behind, ":other")); });
    const std::string renamed = dir.file(cat("renamed.", format));
    check_shared(renamed, 7 * kMiB, kMiB, [&] { rename(path, renamed); });
    make({cat(renamed, ":renamed")}, dir.file("back.npy"));
    CHECK((get(dir.file("back.npy")) == get(dir.file("big.npy"))));
  }
}

}  // namespace tensorop::convert_shared_blocks_test
