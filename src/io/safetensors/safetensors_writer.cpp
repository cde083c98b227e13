#include "io/safetensors/safetensors_writer.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"

namespace tensorop {
namespace {

std::string shown(const ArchiveArray& array) {
  return array.operand.empty() ? cat("array ", in_quotes(array.name)) : array.operand;
}

// The array without its offsets. Throws Error if the format cannot store it.
SafetensorsArray described(const ArchiveArray& array) {
  const DTypeInfo& row = info(array.dtype);
  if (row.safetensors.empty()) {
    throw Error(cat(shown(array), ": safetensors has no dtype ", row.name), "",
                cat("a ", endings_naming(row.dtype).back(), " file has it"));
  }
  return {
      .name = array.name, .stored = std::string(row.safetensors), .dtype = array.dtype, .shape = array.shape};
}

// Alignment of the data section, in bytes.
constexpr std::int64_t kAlignment = 8;

// Sort key of arrays in the layout of the reference writer: dtype, then the bytes of the name. Arrays of a
// dtype that the format does not have come last.
auto order_key(const SafetensorsArray& array) {
  constexpr auto kLast = std::numeric_limits<std::size_t>::max();
  return std::pair(safetensors_order(array.stored).value_or(kLast), std::string_view(array.name));
}

std::vector<std::size_t> sorted(const std::vector<SafetensorsArray>& arrays) {
  std::vector<std::size_t> order(arrays.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return order_key(arrays[i]); });
  return order;
}

// The position for the array: before the first array that sorts after it.
template <class Arrays, class Get>
auto place_among(Arrays& others, const SafetensorsArray& array, const Get& get) {
  return std::ranges::find_if(others,
                              [&](const auto& other) { return order_key(array) < order_key(*get(other)); });
}

// Gives the array the next `bytes` bytes of data.
void place(SafetensorsArray& array, std::int64_t bytes, std::int64_t& data_bytes) {
  const auto next = checked_add(data_bytes, bytes);
  if (!next) throw Error(cat("array ", in_quotes(array.name), ": the file would have more than 2^63 bytes"));
  array.begin = std::exchange(data_bytes, *next);
  array.end = data_bytes;
}

// Throws Error if 4-bit elements would leave half a byte.
std::int64_t stored_bytes_of(const ArchiveArray& array) {
  const std::int64_t elements = count(array.shape);
  if (info(array.dtype).bits == 8 * element_size(array.dtype) || elements % 2 == 0)
    return packed_bytes(array.dtype, elements);
  throw Error(cat(shown(array), ": the size of ", counted(elements, "element"), " of ", name(array.dtype),
                  " is not a multiple of 8 bits, as safetensors wants it"),
              "", cat("a ", endings_naming(array.dtype).front(), " file has them"));
}

class SafetensorsWriter final : public ArchiveWriter {
 public:
  SafetensorsWriter(const std::string& path, const ArchiveOptions& options,
                    std::optional<KeptSafetensors> kept)
      : file_(OutputFile::create(path, options.durable, {}, options.writers, options.replaced)),
        metadata_(kept ? kept->header.metadata : options.metadata),
        kept_(std::move(kept)) {}

  [[nodiscard]] bool is_stream() const override { return file_.is_stream(); }
  [[nodiscard]] bool needs_announcement() const override { return true; }
  // Reserves the space of a file. If an old file is kept, only one array may be added.
  [[nodiscard]] std::vector<std::size_t> announce(const std::vector<ArchiveArray>& arrays) override {
    if (kept_) {
      assert(arrays.size() == 1);
      announce_among_kept(arrays[0]);
      return {0};
    }
    std::vector<SafetensorsArray> all;
    all.reserve(arrays.size());
    for (const ArchiveArray& array : arrays) all.push_back(described(array));
    std::vector<std::size_t> order = sorted(all);
    for (const std::size_t i : order) {
      place(arrays_.emplace_back(std::move(all[i])), stored_bytes_of(arrays[i]), data_bytes_);
    }
    write_header();
    return order;
  }

  // The sink writes to any offset of a file.
  [[nodiscard]] std::unique_ptr<Sink> add(const std::string& name, DType dtype, const Shape& shape,
                                          std::int64_t characters) override;
  void append(std::span<const std::byte> bytes) override {
    start_stream();
    if (is_stream()) return file_.append(bytes);
    file_.write_at(next_, bytes);
    next_ += to_int64(bytes.size());
  }
  void finish() override {
    start_stream();
    if (kept_) {
      for (const auto& [from, to, bytes] : std::exchange(copies_, {}))
        file_.copy_at(to_int64(header_.size()) + to, *kept_->file, kept_->data_offset + from, bytes);
      kept_->file->require_unchanged();
    }
    file_.finish();
  }

  void commit() override {
    finish();
    file_.commit();
  }

 private:
  // Copies a range of the old file's data to a place in the new data.
  struct Copy {
    std::int64_t from;
    std::int64_t to;
    std::int64_t bytes;
  };

