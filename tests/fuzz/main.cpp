// tensorop_fuzz TARGET [what libFuzzer takes]: one program, as linking it takes longer than compiling a
// target. tensorop_fuzz TARGET --seeds FOLDER writes the seeds of the target.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "base/text/text.hpp"
#include "fuzz/fuzz.hpp"
#include "support/input_table.hpp"
#include "support/random.hpp"

namespace {

using namespace tensorop::fuzz;

// The targets of all files.
auto& targets() {
  static std::map<std::string_view, NamedTarget::Run*> by_name;
  return by_name;
}

NamedTarget::Run* chosen = nullptr;

// The rows of testdata/inputs that are inputs of the target, each as a file.
void write_seeds(std::string_view target, const std::filesystem::path& folder) {
  std::size_t count = 0;
  const auto write = [&](std::string_view bytes) {
    std::ofstream(folder / tensorop::cat(count++), std::ios::binary) << bytes;
  };
  for (const std::string& table : {std::string(target), tensorop::cat("bad_", target)}) {
    if (!std::filesystem::exists(tensorop::input_table_path(table))) continue;
    for (const tensorop::InputRow& row : tensorop::read_input_table(table)) write(row.bytes);
  }
  for (const tensorop::InputRow& row : tensorop::read_input_table("seeds")) {
    if (row.name.starts_with(tensorop::cat(target, '/'))) write(row.bytes);
  }
  if (target == "operator" || target == "compare") {  // whose bytes are choices
    std::mt19937_64 random(tensorop::random_seed());
    for (int i = 0; i < 64; ++i) {
      std::string choices(600, '\0');
      for (char& byte : choices) byte = static_cast<char>(random());
      write(choices);
    }
  }
  if (target != "json") return;
  for (const tensorop::InputRow& row : tensorop::read_input_table("npy")) write(row.lines.at(0));
  for (const tensorop::InputRow& row : tensorop::read_input_table("bad_csv")) write("c" + row.bytes);
  for (const std::string_view table : {"table", "bad_table"}) {
    for (const tensorop::InputRow& row : tensorop::read_input_table(table)) write("t" + row.bytes);
  }
}

}  // namespace

tensorop::fuzz::NamedTarget::NamedTarget(std::string_view name, Run& run) {
  targets().emplace(name, &run);
}

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const std::string_view name = *count > 1 ? (*arguments)[1] : "";
  const auto target = targets().find(name);
  if (target == targets().end()) {
    std::fprintf(stderr, "usage: tensorop_fuzz TARGET ...   (targets: tests/README.md)\n");
    std::exit(2);
  }
  if (*count == 4 && std::string_view((*arguments)[2]) == "--seeds") {
    write_seeds(name, (*arguments)[3]);
    std::exit(0);
  }
  chosen = target->second;
  (*arguments)[1] = (*arguments)[0];
  ++*arguments;
  --*count;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return chosen(data, size);
}
