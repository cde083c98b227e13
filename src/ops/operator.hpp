// The description of an operator: every fact about it, once, as data. The command line, the checks and their
// messages, --spec, `ops`, and the tables of the docs are made from these descriptions.
//
// An operator's file defines one Operator; registry.hpp lists them. All of it is constant data, without a
// cost at start-up. rule.cpp lists the rules and their ids; `explain` shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/index/index.hpp"
#include "kernels/rows/plan.hpp"
#include "ops/slice_dims.hpp"
#include "ops/version.hpp"
#include "ops/word_list.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct Call;

// The role of an operand. It decides how untyped JSON is read: --dtype applies only to data.
enum class OperandRole : std::uint8_t { data, indices, condition };

struct OperandSpec {
  std::string_view name;  // option, job key and message name: "indices"
  // Type variable: operands with the same variable have the same dtype (kSameTypeRule). If a version has no
  // types for it, the operand has the variable of the first operand.
  std::string_view type;
  OperandRole role;
  std::string_view rule;  // rule id for a dtype that the version does not allow
  std::string_view help;
  bool variadic = false;  // only the last operand: may be given any number of times
  bool optional = false;  // an operand of integers that may be missing; at most one in an operator
};

// Rule ids that are the same for every operator.
inline constexpr std::string_view kSameTypeRule = "T-2";
inline constexpr std::string_view kCallRule = "G-8";      // operand or attribute missing, unknown, duplicate
inline constexpr std::string_view kMissingRule = "NI-1";  // accepted by the publisher, not by tensorop
inline constexpr std::string_view kNotHere = ": accepted by the publisher, not in tensorop";

enum class AttributeKind : std::uint8_t {
  integer,
  boolean,            // 0, 1, true, false
  flag,               // as boolean; the bare option means true
  choice,             // one word of `choices`, in any case
  integers,           // "2,3", "[]", or an operand holding a rank-1 tensor of integers
  dimension_numbers,  // an MLIR attribute, as text, which sets several attributes of the operator
  element,            // a value of data's dtype, as in JSON
};

// The address of this object identifies the enumeration.
template <class Enum>
inline constexpr char kEnumTag = 0;

// A word of an attribute, and the value of the enumeration that it means.
struct Choice {
  template <class Enum>
  constexpr Choice(std::string_view name, Enum meaning)
      : word(name), value(static_cast<int>(meaning)), type(&kEnumTag<Enum>) {}
  std::string_view word;
  int value;
  const char* type;
};
using Choices = std::span<const Choice>;

struct AttributeSpec {
  std::string_view name;  // job key and message name: "batch_dims"; the option is --batch-dims
  AttributeKind kind;
  std::string_view default_text;  // the value if not given, as text; empty: none
  std::string_view help;
  std::string_view rule = kCallRule;  // rule id for a bad value
  Choices choices = {};               // the choices of all versions
  bool required = false;
};

// Reads the value of one attribute from a Call as a T: std::int64_t, bool, an enumeration, Shape (a list of
// integers) or Tensor (one element). Made only by attribute_key(), which does not compile if the table has no
// such attribute.
template <class T>
struct AttributeKey {
  std::size_t at;  // index in the operator's table
};

template <class T>
consteval AttributeKey<T> attribute_key(std::span<const AttributeSpec> table, std::string_view name) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name != name) continue;
    const AttributeKind kind = table[i].kind;
    bool fits = false;
    if constexpr (std::is_same_v<T, std::int64_t>) {
      fits = kind == AttributeKind::integer;
    } else if constexpr (std::is_same_v<T, bool>) {
      fits = kind == AttributeKind::boolean || kind == AttributeKind::flag;
    } else if constexpr (std::is_same_v<T, Shape>) {
      fits = kind == AttributeKind::integers;
    } else if constexpr (std::is_same_v<T, Tensor>) {
      fits = kind == AttributeKind::element;
    } else {
      fits = kind == AttributeKind::choice && table[i].choices[0].type == &kEnumTag<T>;
    }
    if (!fits) throw "the attribute has another kind of value";
    return {i};
  }
  throw "no attribute of that name";
}

// The attribute of names that make data.
inline constexpr std::string_view kMadeShapeName = "shape";

// A name of the operator on the command line.
struct OperatorName {
  // A default that the name sets for one attribute.
  struct Preset {
    std::string_view attribute = {};
    std::string_view text = {};
    bool is_fixed = false;  // the name means this value: a call cannot give another one
    bool operator==(const Preset&) const = default;
  };

  std::string_view name;
  Framework of = Framework::standard;  // the only publisher that has the name; standard: not limited to one
  // The publishers' operators that the name means under --spec; empty: all of them.
  WordList published = {};
  Preset preset = {};
  // Index arrays are separate operands instead of one operand of index tuples: engine/index_arrays.hpp.
  bool takes_arrays = false;
  // The first operand is not given: it is zeros of the attribute kMadeShapeName and of the dtype of updates.
  bool makes_data = false;

  // Whether the name means one value of the attribute.
  [[nodiscard]] constexpr bool fixes(std::string_view attribute) const {
    return preset.is_fixed && preset.attribute == attribute;
  }
};

struct OutputInfo {
  DType dtype;
  Shape shape;
};

// The result's dtype and shape, and the plan that computes it.
struct Planned {
  OutputInfo output;
  Plan plan;
  std::optional<SliceGeometry> slices = {};  // for gathers and scatters
};

