#include "ranks/rank_executor.hpp"

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/system/memory.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/bind.hpp"
#include "engine/engine.hpp"
#include "engine/execute.hpp"
#include "engine/version_hint.hpp"
#include "io/opened_file.hpp"
#include "io/sink.hpp"
#include "jobs/jobs.hpp"
#include "ranks/rank_plan.hpp"
#include "ranks/ranks.hpp"

namespace tensorop {
namespace {

// The settings for a call that this process runs without other ranks.
Settings alone_settings(const Settings& settings) {
  Settings out = settings;
  out.executor = nullptr;
  return out;
}

// Combines a hash with a number.
std::uint64_t mixed(std::uint64_t hash, std::int64_t number) {
  hash += static_cast<std::uint64_t>(number);
  return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
}

// Hashes sizes and times of a request's files, to detect ranks that see different files.
std::uint64_t fingerprint(const Request& request) {
  std::uint64_t out = 0;
  for_each_reference(request, [&](const std::string& /*key*/, const Operand& given) {
    for (const NameInFile& parts : possible_files(given)) {
      struct stat info {};
      if (os().stat(parts.file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      for (const auto value : {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec})
        out = mixed(out, value);
    }
  });
  return out;
}

// Binds the call, on every rank separately; warnings go to `warnings`.
Bound bind_together(const RankExecutor& executor, const Request& request, const Settings& settings,
                    std::vector<std::string>& warnings) {
  std::optional<Bound> bound;
  std::uint64_t files = 0;
  executor.together([&] {
    with_context(request.op.name->name, [&] {
      for_each_reference(request, [&](const std::string& /*key*/, const Operand& given) {
        executor.require_regular(given);
      });
    });
    files = fingerprint(request);
    Settings own = alone_settings(settings);
    if (own.warn) own.warn = [&warnings](const std::string& line) { warnings.push_back(line); };
    bound.emplace(bind(request, own, RangeForm::slice));
    with_context(bound->call.name->name, [&] { require_possible(bound->planned.output); });
  });
  with_context(bound->call.name->name, [&] {
    executor.require_same(files, "operands");
    auto shape = static_cast<std::uint64_t>(bound->planned.output.dtype);
    for (const std::int64_t dimension : bound->planned.output.shape) shape = mixed(shape, dimension);
    executor.require_same(shape, "operands");
  });
  return std::move(*bound);
}

// Whether the destination is, or will be, a file that other processes can open.
bool is_file(const std::string& path) {
  return path != "-" && !is_other_file(path);
}

// A result file that all ranks write; the first rank creates and publishes it.
class SharedFile {
 public:
  // Called by all ranks together.
  SharedFile(const Ranks& ranks, const Destination& destination, const OutputInfo& output, const Warn& warn)
      : ranks_(ranks), path_(destination.path), durable_(destination.durable) {
    using Writers = OutputFile::Writers;
    const Writers writers = ranks.machines() == 1 ? Writers::this_machine : Writers::machines;
    Begun begun;
    std::string temporary;
    alone(ranks, [&] {
      if (!is_file(path_)) return;
      Destination shared = destination;
      shared.writers = writers;
      sink_ = open_sink(shared, output.dtype, output.shape, 0, warn);
      if (sink_->elements() == nullptr) return;
      const OutputFile::Shared file = sink_->elements()->shared();
      begun = {sink_->elements()->offset(), file.number, file.bytes};
      temporary = file.path;
    });
    begun = broadcast_value(ranks, begun, 0);
    if (begun.offset < 0) return;
    temporary = broadcast_text(ranks, temporary, 0);
    together(ranks, [&] {
      if (ranks.is_first()) return;
      const std::int64_t width = element_size(output.dtype);
      joined_.emplace(OutputFile::join({temporary, begun.number, begun.bytes}, path_, durable_, writers));
      joined_elements_.emplace(*joined_, begun.offset, width, count(output.shape) * width);
    });
    elements_ = ranks.is_first() ? sink_->elements() : &*joined_elements_;
  }

  // Whether ranks can write elements at their offsets.
  [[nodiscard]] bool has_elements() const { return elements_ != nullptr; }
  [[nodiscard]] const ElementFile& elements() const { return *elements_; }

  // Called by all ranks together. Publishes after all have written, if the inputs are unchanged.
  void commit(const Inputs& inputs) {
    together(ranks_, [&] {
      if (joined_) joined_->leave();
      inputs.require_unchanged();
    });
    alone(ranks_, [&] { sink_->commit(); });
  }

 private:
  // Facts for other ranks about the file that the first rank has begun.
  struct Begun {
    std::int64_t offset = -1;  // offset of the elements; negative: they have no fixed offset
    std::uint64_t number = 0;
    std::int64_t bytes = 0;
  };

  const Ranks& ranks_;
  std::string path_;
  bool durable_;
  std::unique_ptr<Sink> sink_;        // on the first rank
  std::optional<OutputFile> joined_;  // on the other ranks
  std::optional<ElementFile> joined_elements_;
  const ElementFile* elements_ = nullptr;  // null: they have no fixed offset
};

// Sends the costs of all ranks to the first rank, which explains them.
void explain_costs(const Ranks& ranks, const RankCost& cost, const Settings& settings) {
  if (!settings.explain_ranks) return;
  std::vector<RankCost> costs;
  costs.reserve(static_cast<std::size_t>(ranks.size()));
  for (int from = 0; from < ranks.size(); ++from) costs.push_back(broadcast_value(ranks, cost, from));
  if (ranks.is_first()) settings.explain_ranks(costs);
}

}  // namespace

void RankExecutor::run(const Request& request, const Destination& destination, const Settings& settings,
                       const std::optional<Destination>& open_mask) const {
  Settings own = settings;
  if (destination.path != "-") own.scratch_beside = destination.path;
  together([&] {
    with_context(request.op.name->name, [&] { (void)format_of(destination); });
    own.memory = memory_of(settings);
  });
  agree_on_memory(own);
  if (open_mask || !write_together(request, destination, own))
    alone([&] { run_request(request, destination, alone_settings(settings), open_mask); });
}

// All ranks must make the same plan.
void RankExecutor::agree_on_memory(Settings& settings) const {
  settings.memory = ranks_.least(settings.memory);
  settings.memory_sharers = 1;
}

bool RankExecutor::write_together(const Request& request, const Destination& destination,
                                  const Settings& settings) const {
  std::vector<std::string> warnings;
  const Bound bound = bind_together(*this, request, settings, warnings);
  const OutputInfo& output = bound.planned.output;
  // Strings point into operands, which every rank has; an NPY file needs the longest string first.
  if (output.dtype == DType::string || destination.path == "-") return false;
  return with_context(bound.call.name->name, [&] {
    return with_fault_hint(request, bound, settings, [&] {
      SharedFile file(ranks_, destination, output, settings.warn);
      if (!file.has_elements()) return false;
      for (const std::string& line : warnings) settings.warn(line);
      ElementTarget target = file_target(file.elements(), element_size(output.dtype));
      if (ranks_.machines() != 1) target.map = nullptr;
      const RankPart part = fill_by_ranks(ranks_, bound, target, settings);
      file.commit(bound.inputs);
      explain_costs(ranks_, part.cost, settings);
      alone([&] { warn_of_elements(bound, part.plan, settings); });
      warn_of_unnamed(destination, output.dtype, settings);
      return true;
    });
  });
}

OutputInfo RankExecutor::infer(const Request& request, const Settings& settings) const {
  Request headers = request;
  headers.dry_run = true;
  std::vector<std::string> warnings;
  Bound bound = bind_together(*this, headers, settings, warnings);
  for (const std::string& line : warnings) settings.warn(line);
  return std::move(bound.planned.output);
}

void RankExecutor::require_regular(const Operand& operand) const {
  constexpr const char* kHint = "give a file that all ranks see";
  if (operand.is_standard_input())
    throw Error("standard input is for one process, not for several ranks", "", kHint);
  const std::string& path = operand.path;
  if (!is_other_file(path) || is_folder(path)) return;
  throw Error(cat(printable(path), ": a stream is for one process, not for several ranks"), "", kHint);
}

void RankExecutor::together(const std::function<void()>& work) const {
  tensorop::together(ranks_, work);
}

void RankExecutor::alone(const std::function<void()>& work) const {
  tensorop::alone(ranks_, work);
}

void RankExecutor::require_same(std::uint64_t value, const std::string& what) const {
  const bool is_own = value == broadcast_value(ranks_, value, 0);
  const bool is_same = ranks_.least(is_own ? 1 : 0) == 1;
  together([&] {
    if (is_same) return;
    throw Error(cat("the ranks do not see the same ", what), "",
                "files must be on a file system that all machines share, and must not change");
  });
}

}  // namespace tensorop
