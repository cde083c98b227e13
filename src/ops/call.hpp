// A resolved call, as the code of an operator sees it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/text/error.hpp"
#include "kernels/index/index.hpp"
#include "ops/operator.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The index of a word in the choices of its attribute.
struct ChosenWord {
  std::size_t at = 0;
};

// A value of data's dtype, which is known once the operands are.
struct ElementValue {
  std::string text;
  Tensor element = {};  // one element, rank 0
};

// An attribute of the call.
struct Attribute {
  std::variant<std::monostate, std::int64_t, bool, ChosenWord, Shape, ElementValue>
      value;                // monostate: not given, no default
  bool is_given = false;    // by the caller
  bool in_version = false;  // the version has it
};

// The treatment of a second update of an element without a reduction: the last one wins, or it is an error.
enum class Duplicates : std::uint8_t { last, error };

// The form in which the caller gave the positions that operand 1 has (engine/index_forms.hpp).
struct IndexForm {
  enum class Kind : std::uint8_t { tensor, arrays, mask, range };
  Kind kind = Kind::tensor;
  std::optional<AxisRange> range = {};  // if operand 1 is the first position of this range
  Shape mask = {};  // of a mask of leading dimensions, which are one dimension of data in the call
};

struct Call {
  const Operator* op = nullptr;
  const OperatorName* name = nullptr;  // the name that was used
  const Version* version = nullptr;
  int opset = 0;                 // as requested; the version may be older
  std::vector<Tensor> operands;  // in the order of the description; a variadic operand is spread out
  // The source of each operand, printable: a path, "a.npz:x", "standard input", "@id"; empty if the operand
  // is inline JSON.
  std::vector<std::string> files = {};
  // The number of the optional operand if it was not given: it is then a tensor without elements.
  std::optional<std::size_t> left_out = {};
  std::vector<Attribute> attributes;     // in the order of the description
  OutOfBounds oob = OutOfBounds::error;  // from --oob, or else from the version
  std::optional<Duplicates> duplicates;  // not given: last
  // What the publisher of the version accepts in the call and tensorop does not compute: an error [NI-1],
  // once the publisher accepts the shapes.
  std::optional<Error> missing = {};
  bool from_job = false;  // the call is written as keys, not as options
  IndexForm form = {};    // of indices, as the caller gave them

  // The value of an attribute that is given or has a default. The key belongs to this operator's table, or to
  // a table with the same beginning.
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
  // The chosen word, for messages.
  template <class T>
  [[nodiscard]] std::string_view word(AttributeKey<T> key) const {
    return op->attributes[key.at].choices[std::get<ChosenWord>(attributes[key.at].value).at].word;
  }
  // Whether the caller gave the attribute. False if this operator's table ends before it.
  template <class T>
  [[nodiscard]] bool is_given(AttributeKey<T> key) const {
    return key.at < attributes.size() && attributes[key.at].is_given;
  }
  // Whether the version has the attribute.
  template <class T>
  [[nodiscard]] bool has(AttributeKey<T> key) const {
    return key.at < attributes.size() && attributes[key.at].in_version;
  }

  // Sets `missing`, unless it is set.
  void lack(const std::string& what);

  // The attribute named `attribute`; null: the operator has none.
  [[nodiscard]] const Attribute* find(std::string_view attribute) const;

  // The name of operand `i` in messages: "data", "b", or "operand 3" of a variadic operand.
  [[nodiscard]] std::string operand_name(std::size_t i) const;
  // The operand in messages: its file, if the call has more operands than the description has names.
  [[nodiscard]] std::string operand_label(std::size_t i) const;
  // The description of operand `i`.
  [[nodiscard]] const OperandSpec& operand_spec(std::size_t i) const;
  [[nodiscard]] bool strict() const { return version->framework != Framework::standard; }
  [[nodiscard]] bool has_mask() const { return form.kind == IndexForm::Kind::mask; }
  [[nodiscard]] bool has_trait(const Trait& trait) const { return version->rules.traits.has(trait); }
  // Whether the version leaves elements open for this reason, by an OpenRow of the operator.
  [[nodiscard]] bool leaves_open(OpenReason reason) const;
  // The form in which the caller gives the attribute named `of`: "--batch-dims", or in quotes as a key of a
  // job file. For hints.
  [[nodiscard]] std::string option(std::string_view of) const;
  [[nodiscard]] std::string version_name() const { return tensorop::version_name(*version); }
  [[nodiscard]] std::string version_name(std::string_view verb) const {
    return tensorop::version_name(*version, verb);
  }
};

// Returns the dtype and shape of a result. Throws Error [G-2] if its size does not fit or its rank is too
// large. Call it before a plan is made: strides are computed only from checked shapes.
[[nodiscard]] OutputInfo checked_output(DType dtype, Shape shape);

}  // namespace tensorop
