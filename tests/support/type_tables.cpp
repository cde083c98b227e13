#include "support/type_tables.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/text/text.hpp"
#include "support/paths.hpp"

namespace tensorop {
namespace {

// Adds the rows of a section, whose names without a type variable are of `variable`.
void add_table(const std::string& section, const std::string& variable, std::map<TypeKey, DTypeSet>& sets,
               char wanted) {
  const auto table = version_rows(section);
  for (const std::vector<std::string>& row : table) {
    if (row.at(2).size() != table[0][2].size()) throw std::logic_error("columns of " + row[1]);
    DTypeSet allowed;
    int column = static_cast<int>(DType::boolean);
    for (const char mark : row[2]) {
      if (mark == ' ') continue;
      if (mark == wanted) allowed = allowed | DTypeSet(static_cast<DType>(column));
      ++column;
    }
    std::istringstream versions(row[1]);
    for (std::string version; std::getline(versions, version, ',');) {
      std::istringstream words(version);
      TypeKey key{row[0], 0, "", variable};
      words >> key.name;
      if (const std::size_t slash = key.name.find('/'); slash != std::string::npos) {
        key.variable = key.name.substr(slash + 1);
        key.name.resize(slash);
      }
      key.name = fold_name(key.name);
      while (words >> key.since) {
        if (!sets.emplace(key, allowed).second) throw std::logic_error(key.name + " stands in two rows");
      }
    }
  }
}

}  // namespace

namespace {

std::map<TypeKey, DTypeSet> tables_of(char mark) {
  std::map<TypeKey, DTypeSet> sets;
  add_table("data", "data", sets, mark);
  add_table("indices", "indices", sets, mark);
  // MDF has the operators of opset 15, but Scatter.
  std::map<TypeKey, std::pair<int, DTypeSet>> newest;
  for (const auto& [key, types] : sets) {
    if (key.framework != "onnx" || key.since > 15 || key.name == "scatter" || key.name == "gathernd")
      continue;
    auto& [since, own] = newest[{"mdf", 0, key.name, key.variable}];
    if (key.since >= since) since = key.since, own = types;
  }
  for (const auto& [key, types] : newest) sets.emplace(key, types.second);
  return sets;
}

}  // namespace

std::vector<std::vector<std::string>> version_rows(std::string_view section) {
  std::ifstream in(source_dir() + "/testdata/spec/versions.txt");
  if (!in) throw std::logic_error("no testdata/spec/versions.txt");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(cat(section, " | "))) continue;
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream cells(line.substr(section.size() + 2) + " ");
    for (std::string cell; std::getline(cells, cell, '|');) row.push_back(cell.substr(1, cell.size() - 2));
  }
  return rows;
}

const std::map<TypeKey, DTypeSet>& type_tables() {
  static const std::map<TypeKey, DTypeSet> kTables = tables_of('*');
  return kTables;
}

DTypeSet types_not_here(const TypeKey& key) {
  static const std::map<TypeKey, DTypeSet> kTables = tables_of('-');
  const auto found = kTables.find(key);
  return found == kTables.end() ? DTypeSet{} : found->second;
}

DTypeSet published_types(const TypeKey& key) {
  const auto found = type_tables().find(key);
  return found == type_tables().end() ? DTypeSet{} : found->second;
}

}  // namespace tensorop
