// The part of convert() that writes archives.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/files/paths.hpp"
#include "base/files/replaced_file.hpp"
#include "base/text.hpp"
#include "convert/convert_input.hpp"
#include "engine/execute.hpp"
#include "io/archive.hpp"
#include "io/opened_file.hpp"
#include "io/rename.hpp"
#include "io/safetensors/shard_index.hpp"

namespace tensorop {
namespace {

// The contents of an archive to be written.
struct ArchiveInputs {
  std::vector<NamedInput> arrays;
  std::vector<NamedInput> left_out;                        // removed by Conversion::choose
  std::vector<std::shared_ptr<const TensorSet>> archives;  // archives whose arrays are all taken
  std::map<std::string, Metadata> opened;                  // metadata of archives with single arrays taken
};

// Adds the input NAME=OPERAND. An archive without a name contributes all its arrays, in its order; with a
// name, its only array.
void add_input(const std::string& text, std::size_t position, ArchiveCache& archives, ArchiveInputs& inputs) {
  const auto named = split_name(text);
  const Operand given = named ? named->given : Operand(text);
  auto set = TensorSet::open_archive(given, &kJsonFormat);
  if (set && (!named || set->members().size() == 1)) {
    const auto archive = std::make_shared<const TensorSet>(std::move(*set));
    inputs.archives.push_back(archive);
    const auto begin = to_int64(inputs.arrays.size());
    // If the archive does not name all dtypes, --view applies only to arrays without one.
    const bool has_unnamed =
        std::ranges::any_of(archive->members(), [](const SetMember& member) { return !member.names_dtype; });
    for (const SetMember& member : archive->members()) {
      inputs.arrays.push_back({.name = named ? named->name : member.name,
                               .archive = archive,
                               .member = member,
                               .keeps_dtype = has_unnamed && member.names_dtype,
                               .operand = position,
                               .is_edited = !named});
    }
    std::ranges::sort(inputs.arrays.begin() + begin, inputs.arrays.end(), {},
                      [](const NamedInput& input) { return input.member.position; });
    return;
  }
  if (auto opened = file_exists(given.path) ? std::nullopt : open_archive_path(given))
    inputs.opened.emplace(opened->shown(), archives.open(*opened).archive->metadata());
  if (named) {
    inputs.arrays.push_back(*named);
  } else {
    std::string name = array_name(given, archives);
    if (name.empty()) name = cat("arr_", position);
    inputs.arrays.push_back({.name = std::move(name), .given = given});
  }
  inputs.arrays.back().operand = position;
}

// Removes the arrays of whole archives that Conversion::choose leaves out, and renames the others.
void edit(const Conversion& conversion, ArchiveInputs& inputs) {
  if (!conversion.choose && conversion.renames.empty()) return;
  const auto edited_names = [&] {
    std::vector<std::string> names;
    for (const NamedInput& input : inputs.arrays) {
      if (input.is_edited) names.push_back(input.name);
    }
    return names;
  };
  if (conversion.choose) {
    // std::ranges::stable_partition() does not compile with Clang 14 and libstdc++ 12.
    const auto rest =
        std::stable_partition(inputs.arrays.begin(), inputs.arrays.end(),
                              [wanted = conversion.choose(edited_names())](const NamedInput& input) {
                                return !input.is_edited || wanted(input.name);
                              });
    std::move(rest, inputs.arrays.end(), std::back_inserter(inputs.left_out));
    inputs.arrays.erase(rest, inputs.arrays.end());
  }
  const auto& texts = conversion.inputs;
  std::vector<std::string> names = edited_names();
  rename_all(conversion.renames, "--rename-regex", texts.size() == 1 ? printable(texts[0]) : "the archives",
             names);
  auto name = names.begin();
  for (NamedInput& input : inputs.arrays) {
    if (input.is_edited) input.name = std::move(*name++);
  }
}

// `require_name`: Format::require_name of the result.
ArchiveInputs read_inputs(const Conversion& conversion, void (*require_name)(const std::string& name),
                          const Settings& settings) {
  const std::vector<std::string>& texts = conversion.inputs;
  ArchiveInputs inputs;
  for (std::size_t i = 0; i < texts.size(); ++i) add_input(texts[i], i, *settings.archives, inputs);
  edit(conversion, inputs);
  std::vector<NamedInput> arrays;
  std::map<std::string, std::size_t> places;
  const auto shown = [&](const NamedInput& input) {
    return printable(input.is_edited ? input.archive->path_of(input.member) : texts[input.operand]);
  };
  for (NamedInput& input : inputs.arrays) {
    with_context(printable(texts[input.operand]), [&] { require_name(input.name); });
    const auto [before, is_new] = places.emplace(input.name, arrays.size());
    if (is_new) {
      arrays.push_back(std::move(input));
      continue;
    }
    NamedInput& old = arrays[before->second];
    if (!conversion.replace || old.operand == input.operand)
      throw Error(cat(shown(old), " and ", shown(input), " would both have the name ", in_quotes(input.name)),
                  "",
                  old.operand == input.operand
                      ? ""
                      : "NAME=OPERAND gives an array another name; --replace takes the last of one name");
    // An array that was named by itself was meant to replace others, so its loss is a warning.
    if (settings.warn && !old.is_edited)
      settings.warn(cat(shown(old), ": is left out: ", printable(texts[input.operand]), " has an array ",
                        in_quotes(input.name), " too, and comes later"));
    input.replaced = std::make_shared<const NamedInput>(std::move(old));
    old = std::move(input);
  }
  inputs.arrays = std::move(arrays);
  if (std::ranges::count_if(inputs.arrays, &Operand::is_standard_input, &NamedInput::given) > 1)
    throw Error("standard input can be read only once");
  return inputs;
}

void add_array(ArchiveWriter& archive, const std::string& name, const CastInput& input,
               const Settings& settings) {
  const auto sink = archive.add(name, input.dtype, input.tensor.shape(), string_width(input.tensor));
  input.explain([&] { execute(input.planned(), input.inputs, *sink, settings); });
}

// Throws Error if an array that the user did not name would lose digits.
void require_exact(const NamedInput& input, const CastInput& opened) {
  if (input.archive != nullptr && !input.may_round) opened.require_exact_integers();
}

// Bytes sent to a stream cannot be revoked: everything that can fail must happen before.
CastInput prepared(CastInput input, const Settings& settings) {
  if (!input.is_cast()) return input;
  input.explain([&] { input.tensor = execute(input.planned(), input.inputs, settings, {}); });
  return input;
}

// Returns the metadata of all archives whose arrays are all taken.
Metadata joined_metadata(const ArchiveInputs& inputs) {
  Metadata metadata;
  std::map<std::string_view, std::pair<std::string_view, const TensorSet*>> known;
  for (const auto& archive : inputs.archives) {
    for (const auto& [key, value] : archive->metadata()) {
      const auto [before, is_new] = known.try_emplace(key, value, archive.get());
      if (is_new) metadata.emplace_back(key, value);
      if (is_new || before->second.first == value) continue;
      throw Error(
          cat(printable(before->second.second->name()), " and ", printable(archive->name()),
              " have different metadata ", in_quotes(key)),
          "", "--metadata-from FILE says whose; FILE:NAME takes an array without the metadata of its file");
    }
  }
  return metadata;
}

// Returns the metadata of the result, and warns about the metadata of the inputs.
Metadata read_metadata(const ArchiveInputs& inputs, const Conversion& conversion, const Format& format,
                       const Settings& settings) {
  const bool is_given = !conversion.metadata.empty() || conversion.metadata_from;
  if (is_given && !format.keeps_metadata)
    throw Error(cat(conversion.metadata.empty() ? "--metadata-from" : "--metadata", ": ", format.title,
                    " has no place for metadata"));
  Metadata metadata;
  if (conversion.metadata_from) {
    const auto from = TensorSet::open_archive(*conversion.metadata_from, &kJsonFormat);
    if (!from)
      throw Error(cat("--metadata-from ", printable(*conversion.metadata_from), ": is not an archive"));
    metadata = from->metadata();
  } else if (format.keeps_metadata) {
    metadata = joined_metadata(inputs);
  }
  if (settings.warn) {
    std::set<std::string_view> kept;
    for (const auto& [key, value] : metadata) kept.insert(key);
    for (const auto& archive : inputs.archives) {
      for (const std::string& line : archive->warnings()) settings.warn(line);
      std::vector<std::string> lost;
      for (const auto& [key, value] : archive->metadata()) {
        if (!kept.contains(key)) lost.push_back(key);
      }
      if (lost.empty()) continue;
      settings.warn(cat(printable(archive->name()), ": its metadata is left out",
                        format.keeps_metadata ? cat(": ", list_names(std::move(lost)))
                                              : cat(": ", format.title, " has no place for it")));
    }
  }
  for (const auto& [path, own] : inputs.opened) {
    const auto is_lost = [&](const auto& entry) { return std::ranges::count(metadata, entry) == 0; };
    std::vector<std::string> lost;
    for (const auto& [key, value] : own) {
      if (is_lost(Metadata::value_type(key, value))) lost.push_back(key);
    }
    if (settings.warn && format.keeps_metadata && !conversion.metadata_from && !lost.empty())
      settings.warn(cat(printable(path), ": its metadata is left out: ", list_names(std::move(lost)),
                        "; --metadata-from ", printable(path), " keeps it"));
  }
  for (const std::string& text : conversion.metadata) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw Error(cat("--metadata ", in_quotes(text), " is not KEY=VALUE"));
    if (!is_utf8(text)) throw Error(cat("--metadata ", in_quotes(text), " is not valid UTF-8"));
    const std::string key = text.substr(0, equals);
    const auto there = std::ranges::find(metadata, key, &Metadata::value_type::first);
    std::string& value = there == metadata.end() ? metadata.emplace_back(key, "").second : there->second;
    value = text.substr(equals + 1);
  }
  return metadata;
}

// Whether the operand can be opened a second time.
bool can_be_opened_again(const NamedInput& input) {
  return input.archive != nullptr || (input.given.as<RawBytes>() == nullptr &&
                                      !input.given.is_standard_input() && !is_other_file(input.given.path));
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
    const auto run = order.first(std::max<std::size_t>(1, to_size(end - order.begin())));
    const bool is_alone = run.size() == 1;
    std::vector<std::optional<CastInput>> opened(run.size());
    const auto open_one = [&](std::int64_t i, int /*worker*/) {
      opened[to_size(i)] = open(run[to_size(i)], is_alone ? reading : shared);
    };
    const auto use_one = [&](std::int64_t i, int /*worker*/) {
      use(run[to_size(i)], *std::exchange(opened[to_size(i)], std::nullopt));
    };
    reading.settings.threads.for_each_ordered(to_int64(run.size()), open_one, use_one);
    order = order.subspan(run.size());
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
  } else if (archive.needs_announcement()) {
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

// Returns the dtype that an input has before any cast, from its header.
DType dtype_before(const NamedInput& input, const InputReading& reading) {
  if (!can_be_opened_again(input))
    throw Error(cat("--dtype DTYPE=DTYPE: ", printable(input.given.shown()), " can be read only once"));
  InputReading plain = reading;
  // A small dtype may be one that the file does not name.
  if (plain.dtype && !kSmallTypes.contains(*plain.dtype)) plain.dtype.reset();
  return open_input(input, plain, true).tensor.dtype();
}

void set_dtypes(const std::vector<NamedCast>& casts, const InputReading& reading,
                std::vector<NamedInput>& inputs) {
  std::vector<DType> before;
  if (std::ranges::any_of(casts, [](const NamedCast& cast) { return cast.source.has_value(); })) {
    for (const NamedInput& input : inputs) before.push_back(dtype_before(input, reading));
  }
  for (const NamedCast& cast : casts) {
    bool is_used = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      NamedInput& input = inputs[i];
      const bool is_meant = cast.source ? before[i] == *cast.source : matches_pattern(cast.names, input.name);
      if (!is_meant) continue;
      input.dtype = cast.dtype;
      input.may_round = !cast.source;
      is_used = true;
    }
    if (!is_used)
      throw Error(cat("--dtype ", in_quotes(cast.names), " is the ", cast.source ? "dtype" : "name",
                      " of no array of the result"));
  }
}

// Throws Error if the archive replaces `old`, and parts of `old` are neither in the result nor inputs.
void require_nothing_lost(const Conversion& conversion, const Archive& old, const ArchiveInputs& inputs,
                          const Metadata& metadata) {
  const std::string& path = conversion.destination.path;
  std::set<std::string> there;
  std::set<const TensorSet*> itself;
  const auto id = file_id(path);
  for (const auto& archive : inputs.archives) {
    if (id && file_id(archive->name()) == id) itself.insert(archive.get());
  }
  const auto is_of_it = [&](const NamedInput& input) { return itself.contains(input.archive.get()); };
  for (const NamedInput& input : inputs.arrays) {
    // An array that is renamed does not keep the one whose name it gets.
    const bool is_renamed = is_of_it(input) && input.member.name != input.name;
    if (!is_renamed) there.insert(input.name);
    if (is_of_it(input)) there.insert(input.member.name);
    const auto own = find_member(input.given, [&](const std::string& file) { return file_id(file) == id; });
    if (id && own) there.insert(own->name);
  }
  for (const NamedInput& input : inputs.left_out) {
    if (conversion.replace && is_of_it(input)) there.insert(input.member.name);
  }
  std::vector<std::string> lost;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (!old.is_array(i) || !there.contains(std::string(old.name(i)))) lost.emplace_back(old.name(i));
  }
  there.clear();
  for (const auto& [key, value] : metadata) there.insert(key);
  for (const auto& [key, value] : old.metadata()) {
    if (!there.contains(key)) lost.push_back(cat("metadata ", key));
  }
  if (lost.empty()) return;
  throw Error(cat(printable(path),
                  ": holds what the result does not, and would be lost: ", list_names(std::move(lost))),
              "",
              std::ranges::any_of(inputs.left_out, is_of_it)
                  ? "--replace takes out of it what --filter and --exclude leave out"
                  : cat("-o ", printable(path),
                        ":NAME writes one array of it and keeps the others; as an input it is kept too"));
}

