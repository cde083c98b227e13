#include "io/source.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "io/npy.hpp"

namespace tensorop {

// A list, an object or a string by how it begins; a number, true or false only as a whole: 2024.npy is a
// file.
bool looks_like_json(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return false;
  const std::string_view value = text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
  if (value[0] == '[' || value[0] == '{' || value[0] == '"') return true;
  if (value == "true" || value == "false") return true;
  const bool is_number = value[0] == '-' || (value[0] >= '0' && value[0] <= '9');
  return is_number && value.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

namespace {

std::string_view front_of(const InputFile& file) {
  const auto bytes = file.mapping()->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

FileKind kind_of(std::string_view front) {
  if (front.starts_with(kNpyMagic)) return FileKind::npy;
  return begins_as_zip(front) ? FileKind::npz : FileKind::json;
}

// "a.npz:x", as open_file() says. What stands to the left of a colon is looked into only where that takes
// nothing away from it: a regular file.
std::optional<OpenedFile> open_at_colon(const std::string& text) {
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    std::string path = text.substr(0, colon);
    struct stat info {};
    if (os().stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    InputFile file = InputFile::open(path);
    if (!file.mapping() || kind_of(front_of(file)) != FileKind::npz) continue;
    return OpenedFile{std::move(file), {}, FileKind::npz, std::move(path), text.substr(colon + 1)};
  }
  return std::nullopt;
}

const ZipMember& chosen_member(const OpenedFile& opened, const NpzArchive& archive) {
  return with_context(printable(opened.shown), [&]() -> const ZipMember& {
    return opened.array ? archive.find(*opened.array) : archive.only();
  });
}

}  // namespace

std::optional<Tensor> parse_abstract(const std::string& text) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string::npos || !text.ends_with(']')) return std::nullopt;
  const auto dtype = parse_dtype(std::string_view(text).substr(0, bracket));
  if (!dtype) return std::nullopt;
  Shape shape;
  std::string_view dims = std::string_view(text).substr(bracket + 1, text.size() - bracket - 2);
  while (!dims.empty()) {
    const std::size_t comma = dims.find(',');
    const auto dim = parse_int64(dims.substr(0, comma));
    if (!dim || *dim < 0) throw Error(cat(printable(text), ": dimensions are numbers from 0 on"));
    if (shape.size() == kMaxRank) throw Error(cat(printable(text), ": more than ", kMaxRank, " dimensions"));
    shape.push_back(*dim);
    if (comma == std::string_view::npos) break;
    dims.remove_prefix(comma + 1);
    if (dims.empty()) throw Error(cat(printable(text), ": a dimension is missing behind the last comma"));
  }
  with_context(printable(text), [&] { require_fits(shape, element_size(*dtype)); });
  return Tensor(*dtype, std::move(shape));
}

Source Source::of(Tensor tensor) {
  Source source;
  source.tensor_ = std::move(tensor);
  return source;
}

OpenedFile open_file(const std::string& path) {
  if (path != "-" && !file_exists(path)) {
    if (auto archive = open_at_colon(path)) return std::move(*archive);
  }
  InputFile file = path == "-" ? InputFile::standard_input() : InputFile::open(path);
  std::string head;
  if (!file.mapping()) {
    head.resize(kNpyMagic.size());
    head.resize(file.read(std::as_writable_bytes(std::span(head))));
  }
  const FileKind kind = kind_of(file.mapping() ? front_of(file) : std::string_view(head));
  std::string shown = path == "-" ? file.name() : path;
  return {std::move(file), std::move(head), kind, std::move(shown), std::nullopt};
}

JsonText json_text(OpenedFile opened) {
  if (!opened.file.mapping()) return {std::move(opened.file), std::move(opened.head)};
  return {front_of(opened.file), opened.file.mapping()};
}

NpzArchive open_archive(const OpenedFile& opened) {
  return with_context(printable(opened.shown), [&] {
    if (!opened.file.mapping()) {
      throw Error("an NPZ archive cannot be read as a stream: its directory is at its end", "",
                  "save it to a file first");
    }
    return NpzArchive(opened.file.mapping());
  });
}

std::string array_path(const OpenedFile& opened, const ZipMember& member) {
  return cat(opened.shown, ":", array_of(member));
}

std::string array_name(const std::string& text) {
  if (text == "-" || (!names_file(text) && looks_like_json(text))) return {};
  const OpenedFile opened = open_file(text);
  if (opened.kind == FileKind::npz) {
    return std::string(array_of(chosen_member(opened, open_archive(opened))));
  }
  const std::string file = text.substr(text.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  return dot == 0 ? file : file.substr(0, dot);
}

bool names_file(const std::string& text) {
  return file_exists(text) || (!looks_like_json(text) && open_at_colon(text).has_value());
}

Source Source::open(const std::string& text, const Options& options) {
  if (text.empty()) throw Error("an empty text is neither a file nor a tensor");
  Source source;
  if (options.is_json) {
    source.text_ = std::make_shared<JsonText>(text, nullptr);
  } else if (text != "-" && !file_exists(text)) {
    if (options.allow_abstract) {
      if (auto abstract = parse_abstract(text)) return of(std::move(*abstract));
    }
    // Not a file of that name: the tensor itself, or a mistake that is best called a missing file.
    if (looks_like_json(text)) source.text_ = std::make_shared<JsonText>(text, nullptr);
  }
  if (!source.text_) source.open_file(text, options);
  if (source.tensor_) return source;
  const auto read = [&] {
    return options.untyped_as ? read_json(*source.text_, options.untyped_as) : source.read_natural();
  };
  JsonTensor json = source.name_.empty() ? read() : with_context(source.name_, read);
  if (json.typed || options.untyped_as) {
    source.tensor_ = std::move(json.tensor);
    source.text_.reset();
  } else {
    source.natural_ = std::move(json);
  }
  return source;
}

void Source::open_file(const std::string& text, const Options& options) {
  OpenedFile opened = tensorop::open_file(text);
  name_ = printable(opened.shown);
  mapping_ = opened.file.mapping();
  if (opened.kind == FileKind::json) {
    text_ = std::make_shared<JsonText>(json_text(std::move(opened)));
  } else if (opened.kind == FileKind::npy) {
    const auto head = std::as_bytes(std::span(opened.head));
    tensor_ = with_context(name_, [&] { return read_npy(opened.file, head, options.header_only); });
  } else {
    const NpzArchive archive = open_archive(opened);
    const ZipMember& member = chosen_member(opened, archive);
    name_ = printable(array_path(opened, member));
    tensor_ = with_context(name_, [&] { return archive.read(member, options.header_only); });
  }
}

JsonTensor Source::read_natural() const {
  try {
    return read_json(*text_, std::nullopt);
  } catch (const MemoryError&) {
    throw;
  } catch (const Error&) {
    // Integers beyond int64 are well in another dtype, and which it will be is not known yet: they go without
    // elements here, and are read, or refused, when it is.
    try {
      text_->rewind();
      JsonTensor json = read_json(*text_, DType::float64);
      json.tensor = Tensor(DType::int64, json.tensor.shape());
      return json;
    } catch (const Error&) {  // not that: the first error stands
    }
    throw;
  }
}

void Source::resolve(DType dtype) {
  const bool is_read = natural_->tensor.data() != nullptr || natural_->tensor.size() == 0;
  if (dtype == natural_->tensor.dtype() && is_read) {
    tensor_ = std::move(natural_->tensor);
  } else {
    text_->rewind();
    const auto read = [&] { return read_json(*text_, dtype).tensor; };
    tensor_ = name_.empty() ? read() : with_context(name_, read);
  }
  natural_.reset();
  text_.reset();
}

}  // namespace tensorop
