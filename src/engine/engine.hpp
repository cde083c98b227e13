// The interface of the engine: a request in, a result out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

struct UnspecifiedElements {
  Tensor mask;      // that of open_elements()
  std::string why;  // "onnx ScatterElements-18 (duplicate indices without a reduction)"
};
// The same with the reason; nothing where the version leaves no element open, or the call is an error.
[[nodiscard]] std::optional<UnspecifiedElements> unspecified_elements(const Request& request,
                                                                      const Settings& settings);

// Writes the result to its destination, and open_elements() to `open_mask`, if there is one; a file is
// complete or absent. Both are complete before any is published, the result first. Throws Error.
void run_request(const Request& request, const Destination& destination, const Settings& settings,
                 const std::optional<Destination>& open_mask = std::nullopt);

// Writes the call and its result as an ONNX case folder (onnx_case_writer.hpp), and the result to
// `destination`, if there is one, and open_elements() too, as run_request() does. All are complete before any
// is published, the case last. Returns the result, which is in memory meanwhile. Throws Error.
Tensor run_request_as_case(const Request& request, const CaseDestination& onnx_case, const Settings& settings,
                           const std::optional<Destination>& destination = std::nullopt,
                           const std::optional<Destination>& open_mask = std::nullopt);

}  // namespace tensorop
