// Writes ONNX case folders: model.onnx with the call as its only node, and the data set test_data_set_0, in
// the layout of ONNX's own tests (docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "base/files/output_folder.hpp"
#include "engine/bind.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The name of the model in its folder.
inline constexpr std::string_view kOnnxModelFile = "model.onnx";

// Throws Error if no model can express the request, because it names no opset of ONNX.
void require_onnx(const Request& request);

// A case that is being written: none of it is visible before commit().
class OnnxCase {
 public:
  // Writes the model and the operands, after reshape, including attributes that are inputs in ONNX. Throws
  // Error if the folder cannot be written, if the version is deprecated, because no model with it is valid,
  // or if an operand or the output is too large for a .pb.
  OnnxCase(const CaseDestination& destination, const Bound& bound, const Threads& threads);

  // Writes the result of the call. Throws Error.
  void write_output(const Tensor& result, const Threads& threads);
  // Same meaning as in OutputFolder.
  void finish() { folder_.finish(); }
  void commit() { folder_.commit(); }

 private:
  void write_model(std::string_view bytes) const;
  void write_file(const std::string& file, const std::string& name, const Tensor& tensor,
                  const Inputs& inputs, const Threads& threads) const;

  OutputFolder folder_;
  bool durable_;
  std::string output_name_;
};

}  // namespace tensorop
