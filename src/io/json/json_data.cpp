#include "io/json/json_data.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/json/json_parts.hpp"
#include "tensor/convert_elements.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

constexpr DTypeSet kFloatLike = kFloatTypes | kComplexTypes | kSmallFloatTypes;

// The hint for untyped integers that int64 does not hold: that uint64 holds them.
std::string int64_hint(const std::vector<FloatOnly>& float_only) {
  const double above = std::ldexp(1.0, 64);
  const auto fits = [&](const FloatOnly& number) { return number.value > 0 && number.value <= above; };
  if (float_only.empty() || !std::ranges::all_of(float_only, fits)) return {};
  return "untyped integers are int64: {\"dtype\":\"uint64\",\"data\":...} or --dtype uint64 names the dtype";
}

bool is_complex(std::optional<DType> dtype) {
  return dtype && kComplexTypes.contains(*dtype);
}

bool is_number(DType dtype) {
  return dtype != DType::boolean && dtype != DType::string;
}

// Bytes of a number of the text: of a complex element it is one of the parts.
std::int64_t part_size(DType dtype) {
  return element_size(dtype) / (kComplexTypes.contains(dtype) ? 2 : 1);
}

// Both may lie in the same memory: an element is not larger afterwards than before.
template <class T>
void store(std::byte* data, std::int64_t element, T value) {
  std::memcpy(data + element * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
}

void integers_to_float64(std::byte* out, const std::byte* in, std::int64_t count,
                         const std::vector<FloatOnly>& float_only) {
  (void)cast_elements(out, DType::float64, in, DType::int64, count);
  for (const FloatOnly& number : float_only) store(out, number.element, number.value);
}

std::string number_of(double value) {
  char text[kNumberTextSize];
  return {text, write_number(text, value)};
}

// The double of the largest integer is beyond it.
bool is_exact_in_float64(std::int64_t value) {
  const auto wide = static_cast<double>(value);
  return wide < 0x1p63 && static_cast<std::int64_t>(wide) == value;
}

void require_exact_in_float64(const JsonTensor& integers) {
  std::string fault = integers.rounded.first;
  const auto values = integers.tensor.as<std::int64_t>();
  for (std::int64_t i = 0; fault.empty() && i < integers.tensor.size(); ++i) {
    if (!is_exact_in_float64(values[i]))
      fault = cat(values[i], " becomes ", number_of(static_cast<double>(values[i])));
  }
  if (!fault.empty()) throw Error(cat("not all integers fit in float64: ", fault));
}

// Of the text of a number. One that is too large for a float is not zero, nor is one that is too small.
bool is_nonzero(std::string_view text) {
  return text.substr(0, text.find_first_of("eE")).find_first_of("123456789") != std::string_view::npos;
}

std::string_view name_of_not_finite(double value) {
  return std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
}

// A number that a T does not hold as a float: beyond the largest one an infinity.
template <Number T>
TextFloat<T> wide_of(std::string_view text) {
  TextFloat<T> wide = 0;
  if (parse_number(text, wide) == NumberStatus::ok) return wide;
  constexpr auto kInfinity = std::numeric_limits<TextFloat<T>>::infinity();
  return text[0] == '-' ? -kInfinity : kInfinity;
}

void strings_to_float64(std::byte* out, const std::byte* in, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    store(out, i, *parse_not_finite(StoredElements<StringRef>(in)[i].view()));
}

}  // namespace

DataReader::DataReader(const JsonHeader& header, const JsonReading& reading,
                       std::function<std::string()> place)
    : header_(header),
      reading_(reading),
      place_(std::move(place)),
      nesting_(is_complex(header.dtype), is_complex(header.dtype) ? kDeepestList : kMaxRank),
      dtype_(header.dtype),
      inferred_(!header.dtype),
      is_cast_(reading.cast && !header.is_typed),
      is_given_(header.dtype && !header.is_typed) {
  limit_elements();
}

void DataReader::limit_elements() {
  if (!header_.shape) return;
  const Shape& shape = *header_.shape;
  const std::int64_t size = dtype_ ? element_size(*dtype_) : 1;
  require_fits(shape, size);
  if (!dtype_) return;
  const std::int64_t elements = count(shape);
  elements_.limit(elements * size, cat("data holds more than the ", counted(elements, "element"),
                                       " of shape ", to_string(shape)));
}

