#include "faults/operations.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "check/check.hpp"
#include "compare/compare.hpp"
#include "compare/compare_sets.hpp"
#include "convert/convert.hpp"
#include "engine/engine.hpp"
#include "jobs/cases.hpp"
#include "jobs/jobs.hpp"
#include "support/compared.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/onnx_files.hpp"
#include "tensorop/program.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;

using Work = std::function<void(const TempDir&)>;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// A call of files of the folder: "add data.npy other.npy".
Work calling(const std::string& text, const std::string& output, const Settings& settings = {},
             bool durable = false) {
  return [=, words = words_of(text)](const TempDir& dir) {
    Request request;
    request.op = require_operator(words[0]);
    for (std::size_t i = 1; i < words.size(); ++i) request.positional.emplace_back(dir.file(words[i]));
    run_request(request, {dir.file(output), nullptr, durable}, settings);
  };
}

Operation call(const std::string& name, const std::string& text, const std::string& output = "out.npy",
               const Settings& settings = {}) {
  return {name, {output}, calling(text, output, settings)};
}

// The same with operands that are taken not to fit in memory: in bands of `memory` bytes.
Operation bands(const std::string& name, const std::string& text, const std::string& output = "out.npy",
                std::int64_t memory = 1) {
  Settings settings;
  settings.access = Access::bands;
  settings.memory = memory;
  return call(name, text, output, settings);
}

Work converting(const std::string& inputs, const std::string& output, bool compress, std::int64_t memory = 0,
                int threads = 1) {
  return [=, files = words_of(inputs)](const TempDir& dir) {
    Conversion conversion;
    for (const std::string& input : files) conversion.inputs.push_back(dir.file(input));
    conversion.destination.path = dir.file(output);
    conversion.compress = compress;
    Settings settings;
    settings.memory = memory;
    settings.threads = Threads(threads);
    convert(conversion, settings);
  };
}

Operation conversion(const std::string& name, const std::string& inputs, const std::string& output,
                     bool compress = false, std::int64_t memory = 0, int threads = 1) {
  return {name, {output}, converting(inputs, output, compress, memory, threads)};
}

// An edit of archives. Inputs are files, or NAME=FILE.
Operation edit(const std::string& name, const std::string& inputs, const std::string& output, Conversion how,
               const std::string& changes = "") {
  const auto run = [=, words = words_of(inputs)](const TempDir& dir) {
    Conversion conversion = how;
    for (const std::string& word : words) {
      const std::size_t file = word.find('=') + 1;
      conversion.inputs.push_back(cat(word.substr(0, file), dir.file(word.substr(file))));
    }
    conversion.destination.path = dir.file(output);
    convert(conversion, {});
  };
  return {name, {output}, run, changes};
}

// An edit that keeps an array which a file system may share.
Operation large_edit(const std::string& name, const std::string& ending) {
  Operation operation =
      edit(name, cat("large.", ending, " picks=tuples.npy"), cat("out.", ending), {.replace = true});
  operation.is_large = true;
  return operation;
}

// An array that gets another size, in a model whose index states the sum of sizes.
void resize_in_model(const TempDir& dir) {
  const std::string index = dir.file("sized.safetensors.index.json");
  Destination destination;
  set_path(destination, cat(index, ":data"));
  Request request;
  request.op = require_operator("gather");
  request.positional = {Operand(dir.file("arrays.safetensors:data")), Operand(dir.file("tuples.npy"))};
  run_request(request, destination, {});
}

// A call whose result becomes the array `array` of a copy of `archive`, written as INDEX:NAME if there is
// one.
Operation changing(const std::string& name, const std::string& text, const std::string& archive,
                   const std::string& array, const std::string& index = "") {
  const std::string output = cat("out", archive.substr(archive.find('.')));
  const std::string& named = index.empty() ? output : index;
  const auto run = [=, words = words_of(text)](const TempDir& dir) {
    Request request;
    request.op = require_operator(words[0]);
    for (std::size_t i = 1; i < words.size(); ++i) request.positional.emplace_back(dir.file(words[i]));
    Destination destination;
    set_path(destination, cat(dir.file(named), ":", array));
    run_request(request, destination, {});
  };
  return {name, {output}, run, archive};
}

