#include "io/array/array_reading.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "base/system/memory.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"

namespace tensorop {

bool ArrayReading::needs_scratch(std::int64_t bytes) const {
  // Querying the free memory takes longer than reading a small array.
  constexpr std::int64_t kSmall = 16 << 20;
  if (scratch == nullptr) return false;
  return (memory != 0 || bytes > kSmall) && bytes > memory_part(memory, memory_sharers);
}

std::int64_t ArrayReading::buffer_bytes() const {
  // A larger buffer gains nothing: its segments are long enough.
  constexpr std::int64_t kLeast = 64 << 10;
  constexpr std::int64_t kMost = 256 << 20;
  return std::clamp(memory_part(memory, memory_sharers), kLeast, kMost);
}

DecodingTarget::DecodingTarget(DType dtype, const Shape& shape, const ArrayReading& reading)
    : dtype_(dtype), shape_(shape), threads_(reading.threads) {
  const std::int64_t bytes = count(shape) * element_size(dtype);
  if (!reading.needs_scratch(bytes)) {
    memory_ = std::make_shared<Storage>(bytes, "the array");
    // All pages will be written. Each fresh page of 4 KiB would cost more than decoding its contents.
    constexpr std::int64_t kLarge = 4 << 20;
    if (bytes >= kLarge) prefer_large_pages(memory_->data(), bytes);
    return;
  }
  threads_.expect(bytes);
  if (reading.direct) write_ = reading.direct(dtype, shape);
  if (write_) return;
  scratch_ = std::make_unique<ScratchFile>(reading.scratch(bytes));
  write_ = [file = scratch_.get()](std::int64_t offset, std::span<const std::byte> part) {
    file->write_at(offset, part);
  };
}

Tensor DecodingTarget::tensor() && {
  if (memory_) return {dtype_, shape_, memory_};
  if (!scratch_) return {dtype_, shape_};
  return {dtype_, shape_, std::move(*scratch_).into_mapped()};
}

std::shared_ptr<const MappedFile> DecodingTarget::file() && {
  if (!memory_) return std::move(*scratch_).into_mapped();
  return std::make_shared<MappedFile>(
      std::span(memory_->data(), to_size(count(shape_) * element_size(dtype_))), memory_);
}

void refuse_unnamed(const std::string& stored) {
  throw Error(
      cat("dtype ", in_quotes(stored), " does not say what the elements are (", kSmallTypes.names(), ")"), "",
      cat("convert FILE --view DTYPE -o x", endings_naming(kSmallTypes).front(),
          " names it; for convert and for data of operators --dtype does"));
}

}  // namespace tensorop
