#include "support/engine_call.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "ranks/rank_executor.hpp"
#include "ranks/ranks.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/operator_facts.hpp"
#include "support/pb_writer.hpp"
#include "support/picture_check.hpp"
#include "support/plan_check.hpp"
#include "support/reference_array.hpp"
#include "support/thread_ranks.hpp"
#include "support/why_check.hpp"

namespace tensorop {
namespace {

using reference::Array;
using reference::Element;

// The outcome of a call: a result, or the rule that was broken.
struct Outcome {
  std::optional<Tensor> result;
  std::string rule;
  std::string message;  // of the engine
  std::string place;    // what of it the reference knows: the element to blame
};

std::string text_of(const Element& element) {
  std::ostringstream out;
  if (element.dtype == DType::string) {
    out << '"' << printable(element.bytes) << '"';
  } else if (kFloatTypes.contains(element.dtype)) {
    out.precision(17);
    out << reference::real(element);
  } else if (kComplexTypes.contains(element.dtype)) {
    out << reference::complex(element);
  } else {
    const reference::Wide value = reference::integer(element);
    const bool negative = value < 0;
    out << (negative ? "-" : "") << static_cast<std::uint64_t>(negative ? -value : value);
  }
  return out.str();
}

std::string text_of(const Tensor& tensor) {
  const Array array(tensor);
  std::string out = cat(name(tensor.dtype()), to_string(tensor.shape()), " {");
  for (std::size_t i = 0; i < array.elements.size() && i < 100; ++i) {
    out += cat(i == 0 ? "" : " ", text_of(array.elements[i]));
  }
  return out + (array.elements.size() > 100 ? " ...}" : "}");
}

const std::vector<int> kThreadCounts = {1, 2, 3, 7};

// Memory for bands of one element, of less than a page, of a page, odd, and of all that any call needs.
// Large calls have fewer bands, or they would take long.
std::vector<std::int64_t> band_bytes(const RandomCase& call) {
  std::int64_t bytes = 0;
  for (const Tensor& operand : call.arguments.operands) bytes += operand.bytes();
  if (bytes > 100'000) return {100'003, std::int64_t{1} << 24};
  if (bytes > 300) return {1000, 4096, 10'007, std::int64_t{1} << 24};
  return {1, 1000, 4096, std::int64_t{1} << 24};
}

std::string_view access_name(std::optional<Access> access) {
  if (!access) return "any";
  switch (*access) {
    case Access::plain:
      return "plain";
    case Access::advised:
      return "advised";
    case Access::bands:
      return "bands";
    case Access::exchange:
      return "exchange";
  }
  __builtin_unreachable();
}

// How an operand is handed over.
struct Passed {
  Operand operand;
  std::string how;
};

// Runs work once for every rank of this process.
using RunRanks = std::function<void(const std::function<void(const Ranks&)>& work)>;

class Caller {
 public:
  // Files of operands and of results go to `folder`.
  explicit Caller(std::string folder) : Caller(folder, folder, true) {}
  // `own_folder`: for the results of this process alone. Operands are written where `writes`.
  Caller(std::string folder, std::string own_folder, bool writes)
      : folder_(std::move(folder)), own_folder_(std::move(own_folder)), writes_(writes) {}

  // The engine's outcome for `call`, which should be `wanted`; `log` tells how it was called. What is wrong
  // with the plan that it was computed by goes to `plan_wrong`.
  Outcome run(Random& random, const RandomCase& call, const Outcome& wanted, std::string& log,
              std::string& plan_wrong);

  // The differences between the outcomes of a call by each access; empty if there are none.
  std::string compare_accesses(Random& random, const RandomCase& call, std::string& log);
  // The same for the outcome of each rank. The files of the call are there when `ready` returns.
  std::string compare_ranks(Random& random, const RandomCase& call, const RunRanks& run,
                            const std::function<void()>& ready, std::string& log);

 private:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& path, const std::string& bytes) const {
    if (writes_) write_file(path, bytes);
  }
  // The request with operands that are handed over in various ways.
  Request prepare(Random& random, const RandomCase& call, std::string& log);
  Passed pass(Random& random, const Tensor& operand, std::size_t number);
  // A list of numbers as it is, or now and then as JSON or in a file.
  std::string pass_list(Random& random, const RandomCase& call, const std::string& name);

  std::string folder_;
  std::string own_folder_;
  bool writes_;  // the files of operands: another process does where it does not
};

std::string inline_json(const Tensor& tensor) {
  const Array array(tensor);
  std::vector<std::string> shape;
  for (const std::int64_t dim : tensor.shape()) shape.push_back(cat(dim));
  std::vector<std::string> elements;
  for (const Element& element : array.elements) {
    const bool is_bool = element.dtype == DType::boolean;
    elements.push_back(!is_bool ? text_of(element) : element.bytes[0] != 0 ? "true" : "false");
  }
  return cat("{\"dtype\":\"", name(tensor.dtype()), "\",\"shape\":[", join(shape, ","), "],\"data\":[",
             join(elements, ","), "]}");
}

Passed Caller::pass(Random& random, const Tensor& operand, std::size_t number) {
  const bool plain = operand.dtype() == DType::boolean || kIntegerTypes.contains(operand.dtype());
  if (plain && operand.size() <= 64 && random.chance(10)) return {inline_json(operand), "inline"};
  if (random.chance(10)) return {operand, "memory"};
  // Elements of less than 8 bits lose their other bits in a file.
  if (info(operand.dtype()).bits >= 8 && random.chance(15)) {
    const std::string path = file(cat("operand", number, ".pb"));
    write(path, pb_bytes(operand, static_cast<std::size_t>(random.between(0, 8))));
    return {path, "TensorProto"};
  }
  NpyLayout layout;
  layout.fortran_order = random.chance(40);
  layout.big_endian = random.chance(40);
  layout.version = static_cast<int>(random.between(1, 3));
  layout.bytes_strings = random.chance(30);
  const std::string path = file(cat("operand", number, ".npy"));
  write(path, npy_bytes(operand, layout));
  return {path, cat(layout.big_endian ? "big" : "little", layout.fortran_order ? " Fortran" : " C")};
}

std::string Caller::pass_list(Random& random, const RandomCase& call, const std::string& name) {
  const std::string& text = call.arguments.attributes.at(name);
  const bool is_plain = text != "[]";
  if (!random.chance(20)) return text;
  if (is_plain && random.chance(50)) return cat("[", text, "]");
  const std::vector<std::int64_t> numbers = reference::numbers(call.arguments, name);
  const bool any =
      !call.request.spec && std::ranges::all_of(numbers, [](auto x) { return -100 < x && x < 100; });
  const DTypeSet types = any ? kSignedTypes : DTypeSet{DType::int64};
  Array array(random_dtype(random, types), {static_cast<std::int64_t>(numbers.size())});
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    array.elements[i] = reference::make_integer(array.dtype, numbers[i]);
  }
  const std::string path = file(name + ".npy");
  write(path, npy_bytes(array.tensor()));
  return path;
}

Request Caller::prepare(Random& random, const RandomCase& call, std::string& log) {
  Request request = call.request;
  request.named.clear();
  request.positional.clear();
  std::size_t number = 0;
  const auto add = [&](const Operand& operand, const std::string& name) {
    const Passed passed = pass(random, *operand.as<Tensor>(), number++);
    log += cat("  ", name.empty() ? "operand" : name, " (", passed.how, "): ", text_of(*operand.as<Tensor>()),
               "\n");
    if (name.empty() || random.chance(70)) {
      request.positional.push_back(passed.operand);
    } else {
      request.named.push_back({name, passed.operand});
    }
  };
  for (const NamedText& operand : call.request.named) add(operand, operand.name);
  for (const Operand& operand : call.request.positional) add(operand, "");
  for (NamedText& attribute : request.attributes) {
    if (find_attribute(*request.op.op, attribute.name)->kind == AttributeKind::integers)
      attribute = {attribute.name, pass_list(random, call, attribute.name)};
  }
  return request;
}

Outcome Caller::run(Random& random, const RandomCase& call, const Outcome& wanted, std::string& log,
                    std::string& plan_wrong) {
  const Request request = prepare(random, call, log);
  Settings settings;
  settings.threads = Threads(random.pick(kThreadCounts));
  settings.access = random.pick(
      std::vector<std::optional<Access>>{std::nullopt, Access::plain, Access::advised, Access::bands});
  settings.memory = random.pick(band_bytes(call));
  log += cat("  threads: ", settings.threads.count(), ", access: ", access_name(settings.access),
             ", memory: ", settings.memory, "\n");
  Outcome out;
  try {
    out.result = evaluate(request, settings);
  } catch (const Failure& error) {
    out.rule = error.rule();
    out.message = error.what();
  }
  plan_wrong = plan_faults(random, request, settings, out.result, out.message);
  // The reference copies every element as text: of small results, every origin.
  constexpr std::int64_t kSmall = 300;
  if (!plan_wrong.empty() || !out.result || !wanted.result) return out;
  if (out.result->size() <= kSmall && random.chance(60))
    plan_wrong += why_faults(random, request, settings, *out.result, call.arguments);
  if (out.result->size() <= kSmall && random.chance(3))
    plan_wrong += picture_faults(request, settings, call.arguments);
  if (plan_open(random, request, settings) != reference::open_elements(call.arguments))
    plan_wrong = "other elements are open";
  return out;
}

// The bytes of a result at a destination, or the message of an error: the same for every access.
std::string outcome(const Request& request, const Settings& settings, const std::string& destination) {
  try {
    if (destination.empty()) {
      const Tensor result = evaluate(request, settings);
      std::string bytes = cat(name(result.dtype()), to_string(result.shape()), ' ');
      if (result.dtype() == DType::string) {
        for (const StringRef& element : result.strings()) bytes += cat(element.view(), '\n');
      } else {
        bytes.append(reinterpret_cast<const char*>(result.data()), to_size(result.bytes()));
      }
      return bytes;
    }
    run_request(request, {destination, {}}, settings);
    return get(destination);
  } catch (const Failure& error) {
    return cat("error: ", error.what());
  }
}

std::string shown(const std::string& bytes) {
  return printable(bytes.substr(0, 300));
}

std::string Caller::compare_accesses(Random& random, const RandomCase& call, std::string& log) {
  const Request request = prepare(random, call, log);
  const std::string name = random.pick(std::vector<std::string>{"", "out.npy", "out.json"});
  const std::string destination = name.empty() ? "" : file(name);
  log += cat("  destination: ", name.empty() ? "memory" : name, "\n");
  Settings settings;
  settings.access = Access::plain;
  const std::string expected = outcome(request, settings, destination);
  const auto differs = [&](Access access, std::int64_t memory) -> std::string {
    settings.access = access;
    settings.memory = memory;
    settings.threads = Threads(random.pick(kThreadCounts));
    const std::string got = outcome(request, settings, destination);
    if (got == expected) return "";
    return cat(access_name(access), ", ", memory, " bytes, ", settings.threads.count(),
               " threads: ", shown(got), "\n  plain: ", shown(expected));
  };
  std::string wrong = differs(Access::advised, 4096);
  for (const std::int64_t memory : band_bytes(call)) {
    if (wrong.empty()) wrong = differs(Access::bands, memory);
  }
  return wrong;
}

std::string Caller::compare_ranks(Random& random, const RandomCase& call, const RunRanks& run,
                                  const std::function<void()>& ready, std::string& log) {
  const Request request = prepare(random, call, log);
  ready();
  const std::string name = random.pick(std::vector<std::string>{"out.npy", "out.npy", "out.json", "out.pb"});
  Settings settings;
  settings.access = random.pick(
      std::vector<std::optional<Access>>{std::nullopt, Access::plain, Access::exchange, Access::exchange});
  settings.memory = random.pick(band_bytes(call));
  // Ranks need not have the same number of threads.
  const auto threads = static_cast<int>(random.between(0, 2));
  log += cat("  destination: ", name, ", access: ", access_name(settings.access),
             ", memory: ", settings.memory, ", threads: ", threads, " and more\n");
  std::string expected = outcome(request, {}, own_folder_ + "/" + name);
  if (const auto at = expected.find(own_folder_); expected.starts_with("error: ") && at != std::string::npos)
    expected.replace(at, own_folder_.size(), folder_);
  if (writes_) std::filesystem::remove(file(name));
  std::mutex mutex;
  std::string wrong;
  run([&](const Ranks& ranks) {
    const RankExecutor executor(ranks);
    Settings own = settings;
    own.executor = &executor;
    own.threads = Threads(1 + (ranks.rank() + threads) % 3);
    const std::string got = outcome(request, own, file(name));
    const std::lock_guard lock(mutex);
    if (got != expected && wrong.empty()) {
      wrong = cat("rank ", ranks.rank(), " of ", ranks.size(), ": ", shown(got),
                  "\n  one process: ", shown(expected));
    }
  });
  return wrong;
}

Outcome expected_outcome(const RandomCase& call) {
  try {
    return {reference::compute(call.arguments), "", "", ""};
  } catch (const reference::ReferenceError& error) {
    if (error.position < 0) return {std::nullopt, error.rule, "", ""};
    if (error.rule == reference::kDuplicates)
      return {std::nullopt, "", "", element_name("updates", error.position, error.shape) + " and "};
    // Index faults name the index, faults of computed elements the position in the result.
    const bool index = error.rule.starts_with("IX-");
    const std::string place = element_name(index ? "indices" : "position ", error.position, error.shape);
    const bool scalar_result = !index && error.shape.empty();
    return {std::nullopt, error.rule, "", index ? place + " = " : scalar_result ? "" : place};
  }
}

// The bits of a float as a number that grows with its value, so that neighbours differ by 1.
std::int64_t ordinal(const Element& element) {
  std::uint64_t bits = 0;
  for (std::size_t i = element.bytes.size(); i-- > 0;) {
    bits = bits << 8 | static_cast<unsigned char>(element.bytes[i]);
  }
  const std::uint64_t sign = std::uint64_t{1} << (8 * element.bytes.size() - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

bool quiet_nan(const Element& element) {
  if (!reference::is_nan(element)) return false;
  const int fraction = element.dtype == DType::float16    ? 10
                       : element.dtype == DType::float64  ? 52
                       : element.dtype == DType::bfloat16 ? 7
                                                          : 23;
  return (std::abs(ordinal(element)) >> (fraction - 1) & 1) != 0;
}

// Both parts of a complex number, each as a float; a float as it is.
std::vector<Element> parts(const Element& element) {
  if (!kComplexTypes.contains(element.dtype)) return {element};
  const DType part = element.dtype == DType::complex64 ? DType::float32 : DType::float64;
  const std::size_t half = element.bytes.size() / 2;
  return {{part, element.bytes.substr(0, half)}, {part, element.bytes.substr(half)}};
}

// Whether every bit of a result is prescribed: its elements are some of the operands' (of min and max the
// first NaN with its payload).
bool exact_bits(const reference::Arguments& arguments) {
  const std::string& op = arguments.op;
  const bool scatter = op.starts_with("scatter") || op == "dynamicupdateslice";
  const std::string rule = scatter ? reference::word(arguments, "reduction", "none") : op;
  if (rule == "none" || rule == "min" || rule == "max") return true;
  return !scatter && (op.starts_with("gather") || op == "dynamicslice" || op == "broadcast" ||
                      op == "expand" || op == "where");
}

bool same(const reference::Arguments& arguments, const Element& got, const Element& wanted) {
  if (got.bytes == wanted.bytes) return true;
  if (exact_bits(arguments) || !(kFloatTypes | kComplexTypes).contains(got.dtype)) return false;
  const std::vector<Element> a = parts(got);
  const std::vector<Element> b = parts(wanted);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].bytes == b[i].bytes || (quiet_nan(a[i]) && reference::is_nan(b[i]))) continue;
    const bool near = std::abs(ordinal(a[i]) - ordinal(b[i])) <= 1;
    if (!facts_of(arguments.op).is_inexact || !near || reference::is_nan(a[i])) return false;
  }
  return true;
}