void run_jobs(const TempDir& dir) {
  std::vector<Job> jobs;
  read_jobs(dir.file("jobs.jsonl"), JobPurpose::run, jobs);
  const auto work = [&](std::size_t i, const Settings& own) { return run_job(jobs[i], own); };
  run_batch(jobs, {}, work, [](std::size_t, const JobOutcome& outcome) {
    if (outcome.error) throw Failure(*outcome.error);
  });
}

// Cases of the folder; all are equal or rewritten.
Work check(const std::string& folder, bool update) {
  return [=](const TempDir& dir) {
    const auto report = [](const Finding& finding) {
      if (finding.outcome == Outcome::error) throw Failure(*finding.error);
      if (is_failure(finding.outcome)) throw std::logic_error("a case is not equal");
    };
    check_cases(read_cases({dir.file(folder)}), {.batch = {}, .update = update}, report);
  };
}

// The place for new folders.
std::string old_folder(const TempDir& dir) {
  return cat(dir.path().string(), "-old-", ::getpid());
}

// A folder that is made anew: one with files is moved away as a whole before `make` runs.
Work remake(const std::string& folder, const Work& make) {
  return [=](const TempDir& dir) {
    std::error_code error;
    if (!fs::is_empty(dir.file(folder), error)) fs::rename(dir.file(folder), old_folder(dir), error);
    fs::remove_all(old_folder(dir));
    make(dir);
  };
}

// Writes a small call as an ONNX case folder.
void make_case(const TempDir& dir) {
  Request expand;
  expand.op = require_operator("expand");
  expand.positional = {Operand(std::string("[[1],[2]]"))};
  expand.attributes = {{"shape", "2,3"}};
  expand.spec = "onnx-13";
  (void)run_request_as_case(expand, {dir.file("case"), true}, {});
}

// A pipe that holds a text to its end, under a number that a link in the folder leads to.
class Stream {
 public:
  static constexpr int kNumber = 100;
  explicit Stream(std::string_view text) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::logic_error("no pipe");
    const bool is_ready = ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                          ::dup3(ends[0], kNumber, O_CLOEXEC) == kNumber;
    for (const int end : ends) ::close(end);
    if (!is_ready) throw std::logic_error("no pipe");
  }
  ~Stream() { ::close(kNumber); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

// A call whose data are read from a pipe that holds `text`.
Work call_on_stream(const std::string& text) {
  return [=](const TempDir& dir) {
    const Stream stream(text);
    calling("gathernd stream tuples.npy", "out.npy")(dir);
  };
}

// The output of command lines, in memory that is allocated before anything fails.
class ProgramText {
 public:
  ProgramText()
      : file_(::fmemopen(errors_.data(), errors_.size(), "w")),
        before_(stderr),
        output_(::memfd_create("output", MFD_CLOEXEC)),
        output_before_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    if (file_ == nullptr || output_ < 0 || output_before_ < 0) throw std::logic_error("no file in memory");
    std::setvbuf(file_, nullptr, _IONBF, 0);
  }
  ~ProgramText() {
    std::fclose(file_);
    ::close(output_);
    ::close(output_before_);
  }
  ProgramText(const ProgramText&) = delete;
  ProgramText& operator=(const ProgramText&) = delete;

  void begin() {
    errors_.fill('\0');
    std::rewind(file_);
    stderr = file_;
    if (::ftruncate(output_, 0) != 0 || ::lseek(output_, 0, SEEK_SET) != 0 ||
        ::dup2(output_, STDOUT_FILENO) < 0)
      throw std::logic_error("standard output cannot be replaced");
  }
  // The first line of standard error, without the program's name; of a report on standard output the first
  // reason, which is indented.
  [[nodiscard]] std::string_view end() {
    stderr = before_;
    ::dup2(output_before_, STDOUT_FILENO);
    std::string_view line = first_line(errors_.data());
    constexpr std::string_view kProgram = "tensorop: ";
    if (line.starts_with(kProgram)) line.remove_prefix(kProgram.size());
    if (!line.empty()) return line;
    report_.fill('\0');
    if (::pread(output_, report_.data(), report_.size() - 1, 0) < 0) return {};
    constexpr std::string_view kIndent = "\n  ";
    const std::string_view report(report_.data());
    const std::size_t reason = report.find(kIndent);
    return reason == std::string_view::npos ? first_line(report)
                                            : first_line(report.substr(reason + kIndent.size()));
  }

 private:
  static std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

  std::array<char, 4096> errors_{};
  std::array<char, 4096> report_{};
  std::FILE* file_;
  std::FILE* before_;
  int output_;
  int output_before_;
};

