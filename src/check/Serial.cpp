// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Serial.h"

#include "support/Files.h"

#include <nlohmann/json.hpp>

namespace heddle::check {
namespace {

using Json = nlohmann::json;

constexpr const char *Schema = "heddle.findings/1";

Json toJson(const SourceLocation &location) {
  return {{"file", location.file},
          {"line", location.line},
          {"column", location.column},
          {"end", location.endColumn}};
}

SourceLocation locationFrom(const Json &json) {
  return {
      json.value("file", ""), json.value("line", 0u), json.value("column", 0u), json.value("end", 0u), {}};
}

Json toJson(const Finding &finding) {
  Json notes = Json::array();
  for (const Finding::Note &note : finding.notes)
    notes.push_back({{"location", toJson(note.location)}, {"text", note.text}});
  return {{"rule", idOf(finding.rule)}, {"kernel", finding.kernel}, {"location", toJson(finding.location)},
          {"text", finding.text},       {"notes", notes},           {"hint", finding.hint},
          {"times", finding.times}};
}

bool fromJson(const Json &json, Finding &finding) {
  std::optional<Rule> rule = ruleOf(json.value("rule", ""));
  if (!rule)
    return false;
  finding.rule = *rule;
  finding.kernel = json.value("kernel", "");
  finding.location = locationFrom(json.value("location", Json::object()));
  finding.text = json.value("text", "");
  finding.hint = json.value("hint", "");
  finding.times = json.value("times", uint64_t(1));
  for (const Json &note : json.value("notes", Json::array()))
    finding.notes.push_back({locationFrom(note.value("location", Json::object())), note.value("text", "")});
  return true;
}

} // namespace

bool writeResult(const std::filesystem::path &file, const CheckResult &result) {
  Json findings = Json::array();
  for (const Finding &finding : result.findings)
    findings.push_back(toJson(finding));
  Json failed = Json::array();
  for (const CheckResult::FailedCall &call : result.failedCalls)
    failed.push_back(
        {{"function", call.function}, {"error", call.error}, {"why", call.why}, {"times", call.times}});
  Json queried = Json::array();
  for (const CheckResult::QueriedLaunch &launch : result.queriedLaunches)
    queried.push_back({{"text", launch.text}, {"hint", launch.hint}});
  Json json = {{"schema", Schema},
               {"complete", result.complete},
               {"launches", result.counts.launches},
               {"kernels", result.counts.kernels},
               {"blocks", result.counts.blocks},
               {"accesses", result.counts.accesses},
               {"synchronizations", result.counts.synchronizations},
               {"stopped", result.counts.stopped},
               {"failedCalls", failed},
               {"queriedLaunches", queried},
               {"findings", findings}};
  // CBOR and not text: names of files need not be UTF-8, and JSON text could not hold them.
  const std::vector<uint8_t> bytes = Json::to_cbor(json);
  return !writeFile(file, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

bool readResult(const std::filesystem::path &file, CheckResult &result) {
  Json json = Json::from_cbor(contentsOf(file), true, false);
  if (!json.is_object() || json.value("schema", "") != Schema)
    return false;
  result.complete = json.value("complete", false);
  result.counts = {json.value("launches", uint64_t(0)),         json.value("kernels", uint64_t(0)),
                   json.value("blocks", uint64_t(0)),           json.value("accesses", uint64_t(0)),
                   json.value("synchronizations", uint64_t(0)), json.value("stopped", uint64_t(0))};
  for (const Json &each : json.value("failedCalls", Json::array()))
    result.failedCalls.push_back({each.value("function", ""), each.value("error", ""), each.value("why", ""),
                                  each.value("times", uint64_t(1))});
  for (const Json &each : json.value("queriedLaunches", Json::array()))
    result.queriedLaunches.push_back({each.value("text", ""), each.value("hint", "")});
  for (const Json &each : json.value("findings", Json::array())) {
    Finding finding;
    if (!fromJson(each, finding))
      return false;
    result.findings.push_back(std::move(finding));
  }
  return true;
}

} // namespace heddle::check