void DataReader::become_float64() {
  if (dtype_ == DType::string) {
    const std::int64_t elements = elements_.bytes() / to_int64(sizeof(StringRef));
    strings_to_float64(elements_.data(), elements_.data(), elements);
    elements_.shrink(elements * to_int64(sizeof(double)));
  } else {
    const std::int64_t elements = elements_.bytes() / to_int64(sizeof(std::int64_t));
    for (std::int64_t i = 0; i < elements; ++i) {
      const std::int64_t value = StoredElements<std::int64_t>(elements_.data())[i];
      if (!is_exact_in_float64(value)) note_rounded("", cat(value), static_cast<double>(value));
    }
    integers_to_float64(elements_.data(), elements_.data(), elements, float_only_);
  }
  dtype_ = DType::float64;
  inferred_ = false;
  float_only_.clear();
  refused_.clear();
  not_before_ = 0;
  limit_elements();
}

std::string DataReader::element() const {
  return cat(place_ ? cat(place_(), ": ") : "", nesting_.element());
}

void DataReader::refuse(std::string_view found, std::string hint) const {
  throw Error(cat(element(), ": expected ", expected(), ", found ", found), {}, std::move(hint));
}

// Without a cast the dtype allows one kind only.
void DataReader::require_same_kind(bool is_boolean) {
  if (!is_cast_) return;
  constexpr std::string_view kNames[] = {"a number", "true or false"};
  if (elements_.bytes() == 0) casts_booleans_ = is_boolean;
  if (casts_booleans_ != is_boolean) {
    throw Error(cat(element(), ": expected ", kNames[casts_booleans_], ", found ", kNames[is_boolean]));
  }
}

void DataReader::boolean(bool value) {
  require_same_kind(true);
  if (is_cast_ && dtype_ && is_number(*dtype_) && !is_complex(dtype_)) return put_number(value ? "1" : "0");
  const std::string_view found = value ? "true" : "false";
  nesting_.require_element(found);
  if (!dtype_) dtype_ = DType::boolean;
  if (dtype_ != DType::boolean) refuse(found);
  elements_.push(Bool{static_cast<std::uint8_t>(value)});
  nesting_.next();
}

std::string DataReader::does_not_fit(std::string_view text) const {
  return cat(element(), " = ", printable(text), " does not fit in ", name(*dtype_), " (", range_text(*dtype_),
             ")");
}

Error DataReader::unfit(std::string_view text, double value) const {
  return Error(does_not_fit(text), {}, is_cast_ ? overflow_hint(*dtype_, value) : "");
}

// In an untyped text an integer may be none of int64 and yet be one of many floats.
void DataReader::put_float_only(std::string_view text, bool in_range) {
  if (!in_range && refused_.empty()) refused_ = does_not_fit(text);
  double value = 0;
  const NumberStatus status = parse_fitting(text, value);
  if (status == NumberStatus::range) throw Error(refused_);
  if (status == NumberStatus::inexact) note_rounded(element(), text, value);
  float_only_.push_back({elements_.bytes() / to_int64(sizeof(std::int64_t)), value});
  elements_.push(std::int64_t{0});
}

void DataReader::note_rounded(const std::string& element, std::string_view text, double value) {
  if (rounded_.count++ != 0) return;
  rounded_.first =
      cat(element.empty() ? "" : cat(element, " = "), printable(text), " becomes ", number_of(value));
}

// If nothing else gives the dtype, numbers are rounded to that of the text, integers with a warning.
template <class T>
NumberStatus DataReader::parse_given(std::string_view text, T& value) {
  if (!must_fit(exactness(), text)) return parse_number(text, value);
  const NumberStatus status = parse_fitting(text, value);
  if (status != NumberStatus::inexact || is_given_) return status;
  if (is_integer_text(text)) note_rounded(element(), text, to_double(value));
  return NumberStatus::ok;
}

template <class T>
void DataReader::parse(std::string_view text) {
  T value{};
  const NumberStatus status = parse_given(text, value);
  if (status == NumberStatus::inexact) {
    throw Error(cat(element(), " = ", printable(text), " does not fit in ", name(*dtype_),
                    ": it would become ", number_of(to_double(value))),
                {}, is_cast_ ? cat("a number with a point is rounded: ", printable(text), ".0") : "");
  }
  if (std::same_as<T, std::int64_t> && inferred_) {
    if (status == NumberStatus::fraction) {
      become_float64();
      return parse<double>(text);
    }
    const bool minus_zero = text == "-0";
    if (status == NumberStatus::range || minus_zero) return put_float_only(text, minus_zero);
  }
  if (status == NumberStatus::range && overflow() == Overflow::error) throw unfit(text, wide_of<T>(text));
  if (status != NumberStatus::ok) {
    if (is_cast_) return parse_cast<T>(text);
    // 1e18 is an integer, written as a float.
    double real = 0;
    const bool is_whole = parse_number(text, real) == NumberStatus::ok && real == std::trunc(real);
    throw Error(
        cat(element(), " = ", printable(text), " is not an integer, ", name(*dtype_), " takes only integers"),
        "", is_whole ? "an integer is written without point and exponent" : "");
  }
  elements_.push(value);
}

