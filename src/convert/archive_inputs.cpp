#include "convert/archive_inputs.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/opened_file.hpp"
#include "io/rename.hpp"

namespace tensorop {
namespace {

// The format of the files that have the arrays of an archive.
const Format& stored_format(const Format& archive) {
  return &archive == &kShardIndexFormat ? kSafetensorsFormat : archive;
}

// Adds an archive's members, in its order: all, or the only array, with its new `name`. Members that are no
// arrays only if the result is in the format of the archive.
void add_archive(const std::shared_ptr<const TensorSet>& set, const std::optional<NamedInput>& named,
                 std::size_t operand, const Format& format, ArchiveInputs& inputs) {
  inputs.archives.push_back(set);
  const auto& archive = set->archive();
  // If the archive does not name all dtypes, --view applies only to arrays without one.
  const bool has_unnamed =
      std::ranges::any_of(set->members(), [](const SetMember& member) { return !member.names_dtype; });
  std::vector<NamedInput> members(archive->size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!archive->is_array(i)) members[i] = {.name = std::string(archive->name(i)), .is_array = false};
  }
  for (const SetMember& member : set->members()) {
    members[member.position] = {.name = named ? named->name : member.name,
                                .archive = set,
                                .member = member,
                                .keeps_dtype = has_unnamed && member.names_dtype,
                                .is_edited = !named};
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    NamedInput& input = members[i];
    if (!input.is_array && (named || &stored_format(set->format()) != &format)) continue;
    input.operand = operand;
    input.stored = {&stored_format(set->format()), set->name(), archive, i};
    inputs.arrays.push_back(std::move(input));
  }
}

// Adds the input NAME=OPERAND. An archive without a name contributes all its arrays, in its order; with a
// name, its only array.
void add_input(const std::string& text, std::size_t position, const Format& format, ArchiveCache& archives,
               ArchiveInputs& inputs) {
  const auto named = split_name(text);
  NamedInput input = named ? *named : NamedInput{.given = text};
  auto set = TensorSet::open_archive(input.given, &kJsonFormat);
  if (set && (!named || set->members().size() == 1))
    return add_archive(std::make_shared<const TensorSet>(std::move(*set)), named, position, format, inputs);
  if (auto opened = file_exists(input.given.path) ? std::nullopt : open_archive_path(input.given)) {
    const auto archive = archives.open(*opened).archive;
    inputs.opened.emplace(opened->shown(), archive->metadata());
    if (const auto member = archive->lookup(*opened->array); member && archive->is_array(*member))
      input.stored = {&stored_format(*opened->format), opened->shown(), archive, *member};
  }
  if (!named) {
    input.name = array_name(input.given, archives);
    if (input.name.empty()) input.name = cat("arr_", position);
  }
  input.operand = position;
  inputs.arrays.push_back(std::move(input));
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

// Whether the bytes of the input stay as they are stored.
bool is_kept(const NamedInput& input, const Conversion& conversion, const Format& format,
             const InputReading& reading) {
  const StoredMember& stored = input.stored;
  if (stored.format != &format) return false;
  if (!input.is_array) return true;
  if (conversion.compress && !stored.archive->is_compressed(stored.position)) return false;
  if (reading.view && !input.keeps_dtype) return false;
  const auto dtype = input.dtype ? input.dtype : reading.dtype;
  if (!dtype) return true;
  const ArrayEntry entry = stored.archive->entry(stored.position);
  return entry.names_dtype && entry.dtype == dtype && !saturates_itself(*dtype, reading.overflow);
}

// Returns the dtype that an input has before any cast, from its header; nothing if tensorop has none.
std::optional<DType> dtype_before(const NamedInput& input, const InputReading& reading) {
  if (!input.is_array) return std::nullopt;
  if (!can_be_opened_again(input))
    throw Error(cat("--dtype DTYPE=DTYPE: ", printable(input.given.shown()), " can be read only once"));
  if (input.archive && input.archive->archive()->entry(input.member.position).refused) return std::nullopt;
  InputReading plain = reading;
  // A small dtype may be one that the file does not name.
  if (plain.dtype && !kSmallTypes.contains(*plain.dtype)) plain.dtype.reset();
  return open_input(input, plain, true).tensor.dtype();
}

void set_dtypes(const std::vector<NamedCast>& casts, const InputReading& reading,
                std::vector<NamedInput>& inputs) {
  std::vector<std::optional<DType>> before;
  if (std::ranges::any_of(casts, [](const NamedCast& cast) { return cast.source.has_value(); })) {
    for (const NamedInput& input : inputs) before.push_back(dtype_before(input, reading));
  }
  for (const NamedCast& cast : casts) {
    bool is_used = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      NamedInput& input = inputs[i];
      const bool is_meant =
          cast.source ? before[i] == *cast.source : input.is_array && matches_pattern(cast.names, input.name);
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

// Leaves one input of each name. Throws Error for several, unless the last one is taken.
void merge_names(const Conversion& conversion, const Format& format, const Settings& settings,
                 ArchiveInputs& inputs) {
  const std::vector<std::string>& texts = conversion.inputs;
  std::vector<NamedInput> arrays;
  std::map<std::pair<bool, std::string>, std::size_t> places;
  const auto shown = [&](const NamedInput& input) {
    if (!input.is_array) return printable(cat(input.stored.file, ":", input.name));
    return printable(input.is_edited ? input.archive->path_of(input.member) : texts[input.operand]);
  };
  for (NamedInput& input : inputs.arrays) {
    if (input.is_array)
      with_context(printable(texts[input.operand]), [&] { format.require_name(input.name); });
    const auto [before, is_new] = places.emplace(std::pair(input.is_array, input.name), arrays.size());
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
    if (settings.warn && !old.is_edited && old.is_array)
      settings.warn(cat(shown(old), ": is left out: ", printable(texts[input.operand]), " has an array ",
                        in_quotes(input.name), " too, and comes later"));
    input.replaced = std::make_shared<const NamedInput>(std::move(old));
    old = std::move(input);
  }
  inputs.arrays = std::move(arrays);
}

}  // namespace

bool can_be_opened_again(const NamedInput& input) {
  return input.archive != nullptr || (input.given.as<RawBytes>() == nullptr &&
                                      !input.given.is_standard_input() && !is_other_file(input.given.path));
}

ArchiveInputs read_archive_inputs(const Conversion& conversion, const std::vector<NamedCast>& casts,
                                  const Format& format, const InputReading& reading) {
  ArchiveInputs inputs;
  for (std::size_t i = 0; i < conversion.inputs.size(); ++i)
    add_input(conversion.inputs[i], i, format, *reading.settings.archives, inputs);
  edit(conversion, inputs);
  merge_names(conversion, format, reading.settings, inputs);
  if (std::ranges::count_if(inputs.arrays, &Operand::is_standard_input, &NamedInput::given) > 1)
    throw Error("standard input can be read only once");
  set_dtypes(casts, reading, inputs.arrays);
  for (NamedInput& input : inputs.arrays) {
    input.is_kept = is_kept(input, conversion, format, reading);
    if (!input.is_kept || input.archive || !input.is_array || !reading.settings.warn) continue;
    for (const std::string& line : input.stored.archive->warnings())
      reading.settings.warn(cat(printable(input.stored.file), ": ", line));
  }
  return inputs;
}

}  // namespace tensorop
