// ONNX case folders made of calls: model.onnx with the call as its one node, and the data set
// test_data_set_0, as ONNX's own tests have them (section 2.1 of the specification of formats).
#pragma once

#include <string>
#include <string_view>

#include "base/files/output_folder.hpp"
#include "engine/bind.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The name of the model in its folder.
inline constexpr std::string_view kOnnxModelFile = "model.onnx";

// Throws Error where no model can say what the request asks for: it has another specification than an opset
// of ONNX, or none.
void require_onnx(const Request& request);

// A case being written: nothing of it is visible before commit().
class OnnxCase {
 public:
  // Writes the model, and the operands as they are after reshape; an attribute that ONNX has as an input too.
  // Throws Error where the folder cannot be written, the version is deprecated, as no model with it is valid,
  // or an operand or the output is too large for a .pb.
  OnnxCase(const CaseDestination& destination, const Bound& bound, const Threads& threads);

  // Writes the result of the call. Throws Error.
  void write_output(const Tensor& result, const Threads& threads);
  // As for OutputFolder.
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