  // Keeps the order of arrays and the remainder of the header length, unless an array would lose its
  // alignment: then the file gets the layout of the reference implementation.
  void announce_among_kept(const ArchiveArray& added) {
    SafetensorsArray array = described(added);
    const std::int64_t bytes = stored_bytes_of(added);
    std::vector<SafetensorsArray*> data = insert(std::move(array));
    const std::vector<SafetensorsArray> before = arrays_;
    place_all(data, bytes);
    auto remainder = to_size(kept_->data_offset % kAlignment);
    const auto loses_alignment = [&](const SafetensorsArray& now) {
      const std::size_t i = to_size(&now - arrays_.data());
      const bool was_aligned = i == added_ || is_aligned(before[i], kept_->data_offset);
      return was_aligned && !is_aligned(now, to_int64(remainder));
    };
    if (std::ranges::any_of(arrays_, loses_alignment)) {
      remainder = 0;
      const std::string name = arrays_[added_].name;
      arrays_ = before;
      std::ranges::sort(arrays_, {}, order_key);
      added_ = to_size(std::ranges::find(arrays_, name, &SafetensorsArray::name) - arrays_.begin());
      data.clear();
      for (SafetensorsArray& other : arrays_) data.push_back(&other);
      place_all(data, bytes);
    }
    write_header(remainder);
  }

  // Adds the array to the kept ones: in place of the old array if name and dtype are equal, else at the
  // position of the reference writer. Returns all arrays in the order of their data, which may differ from
  // the order in the header.
  std::vector<SafetensorsArray*> insert(SafetensorsArray array) {
    arrays_ = kept_->header.arrays;
    const auto old = std::ranges::find(arrays_, array.name, &SafetensorsArray::name);
    const bool keeps_place = old != arrays_.end() && old->stored == array.stored;
    if (keeps_place) {
      added_ = to_size(old - arrays_.begin());
      old->shape = array.shape;
    } else {
      if (old != arrays_.end()) arrays_.erase(old);
      const auto next = place_among(arrays_, array, [](const SafetensorsArray& other) { return &other; });
      added_ = to_size(next - arrays_.begin());
      arrays_.insert(next, std::move(array));
    }
    std::vector<SafetensorsArray*> data;
    for (SafetensorsArray& other : arrays_) {
      if (keeps_place || &other != &arrays_[added_]) data.push_back(&other);
    }
    std::ranges::sort(data, {},
                      [](const SafetensorsArray* other) { return std::pair(other->begin, other->end); });
    if (!keeps_place) {
      SafetensorsArray& own = arrays_[added_];
      data.insert(place_among(data, own, [](const SafetensorsArray* other) { return other; }), &own);
    }
    return data;
  }

  // Assigns offsets to the arrays, in that order, and lists the ranges to copy.
  void place_all(const std::vector<SafetensorsArray*>& data, std::int64_t bytes) {
    copies_.clear();
    data_bytes_ = 0;
    for (SafetensorsArray* const other : data) {
      const bool is_added = other == &arrays_[added_];
      const Copy copy{other->begin, data_bytes_, other->end - other->begin};
      place(*other, is_added ? bytes : copy.bytes, data_bytes_);
      if (is_added || copy.bytes == 0) continue;
      const bool goes_on = !copies_.empty() && copies_.back().from + copies_.back().bytes == copy.from &&
                           copies_.back().to + copies_.back().bytes == copy.to;
      goes_on ? void(copies_.back().bytes += copy.bytes) : copies_.push_back(copy);
    }
  }

  void write_header(std::size_t remainder = 0) {
    header_ = safetensors_header(arrays_, metadata_, remainder);
    if (is_stream()) return;
    file_.reserve(saturated(checked_add(to_int64(header_.size()), data_bytes_)));
    file_.write_at(0, text_bytes(header_));
  }

  // Writes the header with the first byte of an array: an earlier error leaves a stream untouched.
  void start_stream() {
    if (is_stream() && !std::exchange(started_, true)) file_.append(text_bytes(header_));
  }

  OutputFile file_;
  Metadata metadata_;
  std::optional<KeptSafetensors> kept_;
  std::vector<Copy> copies_;
  std::vector<SafetensorsArray> arrays_;  // in file order
  std::string header_;
  std::int64_t data_bytes_ = 0;
  std::size_t added_ = 0;  // the array of the next add()
  std::int64_t next_ = 0;  // file offset of the next bytes
  bool started_ = false;   // the header was written to the stream
};

std::unique_ptr<Sink> SafetensorsWriter::add([[maybe_unused]] const std::string& name, DType dtype,
                                             const Shape& shape, std::int64_t /*characters*/) {
  const SafetensorsArray& array = arrays_[added_++];
  assert(array.name == name && array.dtype == dtype && array.shape == shape);
  next_ = to_int64(header_.size()) + array.begin;
  return std::make_unique<Sink>(packed_encoding(dtype, shape), *this, is_stream() ? nullptr : &file_, next_);
}

}  // namespace

void require_safetensors_name(const std::string& name) {
  if (!is_utf8(name)) refuse_name(name, "it is not valid UTF-8");
  if (name == kSafetensorsMetadata) refuse_name(name, "safetensors keeps its metadata under it");
}

std::unique_ptr<ArchiveWriter> write_safetensors(const std::string& path, const ArchiveOptions& options,
                                                 std::optional<KeptSafetensors> kept) {
  return std::make_unique<SafetensorsWriter>(path, options, std::move(kept));
}

}  // namespace tensorop
