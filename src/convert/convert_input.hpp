// The parts of convert(): how its inputs are named, opened and cast, and how archives are written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "convert/convert.hpp"
#include "engine/settings.hpp"
#include "io/source.hpp"
#include "io/tensor_set.hpp"
#include "kernels/rows/plan.hpp"
#include "ops/operator.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop {

// An open input, and the dtype that it is cast to.
struct CastInput {
  std::string name;  // in messages; empty for inline JSON
  Tensor tensor;
  DType dtype;
  Overflow overflow;
  Inputs inputs;
  bool is_to_saturate = false;  // --dtype names the dtype

  // Returns the plan that casts the tensor to `dtype`.
  [[nodiscard]] Planned planned() const;
  // An infinity that becomes the largest value of its own dtype is a cast, too.
  [[nodiscard]] bool is_cast() const {
    return dtype != tensor.dtype() || (is_to_saturate && saturates_itself(dtype, overflow));
  }
  // Throws Error if an integer is not exactly representable in the float that it is cast to.
  void require_exact_integers() const;
  // Runs `body`, which computes planned(). An element that does not fit is an Error that names the input.
  template <class Body>
  void explain(const Body& body) const {
    try {
      body();
    } catch (const PlanFault& fault) {
      throw Error(cat(name, name.empty() ? "" : ": ", fault_text(fault.position)), "", hint(fault.position));
    }
  }

 private:
  [[nodiscard]] std::string fault_text(std::int64_t position) const;
  [[nodiscard]] std::string hint(std::int64_t position) const;
};

// How inputs are read.
struct InputReading {
  std::optional<DType> dtype;
  std::optional<DType> view;
  Overflow overflow;
  const Format* text_format;
  Settings settings;
};

// A member of an archive, as it is stored.
struct StoredMember {
  const Format* format = nullptr;  // of the file that has it
  std::string file = {};           // the archive
  std::shared_ptr<const Archive> archive = {};
  std::size_t position = 0;
};

struct NamedInput {
  std::string name = {};
  Operand given = Operand::of_path({});           // the operand
  std::shared_ptr<const TensorSet> archive = {};  // instead: one array of an archive that is taken as a whole
  SetMember member = {};
  bool keeps_dtype = false;                         // InputReading::view does not apply
  std::size_t operand = 0;                          // the position of its operand
  bool is_edited = false;                           // Conversion::choose and ::renames apply: no NAME=
  std::optional<DType> dtype = {};                  // instead of InputReading::dtype
  bool may_round = false;                           // the cast to `dtype` names the array
  std::shared_ptr<const NamedInput> replaced = {};  // the array of the same name that --replace leaves out
  StoredMember stored = {};                         // if it is a member of an archive
  bool is_array = true;                             // false: a member that is no array
  bool is_kept = false;                             // it stays as it is stored
};

// Returns the parts of NAME=OPERAND, unless the whole text is an operand.
[[nodiscard]] std::optional<NamedInput> split_name(const std::string& text);

[[nodiscard]] Source::Options options_of(const InputReading& reading, ArrayReading arrays);

// Throws Error if the bits or the values cannot have the requested dtype.
[[nodiscard]] CastInput cast_input(Source source, const InputReading& reading);
[[nodiscard]] CastInput open_input(const NamedInput& input, const InputReading& reading, bool header_only);

// "NAME=DTYPE" or "DTYPE=DTYPE" in Conversion::dtypes.
struct NamedCast {
  std::string names;
  DType dtype;
  std::optional<DType> source;  // if set, selects arrays by their dtype instead of their names
};

// Writes an archive of the format, as convert() does.
void convert_to_archive(const Conversion& conversion, const std::vector<NamedCast>& casts,
                        const Format& format, const InputReading& reading);

}  // namespace tensorop
