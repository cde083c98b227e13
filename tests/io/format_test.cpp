// The table of formats: its rows agree with themselves and with each other, and whatever a row writes it
// reads.
#include "io/format.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/inspect.hpp"
#include "io/json/json_writer.hpp"
#include "io/opened_file.hpp"
#include "io/sink.hpp"
#include "io/source.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::io_format_test {
namespace {

std::vector<Tensor> samples() {
  static constexpr std::string_view kTexts = "a\xc3\xa4\xf0\x9f\x99\x82";
  const std::vector<StringRef> texts = {{kTexts.data(), 1}, {kTexts.data(), 7}, {kTexts.data(), 0}};
  return {
      tensor_of<float>(DType::float32, {2, 3}, {1, 2, 3, -0.0F, 5, 1e20F}),
      tensor_of<std::int64_t>(DType::int64, {}, {-7}),
      tensor_of<std::uint8_t>(DType::uint8, {0, 4}, {}),
      tensor_of<std::uint16_t>(DType::bfloat16, {1}, {0x3f80}),
      tensor_of(DType::string, {3}, texts),
  };
}

std::int64_t width_of(const Tensor& tensor) {
  return tensor.dtype() == DType::string ? 3 : 0;
}

// Some formats have no strings: they say so when they are asked to write them. All else every format has, but
// that the rank of a table shows only where it has two columns, and its dtype not at all.
bool is_refused(const Format& format, const Tensor& tensor) {
  if (format.is_table && tensor.rank() == 0) return true;
  if (tensor.dtype() != DType::string) return false;
  const TempDir dir;
  return error_of([&] {
           (void)open_sink({dir.file("file"), &format}, tensor.dtype(), tensor.shape(), width_of(tensor));
         }) != "no error";
}

void write(Sink& sink, const Tensor& tensor) {
  const auto bytes = tensor.size() * element_size(tensor.dtype());
  if (const ElementFile* file = sink.elements()) {
    file->write(0, tensor.data(), bytes);
  } else if (tensor.size() != 0) {
    std::string encoded;
    sink.encode(0, tensor.size(), tensor.data(), encoded);
    sink.append(encoded);
  }
  sink.commit();
}

// Dtype, shape and elements, which the format may leave to be settled.
void check_same(const std::string& text, const Tensor& tensor) {
  Source source = Source::open(text, {.read_later = true});
  if (source.tensor() == nullptr) source.resolve(tensor.dtype());
  REQUIRE(source.tensor() != nullptr);
  CHECK(source.tensor()->dtype() == tensor.dtype());
  CHECK(source.tensor()->shape() == tensor.shape());
  CHECK(nested_json(*source.tensor()) == nested_json(tensor));
}

// DTYPE[DIM,...]@PATH.
std::string raw_operand(const std::string& path, const Tensor& tensor) {
  std::string dims = to_string(tensor.shape());
  dims.front() = '[';
  dims.back() = ']';
  return cat(name(tensor.dtype()), dims, "@", path);
}

std::string names_of(const std::vector<ArrayEntry>& infos) {
  std::vector<std::string> names;
  for (const ArrayEntry& info : infos) names.push_back(info.path.substr(info.path.find(":a:") + 1));
  return join(names);
}

void check_info(const ArrayEntry& info, const std::string& path, const Format& format, const Tensor& tensor) {
  CHECK(info.path == path);
  CHECK(info.format == format.name);
  CHECK(info.dtype == tensor.dtype());
  CHECK(info.shape == tensor.shape());
}

}  // namespace

TEST_CASE("each format's row is complete and means one format", "[io][format]") {
  std::set<std::string_view> names;
  std::set<std::string_view> endings;
  for (const Format* const row : formats()) {
    const Format& format = *row;
    CAPTURE(format.name);
    CHECK(names.insert(format.name).second);
    CHECK(format.name == lower(format.name));
    CHECK_FALSE(format.title.empty());
    CHECK_FALSE(format.article.empty());
    for (const std::string_view ending : format.endings) {
      if (!ending.empty()) CHECK((ending.starts_with('.') && endings.insert(ending).second));
    }
    const int readers = int{format.read_text != nullptr} + int{format.open != nullptr};
    CHECK(readers == (format.detects != nullptr || format.is_table ? 1 : 0));
    if (format.is_table) CHECK((format.read_text != nullptr && !format.endings[0].empty()));
    if (format.encode != nullptr) CHECK_FALSE(format.is_archive());
    if (format.create_archive != nullptr) CHECK(format.is_archive());
    CHECK((format.is_writable() || format.is_readable()));
    CHECK(find_format(format.name) == (format.is_writable() ? &format : nullptr));
  }
  CHECK(find_format("NPY")->name == "npy");
  CHECK(find_format("np") == nullptr);
  CHECK(detect_format("") == nullptr);
}

