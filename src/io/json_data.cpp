// A number goes from its event to memory in one call from the parser: what it passes on its way is in line,
// in the header or here.
#include "io/json_data.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/number_text.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop {
namespace {

std::string counted(std::int64_t count, std::string_view thing) {
  return cat(count, ' ', thing, count == 1 ? "" : "s");
}

std::string brackets(std::span<const std::int64_t> coordinates) {
  std::string out;
  for (const std::int64_t coordinate : coordinates) out += cat(out.empty() ? '[' : ',', coordinate);
  return out.empty() ? out : out + ']';
}

bool is_complex(std::optional<DType> dtype) {
  return dtype && kComplexTypes.contains(*dtype);
}

}  // namespace

void Nesting::refuse(std::string_view expected, std::string_view found, std::string hint) const {
  throw Error(cat(element(), ": expected ", expected, ", found ", found), {}, std::move(hint));
}

std::string Nesting::element() const {
  const std::size_t depth = pairs_ && depth_ == rank_ ? depth_ - 1 : depth_;
  return depth == 0 ? "element" : "element " + brackets(path(depth));
}

Shape Nesting::shape() const {
  const bool empty = rank_ > 0 && lengths_[rank_] == 0;
  const std::size_t dims = pairs_ && !empty ? rank_ - 1 : rank_;
  if (dims > kMaxRank) throw_too_deep();
  return Shape(lengths_.begin() + 1, lengths_.begin() + 1 + static_cast<std::ptrdiff_t>(dims));
}

void Nesting::settle_rank(std::string_view found) {
  const bool unpaired = pairs_ && (rank_ == kNoRank ? depth_ == 0 : depth_ + 1 == rank_);
  if (unpaired) refuse("[re, im]", found);
  if (rank_ != kNoRank) refuse("a list", found);
  rank_ = depth_;
  if (pairs_) lengths_[rank_] = 2;
}

void Nesting::refuse_list(std::string_view expected) const {
  refuse(pairs_ ? "[re, im]" : expected, "a list");
}

void Nesting::refuse_long_row() const {
  const std::int64_t length = lengths_[depth_];
  if (length == 0) throw Error(cat(row(), " has elements, ", first_row(), " has none"));
  if (pairs_ && depth_ == rank_) refuse_pair("more than 2 parts");
  throw Error(cat(row(), " has more than the ", counted(length, "element"), " of ", first_row()));
}

void Nesting::refuse_short_row() const {
  const std::int64_t count = counts_[depth_];
  if (pairs_ && depth_ == rank_) refuse_pair(counted(count, "part"));
  throw Error(cat(row(), " has ", counted(count, "element"), ", ", first_row(), " has ", lengths_[depth_]));
}

// A list of numbers may be meant as real elements, or as one element with a part too many.
void Nesting::refuse_pair(std::string_view parts) const {
  if (rank_ > 1) refuse("[re, im]", parts);
  throw Error("element [0]: expected [re, im], found a number");
}

void Nesting::throw_too_deep() {
  throw Error(cat("lists are nested more than ", kMaxRank, " deep: rank is at most ", kMaxRank));
}

std::string Nesting::row() const {
  return "row " + brackets(path(depth_ - 1));
}

std::string Nesting::first_row() const {
  return "row " + brackets(std::vector<std::int64_t>(depth_ - 1, 0));
}

void Elements::limit(std::int64_t most, std::string message) {
  most_ = most;
  message_ = std::move(message);
}

StringRef Elements::keep(std::string_view text) {
  constexpr std::size_t kBlock = 1 << 16;
  if (text.size() > arena_left_) {
    arena_left_ = std::max(kBlock, text.size());
    arena_->push_back(std::make_unique<char[]>(arena_left_));
    arena_next_ = arena_->back().get();
  }
  const StringRef out{arena_next_, to_int64(text.size())};
  arena_next_ = std::copy(text.begin(), text.end(), arena_next_);
  arena_left_ -= text.size();
  return out;
}

std::shared_ptr<Storage> Elements::take() {
  if (!storage_) storage_ = std::make_shared<Storage>(0);
  storage_->arenas = {arena_};
  return storage_;
}

void Elements::grow() {
  constexpr std::int64_t kFirst = 256;
  if (used_ >= most_) throw Error(message_);
  capacity_ = std::min(most_, std::max(kFirst, 2 * capacity_));
  auto larger = std::make_shared<Storage>(capacity_);
  if (used_ > 0) std::memcpy(larger->data(), data_, to_size(used_));
  storage_ = std::move(larger);
  data_ = storage_->data();
}

DataReader::DataReader(Findings& findings)
    : findings_(findings),
      nesting_(is_complex(findings.dtype), is_complex(findings.dtype) ? Nesting::kDeepest : kMaxRank) {
  dtype_ = findings.dtype;
  if (!dtype_ && findings.fractions) dtype_ = DType::float64;
  inferred_ = !dtype_;
  if (!findings.shape) return;
  const std::int64_t size = dtype_ ? element_size(*dtype_) : 1;
  require_fits(*findings.shape, size);
  if (!dtype_) return;
  const std::int64_t elements = count(*findings.shape);
  elements_.limit(elements * size, cat("data holds more than the ", counted(elements, "element"),
                                       " of shape ", to_string(*findings.shape)));
}

