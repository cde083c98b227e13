// The interface of the engine: a request in, a result out.
#pragma once

#include <string>

#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "io/sink.hpp"
#include "ops/operator.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Where an ONNX case folder goes.
struct CaseDestination {
  std::string folder;    // new, or empty
  bool durable = false;  // as in OutputFile::create()
};

// Shape and dtype of the result; reads only the headers of NPY operands. Throws Error for everything that can
// be checked without elements.
[[nodiscard]] OutputInfo infer_request(const Request& request, const Settings& settings);

// The result in memory. Throws Error.
[[nodiscard]] Tensor evaluate(const Request& request, const Settings& settings);

// A bool tensor of the result's shape: true for each element that the version leaves open. Throws Error.
[[nodiscard]] Tensor open_elements(const Request& request, const Settings& settings);

// Writes the result to its destination; a result file is complete or absent. `open_mask`, where it is not
// null: where a bool tensor of the result's shape goes, true for each element that the version leaves open.
// Both are complete before either is published, the result first. Throws Error.
void run_request(const Request& request, const Destination& destination, const Settings& settings,
                 const Destination* open_mask = nullptr);

// Writes the call and its result as an ONNX case folder (onnx_case.hpp), and the result to `destination` and
// the mask to `open_mask` too where they are not null, as run_request() does. All are complete before any is
// published, the case last. Returns the result, which is in memory meanwhile. Throws Error.
Tensor run_request_as_case(const Request& request, const CaseDestination& onnx_case, const Settings& settings,
                           const Destination* destination = nullptr, const Destination* open_mask = nullptr);

}  // namespace tensorop
