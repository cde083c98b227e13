// The whole program: words of a command line, each with a zero byte after it, and, after the first byte 4,
// what standard input holds. It ends with a status and with messages as docs/command-line.md promises, and
// leaves nothing half-done. Its disk is memory.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/text/text.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/memory_system.hpp"
#include "io/npy/npy.hpp"
#include "support/operand_grammar.hpp"
#include "tensorop/program.hpp"

namespace tensorop::fuzz {
namespace {

constexpr char kInputFollows = 4;

std::string npy(DType dtype, const Shape& shape, const std::vector<std::int32_t>& elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  return npy_header(dtype, shape, 0) + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void add_files(MemorySystem& memory) {
  memory.put("a.npy", npy(DType::int32, {2, 3}, {1, 2, 3, 4, 5, 6}));
  memory.put("b.npy", npy(DType::int32, {2, 3}, {1, 2, 3, 4, 5, 7}));
  memory.put("i.npy", npy(DType::int32, {2}, {0, 1}));
  memory.put("f.npy", npy(DType::float32, {2}, {0x3F800000, 0x7FC00000}));
  memory.put("t.json", "[[1,2],[3.5,4]]");
  memory.put("jobs.jsonl",
             "{\"op\":\"gather\",\"data\":\"a.npy\",\"indices\":[0],\"id\":\"x\"}\n"
             "{\"op\":\"add\",\"a\":\"@x\",\"b\":1,\"output\":\"o.npy\"}\n");
  memory.put("golden/cases.json", "[{\"op\":\"add\",\"a\":1,\"b\":1,\"expect\":2,\"name\":\"sum\"}]");
}

struct Call {
  std::vector<std::string> words;
  std::string input;
};

Call read_call(std::string_view text) {
  Call call;
  const std::size_t end = text.find(kInputFollows);
  if (end != std::string_view::npos) call.input = text.substr(end + 1);
  text = text.substr(0, end);
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\0'), text.size());
    call.words.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return call;
}

struct Ended {
  int status = 0;
  std::string err;
};

Ended run(const Call& call) {
  std::vector<const char*> args;
  for (const std::string& word : call.words) args.push_back(word.c_str());

  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const before = stderr;
  std::FILE* const kept = ::open_memstream(&text, &size);
  require(kept != nullptr, "no memory for standard error");
  stderr = kept;
  Ended ended;
  ended.status = run_program(args);
  stderr = before;
  std::fclose(kept);
  ended.err.assign(text, size);
  std::free(text);
  return ended;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    require(end != std::string_view::npos, "the last line of standard error does not end");
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// Checks the messages of a command: warnings, then at most one error with its hint.
void check_messages(const Ended& ended, const std::vector<std::string_view>& lines) {
  std::size_t errors = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("tensorop: warning: ")) continue;
    if (lines[i].starts_with("hint: ")) {
      require(i == lines.size() - 1 && errors == 1, "a hint without its error");
      continue;
    }
    if (lines[i].starts_with("  ")) {
      require(errors == 1, "shapes without their error");
      continue;
    }
    ++errors;
  }
  require(errors == (ended.status == 2 ? 1U : 0U), "an error and exit status 2 do not go together");
}

void check(const Call& call, const Ended& ended, const MemorySystem& before, const MemorySystem& after) {
  const auto has = [&](std::string_view word) {
    return std::ranges::find(call.words, word) != call.words.end();
  };
  require(ended.err.find("tensorop: internal error: ") != 0, ended.err);
  require(ended.status >= 0 && ended.status <= 2, "no such exit status");
  const bool tells_differences =
      has("compare") || has("check") || has("info") ||
      std::ranges::any_of(call.words, [](const auto& word) { return word.starts_with("--sp"); });
  require(ended.status != 1 || tells_differences, "exit status 1");
  const bool many = has("run") || has("check") || has("compare") || has("info");
  const bool bar =
      std::ranges::any_of(call.words, [](const auto& word) { return word.starts_with("--progress"); });
  if (!bar) {
    const auto lines = lines_of(ended.err);
    for (const std::string_view line : lines) {
      // Shapes are under each other.
      require(line.starts_with("tensorop: ") || line.starts_with("hint: ") || line.starts_with("  "),
              "a line of unknown kind");
      require(std::ranges::none_of(line, is_control) && is_utf8(line), "a message is not fit for a terminal");
    }
    if (!many) check_messages(ended, lines);
  }
  for (const auto& [name, bytes] : after.files) {
    require(name.find(".tensorop-") == std::string::npos, "a temporary file is left");
  }
  if (ended.status != 2 || many) return;
  require(after.full || after.output.empty(), "something on standard output, and exit status 2");
  require(after.files == before.files, "a file is not as it was, and exit status 2");
}

}  // namespace

static int run_arguments(const std::uint8_t* data, std::size_t size) {
  const Call call = read_call(text_of(data, size));
  for (const std::string& word : call.words)
    require(form_of(word) == form_by_grammar(word), "a word has another form than its second grammar says");
  MemorySystem before;
  add_files(before);
  MemorySystem memory;
  memory.files = before.files;
  memory.input = call.input;
  const ScopedSystem scope(memory);
  check(call, run(call), before, memory);
  return 0;
}

const NamedTarget kArgumentsTarget("arguments", run_arguments);

}  // namespace tensorop::fuzz
