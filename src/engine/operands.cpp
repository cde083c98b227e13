#include "engine/operands.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <map>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop {

Source::Options with_settings(Source::Options options, const Settings& settings) {
  options.arrays.threads = settings.threads;
  options.arrays.memory = settings.memory;
  options.arrays.memory_sharers = settings.memory_sharers;
  options.archives = settings.archives;
  options.warn = settings.warn;
  options.arrays.scratch = [&settings](std::int64_t bytes) { return make_scratch(settings, bytes); };
  return options;
}

Source open_operand(const Operand& operand, const Source::Options& options) {
  Source source = Source::open(operand, options);
  if (operand.declared) require_declared(source, *operand.declared);
  return source;
}

Source open_operand(const Operand& operand, const Source::Options& options, const Settings& settings) {
  if (settings.lookup && operand.as<JobResult>() != nullptr) {
    if (auto tensor = settings.lookup(operand.text)) {
      Operand result = operand;
      result.set(std::move(*tensor));
      return open_operand(result, options);
    }
  }
  return open_operand(operand, with_settings(options, settings));
}

Tensor zeros(DType dtype, Shape shape, const Settings& settings, Inputs& inputs) {
  const std::int64_t bytes = count(shape) * element_size(dtype);
  if (with_settings({}, settings).arrays.needs_scratch(bytes)) {
    const auto mapped = make_scratch(settings, bytes).into_mapped();
    inputs.add(mapped);
    return {dtype, std::move(shape), mapped};
  }
  const auto storage = std::make_shared<Storage>(bytes);
  std::memset(storage->data(), 0, to_size(bytes));
  return {dtype, std::move(shape), storage};
}

void require_declared(Source& source, DType declared) {
  if (source.tensor() == nullptr) source.resolve(declared);
  const DType dtype = source.tensor()->dtype();
  if (dtype == declared) return;
  const std::string shown = source.name().empty() ? "the tensor" : source.name();
  throw Error(cat(shown, " is ", name(dtype), ", but is declared as ", name(declared)));
}

namespace {

// Numbers adapt to any numeric dtype; other kinds keep their dtype, and the dtype checks report them.
bool adapts(const Source& untyped, DType dtype) {
  if (untyped.fits_any_dtype() || (dtype == DType::string && untyped.may_be_strings())) return true;
  const auto is_number = [](DType type) { return type != DType::boolean && type != DType::string; };
  return is_number(untyped.natural_dtype()) == is_number(dtype);
}

// The operands of one type variable.
struct OperandGroup {
  std::vector<const Source*> members;
  std::optional<DType> dtype;  // the dtype of the first member that has one
  bool has_lines = false;      // a table of strings is the only reason for string
};

// Returns the common dtype of members that have all been read with their own dtypes.
DType common_dtype(const OperandGroup& group, DType when_empty) {
  std::optional<DType> common;
  bool has_not_finite = false;
  for (const Source* operand : group.members) {
    if (operand->is_unnamed() || operand->fits_any_dtype()) continue;
    has_not_finite = has_not_finite || operand->may_be_strings();
    if (operand->may_be_strings()) continue;
    const DType own = operand->natural_dtype();
    if (!common || own == DType::float64) common = own;
  }
  if (has_not_finite && common != DType::string) return DType::float64;
  return common.value_or(when_empty);
}

// Returns the elements of a float64 tensor as an integer dtype if that changes none of them. Refuses integers
// above 2^53, which may have been rounded.
std::optional<Tensor> exact_integers(const Tensor& tensor, DType dtype) {
  constexpr double kLargest = 0x1p53;
  const bool is_integer = (kIntegerTypes | kSmallIntegerTypes).contains(dtype);
  if (tensor.dtype() != DType::float64 || !is_integer) return std::nullopt;
  const std::int64_t count = tensor.size();
  auto integers = std::make_shared<Storage>(count * element_size(dtype));
  if (cast_elements(integers->data(), dtype, tensor.data(), DType::float64, count) >= 0) return std::nullopt;
  const auto is_exact = [](double value) {
    return std::trunc(value) == value && std::abs(value) <= kLargest;
  };
  const auto values = tensor.as<double>();
  for (std::int64_t i = 0; i < count; ++i) {
    if (!is_exact(values[i])) return std::nullopt;
  }
  return Tensor(dtype, tensor.shape(), integers);
}

}  // namespace

