#include "ops/fault_text.hpp"

#include "base/text/text.hpp"
#include "kernels/elements/iterator.hpp"
#include "ops/axes.hpp"
#include "ops/index_policy.hpp"
#include "ops/statement.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

std::string value_text(const Tensor& tensor, std::int64_t position) {
  std::string out;
  dispatch(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (Number<T>) {
      char text[kNumberTextSize];
      out.assign(text, write_number(text, tensor.as<T>()[position]));
    }
  });
  return out;
}

// Returns the operand's file in the form " (b.npy)", or an empty text.
std::string file_text(const Call& call, std::size_t operand) {
  const bool is_known = operand < call.files.size() && !call.files[operand].empty();
  return is_known ? cat(" (", call.files[operand], ")") : "";
}

// Returns an element in the form "b[0,3] = 0 (b.npy)".
std::string element_text(const Call& call, std::size_t operand, std::int64_t position) {
  const Tensor& tensor = call.operands[operand];
  return cat(element_name(call.operand_name(operand), position, tensor.shape()), " = ",
             value_text(tensor, position), file_text(call, operand));
}

// Returns the addition for an error that the publisher leaves unspecified, or an empty text.
std::string open_text(const Call& call, std::string_view rule) {
  return leaves_open(*call.version, rule) ? cat(", which ", call.version_name("leaves"), " unspecified") : "";
}

Error index_error(const std::string& element, const PlanFault& fault, const Call& call) {
  const std::int64_t low = index_policy(call).lowest(fault.size);
  std::string allowed = "nothing is allowed";
  const std::int64_t size = indexed_size(call, fault.axis);
  const std::int64_t window = fault.window(size);
  if (fault.size != 0) allowed = cat("allowed ", low, "..", fault.size - 1);
  if (window > 1) allowed += cat(", where a window of ", window, " fits");
  if (fault.size == FaultFacts::kNoEnd) allowed = "allowed from 0";
  const std::string axis =
      cat("axis ", fault.axis, " of ", call.operand_name(0), " (size ", size, "; ", allowed, ")");
  if (fault.fault == Fault::negative_index) {
    const std::string open = open_text(call, "IX-2");
    return Error(
        cat(element, " is negative",
            open.empty() ? cat(", which ", call.version_name("does"), " not allow") : open, " for ", axis),
        "IX-2");
  }
  return Error(cat(element, " is out of range for ", axis, open_text(call, "IX-1")), "IX-1");
}

// Returns "updates[1] and updates[0] (u.npy) are updates of the same element, data[2]" as an Error.
Error duplicate_error(const PlanFault& fault, const Call& call) {
  const auto element = [&](std::size_t operand, std::int64_t position) {
    return element_name(call.operand_name(operand), position, call.operands[operand].shape());
  };
  constexpr std::size_t kUpdates = 2;
  return Error(cat(element(kUpdates, fault.position), " and ", element(kUpdates, fault.earlier),
                   file_text(call, kUpdates), " are updates of the same element, ", element(0, fault.target)),
               "", "with duplicates last the last update wins");
}

// The message for a fault of arithmetic at one element.
Error plain_error(const PlanFault& fault, const std::string& element, const Call& call,
                  const OutputInfo& output) {
  const auto where = [&] {
    return output.shape.empty() ? "" : element_name(" at output position ", fault.position, output.shape);
  };
  switch (fault.fault) {
    case Fault::index_out_of_range:
    case Fault::negative_index:
      return index_error(element, fault, call);
    case Fault::division_by_zero:
    case Fault::zero_power:
      if (call.version->rules.missing_rule == "EW-7") {
        return Error(cat(element, ": integer division by zero", where(), kNotHere), kMissingRule);
      }
      return Error(cat(element, ": integer division by zero", where(), open_text(call, "EW-7")), "EW-7");
    case Fault::negative_shift:
      return Error(cat(element, ": negative shift amount", where(), open_text(call, "EW-8")), "EW-8");
    case Fault::negative_power:
      return Error(cat(element, ": ", call.version_name("has"), " no integer to a negative power", where()),
                   "EW-8");
    case Fault::unrepresentable:
      return Error(
          cat(element, ": not representable in ", name(output.dtype), where(), open_text(call, "EW-8")),
          "EW-8");
    case Fault::does_not_fit:
    case Fault::duplicate_update:
    case Fault::none:
      break;
  }
  __builtin_unreachable();
}

}  // namespace

std::string faulty_element(const PlanFault& fault, const Call& call, const Planned& planned) {
  constexpr std::size_t kIndicesIndex = 1;
  constexpr std::size_t kUpdates = 2;
  // Returns the element of operand `i` from which the faulty element of an element-wise result is computed.
  const auto operand = [&](std::size_t i) {
    return element_text(call, i, *planned.plan.elements()->origin(i, fault.position));
  };
  switch (fault.fault) {
    case Fault::index_out_of_range:
    case Fault::negative_index:
      return element_text(call, kIndicesIndex, fault.position);
    case Fault::duplicate_update:
      return element_text(call, kUpdates, fault.position);
    case Fault::division_by_zero:
    case Fault::negative_shift:
      return operand(1);
    case Fault::zero_power:
    case Fault::negative_power:
    case Fault::unrepresentable:
      return cat(operand(0), " to the power ", operand(1));
    case Fault::does_not_fit:
    case Fault::none:
      break;
  }
  __builtin_unreachable();
}

Error fault_error(const PlanFault& fault, const Call& call, const Planned& planned) {
  // In a dry run the updates may have no elements.
  if (fault.fault == Fault::duplicate_update) return duplicate_error(fault, call);
  return plain_error(fault, faulty_element(fault, call, planned), call, planned.output);
}

}  // namespace tensorop
