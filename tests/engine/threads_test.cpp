// The same bytes and the same errors whatever the number of threads: tensors large enough to be split,
// results in memory and in files.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "convert/convert.hpp"
#include "engine/engine.hpp"
#include "io/npz/npz_writer.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/nightly.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::engine_threads_test {
namespace {

// Under a sanitizer each run takes several times as long; the release compares all of them with one thread.
const std::vector<int> kThreadCounts = kAnySanitizer ? std::vector{7} : std::vector{1, 7};

// Any bits: NaN, infinities and subnormals among the floats. Bools are 0 or 1.
Tensor any_bits(Random& random, DType dtype, const Shape& shape) {
  const std::int64_t bytes = count(shape) * element_size(dtype);
  auto storage = std::make_shared<Storage>(bytes + 8);
  for (std::int64_t at = 0; at < bytes; at += 8) {
    std::uint64_t bits = random.bits();
    if (dtype == DType::boolean) bits &= 0x0101010101010101;
    std::memcpy(storage->data() + at, &bits, sizeof bits);
  }
  return {dtype, shape, storage};
}

// Whole numbers in [from, to], as any integer or float dtype.
Tensor numbers(Random& random, DType dtype, const Shape& shape, std::int64_t from, std::int64_t to) {
  auto storage = std::make_shared<Storage>(count(shape) * element_size(dtype));
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_arithmetic_v<T>) {
      for (std::int64_t i = 0; i < count(shape); ++i)
        reinterpret_cast<T*>(storage->data())[i] = static_cast<T>(random.between(from, to));
    }
  });
  return {dtype, shape, storage};
}

// A call whose operands are in memory.
struct BigCall {
  std::string op;
  std::vector<Tensor> operands;
  std::vector<NamedText> attributes = {};
  std::optional<std::string> oob = {};
};

// A shape in brackets.
Shape shape_of(std::string_view text) {
  std::string dims(text.substr(text.find('[') + 1));
  std::ranges::replace(dims, ',', ' ');
  std::istringstream in(dims);
  Shape shape;
  for (std::int64_t dim = 0; in >> dim;) shape.push_back(dim);
  return shape;
}

// "gather float32[9,3] int64[5]:-9..8 axis=0 oob=zero": operands of any bits or of numbers in a range, and
// attributes.
BigCall call_of(Random& random, const std::string& text) {
  std::istringstream words(text);
  BigCall call;
  words >> call.op;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (word.starts_with("oob=")) {
      call.oob = word.substr(equals + 1);
    } else if (equals != std::string::npos) {
      call.attributes.push_back({word.substr(0, equals), word.substr(equals + 1)});
    } else {
      const DType dtype = parse_dtype(word.substr(0, word.find('['))).value();
      const Shape shape = shape_of(word);
      const std::size_t range = word.find("]:") + 2;
      const std::size_t dots = word.find("..");
      call.operands.push_back(dots == std::string::npos
                                  ? any_bits(random, dtype, shape)
                                  : numbers(random, dtype, shape,
                                            std::stoll(word.substr(range, dots - range)),
                                            std::stoll(word.substr(dots + 2))));
    }
  }
  return call;
}

Request request_of(const BigCall& call) {
  Request request;
  request.op = require_operator(call.op);
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    request.positional.push_back(Operand::of_result(cat("@", i)));
  request.attributes = call.attributes;
  request.oob = call.oob;
  return request;
}

Settings settings_of(const BigCall& call, int threads, Meter* meter = nullptr) {
  Settings settings;
  settings.threads = Threads(threads, meter);
  settings.lookup = [&call](const std::string& text) -> std::optional<Tensor> {
    if (!text.starts_with('@')) return std::nullopt;
    return call.operands.at(std::stoul(text.substr(1)));
  };
  return settings;
}

std::string bytes_of(const Tensor& tensor) {
  if (tensor.dtype() != DType::string)
    return {reinterpret_cast<const char*>(tensor.data()), static_cast<std::size_t>(tensor.bytes())};
  std::string out;
  for (const StringRef& element : tensor.strings()) out += cat(element.view(), '\n');
  return out;
}

