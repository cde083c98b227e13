#include "kernels/rows/plan.hpp"

#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "kernels/rows/gather_rows.hpp"
#include "kernels/rows/row_updates.hpp"

namespace tensorop {
namespace {

// Copies operand 0, data, and checks that all indices (operand 1) are in range although none of them selects
// an element. If data has no elements, the elements of the result are `missing`, or zeros without it.
class CheckedCopy final : public ElementPlan {
 public:
  CheckedCopy(const Tensor& data, const IndexDecoder& decoder, std::optional<Tensor> missing)
      : data_(data),
        width_(element_size(data.dtype())),
        decoder_(decoder.without_windows()),
        missing_(std::move(missing)) {
    // Filling reads no index.
    set_facts({.check_size = decoder_.tuples(), .fill_checks = decoder_.tuples() == 0});
  }

  void fill(Range range, std::byte* out) const override {
    const std::int64_t bytes = range.count * width_;
    if (bytes == 0) return;
    if (data_.size() == 0) {
      write_skipped(out, bytes, {true, missing_ ? missing_->data() : nullptr, width_});
    } else {
      std::memcpy(out, data_.data() + range.first * width_, to_size(bytes));
    }
  }

  void check(Range range) const override { decoder_.check(range); }

  [[nodiscard]] std::optional<std::int64_t> origin(std::size_t operand,
                                                   std::int64_t position) const override {
    return operand == 0 && data_.size() != 0 ? std::optional(position) : std::nullopt;
  }

 private:
  Tensor data_;
  std::int64_t width_;
  IndexDecoder decoder_;
  std::optional<Tensor> missing_;
};

std::unique_ptr<const ElementPlan> checked_copy(const Tensor& data, const IndexDecoder& decoder,
                                                const std::optional<Tensor>& missing) {
  return std::make_unique<CheckedCopy>(data, decoder, missing);
}

}  // namespace

Plan gather_plan(const Tensor& data, const IndexDecoder& decoder, const std::vector<RowDim>& dims,
                 std::int64_t row_elements, const std::optional<Tensor>& fill) {
  if (data.size() != 0) {
    RowMap map(decoder, dims);
    if (map.rows() != 0) return RowMoves{std::move(map), data, row_elements, fill};
  }
  return checked_copy(data, decoder, fill);
}

Plan scatter_plan(ScatterRowsSpec spec) {
  if (spec.data.size() == 0 || spec.updates.size() == 0)
    return checked_copy(spec.data, spec.decoder, std::nullopt);
  const bool rounds = accumulates_wide(spec.reduction, spec.data.dtype(), Rounding::once);
  auto updates = std::make_shared<const RowUpdates>(spec);
  return RowMoves{.map = RowMap(std::move(spec.decoder), spec.dims),
                  .data = std::move(spec.data),
                  .row_elements = spec.row_elements,
                  .row_updates = std::move(updates),
                  .refuses_duplicates = spec.refuse_duplicates,
                  .open_reason = spec.open_reason,
                  .rounding = rounds ? std::optional(spec.rounding) : std::nullopt};
}

}  // namespace tensorop
