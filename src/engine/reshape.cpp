#include "engine/reshape.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "ops/operator.hpp"

namespace tensorop {
namespace {

// The dimensions as they are written, -1 among them.
Shape read_dimensions(const std::string& name, std::string_view text) {
  std::string_view rest = text;
  const bool has_brackets = rest.size() > 1 && rest.front() == '[' && rest.back() == ']';
  if (has_brackets) rest = rest.substr(1, rest.size() - 2);
  Shape out;
  while (!(has_brackets && rest.empty() && out.empty())) {
    const std::size_t comma = rest.find(',');
    const auto dimension = parse_int64(rest.substr(0, comma));
    if (!dimension || *dimension < -1) {
      throw Error(cat("reshape of ", name, ": ", in_quotes(text),
                      " is not a list of non-negative integers, one of which may be -1"),
                  kCallRule);
    }
    out.push_back(*dimension);
    if (out.size() > kMaxRank)
      throw Error(cat("reshape of ", name, ": more than ", kMaxRank, " dimensions"), kCallRule);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
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
