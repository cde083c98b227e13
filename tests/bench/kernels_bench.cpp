// How fast the kernels are in memory, without files: every plan fills one buffer over and over, with the
// chunks and threads the program would use. Each row shows the least traffic (bytes that must be read and
// written at least once) in GB/s, and its share of what memcpy moves in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "engine/bind.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kChunk = 1 << 20;  // bytes, as in engine/execute.cpp

const Threads& threads() {
  static const Threads all(available_cores());
  return all;
}

// GB/s, read and written, of a copy of 256 MiB on all threads: the yardstick.
double memcpy_speed() {
  static const double speed = [] {
    constexpr std::int64_t kBytes = 256 << 20;
    Storage from(kBytes);
    Storage to(kBytes);
    std::memset(from.data(), 1, kBytes);
    double best = 0;
    for (int run = 0; run < 5; ++run) {
      const auto start = std::chrono::steady_clock::now();
      threads().for_each(kBytes / kChunk, [&](std::int64_t chunk, int) {
        std::memcpy(to.data() + chunk * kChunk, from.data() + chunk * kChunk, kChunk);
      });
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      best = std::max(best, 2e-9 * static_cast<double>(kBytes) / time.count());
    }
    return best;
  }();
  return speed;
}

Tensor random_tensor(DType dtype, Shape shape) {
  auto storage = std::make_shared<Storage>(count(shape) * element_size(dtype));
  std::mt19937_64 random(1);
  for (std::int64_t i = 0; i < count(shape); ++i) {
    dispatch(dtype, [&]<class T>(TypeTag<T>) {
      if constexpr (std::is_arithmetic_v<T>) {
        reinterpret_cast<T*>(storage->data())[i] = static_cast<T>(random() % 100 + 1);
      } else if constexpr (Half<T>) {
        reinterpret_cast<T*>(storage->data())[i] = round_half<T>(static_cast<float>(random() % 100 + 1));
      }
    });
  }
  return {dtype, std::move(shape), storage};
}

Tensor random_indices(DType dtype, Shape shape, std::int64_t below) {
  auto storage = std::make_shared<Storage>(count(shape) * element_size(dtype));
  std::mt19937_64 random(2);
  for (std::int64_t i = 0; i < count(shape); ++i) {
    const auto index = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
    dispatch(dtype, [&]<class T>(TypeTag<T>) {
      if constexpr (std::is_integral_v<T>) reinterpret_cast<T*>(storage->data())[i] = static_cast<T>(index);
    });
  }
  return {dtype, std::move(shape), storage};
}

void run_plan(const Plan& plan, const OutputInfo& output, std::byte* out) {
  const std::int64_t width = element_size(output.dtype);
  const std::int64_t elements = count(output.shape);
  const std::int64_t size = kChunk / width;
  const bool whole = plan.prefers_whole();
  if (!whole || plan.base() != nullptr) {
    threads().for_each((elements + size - 1) / size, [&](std::int64_t chunk, int) {
      const Range range = {chunk * size, std::min(size, elements - chunk * size)};
      std::byte* to = out + range.first * width;
      if (whole) {
        std::memcpy(to, plan.base() + range.first * width, static_cast<std::size_t>(range.count * width));
      } else {
        plan.fill(range, to);
      }
    });
  }
  if (!whole) return;
  const std::int64_t parts = threads().count();
  threads().for_each(parts, [&](std::int64_t part, int) { plan.fill_part(out, part, parts); });
}

// What an operand is to be; made only when its benchmark runs.
struct Operand {
  DType dtype;
  Shape shape;
  std::int64_t below = 0;  // of indices: their bound
};

struct Case {
  std::string name;
  std::string op;
  std::vector<Operand> operands;
  std::vector<NamedText> attributes;
};

void run_case(benchmark::State& state, const Case& test) {
  Request request;
  request.op = require_operator(test.op);
  request.attributes = test.attributes;
  std::map<std::string, Tensor> named;
  double traffic = 0;
  for (const Operand& operand : test.operands) {
    const std::string name = "@" + std::to_string(named.size());
    const Tensor tensor = operand.below == 0 ? random_tensor(operand.dtype, operand.shape)
                                             : random_indices(operand.dtype, operand.shape, operand.below);
    traffic += static_cast<double>(tensor.bytes());
    named.emplace(name, tensor);
    request.positional.push_back(name);
  }
  Settings settings;
  settings.lookup = [&](const std::string& text) -> std::optional<Tensor> {
    const auto found = named.find(text);
    return found == named.end() ? std::nullopt : std::optional(found->second);
  };
  const Bound bound = bind(request, settings);
  const auto& [output, plan] = bound.planned;
  plan->prepare(threads());
  const std::int64_t bytes = count(output.shape) * element_size(output.dtype);
  // Of what is gathered from only as much must be read as is written.
  if (test.op.starts_with("gather")) {
    const std::int64_t data = named.at("@0").bytes();
    traffic += static_cast<double>(std::min(bytes, data) - data);
  }
  traffic += static_cast<double>(bytes);
  Storage out(bytes);
  std::memset(out.data(), 0, static_cast<std::size_t>(bytes));
  for (auto _ : state) run_plan(*plan, output, out.data());
  const double speed = 1e-9 * traffic * static_cast<double>(state.iterations());
  state.counters["GB/s"] = benchmark::Counter(speed, benchmark::Counter::kIsRate);
  state.counters["of memcpy"] = benchmark::Counter(speed / memcpy_speed(), benchmark::Counter::kIsRate);
}