void resolve_dtypes(const std::vector<TypedOperand>& operands, Unfit unfit) {
  std::map<std::string_view, OperandGroup> groups;
  std::vector<TextHead> heads;
  for (const auto& [source, name, type, named, when_empty] : operands) {
    OperandGroup& group = groups[type];
    group.members.push_back(source);
    const Tensor* const tensor = source->tensor();
    const TextHead head = tensor == nullptr ? source->peek() : TextHead();
    if (!group.dtype) group.dtype = tensor != nullptr ? tensor->dtype() : head.dtype;
    heads.push_back(head);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    OperandGroup& group = groups.at(operands[i].type);
    if (group.dtype || !heads[i].has_lines) continue;
    group.dtype = DType::string;
    group.has_lines = true;
  }
  std::size_t failed = operands.size();
  std::exception_ptr error;
  const auto each_untyped = [&](const auto& body) {
    for (std::size_t i = 0; i < failed; ++i) {
      const TypedOperand& operand = operands[i];
      if (operand.source->tensor() != nullptr) continue;
      try {
        with_context(operand.name, [&] { body(operand, groups.at(operand.type), heads[i]); });
      } catch (const Failure&) {
        failed = i;
        error = std::current_exception();
      }
    }
  };
  const auto resolve = [unfit](Source& source, DType dtype) {
    unfit == Unfit::refused ? resolve_as(source, dtype) : resolve_if_fits(source, dtype);
  };
  const auto read = [&resolve](const TypedOperand& operand, OperandGroup& group, const TextHead& head) {
    if (operand.named) {
      operand.source->resolve(*operand.named, Exactness::any);
    } else if (group.dtype && !(group.has_lines && head.has_lines)) {
      resolve(*operand.source, *group.dtype);
    } else {
      operand.source->read();
    }
    if (!group.dtype && operand.source->tensor() != nullptr) group.dtype = operand.source->tensor()->dtype();
  };
  each_untyped([&](const TypedOperand& operand, OperandGroup& group, const TextHead& head) {
    if (head.is_described) read(operand, group, head);
  });
  each_untyped([&](const TypedOperand& operand, OperandGroup& group, const TextHead& head) {
    if (operand.source->is_unread()) read(operand, group, head);
  });
  if (error) std::rethrow_exception(error);
  each_untyped([&](const TypedOperand& operand, OperandGroup& group, const TextHead&) {
    if (!group.dtype) group.dtype = common_dtype(group, operand.when_empty);
    if (!operand.source->is_unnamed()) return resolve(*operand.source, *group.dtype);
    if (operand.named) return operand.source->resolve(*operand.named);
    // Other operands are no evidence of what the bits mean.
    if (unfit == Unfit::refused) (void)operand.source->natural_dtype();
    operand.source->resolve(*group.dtype);
  });
  if (error) std::rethrow_exception(error);
}

void resolve_as(Source& source, DType dtype) {
  if (source.tensor() != nullptr) return;
  if (source.is_unnamed()) return source.resolve(dtype);
  if (source.is_unread()) {
    try {
      return source.resolve(dtype);
    } catch (const Error&) {
      // The caller refuses any other own dtype.
      source.read();
    }
  }
  if (source.tensor() == nullptr) source.resolve(adapts(source, dtype) ? dtype : source.natural_dtype());
}

void resolve_if_fits(Source& source, DType dtype) {
  if (source.tensor() != nullptr) return;
  if (source.is_unnamed()) return source.resolve(dtype);
  try {
    return resolve_as(source, dtype);
  } catch (const Error&) {
    source.read();
  }
  if (source.tensor() != nullptr) return;
  try {
    source.resolve(source.natural_dtype());
  } catch (const Error&) {
    source.resolve(DType::float64);
  }
  if (auto integers = exact_integers(*source.tensor(), dtype)) source.replace(std::move(*integers));
}

}  // namespace tensorop
