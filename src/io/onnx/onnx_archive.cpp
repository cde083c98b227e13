// The initializers of an ONNX model as a read-only archive: FILE.onnx:NAME. The elements of a large model are
// in other files (external data), which are opened only inside the folder of the model. Source: onnx.proto of
// ONNX 1.22, docs/ExternalData.md of ONNX.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/onnx/message_kind.hpp"
#include "io/onnx/onnx_fields.hpp"
#include "io/onnx/tensor_proto.hpp"

namespace tensorop {
namespace {

namespace fields = onnx_fields;

// The graph message of the model.
ProtoMessage graph_of(std::span<const std::byte> bytes) {
  std::optional<ProtoMessage> graph;
  for (ProtoMessage model(bytes, 0, fields::model::kNames); model.next();) {
    const ProtoField& field = model.field();
    if (field.number() != fields::model::graph) continue;
    if (graph) throw Error(cat("field ", field.number(), " (graph) is duplicated (byte ", field.byte(), ")"));
    graph = field.message(fields::graph::kNames);
  }
  if (!graph) throw Error("not an ONNX model: no graph (field 7)");
  return *graph;
}

OnnxTensor initializer_of(const ProtoField& field) {
  OnnxTensor tensor{.bytes = field.bytes(), .byte = field.value_byte()};
  tensor.name = tensor_proto_name(tensor.bytes);
  if (tensor.name.empty()) throw Error(cat("an initializer has no name (byte ", field.byte(), ")"));
  return tensor;
}

// Whether a relative path stays inside its folder, by its text alone.
bool stays_inside(std::string_view location) {
  if (location.empty() || location.find('\0') != std::string_view::npos) return false;
  while (true) {
    const std::string_view part = location.substr(0, location.find('/'));
    if (part.empty() || part == "..") return false;
    if (part.size() == location.size()) return true;
    location.remove_prefix(part.size() + 1);
  }
}

// All known programs write ir_version as the first field.
bool begins_as_onnx_model(std::string_view file) {
  return file.starts_with('\x08') && classify_message(std::as_bytes(std::span(file))) == MessageKind::model;
}

// All members are arrays, in the order of the graph.
class OnnxArchive final : public Archive {
 public:
  // Reads the places and names of the initializers. Time is proportional to the number of fields in the
  // graph, memory to the number of initializers. Throws Error.
  explicit OnnxArchive(const InputFile& model)
      : model_(model.mapping()), folder_(model.is_standard_input() ? "" : directory_of(model.name())) {
    for (ProtoMessage graph = graph_of(model_->bytes()); graph.next();) {
      const ProtoField& field = graph.field();
      if (field.number() == fields::graph::node) add_unseen(unseen_, {"node of a model", 1, {}});
      if (field.number() == fields::graph::sparse_initializer) {
        if (warnings_.empty()) warnings_.emplace_back("sparse initializers are left out");
        add_unseen(unseen_, {"sparse initializer", 1, {}});
      }
      if (field.number() != fields::graph::initializer) continue;
      const std::string& name = initializers_.emplace_back(initializer_of(field)).name;
      if (!add_member(name)) throw Error(cat("two initializers have the name ", in_quotes(name)));
    }
  }

  // Checks the external data files that were opened so far.
  [[nodiscard]] bool is_current() const override {
    const std::lock_guard lock(mutex_);
    return std::ranges::all_of(externals_, [](const auto& entry) { return entry.second->is_current(); });
  }

  [[nodiscard]] ArrayEntry make_entry(std::size_t member) const override {
    const OnnxTensor& tensor = initializers_[member];
    ArrayEntry out = tensor_proto_entry(tensor.bytes, tensor.byte, model_, true);
    out.name.clear();
    return out;
  }

 private:
  // Throws Error if the external file is outside the folder, is reached through a symbolic link, or is too
  // short.
  void locate(ArrayEntry& array) const override {
    if (array.file.empty() || array.bytes == 0) return;
    array.owner = open_external(array.file);
    const std::int64_t held = to_int64(array.owner->bytes().size());
    if (array.offset > held - array.bytes)
      throw Error(cat("its data is ", counted(array.bytes, "byte"), " at byte ", array.offset, " of ",
                      printable(array.file), ", which has ", held));
  }
  [[nodiscard]] Tensor decode(const ArrayEntry& array, const ArrayReading& reading) const override {
    const OnnxTensor& tensor = initializers_[array.member];
    return decode_tensor_proto(array, tensor.bytes, tensor.byte, reading);
  }
  // Refuses symbolic links, also of folders in the path: they may lead anywhere.
  [[nodiscard]] std::shared_ptr<const MappedFile> open_external(const std::string& location) const {
    if (folder_.empty())
      throw Error(cat("its data is in ", in_quotes(location), ", and standard input has no folder"));
    if (!stays_inside(location))
      throw Error(
          cat("its data is in ", in_quotes(location), ", which is not a path inside the model's folder"));
    const std::lock_guard lock(mutex_);
    if (const auto known = externals_.find(location); known != externals_.end()) return known->second;
    const std::string path = path_from(folder_, location);
    struct stat info {};
    for (std::size_t slash = path.size() - location.size(); slash != std::string::npos;) {
      slash = path.find('/', slash + 1);
      const std::string part = path.substr(0, slash);
      if (os().lstat(part.c_str(), &info) != 0) throw_errno(part, "cannot open");
      if (S_ISLNK(info.st_mode))
        throw Error(cat(printable(part), ": is a symbolic link, and external data is not read through links"),
                    "", "cp -rL FOLDER COPY makes a copy without links");
    }
    // O_NONBLOCK: opening a FIFO would wait for its writer.
    const FileDescriptor fd(os().open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
    if (!fd.is_open()) throw_errno(path, "cannot open");
    if (os().fstat(fd.get(), &info) != 0) throw_errno(path, "cannot read");
    if (!S_ISREG(info.st_mode)) throw Error(cat(printable(path), ": is not a regular file"));
    if (info.st_size == 0) throw Error(cat(printable(path), ": is empty"));
    return externals_.emplace(location, std::make_shared<MappedFile>(fd, path, info)).first->second;
  }

  std::shared_ptr<const MappedFile> model_;
  std::string folder_;                   // folder of the model; empty: none
  std::deque<OnnxTensor> initializers_;  // a deque, so that names keep their addresses
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::shared_ptr<const MappedFile>> externals_;  // by location
};

std::unique_ptr<Archive> open_onnx(const InputFile& file) {
  auto archive = open_onnx_model(file);
  if (archive->size() != 0) return archive;
  throw Error("is an ONNX model, not a tensor, and has no initializers", "",
              "tensorop check FOLDER checks the folder of its case");
}

}  // namespace

std::unique_ptr<Archive> open_onnx_model(const InputFile& file) {
  return std::make_unique<OnnxArchive>(file);
}

constinit const Format kOnnxFormat = {
    .name = "onnx",
    .title = "ONNX",
    .article = "an",
    .detects = begins_as_onnx_model,
    .is_binary = true,
    .open = open_onnx,
};

}  // namespace tensorop
