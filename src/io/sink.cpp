#include "io/sink.hpp"

#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "io/json_writer.hpp"
#include "io/npy.hpp"

namespace tensorop {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

OutputFile open_output(const Destination& destination) {
  if (destination.path == "-") return OutputFile::standard_output();
  return OutputFile::create(destination.path, destination.durable);
}

// NPY with elements of fixed width: the file is a header and the elements as they are.
class NpySink final : public Sink {
 public:
  NpySink(OutputFile file, DType dtype, const Shape& shape)
      : file_(std::move(file)),
        element_bytes_(element_size(dtype)),
        header_(npy_header(dtype, shape, 0)),
        total_(to_int64(header_.size()) + count(shape) * element_bytes_) {
    if (file_.is_stream()) return;
    file_.reserve(total_);
    file_.write_at(0, bytes_of(header_));
  }

  [[nodiscard]] bool is_positional() const override { return !file_.is_stream(); }
  [[nodiscard]] bool is_stream() const override { return file_.is_stream(); }
  void write(std::int64_t first, const std::byte* elements, std::int64_t bytes) override {
    file_.write_at(to_int64(header_.size()) + first * element_bytes_, {elements, to_size(bytes)});
  }
  [[nodiscard]] std::byte* map() override { return file_.map(total_).data() + header_.size(); }
  void encode(std::int64_t /*first*/, std::int64_t elements, const std::byte* data,
              std::string& out) const override {
    out.append(reinterpret_cast<const char*>(data), to_size(elements * element_bytes_));
  }
  void append(std::string_view encoded) override {
    start_stream();
    file_.append(bytes_of(encoded));
  }
  void commit() override {
    if (file_.is_stream()) start_stream();
    file_.commit();
  }

 private:
  // The header of a stream goes out with the first elements: until then everything may still fail.
  void start_stream() {
    if (!std::exchange(started_, true)) file_.append(bytes_of(header_));
  }

  OutputFile file_;
  std::int64_t element_bytes_;
  std::string header_;
  std::int64_t total_;
  bool started_ = false;
};

// Everything that is written from front to end: JSON, and strings in NPY.
class EncodedSink : public Sink {
 public:
  [[nodiscard]] bool is_positional() const final { return false; }
  [[nodiscard]] bool is_stream() const final { return file_.is_stream(); }
  void write(std::int64_t /*first*/, const std::byte* /*elements*/, std::int64_t /*bytes*/) final {}
  [[nodiscard]] std::byte* map() final { return nullptr; }
  void append(std::string_view encoded) final {
    if (!std::exchange(started_, true)) file_.append(bytes_of(before_));
    file_.append(bytes_of(encoded));
  }
  void commit() final {
    append(after_);
    file_.commit();
  }

 protected:
  EncodedSink(OutputFile file, std::string before, std::string after)
      : file_(std::move(file)), before_(std::move(before)), after_(std::move(after)) {}

  // Refuses, before the first byte, what cannot fit: `elements` of at least `least` bytes each.
  void claim(std::int64_t elements, std::optional<std::int64_t> least) const {
    if (file_.is_stream()) return;
    const auto bytes = least ? checked_mul(elements, *least) : std::nullopt;
    file_.require_space(bytes.value_or(std::numeric_limits<std::int64_t>::max()));
  }

 private:
  OutputFile file_;
  std::string before_;
  std::string after_;
  bool started_ = false;
};

class NpyStringSink final : public EncodedSink {
 public:
  NpyStringSink(OutputFile file, const Shape& shape, std::int64_t characters)
      : EncodedSink(std::move(file), npy_header(DType::string, shape, characters), ""),
        characters_(characters) {
    claim(count(shape), checked_mul(characters, 4));
  }
  void encode(std::int64_t /*first*/, std::int64_t elements, const std::byte* data,
              std::string& out) const override {
    append_utf32(out, {reinterpret_cast<const StringRef*>(data), to_size(elements)}, characters_);
  }

 private:
  std::int64_t characters_;
};

class JsonSink final : public EncodedSink {
 public:
  JsonSink(OutputFile file, bool described, DType dtype, const Shape& shape)
      : EncodedSink(std::move(file), before(described, dtype, shape), described ? "}\n" : "\n"),
        dtype_(dtype),
        shape_(shape) {
    constexpr std::int64_t kShortestElement = 2;  // a digit and what separates it from the next
    claim(count(shape), kShortestElement);
  }
  void encode(std::int64_t first, std::int64_t elements, const std::byte* data,
              std::string& out) const override {
    append_json_slice(out, dtype_, shape_, first, elements, data);
  }

 private:
  // An empty tensor has no elements to encode; its shape says all, so the described form keeps its data flat.
  static std::string before(bool described, DType dtype, const Shape& shape) {
    std::string out = described ? json_prefix(dtype, shape) : "";
    if (count(shape) == 0) out += described ? "[]" : json_of_empty(shape);
    return out;
  }

  DType dtype_;
  Shape shape_;
};

}  // namespace

std::optional<Format> parse_format(std::string_view name) {
  const std::string word = lower(name);
  if (word == "npy") return Format::npy;
  if (word == "json") return Format::json;
  if (word == "nested") return Format::nested;
  if (word == "npz") return Format::npz;
  return std::nullopt;
}

Format format_of(const Destination& destination) {
  if (destination.format) return *destination.format;
  if (destination.path == "-") return Format::json;
  if (destination.path.ends_with(".npy")) return Format::npy;
  if (destination.path.ends_with(".json")) return Format::json;
  if (destination.path.ends_with(".npz")) return Format::npz;
  throw Error(cat(printable(destination.path), ": the ending does not tell the format"), "",
              "name it .npy or .json, or give --format npy, json or nested");
}

Format single_format_of(const Destination& destination) {
  const Format format = format_of(destination);
  if (format != Format::npz) return format;
  const std::string shown = destination.path == "-" ? "standard output" : printable(destination.path);
  throw Error(cat(shown, ": only convert writes NPZ archives"), "",
              "write NPY files, then: tensorop convert a.npy b.npy -o ab.npz");
}

std::unique_ptr<Sink> open_sink(const Destination& destination, DType dtype, const Shape& shape,
                                std::int64_t characters) {
  const Format format = single_format_of(destination);
  OutputFile file = open_output(destination);
  if (format == Format::npy && dtype == DType::string) {
    return std::make_unique<NpyStringSink>(std::move(file), shape, characters);
  }
  if (format == Format::npy) return std::make_unique<NpySink>(std::move(file), dtype, shape);
  return std::make_unique<JsonSink>(std::move(file), format == Format::json, dtype, shape);
}

}  // namespace tensorop