std::string text(DType dtype) {
  return std::string(name(dtype));
}

std::vector<Case> gather_cases() {
  std::vector<Case> cases;
  constexpr std::int64_t kBytes = 64 << 20;
  for (const std::int64_t row : {1, 2, 4, 8, 16, 32, 64, 100, 256, 1024, 65536}) {
    const std::int64_t rows = kBytes / row;
    cases.push_back({"gather/row_bytes:" + std::to_string(row),
                     "gather",
                     {Operand{DType::uint8, {rows, row}}, Operand{DType::int64, {rows / 2}, rows}},
                     {}});
  }
  for (const DType dtype : {DType::int32, DType::uint8, DType::uint64}) {
    const std::int64_t rows = dtype == DType::uint8 ? 256 : 1 << 18;
    cases.push_back({"gather/index_dtype:" + text(dtype),
                     "gather",
                     {Operand{DType::uint8, {rows, 64}}, Operand{dtype, {1 << 19}, rows}},
                     {}});
  }
  cases.push_back({"gather/axis:1",
                   "gather",
                   {Operand{DType::float32, {256, 65536}}, Operand{DType::int64, {32768}, 65536}},
                   {{"axis", "1"}}});
  cases.push_back({"gathernd/scalars",
                   "gathernd",
                   {Operand{DType::float32, {4096, 4096}}, Operand{DType::int64, {4 << 20, 2}, 4096}},
                   {}});
  cases.push_back({"gathernd/batch",
                   "gathernd",
                   {Operand{DType::float32, {8, 32768, 64}}, Operand{DType::int64, {8, 32768, 1}, 32768}},
                   {{"batch_dims", "1"}}});
  for (const char* axis : {"0", "1"}) {
    cases.push_back({std::string("gatherelements/axis:") + axis,
                     "gatherelements",
                     {Operand{DType::float32, {4096, 4096}}, Operand{DType::int64, {4096, 4096}, 4096}},
                     {{"axis", axis}}});
  }
  return cases;
}

std::vector<Case> scatter_cases() {
  std::vector<Case> cases;
  for (const char* reduction : {"none", "add", "max"}) {
    for (const char* axis : {"0", "1"}) {
      cases.push_back({std::string("scatterelements/") + reduction + "/axis:" + axis,
                       "scatterelements",
                       {Operand{DType::float32, {4096, 4096}}, Operand{DType::int64, {4096, 4096}, 4096},
                        Operand{DType::float32, {4096, 4096}}},
                       {{"axis", axis}, {"reduction", reduction}}});
    }
    cases.push_back({std::string("scatternd/") + reduction,
                     "scatternd",
                     {Operand{DType::float32, {1 << 17, 256}}, Operand{DType::int64, {1 << 15, 1}, 1 << 17},
                      Operand{DType::float32, {1 << 15, 256}}},
                     {{"reduction", reduction}}});
  }
  for (const DType dtype : {DType::float16, DType::int8, DType::float64}) {
    cases.push_back({"scatternd/add/" + text(dtype),
                     "scatternd",
                     {Operand{dtype, {1 << 17, 256}}, Operand{DType::int64, {1 << 15, 1}, 1 << 17},
                      Operand{dtype, {1 << 15, 256}}},
                     {{"reduction", "add"}}});
  }
  return cases;
}

std::vector<Case> broadcast_cases() {
  std::vector<Case> cases = {
      {"broadcast/column", "broadcast", {Operand{DType::float32, {8192, 1}}}, {{"shape", "8192,4096"}}},
      {"broadcast/row", "broadcast", {Operand{DType::float32, {1, 4096}}}, {{"shape", "8192,4096"}}},
      {"add/outer", "add", {Operand{DType::float32, {8192, 1}}, Operand{DType::float32, {1, 4096}}}, {}},
  };
  for (const DType dtype :
       {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int8, DType::int64}) {
    for (const char* op : {"add", "mul", "max"}) {
      const std::int64_t n = (64 << 20) / element_size(dtype);
      cases.push_back({op + ("/" + text(dtype)), op, {Operand{dtype, {n}}, Operand{dtype, {n}}}, {}});
    }
  }
  for (const char* op : {"div", "mod", "less", "equal"}) {
    const std::int64_t n = 16 << 20;
    cases.push_back(
        {op + std::string("/int32"), op, {Operand{DType::int32, {n}}, Operand{DType::int32, {n}}}, {}});
  }
  return cases;
}

}  // namespace
}  // namespace tensorop

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  using tensorop::Case;
  for (const auto make : {tensorop::gather_cases, tensorop::scatter_cases, tensorop::broadcast_cases}) {
    for (const Case& test : make()) {
      benchmark::RegisterBenchmark(test.name.c_str(),
                                   [test](benchmark::State& state) { tensorop::run_case(state, test); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