std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::string described(const BigCall& call) {
  std::string out = call.op;
  for (const Tensor& operand : call.operands)
    out += cat(' ', name(operand.dtype()), to_string(operand.shape()));
  for (const NamedText& attribute : call.attributes) out += cat(" --", attribute.name, ' ', attribute.text);
  return out + (call.oob ? cat(" --oob ", *call.oob) : "");
}

// Memory, an NPY file and (short) JSON: the same for every number of threads. Comparing is left to ==, so
// that a failure does not print megabytes.
void check_same_bytes(const BigCall& call, Access under_thread_sanitizer = Access::advised) {
  CAPTURE(described(call));
  const TempDir directory;
  // One thread has no races: under the thread sanitizer the result of several, once, is what the files must
  // have.
  const int first = kThreadSanitizer ? kThreadCounts.back() : 1;
  const std::string expected = bytes_of(evaluate(request_of(call), settings_of(call, first)));
  CHECK(expected.size() > 1 << 20);  // large enough to be split
  Meter meter;
  const Settings settings = settings_of(call, kThreadCounts.back(), &meter);
  const bool same_memory = kThreadSanitizer || bytes_of(evaluate(request_of(call), settings)) == expected;
  CHECK(same_memory);
  const std::string path = directory.file("out.npy");
  run_request(request_of(call), {path, {}}, settings);
  const std::string file = file_bytes(path);
  // The progress begins at 0 and ends with all bytes: at least the result each time.
  CHECK(meter.total() >= (kThreadSanitizer ? 1 : 2) * to_int64(expected.size()));
  CHECK(meter.done() == meter.total());
  const bool holds_memory = call.operands[0].dtype() == DType::string || file.ends_with(expected);
  CHECK(holds_memory);
  // By every other access, in a few bands: to a file, where more threads write than into memory.
  for (const Access access : {Access::advised, Access::bands}) {
    if (kThreadSanitizer && access != under_thread_sanitizer) continue;
    Settings forced = settings_of(call, kThreadCounts.back());
    forced.access = access;
    forced.memory = 1'000'003;
    const std::string forced_path = directory.file("forced.npy");
    run_request(request_of(call), {forced_path, {}}, forced);
    const bool same_file = file_bytes(forced_path) == file;
    CHECK(same_file);
  }
}

void check_same_bytes(Random& random, const std::string& text) {
  // What threads share depends little on a call's numbers: the thread sanitizer sees each twentieth call of a
  // test, by one of the accesses; a commit runs the first one and a third of the others.
  static std::uint64_t calls = 0;
  static const std::uint64_t seed = random_seed();
  const std::uint64_t number = calls++;
  if (kThreadSanitizer && number % 20 != 0) return;
  if (!kThreadSanitizer && !is_nightly() && number != 0 && (number + seed) % 3 != 0) return;
  check_same_bytes(call_of(random, text), number % 40 == 0 ? Access::advised : Access::bands);
}

TEST_CASE("gather: the same bytes for rows of any width and any number of threads", "[threads]") {
  Random random(1);
  for (const std::int64_t width : {1, 2, 3, 4, 8, 12, 16, 32, 100, 5000}) {
    const std::int64_t rows = (std::int64_t{5} << 18) / width + 7;
    check_same_bytes(random, cat("gather uint8[997,", width, "] int32[", rows, "]:-997..996"));
    check_same_bytes(random, cat("gathernd uint8[997,", width, "] int32[", rows, ",1]:-997..996"));
  }
}

