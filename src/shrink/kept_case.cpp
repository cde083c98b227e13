#include "shrink/kept_case.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "base/files/folder_walk.hpp"
#include "base/files/input_file.hpp"
#include "base/files/output_folder.hpp"
#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/json_string.hpp"
#include "base/text/text.hpp"
#include "check/external_program.hpp"
#include "engine/engine.hpp"
#include "engine/execute.hpp"

namespace tensorop {
namespace {

// Writes a tensor; returns what a job calls it.
std::string write_side(const std::string& folder, const std::string& file, const Tensor& tensor) {
  const Format& npy = *find_format("npy");
  if (npy.unnamed.contains(tensor.dtype())) return typed_json(tensor);
  write_tensor(tensor, Inputs(), {path_from(folder, file), &npy}, Settings());
  return json_string(file);
}

// The keys of a job that say what the smallest case expects: an error or a result, and its tolerances.
std::string expectation_text(const Finding& finding, const std::string& folder) {
  if (finding.expected_error)
    return cat(",\"expect\":{\"error\":", json_string(*finding.expected_error), "}");
  const Tensor expected = finding.expected_tensor ? *finding.expected_tensor : evaluate(*finding.call, {});
  const bool ignores_open = finding.ignore_open && finding.call->spec;
  return cat(",\"expect\":", write_side(folder, "expected.npy", expected),
             ignores_open ? ",\"ignore_open\":true" : "",
             tolerance_text(*finding.tolerances, expected.dtype()));
}

// Whether `other` has each file of `folder`, with the same bytes.
bool holds_all(const std::string& other, const std::string& folder) {
  return std::ranges::all_of(files_below(folder), [&](const FoundFile& file) {
    const std::string path = path_from(other, file.path);
    struct stat info {};
    if (os().stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size != file.bytes)
      return false;
    const InputFile first = InputFile::open(path);
    const InputFile second = InputFile::open(path_from(folder, file.path));
    return std::ranges::equal(first.bytes(), second.bytes());
  });
}

// Paths of files in `folder` relative to it; all others unchanged.
std::vector<std::string> names_below(const std::string& folder, std::vector<std::string> paths) {
  for (std::string& path : paths) {
    if (path.starts_with(folder + '/')) path.erase(0, folder.size() + 1);
  }
  return paths;
}

}  // namespace

WrittenCall write_case(const Finding& finding, const std::string& folder) {
  WrittenCall out = write_call(load(*finding.call, Settings()), Inputs(), folder, "", {});
  if (finding.actual_tensor) (void)write_side(folder, "actual.npy", *finding.actual_tensor);
  write_text(path_from(folder, kKeptCases), cat("{\"name\":", json_string(finding.name), ",", out.job,
                                                expectation_text(finding, folder), "}\n"));
  return out;
}

void keep_case(Finding& finding, const std::string& parent, const std::string& options,
               const KeptText& text) {
  make_folder(parent);
  std::vector<std::string> others;  // existing folders
  std::string folder = path_from(parent, file_name_of(finding.name));
  while (entry_exists(folder)) {
    others.push_back(folder);
    folder = path_from(parent, cat(file_name_of(finding.name), "-", others.size() + 1));
  }
  OutputFolder made(folder);
  const std::string inside = directory_of(made.path_of(kKeptCases));
  const WrittenCall written = write_case(finding, inside);
  const auto same =
      std::ranges::find_if(others, [&](const std::string& other) { return holds_all(other, inside); });
  if (same != others.end()) folder = *same;
  finding.shrunk->kept = folder;
  finding.shrunk->command = cat("tensorop check ", shell_word(folder), " ", options);
  if (same != others.end()) return;
  made.write_file("finding.txt", text(finding, command_text(load(*finding.call, Settings()),
                                                            names_below(inside, written.operands))));
  made.commit();
}

}  // namespace tensorop
