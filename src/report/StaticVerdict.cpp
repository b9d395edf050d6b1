// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/StaticVerdict.h"

#include "report/Findings.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace heddle::report {
namespace {

using check::OutsideReason;
using check::Verdict;
using Json = nlohmann::ordered_json;

constexpr const char *Yellow = "\033[1;33m", *Green = "\033[1;32m", *Red = "\033[1;31m", *Cyan = "\033[1;36m",
                     *Bold = "\033[1m", *Plain = "\033[0m";

std::string painted(const std::string &text, const char *colour, bool useColour) {
  return useColour ? colour + text + Plain : text;
}

std::string whereOf(const Place &place, bool colour) {
  return place.isKnown() ? painted(place.str() + ":", Bold, colour) + " " : "";
}

std::string count(size_t n, const char *word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); }

std::string reasonText(const OutsideReason &reason, bool colour) {
  std::string out = painted("outside:", Yellow, colour) + " " + whereOf(reason.place, colour) + reason.text +
                    "\n" + snippet(reason.place);
  for (const check::Finding::Note &note : reason.notes)
    out += whereOf(note.place, colour) + painted("note:", Cyan, colour) + " " + note.text + "\n" +
           snippet(note.place);
  if (!reason.hint.empty())
    out += fmt::format("hint: {}\n", reason.hint);
  return out;
}

std::string lastLine(const KernelVerdict &verdict, bool colour) {
  const check::StaticResult &result = verdict.result;
  const std::string word = std::string(nameOf(result.verdict)) + ":";
  switch (result.verdict) {
  case Verdict::Holds:
    return fmt::format(
        "{} kernel '{}': no deadlock, no race, barriers recycled safely, for every input ({})\n",
        painted(word, Green, colour), verdict.kernel, count(result.barriers, "barrier round"));
  case Verdict::Fails:
    return fmt::format("{} kernel '{}': {}\n", painted(word, Red, colour), verdict.kernel,
                       count(result.findings.size(), "finding"));
  case Verdict::Outside: break;
  }
  return fmt::format(
      "{} kernel '{}': not decided, {} on data\n", painted(word, Yellow, colour), verdict.kernel,
      result.outside.size() == 1 ? "one place depends" : count(result.outside.size(), "place") + " depend");
}

// --- JSON
// -------------------------------------------------------------------------------------------------------------

Json placed(const Place &place, const std::string &text) {
  Json json = Json::object();
  if (place.isKnown()) {
    json["file"] = place.file;
    if (place.line)
      json["line"] = place.line;
    if (place.column)
      json["column"] = place.column;
  }
  json["text"] = text;
  return json;
}

Json reasonJson(const OutsideReason &reason) {
  Json json = placed(reason.place, reason.text);
  json["notes"] = Json::array();
  for (const check::Finding::Note &note : reason.notes)
    json["notes"].push_back(placed(note.place, note.text));
  if (!reason.hint.empty())
    json["hint"] = reason.hint;
  return json;
}

Json kernelJson(const KernelVerdict &verdict) {
  Json json = {{"kernel", verdict.kernel},
               {"verdict", nameOf(verdict.result.verdict)},
               {"barrierRounds", verdict.result.barriers},
               {"warpInstructions", verdict.result.warpInstructions},
               {"seconds", verdict.result.seconds},
               {"outside", Json::array()}};
  for (const OutsideReason &reason : verdict.result.outside)
    json["outside"].push_back(reasonJson(reason));
  return json;
}

} // namespace

Verdict together(const std::vector<KernelVerdict> &verdicts) {
  auto any = [&](Verdict wanted) {
    return std::any_of(verdicts.begin(), verdicts.end(),
                       [&](const KernelVerdict &v) { return v.result.verdict == wanted; });
  };
  return any(Verdict::Fails) ? Verdict::Fails : any(Verdict::Outside) ? Verdict::Outside : Verdict::Holds;
}

void addSourceLines(check::StaticResult &result) {
  addSourceLines(result.findings);
  // A reason has the places of a finding, so it goes the same way.
  std::vector<check::Finding> carriers;
  for (OutsideReason &reason : result.outside)
    carriers.push_back({.place = reason.place, .notes = reason.notes});
  addSourceLines(carriers);
  for (size_t i = 0; i < carriers.size(); ++i)
    result.outside[i].place = carriers[i].place, result.outside[i].notes = carriers[i].notes;
}

std::string staticText(const KernelVerdict &verdict, bool colour) {
  std::string out = findingsText(verdict.result.findings, colour);
  for (const OutsideReason &reason : verdict.result.outside)
    out += reasonText(reason, colour);
  return out + lastLine(verdict, colour);
}

Json staticJson(const std::vector<KernelVerdict> &verdicts) {
  std::vector<check::Finding> all;
  for (const KernelVerdict &verdict : verdicts)
    all.insert(all.end(), verdict.result.findings.begin(), verdict.result.findings.end());
  Json json = findingsJson(all);
  json["mode"] = "static";
  json["verdict"] = nameOf(together(verdicts));
  json["kernels"] = Json::array();
  for (const KernelVerdict &verdict : verdicts)
    json["kernels"].push_back(kernelJson(verdict));
  return json;
}

} // namespace heddle::report
