#include "tensor/shape.hpp"

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

std::string listed(std::span<const std::int64_t> numbers) {
  std::string out;
  for (const std::int64_t number : numbers) {
    if (!out.empty()) out += ',';
    out += cat(number);
  }
  return out;
}

}  // namespace

std::optional<std::int64_t> element_count(std::span<const std::int64_t> dims) {
  for (const std::int64_t dim : dims) {
    if (dim == 0) return 0;
  }
  std::optional<std::int64_t> product = 1;
  for (const std::int64_t dim : dims) {
    product = checked_mul(*product, dim);
    if (!product) return std::nullopt;
  }
  return product;
}

std::int64_t count(std::span<const std::int64_t> dims) {
  return element_count(dims).value();
}

std::int64_t bounded_count(std::span<const std::int64_t> dims) {
  return saturated(element_count(dims));
}

void require_fits(const Shape& shape, std::int64_t element_size) {
  const auto elements = element_count(shape);
  if (!elements || !checked_mul(*elements, element_size)) {
    throw Error(cat("shape ", to_string(shape), " has more elements of ", element_size,
                    " bytes than fit in 2^63 bytes"),
                "G-2");
  }
}

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    // In an empty tensor the product of the other dimensions may overflow; its strides are never used.
    stride = checked_mul(stride, shape[i] == 0 ? 1 : shape[i]).value_or(0);
  }
  return strides;
}

std::vector<std::int64_t> coordinates(std::int64_t position, const Shape& shape) {
  std::vector<std::int64_t> out(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    out[i] = position % shape[i];
    position /= shape[i];
  }
  return out;
}

std::string to_string(const Shape& shape) {
  return cat('(', listed(shape), ')');
}

std::string element_name(const std::string& tensor, std::int64_t position, const Shape& shape) {
  if (shape.empty()) return tensor;
  return cat(tensor, '[', listed(coordinates(position, shape)), ']');
}

}  // namespace tensorop
