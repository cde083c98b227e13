// Archives that several threads deflate and inflate: the same bytes, elements and messages as on one.
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/npz/deflate_queue.hpp"
#include "io/npz/npz_writer.hpp"
#include "io/sink.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::io_threads_test {
namespace {

// Called a0, a1, ... in archives.
using Arrays = std::vector<Tensor>;

// Each array in `slices` slices, as blocks come.
void write_archive(const std::string& path, bool compress, const Arrays& arrays, int threads = 1,
                   std::int64_t slices = 1) {
  const auto archive = write_npz(path, {.threads = threads});
  std::vector<ArchiveArray> members;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    members.push_back({.name = cat("a", i), .compress = compress});
  (void)archive->announce(members);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto sink = archive->add(cat("a", i), DType::uint8, arrays[i].shape(), 0);
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      const std::int64_t first = part_bound(arrays[i].size(), slice, slices);
      const std::int64_t end = part_bound(arrays[i].size(), slice + 1, slices);
      sink->append({reinterpret_cast<const char*>(arrays[i].data() + first), to_size(end - first)});
    }
    sink->commit();
  }
  archive->commit();
}

std::unique_ptr<Archive> open(const std::string& path) {
  InputFile file = InputFile::open(path);
  return kNpzFormat.open(file);
}

// `bytes` bytes that deflate to about half, no two blocks alike.
Tensor mixed_bytes(std::int64_t bytes) {
  std::vector<std::uint8_t> values(to_size(bytes));
  std::mt19937 random(static_cast<std::uint32_t>(bytes));
  for (auto& value : values) value = static_cast<std::uint8_t>(random() % 16);
  return tensor_of(DType::uint8, {bytes}, values);
}

constexpr std::int64_t kHeader = 128;  // of their NPY files

// Arrays whose NPY files have about one block, two, and several, with small ones between.
Arrays sample_of_blocks() {
  constexpr std::int64_t kOne = kDeflateBlock - kHeader;
  Arrays arrays;
  for (const std::int64_t bytes :
       {kOne - 1, kOne, kOne + 1, kOne + kDeflateBlock, std::int64_t{0}, 5 * kDeflateBlock, std::int64_t{3}})
    arrays.push_back(mixed_bytes(bytes));
  return arrays;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.bytes() == 0 || std::memcmp(a.data(), b.data(), to_size(a.bytes())) == 0);
}

}  // namespace

TEST_CASE("what waits to be deflated is within the memory that there is", "[io][npz][threads]") {
  const std::vector<std::byte> bytes(to_size(kDeflateBlock / 4));
  constexpr std::int64_t kCalls = 4 * 40;
  for (const int threads : {1, 8, 64}) {
    for (const std::int64_t blocks : {1, 4, 9, 1000}) {
      CAPTURE(threads, blocks);
      std::int64_t added = 0;
      std::int64_t taken = 0;
      std::int64_t most = 0;
      DeflateQueue queue(threads, blocks * kDeflateBlock,
                         [&](const DeflatedBlock& block) { taken += block.bytes; });
      for (std::int64_t i = 0; i < kCalls; ++i) {
        queue.add(bytes);
        added += to_int64(bytes.size());
        most = std::max(most, added - taken);
      }
      queue.end_member();
      queue.flush();
      CHECK(taken == added);
      // One block may be the last one until another one follows it.
      CHECK(most <= std::max<std::int64_t>(blocks, 1) * kDeflateBlock);
    }
  }
}

TEST_CASE("neither the number of threads nor the blocks in which elements come change a deflated archive",
          "[io][npz][threads]") {
  const TempDir dir;
  const auto arrays = sample_of_blocks();
  write_archive(dir.file("a.npz"), true, arrays);
  const std::string once = get(dir.file("a.npz"));
  struct Row {
    int threads;
    std::int64_t slices;
  };
  for (const auto& [threads, slices] : {Row{1, 1000}, Row{2, 1}, Row{2, 1000}, Row{3, 7}, Row{16, 1}}) {
    CAPTURE(threads, slices);
    write_archive(dir.file("a.npz"), true, arrays, threads, slices);
    CHECK((get(dir.file("a.npz")) == once));
  }
}

TEST_CASE("deflated blocks are inflated on any number of threads, and as one stream", "[io][npz][threads]") {
  const TempDir dir;
  const auto arrays = sample_of_blocks();
  for (const bool compress : {false, true}) {
    write_archive(dir.file("a.npz"), compress, arrays);
    const auto archive = open(dir.file("a.npz"));
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      CHECK(archive->is_compressed(i) == compress);
      for (const int threads : {1, 2, 3, 16}) {
        CAPTURE(compress, i, threads);
        CHECK(same_bytes(archive->read(archive->readable(archive->entry(i)), {.threads = Threads(threads)}),
                         arrays[i]));
      }
    }
  }
}

TEST_CASE("what is damaged in any block is said as it is of one stream", "[io][npz][threads]") {
  const TempDir dir;
  const Tensor array = mixed_bytes(2 * kDeflateBlock);
  for (const bool compress : {false, true}) {
    write_archive(dir.file("a.npz"), compress, {array});
    const std::string whole = get(dir.file("a.npz"));
    for (std::size_t place = 1; place < 8; ++place) {
      std::string bytes = whole;
      bytes[whole.size() / 8 * place] ^= 0x10;
      write_file(dir.file("a.npz"), bytes);
      const auto archive = open(dir.file("a.npz"));
      const auto line = [&](int threads) {
        return error_of([&] {
          (void)archive->read(archive->readable(archive->entry(0)), {.threads = Threads(threads)});
        });
      };
      CAPTURE(compress, place);
      const std::string expected = line(1);
      CHECK((expected.starts_with("the data is damaged: ") || expected.starts_with("the archive promises ")));
      CHECK(line(2) == expected);
      CHECK(line(3) == expected);
    }
  }
}

}  // namespace tensorop::io_threads_test
