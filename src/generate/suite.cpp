#include "generate/suite.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "base/text/error.hpp"
#include "base/text/json_string.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "engine/execute.hpp"
#include "io/array/encoding.hpp"
#include "io/array/stored_array.hpp"
#include "jobs/call_text.hpp"
#include "jobs/jobs.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kCaseFile = "cases.jsonl";
constexpr std::string_view kOperandFolder = "operands";
constexpr std::string_view kResultFolder = "expected";

// The whole file.
std::string encoded(const Tensor& tensor, const Format& format, std::string_view name) {
  const bool is_text = tensor.dtype() == DType::string;
  const std::int64_t strings =
      is_text && format.measure_strings != nullptr ? format.measure_strings(tensor.strings()) : 0;
  const Encoding encoding = format.encode(tensor.dtype(), tensor.shape(), strings, name);
  std::string out = encoding.prefix;
  if (encoding.element_bytes != 0) {
    out += bytes_text({tensor.data(), static_cast<std::size_t>(tensor.bytes())});
  } else if (tensor.size() != 0) {
    encoding.encode(0, tensor.size(), tensor.data(), out);
  }
  return out += encoding.suffix;
}

std::string real_text(double value) {
  char text[kNumberTextSize];
  return {text, write_number(text, value)};
}

// Elements that are only moved are compared bit for bit. All others need a tolerance: arithmetic may produce
// another NaN, the mathematical library differs, and the order of updates is not specified.
std::string tolerance_of(const GeneratedCase& generated) {
  if (only_moves(generated.request)) return ",\"exact_bits\":true";
  if (const auto& bound = generated.bound) {
    return cat(R"(,"comment":"up to )", counted(bound->updates, "update"),
               R"( of an element, in any order",)", bound->rtol != 0 ? R"("rtol":)" : R"("atol":)",
               real_text(bound->rtol != 0 ? bound->rtol : bound->atol));
  }
  const bool is_inexact = generated.request.op.op->is_inexact;
  return is_inexact && kFloatTypes.contains(generated.result->dtype()) ? ",\"tolerance\":\"auto\"" : "";
}

// 8 hexadecimal digits of the call and of what the case expects: cases of one name are equal, whatever suites
// they are in.
std::string digest_of(const GeneratedCase& generated) {
  const std::string call = job_text(generated.request, [](const std::string&, const Tensor& tensor) {
    if (tensor.dtype() == DType::string) return typed_json(tensor);
    return cat(name(tensor.dtype()), to_string(tensor.shape()),
               bytes_text({tensor.data(), static_cast<std::size_t>(tensor.bytes())}));
  });
  constexpr std::size_t kDigits = 8;
  const std::string held_to = generated.result ? tolerance_of(generated) : std::string(generated.rule);
  return hexadecimal(hash_of(call + held_to)).substr(0, kDigits);
}

}  // namespace

Suite::Suite(const SuiteOptions& options, const std::string& folder) : options_(options), folder_(folder) {
  settings_.memory = std::int64_t{1} << 30;
  if (options.format == nullptr) return;
  folder_.make_folder(std::string(kOperandFolder));
  folder_.make_folder(std::string(kResultFolder));
  // The generator is named, so that a suite can be made again.
  lines_ = cat("{\"defaults\":{\"comment\":\"tensorop generate, version ", kGeneratorVersion, ", seed ",
               options.seed, "\"");
  if (options.spec) lines_ += cat(",\"spec\":", json_string(*options.spec), ",\"ignore_open\":true");
  lines_ += "}}\n";
}

std::string Suite::value_of(const Tensor& tensor, const std::string& file, std::string_view name) {
  const Format& format = *options_.format;
  const DTypeInfo& dtype = info(tensor.dtype());
  const bool is_packed = format.is_archive() && is_in_nibbles(dtype.dtype);  // not all sizes are valid
  if (is_packed || format.missing.contains(dtype.dtype) || format.unnamed.contains(dtype.dtype)) {
    return typed_json(tensor);
  }
  const std::string path = cat(file, format.endings[0]);
  if (format.is_archive()) {
    write_tensor(tensor, Inputs(),
                 {.path = folder_.path_of(path),
                  .format = &format,
                  .array = std::string(name),
                  .shown = folder_.shown_path_of(path)},
                 settings_);
  } else {
    folder_.write_file(path, encoded(tensor, format, name));
  }
  return json_string(path);
}

std::string Suite::line_of(const GeneratedCase& generated, const std::string& name) {
  Request request = generated.request;
  if (request.spec == options_.spec) request.spec.reset();
  const std::string file = cat(kOperandFolder, "/", name, ".");
  std::string line = cat("{\"name\":", json_string(name), ",",
                         job_text(request, [&](const std::string& operand, const Tensor& tensor) {
                           return value_of(tensor, file + operand, operand);
                         }));
  if (!generated.result) {
    line += cat(",\"expect\":{\"error\":", json_string(generated.rule), "}");
  } else {
    line += cat(",\"expect\":", value_of(*generated.result, cat(kResultFolder, "/", name), "expected"));
    line += tolerance_of(generated);
  }
  return line + "}\n";
}

void Suite::add(const GeneratedCase& generated) {
  const std::string name = cat(generated.request.op.name->name, "-", ++cases_, "-", digest_of(generated));
  if (options_.format != nullptr) {
    lines_ += line_of(generated, name);
  } else {
    (void)run_request_as_case(generated.request, {folder_.path_of(name)}, settings_);
  }
}

void Suite::commit() {
  if (options_.format != nullptr) folder_.write_file(std::string(kCaseFile), lines_);
  folder_.commit();
}

void generate_cases(const SuiteOptions& options, std::vector<Generator>& generators, Suite* suite) {
  constexpr std::int64_t kMillion = 1'000'000;
  for (Generator& generator : generators) {
    with_context(generator.subject().op.name->name, [&] {
      for (std::int64_t i = 0; i < options.count; ++i) {
        const bool is_invalid =
            (i + 1) * options.invalid_per_million / kMillion != i * options.invalid_per_million / kMillion;
        const GeneratedCase generated = is_invalid ? generator.next_invalid() : generator.next_valid();
        if (suite != nullptr) suite->add(generated);
      }
    });
  }
}

}  // namespace tensorop
