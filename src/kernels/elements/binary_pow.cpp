// The loops of Pow, whose exponent has a dtype of its own.
#include "kernels/elements/binary_loops.hpp"

namespace tensorop {

template <>
BinaryKernel find_kernel<Pow>(DType a, DType b) {
  return dispatch(a, [&]<class T>(TypeTag<T>) {
    return dispatch(b, [&]<class E>(TypeTag<E>) -> BinaryKernel { return make_kernel<Pow, T, E>(a); });
  });
}

}  // namespace tensorop
