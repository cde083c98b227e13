// The dtypes that published versions allow.
//
// The lists are frozen: a published version keeps its dtypes when tensorop gets new ones. Rows of published
// versions therefore name dtypes one by one, or sets of this header, but no set of tensor/dtype.hpp, which
// grows with each new dtype. Rows of the default semantics name the sets of tensor/dtype.hpp.
#pragma once

#include "ops/operator.hpp"

namespace tensorop::published {

// Integers, and the dtypes that indices, shapes and axes may have.
inline constexpr DTypeSet kUnsigned = {DType::uint8, DType::uint16, DType::uint32, DType::uint64};
inline constexpr DTypeSet kIntegers = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                                       DType::uint8, DType::uint16, DType::uint32, DType::uint64};
inline constexpr DTypeSet kInt32Or64 = {DType::int32, DType::int64};

// Floats and numbers. "Old" means without bfloat16, which ONNX added in opset 13.
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

// WebNN. Its truth values are uint8.
inline constexpr DTypeSet kWebnnAny = {DType::float32, DType::float16, DType::int32, DType::uint32,
                                       DType::int64,   DType::uint64,  DType::int8,  DType::uint8};
inline constexpr DTypeSet kWebnnIndices = {DType::int32, DType::uint32, DType::int64};

// The small dtypes that ONNX, StableHLO and PyTorch have in common, and the 4-bit ones.
inline constexpr DTypeSet kFloat8 = {DType::float8_e4m3fn, DType::float8_e4m3fnuz, DType::float8_e5m2,
                                     DType::float8_e5m2fnuz, DType::float8_e8m0fnu};
inline constexpr DTypeSet kInt4 = {DType::int4, DType::uint4};
inline constexpr DTypeSet kSmall = {kFloat8, kInt4, DType::float4_e2m1fn};
inline constexpr DTypeSet kStablehloMoved = {kStablehloAny, kSmall};

// Rows of the gather and scatter operators.
inline constexpr TypeRows kOldOnnxTypes = {{"T", kOldOnnxAny}, {"Tind", kInt32Or64}};
inline constexpr TypeRows kOnnxTypes = {{"T", kOnnxAny}, {"Tind", kInt32Or64}};
inline constexpr TypeRows kOldOnnxNdTypes = {{"T", kOldOnnxAny}, {"Tind", DType::int64}};
inline constexpr TypeRows kOnnxNdTypes = {{"T", kOnnxAny}, {"Tind", DType::int64}};
inline constexpr TypeRows kOpenvinoTypes = {{"T", kOpenvinoAny}, {"Tind", kIntegers}};
inline constexpr TypeRows kOpenvinoNumberTypes = {{"T", kNumbers}, {"Tind", kIntegers}};

inline constexpr TypeRows kWebnnTypes = {{"T", kWebnnAny}, {"Tind", kWebnnIndices}};

// PyTorch: tensorop only moves unsigned integers wider than uint8. NumPy has no bfloat16, JAX no strings.
inline constexpr DTypeSet kTorchIntegers = {DType::uint8, DType::int8, DType::int16, DType::int32,
                                            DType::int64};
inline constexpr DTypeSet kTorchNumbers = {kTorchIntegers, kFloats};
inline constexpr DTypeSet kTorchAny = {kTorchNumbers, DType::boolean, DType::complex64, DType::complex128};
inline constexpr DTypeSet kTorchMoved = {kTorchAny, kUnsigned};
inline constexpr DTypeSet kNumpyAny = kOldOnnxAny;
inline constexpr DTypeSet kJaxAny = {kNumbersAndBool, DType::complex64, DType::complex128};
// The dtypes that NumPy casts to int64 safely.
inline constexpr DTypeSet kCastToInt64 = {DType::int8,  DType::int16,  DType::int32, DType::int64,
                                          DType::uint8, DType::uint16, DType::uint32};
inline constexpr DTypeSet kWideUnsigned = {DType::uint16, DType::uint32, DType::uint64};
inline constexpr TypeRows kTorchMovedTypes = {{"T", kTorchMoved}, {"Tind", DType::int64}};
inline constexpr TypeRows kTorchAxisMovedTypes = {{"T", kTorchMoved}, {"Tind", kInt32Or64}};
inline constexpr TypeRows kTorchSelectTypes = {{"T", {kTorchMoved, kFloat8}}, {"Tind", kInt32Or64}};
// PyTorch accepts masks here; tensorop does not.
inline constexpr TypeRows kTorchPutTypes = {{"T", kTorchAny},
                                            {"Tind", kInt32Or64, {DType::uint8, DType::boolean}}};
inline constexpr TypeRows kTorchTypes = {{"T", kTorchAny}, {"Tind", DType::int64}};
inline constexpr TypeRows kTorchAxisTypes = {{"T", kTorchAny}, {"Tind", kInt32Or64}};
inline constexpr TypeRows kTorchAxisNumberTypes = {{"T", kTorchNumbers}, {"Tind", kInt32Or64}};
inline constexpr TypeRows kNumpyTypes = {{"T", kNumpyAny}, {"Tind", kIntegers}};
inline constexpr TypeRows kNumpyTakeTypes = {{"T", kNumpyAny}, {"Tind", kCastToInt64}};
inline constexpr TypeRows kJaxTypes = {{"T", kJaxAny}, {"Tind", kIntegers}};
inline constexpr TypeRows kJaxMaskTypes = {{"T", kJaxAny}, {"Tind", kIntegers, DType::boolean}};

// TensorFlow: the kernels of the CPU.
inline constexpr DTypeSet kTensorflowAny = kOnnxAny;
inline constexpr DTypeSet kTensorflowNumbers = {kNumbers, DType::complex64, DType::complex128};
inline constexpr TypeRows kTensorflowTypes = {{"T", kTensorflowAny}, {"Tind", kInt32Or64}};

// Rows of the element-wise operators.
inline constexpr TypeRows kConsumingTypes = {{"T", kOldFloats}, {"consumed_inputs", kIntegers}};
inline constexpr DTypeSet kComplex = {DType::complex64, DType::complex128};
inline constexpr DTypeSet kIntegersAndBool = {kIntegers, DType::boolean};
inline constexpr DTypeSet kOldNumbersAndBool = {kOldNumbers, DType::boolean};

}  // namespace tensorop::published
