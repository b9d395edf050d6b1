// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Findings.h"
#include "report/Paint.h"

namespace heddle::report {
namespace {

using namespace paint;
using check::Finding;

/// As compilers print it, so that editors and CI find the line: "tile.cu:10:9: error: race: ... [race/shared]".
std::string headline(const Finding &finding, bool colour) {
  return fmt::format("{}{} {}: {} [{}]\n", whereOf(finding.location, colour), painted("error:", Red, colour),
                     nameOf(classOf(finding.rule)), finding.text, idOf(finding.rule));
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
  return whereOf(note.location, colour) + painted("note:", Cyan, colour) + " " + note.text + "\n" +
         snippet(note.location);
}

std::string textOf(const Finding &finding, bool colour) {
  std::string out = headline(finding, colour) + snippet(finding.location) + circumstances(finding);
  for (const Finding::Note &note : finding.notes)
    out += noteText(note, colour);
  if (!finding.hint.empty())
    out += fmt::format("hint: {}\n", finding.hint);
  return out;
}

} // namespace

std::string findingsText(const std::vector<Finding> &findings, bool colour) {
  std::string out;
  for (const Finding &finding : findings)
    out += textOf(finding, colour);
  return out;
}

} // namespace heddle::report
