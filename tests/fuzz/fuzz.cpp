#include "fuzz/fuzz.hpp"

#include <sanitizer/allocator_interface.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "io/archive.hpp"
#include "io/array/encoding.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/json_writer.hpp"
#include "io/npy/npy.hpp"
#include "io/text/text_tensor.hpp"

namespace tensorop::fuzz {
namespace {

// The bytes held beyond those at the beginning; below 0 where more went than came.
std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> most{0};  // 0: no bound

void count_new(const volatile void* /*block*/, std::size_t bytes) {
  const std::int64_t bound = most.load(std::memory_order_relaxed);
  if (bound == 0) return;
  const std::int64_t now = held.fetch_add(to_int64(bytes), std::memory_order_relaxed) + to_int64(bytes);
  require(now <= bound, "memory out of proportion to the input");
}

void count_free(const volatile void* block) {
  if (block == nullptr || most.load(std::memory_order_relaxed) == 0) return;
  const std::size_t bytes = __sanitizer_get_allocated_size(const_cast<const void*>(block));
  held.fetch_sub(to_int64(bytes), std::memory_order_relaxed);
}

std::string json_of(const Tensor& tensor) {
  std::string text = json_prefix(tensor.dtype(), tensor.shape());
  if (tensor.size() == 0) {
    text += "[]";
  } else {
    append_json_slice(text, tensor.dtype(), tensor.shape(), 0, tensor.size(), tensor.data());
  }
  return text + std::string(kJsonSuffix);
}

std::span<const StringRef> strings_of(const Tensor& tensor) {
  return tensor.strings();
}

std::string npy_of(const Tensor& tensor) {
  if (tensor.dtype() != DType::string) {
    std::string out = npy_header(tensor.dtype(), tensor.shape(), 0);
    if (tensor.bytes() != 0)
      out.append(reinterpret_cast<const char*>(tensor.data()), to_size(tensor.bytes()));
    return out;
  }
  const std::int64_t characters = longest_characters(strings_of(tensor));
  std::string out = npy_header(tensor.dtype(), tensor.shape(), characters);
  append_utf32(out, strings_of(tensor), characters);
  return out;
}

}  // namespace

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

MemoryBound::MemoryBound(std::size_t bytes) {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(count_new, count_free);
  require(installed > 0, "the memory hooks cannot be installed");
  constexpr std::int64_t kSlack = std::int64_t{64} << 20;
  constexpr std::int64_t kEach = 2000;
  held = 0;
  most = kSlack + kEach * to_int64(bytes);
}

MemoryBound::~MemoryBound() {
  most = 0;
}

bool same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.size() == 0) return true;
  if (a.dtype() != DType::string) return std::memcmp(a.data(), b.data(), to_size(a.bytes())) == 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    if (a.as<StringRef>()[i].view() != b.as<StringRef>()[i].view()) return false;
  }
  return true;
}

void require_round_trip(const Tensor& tensor) {
  // A header of some bytes states millions of empty strings, whose text is out of proportion to it.
  constexpr std::int64_t kMost = 1 << 18;
  if (tensor.size() > kMost) return;
  // Strings as wide as the longest of them can be far larger in NPY than they were.
  constexpr std::int64_t kMostBytes = 1 << 20;
  const bool is_string = tensor.dtype() == DType::string;
  // NPY keeps no NUL at the end of a string.
  const auto longest = attempt([&] { return is_string ? longest_characters(strings_of(tensor)) : 1; });
  const std::int64_t width = is_string ? 4 * longest.value_or(kMostBytes) : 1;
  if (checked_mul(tensor.bytes(), width).value_or(kMostBytes) < kMostBytes) {
    const std::string npy = npy_of(tensor);
    const auto bytes = std::as_bytes(std::span(npy));
    const auto header =
        attempt([&] { return npy_entry(bytes, std::make_shared<MappedFile>(bytes, nullptr)); });
    // It does not name a small dtype.
    require(header && header->names_dtype != kSmallTypes.contains(tensor.dtype()),
            "an NPY file names its dtype or not");
    auto read = attempt([&] { return read_stored(*header, {}); });
    if (read && !header->names_dtype) read = read->viewed_as(tensor.dtype());
    require(read && same(*read, tensor), "what is written as NPY reads back otherwise");
  }
  const std::string json = json_of(tensor);
  const auto read = attempt([&] { return read_json(json, {}).checked_tensor(); });
  // JSON does not tell one NaN from another, nor one true byte.
  require(
      read && read->dtype() == tensor.dtype() && read->shape() == tensor.shape() && json_of(*read) == json,
      "what is written as JSON reads back otherwise");
  if (!is_string || tensor.rank() != 1) return;
  for (const Format* const format : {&kTextFormat, &kCsvFormat, &kTsvFormat}) {
    if (!attempt([&] { return format->measure_strings(strings_of(tensor)); })) continue;
    std::string text;
    format->encode(DType::string, tensor.shape(), 0, "").encode(0, tensor.size(), tensor.data(), text);
    const auto lines =
        attempt([&] { return format->read_text(text, {.as = DType::string}).checked_tensor(); });
    require(lines && same(*lines, tensor), "strings that are written as text read back otherwise");
    require(&input_format(text, "x.txt", nullptr) == &kTextFormat, "strings are taken for another format");
  }
}

void check_archive(const Archive& archive) {
  (void)attempt([&] { return archive.only_array(); });
  for (std::size_t member = 0; member < archive.size(); ++member) {
    require(archive.find(archive.name(member)) == member, "a name finds another array");
    const ArrayEntry info = archive.entry(member);
    const auto header = attempt([&] { return archive.readable(archive.entry(member)); });
    const auto whole = attempt([&] { return archive.read(archive.readable(archive.entry(member)), {}); });
    require(header.has_value() == info.dtype.has_value(), "a described array has no header");
    require(header.has_value() == whole.has_value(), "a header is read and its array is not");
    if (!whole) continue;
    require(*info.dtype == whole->dtype() && info.shape == whole->shape(), "the header is of another array");
    require_round_trip(*whole);
  }
}

}  // namespace tensorop::fuzz