bool DataReader::begin_number() {
  nesting_.require_element("a number");
  if (!dtype_) dtype_ = DType::int64;
  if (dtype_ == DType::string && inferred_ && all_not_finite_) {
    findings_.fractions = true;
    return false;
  }
  if (dtype_ == DType::boolean || dtype_ == DType::string) nesting_.refuse(expected(), "a number");
  return true;
}

template <class T>
void DataReader::parse(std::string_view text) {
  if constexpr (Real<T>) {
    T value{};
    switch (parse_number(text, value)) {
      case NumberStatus::ok:
        return elements_.push(value);
      case NumberStatus::range:
        return refuse_or_put_off(text);
      case NumberStatus::fraction:
        break;
    }
    if (inferred_) {
      findings_.fractions = true;
      return;
    }
    throw Error(cat(nesting_.element(), " = ", printable(text), " is not an integer, ", name(*dtype_),
                    " takes only integers"));
  }
}

// In an untyped text an integer may be too large for int64 and yet be one of many floats.
void DataReader::refuse_or_put_off(std::string_view text) {
  std::string message = cat(nesting_.element(), " = ", printable(text), " does not fit in ", name(*dtype_),
                            " (", range_text(*dtype_), ")");
  if (!inferred_) throw Error(std::move(message));
  if (!put_off_) put_off_ = std::move(message);
  elements_.push(std::int64_t{0});
}

template <class Integer>
bool DataReader::integer(Integer value, bool minus_zero) {
  if (!begin_number()) return false;
  dispatch(*dtype_, [&]<class T>(TypeTag<T>) {
    // Of a complex element it is one of the parts.
    if constexpr (Real<Part<T>>) {
      Part<T> converted{};
      if (minus_zero ? convert_real(-0.0, converted) : convert_real(value, converted)) {
        elements_.push(converted);
      } else {
        refuse_or_put_off(cat(value));
      }
    }
  });
  nesting_.next();
  return true;
}

template bool DataReader::integer(std::int64_t, bool);
template bool DataReader::integer(std::uint64_t, bool);

bool DataReader::number(std::string_view text) {
  if (!begin_number()) return false;
  dispatch(*dtype_, [&]<class T>(TypeTag<T>) { parse<Part<T>>(text); });
  nesting_.next();
  return !(inferred_ && findings_.fractions);
}

bool DataReader::string(std::string_view text) {
  nesting_.require_element("a string");
  if (!dtype_) dtype_ = DType::string;
  const auto not_finite = parse_not_finite(text);
  if (dtype_ == DType::string) {
    elements_.push(elements_.keep(text));
    all_not_finite_ = all_not_finite_ && not_finite;
  } else if (not_finite && inferred_ && dtype_ == DType::int64) {
    findings_.fractions = true;
    return false;
  } else if (not_finite && (kFloatTypes | kComplexTypes).contains(*dtype_)) {
    dispatch(*dtype_, [&]<class T>(TypeTag<T>) {
      if constexpr (AnyFloat<Part<T>>) elements_.push(round_to<Part<T>>(*not_finite));
    });
  } else {
    const bool number = (kFloatTypes | kComplexTypes).contains(*dtype_);
    nesting_.refuse(expected(), "a string",
                    number ? "not-finite numbers are \"NaN\", \"Infinity\" and \"-Infinity\"" : "");
  }
  nesting_.next();
  return true;
}

// The shape the text states, checked against that of its lists; or the latter.
Shape DataReader::final_shape(DType dtype, std::int64_t elements) const {
  Shape found = nesting_.shape();
  if (!findings_.shape) return found;
  const Shape& stated = *findings_.shape;
  require_fits(stated, element_size(dtype));
  const std::int64_t wanted = count(stated);
  const bool flat = found == Shape{wanted};
  // Lists show the dimensions up to the first 0.
  const auto zero = std::find(stated.begin(), stated.end(), 0);
  const bool nested = found == (zero == stated.end() ? stated : Shape(stated.begin(), zero + 1));
  if (flat || nested) return stated;
  if (is_complex(dtype) && found.empty() && elements == 1) {
    throw Error("element [0]: expected [re, im], found a number");
  }
  throw Error(cat("data has shape ", to_string(found), ", which is neither ", to_string(stated),
                  " nor a flat list of ", counted(wanted, "element")));
}

JsonTensor DataReader::finish() {
  if (put_off_) throw Error(*put_off_);
  const DType dtype = dtype_.value_or(DType::int64);
  const std::int64_t elements = elements_.bytes() / element_size(dtype);
  const Shape shape = final_shape(dtype, elements);
  return {Tensor(dtype, shape, elements_.take()), findings_.named, !findings_.named && elements == 0};
}

}  // namespace tensorop
