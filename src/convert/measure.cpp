#include "convert/measure.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/sha256.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/operands.hpp"
#include "io/array/stored_array.hpp"

namespace tensorop {
namespace {

// Larger arrays get all threads.
constexpr std::int64_t kSmallBytes = 4 << 20;

MeasuredArray measure_one(const FileContent& content, const ArrayEntry& info, bool wants_digest,
                          const Settings& settings) {
  const Source source = content.open(info, with_settings({}, settings));
  const Tensor& tensor = *source.tensor();
  Inputs inputs;
  inputs.add(source.mapping());
  MeasuredArray out{.info = info};
  out.info.dtype = tensor.dtype();
  // A digest takes one thread; the others do not wait for it.
  const Threads& threads = settings.threads;
  threads.for_each(wants_digest ? 2 : 1, [&](std::int64_t task, int /*worker*/) {
    if (task == 1) {
      out.digest = digest_of(tensor);
    } else {
      out.statistics =
          measure_elements(tensor, wants_digest ? threads.at_most(threads.count() - 1) : threads);
    }
  });
  inputs.require_unchanged();
  return out;
}

}  // namespace

std::string digest_of(const Tensor& tensor) {
  Sha256 digest;
  constexpr std::int64_t kBlock = 1 << 16;
  const std::int64_t size = tensor.size();
  if (tensor.dtype() == DType::string) {
    for (const StringRef& string : tensor.strings()) {
      digest.update(std::as_bytes(std::span(&string.size, 1)));
      digest.update(text_bytes(string.view()));
    }
    return digest.finish();
  }
  const bool is_bool = tensor.dtype() == DType::boolean;
  if (!is_bool && !is_in_nibbles(tensor.dtype())) {
    digest.update({tensor.data(), to_size(tensor.bytes())});
    return digest.finish();
  }
  std::vector<std::byte> part(to_size(std::min(kBlock, size)));
  for (std::int64_t i = 0; i < size; i += kBlock) {
    const std::span used(part.data(), to_size(std::min(kBlock, size - i)));
    std::transform(tensor.data() + i, tensor.data() + i + used.size(), used.begin(), [&](std::byte element) {
      return is_bool ? std::byte{element != std::byte{0}} : element & std::byte{0x0F};
    });
    digest.update(used);
  }
  return digest.finish();
}

std::vector<MeasuredArray> measure_arrays(FileContent& content, bool wants_digest, const Settings& settings) {
  const std::size_t count = content.arrays.size();
  std::vector<std::optional<MeasuredArray>> measured(count);
  std::vector<std::optional<Error>> faults(count);
  const auto is_small = [&](std::size_t i) { return content.arrays[i].bytes <= kSmallBytes; };
  const auto attempt = [&](std::size_t i, const Settings& own) {
    try {
      measured[i] = measure_one(content, content.arrays[i], wants_digest, own);
    } catch (const Error& error) {
      faults[i] = error;
    }
  };
  const Threads sharing = settings.threads.at_most(to_int64(std::max<std::size_t>(count, 1)));
  Settings own = settings;
  own.threads = settings.threads.at_most(1);
  own.memory_sharers *= sharing.count();
  own.warn = nullptr;
  sharing.for_each(to_int64(count), [&](std::int64_t i, int /*worker*/) {
    if (is_small(to_size(i))) attempt(to_size(i), own);
  });
  std::vector<MeasuredArray> out;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_small(i)) attempt(i, settings);
    if (measured[i]) out.push_back(*std::move(measured[i]));
    if (faults[i]) content.faults.push_back(*faults[i]);
  }
  return out;
}

}  // namespace tensorop
