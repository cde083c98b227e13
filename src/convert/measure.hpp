// Computes the statistics of arrays, for `info --stats`.
#pragma once

#include <string>
#include <vector>

#include "engine/settings.hpp"
#include "io/inspect.hpp"
#include "kernels/measures/statistics.hpp"

namespace tensorop {

struct MeasuredArray {
  ArrayEntry info = {};
  Statistics statistics = {};
  std::string digest = {};  // SHA-256 in hexadecimal; empty if not requested
};

// Reads the arrays of a file that was inspected for this purpose, small ones concurrently. Adds the errors of
// arrays that cannot be read to content.faults. The settings outlive the content.
[[nodiscard]] std::vector<MeasuredArray> measure_arrays(FileContent& content, bool wants_digest,
                                                        const Settings& settings);

// Returns the SHA-256 of the elements in row-major order, little-endian: the bytes of NumPy's tobytes(). A
// bool is 1 for any byte but 0, an element of 4 bits is a byte whose upper half is 0, and a string is its
// length in 8 bytes, then its bytes.
[[nodiscard]] std::string digest_of(const Tensor& tensor);

}  // namespace tensorop
