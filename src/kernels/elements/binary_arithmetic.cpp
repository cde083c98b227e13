// The loops of arithmetic on two operands of one dtype.
#include "kernels/elements/binary_loops.hpp"

namespace tensorop {

template BinaryKernel find_kernel<Add>(DType, DType);
template BinaryKernel find_kernel<Sub>(DType, DType);
template BinaryKernel find_kernel<Mul>(DType, DType);
template BinaryKernel find_kernel<Div>(DType, DType);
template BinaryKernel find_kernel<FloorDiv>(DType, DType);
template BinaryKernel find_kernel<Mod>(DType, DType);
template BinaryKernel find_kernel<FloorMod>(DType, DType);
template BinaryKernel find_kernel<SquaredDifference>(DType, DType);
template BinaryKernel find_kernel<Prelu>(DType, DType);
template BinaryKernel find_kernel<Min>(DType, DType);
template BinaryKernel find_kernel<Max>(DType, DType);

}  // namespace tensorop
