// The part of convert() that writes archives.
#pragma once

#include <string>
#include <vector>

#include "engine/convert.hpp"
#include "engine/convert_input.hpp"

namespace tensorop {

// "NAME=DTYPE" of Conversion::dtypes.
struct NamedCast {
  std::string names;
  DType dtype;
};

// As convert(), to an archive of the format.
void convert_to_archive(const Conversion& conversion, const std::vector<NamedCast>& casts,
                        const Format& format, const InputReading& reading);

}  // namespace tensorop
