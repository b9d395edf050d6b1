// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/StaticVerdict.h"

#include "report/Findings.h"
#include "report/Paint.h"
#include "support/Text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace heddle::report {
namespace {

using namespace paint;
using check::Decision;
using check::PropertyVerdict;
using check::UndecidedReason;
using check::Verdict;
using Json = nlohmann::ordered_json;

std::string count(size_t n, const char *word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); }

/// " [deadlock, barrier-use]": what a reason leaves undecided; nothing where that is everything.
std::string leavesOpen(const UndecidedReason &reason) {
  if (reason.properties == check::AllProperties)
    return "";
  std::string ids;
  for (unsigned i = 0; i < check::Properties; ++i)
    if (reason.properties & check::setOf(check::Property(i)))
      ids += fmt::format("{}{}", ids.empty() ? "" : ", ", idOf(check::Property(i)));
  return fmt::format(" [{}]", ids);
}

std::string reasonText(const UndecidedReason &reason, bool colour) {
  std::string out = whereOf(reason.location, colour) + painted("warning:", Yellow, colour) +
                    " undecided: " + reason.text + leavesOpen(reason) + "\n" + snippet(reason.location);
  for (const check::Finding::Note &note : reason.notes)
    out += whereOf(note.location, colour) + painted("note:", Cyan, colour) + " " + note.text + "\n" +
           snippet(note.location);
  if (!reason.hint.empty())
    out += fmt::format("hint: {}\n", reason.hint);
  return out;
}

std::string propertyLine(const PropertyVerdict &verdict, bool colour) {
  switch (verdict.decision) {
  case Decision::Proved:
    return fmt::format("  {}: {}\n", nameOf(verdict.property), painted(decisionText(verdict), Green, colour));
  case Decision::Violated:
    return fmt::format("  {}: {}\n", nameOf(verdict.property), painted(decisionText(verdict), Red, colour));
  case Decision::Undecided: break;
  }
  return fmt::format("  {}: {}\n", nameOf(verdict.property), painted(decisionText(verdict), Yellow, colour));
}

std::string headLine(const KernelVerdict &verdict, bool colour) {
  const check::StaticResult &result = verdict.result;
  const std::string word = std::string(nameOf(result.verdict)) + ":";
  const size_t proved =
      size_t(std::ranges::count(result.properties, Decision::Proved, &PropertyVerdict::decision));
  switch (result.verdict) {
  case Verdict::Holds:
    return fmt::format("{} kernel '{}': all {} properties, for {}{} ({})\n", painted(word, Green, colour),
                       verdict.kernel, check::Properties, inputsText(result),
                       hasAssumptions(result) ? ", under the assumptions below" : "",
                       count(result.barriers, "barrier round"));
  case Verdict::Fails:
    return fmt::format("{} kernel '{}': {}\n", painted(word, Red, colour), verdict.kernel,
                       count(result.findings.size(), "finding"));
  case Verdict::Undecided: break;
  }
  return fmt::format("{} kernel '{}': {} of {} properties proved ({})\n", painted(word, Yellow, colour),
                     verdict.kernel, proved, check::Properties, count(result.barriers, "barrier round"));
}

// --- JSON
// -------------------------------------------------------------------------------------------------------------

Json placed(const SourceLocation &location, const std::string &text) {
  Json json = Json::object();
  if (location.isKnown()) {
    json["file"] = location.file;
    if (location.line)
      json["line"] = location.line;
    if (location.column)
      json["column"] = location.column;
  }
  json["text"] = text;
  return json;
}

Json propertyJson(const PropertyVerdict &verdict) {
  Json json = {{"property", idOf(verdict.property)}, {"decision", nameOf(verdict.decision)}};
  if (verdict.decision == Decision::Undecided)
    json["why"] = verdict.why;
  if (verdict.decision == Decision::Proved)
    json["assuming"] = verdict.assuming;
  return json;
}

Json reasonJson(const UndecidedReason &reason) {
  Json json = placed(reason.location, reason.text);
  json["properties"] = Json::array();
  for (unsigned i = 0; i < check::Properties; ++i)
    if (reason.properties & check::setOf(check::Property(i)))
      json["properties"].push_back(idOf(check::Property(i)));
  json["notes"] = Json::array();
  for (const check::Finding::Note &note : reason.notes)
    json["notes"].push_back(placed(note.location, note.text));
  if (!reason.hint.empty())
    json["hint"] = reason.hint;
  return json;
}

/// The keys that a kernel has where the command line does not give its block.
void addBlock(Json &json, const CheckedBlock &checked) {
  json["block"] = {checked.block.x, checked.block.y, checked.block.z};
  if (checked.dynamicSharedBytes)
    json["dynamicSharedBytes"] = *checked.dynamicSharedBytes;
  json["launches"] = Json::array();
  for (const SourceLocation &launch : checked.launches)
    json["launches"].push_back({{"file", launch.file}, {"line", launch.line}});
}

