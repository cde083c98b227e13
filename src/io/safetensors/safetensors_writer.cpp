#include "io/safetensors/safetensors_writer.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/output_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"
#include "io/safetensors/safetensors_header.hpp"

namespace tensorop {
namespace {

std::string shown(const ArchiveArray& array) {
  return array.operand.empty() ? cat("array ", in_quotes(array.name)) : array.operand;
}

// Throws Error if the format cannot store the new array.
void require_storable(const ArchiveArray& array) {
  const DTypeInfo& row = info(array.dtype);
  if (row.safetensors.empty())
    throw Error(cat(shown(array), ": safetensors has no dtype ", row.name), "",
                cat("a ", endings_naming(row.dtype).back(), " file has it"));
  const std::int64_t elements = count(array.shape);
  if (!is_in_nibbles(array.dtype) || elements % 2 == 0) return;
  throw Error(cat(shown(array), ": the size of ", counted(elements, "element"), " of ", row.name,
                  " is not a multiple of 8 bits, as safetensors wants it"),
              "", cat("a ", endings_naming(array.dtype).front(), " file has them"));
}

// Alignment of the data section, in bytes.
constexpr std::int64_t kAlignment = 8;

// An array of the result.
struct Item {
  SafetensorsArray array = {};
  std::int64_t bytes = 0;
  std::size_t position = 0;  // in the list of arrays
  bool is_kept = false;
  ArrayEntry old = {};  // the array that is kept; or that is replaced, if it has the same dtype
  bool has_old = false;
};

Item item_of(const ArchiveArray& array, std::size_t position) {
  Item item{.position = position, .is_kept = array.is_kept};
  if (array.old) item.old = array.old->entry(array.member);
  if (array.is_kept) {
    item.array = {.name = array.name, .stored = item.old.stored, .shape = item.old.shape};
    item.bytes = item.old.bytes;
    item.has_old = true;
  } else {
    require_storable(array);
    item.array = {.name = array.name,
                  .stored = std::string(info(array.dtype).safetensors),
                  .dtype = array.dtype,
                  .shape = array.shape};
    item.bytes = packed_bytes(array.dtype, count(array.shape));
    item.has_old = array.old && item.old.stored == item.array.stored;
  }
  return item;
}

// The byte of the old file where its data begins, or 0 if it has no arrays.
std::int64_t begin_of_data(const std::vector<ArchiveArray>& arrays) {
  const auto kept =
      std::ranges::find_if(arrays, [](const ArchiveArray& array) { return array.old != nullptr; });
  if (kept == arrays.end()) return 0;
  std::int64_t begin = kept->old->entry(kept->member).offset;
  for (std::size_t i = 0; i < kept->old->size(); ++i) begin = std::min(begin, kept->old->entry(i).offset);
  return begin;
}

// Sort key of arrays in the layout of the reference writer: dtype, then the bytes of the name. Arrays of a
// dtype that the format does not have come last.
auto order_key(const Item& item) {
  constexpr auto kLast = std::numeric_limits<std::size_t>::max();
  return std::pair(safetensors_order(item.array.stored).value_or(kLast), std::string_view(item.array.name));
}

// Inserts the items without a place in the old file before the first one that sorts after them.
std::vector<Item*> with_new(std::vector<Item*> order, std::vector<Item>& items) {
  for (Item& item : items) {
    if (item.has_old) continue;
    const auto next =
        std::ranges::find_if(order, [&](const Item* other) { return order_key(item) < order_key(*other); });
    order.insert(next, &item);
  }
  return order;
}

class SafetensorsWriter final : public ArchiveWriter {
 public:
  SafetensorsWriter(const std::string& path, const ArchiveOptions& options)
      : file_(OutputFile::create(path, options.durable, {}, options.writers, options.replaced)),
        metadata_(options.metadata),
        keeps_order_(options.keeps_order) {}

  [[nodiscard]] bool is_stream() const override { return file_.is_stream(); }
  [[nodiscard]] bool needs_headers() const override { return true; }
  // Reserves the space of a file.
  [[nodiscard]] std::vector<std::size_t> announce(std::vector<ArchiveArray> arrays) override {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      items_.push_back(item_of(arrays[i], i));
    }
    if (keeps_order_) old_begin_ = begin_of_data(arrays);
    lay_out();
    write_header();
    std::vector<std::size_t> order;
    for (const Item* item : data_) {
      if (!item->is_kept) order.push_back(item->position);
    }
    return order;
  }