// The errors in the engine's outcome; empty if there are none.
std::string difference(const RandomCase& call, const Outcome& got, const Outcome& wanted) {
  if (!got.result || !wanted.result) {
    if (got.result) return cat("a result, expected [", wanted.rule, "]");
    if (wanted.result) return cat("error ", got.message, ", expected ", text_of(*wanted.result));
    if (got.rule != wanted.rule) return cat("error ", got.message, ", expected [", wanted.rule, "]");
    const bool found = got.message.find(wanted.place) != std::string::npos;
    return found ? "" : cat("error ", got.message, ", expected ", wanted.place);
  }
  if (got.result->dtype() != wanted.result->dtype() || got.result->shape() != wanted.result->shape()) {
    return cat("got ", text_of(*got.result), "\n  expected ", text_of(*wanted.result));
  }
  const Array a(*got.result);
  const Array b(*wanted.result);
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    if (same(call.arguments, a.elements[i], b.elements[i])) continue;
    return cat("element ", i, " is ", text_of(a.elements[i]), ", expected ", text_of(b.elements[i]),
               "\n  got ", text_of(*got.result), "\n  expected ", text_of(*wanted.result));
  }
  return "";
}

std::string described(const RandomCase& call) {
  std::string out = std::string(call.request.op.name->name);
  if (call.request.spec) out += cat(" --spec ", *call.request.spec);
  for (const auto& [name, text] : call.arguments.attributes) out += cat(" ", name, "=", text);
  if (call.arguments.duplicates != "last") out += cat(" duplicates=", call.arguments.duplicates);
  if (call.arguments.oob != "error") out += cat(" oob=", call.arguments.oob);
  return out + "\n";
}

}  // namespace

