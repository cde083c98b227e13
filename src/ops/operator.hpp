// The description of an operator: every fact about it, once, as data. The command line, the checks and their
// messages, --spec, `ops`, and the tables of the docs are made from these descriptions.
//
// An operator's file defines one Operator; registry.hpp lists them. All of it is constant data, without a
// cost at start-up. Section numbers and rule ids are those of the operator specification (docs/ops).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/index/index.hpp"
#include "kernels/plan.hpp"
#include "ops/publisher.hpp"
#include "ops/slice_dims.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct Call;

// The role of an operand. Decides how untyped JSON is read: --dtype applies only to data.
enum class OperandRole : std::uint8_t { data, indices, condition };

struct OperandSpec {
  std::string_view name;  // option, job key and message name: "indices"
  // Type variable: operands of one variable have one dtype (kSameTypeRule). In a version that has no types
  // for it the operand has the variable of the first one.
  std::string_view type;
  OperandRole role;
  std::string_view rule;  // rule id of a dtype that the version does not allow
  std::string_view help;
  bool variadic = false;  // the last operand only: any number more of the same
  bool optional = false;  // an operand of integers; one of an operator at most
};

// Rule ids that are the same for every operator.
inline constexpr std::string_view kSameTypeRule = "T-2";
inline constexpr std::string_view kCallRule = "G-8";      // operands and attributes missing, unknown or twice
inline constexpr std::string_view kMissingRule = "NI-1";  // the publisher accepts, tensorop does not compute
inline constexpr std::string_view kNotHere = ": accepted by the publisher, not in tensorop";

enum class AttributeKind : std::uint8_t {
  integer,
  boolean,            // 0, 1, true, false
  flag,               // the same; the bare option means true
  choice,             // one word of `choices`, in any case
  integers,           // "2,3", "[]", or an operand holding a rank-1 tensor of integers
  dimension_numbers,  // the text of an attribute of MLIR, which stands for other attributes of the operator
  element,            // a value of data's dtype, as in JSON
};

// Its address stands for the type.
template <class Enum>
inline constexpr char kEnumTag = 0;

// A word of an attribute, and the value of the enumeration that it stands for.
struct Choice {
  template <class Enum>
  constexpr Choice(std::string_view name, Enum meaning)
      : word(name), value(static_cast<int>(meaning)), type(&kEnumTag<Enum>) {}
  std::string_view word;
  int value;
  const char* type;
};
using Choices = std::span<const Choice>;

// The words of a text, with a blank between two of them: "none add mul". Only the text is stored: each
// pointer of a table takes time when the program starts.
class WordList {
 public:
  class Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using reference = std::string_view;
    using pointer = void;

    constexpr Iterator() = default;
    constexpr explicit Iterator(std::string_view rest) : rest_(rest) {}

    constexpr std::string_view operator*() const { return rest_.substr(0, rest_.find(' ')); }
    constexpr Iterator& operator++() {
      rest_.remove_prefix(std::min((**this).size() + 1, rest_.size()));
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    // Both iterators must belong to the same list.
    constexpr bool operator==(const Iterator& other) const { return rest_.size() == other.rest_.size(); }

   private:
    std::string_view rest_;
  };

  constexpr WordList() = default;
  constexpr WordList(const char* text) : text_(text) {}

  [[nodiscard]] constexpr std::size_t size() const {
    return static_cast<std::size_t>(std::ranges::distance(begin(), end()));
  }
  [[nodiscard]] constexpr bool empty() const { return text_.empty(); }
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(text_); }
  [[nodiscard]] constexpr Iterator end() const { return {}; }
  [[nodiscard]] constexpr std::string_view operator[](std::size_t i) const {
    return *std::ranges::next(begin(), static_cast<std::ptrdiff_t>(i));
  }

 private:
  std::string_view text_;
};

struct AttributeSpec {
  std::string_view name;  // job key and message name: "batch_dims"; the option is --batch-dims
  AttributeKind kind;
  std::string_view default_text;  // the value when left out, as text; empty: none
  std::string_view help;
  std::string_view rule = kCallRule;  // rule id of a bad value
  Choices choices = {};               // of the union over all versions
  bool required = false;
};

// An attribute of a version: with its own choices where they are fewer, and its own default where it differs.
struct AttributeRow {
  std::string_view name;
  WordList choices = {};
  std::string_view default_text = {};
  bool non_negative = false;  // of an integer: AX-3
  WordList missing = {};      // choices of the publisher that tensorop does not have (kMissingRule)
};

