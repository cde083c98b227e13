#include "tensor/tensor.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/system/memory.hpp"

namespace tensorop {

Storage::Storage(std::int64_t bytes, std::string_view what) {
  constexpr std::size_t kAlign = 64;
  require_memory(bytes, what);
  // calloc provides large blocks as fresh zero pages, which cost memory only when written.
  block_.reset(std::calloc(1, to_size(bytes) + kAlign));
  if (!block_) throw_no_memory(bytes, what);
  const auto address = reinterpret_cast<std::uintptr_t>(block_.get());
  data_ = static_cast<std::byte*>(block_.get()) + (kAlign - address % kAlign) % kAlign;
}

Tensor::Tensor(DType dtype, Shape shape, const std::shared_ptr<const MappedFile>& file, std::int64_t offset)
    : Tensor(dtype, std::move(shape), file->bytes().data() + offset, file) {
  file_ = file.get();
}

}  // namespace tensorop