TEST_CASE("gather family: the same bytes along every axis, with batches, and for indices out of range",
          "[threads]") {
  Random random(2);
  for (const char* call : {"gather float32[300,3,500] int64[41]:-3..2 axis=1",
                           "gather float32[300,3,500] int64[733]:-500..499 axis=2",
                           "gather float32[300,3,500] int64[300,733]:-500..499 axis=2 batch_dims=1",
                           // Wide enough that data does not fit in cache.
                           "gatherelements int16[2100,1500] int16[2100,1500]:-1500..1499 axis=0",
                           "gatherelements int16[2100,1500] int16[2100,1500]:-1500..1499 axis=1",
                           "gathernd float32[300,3,500] int64[600000,3]:-3..2",
                           "gathernd float32[300,3,500] int64[300,2,1]:-3..2 batch_dims=1",
                           "gathernd float32[300,3,500] int64[1,2,1]:-3..2 batch_dims=1",
                           "gathernd float32[300,3,500] int64[2,0]:0..0"})
    check_same_bytes(random, call);
  for (const char* oob : {"zero", "clip", "wrap"}) {
    check_same_bytes(random, cat("gather float32[300,3,500] int64[900]:-900..900 oob=", oob));
    check_same_bytes(random, cat("gathernd float32[300,3,500] int64[2000,2]:-5..5 oob=", oob));
    check_same_bytes(random,
                     cat("gatherelements float32[300,3,500] int64[300,3,500]:-9..9 axis=1 oob=", oob));
  }
}

TEST_CASE("strings are gathered and scattered to the same bytes by any number of threads", "[threads]") {
  Random random(4);
  static const std::string kText = "gather, scatter and broadcast";
  auto storage = std::make_shared<Storage>(997 * element_size(DType::string));
  for (std::int64_t i = 0; i < 997; ++i) {
    const StringRef string{kText.data() + i % 7, i % 20};
    std::memcpy(storage->data() + i * element_size(DType::string), &string, sizeof string);
  }
  const Tensor data(DType::string, {997}, storage);
  const Tensor indices = numbers(random, DType::int32, {150000}, -997, 996);
  check_same_bytes({"gather", {data, indices}});
  const BigCall gather{"gather", {data, indices}};
  const Tensor large = evaluate(request_of(gather), settings_of(gather, 1));
  check_same_bytes({"scatterelements", {large, numbers(random, DType::int32, {997}, -150000, 149999), data}});
}

// All updates of a place in their order: folds of floats would tell any other.
TEST_CASE("scatter family: the same bytes for every reduction, dtype and number of threads", "[threads]") {
  Random random(5);
  // What threads share does not depend on the dtype.
  const std::vector<DType> dtypes = kThreadSanitizer
                                        ? std::vector{DType::float32}
                                        : std::vector{DType::boolean, DType::uint16,  DType::int64,
                                                      DType::float16, DType::float32, DType::complex64};
  for (const std::string& reduction : reference::default_rules("scatterelements").reductions) {
    const reference::ReductionFacts& facts = *reference::find_reduction(reduction);
    for (const DType dtype : dtypes) {
      if (facts.word != reduction || !facts.is_defined(dtype)) continue;
      for (const char* use : {"true", "false"}) {
        // What the first update replaces does not depend on the dtype.
        if (std::string_view(use) == "false" && dtype != DType::float16 && dtype != DType::float32) continue;
        const std::string attributes = cat(" reduction=", reduction, " use_init_val=", use);
        const std::string type(name(dtype));
        const std::int64_t n = (std::int64_t{5} << 18) / element_size(dtype);
        // Some places take several updates, most none.
        const std::int64_t updates = std::min<std::int64_t>(n, 100000);
        check_same_bytes(random, cat("scatterelements ", type, "[", n, "] int32[", updates, "]:", -n, "..",
                                     n - 1, " ", type, "[", updates, "]", attributes));
        // A dozen rows take hundreds each.
        check_same_bytes(random, cat("scatternd ", type, "[", n / 5, ",5] int32[4000,1]:0..12 ", type,
                                     "[4000,5]", attributes));
      }
    }
  }
}

