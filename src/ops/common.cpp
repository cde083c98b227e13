#include "ops/common.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "kernels/gather_rows.hpp"
#include "kernels/columns.hpp"

namespace tensorop {

std::int64_t normalize_axis(std::int64_t axis, const std::string& operand, const Shape& shape) {
  const std::int64_t r = rank(shape);
  if (axis >= -r && axis < r) return axis < 0 ? axis + r : axis;
  throw Error(cat("axis ", axis, " is out of range for ", operand, " of shape ", to_string(shape),
                  " (allowed ", -r, "..", r - 1, ")"),
              "AX-1");
}

void require_rank_1(const Call& call, std::size_t i, std::string_view rule) {
  if (call.operands[i].rank() >= 1) return;
  throw Error(cat(call.operand_name(i), " is a scalar; its rank must be at least 1"), rule);
}

std::string versions_where(const Operator& op, const std::function<bool(const Version&)>& holds) {
  std::vector<std::string> names;
  bool standard = false;
  for (const Version& version : op.versions) {
    if (!holds(version)) continue;
    if (version.framework == Framework::standard) {
      standard = true;
    } else {
      // One opset may have two of the operators: Scatter and ScatterElements of onnx-11.
      const std::string name = spec_name(version.framework, version.since);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  std::string out = join(names);
  if (standard) out += cat(names.empty() ? "" : " and ", "the default semantics (no --spec)");
  return out;
}

namespace {

std::string integer_text(const Tensor& tensor, std::int64_t position) {
  return dispatch(tensor.dtype(), [&]<class T>(TypeTag<T>) -> std::string {
    if constexpr (std::is_integral_v<T>) {
      return cat(tensor.as<T>()[position]);
    } else {
      return {};
    }
  });
}

[[noreturn]] void refuse_index(const Call& call, std::size_t operand, std::int64_t position,
                               std::int64_t axis, std::int64_t size) {
  const Tensor& indices = call.operands[operand];
  const std::string value = integer_text(indices, position);
  const std::string place = element_name(call.operand_name(operand), position, indices.shape());
  const bool negative = call.version->index.negative;
  const std::string allowed =
      size == 0 ? std::string("nothing is") : cat(negative ? -size : std::int64_t{0}, "..", size - 1);
  const std::string axis_text = cat("axis ", axis, " of ", call.operand_name(0), " (size ", size, "; ",
                                    size == 0 ? "" : "allowed ", allowed, size == 0 ? " allowed)" : ")");
  if (value.starts_with('-') && !negative) {
    throw Error(cat(place, " = ", value, " is negative, which ", call.version_name(), " does not allow for ",
                    axis_text),
                "IX-2",
                cat("negative indices are allowed by ",
                    versions_where(*call.op, [](const Version& version) { return version.index.negative; })));
  }
  throw Error(cat(place, " = ", value, " is out of range for ", axis_text), "IX-1");
}

}  // namespace

IndexDecoder make_decoder(const Call& call, std::size_t indices, std::vector<IndexAxis> axes,
                          std::int64_t first_axis) {
  IndexPolicy policy{call.version->index.negative, call.oob};
  if (call.version->index.zero_fill) policy.out_of_bounds = OutOfBounds::zero;
  std::vector<std::int64_t> sizes;
  sizes.reserve(axes.size());
  for (const IndexAxis& axis : axes) sizes.push_back(axis.size);
  return {call.operands[indices], std::move(axes), policy,
          [call, indices, sizes, first_axis](std::int64_t position, std::size_t component) {
            refuse_index(call, indices, position, first_axis + to_int64(component), sizes[component]);
          }};
}

std::vector<IndexAxis> tuple_axes(const Shape& selected) {
  const auto strides = row_major_strides(selected);
  std::vector<IndexAxis> axes;
  axes.reserve(selected.size());
  for (std::size_t j = 0; j < selected.size(); ++j) axes.push_back({selected[j], strides[j]});
  return axes;
}

Shape slice(const Shape& shape, std::int64_t begin, std::int64_t end) {
  return {shape.begin() + begin, shape.begin() + end};
}

Plan gather_plan(const Call& call, const OutputInfo& output, IndexDecoder decoder, std::int64_t row_elements,
                 const MakeLocator& make_locator) {
  Plan plan;
  const Tensor& data = call.operands[0];
  const std::int64_t width = element_size(data.dtype());
  if (data.size() == 0) {
    plan.check = [decoder](const Threads& threads) { decoder.check(threads); };
    plan.fill = [width](std::int64_t /*first*/, std::int64_t elements, std::byte* out) {
      std::memset(out, 0, to_size(elements * width));
    };
    return plan;
  }
  const std::shared_ptr<const Locator> locator = make_locator(std::move(decoder));
  const auto gather = std::make_shared<const Gather>(locator, data.data(), row_elements, width);
  plan.fill = [data, gather](std::int64_t first, std::int64_t elements, std::byte* out) {
    gather->fill(first, elements, out);
  };
  plan.check = [locator](const Threads& threads) { locator->check(threads); };
  // Every index is behind some element of the output, unless there is none.
  plan.fill_checks = element_count(output.shape) != 0;
  // Along an outer axis every element of a row comes from another place: tile by tile those places stay in
  // cache.
  constexpr std::int64_t kFitsInCache = 4 << 20;
  const LaneTiles tiles(*locator, data.size(), width);
  if (tiles.count() > 0 && row_elements == 1 && data.bytes() > kFitsInCache) {
    plan.update = [=](std::byte* out, std::int64_t part, std::int64_t parts) {
      gather_tiles(out, data.data(), *locator, tiles, part_bound(tiles.count(), part, parts),
                   part_bound(tiles.count(), part + 1, parts), width);
    };
  }
  return plan;
}

Reduction checked_reduction(const Call& call) {
  static constexpr std::pair<std::string_view, Reduction> kNames[] = {
      {"add", Reduction::add},  {"sum", Reduction::add}, {"sub", Reduction::sub}, {"mul", Reduction::mul},
      {"prod", Reduction::mul}, {"min", Reduction::min}, {"max", Reduction::max}, {"mean", Reduction::mean},
  };
  const std::string& name = call.choice("reduction");
  const auto* found = std::ranges::find(kNames, name, &std::pair<std::string_view, Reduction>::first);
  const Reduction reduction = found == std::end(kNames) ? Reduction::none : found->second;
  const DType dtype = call.operands[0].dtype();
  if (!is_defined(reduction, dtype)) {
    const std::string_view own = find_attribute(*call.version, "reduction")->choices;
    const std::string choices = cat('|', own.empty() ? kReductions : own, '|');
    std::vector<std::string> allowed = {"none"};
    for (const auto& [word, other] : kNames) {
      if (is_defined(other, dtype) && choices.find(cat('|', word, '|')) != std::string::npos)
        allowed.emplace_back(word);
    }
    throw Error(cat("reduction ", name, " is not defined for ", tensorop::name(dtype),
                    " data (allowed: ", join(allowed), ")"),
                "T-3");
  }
  return reduction;
}

Plan scatter_plan(const Call& call, IndexDecoder decoder, std::int64_t row_elements,
                  const MakeLocator& make_locator) {
  const Tensor& data = call.operands[0];
  const Tensor& updates = call.operands[2];
  const std::int64_t width = element_size(data.dtype());
  Plan plan;
  plan.check = [decoder](const Threads& threads) { decoder.check(threads); };
  if (data.size() == 0 || updates.size() == 0) {
    plan.fill = [=](std::int64_t first, std::int64_t count, std::byte* out) {
      std::memcpy(out, data.data() + first * width, to_size(count * width));
    };
    return plan;
  }
  const ScatterSpec spec{data.dtype(), checked_reduction(call), call.boolean("use_init_val"), row_elements,
                         data.size() / row_elements};
  const auto scatter =
      std::make_shared<const Scatter>(make_locator(std::move(decoder)), data.data(), updates.data(), spec);
  if (scatter->finds_slices()) {
    // Copied and updated slice by slice: the updates meet data that is still in cache.
    plan.fill = [=](std::int64_t first, std::int64_t count, std::byte* out) {
      std::memcpy(out, data.data() + first * width, to_size(count * width));
      scatter->update_slice(first, count, out);
    };
    plan.fill_checks = true;
    return plan;
  }
  if (!scatter->writes_all()) plan.base = data;
  plan.update = [=](std::byte* out, std::int64_t part, std::int64_t parts) {
    scatter->update_part(out, part, parts);
  };
  return plan;
}

}  // namespace tensorop
