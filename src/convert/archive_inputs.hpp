// The list of edits that makes an archive: its members, each kept as it is stored or made from an input.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "convert/convert.hpp"
#include "convert/convert_input.hpp"
#include "engine/settings.hpp"
#include "io/archive.hpp"
#include "io/tensor_set.hpp"

namespace tensorop {

// The contents of an archive to be written.
struct ArchiveInputs {
  std::vector<NamedInput> arrays;                          // in order
  std::vector<NamedInput> left_out;                        // removed by Conversion::choose
  std::vector<std::shared_ptr<const TensorSet>> archives;  // archives whose arrays are all taken
  std::map<std::string, Metadata> opened;                  // metadata of archives with single arrays taken
};

// Finds the members of the result from the inputs and the options of `conversion`, and which of them are kept
// (NamedInput::is_kept). Reads headers only. Throws Error for names that clash, that `format` does not have,
// or that an option means and no input has.
[[nodiscard]] ArchiveInputs read_archive_inputs(const Conversion& conversion,
                                                const std::vector<NamedCast>& casts, const Format& format,
                                                const InputReading& reading);

// Returns the metadata of the result, and warns about the metadata of the inputs. Throws Error.
[[nodiscard]] Metadata read_metadata(const ArchiveInputs& inputs, const Conversion& conversion,
                                     const Format& format, const Settings& settings);

// Throws Error if the archive replaces `old` (null: none), and parts of `old` are neither in the result nor
// inputs; or if the file is part of a model that would then have the same array in two parts, or lack one.
void require_nothing_lost(const Conversion& conversion, const Archive* old, const ArchiveInputs& inputs,
                          const Metadata& metadata);

// Whether the operand can be opened a second time.
[[nodiscard]] bool can_be_opened_again(const NamedInput& input);

}  // namespace tensorop
