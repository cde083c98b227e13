#include "io/text/text_data.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/table/text_hints.hpp"
#include "io/text/number_parts.hpp"
#include "tensor/convert_elements.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

constexpr DTypeSet kFloatLike = kFloatTypes | kComplexTypes | kSmallFloatTypes;

bool is_complex(std::optional<DType> dtype) {
  return dtype && kComplexTypes.contains(*dtype);
}

bool is_number(DType dtype) {
  return dtype != DType::boolean && dtype != DType::string;
}

// Size of a number in the text: for complex, of one part.
std::int64_t part_size(DType dtype) {
  return element_size(dtype) / (kComplexTypes.contains(dtype) ? 2 : 1);
}

std::string number_of(double value) {
  char text[kNumberTextSize];
  return {text, write_number(text, value)};
}

std::string_view name_of_not_finite(double value) {
  return std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
}

}  // namespace

DataReader::DataReader(const TextHeader& header, const TextReading& reading,
                       std::function<std::string()> place)
    : header_(header),
      reading_(reading),
      place_(std::move(place)),
      nesting_(is_complex(header.dtype), is_complex(header.dtype) ? kDeepestList : kMaxRank),
      dtype_(header.dtype) {
  if (!header.shape) return;
  const Shape& shape = *header.shape;
  const std::int64_t size = dtype_ ? element_size(*dtype_) : 1;
  require_fits(shape, size);
  if (!dtype_) return;
  const std::int64_t elements = count(shape);
  elements_.limit(elements * size, cat("data holds more than the ", counted(elements, "element"),
                                       " of shape ", to_string(shape)));
}

void DataReader::read_again(DType dtype) {
  reading_.threads.advance(ahead_.value_or(0));
  throw OtherDType{dtype};
}

std::string DataReader::element() const {
  return cat(place_ ? cat(place_(), ": ") : "", nesting_.element());
}

void DataReader::refuse(std::string_view found, std::string hint) const {
  throw Error(cat(element(), ": expected ", expected(), ", found ", found), {}, std::move(hint));
}

void DataReader::boolean(bool value) {
  const std::string_view found = value ? "true" : "false";
  nesting_.require_element(found);
  if (!dtype_) dtype_ = DType::boolean;
  if (dtype_ != DType::boolean) {
    if (reading_.cast && !header_.is_typed && elements_.bytes() == 0) read_again(DType::boolean);
    refuse(found);
  }
  elements_.push(Bool{static_cast<std::uint8_t>(value)});
  nesting_.next();
}

std::string DataReader::does_not_fit(std::string_view text) const {
  return cat(element(), " = ", printable(text), " does not fit in ", name(*dtype_), " (", range_text(*dtype_),
             ")");
}

// What becomes of the number `text`, about `value`, which T does not have.
template <Number T>
T DataReader::beyond(std::string_view text, double value) const {
  T out{};
  if (overflow() != Overflow::error && convert_real(value, out, overflow())) return out;
  throw Error(does_not_fit(text), {}, reading_.cast ? overflow_hint(*dtype_, value) : "");
}

// Not an error yet: the text may be read as another dtype.
void DataReader::put_beyond_int64(std::string_view text) {
  constexpr std::string_view kUint64Hint =
      "untyped integers are int64: {\"dtype\":\"uint64\",\"data\":...} or --dtype uint64 names the dtype";
  double value = 0;
  const bool is_float64 = parse_number(text, value) == NumberStatus::ok;
  std::uint64_t wide = 0;
  const bool is_uint64 = parse_number(text, wide) == NumberStatus::ok;
  fits_uint64_ = fits_uint64_ && is_uint64;
  if (!refused_) refused_.emplace(does_not_fit(text), "", std::string(is_uint64 ? kUint64Hint : ""));
  if (!is_uint64) refused_ = Error(refused_->what());
  if (!is_float64) throw Error(*refused_);
  elements_.push(std::int64_t{0});
}

template <class T>
void DataReader::parse(std::string_view text) {
  T value{};
  const NumberStatus status = parse_by(exactness(), text, value);
  if (status == NumberStatus::inexact)
    throw Error(cat(element(), " = ", printable(text), " does not fit in ", name(*dtype_),
                    ": it would become ", number_of(to_double(value))),
                {}, reading_.as ? "" : "convert --dtype float64 rounds it");
  if (std::same_as<T, std::int64_t> && is_inferred()) {
    if (status == NumberStatus::fraction) read_again(DType::float64);
    if (status == NumberStatus::range) return put_beyond_int64(text);
  }
  if (status == NumberStatus::range) {
    double wide = 0;
    if (parse_number(text, wide) != NumberStatus::ok)
      wide = std::copysign(std::numeric_limits<double>::max(), text[0] == '-' ? -1.0 : 1.0);
    value = beyond<T>(text, wide);
  } else if (status != NumberStatus::ok) {
    // 1e18 is an integer in the form of a float.
    double real = 0;
    const bool is_whole = parse_number(text, real) == NumberStatus::ok && real == std::trunc(real);
    throw Error(
        cat(element(), " = ", printable(text), " is not an integer, ", name(*dtype_), " takes only integers"),
        "", is_whole ? "an integer is written without point and exponent" : "");
  }
  elements_.push(value);
}

void DataReader::number(std::string_view text) {
  nesting_.require_element("a number");
  if (!dtype_) dtype_ = is_integer_text(text) ? DType::int64 : DType::float64;
  all_not_finite_ = false;
  if (!is_number(*dtype_)) refuse("a number");
  dispatch(*dtype_, [&]<class T>(TypeTag<T>) {
    // The text is one part of a complex element.
    if constexpr (Number<Part<T>>) parse<Part<T>>(text);
  });
  nesting_.next();
}

