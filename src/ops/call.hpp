// A call with everything resolved, as an operator's own code sees it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "kernels/index/index.hpp"
#include "ops/operator.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The number of a word in the choices of its attribute.
struct ChosenWord {
  std::size_t at = 0;
};

// A value of data's dtype, which is known when the operands are.
struct ElementValue {
  std::string text;
  Tensor element = {};  // one element, rank 0
};

// An attribute of the call.
struct Attribute {
  std::variant<std::monostate, std::int64_t, bool, ChosenWord, Shape, ElementValue>
      value;                // monostate: left out, no default
  bool is_given = false;    // by the caller
  bool in_version = false;  // the version has it
};

// What an update of an element means that has one already, without a reduction: the last one wins, or it is
// an error.
enum class Duplicates : std::uint8_t { last, error };

struct Call {
  const Operator* op = nullptr;
  const OperatorName* name = nullptr;  // which of its names was used
  const Version* version = nullptr;
  int opset = 0;                 // as requested: the version may be older
  std::vector<Tensor> operands;  // in the order of the description, a variadic one spread out
  // What each operand is read from, printable: a path, "a.npz:x", "standard input", "@id"; empty where it is
  // written out.
  std::vector<std::string> files = {};
  // The optional operand, where the call has none: it is a tensor without elements.
  std::optional<std::size_t> left_out = {};
  std::vector<Attribute> attributes;          // in the order of the description
  OutOfBounds oob = OutOfBounds::error;       // that of --oob, or else of the version
  std::optional<Duplicates> duplicates;       // left out: last
  bool from_job = false;                      // where the call is written as keys, not as options
  std::optional<std::int64_t> selected = {};  // the true elements of the mask that indices are made of
  std::optional<AxisRange> range = {};        // that operand 1 stands for, which holds the first position
  Shape mask_shape = {};  // of a mask of several leading dimensions, which are one dimension of data here

  // The value of an attribute that was given or has a default. The key belongs to this operator's table, or
  // to one with the same beginning.
  template <class T>
  [[nodiscard]] decltype(auto) get(AttributeKey<T> key) const {
    const auto& value = attributes[key.at].value;
    if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(op->attributes[key.at].choices[std::get<ChosenWord>(value).at].value);
    } else if constexpr (std::is_same_v<T, Shape>) {
      return std::get<Shape>(value);
    } else if constexpr (std::is_same_v<T, Tensor>) {
      return std::get<ElementValue>(value).element;
    } else {
      return T{std::get<T>(value)};
    }
  }
  // The word that was chosen, for messages.
  template <class T>
  [[nodiscard]] std::string_view word(AttributeKey<T> key) const {
    return op->attributes[key.at].choices[std::get<ChosenWord>(attributes[key.at].value).at].word;
  }
  // Whether the caller gave it. False where the table ends before it.
  template <class T>
  [[nodiscard]] bool is_given(AttributeKey<T> key) const {
    return key.at < attributes.size() && attributes[key.at].is_given;
  }
  // Whether the version has it.
  template <class T>
  [[nodiscard]] bool has(AttributeKey<T> key) const {
    return key.at < attributes.size() && attributes[key.at].in_version;
  }

  // The attribute of that name; null: the operator has none.
  [[nodiscard]] const Attribute* find(std::string_view attribute) const;

  // "data", "b", for a variadic one "operand 3": how messages name operand `i`.
  [[nodiscard]] std::string operand_name(std::size_t i) const;
  // The description of operand `i`.
  [[nodiscard]] const OperandSpec& operand_spec(std::size_t i) const;
  [[nodiscard]] bool strict() const { return version->framework != Framework::standard; }
  [[nodiscard]] bool has_trait(unsigned trait) const { return (version->traits & trait) != 0; }
  // Whether the version leaves elements open for this reason: an OpenRow of the operator says so.
  [[nodiscard]] bool leaves_open(OpenReason reason) const;
  // How the attribute of that name is given where the call is written: "--batch-dims", or as a key of a job
  // file, in quotes. For hints.
  [[nodiscard]] std::string option(std::string_view of) const;
  [[nodiscard]] std::string version_name() const { return tensorop::version_name(*version); }
  [[nodiscard]] std::string version_name(std::string_view verb) const {
    return tensorop::version_name(*version, verb);
  }
};

// The dtype and shape of a result. Throws Error [G-2] when its size does not fit or its rank is too large. To
// be called before a plan is made: strides are computed only from shapes that passed.
[[nodiscard]] OutputInfo checked_output(DType dtype, Shape shape);

}  // namespace tensorop
