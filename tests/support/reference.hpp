// A naive implementation of every operator, written from the formulas of the operator specification: one loop
// over coordinates per operator, one element at a time. What the engine computes is compared with it.
// Must not use: anything of src/kernels, src/ops, src/engine. Slow on purpose; for small tensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/reference_element.hpp"
#include "tensor/tensor.hpp"

namespace tensorop::reference {

// The properties in which versions of one operator differ. The initial values are the default semantics;
// `types` and the other lists are filled in by default_rules() and published_versions().
struct Rules {
  DTypeSet types;           // of the data, of A and B, of then and else, of Pow's base
  DTypeSet exponent_types;  // of Pow's exponent; empty: it has the type of the base
  DTypeSet index_types;
  DTypeSet missing_types;              // of the data: that the publisher allows and tensorop does not compute
  DTypeSet missing_index_types;        // of the indices
  bool negative_indices = true;        // otherwise IX-2
  bool zero_fill = false;              // out of range reads zero, otherwise IX-1
  bool batch_dims = true;              // the attribute exists
  bool negative_batch_dims = true;     // GN-2
  bool broadcast_batch_dims = true;    // GN-3, otherwise they must be equal
  bool fused_batch_dims = false;       // GatherND-5
  bool empty_tuples = true;            // GN-4: k = 0
  bool equal_off_axis = false;         // GE-4 of openvino
  bool nearest = false;                // out of range reads the nearest one, after negative ones are counted
  bool negative_axis = true;           // otherwise AX-3
  bool zero_dims = true;               // otherwise ND-1
  bool byte_truth = false;             // truth values are uint8: any but 0 is true
  bool one_way_expand = false;         // BC-U instead of BC-B
  bool bounded_axis = false;           // GE-4 of ScatterElementsUpdate-3
  bool one_element_updates = true;     // SN-3
  bool float_floor_mod = true;         // otherwise EW-4
  bool one_way_condition = false;      // SL-2
  bool use_init_val = true;            // the attribute exists
  bool open_duplicates = false;        // the order of duplicates without a reduction is not specified
  bool open_nan = false;               // nor is NaN in min and max
  bool open_zero_divisor = false;      // 8, rows 19 and 25: nor a float divided by zero
  bool scalar_condition = false;       // SL-4, SL-5
  bool any_order = false;              // of BC-E4
  bool any_index = false;              // an index out of range is no error
  bool any_shift = false;              // 6.6: a negative amount is no error, and shifts all bits out
  bool open_wide_shift = false;        // 6.6: nor a shift by the width or more
  bool missing_zero_divisor = false;   // an integer by zero has a result that tensorop does not have: NI-1
  bool keeps_zero = false;             // 6.5: a remainder of zero keeps the sign of the dividend
  bool pow_of_zero = false;            // 6.4: an integer 0 to a negative power is 0
  bool natural_pow = false;            // 6.4: integers have no negative powers
  bool number_truth = false;           // truth values are numbers of any dtype; conditions of one byte
  bool open_zeros = false;             // nor zeros of both signs in min and max
  bool open_overflow = false;          // 6.6: nor a shift to the left that does not fit in a signed dtype
  bool wraps_mean = false;             // 4.2: the sum of a mean of integers wraps
  bool takes_value = false;            // updates without dimensions are a value
  bool cycles_updates = false;         // updates are repeated or cut to the number of indices
  bool scalar_data = false;            // data without dimensions counts as (1)
  bool no_empty_axis = false;          // IX-1 for any index of an axis without elements
  bool zero_of_empty_axis = false;     // which reads as zeros
  bool unchecked_empty = false;        // no index of an empty result, of no slices (take), is checked
  bool axis_or_flat = false;           // one of them is given
  bool updates_like_indices = false;   // updates are repeated to indices before these are to data
  bool missing_complex_order = false;  // min and max of complex numbers: NI-1
  bool batch_axis = false;             // batch_dims is the default of axis, limited by the rank of indices
  bool no_empty_data = false;          // IX-1 for any index tuple of data without elements
  bool tuples_alone = false;           // indices of rank 2, tuples of 1 component or more; no_empty_data
  bool bad_indices = false;            // the attribute bad_indices_policy exists
  bool makes_data = false;             // data is zeros of the attribute shape
  bool conjugates = false;             // a complex square is the product with the conjugate
  bool nan_unordered = false;          // order of complex numbers: none beside a NaN, which is both extremes
  std::string no_bool = {};            // reductions that are not defined for bool
  bool off_axis = false;               // data and indices are repeated to each other off the axis
  bool torch_shapes = false;           // 0-D counts as (1), updates may be larger, the rules are PT-1 to IX-3
  bool vector_index = false;           // indices of slices have rank 1
  bool both_scalars = false;           // data and updates have dimensions, or neither has (PT-2)
  bool repeats_updates = false;        // without an attribute that says so
  bool keeps_dims = false;             // BC-W
  bool flat = false;                   // the attribute exists
  bool skips_empty = false;            // concat leaves out operands of shape (0)
  bool axis = true;                    // the attribute exists
  bool rounds_once = true;             // reductions of 16-bit floats accumulate in float32
  bool rounds_mean_sum = false;        // and a mean rounds the sum before it is divided
  bool clips_raw = false;              // in mode clip negative indices are out of range
  std::vector<std::string> index_modes;  // of the attribute `mode`; the first is the default
  int most_operands = 0;                 // of min and max; 0: any number
  std::vector<std::string> reductions;   // SE-6, SE-6, in the publisher's spelling
  std::vector<std::string> modes;        // of broadcast (BR-1)
  std::vector<std::string> schemes;      // of element-wise broadcasting; the first is the default
  std::map<std::string, std::string> other_defaults;  // attributes with another default than the table's
};

// One row of the version tables: `op` as the command line calls it, `typed` the name the publisher gives it,
// for
// --spec FRAMEWORK-N with since <= N <= until.
struct PublishedVersion {
  std::string op;
  std::string typed;
  std::string framework;
  int since = 0;
  int until = 0;
  Rules rules;
};

[[nodiscard]] Rules default_rules(const std::string& op);
[[nodiscard]] const std::vector<PublishedVersion>& published_versions();

// A row "reduction" of testdata/spec/versions.txt.
struct ReductionFacts {
  std::string word;   // what all words of the row mean
  std::string op;     // the element-wise operator whose result it repeats; of a mean, before it is divided
  std::string kinds;  // of dtypes
  [[nodiscard]] bool is_defined(DType dtype) const;
};
// Null if no reduction has the word.
[[nodiscard]] const ReductionFacts* find_reduction(const std::string& word);

struct Arguments {
  std::string op;                                 // the operator's first name: "gathernd"
  std::vector<Tensor> operands;                   // in the order of the command line
  std::map<std::string, std::string> attributes;  // by name with underscores: {"batch_dims", "1"}
  std::string oob = "error";
  Rules rules;
  std::string duplicates = "last";
  std::string framework = {};  // the publisher; empty: the default semantics
  bool left_out = false;       // the optional operand: its place in `operands` is not looked at
  bool is_value = false;       // updates had no dimensions before PyTorch's rules gave them one
};

// The result. Throws ReferenceError.
[[nodiscard]] Tensor compute(const Arguments& arguments);

// The elements that each element of the result is made from, in the order in which they are combined:
// "0:4;2:7;" is element 4 of operand 0, then element 7 of operand 2; empty for zero. compute() must have a
// result. `listed`: a scatter also has what updates replace: data's element first, then all updates in their
// order.
enum class Overwritten : std::uint8_t { left_out, listed };
[[nodiscard]] std::vector<std::string> origins(const Arguments& arguments,
                                               Overwritten overwritten = Overwritten::left_out);

// For each element of the result, whether the publisher leaves its value open. compute() must have a result.
[[nodiscard]] std::vector<bool> open_elements(const Arguments& arguments);

// The rule of a ReferenceError for duplicates where they are refused; its position is in the updates.
inline constexpr const char* kDuplicates = "duplicates";

}  // namespace tensorop::reference
