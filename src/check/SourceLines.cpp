// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/SourceLines.h"

#include "check/ExpressionColumns.h"

#include <fstream>
#include <map>
#include <string>

namespace heddle::check {
namespace {

/// Lines of source files, each file read once.
class Sources {
public:
  void addTo(SourceLocation &location) {
    if (!location.isKnown() || !location.sourceLine.empty())
      return;
    location.sourceLine = line(location.file, location.line);
    pointAtExpression(location);
  }
  /// A finding, or a reason: both have a location and notes.
  template <class Placed> void addToAll(std::vector<Placed> &list) {
    for (Placed &each : list) {
      addTo(each.location);
      for (auto &note : each.notes)
        addTo(note.location);
    }
  }

private:
  std::string line(const std::string &file, unsigned number) {
    auto [entry, isNew] = files.try_emplace(file);
    if (isNew)
      entry->second = read(file);
    return number >= 1 && number <= entry->second.size() ? entry->second[number - 1] : "";
  }
  static std::vector<std::string> read(const std::string &file) {
    std::vector<std::string> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line); lines.push_back(line))
      if (line.ends_with('\r'))
        line.pop_back();
    return lines;
  }

  std::map<std::string, std::vector<std::string>> files;
};

} // namespace

void addSourceLines(std::vector<Finding> &findings) { Sources().addToAll(findings); }

void addSourceLines(StaticResult &result) {
  Sources sources;
  sources.addToAll(result.findings);
  sources.addToAll(result.undecided);
}

} // namespace heddle::check
