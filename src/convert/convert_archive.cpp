// The part of convert() that writes archives: executes a list of edits, or says what it would do.
#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/files/output_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "convert/archive_inputs.hpp"
#include "engine/execute.hpp"
#include "io/safetensors/array_files.hpp"

namespace tensorop {
namespace {

void add_array(ArchiveWriter& archive, const std::string& name, const CastInput& input,
               const Settings& settings) {
  const auto sink = archive.add(name, input.dtype, input.tensor.shape(), string_width(input.tensor));
  input.explain([&] { Execution(input.planned(), input.inputs, settings).write(*sink); });
}

// Throws Error if an array that the user did not name would lose digits.
void require_exact(const NamedInput& input, const CastInput& opened) {
  if (input.archive != nullptr && !input.may_round) opened.require_exact_integers();
}

// Bytes sent to a stream cannot be revoked: everything that can fail must happen before.
CastInput prepared(CastInput input, const Settings& settings) {
  if (!input.is_cast()) return input;
  input.explain([&] { input.tensor = Execution(input.planned(), input.inputs, settings).evaluate({}); });
  return input;
}

// Opens the inputs at the positions `order` by open(position, reading), and passes them to use(position,
// opened), one at a time and in that order. Arrays that take one thread each are opened concurrently, as many
// as there are threads and memory; all others one after the other, on all threads.
template <class Open, class Use>
void for_each_input(const std::vector<NamedInput>& inputs, std::span<const std::size_t> order,
                    const InputReading& reading, const Open& open, const Use& use) {
  InputReading shared = reading;
  shared.settings.memory_sharers *= reading.settings.threads.count();
  shared.settings.threads = Threads(1);
  const ArrayReading arrays = options_of(shared, {}).arrays;
  const auto takes_one_thread = [&](std::size_t position) {
    const NamedInput& input = inputs[position];
    return input.archive != nullptr && input.archive->is_compressed(input.member) &&
           !arrays.needs_scratch(input.member.bytes);
  };
  while (!order.empty()) {
    const auto end = std::ranges::find_if_not(order, takes_one_thread);
    const auto batch = order.first(std::max<std::size_t>(1, to_size(end - order.begin())));
    const bool is_alone = batch.size() == 1;
    std::vector<std::optional<CastInput>> opened(batch.size());
    const auto open_one = [&](std::int64_t i, int /*worker*/) {
      opened[to_size(i)] = open(batch[to_size(i)], is_alone ? reading : shared);
    };
    const auto use_one = [&](std::int64_t i, int /*worker*/) {
      use(batch[to_size(i)], *std::exchange(opened[to_size(i)], std::nullopt));
    };
    reading.settings.threads.for_each_ordered(to_int64(batch.size()), open_one, use_one);
    order = order.subspan(batch.size());
  }
}

// Opens inputs before the first array is written: all of them with their elements for a stream; only their
// dtypes and shapes, as far as possible, if the archive needs these first.
std::vector<std::optional<CastInput>> open_first(const ArchiveWriter& archive,
                                                 const std::vector<NamedInput>& inputs,
                                                 std::span<const std::size_t> order,
                                                 const InputReading& reading) {
  std::vector<std::optional<CastInput>> first(inputs.size());
  if (archive.is_stream()) {
    for_each_input(
        inputs, order, reading,
        [&](std::size_t i, const InputReading& own) { return open_input(inputs[i], own, false); },
        [&](std::size_t i, CastInput input) {
          require_exact(inputs[i], input);
          first[i] = prepared(std::move(input), reading.settings);
        });
  } else if (archive.needs_headers()) {
    for (const std::size_t i : order)
      first[i] = open_input(inputs[i], reading, can_be_opened_again(inputs[i]));
  }
  return first;
}

// Returns the input with its elements.
CastInput open_whole(const NamedInput& input, std::optional<CastInput> first, const InputReading& reading) {
  if (first && (first->tensor.data() != nullptr || first->tensor.size() == 0)) return std::move(*first);
  CastInput whole = open_input(input, reading, false);
  if (first && (whole.dtype != first->dtype || whole.tensor.shape() != first->tensor.shape())) {
    throw Error(cat(whole.name, ": changed while it was read"));
  }
  return whole;
}

void warn_of_replaced(const std::string& path, const NamedInput& input, const CastInput& written,
                      const InputReading& reading) {
  if (!reading.settings.warn || !input.replaced || !can_be_opened_again(*input.replaced)) return;
  InputReading silent = reading;
  silent.settings.warn = nullptr;
  ArrayEntry before;
  if (const StoredMember& stored = input.replaced->stored; stored.archive != nullptr) {
    before = stored.archive->entry(stored.position);
  } else {
    const CastInput old = open_input(*input.replaced, silent, true);
    before.dtype = old.dtype;
    before.shape = old.tensor.shape();
  }
  warn_of_change(path, input.name, before, written.dtype, written.tensor.shape(), reading.settings.warn);
}

// The members of the result, for its writer. Of new arrays, the dtypes and shapes are those of `headers`.
std::vector<ArchiveArray> members_of(const std::vector<NamedInput>& inputs, const Archive* old, bool compress,
                                     const std::vector<std::optional<CastInput>>& headers) {
  std::vector<ArchiveArray> members;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const NamedInput& input = inputs[i];
    ArchiveArray& member = members.emplace_back();
    member.name = input.name;
    if (input.is_kept) {
      const auto& [format, file, archive, position] = input.stored;
      member.operand = printable(cat(file, ":", archive->name(position)));
      member.old = archive;
      member.member = position;
      member.is_kept = true;
      continue;
    }
    member.compress = compress;
    if (old != nullptr && old->size() != 0 && !compress)
      member.compress = old->is_compressed(old->lookup(input.name).value_or(old->size() - 1));
    if (!headers[i]) continue;
    member.dtype = headers[i]->dtype;
    member.shape = headers[i]->tensor.shape();
    member.operand = headers[i]->name;
  }
  return members;
}

// Describes a member for a dry run; `header`: the header of a new array.
std::string line_of(const NamedInput& input, const ArchiveArray& member,
                    const std::optional<CastInput>& header) {
  const std::string name = printable(input.name);
  if (!input.is_array) return cat(name, ": no array, from ", printable(input.stored.file));
  const std::string from = member.operand.empty() ? "" : cat(", from ", member.operand);
  if (header) {
    const DType before = header->tensor.dtype();
    return cat(name, ": ", tensorop::name(member.dtype), " ", to_string(member.shape), from,
               member.dtype == before ? "" : cat(", was ", tensorop::name(before)));
  }
  const ArrayEntry entry = member.old->entry(member.member);
  const bool is_named = entry.dtype && entry.names_dtype;
  return cat(name, ": ", is_named ? std::string(tensorop::name(*entry.dtype)) : in_quotes(entry.stored), " ",
             to_string(entry.shape), from);
}

}  // namespace