// A number with a fraction or an exponent as a float64 becomes an integer; one that a small float does not
// hold becomes what overflow() says, beyond float64 too.
template <class T>
void DataReader::parse_cast(std::string_view text) {
  const TextFloat<T> wide = wide_of<T>(text);
  T value{};
  if (!convert_real(wide, value, overflow())) throw unfit(text, wide);
  elements_.push(value);
}

void DataReader::number(std::string_view text) {
  require_same_kind(false);
  put_number(text);
}

void DataReader::put_number(std::string_view text) {
  nesting_.require_element("a number");
  if (!dtype_) dtype_ = DType::int64;
  if (dtype_ == DType::string && inferred_ && all_not_finite_) become_float64();
  if (is_cast_ && dtype_ == DType::boolean) {
    elements_.push(Bool{static_cast<std::uint8_t>(is_nonzero(text))});
    return nesting_.next();
  }
  if (!is_number(*dtype_)) refuse("a number");
  dispatch(*dtype_, [&]<class T>(TypeTag<T>) {
    // Of a complex element it is one of the parts.
    if constexpr (Number<Part<T>>) parse<Part<T>>(text);
  });
  nesting_.next();
}

void DataReader::string(std::string_view text) {
  nesting_.require_element("a string");
  if (!dtype_) dtype_ = DType::string;
  const auto not_finite = parse_not_finite(text);
  if (not_finite && inferred_ && dtype_ == DType::int64) become_float64();
  if (dtype_ == DType::string) {
    elements_.push(elements_.keep(text));
    all_not_finite_ = all_not_finite_ && not_finite;
  } else if (!not_finite || !put_not_finite(*not_finite)) {
    refuse("a string", kFloatLike.contains(*dtype_)
                           ? "not-finite numbers are \"NaN\", \"Infinity\" and \"-Infinity\""
                           : "");
  }
  nesting_.next();
}

// False where the dtype has no such element.
bool DataReader::put_not_finite(double value) {
  if (is_cast_ && dtype_ == DType::boolean) {
    elements_.push(Bool{1});
    return true;
  }
  if (!kFloatLike.contains(*dtype_)) return false;
  dispatch(*dtype_, [&]<class T>(TypeTag<T>) {
    if constexpr (Number<Part<T>>) {
      Part<T> element{};
      if (!convert_real(value, element, overflow())) throw unfit(name_of_not_finite(value), value);
      elements_.push(element);
    }
  });
  return true;
}

void DataReader::not_finite(double value) {
  const std::string_view found = name_of_not_finite(value);
  nesting_.require_element(found);
  if (!dtype_) {
    dtype_ = DType::float64;
    inferred_ = false;
  }
  if (inferred_ && dtype_ == DType::int64) become_float64();
  if ((kIntegerTypes | kSmallIntegerTypes).contains(*dtype_)) throw Error(does_not_fit(found));
  if (!put_not_finite(value)) refuse(found);
  nesting_.next();
}

// Parts are read only where all is as it should be. Wherever it is not, the text from the beginning of the
// part on is read token by token, which finds what is wrong: no message depends on the parts.
std::size_t DataReader::read_ahead(std::string_view rest, std::size_t offset, const PartFormat& format) {
  constexpr std::size_t kLeast = 256;  // less is not worth it
  const std::size_t round = to_size(reading_.threads.count()) * 8 * reading_.part_bytes;
  std::size_t done = 0;
  while (offset + done >= not_before_ && dtype_ && is_number(*dtype_) && nesting_.is_settled() &&
         !casts_booleans_) {
    std::string_view text = rest.substr(done, round);
    // No string begins in front of the first quote: each mark there ends a number.
    text = text.substr(0, text.find('"'));
    not_before_ = offset + done + text.size();
    const std::size_t mark = text.rfind(format.mark);
    if (mark == std::string_view::npos || mark < std::min(kLeast, reading_.part_bytes)) break;
    text = text.substr(0, mark + 1);
    if (!ahead_) {
      ahead_ = to_int64(rest.size() - done);
      reading_.threads.expect(*ahead_);
    }
    // What follows is likely to be as dense, and untouched memory costs nothing.
    const auto left = static_cast<double>(rest.size() - done);
    const std::size_t read = read_parts(text, format, 1.125 * left / static_cast<double>(text.size()));
    done += read;
    reading_.threads.advance(to_int64(read));
    *ahead_ -= to_int64(read);
    if (read < text.size()) break;
    not_before_ = 0;
  }
  return done;
}

