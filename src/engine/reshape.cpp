#include "engine/reshape.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/attributes.hpp"
#include "ops/operator.hpp"

namespace tensorop {
namespace {

// The dimensions as they are written, -1 among them.
Shape read_dimensions(const std::string& name, std::string_view text) {
  const bool has_brackets = text.size() > 1 && text.front() == '[' && text.back() == ']';
  const std::string_view list = has_brackets ? text.substr(1, text.size() - 2) : text;
  const std::optional<Shape> parsed = has_brackets && list.empty() ? Shape() : parse_list(list);
  if (!parsed || std::ranges::any_of(*parsed, [](std::int64_t dimension) { return dimension < -1; })) {
    throw Error(cat("reshape of ", name, ": ", in_quotes(text),
                    " is not a list of non-negative integers, one of which may be -1"),
                kCallRule);
  }
  const Shape& out = *parsed;
  if (out.size() > kMaxRank)
    throw Error(cat("reshape of ", name, ": more than ", kMaxRank, " dimensions"), kCallRule);
  if (std::ranges::count(out, -1) > 1)
    throw Error(cat("reshape of ", name, ": only one dimension of ", in_quotes(text), " may be -1"),
                kCallRule);
  return out;
}

}  // namespace

Tensor reshaped(const Tensor& tensor, const std::string& name, std::string_view text) {
  Shape shape = read_dimensions(name, text);
  const std::int64_t size = tensor.size();
  const auto open = std::ranges::find(shape, -1);
  std::optional<std::int64_t> known = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension != -1 && known) known = checked_mul(*known, dimension);
  }
  if (open != shape.end() && known && *known != 0 && size % *known == 0) {
    *open = size / *known;
    known = size;
  } else if (open != shape.end()) {
    known.reset();
  }
  if (known != size) {
    throw Error(cat("reshape of ", name, ": ", to_string(tensor.shape()), " has ", counted(size, "element"),
                    ", which do not fill the shape ", in_quotes(text)),
                kCallRule);
  }
  return tensor.reshaped(std::move(shape));
}

}  // namespace tensorop