// The program itself; words with a dot are files of the folder.
Work command_line(const std::string& line) {
  return [words = words_of(line)](const TempDir& dir) {
    static ProgramText text;
    std::vector<std::string> full;
    for (const std::string& word : words)
      full.push_back(word.find('.') == std::string::npos ? word : dir.file(word));
    std::vector<const char*> args;
    for (const std::string& word : full) args.push_back(word.c_str());
    text.begin();
    const int status = run_program(args);
    const std::string_view message = text.end();
    if (status != 0 && status != 2) throw std::logic_error("no exit status of an error");
    if (status != 0) throw Error(std::string(message));
  };
}

void compare_files(const TempDir& dir) {
  const Comparison comparison = compare_operands(dir.file("data.npy"), dir.file("same.json"), {}, {});
  if (!comparison.equal) throw std::logic_error("two equal files differ");
}

// An archive with itself, and a folder that has one.
void compare_sets_of(const TempDir& dir) {
  for (const char* name : {"arrays.npz", "set"}) {
    const auto first = TensorSet::open(dir.file(name));
    const auto second = TensorSet::open(dir.file(name));
    // The command says then why the operand is not a file.
    if (!first || !second) throw Error(cat(dir.file(name), ": cannot open"));
    std::shared_ptr<const Failure> error;
    Counts counts;
    compare_sets(*first, *second, {.tolerances = {}}, [&](const Finding& finding) {
      counts.add(finding);
      if (!error) error = finding.error;
    });
    if (error) throw Failure(*error);
    if (exit_status(counts) != 0) throw std::logic_error("two equal sets differ");
  }
}

template <class T>
void write_npy(const std::string& path, DType dtype, Shape shape, const std::vector<T>& values,
               const NpyLayout& layout = {}) {
  auto storage = std::make_shared<Storage>(static_cast<std::int64_t>(values.size() * sizeof(T)));
  std::copy(values.begin(), values.end(), reinterpret_cast<T*>(storage->data()));
  write_file(path, npy_bytes({dtype, std::move(shape), storage}, layout));
}

const std::vector<std::int32_t> kData = {0, 1, 2, 3, 4, 5};  // of shape (3,2)

// As a TensorProto. Without a name its elements begin at byte 8, and are aligned.
std::string data_message(std::string_view name) {
  const std::string_view bytes(reinterpret_cast<const char*>(kData.data()), kData.size() * sizeof kData[0]);
  return onnx_tensor(kOnnxInt32, {3, 2}, bytes, name).text();
}

std::vector<std::string> files_of_case(const std::string& folder) {
  std::vector<std::string> files = {folder + "/model.onnx"};
  for (const char* name : {"input_0.pb", "input_1.pb", "output_0.pb"})
    files.push_back(cat(folder, "/test_data_set_0/", name));
  return files;
}

}  // namespace

