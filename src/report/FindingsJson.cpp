// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Findings.h"

#include <nlohmann/json.hpp>

namespace heddle::report {
namespace {

using check::Finding;
using Json = nlohmann::ordered_json;

/// What is not known is left out: a 0 would read as a line.
void addLocation(Json &to, const SourceLocation &location) {
  if (!location.isKnown())
    return;
  to["file"] = location.file;
  if (location.line)
    to["line"] = location.line;
  if (location.column)
    to["column"] = location.column;
}

Json noteJson(const Finding::Note &note) {
  Json json = Json::object();
  addLocation(json, note.location);
  json["text"] = note.text;
  return json;
}

Json findingJson(const Finding &finding) {
  Json json = {{"class", nameOf(classOf(finding.rule))}, {"rule", idOf(finding.rule)}};
  if (!finding.kernel.empty())
    json["kernel"] = finding.kernel;
  addLocation(json, finding.location);
  json["text"] = finding.text;
  json["notes"] = Json::array();
  for (const Finding::Note &note : finding.notes)
    json["notes"].push_back(noteJson(note));
  if (!finding.hint.empty())
    json["hint"] = finding.hint;
  json["times"] = finding.times;
  return json;
}

} // namespace

Json findingsJson(const std::vector<Finding> &findings) {
  Json json = {{"schema", "heddle.check/1"}, {"findings", Json::array()}};
  for (const Finding &finding : findings)
    json["findings"].push_back(findingJson(finding));
  return json;
}

} // namespace heddle::report
