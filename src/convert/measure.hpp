// The statistics of arrays, for `info --stats`.
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
  std::string digest = {};  // SHA-256 in hexadecimal; empty where it was not wanted
};

// Reads the arrays of a file, which was inspected for that, small ones concurrently. The errors of those that
// cannot be read are added to content.faults. The settings outlive the content.
[[nodiscard]] std::vector<MeasuredArray> measure_arrays(FileContent& content, bool wants_digest,
                                                        const Settings& settings);

// SHA-256 of the elements in row-major order, little-endian: the bytes of NumPy's tobytes(). Any byte of a
// bool but 0 counts as 1, an element of 4 bits is a byte whose upper half is 0, and a string is its length,
// in 8 bytes, and its bytes.
[[nodiscard]] std::string digest_of(const Tensor& tensor);

}  // namespace tensorop