// Reads `text`, which ends with a mark. Returns how much of it has been read: the parts in front of the
// first one that does not fit. If there is no room, it is made for `likely` times as many numbers; at least
// twice as many as there were.
std::size_t DataReader::read_parts(std::string_view text, const PartFormat& format, double likely) {
  std::vector<NumberPart> parts = divide_numbers(text, format.mark, reading_.part_bytes);
  const auto for_each = [&](const auto& work) {
    reading_.threads.for_each(to_int64(parts.size()), [&](std::int64_t i, int) { work(parts[to_size(i)]); });
  };
  for_each(format.count);
  const std::int64_t size = part_size(*dtype_);
  std::int64_t bytes = 0;
  for (const NumberPart& part : parts) bytes += part.elements * size;
  std::byte* out = elements_.reserve(
      bytes, std::max(elements_.bytes(), static_cast<std::int64_t>(static_cast<double>(bytes) * likely)));
  if (out == nullptr) return 0;
  std::ptrdiff_t deeper = 0;
  for (NumberPart& part : parts) {
    part.out = std::exchange(out, out + part.elements * size);
    part.lists = nesting_.part(std::exchange(deeper, deeper + part.deeper));
  }
  for_each([&](NumberPart& part) { format.read(part, *dtype_, inferred_, exactness()); });
  std::size_t read = 0;
  for (const NumberPart& part : parts) {
    if (!part.fits || !nesting_.step_over(*part.lists)) break;
    for (const FloatOnly& number : part.float_only) {
      float_only_.push_back({elements_.bytes() / size + number.element, number.value});
    }
    elements_.add(part.elements * size);
    read += part.text.size();
  }
  return read;
}

// The shape the text states, checked against that of its lists; or the latter.
Shape DataReader::final_shape(DType dtype, std::int64_t elements) const {
  Shape found = nesting_.shape();
  if (!header_.shape) return found;
  const Shape& stated = *header_.shape;
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
  reading_.threads.advance(ahead_.value_or(0));
  const bool all_not_finite = dtype_ == DType::string && inferred_ && all_not_finite_;
  if (all_not_finite) become_float64();
  const DType dtype = dtype_.value_or(DType::int64);
  const std::int64_t elements = elements_.bytes() / element_size(dtype);
  JsonTensor out;
  try {
    out.tensor = Tensor(dtype, final_shape(dtype, elements), elements_.take());
  } catch (const Error&) {
    // The fault of an element comes first.
    if (!refused_.empty()) throw Error(refused_, "", int64_hint(float_only_));
    throw;
  }
  out.empty = elements == 0;
  out.float_only = std::move(float_only_);
  out.refused = std::move(refused_);
  out.exactness = exactness();
  out.rounded = std::move(rounded_);
  out.all_not_finite = all_not_finite;
  return out;
}

Tensor JsonTensor::take() const {
  if (!refused.empty()) throw Error(refused, "", int64_hint(float_only));
  return tensor;
}

std::optional<Tensor> JsonTensor::as(DType dtype) const {
  if (dtype == tensor.dtype()) return take();
  const std::int64_t elements = tensor.size();
  const bool from_integers = tensor.dtype() == DType::int64 && dtype == DType::float64;
  const bool from_words = all_not_finite && (dtype == DType::string || kFloatTypes.contains(dtype));
  if (elements == 0) {
    require_fits(tensor.shape(), element_size(dtype));
  } else if (!from_integers && !from_words) {
    return std::nullopt;
  }
  if (from_integers && exactness != Exactness::any) require_exact_in_float64(*this);
  auto storage = std::make_shared<Storage>(elements * element_size(dtype));
  std::byte* const out = storage->data();
  if (from_integers) {
    integers_to_float64(out, tensor.data(), elements, float_only);
  } else if (dtype == DType::string) {
    for (std::int64_t i = 0; i < elements; ++i) {
      const std::string_view word = name_of_not_finite(tensor.as<double>()[i]);
      store(out, i, StringRef{word.data(), to_int64(word.size())});
    }
  } else {
    (void)cast_elements(out, dtype, tensor.data(), tensor.dtype(), elements);
  }
  return Tensor(dtype, tensor.shape(), storage);
}

}  // namespace tensorop