const std::vector<Operation>& small_operations() {
  Settings advised;
  advised.access = Access::advised;
  advised.memory = 1;
  static const std::vector<Operation> operations = {
      call("gathernd to NPY", "gathernd data.npy tuples.npy"),
      {"gathernd from a stream", {"out.npy"}, call_on_stream("[[0,1],[2,3],[4,5]]")},
      {"gathernd from a stream that is a TensorProto", {"out.npy"}, call_on_stream(data_message("x"))},
      call("gathernd of TensorProto files, mapped and decoded", "gathernd data.pb tuples.pb", "out.pb"),
      call("gathernd to JSON", "gathernd data.json tuples.json", "out.json"),
      call("scatternd", "scatternd data.npy tuples.npy updates.npy"),
      {"scatternd, durable",
       {"out.npy"},
       calling("scatternd data.npy tuples.npy updates.npy", "out.npy", {}, true)},
      call("scatternd to JSON", "scatternd data.npy tuples.npy updates.npy", "out.json"),
      {"scatterupdate through a mapping",
       {"out.npy"},
       calling("scatterupdate bytes.npy many.npy many.npy", "out.npy"),
       "",
       true},
      call("strings to NPY", "gather words.npy picks.npy"),
      call("strings to JSON", "gather words.npy picks.npy", "out.json"),
      call("add of a big-endian file in Fortran order", "add data.npy other.npy"),
      call("add of such a file through a temporary file", "add data.npy other.npy", "out.npy", {.memory = 1}),
      conversion("conversion of such a file block by block", "other.npy", "out.npy", false, 1),
      conversion("conversion of a deflated array block by block", "arrays.npz:data", "out.npy", false, 1),
      call("gather from an archive", "gather arrays.npz:data picks.npy"),
      call("gather with advice", "gather data.npy picks.npy", "out.npy", advised),
      bands("gather in bands", "gather data.npy picks.npy"),
      bands("gather in bands through a temporary file", "gather wide.npy picks.npy", "out.npy", 128),
      bands("gather in bands to JSON", "gather data.npy picks.npy", "out.json"),
      bands("scatternd in bands", "scatternd data.npy tuples.npy updates.npy"),
      bands("scatternd in bands through a temporary file", "scatternd tall.npy tuples.npy updates.npy"),
      bands("gatherelements in bands of columns", "gatherelements data.npy cells.npy"),
      bands("scatterelements in bands of columns", "scatterelements data.npy cells.npy updates.npy"),
      {"gather from a file so large that it is asked what is in memory",
       {"out.npy"},
       calling("gather large.npy picks.npy", "out.npy"),
       "",
       true},
      conversion("archive", "data.npy words.npy", "out.npz"),
      conversion("archive, compressed", "data.json words.npy", "out.npz", true),
      conversion("archive, compressed by threads", "data.npy words.npy picks.npy", "out.npz", true, 0, 2),
      conversion("archive as a whole, inflated by threads", "arrays.npz", "out.npz", false, 0, 2),
      conversion("archive, safetensors", "data.npy other.npy tuples.json", "out.safetensors"),
      call("gather between safetensors files", "gather arrays.safetensors:data picks.npy", "out.safetensors"),
      conversion("a compressed archive into safetensors, by threads", "numbers.npz", "out.safetensors", false,
                 0, 2),
      changing("an array of a safetensors file replaced", "gather arrays.safetensors:data picks.npy",
               "arrays.safetensors", "data"),
      changing("an array of a file replaced by its index", "add arrays.safetensors:data data.npy",
               "arrays.safetensors", "data", "m.safetensors.index.json"),
      call("gather from external data of a model", "gather model.onnx:w picks.npy"),
      edit("arrays of an NPZ archive renamed", "arrays.npz", "out.npz", {.renames = {"^data$=z"}}),
      edit("arrays of a safetensors file renamed", "arrays.safetensors", "out.safetensors",
           {.metadata = {"x=y"}, .renames = {"^data$=z"}}),
      edit("an array of a deflated archive replaced, another added", "out.npz data=picks.npy new=words.npy",
           "out.npz", {.replace = true}, "arrays.npz"),
      edit("arrays of a safetensors file replaced and added", "out.safetensors data=picks.npy new=other.npy",
           "out.safetensors", {.replace = true}, "arrays.safetensors"),
      large_edit("large arrays of a safetensors file kept", "safetensors"),
      large_edit("large arrays of an archive kept", "npz"),
      edit("a model in several files made one", "parts.safetensors.index.json", "out.safetensors", {}),
      edit("a model with external data made an archive", "model.onnx", "out.npz", {}),
      {"an array of a model whose index states its size",
       {"sized-1.safetensors"},
       resize_in_model,
       "arrays.safetensors"},
      changing("an array added to an archive", "gather data.npy picks.npy", "numbers.npz", "new"),
      changing("a deflated array of an archive replaced", "gather picks.npy picks.npy", "arrays.npz", "data"),
      {"two jobs", {"one.npy", "two.json"}, run_jobs},
      {"golden files rewritten", {"one.npy", "two.json"}, check("cases", true)},
      {"an ONNX case", {}, check("onnx", false)},
      {"an ONNX case rewritten", {"onnx_without/test_data_set_0/output_0.pb"}, check("onnx_without", true)},
      {"a case folder, durable", files_of_case("case"), remake("case", make_case)},
      {"comparison", {}, compare_files},
      {"comparison of sets", {}, compare_sets_of},
      {"a command line",
       {"out.npy"},
       command_line("gathernd --quiet data.npy --indices tuples.npy -o out.npy")},
      {"a command line that makes a case folder", files_of_case("made.case"),
       remake("made.case", command_line("gather data.pb picks.npy --spec onnx-13 --onnx-case made.case"))},
      {"a command line of jobs", {"one.npy", "two.json"}, command_line("run jobs.jsonl --quiet")},
  };
  return operations;
}

