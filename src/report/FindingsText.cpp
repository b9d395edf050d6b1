// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Findings.h"

#include <fstream>
#include <map>

namespace heddle::report {
namespace {

using check::Finding;

constexpr const char *Bold = "\033[1m", *Red = "\033[1;31m", *Cyan = "\033[1;36m", *Plain = "\033[0m";

std::string painted(std::string_view text, const char *colour, bool useColour) {
  return useColour ? fmt::format("{}{}{}", colour, text, Plain) : std::string(text);
}

std::string whereOf(const Place &place, bool colour) {
  return place.isKnown() ? painted(place.str() + ":", Bold, colour) + " " : "";
}

std::string headline(const Finding &finding, bool colour) {
  return fmt::format("{} {}{} [{}]\n",
                     painted(fmt::format("{}:", nameOf(classOf(finding.rule))), Red, colour),
                     whereOf(finding.place, colour), finding.text, idOf(finding.rule));
}

/// Which kernel, how often: worth a line only where there is something to say.
std::string circumstances(const Finding &finding) {
  std::vector<std::string> parts;
  if (!finding.kernel.empty())
    parts.push_back(fmt::format("in kernel '{}'", finding.kernel));
  if (finding.times > 1)
    parts.push_back(fmt::format("seen {} times", finding.times));
  return parts.empty() ? "" : fmt::format("      = {}\n", fmt::join(parts, ", "));
}

std::string noteText(const Finding::Note &note, bool colour) {
  return whereOf(note.place, colour) + painted("note:", Cyan, colour) + " " + note.text + "\n" +
         snippet(note.place);
}

std::string textOf(const Finding &finding, bool colour) {
  std::string out = headline(finding, colour) + snippet(finding.place) + circumstances(finding);
  for (const Finding::Note &note : finding.notes)
    out += noteText(note, colour);
  if (!finding.hint.empty())
    out += fmt::format("hint: {}\n", finding.hint);
  return out;
}

/// Lines of source files, each file read once.
class Sources {
public:
  std::string line(const std::string &file, unsigned number) {
    auto [entry, isNew] = files.try_emplace(file);
    if (isNew)
      entry->second = read(file);
    return number >= 1 && number <= entry->second.size() ? entry->second[number - 1] : "";
  }

private:
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

void addSourceLine(Place &place, Sources &sources) {
  if (place.isKnown() && place.sourceLine.empty())
    place.sourceLine = sources.line(place.file, place.line);
}

} // namespace

void addSourceLines(std::vector<Finding> &findings) {
  Sources sources;
  for (Finding &finding : findings) {
    addSourceLine(finding.place, sources);
    for (Finding::Note &note : finding.notes)
      addSourceLine(note.place, sources);
  }
}

std::string findingsText(const std::vector<Finding> &findings, bool colour) {
  std::string out;
  for (const Finding &finding : findings)
    out += textOf(finding, colour);
  return out;
}

} // namespace heddle::report