TEST_CASE("scatter family: the same bytes along every axis and for rows of any width", "[threads]") {
  Random random(6);
  for (const std::string folded : {" use_init_val=true reduction=none", " use_init_val=true reduction=add",
                                   " use_init_val=false reduction=add", " use_init_val=true reduction=mean",
                                   " use_init_val=false reduction=mean"}) {
    // Along an axis more than one for some places.
    for (const char* call :
         {"scatterelements float32[300,7,200] int64[400,7,190]:-300..299 float32[400,7,190] axis=0",
          "scatterelements float32[300,7,200] int64[290,9,190]:-7..6 float32[290,9,190] axis=1",
          "scatterelements float32[300,7,200] int64[290,7,266]:-200..199 float32[290,7,266] axis=2",
          "scatterupdate float32[300,7,200] int64[31]:-300..299 float32[31,7,200] axis=0",
          "scatterupdate float32[300,7,200] int64[31]:-7..6 float32[300,31,200] axis=1",
          "scatterupdate float32[300,7,200] int64[31]:-200..199 float32[300,7,31] axis=2",
          // Every tuple updates the whole tensor; and a single place takes them all.
          "scatternd float32[400000] int64[3,0]:0..0 float32[3,400000]",
          "scatternd float32[400000] int64[90000,1]:0..0 float32[90000]"})
      check_same_bytes(random, call + folded);
    for (const std::int64_t width : {1, 3, 20, 1023, 1024, 5000}) {
      const std::int64_t rows = 400000 / width + 1;
      const std::int64_t tuples = rows / 2 + 11;
      check_same_bytes(random, cat("scatternd float32[", rows, ",", width, "] int64[", tuples, ",1]:", -rows,
                                   "..", rows - 1, " float32[", tuples, ",", width, "]", folded));
    }
  }
  for (const std::string oob : {"drop", "clip", "wrap"}) {
    check_same_bytes(random,
                     "scatterelements float32[300,7,200] int64[300,7,200]:-900..900 float32[300,7,200] "
                     "reduction=add oob=" +
                         oob);
    check_same_bytes(random,
                     "scatternd float32[300,7,200] int64[3000,2]:-900..900 float32[3000,200] reduction=add "
                     "oob=" +
                         oob);
  }
}

TEST_CASE("scatter family: the same bytes where the updates are too many to be sorted", "[threads]") {
  Random random(9);
  for (const std::string folded :
       {" use_init_val=true reduction=sub", " use_init_val=false reduction=mean"}) {
    if (kThreadSanitizer && folded.ends_with("sub")) continue;
    // Along an outer axis; along the only one; tuples; slices put into few places.
    for (const std::string call :
         {"scatterelements float32[1100,1000] int32[2200,999]:-1100..1099 float32[2200,999]",
          "scatterelements float16[600000] int32[2200000]:0..599999 float16[2200000]",
          "scatternd float16[600000] int32[2200000,1]:0..599999 float16[2200000]",
          "scatterupdate float16[2,300000] int32[1100000]:0..299999 float16[2,1100000] axis=1"})
      // Threads do with tuples of one index what they do with indices.
      if (!kThreadSanitizer || !call.starts_with("scatternd")) check_same_bytes(random, call + folded);
  }
}

TEST_CASE("bands: the same bytes for any number of threads", "[threads]") {
  Random random(8);
  check_same_bytes(random,
                   "gatherslices float32[3001,501] int32[2000,1]:-9..3009 offset_dims=1 "
                   "collapsed_slice_dims=0 start_index_map=0 index_vector_dim=1 slice_sizes=1,499");
  check_same_bytes(random,
                   "scatterslices float32[3001,501] int32[2000,1]:-9..3009 float32[2000,499] "
                   "update_window_dims=1 inserted_window_dims=0 scatter_dims_to_operand_dims=0 "
                   "index_vector_dim=1 reduction=add");
}