  // The sink writes to any offset of a file.
  [[nodiscard]] std::unique_ptr<Sink> add(const std::string& name, DType dtype, const Shape& shape,
                                          std::int64_t characters) override;
  void append(std::span<const std::byte> bytes) override {
    start_stream();
    if (is_stream()) return file_.append(bytes);
    file_.write_at(next_byte_, bytes);
    next_byte_ += to_int64(bytes.size());
  }
  void finish() override {
    (void)next_new();
    start_stream();
    for (const Copy& copy : std::exchange(copies_, {}))
      file_.copy_at(copy.to, *copy.file, copy.first, copy.bytes);
    for (const Item& item : items_) {
      if (item.is_kept && item.old.owner) item.old.owner->require_unchanged();
    }
    file_.finish();
  }

  void commit() override {
    finish();
    file_.commit();
  }

 private:
  // Copies a range of another file to a place in this one.
  struct Copy {
    std::shared_ptr<const MappedFile> file;
    std::int64_t first;
    std::int64_t to;
    std::int64_t bytes;
  };
  // The length of the header has this remainder.
  struct HeaderLength {
    std::int64_t modulus = kAlignment;
    std::int64_t remainder = 0;
  };

  // The layout of the reference implementation. Or the layout of the old file: the order of arrays and the
  // remainder of the header length stay, unless an array would lose its alignment.
  void lay_out() {
    if (keeps_order_) {
      std::vector<Item*> data;
      for (Item& item : items_) {
        if (item.has_old) data.push_back(&item);
      }
      header_order_ = with_new(data, items_);
      std::ranges::sort(data, {}, [](const Item* item) {
        return std::pair(item->old.offset, item->old.offset + item->old.bytes);
      });
      place(with_new(std::move(data), items_));
      length_ = length_to_share(true);
      if (std::ranges::none_of(items_, [&](const Item& item) { return loses_alignment(item); })) return;
    }
    std::vector<Item*> all;
    for (Item& item : items_) all.push_back(&item);
    std::ranges::sort(all, {}, [](const Item* item) { return order_key(*item); });
    header_order_ = all;
    place(std::move(all));
    length_ = length_to_share(false);
    if (std::ranges::any_of(items_, [&](const Item& item) { return loses_alignment(item); })) length_ = {};
  }

  // Gives each array its place in the data, in this order.
  void place(std::vector<Item*> data) {
    data_bytes_ = 0;
    for (Item* const item : data) {
      const auto next = checked_add(data_bytes_, item->bytes);
      if (!next)
        throw Error(cat("array ", in_quotes(item->array.name), ": the file would have more than 2^63 bytes"));
      item->array.begin = std::exchange(data_bytes_, *next);
      item->array.end = data_bytes_;
    }
    data_ = std::move(data);
  }

  // The length of the header for which most kept bytes begin where they were in a block of the file. If they
  // are too few to be shared: the remainder of the old header if `keeps_remainder`, else any length.
  [[nodiscard]] HeaderLength length_to_share(bool keeps_remainder) const {
    std::int64_t kept = 0;
    for (const Item& item : items_) kept += item.has_old ? item.bytes : 0;
    if (kept < OutputFile::kLeastShared)
      return keeps_remainder ? HeaderLength{kAlignment, old_begin_ & (kAlignment - 1)} : HeaderLength{};
    const std::int64_t modulus = OutputFile::kBlock;
    std::map<std::int64_t, std::int64_t> bytes_of;  // by the remainder that suits them
    for (const Item& item : items_) {
      if (item.has_old) bytes_of[(item.old.offset - item.array.begin) & (modulus - 1)] += item.bytes;
    }
    const auto most = std::ranges::max_element(bytes_of, {}, [](const auto& entry) { return entry.second; });
    return most == bytes_of.end() ? HeaderLength{} : HeaderLength{modulus, most->first};
  }

