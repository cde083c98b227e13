// The loops of comparisons, of logical and bitwise operators and of shifts.
#include "kernels/elements/binary_loops.hpp"

namespace tensorop {

template BinaryKernel find_kernel<Equal>(DType, DType);
template BinaryKernel find_kernel<NotEqual>(DType, DType);
template BinaryKernel find_kernel<Less>(DType, DType);
template BinaryKernel find_kernel<LessOrEqual>(DType, DType);
template BinaryKernel find_kernel<Greater>(DType, DType);
template BinaryKernel find_kernel<GreaterOrEqual>(DType, DType);
template BinaryKernel find_kernel<And>(DType, DType);
template BinaryKernel find_kernel<Or>(DType, DType);
template BinaryKernel find_kernel<Xor>(DType, DType);
template BinaryKernel find_kernel<ShiftLeft>(DType, DType);
template BinaryKernel find_kernel<ShiftRight>(DType, DType);
template BinaryKernel find_kernel<ShiftRightLogical>(DType, DType);

}  // namespace tensorop
