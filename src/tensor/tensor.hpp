// A dense row-major tensor in memory: dtype, shape, and bytes with shared ownership.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {

class MappedFile;

// Memory blocks that hold the bytes of string elements.
using Arenas = std::vector<std::shared_ptr<const void>>;

// Zero-filled memory for elements.
class Storage {
 public:
  // `bytes` of memory aligned to 64 bytes. Throws MemoryError as require_memory() does, naming `what`, or
  // std::bad_alloc.
  explicit Storage(std::int64_t bytes, std::string_view what = "a tensor");

  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }

  // For string elements; they live as long as the elements do.
  Arenas arenas;

 private:
  struct Free {
    void operator()(void* block) const { std::free(block); }
  };
  std::unique_ptr<void, Free> block_;
  std::byte* data_ = nullptr;
};

// Immutable, cheap to copy. Elements may be at any address. `data()` is null if only dtype and shape are
// known (--dry-run), and is never read if the tensor is empty.
class Tensor {
 public:
  Tensor() = default;
  // `owner` keeps `data` alive.
  Tensor(DType dtype, Shape shape, const std::byte* data, std::shared_ptr<const void> owner)
      : dtype_(dtype), shape_(std::move(shape)), data_(data), owner_(std::move(owner)) {}
  // A header without elements.
  Tensor(DType dtype, Shape shape) : Tensor(dtype, std::move(shape), nullptr, nullptr) {}
  Tensor(DType dtype, Shape shape, const std::shared_ptr<Storage>& storage)
      : Tensor(dtype, std::move(shape), storage->data(), storage) {
    storage_ = storage.get();
  }
  // Elements in a file, starting at byte `offset`.
  Tensor(DType dtype, Shape shape, const std::shared_ptr<const MappedFile>& file, std::int64_t offset = 0);

  // The same elements with another shape of the same size.
  [[nodiscard]] Tensor reshaped(Shape shape) const {
    Tensor out = *this;
    out.shape_ = std::move(shape);
    return out;
  }

  // The same bytes as elements of another dtype of the same size; neither dtype is string.
  [[nodiscard]] Tensor viewed_as(DType dtype) const {
    Tensor out = *this;
    out.dtype_ = dtype;
    return out;
  }

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::int64_t rank() const { return tensorop::rank(shape_); }
  [[nodiscard]] std::int64_t size() const { return count(shape_); }  // elements
  [[nodiscard]] std::int64_t bytes() const { return size() * element_size(dtype_); }
  [[nodiscard]] const std::byte* data() const { return data_; }
  // The arenas of string elements: tensors made from the elements keep only these alive.
  [[nodiscard]] Arenas arenas() const { return storage_ == nullptr ? Arenas() : storage_->arenas; }
  // The mapped file that contains the elements; null if the tensor was not made from one.
  [[nodiscard]] std::shared_ptr<const MappedFile> mapping() const { return {owner_, file_}; }
  // The elements as values of type T.
  template <class T>
  [[nodiscard]] StoredElements<T> as() const {
    return StoredElements<T>(data_);
  }
  // The elements of a string tensor, which always has its own memory.
  [[nodiscard]] std::span<const StringRef> strings() const {
    return {reinterpret_cast<const StringRef*>(data_), static_cast<std::size_t>(size())};
  }

 private:
  DType dtype_ = DType::float32;
  Shape shape_ = {0};
  const std::byte* data_ = nullptr;
  std::shared_ptr<const void> owner_;
  const Storage* storage_ = nullptr;  // owner_ if it is a Storage
  const MappedFile* file_ = nullptr;  // owner_ if it is a MappedFile
};

}  // namespace tensorop