Json verdictJson(const KernelVerdict &verdict) {
  Json json = {{"kernel", verdict.kernel},
               {"verdict", nameOf(verdict.result.verdict)},
               {"barrierRounds", verdict.result.barriers},
               {"warpInstructions", verdict.result.warpInstructions},
               {"seconds", verdict.result.seconds},
               {"given", verdict.result.given},
               {"properties", Json::array()},
               {"undecided", Json::array()}};
  if (!verdict.file.empty())
    json["file"] = verdict.file;
  if (verdict.block)
    addBlock(json, *verdict.block);
  for (const PropertyVerdict &each : verdict.result.properties)
    json["properties"].push_back(propertyJson(each));
  for (const UndecidedReason &reason : verdict.result.undecided)
    json["undecided"].push_back(reasonJson(reason));
  return json;
}

} // namespace

Verdict together(const std::vector<KernelVerdict> &verdicts) {
  auto any = [&](Verdict wanted) {
    return std::any_of(verdicts.begin(), verdicts.end(),
                       [&](const KernelVerdict &v) { return v.result.verdict == wanted; });
  };
  return any(Verdict::Fails) ? Verdict::Fails : any(Verdict::Undecided) ? Verdict::Undecided : Verdict::Holds;
}

std::string inputsText(const check::StaticResult &result) {
  std::vector<std::string> values, conditions; // "n = 100"; "constant memory has its initial values"
  for (const std::string &given : result.given)
    (given.find(" = ") == std::string::npos ? conditions : values).push_back(given);
  return "every input" + (values.empty() ? "" : " with " + joinAnd(values)) +
         (conditions.empty() ? "" : ", if " + joinAnd(conditions));
}

bool hasAssumptions(const check::StaticResult &result) {
  return std::ranges::any_of(result.properties, [&](const PropertyVerdict &each) {
    return each.assuming.size() > result.given.size();
  });
}

std::string decisionText(const check::PropertyVerdict &verdict) {
  switch (verdict.decision) {
  case Decision::Proved: {
    std::string text = "proved for every input";
    for (size_t i = 0; i < verdict.assuming.size(); ++i)
      text += (i ? " and " : ", if ") + verdict.assuming[i];
    return text;
  }
  case Decision::Violated: return "violated";
  case Decision::Undecided: break;
  }
  return "undecided: " + verdict.why;
}

std::string blockText(const CheckedBlock &checked) {
  const vm::Dim3 &block = checked.block;
  std::string text = fmt::format("block ({}", block.x);
  if (block.y > 1 || block.z > 1)
    text += fmt::format(", {}", block.y);
  if (block.z > 1)
    text += fmt::format(", {}", block.z);
  text += ")";
  if (checked.dynamicSharedBytes.value_or(0))
    text += fmt::format(", {} bytes of dynamic shared memory", *checked.dynamicSharedBytes);
  if (checked.launches.empty())
    return text + ", required by the kernel";
  std::vector<std::string> lines;
  for (const SourceLocation &launch : checked.launches)
    lines.push_back(check::lineOf(launch));
  return fmt::format("{}, from the launch{} at {}", text, lines.size() == 1 ? "" : "es", joinAnd(lines));
}

std::string staticText(const KernelVerdict &verdict, bool colour) {
  std::string out = findingsText(verdict.result.findings, colour);
  for (const UndecidedReason &reason : verdict.result.undecided)
    out += reasonText(reason, colour);
  out += headLine(verdict, colour);
  if (verdict.block)
    out += fmt::format("  {}\n", blockText(*verdict.block));
  for (const PropertyVerdict &each : verdict.result.properties)
    out += propertyLine(each, colour);
  return out;
}

Json staticSarif(const std::vector<KernelVerdict> &verdicts, const std::filesystem::path &root) {
  std::vector<check::Finding> all;
  for (const KernelVerdict &verdict : verdicts)
    all.insert(all.end(), verdict.result.findings.begin(), verdict.result.findings.end());
  Json sarif = findingsSarif(all, root);
  Json decisions = Json::array();
  for (const KernelVerdict &verdict : verdicts)
    for (const PropertyVerdict &each : verdict.result.properties)
      decisions.push_back({{"file", verdict.file},
                           {"kernel", verdict.kernel},
                           {"property", idOf(each.property)},
                           {"decision", nameOf(each.decision)},
                           {"text", decisionText(each)}});
  sarif["runs"][0]["properties"] = {{"decisions", decisions}};
  return sarif;
}

Json staticJson(const std::vector<KernelVerdict> &verdicts) {
  std::vector<check::Finding> all;
  for (const KernelVerdict &verdict : verdicts)
    all.insert(all.end(), verdict.result.findings.begin(), verdict.result.findings.end());
  Json json = findingsJson(all);
  json["schema"] = "heddle.check-static/1";
  json["mode"] = "static";
  json["verdict"] = nameOf(together(verdicts));
  json["kernels"] = Json::array();
  for (const KernelVerdict &verdict : verdicts)
    json["kernels"].push_back(verdictJson(verdict));
  return json;
}

} // namespace heddle::report
