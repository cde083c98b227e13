// What the gather and scatter operators share: type and attribute rows that recur, axis checks, index
// decoding with the operator's words, and plans over rows.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/locator.hpp"
#include "kernels/scatter_rows.hpp"
#include "ops/call.hpp"

namespace tensorop {

// Rows of table 7.1 and 7.2.
inline constexpr DTypeSet kAllButBfloat16 = kAllTypes.without(DType::bfloat16);
inline constexpr DTypeSet kOpenvinoAny = kAllTypes.without(kComplexTypes);
inline constexpr DTypeSet kInt32Or64 = {DType::int32, DType::int64};

inline constexpr TypeRow kOnnxOldTypes[] = {{"T", kAllButBfloat16}, {"Tind", kInt32Or64}};
inline constexpr TypeRow kOnnxTypes[] = {{"T", kAllTypes}, {"Tind", kInt32Or64}};
inline constexpr TypeRow kOnnxOldNdTypes[] = {{"T", kAllButBfloat16}, {"Tind", DType::int64}};
inline constexpr TypeRow kOnnxNdTypes[] = {{"T", kAllTypes}, {"Tind", DType::int64}};
inline constexpr TypeRow kOpenvinoTypes[] = {{"T", kOpenvinoAny}, {"Tind", kIntegerTypes}};
inline constexpr TypeRow kStandardTypes[] = {{"T", kAllTypes}, {"Tind", kIntegerTypes}};

inline constexpr AttributeRow kAxisOnly[] = {{"axis"}};
inline constexpr AttributeRow kBatchDimsOnly[] = {{"batch_dims"}};

inline constexpr std::string_view kGatherOob = "error|zero|clip|wrap";
inline constexpr std::string_view kScatterOob = "error|drop|clip|wrap";

// `axis` counted from the front. Throws Error [AX-1] unless -rank <= axis < rank.
[[nodiscard]] std::int64_t normalize_axis(std::int64_t axis, const std::string& operand, const Shape& shape);

// Throws Error [rule] when operand `i` has rank 0.
void require_rank_1(const Call& call, std::size_t i, std::string_view rule);

// "onnx-13, openvino-8 and the default semantics": the versions of the operator for which `holds`, or empty.
[[nodiscard]] std::string versions_where(const Operator& op,
                                         const std::function<bool(const Version&)>& holds);

// Decodes operand `indices` of the call against axes of operand 0, the first of which is its axis
// `first_axis`. Bad elements are reported as IX-1 and IX-2 with all there is to say.
[[nodiscard]] IndexDecoder make_decoder(const Call& call, std::size_t indices, std::vector<IndexAxis> axes,
                                        std::int64_t first_axis);

// An index tuple's axes: the dimensions that it selects from, and their row-major strides.
[[nodiscard]] std::vector<IndexAxis> tuple_axes(const Shape& selected);

// The dimensions [begin, end) of a shape.
[[nodiscard]] Shape slice(const Shape& shape, std::int64_t begin, std::int64_t end);

// Makes the locator of a call whose data has elements.
using MakeLocator = std::function<std::unique_ptr<const Locator>(IndexDecoder decoder)>;

// Copies rows of `row_elements` from data to the places' order. Of data without elements all indices are
// checked, and what there is of a result is zeros.
[[nodiscard]] Plan gather_plan(const Call& call, const OutputInfo& output, IndexDecoder decoder,
                               std::int64_t row_elements, const MakeLocator& make_locator);

// Rows of table 4.5, shared by the scatter operators.
inline constexpr std::string_view kReductions = "none|add|sum|sub|mul|prod|min|max|mean";

// The reduction the call asks for. Throws Error [T-3] where it is not defined for the data's dtype.
[[nodiscard]] Reduction checked_reduction(const Call& call);

// Applies rows of operand 2 (updates) to a copy of operand 0 (data).
[[nodiscard]] Plan scatter_plan(const Call& call, IndexDecoder decoder, std::int64_t row_elements,
                                const MakeLocator& make_locator);

}  // namespace tensorop
