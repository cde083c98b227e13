// tensorop_fuzz TARGET [what libFuzzer takes]: one program, as linking it takes longer than compiling a
// target.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz/fuzz.hpp"

namespace {

using namespace tensorop::fuzz;

struct NamedTarget {
  std::string_view name;
  Target* run;
};
constexpr NamedTarget kTargets[] = {{"arguments", run_arguments},
                                    {"compare", run_compare},
                                    {"gguf", run_gguf},
                                    {"jobs", run_jobs},
                                    {"json", run_json},
                                    {"model", run_model},
                                    {"npy", run_npy},
                                    {"npz", run_npz},
                                    {"operator", run_operator},
                                    {"safetensors", run_safetensors},
                                    {"shard_index", run_shard_index},
                                    {"tensor_proto", run_tensor_proto}};

Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const std::string_view name = *count > 1 ? (*arguments)[1] : "";
  const auto* const target = std::ranges::find(kTargets, name, &NamedTarget::name);
  if (target == std::end(kTargets)) {
    std::fprintf(stderr, "usage: tensorop_fuzz TARGET ...   (targets: tests/README.md)\n");
    std::exit(2);
  }
  chosen = target->run;
  (*arguments)[1] = (*arguments)[0];
  ++*arguments;
  --*count;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return chosen(data, size);
}