// Reads the value of one attribute from a Call, as a T: std::int64_t, bool, an enumeration, Shape (a list of
// integers), Tensor (one element). Made by attribute_key() alone, which refuses to compile where the table
// has no such attribute.
template <class T>
struct AttributeKey {
  std::size_t at;  // in the operator's table
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

// The dtypes a version allows for a type variable.
struct TypeRow {
  std::string_view type;
  DTypeSet allowed;
  DTypeSet missing = {};  // that the publisher allows too and tensorop does not compute (kMissingRule)
};

// Those of all its type variables.
class TypeRows {
 public:
  constexpr TypeRows() = default;
  constexpr TypeRows(DTypeSet allowed) : TypeRows({{"T", allowed}}) {}
  constexpr TypeRows(DType allowed) : TypeRows(DTypeSet(allowed)) {}
  constexpr TypeRows(std::initializer_list<TypeRow> rows) : count_(rows.size()) {
    std::ranges::copy(rows, rows_.begin());
  }

  [[nodiscard]] constexpr const TypeRow* begin() const { return rows_.data(); }
  [[nodiscard]] constexpr const TypeRow* end() const { return rows_.data() + count_; }

 private:
  std::array<TypeRow, 3> rows_ = {};
  std::size_t count_ = 0;
};

// The rules of a version for index values (1.3). When both apply: negative values first, then the range, for
// every publisher.
struct IndexRule {
  Negative negative = Negative::count;             // refuse: IX-2
  OutOfBounds out_of_bounds = OutOfBounds::error;  // error: IX-1
  bool is_open = false;    // the text leaves open what is out of range, and IX-1 is tensorop's decision
  bool clips_raw = false;  // a mode that clips does not count negative indices: it takes them to 0
};
inline constexpr IndexRule kNonNegative = {.negative = Negative::refuse};
inline constexpr IndexRule kOpenRange = {.is_open = true};
inline constexpr IndexRule kNearest = {.out_of_bounds = OutOfBounds::clip};
inline constexpr IndexRule kNonNegativeOpenRange = {.negative = Negative::refuse, .is_open = true};

// One published version, or the default semantics.
struct Version {
  Framework framework;
  int since;                   // the number it appeared in, as its publisher numbers; 0 where that does not
  std::string_view published;  // the publisher's name: "ScatterElementsUpdate"
  TypeRows types;
  std::span<const AttributeRow> attributes;
  IndexRule index = {};
  unsigned traits = 0;  // differences that only the operator's own file understands
  bool deprecated = false;
  std::uint8_t operands = 0;  // of a variadic operator: exactly so many; 0: any number from 1
  // The rule id of a fault that is none to the publisher, whose result tensorop does not compute.
  std::string_view missing_rule = {};
};

// A reason for which the versions of a publisher leave elements unspecified.
struct OpenRow {
  Framework framework;
  OpenReason reason;
  int before = std::numeric_limits<int>::max();  // Version::since of the first that does not
  std::string_view published = {};               // the only operator of the publisher; empty: all

  [[nodiscard]] constexpr bool is_for_all() const { return before == std::numeric_limits<int>::max(); }
  [[nodiscard]] constexpr bool concerns(const Version& version) const {
    // MDF has the operators of ONNX.
    const bool is_of = version.framework == framework ||
                       (framework == Framework::onnx && version.framework == Framework::mdf);
    return is_of && version.since < before && (published.empty() || version.published == published);
  }
};

// The versions with one of MDF, which runs the operators of ONNX's opset 15 by their names.
template <std::size_t kCount>
[[nodiscard]] constexpr std::array<Version, kCount + 1> and_mdf(const std::array<Version, kCount>& versions) {
  std::array<Version, kCount + 1> out{};
  auto end = std::ranges::copy(versions, out.begin()).out;
  Version mdf{};
  for (const Version& version : versions) {
    if (version.framework == Framework::onnx && version.since <= 15) mdf = version;
  }
  mdf.framework = Framework::mdf;
  mdf.since = 0;
  const auto at = std::ranges::upper_bound(out.begin(), end, mdf.framework, {}, &Version::framework);
  std::ranges::move_backward(at, end, end + 1);
  *at = mdf;
  return out;
}

// A name of the operator on the command line.
struct OperatorName {
  // The default that a name gives to one attribute.
  struct Preset {
    std::string_view attribute = {};
    std::string_view text = {};
  };

