// The tables of testdata/inputs through the program: what it says about malformed files, as files and as
// streams; files that end too early; NPY files of NumPy and their JSON. With TENSOROP_UPDATE set, the
// messages in the tables are rewritten; review the change.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/opened_file.hpp"
#include "io/source.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/input_table.hpp"
#include "support/npy_writer.hpp"
#include "support/sanitizers.hpp"
#include "support/standard_input.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"
#include "support/transcript.hpp"
#include "tensorop/program.hpp"

namespace tensorop::cli_inputs_test {
namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

// What the files of a table bad_NAME.txt are.
struct Kind {
  std::string name;
  std::string ending;  // that of the format with this name, but for tables that are named otherwise
};

std::vector<Kind> kinds() {
  const std::map<std::string, std::string> endings = {
      {"table", ".txt"}, {"tensor_proto", ".pb"}, {"unknown", ""}};
  std::vector<Kind> out;
  for (const auto& file : fs::directory_iterator(input_table_path("json").parent_path())) {
    const std::string stem = file.path().stem().string();
    if (!stem.starts_with("bad_")) continue;
    const std::string name = stem.substr(4);
    const auto other = endings.find(name);
    out.push_back({name, other == endings.end() ? cat('.', name) : other->second});
  }
  return out;
}

struct Ended {
  int status = 0;
  std::string err;
};

Ended run(const std::vector<std::string>& words) {
  std::vector<const char*> args;
  for (const std::string& word : words) args.push_back(word.c_str());
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const before = std::exchange(stderr, ::open_memstream(&text, &size));
  Ended ended;
  ended.status = run_program(args);
  std::fclose(std::exchange(stderr, before));
  ended.err.assign(text, size);
  std::free(text);
  return ended;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// The message of `convert` about the operand, without the name of the program, as in a table.
Lines refusal_of(const TempDir& dir, const std::string& operand) {
  const std::string result = dir.file("result.json");
  fs::remove(result);
  const Ended ended = run({"convert", operand, "-o", result});
  CHECK(ended.status == 2);
  CHECK_FALSE(fs::exists(result));
  Lines lines;
  std::istringstream text(ended.err);
  for (std::string line; std::getline(text, line);) {
    constexpr std::string_view kProgram = "tensorop: ";
    constexpr std::string_view kCommand = "convert: ";
    if (line.starts_with(kProgram)) line.erase(0, kProgram.size());
    if (line.starts_with(kCommand)) line.erase(0, kCommand.size());
    line = without_lists(line);
    lines.push_back(operand == "-" ? line : replaced(line, operand, "FILE"));
  }
  return lines;
}

// What a table has to say about a malformed input. The lines about the stream are left out if they are those
// about the file with another name.
Lines lines_of(const Lines& file, const Lines& stream) {
  Lines expected = file;
  for (std::string& line : expected) {
    constexpr std::string_view kFile = "FILE:";
    if (line.starts_with(kFile)) line.replace(0, kFile.size(), "standard input:");
  }
  Lines lines = file;
  if (stream != expected) lines.insert(lines.end(), stream.begin(), stream.end());
  return lines;
}

// The elements as JSON, or nothing if the operand is refused.
std::string elements_of(const std::string& operand) {
  try {
    Source source = Source::open(operand, {});
    if (source.is_unnamed()) return "bytes";
    source.read();
    if (source.tensor() == nullptr) source.resolve(source.natural_dtype());
    return cat(name(source.tensor()->dtype()), ' ', nested_json(*source.tensor()));
  } catch (const Failure&) {
    return "";
  }
}

// The elements of all arrays, or nothing if the archive or one of its arrays is refused.
std::string elements_of_archive(const Format& format, const std::string& path) {
  try {
    const auto archive = format.open(InputFile::open(path));
    std::string out;
    for (std::size_t i = 0; i < archive->size(); ++i)
      out += cat(nested_json(archive->read(archive->readable(archive->entry(i)), {})), '\n');
    return out;
  } catch (const Failure&) {
    return "";
  }
}

// By the first bytes; null if the file is refused.
const Format* detected_format(const std::string& path) {
  try {
    return open_file(Operand::of_path(path)).format;
  } catch (const Failure&) {
    return nullptr;
  }
}

struct Input {
  std::string name;
  std::string bytes;
};

// All inputs of the kind, malformed or not.
std::vector<Input> inputs_of(const Kind& kind) {
  std::vector<Input> inputs;
  for (const InputRow& row : read_input_table(cat("bad_", kind.name)))
    inputs.push_back({row.name, row.bytes});
  const std::string prefix = cat(kind.name, '/');
  for (const InputRow& row : read_input_table("seeds")) {
    if (row.name.starts_with(prefix)) inputs.push_back({row.name, row.bytes});
  }
  if (kind.name != "npy" && kind.name != "table") return inputs;
  for (const InputRow& row : read_input_table(kind.name)) inputs.push_back({row.name, row.bytes});
  return inputs;
}

}  // namespace

TEST_CASE("every malformed file is refused with what is wrong, as a file and as a stream", "[bad_files]") {
  const TempDir dir;
  const bool update = std::getenv("TENSOROP_UPDATE") != nullptr;
  for (const Kind& kind : kinds()) {
    const std::string table = cat("bad_", kind.name);
    std::string text;
    for (const InputRow& row : read_input_table(table)) {
      CAPTURE(table, row.name);
      const std::string path = dir.file(cat("x", kind.ending));
      write_file(path, row.bytes);
      const Lines file = refusal_of(dir, path);
      const StandardInputScope scope(pipe_with(row.bytes));
      const Lines lines = lines_of(file, refusal_of(dir, "-"));
      if (!update) CHECK(row.lines == lines);
      text += row.source;
      for (const std::string& line : lines) text += cat("  ", line, "\n");
    }
    if (update) std::ofstream(input_table_path(table)) << text;
  }
}

TEST_CASE("a file that is cut at any byte is refused, or is what a stream of its bytes is", "[bad_files]") {
  const TempDir dir;
  const std::string path = dir.file("cut");
  for (const Kind& kind : kinds()) {
    for (const Input& input : inputs_of(kind)) {
      CAPTURE(kind.name, input.name);
      write_file(path, input.bytes);
      const Format* const format = detected_format(path);
      const bool is_archive = format != nullptr && format->is_archive();
      const auto read = [&] { return is_archive ? elements_of_archive(*format, path) : elements_of(path); };
      // Nothing of a binary file can be missing, but for the fields of a protobuf message.
      const bool is_whole = format != nullptr && format->is_binary && format != &kTensorProtoFormat;
      const bool is_refused = is_whole && !read().empty();
      const std::size_t whole = input.bytes.size();
      const std::size_t step = 1 + whole / (kAnySanitizer ? 50 : 500);
      for (std::size_t missing = step; missing < whole; missing += step) {
        const std::size_t size = whole - missing;
        fs::resize_file(path, size);
        const std::string cut = read();
        if (is_refused && !cut.empty()) FAIL_CHECK(size << " bytes are " << cut);
        if (is_archive) continue;
        const StandardInputScope scope(pipe_with(std::string_view(input.bytes).substr(0, size)));
        const std::string streamed = elements_of("-");
        if (cut != streamed) FAIL_CHECK(size << " bytes are " << cut << ", as a stream " << streamed);
      }
    }
  }
}

// The tables have the JSON that NumPy reads in files that it wrote, and what text tables mean.
TEST_CASE("every NPY file and every text table converts to the JSON beside it", "[npy][table]") {
  std::vector<std::pair<std::string, InputRow>> rows;
  for (const InputRow& row : read_input_table("npy")) rows.emplace_back("a.npy", row);
  CHECK(rows.size() == 88);
  for (const InputRow& row : read_input_table("table")) rows.emplace_back("a.txt", row);
  for (const auto& [name, row] : rows) {
    CAPTURE(row.name);
    REQUIRE(row.lines.size() == 1);
    const TempDir dir;
    write_file(dir.file(name), row.bytes);
    CHECK(run({"convert", dir.file(name), "-o", dir.file("a.json"), "-q"}).err.empty());
    CHECK(get(dir.file("a.json")) == row.lines[0] + "\n");
    // It reads back to itself.
    CHECK(run({"convert", dir.file("a.json"), "-o", dir.file("b.json")}).err.empty());
    CHECK(get(dir.file("b.json")) == row.lines[0] + "\n");
  }
}

}  // namespace tensorop::cli_inputs_test
