#include "engine/index_arrays.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/scratch_file.hpp"
#include "base/text.hpp"
#include "engine/operands.hpp"
#include "engine/version.hpp"
#include "kernels/elements/walk.hpp"
#include "kernels/range.hpp"
#include "ops/broadcast_rules.hpp"
#include "ops/call.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kName = "indices";

// Removes the index arrays from the request and returns their texts: the operand named "indices", or
// otherwise all positional operands between data and updates.
std::vector<OperandText> take_arrays(Request& request) {
  const auto named = std::ranges::find(request.named, kName, &NamedText::name);
  if (named != request.named.end()) {
    std::vector<OperandText> out = {static_cast<const OperandText&>(*named)};
    request.named.erase(named);
    return out;
  }
  const auto is_positional = [&](const OperandSpec& spec) {
    return std::ranges::find(request.named, spec.name, &NamedText::name) == request.named.end();
  };
  const auto operands = request.op.op->operands;
  auto& texts = request.positional;
  const std::size_t before = is_positional(operands[0]) ? 1 : 0;
  const std::size_t after = operands.size() > 2 && is_positional(operands[2]) ? 1 : 0;
  if (texts.size() <= before + after) return {};
  const auto first = texts.begin() + to_int64(before);
  const auto end = texts.end() - to_int64(after);
  std::vector<OperandText> out(first, end);
  texts.erase(first, end);
  return out;
}

Tensor open_array(const OperandText& text, const Request& request, const Settings& settings, Inputs& inputs) {
  const Source::Options options{
      .header_only = request.dry_run, .allow_abstract = request.dry_run, .text_format = request.text_format};
  Source source = open_operand(text, options, settings);
  if (source.tensor() == nullptr)
    source.resolve(source.fits_any_dtype() ? DType::int64 : source.natural_dtype());
  inputs.add(source.mapping());
  return *source.tensor();
}

// Writes the indices for a range of the positions of `shape`, to which the array is repeated.
void write_component(const Tensor& array, const Shape& shape, Range range, std::int64_t* out,
                     std::int64_t step) {
  const BroadcastWalk walk(shape, {strides_right_aligned(array.shape(), shape)});
  dispatch(array.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      const StoredElements<T> elements(array.data());
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      walk.for_each_run(range.first, range.count, [&](const std::int64_t* offsets, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i, out += step) {
          const T value = elements[offsets[0] + i * walk.inner_stride(0)];
          *out = std::cmp_greater(value, kMost) ? kMost : static_cast<std::int64_t>(value);
        }
      });
    }
  });
}

// Returns index tuples along a new last dimension.
Tensor stacked(const std::vector<Tensor>& arrays, const std::vector<std::string>& names,
               const Settings& settings, Inputs& inputs) {
  Shape shape = arrays[0].shape();
  if (arrays.size() == 1) {
    shape.push_back(1);
    return arrays[0].reshaped(std::move(shape));
  }
  std::vector<NamedShape> shapes;
  bool is_abstract = false;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    shapes.push_back({names[i], arrays[i].shape()});
    is_abstract = is_abstract || (arrays[i].data() == nullptr && arrays[i].size() != 0);
  }
  shape = merge_shapes(shapes, "BC-M1");
  Shape tuples = shape;
  tuples.push_back(to_int64(arrays.size()));
  (void)checked_output(DType::int64, tuples);
  if (is_abstract || count(shape) == 0) return {DType::int64, std::move(tuples)};
  const std::int64_t k = to_int64(arrays.size());
  const auto write = [&](Range range, std::byte* out) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      write_component(arrays[i], shape, range, reinterpret_cast<std::int64_t*>(out) + i, k);
  };
  const std::int64_t bytes = count(tuples) * 8;
  if (!with_settings({}, settings).arrays.needs_scratch(bytes)) {
    const auto storage = std::make_shared<Storage>(bytes);
    write({0, count(shape)}, storage->data());
    return {DType::int64, std::move(tuples), storage};
  }
  constexpr std::int64_t kBlock = 4096;  // tuples
  ScratchFile file = make_scratch(settings, bytes);
  std::vector<std::byte> block(to_size(kBlock * k * 8));
  for (std::int64_t first = 0; first < count(shape); first += kBlock) {
    const Range range{first, std::min(kBlock, count(shape) - first)};
    write(range, block.data());
    file.write_at(first * k * 8, std::span(block).first(to_size(range.count * k * 8)));
  }
  const auto mapped = std::move(file).into_mapped();
  inputs.add(mapped);
  return {DType::int64, std::move(tuples), mapped};
}

}  // namespace

Request with_tuples(Request request, const Settings& settings, Inputs& inputs) {
  std::vector<Tensor> arrays;
  std::vector<std::string> names;
  const std::vector<OperandText> texts = take_arrays(request);
  for (const OperandText& text : texts) {
    names.push_back(texts.size() == 1 ? std::string(kName) : cat(kName, " ", names.size() + 1));
    arrays.push_back(with_context(names.back(), [&] { return open_array(text, request, settings, inputs); }));
    // Several arrays are stacked as int64, so their own dtypes must be checked here.
    if (texts.size() > 1) {
      const Version& version = find_version(*request.op.op, *request.op.name, parse_spec(request.spec));
      require_dtype(*request.op.op, version, 1, arrays.back().dtype(), names.back());
    }
  }
  if (!arrays.empty())
    request.named.emplace_back(std::string(kName), OperandText(stacked(arrays, names, settings, inputs)));
  return request;
}

}  // namespace tensorop
