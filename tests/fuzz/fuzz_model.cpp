// An ONNX model. What is read is described, and called: skipped, refused, or a request whose inputs are those
// that the call names. Its initializers are an archive, beside a file "w" of external data.
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/files/input_file.hpp"
#include "engine/engine.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/memory_system.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/onnx/message_kind.hpp"
#include "io/onnx/onnx_model.hpp"
#include "jobs/onnx_call.hpp"
#include "report/describe_file.hpp"

namespace tensorop::fuzz {
namespace {

void check_text(const std::string& text, std::string_view what) {
  for (const char c : text) {
    require(static_cast<unsigned char>(c) >= ' ' || c == '\n', what);
  }
}

void check_call(const OnnxModel& model) {
  const auto found = attempt([&] { return call_of_model(model); });
  if (!found) return;
  if (const auto* skipped = std::get_if<Skipped>(&*found)) {
    require(!skipped->what.empty(), "a model is skipped without a name");
    check_text(skipped->reason, "the reason of a skipped model has control characters");
    return;
  }
  const auto& call = std::get<OnnxCall>(*found);
  for (const OnnxCall::Operand& operand : call.operands) {
    require(operand.initializer.has_value() || operand.input < call.inputs.size(),
            "an operand is an input that the call does not have");
  }
  const std::vector<Operand> inputs(call.inputs.size(), Operand(std::string("[[1,0],[0,1]]")));
  const Request request = request_of(call, inputs);
  // Shapes only: an initializer may ask for a result of any size.
  (void)attempt([&] { return infer_request(request, {}); });
}

void check_initializers(const std::string& model) {
  MemorySystem memory;
  memory.put("m", model);
  memory.put("w", std::string(16, 'w'));
  const ScopedSystem scope(memory);
  InputFile file = InputFile::open("m");
  const auto archive = attempt([&] { return kOnnxFormat.open(file); });
  if (!archive) return;
  for (std::size_t i = 0; i < (*archive)->size(); ++i) {
    require((*archive)->find((*archive)->name(i)) == i, "a name finds another initializer");
    const auto info = attempt([&] { return (*archive)->entry(i); });
    const auto tensor =
        attempt([&] { return (*archive)->read((*archive)->readable((*archive)->entry(i)), {}); });
    require(!tensor || info, "an initializer is read and not described");
    if (!tensor) continue;
    require(*info->dtype == tensor->dtype() && info->shape == tensor->shape(),
            "the description is of another initializer");
    require_round_trip(*tensor);
  }
  require((*archive)->is_current(), "files that nobody changes have changed");
}

}  // namespace

static int run_model(const std::uint8_t* data, std::size_t size) {
  const MemoryBound bound(size);
  const auto owner = std::make_shared<const std::string>(text_of(data, size));
  const auto bytes = std::as_bytes(std::span(*owner));
  const bool is_model = classify_message(bytes) == MessageKind::model;
  (void)kOnnxFormat.detects(*owner);
  if (size > 0) check_initializers(*owner);
  const auto model =
      attempt([&] { return read_onnx_model(bytes, std::make_shared<MappedFile>(bytes, owner)); });
  if (!model) return 0;
  // An empty graph may as well be the integers of a tensor.
  require(is_model || size > 64 || model->nodes.empty(), "a short model is not recognized");
  check_text(describe_text(*model, "model.onnx"), "a description has control characters");
  (void)file_entry(*model, "model.onnx").json();
  check_call(*model);
  return 0;
}

const NamedTarget kModelTarget("model", run_model);

}  // namespace tensorop::fuzz
