// What the presets ask for, and what the linker made of the program.
#include <elf.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"

namespace tensorop::cli_build_test {

TEST_CASE("warnings are errors in the presets of developers, not in the one of packages", "[cli][build]") {
  const auto presets = nlohmann::json::parse(tensorop::get(source_dir() + "/CMakePresets.json"));
  std::map<std::string, bool> strict;  // a preset comes after the one that it inherits
  for (const auto& preset : presets.at("configurePresets")) {
    const auto variables = preset.value("cacheVariables", nlohmann::json::object());
    strict[preset.at("name")] = variables.contains("TENSOROP_WERROR") ||
                                (preset.contains("inherits") && strict.at(preset.at("inherits")));
  }
  CHECK_FALSE(strict.at("release"));
  for (const char* name : {"debug", "asan", "tsan"}) CHECK(strict.at(name));
}

#ifdef TENSOROP_HARDENED_BINARY
TEST_CASE("a release is hardened", "[cli][build]") {
  const std::string bytes = tensorop::get(tensorop_binary());
  Elf64_Ehdr header;
  REQUIRE(bytes.size() > sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  REQUIRE(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0);
  CHECK(header.e_type == ET_DYN);  // loaded at a random address
  bool read_only_relocations = false;
  bool executable_stack = true;
  bool writable_code = false;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + static_cast<std::size_t>(i) * header.e_phentsize,
                sizeof segment);
    if (segment.p_type == PT_GNU_RELRO) read_only_relocations = true;
    if (segment.p_type == PT_GNU_STACK) executable_stack = (segment.p_flags & PF_X) != 0;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && (segment.p_flags & PF_W) != 0)
      writable_code = true;
  }
  CHECK(read_only_relocations);
  CHECK_FALSE(executable_stack);
  CHECK_FALSE(writable_code);
  // Checked variants of the C library's functions, and the stack protector.
  CHECK(bytes.find("__stack_chk_fail") != std::string::npos);
  CHECK(bytes.find("_chk") != std::string::npos);
}
#endif

}  // namespace tensorop::cli_build_test