// The meaning of a mask that is given as the operand indices in the default semantics.
enum class MaskUse : std::uint8_t {
  none,
  along_axis,  // a mask of rank 1: positions along the attribute axis
  leading,     // a mask of data's leading dimensions: one index tuple for each true element
};

// A publisher's names for operands and result, if they differ.
struct PublishedNames {
  Framework framework;
  // In the order of Operator::operands, then attributes that are inputs. In ONNX, a variadic operator has one
  // word, which the operands' numbers follow: "data_".
  WordList operands;
  std::string_view output = {};  // in ONNX
};

// How the shapes of operands and result fit together: `generate` draws operands by it, and `why` states the
// shape of the result by it.
enum class ShapeKind : std::uint8_t {
  broadcast,           // operands that are broadcast to each other
  broadcast_channels,  // the same, or the second operand has an element for each channel
  target,              // data that is broadcast to the attribute shape
  joined,              // operands that differ along one axis
  gather,
  gather_elements,
  gather_nd,
  scatter_elements,
  scatter_nd,
  scatter_update,
  tensor_scatter,
  windows,  // gathered or scattered
  dynamic_window,
};

struct Operator {
  std::string_view name;
  std::string_view summary;            // one line, without a full stop
  std::string_view meaning;            // one to three sentences, also on its docs page
  std::string_view output_shape = {};  // a formula in Python's notation: "indices.shape"
  std::string_view example;            // a call that works as written
  std::string_view family = {};        // its docs page: docs/ops/FAMILY.md
  ShapeKind shapes;
  // Floats come from a function of the C library whose last bits differ between libraries.
  bool is_inexact = false;
  std::span<const OperatorName> names;  // the first is `name`
  std::span<const OperandSpec> operands;
  std::span<const AttributeSpec> attributes = {};
  std::span<const Version> versions;   // standard first, then by publisher and opset
  Choices oob = {};                    // --oob (OutOfBounds), default semantics only; empty: no such option
  Choices duplicates = {};             // --duplicates (Duplicates); empty: no such option
  std::span<const OpenRow> open = {};  // the default semantics leave nothing open
  std::string_view sign = {};          // "+": the sign between operands; empty: written as a function
  std::span<const PublishedNames> published_names = {};
  WordList onnx_order = {};                 // operand names in ONNX's order; empty: as in `operands`
  std::string_view count_rule = kCallRule;  // rule id for a wrong number of operands
  // The ids of the other rules that check_attributes() and plan() throw. Rules of broadcasting between
  // operands are separate because families share them.
  WordList rules;
  WordList broadcast_rules = {};
  // Checks ranks, axes and shapes, in that order, and plans the result. Reads no element of any operand.
  // Throws Error with the violated rule.
  Planned (*plan)(const Call& call);
  // Throws Error for valid attributes that exclude each other; called before any operand is opened. Null:
  // there are no such attributes.
  void (*check_attributes)(const Call& call) = nullptr;
  MaskUse mask = MaskUse::none;
};

// Returns the publisher's row; null: the publisher has the operator's own names.
[[nodiscard]] const PublishedNames* published_names(const Operator& op, Framework framework);

// Returns the reason for messages: "duplicate indices without a reduction". `reason` is not none.
[[nodiscard]] std::string_view reason_text(OpenReason reason);

// Returns the attribute with this name, or null.
[[nodiscard]] const AttributeSpec* find_attribute(const Operator& op, std::string_view name);
// Returns the version's row of the attribute with this name, or null.
[[nodiscard]] const AttributeRow* find_attribute(const Version& version, std::string_view name);
// Returns the words of the choices: "none", "add", "mul".
[[nodiscard]] std::vector<std::string> words_of(Choices choices);
// Returns the words that the version, which has the attribute, allows for it.
[[nodiscard]] std::vector<std::string> allowed_words(const AttributeSpec& spec, const Version& version);
// Returns the default of the attribute, as text, if the version is called by `name`; empty: none.
[[nodiscard]] std::string_view default_text(const AttributeSpec& spec, const OperatorName& name,
                                            const Version& version);
// Returns the word of --oob for the default semantics. The operator must have the option.
[[nodiscard]] std::string_view default_oob(const Operator& op);
// Returns the type variable of operand `i` in the version; all operands of a variadic description share one.
[[nodiscard]] std::string_view type_variable(const Operator& op, const Version& version, std::size_t i);
// Returns the dtypes that the version allows for a type variable.
[[nodiscard]] DTypeSet allowed_types(const Version& version, std::string_view type);
// Returns "onnx-13" or "stablehlo-1.1"; "the default semantics" for standard.
[[nodiscard]] std::string spec_name(const Version& version);
// Returns the dtypes that the publisher allows for a type variable but tensorop does not compute.
[[nodiscard]] DTypeSet missing_types(const Version& version, std::string_view type);
// Returns the publisher's name for the operator: "Gather-13", "index_select".
[[nodiscard]] std::string published_name(const Version& version);
// Returns "onnx GatherND-13", "openvino Gather-8" or "the default semantics", for messages.
[[nodiscard]] std::string version_name(const Version& version);
// Returns the version as the subject of a verb: "onnx Gather-13 has", "the default semantics have".
[[nodiscard]] std::string version_name(const Version& version, std::string_view verb);
// Whether `name` means the version under --spec.
[[nodiscard]] bool means(const OperatorName& name, const Version& version);
// Returns the names of all versions: "onnx-13, openvino-8 and the default semantics (no --spec)".
[[nodiscard]] std::string all_versions(const Operator& op);

}  // namespace tensorop