void convert_to_archive(const Conversion& conversion, const std::vector<NamedCast>& casts,
                        const Format& format, const InputReading& reading) {
  const ArchiveInputs all = read_archive_inputs(conversion, casts, format, reading);
  const std::vector<NamedInput>& inputs = all.arrays;
  const auto old = replaced_archive(conversion.destination.path, format, false);
  ArchiveOptions options{.durable = conversion.destination.durable,
                         .threads = reading.settings.threads.count(),
                         .metadata = read_metadata(all, conversion, format, reading.settings),
                         .comment = old ? old->comment() : "",
                         .replaced = conversion.destination.replaced};
  if (format.can_compress) options.memory = memory_of(reading.settings);
  require_nothing_lost(conversion, old.get(), all, options.metadata);
  warn_of_link(conversion.destination, reading.settings.warn);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_kept) order.push_back(i);
  }
  if (conversion.dry_run) {
    std::vector<std::optional<CastInput>> headers(inputs.size());
    for (const std::size_t i : order) headers[i] = open_input(inputs[i], reading, true);
    const auto members = members_of(inputs, old.get(), conversion.compress, headers);
    require_destination(conversion.destination.path, format.least_bytes(members));
    for (std::size_t i = 0; i < members.size(); ++i)
      conversion.dry_run(line_of(inputs[i], members[i], headers[i]));
    for (const NamedInput& input : all.left_out)
      conversion.dry_run(cat("left out: ", printable(input.archive->path_of(input.member))));
    return;
  }
  const auto archive = format.create_archive(conversion.destination.path, options);
  auto first = open_first(*archive, inputs, order, reading);
  order = archive->announce(members_of(inputs, old.get(), conversion.compress, first));
  for_each_input(
      inputs, order, reading,
      [&](std::size_t i, const InputReading& own) { return open_whole(inputs[i], std::move(first[i]), own); },
      [&](std::size_t i, const CastInput& input) {
        require_exact(inputs[i], input);
        warn_of_replaced(conversion.destination.path, inputs[i], input, reading);
        add_array(*archive, inputs[i].name, input, reading.settings);
        warn_of_unnamed(cat(conversion.destination.path, ":", inputs[i].name), format, input.dtype,
                        reading.settings);
      });
  archive->commit();
  if (old && format.has_index)
    update_model_sizes(conversion.destination.path, conversion.destination.durable);
}

}  // namespace tensorop