  std::string_view name;
  Framework of = Framework::standard;  // the only publisher that has the name; standard: not one alone
  // The publishers' operators that this name means under --spec; empty: all.
  WordList published = {};
  Preset preset = {};
  // One operand for each index array, in place of one of index tuples: engine/index_arrays.hpp.
  bool takes_arrays = false;
};

struct OutputInfo {
  DType dtype;
  Shape shape;
};

// The result's dtype and shape, and the plan that computes it.
struct Planned {
  OutputInfo output;
  std::unique_ptr<Plan> plan;
  std::optional<SliceGeometry> slices = {};  // of a gather or a scatter
};

// What a mask may stand for in the default semantics, in place of the operand indices.
enum class MaskUse : std::uint8_t {
  none,
  along_axis,  // a mask of rank 1: positions along the attribute axis
  leading,     // a mask of data's leading dimensions: one index tuple for each true element
};

// What a publisher calls operands and result, where it has names of its own.
struct PublishedNames {
  Framework framework;
  WordList operands;             // in the order of Operator::operands, then an attribute that is an input
  std::string_view output = {};  // of ONNX
};

struct Operator {
  std::string_view name;
  std::string_view summary;             // one line, without a full stop
  std::string_view meaning;             // one to three sentences, which its docs page has too
  std::string_view output_shape = {};   // a formula, in the notation of Python: "indices.shape"
  std::string_view example;             // a call that works as it stands
  std::string_view family = {};         // the docs page it stands on: docs/ops/FAMILY.md
  std::span<const OperatorName> names;  // the first is `name`
  std::span<const OperandSpec> operands;
  std::span<const AttributeSpec> attributes = {};
  std::span<const Version> versions;   // standard first, then by publisher and opset
  Choices oob = {};                    // of --oob (OutOfBounds), default semantics only; empty: has none
  Choices duplicates = {};             // of --duplicates (Duplicates); empty: has none
  std::span<const OpenRow> open = {};  // the default semantics leave nothing open
  std::string_view sign = {};          // "+": how it is written between operands; empty: as a function
  std::span<const PublishedNames> published_names = {};
  WordList onnx_order = {};                 // of the operands, in ONNX's schema; empty: that of `operands`
  std::string_view count_rule = kCallRule;  // rule id of a number of operands that the version does not allow
  // The ids of the other rules that check_attributes() and plan() name, those of broadcasting between
  // operands apart: families share them.
  WordList rules;
  WordList broadcast_rules = {};
  // Checks ranks, axes and shapes, in that order (G-9), and plans the result. Reads no element of any
  // operand. Throws Error with the violated rule.
  Planned (*plan)(const Call& call);
  // Throws Error for valid attributes that exclude each other; called before any operand is opened. Null: no
  // such attributes.
  void (*check_attributes)(const Call& call) = nullptr;
  MaskUse mask = MaskUse::none;
  std::span<const std::string_view> traits = {};  // what the bits of Version::traits mean, from the lowest
};

// The row of the publisher; null: it has the operator's own names.
[[nodiscard]] const PublishedNames* published_names(const Operator& op, Framework framework);

// Whether the publisher's text does not say what happens where a call breaks the rule: the error is then
// tensorop's decision.
[[nodiscard]] bool leaves_open(const Version& version, std::string_view rule);
// "duplicate indices without a reduction": why elements are open, for messages. Not of none.
[[nodiscard]] std::string_view reason_text(OpenReason reason);

// The attribute of that name, or null.
[[nodiscard]] const AttributeSpec* find_attribute(const Operator& op, std::string_view name);
// The version's row of that attribute, or null.
[[nodiscard]] const AttributeRow* find_attribute(const Version& version, std::string_view name);
// "none", "add", "mul".
[[nodiscard]] std::vector<std::string> words_of(Choices choices);
// The words that the version allows for the attribute, which it has.
[[nodiscard]] std::vector<std::string> allowed_words(const AttributeSpec& spec, const Version& version);
// The default of the attribute, as text, where the version is called by `name`; empty: none.
[[nodiscard]] std::string_view default_text(const AttributeSpec& spec, const OperatorName& name,
                                            const Version& version);
// The word of --oob that says what the default semantics do; of an operator that has the option.
[[nodiscard]] std::string_view default_oob(const Operator& op);
// The type variable of operand `i` in the version; the operands of a variadic description share one.
[[nodiscard]] std::string_view type_variable(const Operator& op, const Version& version, std::size_t i);
// The dtypes the version allows for a type variable.
[[nodiscard]] DTypeSet allowed_types(const Version& version, std::string_view type);
// "onnx-13", "stablehlo-1.1"; "the default semantics".
[[nodiscard]] std::string spec_name(const Version& version);
// The dtypes that the publisher allows for a type variable and tensorop does not compute.
[[nodiscard]] DTypeSet missing_types(const Version& version, std::string_view type);
// The name of the operator at the publisher: "Gather-13", "index_select".
[[nodiscard]] std::string published_name(const Version& version);
// "onnx GatherND-13", "openvino Gather-8", "the default semantics": for messages.
[[nodiscard]] std::string version_name(const Version& version);
// The same as the subject of a verb in the singular: "onnx Gather-13 has", "the default semantics have".
[[nodiscard]] std::string version_name(const Version& version, std::string_view verb);
// Whether `name` means the version under --spec.
[[nodiscard]] bool means(const OperatorName& name, const Version& version);
// "onnx-13, openvino-8 and the default semantics": the versions of the operator for which `holds`, or empty.
[[nodiscard]] std::string versions_where(const Operator& op,
                                         const std::function<bool(const Version&)>& holds);

}  // namespace tensorop