void DataReader::string(std::string_view text) {
  nesting_.require_element("a string");
  const auto not_finite = parse_not_finite(text);
  if (!dtype_ && (not_finite || reading_.strings)) {
    dtype_ = not_finite ? DType::float64 : DType::string;
    all_not_finite_ = not_finite.has_value();
  }
  if (not_finite && is_inferred() && dtype_ == DType::int64) read_again(DType::float64);
  if (!not_finite && all_not_finite_ && reading_.strings) read_again(DType::string);
  if (dtype_ == DType::string) {
    elements_.push(elements_.keep_text(text));
  } else if (!not_finite || !put_not_finite(*not_finite)) {
    const std::string_view hint = hint_of_field(text);
    refuse("a string", hint == kComplexHint ? std::string(hint)
                       : !dtype_ || kFloatLike.contains(*dtype_)
                           ? "not-finite numbers are \"NaN\", \"Infinity\" and \"-Infinity\""
                           : "");
  }
  nesting_.next();
}

// Returns false if the dtype has no non-finite elements.
bool DataReader::put_not_finite(double value) {
  if (!kFloatLike.contains(*dtype_)) return false;
  dispatch(*dtype_, [&]<class T>(TypeTag<T>) {
    if constexpr (Number<Part<T>>) {
      Part<T> element{};
      if (!convert_real(value, element, overflow()))
        element = beyond<Part<T>>(name_of_not_finite(value), value);
      elements_.push(element);
    }
  });
  return true;
}

void DataReader::not_finite(double value) {
  const std::string_view found = name_of_not_finite(value);
  nesting_.require_element(found);
  if (!dtype_) dtype_ = DType::float64;
  if (is_inferred() && dtype_ == DType::int64) read_again(DType::float64);
  if ((kIntegerTypes | kSmallIntegerTypes).contains(*dtype_)) throw Error(does_not_fit(found));
  if (!put_not_finite(value)) refuse(found);
  nesting_.next();
}

// Parts are only for text without faults. At a misfit, the text from the beginning of the part on is read
// token by token, which reports the fault: so messages do not depend on parts.
std::size_t DataReader::read_ahead(std::string_view rest, std::size_t offset, const PartFormat& format) {
  constexpr std::size_t kLeast = 256;  // shorter texts gain nothing
  const std::size_t round = to_size(reading_.threads.count()) * 8 * reading_.part_bytes;
  std::size_t done = 0;
  while (offset + done >= not_before_ && dtype_ && is_number(*dtype_) && nesting_.is_settled() &&
         !all_not_finite_) {
    std::string_view text = rest.substr(done, round);
    not_before_ = offset + done + text.size();
    const std::size_t mark = text.rfind(format.mark);
    if (mark == std::string_view::npos || mark < std::min(kLeast, reading_.part_bytes)) break;
    text = text.substr(0, mark + 1);
    if (!ahead_) {
      ahead_ = to_int64(rest.size() - done);
      reading_.threads.expect(*ahead_);
    }
    // The rest of the text probably has the same density, and untouched memory costs nothing.
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

// Reads `text`, which ends with a mark. Returns the number of characters read: all parts before the first
// misfit. If memory must grow, it gets room for `likely` times the numbers of `text`, and at least doubles.
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
  for_each([&](NumberPart& part) { format.read(part, *dtype_, exactness()); });
  std::size_t read = 0;
  for (const NumberPart& part : parts) {
    if (!part.fits || !nesting_.step_over(*part.lists)) break;
    elements_.add(part.elements * size);
    read += part.text.size();
  }
  return read;
}

// The shape that the text states, checked against its lists; or the shape of the lists.
Shape DataReader::final_shape(DType dtype, std::int64_t elements) const {
  Shape found = nesting_.shape();
  if (!header_.shape) return found;
  const Shape& stated = *header_.shape;
  require_fits(stated, element_size(dtype));
  const std::int64_t wanted = count(stated);
  const bool flat = found == Shape{wanted};
  // Lists show the dimensions only through the first 0.
  const auto zero = std::find(stated.begin(), stated.end(), 0);
  const bool nested = found == (zero == stated.end() ? stated : Shape(stated.begin(), zero + 1));
  if (flat || nested) return stated;
  if (is_complex(dtype) && found.empty() && elements == 1)
    throw Error("element [0]: expected [re, im], found a number");
  throw Error(cat("data has shape ", to_string(found), ", which is neither ", to_string(stated),
                  " nor a flat list of ", counted(wanted, "element")));
}

TextTensor DataReader::finish() {
  reading_.threads.advance(ahead_.value_or(0));
  const DType dtype = dtype_.value_or(DType::int64);
  const std::int64_t elements = elements_.bytes() / element_size(dtype);
  TextTensor out;
  try {
    out.tensor = Tensor(dtype, final_shape(dtype, elements), elements_.take_storage());
  } catch (const Error&) {
    // The error of an element has precedence.
    if (refused_) throw Error(*refused_);
    throw;
  }
  out.empty = elements == 0;
  out.refused = std::move(refused_);
  if (out.refused) {
    const auto values = out.tensor.as<std::int64_t>();
    for (std::int64_t i = 0; i < elements && fits_uint64_; ++i) fits_uint64_ = values[i] >= 0;
    out.wider = fits_uint64_ ? DType::uint64 : DType::float64;
  }
  out.all_not_finite = all_not_finite_;
  return out;
}

}  // namespace tensorop