// Throws Error if the file is part of a model that would then have the same array in two parts, or lack one.
void require_whole_models(const Destination& destination, const std::vector<NamedInput>& inputs,
                          const Archive* old) {
  if (!destination.replaced || !destination.replaced->exists()) return;
  std::vector<std::string> names;
  names.reserve(inputs.size());
  for (const NamedInput& input : inputs) names.push_back(input.name);
  const std::set<std::string> kept(names.begin(), names.end());
  std::vector<std::string> lost;
  for (std::size_t i = 0; old != nullptr && i < old->size(); ++i) {
    if (!kept.contains(std::string(old->name(i)))) lost.emplace_back(old->name(i));
  }
  require_model_stays_whole(destination.path, names, lost);
}

void warn_of_replaced(const std::string& path, const NamedInput& input, const CastInput& written,
                      const InputReading& reading) {
  if (!reading.settings.warn || !input.replaced || !can_be_opened_again(*input.replaced)) return;
  InputReading silent = reading;
  silent.settings.warn = nullptr;
  const CastInput old = open_input(*input.replaced, silent, true);
  ArrayEntry before;
  before.dtype = old.dtype;
  before.shape = old.tensor.shape();
  warn_of_change(path, input.name, before, written.dtype, written.tensor.shape(), reading.settings.warn);
}