void write_operands(const TempDir& dir) {
  write_npy<std::int32_t>(dir.file("data.npy"), DType::int32, {3, 2}, kData);
  write_npy<std::int32_t>(dir.file("other.npy"), DType::int32, {3, 2}, {9, 8, 7, 6, 5, 4},
                          {.fortran_order = true, .big_endian = true});
  write_npy<std::int32_t>(dir.file("tall.npy"), DType::int32, {8, 2}, std::vector<std::int32_t>(16, 7));
  write_npy<std::int32_t>(dir.file("wide.npy"), DType::int32, {3, 64}, std::vector<std::int32_t>(192, 7));
  write_npy<std::int64_t>(dir.file("tuples.npy"), DType::int64, {2, 1}, {2, 0});
  write_npy<std::int32_t>(dir.file("updates.npy"), DType::int32, {2, 2}, {10, 11, 12, 13});
  write_npy<std::int64_t>(dir.file("picks.npy"), DType::int64, {3}, {2, 0, 2});
  write_npy<std::int64_t>(dir.file("cells.npy"), DType::int64, {2, 2}, {2, 0, 1, 2});
  // The header of NPY 1.0, and zeros that take no space.
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (65536, 1024), }   \n";
  write_file(dir.file("large.npy"),
             cat(std::string_view("\x93NUMPY\1\0", 8), static_cast<char>(header.size()), '\0', header));
  fs::resize_file(dir.path() / "large.npy", 10 + header.size() + (std::size_t{64} << 20));
  // More updates than are sorted beforehand.
  std::vector<std::uint8_t> many((2 << 20) + 1);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::uint8_t>(i % 5);
  write_npy<std::uint8_t>(dir.file("many.npy"), DType::uint8, {static_cast<std::int64_t>(many.size())}, many);
  write_npy<std::uint8_t>(dir.file("bytes.npy"), DType::uint8, {6}, {1, 2, 3, 4, 5, 6});
  static const std::vector<std::string> words = {"one", "a word beyond what a short string holds",
                                                 "zw\xC3\xB6lf"};
  std::vector<StringRef> refs;
  for (const std::string& word : words) refs.push_back({word.data(), static_cast<std::int64_t>(word.size())});
  write_npy(dir.file("words.npy"), DType::string, {3}, refs);
  write_file(dir.file("data.json"), "[[0.5,1,2],[3,4,5]]");
  write_file(dir.file("tuples.json"), R"({"dtype":"int32","shape":[2,2],"data":[1,2,0,0]})");
  write_file(dir.file("same.json"), "[[0,1],[2,3],[4,5]]");
  write_file(dir.file("data.pb"), data_message(""));
  // Each number by itself, in int64_data.
  write_file(dir.file("tuples.pb"),
             Proto().integer(1, 2).integer(1, 1).integer(2, kOnnxInt64).integer(7, 2).integer(7, 0).text());
  write_gather_case(dir.file("onnx"));
  write_gather_case(dir.file("onnx_without"));
  fs::remove(dir.path() / "onnx_without/test_data_set_0/output_0.pb");
  converting("data.npy words.npy", "arrays.npz", true)(dir);
  converting("data.npy picks.npy", "numbers.npz", true)(dir);
  converting("data.npy picks.npy", "arrays.safetensors", false)(dir);
  for (const char* large : {"large.safetensors", "large.npz"})
    converting("many.npy picks.npy", large, false)(dir);
  write_file(dir.file("m.safetensors.index.json"),
             R"({"weight_map":{"data":"out.safetensors","picks":"out.safetensors"}})");
  write_file(dir.file("parts.safetensors.index.json"),
             R"({"weight_map":{"data":"arrays.safetensors","picks":"arrays.safetensors"}})");
  write_file(
      dir.file("sized.safetensors.index.json"),
      R"({"metadata":{"total_size":48},"weight_map":{"data":"sized-1.safetensors","picks":"sized-1.safetensors"}})");
  // Three int32, the first member of arrays.npz.
  Proto location = Proto().bytes(1, "location").bytes(2, "data.npy");
  const Proto weights =
      Proto().integer(1, 3).integer(2, 6).bytes(8, "w").message(13, location).integer(14, 1);
  write_file(dir.file("model.onnx"), Proto().integer(1, 8).message(7, Proto().message(5, weights)).text());
  fs::create_directories(dir.path() / "set/sub");
  write_file(dir.file("set/sub/x.json"), "[1,2]");
  fs::create_symlink("../arrays.npz", dir.path() / "set/y.npz");
  fs::create_directory_symlink("sub", dir.path() / "set/again");
  fs::create_symlink(cat("/dev/fd/", Stream::kNumber), dir.path() / "stream");
  write_file(dir.file("jobs.jsonl"),
             "{\"op\":\"gathernd\",\"data\":\"data.npy\",\"indices\":\"tuples.npy\",\"output\":\"one.npy\","
             "\"id\":\"one\"}\n"
             "{\"op\":\"add\",\"operands\":[\"@one\",\"one.npy\"],\"output\":\"two.json\"}\n");
  fs::create_directory(dir.path() / "cases");
  write_file(dir.file("cases/cases.jsonl"),
             "{\"op\":\"gather\",\"data\":[1,2,3],\"indices\":[2,1],\"expect\":\"../one.npy\"}\n"
             "{\"op\":\"gather\",\"data\":[1.5,2.5],\"indices\":[1],\"expect\":\"../two.json\"}\n");
}

