// The dtypes that published versions allow: the tables 7.1 and 7.2 of the specification as lists of dtypes.
//
// Frozen: what was published stays, whatever dtypes tensorop has. A row of a published version therefore
// names dtypes one by one or sets of this header, never a set of tensor/dtype.hpp, which grows with a new
// dtype. Rows of the default semantics name the sets of tensor/dtype.hpp.
#pragma once

#include "ops/operator.hpp"

namespace tensorop::published {

// Integers. 7.2: what indices, shapes and axes may be.
inline constexpr DTypeSet kUnsigned = {DType::uint8, DType::uint16, DType::uint32, DType::uint64};
inline constexpr DTypeSet kIntegers = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                                       DType::uint8, DType::uint16, DType::uint32, DType::uint64};
inline constexpr DTypeSet kInt32Or64 = {DType::int32, DType::int64};

// 7.1. "Old": before bfloat16, which ONNX took up in opset 13.
inline constexpr DTypeSet kOldFloats = {DType::float16, DType::float32, DType::float64};
inline constexpr DTypeSet kFloats = {kOldFloats, DType::bfloat16};
inline constexpr DTypeSet kOldNumbers = {kIntegers, kOldFloats};
inline constexpr DTypeSet kNumbers = {kIntegers, kFloats};
inline constexpr DTypeSet kNumbersAndBool = {kNumbers, DType::boolean};
inline constexpr DTypeSet kOpenvinoAny = {kNumbersAndBool, DType::string};
inline constexpr DTypeSet kOldOnnxAny = {kOldNumbers, DType::boolean, DType::complex64, DType::complex128,
                                         DType::string};
inline constexpr DTypeSet kStablehloAny = {kNumbersAndBool, DType::complex64, DType::complex128};
inline constexpr DTypeSet kOnnxAny = {kOldOnnxAny, DType::bfloat16};

// WebNN, whose truth values are uint8.
inline constexpr DTypeSet kWebnnAny = {DType::float32, DType::float16, DType::int32, DType::uint32,
                                       DType::int64,   DType::uint64,  DType::int8,  DType::uint8};
inline constexpr DTypeSet kWebnnIndices = {DType::int32, DType::uint32, DType::int64};

// Rows of the gather and scatter operators.
inline constexpr TypeRow kOldOnnxTypes[] = {{"T", kOldOnnxAny}, {"Tind", kInt32Or64}};
inline constexpr TypeRow kOnnxTypes[] = {{"T", kOnnxAny}, {"Tind", kInt32Or64}};
inline constexpr TypeRow kOldOnnxNdTypes[] = {{"T", kOldOnnxAny}, {"Tind", DType::int64}};
inline constexpr TypeRow kOnnxNdTypes[] = {{"T", kOnnxAny}, {"Tind", DType::int64}};
inline constexpr TypeRow kOpenvinoTypes[] = {{"T", kOpenvinoAny}, {"Tind", kIntegers}};
inline constexpr TypeRow kOpenvinoNumberTypes[] = {{"T", kNumbers}, {"Tind", kIntegers}};

inline constexpr TypeRow kWebnnTypes[] = {{"T", kWebnnAny}, {"Tind", kWebnnIndices}};

// Rows of the element-wise operators.
inline constexpr TypeRow kOldFloatRow[] = {{"T", kOldFloats}};
inline constexpr TypeRow kConsumingRow[] = {{"T", kOldFloats}, {"consumed_inputs", kIntegers}};
inline constexpr TypeRow kOldNumberRow[] = {{"T", kOldNumbers}};
inline constexpr TypeRow kNumberRow[] = {{"T", kNumbers}};
inline constexpr TypeRow kNumberAndBoolRow[] = {{"T", kNumbersAndBool}};
inline constexpr TypeRow kWebnnRow[] = {{"T", kWebnnAny}};
inline constexpr TypeRow kByteRow[] = {{"T", DType::uint8}};
inline constexpr TypeRow kStablehloRow[] = {{"T", kStablehloAny}};
inline constexpr TypeRow kBoolRow[] = {{"T", DType::boolean}};

}  // namespace tensorop::published