// Prints the result for each array, from its header, and the arrays that are left out. Throws Error first if
// the format lacks a dtype.
void list_arrays(const ArchiveInputs& inputs, const Format& format, const InputReading& reading,
                 const std::function<void(const std::string& line)>& print_line) {
  std::vector<std::string> lines;
  for (const NamedInput& input : inputs.arrays) {
    const CastInput opened = open_input(input, reading, true);
    const DType before = opened.tensor.dtype();
    if (format.missing.contains(opened.dtype))
      throw Error(cat(opened.name.empty() ? cat("array ", in_quotes(input.name)) : opened.name, ": ",
                      format.title, " has no dtype ", name(opened.dtype)),
                  "", cat("a ", endings_naming(opened.dtype).back(), " file has it"));
    lines.push_back(cat(printable(input.name), ": ", name(opened.dtype), " ",
                        to_string(opened.tensor.shape()),
                        opened.name.empty() ? "" : cat(", from ", opened.name),
                        opened.dtype == before ? "" : cat(", was ", name(before))));
  }
  for (const std::string& line : lines) print_line(line);
  for (const NamedInput& input : inputs.left_out)
    print_line(cat("left out: ", printable(input.archive->path_of(input.member))));
}

}  // namespace

void convert_to_archive(const Conversion& conversion, const std::vector<NamedCast>& casts,
                        const Format& format, const InputReading& reading) {
  ArchiveInputs all = read_inputs(conversion, format.require_name, reading.settings);
  set_dtypes(casts, reading, all.arrays);
  const std::vector<NamedInput>& inputs = all.arrays;
  ArchiveOptions options{.compress = conversion.compress,
                         .durable = conversion.destination.durable,
                         .old = replaced_archive(conversion.destination.path, format, false),
                         .threads = reading.settings.threads.count(),
                         .metadata = read_metadata(all, conversion, format, reading.settings),
                         .replaced = conversion.destination.replaced};
  if (format.can_compress) options.memory = memory_of(reading.settings);
  if (options.old) require_nothing_lost(conversion, *options.old, all, options.metadata);
  require_whole_models(conversion.destination, inputs, options.old.get());
  if (conversion.dry_run) {
    // Nothing is written, but the folder must be there.
    (void)format.create_archive(conversion.destination.path, options);
    return list_arrays(all, format, reading, conversion.dry_run);
  }
  warn_of_link(conversion.destination, reading.settings.warn);
  const auto archive = format.create_archive(conversion.destination.path, options);
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto first = open_first(*archive, inputs, order, reading);
  if (archive->needs_announcement()) {
    std::vector<ArchiveArray> arrays;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      arrays.push_back({inputs[i].name, first[i]->dtype, first[i]->tensor.shape(), first[i]->name});
    }
    order = archive->announce(arrays);
  }
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
}

}  // namespace tensorop
