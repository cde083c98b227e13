// The initializers of an ONNX model as a read-only archive: FILE.onnx:NAME. The elements of a large model are
// in other files (external data), which are opened only inside the folder of the model. Source: onnx.proto of
// ONNX 1.22, docs/ExternalData.md of ONNX.
#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/onnx/external_files.hpp"
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
      : model_(model.mapping()), external_(model.is_standard_input() ? "" : model.name()) {
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
  [[nodiscard]] bool is_current() const override { return external_.are_current(); }

  [[nodiscard]] ArrayEntry make_entry(std::size_t member) const override {
    const OnnxTensor& tensor = initializers_[member];
    ArrayEntry out = tensor_proto_entry(tensor.bytes, tensor.byte, model_, true);
    out.name.clear();
    return out;
  }

 private:
  void locate(ArrayEntry& array) const override { external_.locate(array); }
  [[nodiscard]] Tensor decode(const ArrayEntry& array, const ArrayReading& reading) const override {
    const OnnxTensor& tensor = initializers_[array.member];
    return decode_tensor_proto(array, tensor.bytes, tensor.byte, reading);
  }
  std::shared_ptr<const MappedFile> model_;
  std::deque<OnnxTensor> initializers_;  // a deque, so that names keep their addresses
  mutable ExternalFiles external_;
};

std::unique_ptr<Archive> open_onnx_model(const InputFile& file) {
  return std::make_unique<OnnxArchive>(file);
}

std::unique_ptr<Archive> open_onnx(const InputFile& file) {
  auto archive = open_onnx_model(file);
  if (archive->size() != 0) return archive;
  throw Error("is an ONNX model, not a tensor, and has no initializers", "",
              "tensorop check FOLDER checks the folder of its case");
}

}  // namespace

constinit const Format kOnnxFormat = {
    .name = "onnx",
    .title = "ONNX",
    .article = "an",
    .endings = {".onnx"},
    .detects = begins_as_onnx_model,
    .detects_in_file = true,
    .is_binary = true,
    .has_arrays = true,
    .open = open_onnx,
    .open_model = open_onnx_model,
};

}  // namespace tensorop
