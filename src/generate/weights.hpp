// How often the generator draws something: chances in percent, and tickets in a draw in which every other
// word has one ticket. Chances of 50 percent are not listed. Goals of the coverage (coverage.hpp) take
// precedence.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensorop::weights {

// Shapes.
// Tickets for each place that a dimension of 1 or 0 may have; a dimension of 0 there has one.
inline constexpr std::size_t kPlainSizes = 3;  // all dimensions are 2 and more
inline constexpr int kSizesWithOne = 2;        // a dimension is 1
inline constexpr int kShrunkDim = 35;          // a dimension of an operand that broadcasts is 1
inline constexpr int kMappedOne = 30;          // the same of a dimension of an axes_mapping
inline constexpr int kNoTuples = 5;            // a dimension of index tuples is 0
inline constexpr int kBatchingDim = 40;        // a dimension of slices is a batching dimension

// Elements.
inline constexpr int kMatchingKind = 3;  // more tickets for values that suit the reduction
inline constexpr int kMixedKinds = 30;   // each element of a tensor is of any kind
inline constexpr int kMoreClasses = 40;  // a call has more classes of elements than its goal asks for
inline constexpr int kReversed = 25;   // classes are reversed, and so meet other classes of the other operand
inline constexpr int kLongText = 5;    // a string is longer than four characters
inline constexpr int kWideShift = 15;  // counts of shifts are up to 70

// Invalid calls.
inline constexpr int kOneMore = 40;             // a wrong number of operands is one more, not one less
inline constexpr int kDroppedAttribute = 25;    // an attribute that is changed is left out
inline constexpr int kUnknownWord = 30;         // a word that the attribute does not have
inline constexpr std::int64_t kIndexShare = 3;  // cases with an index out of range for one of another rule

}  // namespace tensorop::weights