TEST_CASE("a file of any format reads back as what was written", "[io][format]") {
  const TempDir dir;
  for (const Format* const row : formats()) {
    const Format& format = *row;
    if (format.encode == nullptr) continue;
    for (const Tensor& tensor : samples()) {
      CAPTURE(format.name, name(tensor.dtype()));
      if (is_refused(format, tensor)) continue;
      // The name says another format, but where it decides.
      const std::string path = dir.file(format.is_table ? cat("file", format.endings[0]) : "file.npz");
      write(*open_sink({path, &format}, tensor.dtype(), tensor.shape(), width_of(tensor)), tensor);
      const std::string bytes = get(path);
      if (format.is_readable()) {
        CHECK(&input_format(bytes, path, nullptr) == &format);
        CHECK(&input_format(bytes.substr(0, 4096), path, nullptr) == &format);
        // Whatever follows, it is not refused by its beginning.
        if (format.enough_bytes != nullptr && tensor.size() != 0)
          CHECK(format.enough_bytes(bytes) >= to_int64(bytes.size()));
        if (format.check_text != nullptr) CHECK(format.check_text()(bytes));
      }
      // The nested form has no shape for some empty tensors.
      if ((!format.is_readable() || format.is_table) && tensor.size() == 0) continue;
      check_same(&format == &kRawFormat ? raw_operand(path, tensor) : path, tensor);
      if (format.is_readable() && !format.is_table)
        check_info(inspect_file(path).arrays.at(0), path, format, tensor);
    }
  }
}

TEST_CASE("an archive of any format reads back, as a whole and array by array", "[io][format]") {
  const TempDir dir;
  for (const Format* const row : formats()) {
    const Format& format = *row;
    if (format.create_archive == nullptr) continue;
    auto tensors = samples();
    std::erase_if(tensors, [&](const Tensor& tensor) { return is_refused(format, tensor); });
    for (const bool compress : {false, true}) {
      if (compress && !format.can_compress) continue;
      CAPTURE(format.name, compress);
      const std::string path = dir.file("archive.npy");
      const auto writer = format.create_archive(path, {});
      std::vector<ArchiveArray> arrays;
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        arrays.push_back({.name = cat("a:", i),
                          .dtype = tensors[i].dtype(),
                          .shape = tensors[i].shape(),
                          .compress = compress});
      }
      for (const std::size_t i : writer->announce(arrays)) {
        write(*writer->add(cat("a:", i), tensors[i].dtype(), tensors[i].shape(), width_of(tensors[i])),
              tensors[i]);
      }
      writer->commit();
      CHECK(detect_format(get(path)) == &format);
      const auto infos = inspect_file(path).arrays;
      REQUIRE(infos.size() == tensors.size());
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::string array = cat(path, ":a:", i);
        check_same(array, tensors[i]);
        const auto info = std::ranges::find(infos, array, &ArrayEntry::path);
        REQUIRE(info != infos.end());
        check_info(*info, array, format, tensors[i]);
        check_info(inspect_file(array).arrays.at(0), array, format, tensors[i]);
        ArchiveCache archives;
        CHECK(array_name(array, archives) == cat("a:", i));
      }
      CHECK(error_of([&] { (void)Source::open(path + ":b", {}); }) ==
            cat(path, ": the archive holds no array 'b'\nit holds ", names_of(infos)));
      CHECK(error_of([&] { (void)Source::open(path, {}); }) ==
            cat(path, ": the archive holds ", tensors.size(), " arrays (", names_of(infos),
                "); name one of them\nFILE:NAME names one array of an archive"));
    }
  }
}

}  // namespace tensorop::io_format_test