CallCheck CallChecker::check(Random& random, const RandomCase& call) {
  CallCheck out = {.log = described(call)};
  const Outcome wanted = expected_outcome(call);
  std::string plan_wrong;
  const Outcome got = Caller(directory_.path()).run(random, call, wanted, out.log, plan_wrong);
  out.valid = wanted.result.has_value();
  out.wrong = difference(call, got, wanted);
  if (out.wrong.empty()) out.wrong = plan_wrong;
  return out;
}

CallCheck CallChecker::check_accesses(Random& random, const RandomCase& call) {
  CallCheck out = {.valid = true, .log = described(call)};
  out.wrong = Caller(directory_.path()).compare_accesses(random, call, out.log);
  return out;
}

CallCheck CallChecker::check_ranks(Random& random, const RandomCase& call, const Ranks& ranks,
                                   const std::string& folder) {
  CallCheck out = {.valid = true, .log = described(call)};
  Caller caller(folder, directory_.path(), ranks.is_first());
  const auto run = [&](const auto& work) { work(ranks); };
  const auto ready = [&] { (void)ranks.least(0); };
  for (const std::string& wrong :
       gather_texts(ranks, caller.compare_ranks(random, call, run, ready, out.log))) {
    if (out.wrong.empty()) out.wrong = wrong;
  }
  return out;
}

CallCheck CallChecker::check_ranks(Random& random, const RandomCase& call) {
  CallCheck out = {.valid = true, .log = described(call)};
  const int size = random.pick(std::vector<int>{1, 2, 3, 4, 7});
  const int machines = random.chance(50) ? 1 : 2;
  out.log += cat("  ranks: ", size, ", machines: ", machines, "\n");
  const auto run = [&](const auto& work) { run_on_threads(size, machines, work); };
  out.wrong = Caller(directory_.path())
                  .compare_ranks(
                      random, call, run, [] {}, out.log);
  return out;
}

}  // namespace tensorop