TEST_CASE("broadcast and element-wise operators: the same bytes for any number of threads", "[threads]") {
  Random random(7);
  check_same_bytes(random, "broadcast float32[1,1001,1] shape=31,1001,30");
  check_same_bytes(random, "expand float32[1,1001,1] shape=31,1,30");
  check_same_bytes(random, "broadcast int16[1001] shape=31,1001,30 mode=explicit axes_mapping=1");
  check_same_bytes(random, "concat float32[1301,1001] float32[1301,77] axis=1");
  for (const Operator* op : kOperators) {
    const bool is_own = op->family == "gather" || op->family == "scatter" || op->family == "slices";
    if (is_own || op->family == "broadcast" || op->family == "concat") continue;
    const DTypeSet allowed = allowed_types(op->versions[0], "T");
    const std::string dtype = allowed.contains(DType::float32) ? "float32"
                              : allowed.contains(DType::uint8) ? "uint8"
                                                               : "bool";
    const char* condition = op->operands[0].role == OperandRole::condition ? " bool[1001]" : "";
    const char* direction = find_attribute(*op, "direction") != nullptr ? " direction=left" : "";
    check_same_bytes(random,
                     cat(op->name, condition, " ", dtype, "[1301,1001] ", dtype, "[1301,1]", direction));
  }
}

// The message of the error that the call ends in.
std::string message_of(const BigCall& call, int threads, const std::optional<std::string>& path,
                       Access access = Access::plain) {
  Settings settings = settings_of(call, threads);
  settings.access = access;
  settings.memory = 300'007;
  return error_of([&] {
    if (path) {
      run_request(request_of(call), {*path, find_format("npy")}, settings);
    } else {
      (void)evaluate(request_of(call), settings);
    }
  });
}

// Deflated arrays, called a00, a01, ...: each one block, which one thread inflates, but for one of several.
void write_blocks(const std::string& path) {
  const auto archive = write_npz(path, {});
  std::vector<ArchiveArray> members;
  for (int i = 0; i < 20; ++i) members.push_back({.name = cat("a", i / 10, i % 10), .compress = true});
  (void)archive->announce(members);
  Random random(9);
  for (int i = 0; i < 20; ++i) {
    const Tensor array = numbers(random, DType::int32, {i == 11 ? 1'000'000 : 1000 * (21 - i)}, -50, 49);
    const auto sink = archive->add(cat("a", i / 10, i % 10), array.dtype(), array.shape(), 0);
    sink->append({reinterpret_cast<const char*>(array.data()), to_size(array.bytes())});
    sink->commit();
  }
  archive->commit();
}

// Changes the checksum that a zip file states for a member, in its header and in the directory.
void spoil_checksum(std::string& zip, int member) {
  const auto spoil = [&](const char* record, std::size_t offset) {
    std::size_t at = zip.find(record);
    for (int i = 0; i < member; ++i) at = zip.find(record, at + 1);
    zip[at + offset] = static_cast<char>(zip[at + offset] ^ 1);
  };
  spoil("PK\3\4", 14);
  spoil("PK\1\2", 16);
}

