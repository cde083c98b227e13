// The interface of the engine: a request in, a result out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "io/sink.hpp"
#include "ops/operator.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The destination of an ONNX case folder.
struct CaseDestination {
  std::string folder;    // must be new or empty
  bool durable = false;  // as in OutputFile::create()
};

// Returns shape and dtype of the result, reading only the headers of NPY operands. Throws Error for
// everything that can be checked without elements.
[[nodiscard]] OutputInfo infer_request(const Request& request, const Settings& settings);

// Returns the result in memory. Throws Error.
[[nodiscard]] Tensor evaluate(const Request& request, const Settings& settings);

// Returns a bool tensor of the result's shape: true for elements that the version leaves open. Throws Error.
[[nodiscard]] Tensor open_elements(const Request& request, const Settings& settings);

struct UnspecifiedElements {
  Tensor mask;      // as from open_elements()
  std::string why;  // "onnx ScatterElements-18 (duplicate indices without a reduction)"
};
// Returns the mask and the reason; nothing if the version leaves no element open, or the call fails.
using FindUnspecified = std::function<std::optional<UnspecifiedElements>()>;

// The returned function opens the operands when it is called. It refers to the request, which must outlive
// it; so does Evaluated::unspecified.
[[nodiscard]] FindUnspecified unspecified_elements(const Request& request, const Settings& settings);

struct Evaluated {
  Tensor result;                // as from evaluate()
  FindUnspecified unspecified;  // keeps the operands
};
[[nodiscard]] Evaluated evaluate_with_unspecified(const Request& request, const Settings& settings);

// Writes the result to its destination and, if `open_mask` is given, open_elements() there. A file is
// complete or absent. Both are complete before the first is published, the result first. Throws Error.
void run_request(const Request& request, const Destination& destination, const Settings& settings,
                 const std::optional<Destination>& open_mask = std::nullopt);

// Writes the call and its result as an ONNX case folder (onnx_case_writer.hpp). Like run_request(), also
// writes the result to `destination` and open_elements() to `open_mask`, if given. All are complete before
// the first is published, the case last. Returns the result, which it keeps in memory. Throws Error.
Tensor run_request_as_case(const Request& request, const CaseDestination& onnx_case, const Settings& settings,
                           const std::optional<Destination>& destination = std::nullopt,
                           const std::optional<Destination>& open_mask = std::nullopt);

}  // namespace tensorop
