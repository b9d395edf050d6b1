// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SARIF 2.1.0 (OASIS): one run of one tool. Every rule is listed, also those that found nothing, so that a review tool can distinguish "checked and clean"
// from "not checked". The other location of a race or a deadlock is a
// relatedLocation, which viewers show under the result.
#include "report/Findings.h"

#include <nlohmann/json.hpp>

namespace heddle::report {
namespace {

using check::Finding;
using check::Rule;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char *BaseId = "%SRCROOT%";

/// RFC 3986: what may be in a path as it is. A colon may not: in a relative path it would end a scheme.
bool isPlainInUri(unsigned char c) {
  return std::isalnum(c) || std::string_view("-._~/!$&'()*+,;=@").find(char(c)) != std::string_view::npos;
}

std::string uriOf(std::string_view path) {
  std::string uri;
  for (char c : path)
    uri += isPlainInUri(static_cast<unsigned char>(c))
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

std::string fileUri(const fs::path &absolute) { return "file://" + uriOf(absolute.generic_string()); }

bool isBelow(const fs::path &relative) { return !relative.empty() && *relative.begin() != ".."; }

/// Turns findings into SARIF objects. Paths are only compared as text, never looked up.
class Log {
public:
  explicit Log(const fs::path &base) : base(base.lexically_normal()) {}

  Json location(const SourceLocation &location) const {
    Json physical = {{"artifactLocation", artifact(location.file)}};
    if (location.line)
      physical["region"] = region(location);
    return {{"physicalLocation", physical}};
  }

  Json result(const Finding &finding) const {
    Json json = {{"ruleId", idOf(finding.rule)},
                 {"ruleIndex", unsigned(finding.rule)},
                 {"level", "error"},
                 {"message", {{"text", messageOf(finding)}}},
                 {"locations", Json::array()},
                 {"occurrenceCount", finding.times}};
    if (finding.location.isKnown())
      json["locations"].push_back(location(finding.location));
    if (!finding.kernel.empty() && !json["locations"].empty())
      json["locations"][0]["logicalLocations"] = {{{"name", finding.kernel}, {"kind", "function"}}};
    if (Json related = relatedLocations(finding); !related.empty())
      json["relatedLocations"] = related;
    return json;
  }

  Json baseIds() const { return {{BaseId, {{"uri", fileUri(base / "")}}}}; }

private:
  Json artifact(const std::string &file) const {
    fs::path path = fs::path(file).lexically_normal();
    fs::path relative = path.is_absolute() ? path.lexically_relative(base) : path;
    if (isBelow(relative))
      return {{"uri", uriOf(relative.generic_string())}, {"uriBaseId", BaseId}};
    return {{"uri", fileUri(path.is_absolute() ? path : (base / path).lexically_normal())}};
  }

  static Json region(const SourceLocation &location) {
    Json json = {{"startLine", location.line}};
    if (location.column)
      json["startColumn"] = location.column;
    if (location.column && location.endColumn > location.column)
      json["endColumn"] = location.endColumn;
    if (!location.sourceLine.empty())
      json["snippet"] = {{"text", location.sourceLine}};
    return json;
  }

  /// Notes without a place and the hint have no object of their own in SARIF: they join the message.
  static std::string messageOf(const Finding &finding) {
    std::string text = fmt::format("{}: {}", nameOf(classOf(finding.rule)), finding.text);
    for (const Finding::Note &note : finding.notes)
      if (!note.location.isKnown())
        text += "\n" + note.text;
    return finding.hint.empty() ? text : text + "\nhint: " + finding.hint;
  }

  Json relatedLocations(const Finding &finding) const {
    Json list = Json::array();
    for (const Finding::Note &note : finding.notes)
      if (note.location.isKnown()) {
        Json json = location(note.location);
        json["id"] = list.size();
        json["message"] = {{"text", note.text}};
        list.push_back(json);
      }
    return list;
  }

  fs::path base;
};

Json ruleJson(Rule rule) {
  return {{"id", idOf(rule)},
          {"shortDescription", {{"text", aboutOf(rule)}}},
          {"defaultConfiguration", {{"level", "error"}}},
          {"properties", {{"tags", {nameOf(classOf(rule))}}}}};
}

Json driver() {
  Json rules = Json::array();
  for (unsigned i = 0; i < check::Rules; ++i)
    rules.push_back(ruleJson(Rule(i)));
  return {{"name", "heddle check"}, {"version", HEDDLE_VERSION}, {"rules", rules}};
}

} // namespace

Json findingsSarif(const std::vector<Finding> &findings, const fs::path &base) {
  Log log(base);
  Json results = Json::array();
  for (const Finding &finding : findings)
    results.push_back(log.result(finding));
  Json run = {{"tool", {{"driver", driver()}}},
              {"originalUriBaseIds", log.baseIds()},
              {"columnKind", "utf16CodeUnits"},
              {"results", results}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({run})}};
}

void addInvocation(Json &log, bool isSuccessful, std::optional<int> exitCode) {
  Json invocation = {{"executionSuccessful", isSuccessful}};
  if (exitCode)
    invocation["exitCode"] = *exitCode;
  log["runs"][0]["invocations"] = Json::array({invocation});
}

} // namespace heddle::report