TEST_CASE("arrays that one thread each inflates are converted alike by any number of threads", "[threads]") {
  const TempDir directory;
  const std::string from = directory.file("a.npz");
  write_blocks(from);
  const std::string whole = file_bytes(from);
  struct Row {
    std::string file;
    std::optional<std::string> dtype = {};
    bool compress = false;
    std::int64_t memory = 0;
  };
  // An NPZ file keeps members without a cast as they are stored: no thread inflates them.
  const std::vector<Row> rows = {{"b.npz", "int64"},
                                 {"b.npz", "float64", true},
                                 {"b.safetensors"},
                                 {"b.safetensors", "float16"},
                                 {"b.npz", "float64", false, 50'000},  // some arrays go to temporary files
                                 {"b.safetensors", {}, false, 1}};
  for (std::size_t i = 0; i < rows.size(); i += kThreadSanitizer ? 3 : 1) {
    const Row& row = rows[i];
    CAPTURE(row.file, row.dtype.value_or(""), row.memory);
    Conversion conversion{.inputs = {from}, .compress = row.compress};
    if (row.dtype) conversion.dtypes = {*row.dtype};
    conversion.destination.path = directory.file(row.file);
    Settings settings;
    settings.memory = row.memory;
    write_file(from, whole);
    convert(conversion, settings);
    const std::string expected = file_bytes(conversion.destination.path);
    for (const int threads : kThreadCounts) {
      CAPTURE(threads);
      settings.threads = Threads(threads);
      convert(conversion, settings);
      const bool is_same = file_bytes(conversion.destination.path) == expected;
      CHECK(is_same);
    }
    // The message names the first damaged array, which takes the longest.
    std::string damaged = whole;
    for (const int member : {4, 7, 19}) spoil_checksum(damaged, member);
    write_file(from, damaged);
    for (const int threads : kThreadCounts) {
      CAPTURE(threads);
      settings.threads = Threads(threads);
      const std::string error = error_of([&] { convert(conversion, settings); });
      CHECK(error.starts_with(cat(from, ":a04: the data is damaged: its CRC-32 is ")));
    }
    const bool is_kept = file_bytes(conversion.destination.path) == expected;
    CHECK(is_kept);
  }
}

TEST_CASE("of several bad indices the lowest is named by any number of threads", "[threads]") {
  Random random(8);
  struct Case {
    std::string op;
    Shape data;
    Shape indices;
    Shape updates;  // none: a gather
    std::int64_t axis = 0;
  };
  const std::vector<Case> cases = {
      {"gather", {50, 3}, {1000, 1000}, {}},
      {"gather", {3, 50}, {1000000}, {}, 1},
      {"gatherelements", {50, 1000}, {2000, 1000}, {}},
      {"gatherelements", {2000, 50}, {2000, 1000}, {}, 1},
      {"gatherelements",
       {50, 200000},
       {8, 200000},
       {}},  // several tiles of columns; the last one comes first
      {"gathernd", {50}, {1000, 1000, 1}, {}},
      {"scatterelements", {50, 30000}, {40, 30000}, {40, 30000}},
      {"scatterupdate", {3, 50}, {1000000}, {3, 1000000}, 1},
      {"scatternd", {50, 50000}, {90, 1000, 2}, {90, 1000}},
  };
  const TempDir directory;
  for (std::size_t i = 0; i < cases.size(); i += kThreadSanitizer ? 4 : 1) {
    const Case& c = cases[i];
    for (int round = 0; round < 3; ++round) {
      if (kThreadSanitizer ? round != 2 : !is_nightly() && round != static_cast<int>((i + random_seed()) % 3))
        continue;
      const Tensor good = numbers(random, DType::int32, c.indices, -50, 49);
      auto storage = std::make_shared<Storage>(good.bytes());
      std::memcpy(storage->data(), good.data(), static_cast<std::size_t>(good.bytes()));
      // Bad ones all over, each with a value of its own; with the rounds the lowest comes later and later.
      std::int64_t lowest = good.size();
      for (int bad = 0; bad < 40; ++bad) {
        std::int64_t position = random.between(good.size() * round / 3, good.size() - 1);
        if (c.op == "scatternd") position = position / 2 * 2;  // its second axis has room for any of these
        const auto value = static_cast<std::int32_t>(100 + bad);
        std::memcpy(storage->data() + position * 4, &value, sizeof value);
        lowest = std::min(lowest, position);
      }
      const Tensor indices(DType::int32, c.indices, storage);
      BigCall call{c.op, {any_bits(random, DType::int8, c.data), indices}};
      if (!c.updates.empty()) call.operands.push_back(any_bits(random, DType::int8, c.updates));
      if (c.axis != 0) call.attributes.push_back({"axis", cat(c.axis)});
      const std::string expected = cat(c.op, ": ", element_name("indices", lowest, c.indices), " = ",
                                       indices.as<std::int32_t>()[lowest], " (@1) is out of range for axis ",
                                       c.axis, " of data (size 50; allowed -50..49) [IX-1]");
      for (const int threads : kThreadCounts) {
        CAPTURE(described(call), threads);
        CHECK(message_of(call, threads, std::nullopt) == expected);
        CHECK(message_of(call, threads, "/dev/null") == expected);
      }
      for (const Access access : {Access::plain, Access::advised, Access::bands}) {
        if (kThreadSanitizer && access != Access::bands) continue;
        CHECK(message_of(call, kThreadCounts.back(), directory.file("out.npy"), access) == expected);
        CHECK(!std::filesystem::exists(directory.file("out.npy")));
      }
    }
  }
}

}  // namespace
}  // namespace tensorop::engine_threads_test