std::set<std::string> names_in(const TempDir& dir) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(dir.path())) {
    names.insert(entry.path().lexically_relative(dir.path()).string());
  }
  return names;
}

// In memory where that can be: a disk makes sure of a file that takes another's place, a thousand times here.
Trial::Trial(const Operation& operation)
    : operation_(operation),
      dir_(::access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path()) {
  write_operands(dir_);
  operands_ = names_in(dir_);
  ::setenv("TMPDIR", dir_.path().c_str(), 1);  // what is left there is noticed too
  prepare(false);
  operation_.run(dir_);
  for (const std::string& output : operation_.outputs) whole_.push_back(get(dir_.file(output)));
}

Trial::~Trial() {
  for (const auto& entry : fs::directory_iterator(dir_.path().parent_path())) {
    if (entry.path().string().starts_with(dir_.path().string() + "-old-")) fs::remove_all(entry.path());
  }
}

void Trial::prepare(bool old_outputs) {
  before_.clear();
  new_folder_.clear();
  has_empty_folder_ = false;
  for (const std::string& output : operation_.outputs) {
    const std::string folder = output.substr(0, output.find('/'));
    if (folder != output && !operands_.contains(folder)) new_folder_ = folder;
    fs::remove_all(dir_.path() / (new_folder_.empty() ? output : new_folder_));
    // Something that a golden file of this name may be.
    const std::string old = output.ends_with(".pb") ? onnx_int64s({1}, {7}) : std::string("[7]");
    if (!operation_.changes.empty()) {
      fs::copy_file(dir_.file(operation_.changes), dir_.file(output));
    } else if (old_outputs && new_folder_.empty()) {
      write_file(dir_.file(output), old);
    }
    before_.push_back(get(dir_.file(output)));
  }
  if (old_outputs && !new_folder_.empty()) has_empty_folder_ = fs::create_directory(dir_.file(new_folder_));
}

void Trial::remove_temporary_entries() const {
  for (const std::string& name : names_in(dir_)) {
    if (name.find(".tensorop-") != std::string::npos) fs::remove_all(dir_.file(name));
  }
}

std::string Trial::fault_in_outputs(bool succeeded) const {
  auto expected = operands_;
  if (has_empty_folder_) expected.insert(new_folder_);
  std::size_t there = 0;
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    const std::string& name = operation_.outputs[i];
    const std::string content = get(dir_.file(name));
    const bool is_whole = content == whole_[i];
    if (!is_whole && (succeeded || content != before_[i])) return cat(name, " holds ", printable(content));
    if (content == "(nothing)") continue;
    ++there;
    expected.insert(name);
    for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) {
      expected.insert(name.substr(0, at));
    }
  }
  if (!new_folder_.empty() && there != 0 && there != whole_.size()) return new_folder_ + " is not complete";
  for (const std::string& name : names_in(dir_)) {
    if (!expected.contains(name)) return cat(name, " was left");
  }
  return "";
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

}  // namespace tensorop