  [[nodiscard]] bool loses_alignment(const Item& item) const {
    const bool was_aligned = !item.is_kept || !item.old.is_unaligned;
    return was_aligned && !is_aligned(item.array, length_.remainder);
  }

  void write_header() {
    std::vector<SafetensorsArray> arrays;
    for (const Item* item : header_order_) arrays.push_back(item->array);
    header_ = safetensors_header(arrays, metadata_, length_.modulus, length_.remainder);
    if (is_stream()) return;
    std::int64_t shared = 0;
    for (const Copy& copy : segments()) {
      const OutputFile::Part part = file_.share(copy.to, *copy.file, copy.first, copy.bytes);
      const std::int64_t done = part.first + part.bytes;
      copies_.push_back({copy.file, copy.first, copy.to, part.first});
      copies_.push_back({copy.file, copy.first + done, copy.to + done, copy.bytes - done});
      shared += part.bytes;
    }
    file_.reserve(saturated(checked_add(to_int64(header_.size()), data_bytes_)), shared);
    file_.write_at(0, text_bytes(header_));
  }

  // The kept data; neighbours that stay neighbours are one segment.
  [[nodiscard]] std::vector<Copy> segments() const {
    std::vector<Copy> segments;
    for (const Item* item : data_) {
      if (!item->is_kept || item->bytes == 0) continue;
      const Copy copy{item->old.owner, item->old.offset, to_int64(header_.size()) + item->array.begin,
                      item->bytes};
      const bool goes_on = !segments.empty() && segments.back().file == copy.file &&
                           segments.back().first + segments.back().bytes == copy.first &&
                           segments.back().to + segments.back().bytes == copy.to;
      goes_on ? void(segments.back().bytes += copy.bytes) : segments.push_back(copy);
    }
    return segments;
  }

  // The next new array in the order of the data; null: none. A stream gets the kept ones before it.
  const Item* next_new() {
    while (next_ < data_.size()) {
      const Item* const item = data_[next_++];
      if (!item->is_kept) return item;
      if (!is_stream()) continue;
      start_stream();
      if (item->bytes != 0) file_.append(*item->old.owner, item->old.offset, item->bytes);
    }
    return nullptr;
  }

  // Writes the header with the first byte of an array: an earlier error leaves a stream untouched.
  void start_stream() {
    if (is_stream() && !std::exchange(started_, true)) file_.append(text_bytes(header_));
  }

  OutputFile file_;
  Metadata metadata_;
  bool keeps_order_;
  std::int64_t old_begin_ = 0;  // begin_of_data()
  std::vector<Item> items_;
  std::vector<Item*> data_;          // in the order of the data
  std::vector<Item*> header_order_;  // in the order of the header
  HeaderLength length_;
  std::vector<Copy> copies_;
  std::string header_;
  std::int64_t data_bytes_ = 0;
  std::size_t next_ = 0;        // in data_
  std::int64_t next_byte_ = 0;  // file offset of the next bytes
  bool started_ = false;        // the header was written to the stream
};

std::unique_ptr<Sink> SafetensorsWriter::add([[maybe_unused]] const std::string& name, DType dtype,
                                             const Shape& shape, std::int64_t /*characters*/) {
  const SafetensorsArray& array = next_new()->array;
  assert(array.name == name && array.dtype == dtype && array.shape == shape);
  next_byte_ = to_int64(header_.size()) + array.begin;
  return std::make_unique<Sink>(packed_encoding(dtype, shape), *this, is_stream() ? nullptr : &file_,
                                next_byte_);
}

}  // namespace

std::int64_t safetensors_bytes(std::span<const ArchiveArray> arrays) {
  std::int64_t sum = 0;
  for (const ArchiveArray& array : arrays) sum = saturated(checked_add(sum, item_of(array, 0).bytes));
  return sum;
}

void require_safetensors_name(const std::string& name) {
  if (!is_utf8(name)) refuse_name(name, "it is not valid UTF-8");
  if (name == kSafetensorsMetadata) refuse_name(name, "safetensors keeps its metadata under it");
}

std::unique_ptr<ArchiveWriter> write_safetensors(const std::string& path, const ArchiveOptions& options) {
  return std::make_unique<SafetensorsWriter>(path, options);
}

}  // namespace tensorop
