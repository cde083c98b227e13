// A random call being made: the request, and which values of its parameters it has.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request.hpp"
#include "generate/coverage.hpp"
#include "generate/random.hpp"
#include "generate/weights.hpp"

namespace tensorop {

// The operator, version and limits of the calls to draw.
struct Subject {
  FoundOperator op;
  std::optional<std::string> spec = {};
  const Version* version = nullptr;
  std::vector<DType> dtypes = {};  // of variables of data; empty: all
  std::int64_t max_rank = 5;
  std::int64_t max_elements = 200;  // of a tensor
  std::int64_t min_elements = 0;    // of the largest one
  // The largest bounds of a call: the tolerances of a case that cannot have its own.
  double max_rtol = std::numeric_limits<double>::infinity();
  double max_atol = std::numeric_limits<double>::infinity();
};

class Drawing {
 public:
  // If the maker of the call offers one of the `wanted` levels, pick() returns that one.
  Drawing(const Subject& subject, Random& random, Coverage& coverage, std::vector<Coverage::Level> wanted)
      : subject_(subject), random_(random), coverage_(coverage), wanted_(std::move(wanted)) {
    for (std::int64_t& place : places_) place = random.between(0, std::numeric_limits<std::int64_t>::max());
    first_class_ = random.between(0, 100);
    has_more_classes_ = random.chance(weights::kMoreClasses);
    request.op = subject.op;
    request.spec = subject.spec;
  }

  // Picks one of these values of a parameter. Each parameter may be picked once. A value that is listed twice
  // is picked twice as often.
  std::string pick(std::string_view parameter, const std::vector<std::string>& values) {
    return pick(parameter, values, Coverage::Kind::other);
  }
  // Picks a value of an attribute that the version has, without setting the attribute.
  std::string pick_attribute(std::string_view name, const std::vector<std::string>& values) {
    return pick(name, values, Coverage::Kind::attribute);
  }
  // One of the numbers of a range.
  std::int64_t pick_number(std::string_view parameter, std::int64_t from, std::int64_t to);
  // The picked value of a parameter; empty: there is none.
  [[nodiscard]] std::string picked(std::string_view parameter) const;
  void set(std::string_view attribute, std::string text);
  // If the goal is a reduction whose result depends on the order of updates, also wants values and duplicate
  // indices that make it depend on the order.
  void want_sums();
  // Notes that the complete call has such a reduction.
  void note_sums();
  // Picks and sets all attributes of words and flags, --oob and --duplicates. A default is left out at times.
  void pick_words();
  [[nodiscard]] bool has(std::string_view attribute) const {
    return find_attribute(*subject_.version, attribute) != nullptr;
  }

  // A rank >= `least`.
  std::int64_t pick_rank(std::int64_t least) { return pick_number("rank", least, subject_.max_rank); }
  // A shape of the parameter "sizes", with less than `max_elements`.
  Shape pick_shape(std::int64_t rank);
  // An axis, as an attribute, counted from the front.
  std::int64_t pick_axis(std::int64_t rank);
  // Draws batch_dims up to `most`, and sets the attribute if the version has it. A negative value counts from
  // the rank of indices, which is batch_dims plus `further`.
  std::int64_t pick_batch_dims(std::int64_t most, std::int64_t further);
  // Up to `most` further dimensions.
  Shape pick_dims(std::string_view parameter, std::int64_t most);
  // The shape with longer dimensions if a tensor of the call must be large; each row has `row_elements`.
  Shape enlarged(Shape shape, std::int64_t row_elements = 1);
  // The dtype for the type variable of operand `i`.
  DType pick_dtype(std::size_t i);

  // Adds the next operand, unless it is larger than the subject allows: the call is too large then.
  void add_data(const Shape& shape);
  // `extent`: the size of the dimension that the index at a flat position addresses.
  void add_indices(const Shape& shape, const std::function<std::int64_t(std::int64_t position)>& extent);
  // Leaves the operand out, which is optional.
  void leave_out() { ++next_operand_; }

  [[nodiscard]] bool is_too_large() const { return is_too_large_; }

  [[nodiscard]] Random& random() const { return random_; }
  [[nodiscard]] const Subject& subject() const { return subject_; }
  [[nodiscard]] const std::vector<Coverage::Level>& levels() const { return levels_; }

  Request request;

 private:
  std::string pick(std::string_view parameter, const std::vector<std::string>& values, Coverage::Kind kind);
  void add(Tensor tensor);
  // The name of the next operand.
  [[nodiscard]] std::string_view operand_name() const;
  [[nodiscard]] bool is_wanted(Coverage::Level level) const;
  [[nodiscard]] Coverage::Level sums();
  // Whether an element of the dtype can be of the class that is wanted of the next operand, if any is.
  [[nodiscard]] bool has_wanted_class(DType dtype) const;
  // Chooses classes of elements to plant, and their flat positions: the wanted classes, with `has_more` also
  // others. All operands of a call use the same places, so that planted elements are combined with each
  // other.
  [[nodiscard]] std::map<std::int64_t, std::string> pick_classes(const std::string& parameter,
                                                                 Coverage::Kind kind,
                                                                 std::vector<std::string> classes,
                                                                 const Shape& shape, bool has_more);
  // Chooses classes of indices of that kind and their flat positions.
  [[nodiscard]] std::map<std::int64_t, std::string> pick_index_classes(DType dtype, std::string_view kind,
                                                                       const Shape& shape);
  // Returns false and marks the call as too large if an operand may not have this shape.
  bool check_size(const Shape& shape);

  const Subject& subject_;
  Random& random_;
  Coverage& coverage_;
  std::vector<Coverage::Level> wanted_;
  std::vector<Coverage::Level> levels_;
  // The places of planted elements, and the class that comes first: the same for all operands.
  std::array<std::int64_t, 8> places_{};
  std::int64_t first_class_ = 0;
  bool has_more_classes_ = false;  // than are wanted
  std::size_t next_operand_ = 0;
  bool is_too_large_ = false;
};

// Draws a call of the operator. Returns false if the call is too large; it is then incomplete.
[[nodiscard]] bool draw_call(Drawing& drawing);

// The operands and attributes of a call, by how their shapes fit together (ShapeKind).
void draw_gather(Drawing& drawing);
void draw_gather_elements(Drawing& drawing);
void draw_scatter_elements(Drawing& drawing);
void draw_scatter_update(Drawing& drawing);
void draw_gather_nd(Drawing& drawing);
void draw_scatter_nd(Drawing& drawing);
void draw_tensor_scatter(Drawing& drawing);
void draw_windows(Drawing& drawing);
void draw_dynamic_window(Drawing& drawing);
void draw_elementwise(Drawing& drawing);
void draw_broadcast(Drawing& drawing);
void draw_concat(Drawing& drawing);

}  // namespace tensorop
