#include "io/sink.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/files/replaced_file.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/display.hpp"
#include "io/opened_file.hpp"
#include "io/safetensors/array_files.hpp"

namespace tensorop {
namespace {

// Writes a file or a stream with one array.
class FileWriter final : public ByteWriter {
 public:
  explicit FileWriter(OutputFile file) : file_(std::move(file)) {}

  // The file, or null if bytes cannot be written at any offset.
  [[nodiscard]] OutputFile* random_access() { return is_stream() ? nullptr : &file_; }
  [[nodiscard]] bool is_stream() const override { return file_.is_stream(); }
  void append(std::span<const std::byte> bytes) override { file_.append(bytes); }
  void finish() override { file_.finish(); }
  void commit() override { file_.commit(); }

 private:
  OutputFile file_;
};

// The path of the regular file that standard output is redirected to; empty otherwise.
std::string redirected_to() {
  struct stat info {};
  if (os().fstat(STDOUT_FILENO, &info) != 0 || !S_ISREG(info.st_mode)) return {};
  char name[PATH_MAX];
  const ssize_t length = os().readlink("/proc/self/fd/1", name, sizeof name);
  return length <= 0 ? "" : std::string(name, static_cast<std::size_t>(length));
}

// If standard output is a file, the format must match its name; a terminal gets only text.
const Format& standard_output_format(const Format* given) {
  if (given != nullptr) {
    if (given->is_binary && os().isatty(STDOUT_FILENO)) {
      throw Error(cat("standard output is a terminal, and ", given->title, " is binary"), "",
                  cat("-o FILE", given->endings[0], " writes a file"));
    }
    return *given;
  }
  if (os().isatty(STDOUT_FILENO)) return kDisplayFormat;
  const std::string path = redirected_to();
  const Format* const named = path.empty() ? nullptr : find_format_by_ending(path);
  // The extension of a text file does not choose a format.
  if (named == nullptr || named == &kJsonFormat || named == &kTextFormat) return kJsonFormat;
  const std::string file = printable(path.substr(path.rfind('/') + 1));
  throw Error(cat("standard output is ", file, ", but the result is ", kJsonFormat.title), "",
              cat("-o ", file, " writes ", named->title, "; so does --format ", named->name));
}

// The only array of an archive that is replaced as a whole. Throws Error if more would be lost.
std::string only_array(const Archive& archive, const Destination& destination) {
  const std::string& given = destination.array;
  if (archive.size() == 0) return given.empty() ? std::string(kOnlyArray) : given;
  std::string old(archive.name(0));
  if (archive.size() == 1 && archive.is_array(0) && (given.empty() || given == old)) return old;
  const std::string other = archive.list_members(false);
  throw Error(
      cat(printable(destination.path), ": holds other arrays, which would be lost: ",
          archive.list_members(true), other.empty() ? "" : ", ", other),
      "", cat("-o ", printable(destination.path), ":NAME replaces or adds one array and keeps the others"));
}

// The file that has the array of an index. Throws Error.
std::string shard_of(const Destination& destination, const Archive& index) {
  const std::string& path = destination.path;
  if (!index.lookup(destination.array)) {
    throw Error(cat(printable(path), ": names no array ", in_quotes(destination.array)), "",
                "an index takes no new arrays: SHARD:NAME adds one to a file");
  }
  std::string shard = path_from(directory_of(path), index.entry(index.find(destination.array)).file);
  if (destination.replaced && destination.replaced->path() != shard)
    throw Error(cat(printable(path), ": was replaced or changed by another process"));
  return shard;
}

// Throws Error if the call may only replace, and the archive has no such array.
void require_replaced(const Destination& destination, const Archive& old) {
  try {
    (void)old.find(destination.array);
  } catch (const Error& error) {
    const bool is_near = error.hint().starts_with("did you mean");
    throw Error(
        cat(printable(destination.path), ": has no array ", in_quotes(destination.array), " to replace"), "",
        cat(is_near ? cat(error.hint(), " ") : "", "--add adds a new array"));
  }
}

std::unique_ptr<Sink> open_archive_sink(const Destination& given, const Format& given_format, DType dtype,
                                        const Shape& shape, std::int64_t strings, const Warn& warn) {
  Destination destination = hold_archive(given);
  const Format* format = &given_format;
  std::string name =
      destination.array.empty() && !destination.is_member ? std::string(kOnlyArray) : destination.array;
  std::shared_ptr<const Archive> old = replaced_archive(destination.path, *format, destination.is_member);
  if (old && format == &kShardIndexFormat) {
    destination.path = shard_of(destination, *old);
    format = &kSafetensorsFormat;
    old = replaced_archive(destination.path, *format, true);
  }
  if (format->create_archive == nullptr) refuse_output(destination.path, *format);
  if (old && !destination.is_member) name = only_array(*old, destination);
  with_context(printable(given.path), [&] {
    try {
      if (destination.is_member && format->require_name != nullptr) format->require_name(name);
    } catch (const Error& error) {
      throw Error(error.what());  // drops the hint, which is about inputs of convert
    }
  });
  const auto member = old ? old->lookup(name) : std::nullopt;
  if (old && destination.replaces_only) require_replaced(destination, *old);
  if (member && !old->is_array(*member))
    throw Error(cat(printable(destination.path), ": member ", in_quotes(name), " is not an array"));
  if (old && destination.is_member && !member) require_model_stays_whole(destination.path, {name});
  ArchiveOptions options{
      .durable = destination.durable, .replaced = destination.replaced, .writers = destination.writers};
  std::vector<ArchiveArray> arrays;
  ArchiveArray added{.name = name, .dtype = dtype, .shape = shape};
  bool is_sized = old != nullptr && format->has_index;
  if (old) {
    options.metadata = old->metadata();
    options.comment = old->comment();
    options.keeps_order = true;
    arrays = kept_members(old);
    added.compress = old->size() != 0 && old->is_compressed(member.value_or(old->size() - 1));
  }
  if (member) {
    try {
      ArrayEntry before = old->entry(*member);
      if (!destination.is_member) before.shape = shape;  // the file is replaced as a whole
      warn_of_change(given.path, name, before, dtype, shape, warn);
      is_sized = is_sized && (before.dtype != dtype || before.shape != shape);
    } catch (const Error&) {
      // What is no NPY file is replaced like any array.
    }
    added.old = old;
    added.member = *member;
  }
  member ? void(arrays[*member] = std::move(added)) : arrays.push_back(std::move(added));
  warn_of_link(destination, warn);
  auto archive = format->create_archive(destination.path, options);
  (void)archive->announce(std::move(arrays));
  auto sink = archive->add(name, dtype, shape, strings);
  sink->take_writer(std::move(archive), [=, said = old ? given.said : nullptr] {
    if (is_sized) update_model_sizes(destination.path, destination.durable);
    if (said)
      said(cat(member ? "replaced " : "added ", printable(name), member ? " in " : " to ",
               printable(given.path)));
  });
  return sink;
}

}  // namespace

std::unique_ptr<Sink> file_sink(Encoding encoding, OutputFile output) {
  auto writer = std::make_unique<FileWriter>(std::move(output));
  OutputFile* const file = writer->random_access();
  const std::int64_t around = to_int64(encoding.prefix.size() + encoding.suffix.size());
  if (file != nullptr && encoding.element_bytes != 0)
    file->reserve(saturated(checked_add(around, encoding.least_bytes)));
  else if (file != nullptr)
    file->require_space(encoding.least_bytes);
  auto sink = std::make_unique<Sink>(std::move(encoding), *writer, file);
  sink->take_writer(std::move(writer));
  return sink;
}

void ElementFile::write(std::int64_t first, const std::byte* elements, std::int64_t bytes) const {
  file_.write_at(offset_ + first * width_, {elements, to_size(bytes)});
}

OutputFile::Part ElementFile::share(const MappedFile& from, const std::byte* elements) const {
  return file_.share(offset_, from, elements - from.bytes().data(), bytes_);
}

std::byte* ElementFile::map() const {
  return file_.map(offset_ + bytes_).data() + offset_;
}

Sink::~Sink() = default;

Sink::Sink(Encoding encoding, ByteWriter& writer, OutputFile* file, std::int64_t offset)
    : encoding_(std::move(encoding)), writer_(writer) {
  if (encoding_.element_bytes == 0 || file == nullptr) return;
  const std::int64_t begin = offset + to_int64(encoding_.prefix.size());
  if (!encoding_.prefix.empty()) file->write_at(offset, text_bytes(encoding_.prefix));
  if (!encoding_.suffix.empty()) file->write_at(begin + encoding_.least_bytes, text_bytes(encoding_.suffix));
  elements_.emplace(*file, begin, encoding_.element_bytes, encoding_.least_bytes);
}

bool Sink::is_stream() const {
  return writer_.is_stream();
}

void Sink::encode(std::int64_t first, std::int64_t count, const std::byte* elements, std::string& out) const {
  if (!takes_memory()) return encoding_.encode(first, count, elements, out);
  out.append(reinterpret_cast<const char*>(elements), to_size(count * encoding_.element_bytes));
}

// Writes the prefix with the first elements: an earlier error leaves a stream untouched.
void Sink::start() {
  if (!std::exchange(started_, true)) writer_.append(text_bytes(encoding_.prefix));
}

void Sink::append(std::string_view encoded) {
  start();
  writer_.append(text_bytes(encoded));
}

void Sink::finish() {
  if (std::exchange(is_finished_, true)) return;
  if (!elements_) append(encoding_.ending ? encoding_.ending() : encoding_.suffix);
  writer_.end_array();
  if (own_writer_) own_writer_->finish();
}

void Sink::commit() {
  finish();
  if (own_writer_) own_writer_->commit();
  if (after_commit_) after_commit_();
}

void Sink::take_writer(std::unique_ptr<ByteWriter> writer, std::function<void()> after_commit) {
  own_writer_ = std::move(writer);
  after_commit_ = std::move(after_commit);
}

const Format& format_of(const Destination& destination) {
  if (destination.path == "-") return standard_output_format(destination.format);
  return destination.format != nullptr ? *destination.format : format_by_ending(destination.path);
}

void set_path(Destination& destination, const Operand& operand) {
  if (operand.as<RawBytes>() != nullptr)
    throw Error(cat(printable(operand.shown()), ": a result has a dtype and a shape already"), "",
                cat("-o ", printable(operand.path), " --format raw writes its elements"));
  destination.path = operand.is_standard_input() ? "-" : operand.path;
  struct stat info {};
  if (operand.is_standard_input() || os().lstat(destination.path.c_str(), &info) == 0) return;
  std::optional<NameInFile> member;
  if (const auto opened = open_archive_path(operand)) {
    if (destination.format == nullptr) destination.format = opened->format;
    member = NameInFile{opened->shown(), *opened->array};
  } else {
    member = find_member(operand, names_archive);
  }
  if (!member) return;
  destination.path = std::move(member->file);
  destination.array = std::move(member->name);
  destination.is_member = true;
}

void warn_of_change(const std::string& path, const std::string& name, const ArrayEntry& before, DType dtype,
                    const Shape& shape, const Warn& warn) {
  if (!warn) return;
  const std::string array = cat(printable(path), ":", printable(name));
  if (before.dtype && before.names_dtype && *before.dtype != dtype)
    warn(
        cat(array, ": its dtype was ", tensorop::name(*before.dtype), " and is now ", tensorop::name(dtype)));
  if (before.shape != shape)
    warn(cat(array, ": its shape was ", to_string(before.shape), " and is now ", to_string(shape)));
}

void warn_of_link(const Destination& held, const Warn& warn) {
  if (!warn || !held.replaced || !held.replaced->exists()) return;
  const std::string& path = held.replaced->path();
  const std::string target = resolve_links(path);
  PathKeys keys;
  if (keys.key_of_folder(directory_of(target)) == keys.key_of_folder(directory_of(path))) return;
  warn(cat(printable(path), ": is a link to another folder: ", printable(target), " is replaced"));
}

Destination hold_archive(Destination destination, bool waits) {
  if (destination.replaced || !format_of(destination).is_archive()) return destination;
  std::string file = destination.path;
  if (&format_of(destination) == &kShardIndexFormat)
    file = ArrayFiles::file_of_index(file, destination.array);
  const auto busy = waits ? ReplacedFile::Busy::wait : ReplacedFile::Busy::refuse;
  destination.replaced = ReplacedFile::lock_file(file, busy);
  return destination;
}

std::unique_ptr<Archive> replaced_archive(const std::string& path, const Format& format, bool must_be_whole) {
  struct stat info {};
  if (path == "-") return nullptr;
  if (os().stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) throw_errno(path, "cannot write");
    return nullptr;
  }
  if (!S_ISREG(info.st_mode) || info.st_size == 0) return nullptr;
  auto opened = open_whole_path(Operand::of_path(path), &kJsonFormat);
  if (!opened) throw_errno(path, "cannot open");
  if (!opened->format->is_archive()) {
    if (must_be_whole)
      throw Error(cat(printable(path), ": is not an archive, so no array of it can be written"));
    return nullptr;
  }
  std::unique_ptr<Archive> archive;
  try {
    archive = open_archive(*opened);
  } catch (const Error&) {
    // An archive that cannot be read cannot be kept.
    if (must_be_whole) throw;
    return nullptr;
  }
  if (opened->format != &format)
    throw Error(
        cat(printable(path), ": is ", noun_of(*opened->format), ", and the result would be ", format.title));
  return archive;
}

std::unique_ptr<Sink> open_sink(const Destination& destination, DType dtype, const Shape& shape,
                                std::int64_t strings, const Warn& warn) {
  const Format& format = format_of(destination);
  if (!format.is_archive() && names_archive(destination.path))
    (void)replaced_archive(destination.path, format, false);
  if (format.is_archive()) return open_archive_sink(destination, format, dtype, shape, strings, warn);
  if (destination.is_member)
    throw Error(cat(printable(destination.path), ": ", noun_of(format), " has no arrays with names"));
  OutputFile file =
      OutputFile::create(destination.path, destination.durable, destination.shown, destination.writers);
  return file_sink(format.encode(dtype, shape, strings, destination.array), std::move(file));
}

}  // namespace tensorop
