// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How findings look: to people, to programs, and to review tools (SARIF 2.1.0, whose required properties are
// checked here as the OASIS standard states them).
#include "report/Findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace heddle::report {
namespace {

using check::Finding;
using check::Rule;
using nlohmann::ordered_json;

SourceLocation at(std::string file, unsigned line, unsigned column, std::string text = "") {
  return {std::move(file), line, column, 0, std::move(text)};
}

Finding sharedRace() {
  Finding f;
  f.rule = Rule::RaceShared;
  f.kernel = "blur";
  f.location = at("/src/blur.cu", 14, 5, "    tile[i] = x;");
  f.text = "thread 0 writes 'tile[1]', which thread 33 reads";
  f.notes.push_back({at("/src/blur.cu", 17, 13, "    float y = tile[i + 1];"), "read here by thread 33"});
  f.hint = "put __syncthreads() between the two";
  f.times = 31;
  return f;
}

Finding placeless() {
  Finding f;
  f.rule = Rule::DeadlockBarrier;
  f.text = "all warps wait";
  f.notes.push_back({{}, "warp 0 waits for barrier 1"});
  return f;
}

TEST(FindingsText, OpensWithTheClassAndShowsBothLocations) {
  EXPECT_EQ(findingsText({sharedRace()}, false),
            "/src/blur.cu:14:5: error: race: thread 0 writes 'tile[1]', which thread 33 reads [race/shared]\n"
            "   14 |     tile[i] = x;\n"
            "      |     ^\n"
            "      = in kernel 'blur', seen 31 times\n"
            "/src/blur.cu:17:13: note: read here by thread 33\n"
            "   17 |     float y = tile[i + 1];\n"
            "      |             ^\n"
            "hint: put __syncthreads() between the two\n");
}

TEST(FindingsText, EveryRuleOpensWithItsLocationSeverityAndClass) {
  for (unsigned i = 0; i < check::Rules; ++i) {
    Finding f = sharedRace();
    f.rule = Rule(i);
    EXPECT_TRUE(findingsText({f}, false)
                    .starts_with("/src/blur.cu:14:5: error: " + std::string(nameOf(classOf(f.rule))) + ": "))
        << idOf(f.rule);
  }
}

TEST(FindingsText, SaysNothingOfWhatIsNotKnown) {
  EXPECT_EQ(findingsText({placeless()}, false),
            "error: deadlock: all warps wait [deadlock/barrier]\nnote: warp 0 waits for barrier 1\n");
}

TEST(FindingsText, ColourChangesNoWords) {
  std::string coloured = findingsText({sharedRace(), placeless()}, true), bare;
  EXPECT_THAT(coloured, testing::HasSubstr("\033["));
  for (size_t i = 0; i < coloured.size(); ++i)
    if (coloured[i] == '\033')
      i = coloured.find('m', i);
    else
      bare += coloured[i];
  EXPECT_EQ(bare, findingsText({sharedRace(), placeless()}, false));
}

TEST(FindingsText, NothingFoundIsNothingPrinted) { EXPECT_EQ(findingsText({}, true), ""); }

TEST(FindingsJson, HoldsTheSameFacts) {
  ordered_json expected = ordered_json::parse(R"({
    "schema": "heddle.check/1",
    "findings": [
      {"class": "race", "rule": "race/shared", "kernel": "blur", "file": "/src/blur.cu", "line": 14, "column": 5,
       "text": "thread 0 writes 'tile[1]', which thread 33 reads",
       "notes": [{"file": "/src/blur.cu", "line": 17, "column": 13, "text": "read here by thread 33"}],
       "hint": "put __syncthreads() between the two", "times": 31},
      {"class": "deadlock", "rule": "deadlock/barrier", "text": "all warps wait",
       "notes": [{"text": "warp 0 waits for barrier 1"}], "times": 1}]})");
  EXPECT_EQ(findingsJson({sharedRace(), placeless()}).dump(2), expected.dump(2));
}

TEST(FindingsJson, AnEmptyListIsStillAList) {
  EXPECT_EQ(findingsJson({}).dump(), R"({"schema":"heddle.check/1","findings":[]})");
}

// What the standard demands of the objects that we write. Each function says which object it represents.

void expectOnly(const ordered_json &object, const std::vector<std::string> &allowed, std::string_view what) {
  ASSERT_TRUE(object.is_object()) << what;
  for (const auto &[key, value] : object.items())
    EXPECT_THAT(allowed, testing::Contains(key)) << what;
}

void expectMessage(const ordered_json &message) { // 3.11
  expectOnly(message, {"text", "markdown", "id", "arguments", "properties"}, "message");
  ASSERT_TRUE(message.contains("text"));
  EXPECT_FALSE(message["text"].get<std::string>().empty());
}

void expectArtifactLocation(const ordered_json &artifact, const ordered_json &bases) { // 3.4
  expectOnly(artifact, {"uri", "uriBaseId", "index", "description", "properties"}, "artifactLocation");
  std::string uri = artifact.at("uri");
  EXPECT_THAT(uri, testing::Not(testing::HasSubstr(" ")));
  EXPECT_THAT(uri, testing::Not(testing::HasSubstr("\\")));
  if (artifact.contains("uriBaseId")) { // 3.4.4: then the URI is relative, and the base is defined
    EXPECT_TRUE(bases.contains(artifact["uriBaseId"].get<std::string>()));
    EXPECT_FALSE(uri.starts_with("/") || uri.find(':') != std::string::npos) << uri;
  } else {
    EXPECT_TRUE(uri.starts_with("file:///")) << uri;
  }
}

void expectLocation(const ordered_json &location, const ordered_json &bases) { // 3.28 to 3.30
  expectOnly(location, {"id", "physicalLocation", "logicalLocations", "message", "annotations", "properties"},
             "location");
  const ordered_json &physical = location.at("physicalLocation");
  expectOnly(physical, {"artifactLocation", "region", "contextRegion", "address", "properties"}, "physical");
  expectArtifactLocation(physical.at("artifactLocation"), bases);
  if (physical.contains("region")) {
    const ordered_json &region = physical["region"];
    expectOnly(region, {"startLine", "startColumn", "endLine", "endColumn", "snippet", "message"}, "region");
    EXPECT_GE(region.at("startLine").get<int>(), 1);
    EXPECT_GE(region.value("startColumn", 1), 1);
    EXPECT_GT(region.value("endColumn", 1 << 20), region.value("startColumn", 1));
  }
  if (location.contains("id"))
    EXPECT_GE(location["id"].get<int>(), 0);
  if (location.contains("message"))
    expectMessage(location["message"]);
}

void expectRule(const ordered_json &rule) { // 3.49
  expectOnly(rule,
             {"id", "name", "shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration",
              "properties"},
             "reportingDescriptor");
  EXPECT_FALSE(rule.at("id").get<std::string>().empty());
  expectMessage(rule.at("shortDescription"));
}

void expectResult(const ordered_json &result, const ordered_json &rules, const ordered_json &bases) { // 3.27
  expectOnly(result,
             {"ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations", "codeFlows",
              "occurrenceCount", "properties"},
             "result");
  expectMessage(result.at("message"));
  EXPECT_THAT((std::vector<std::string>{"none", "note", "warning", "error"}),
              testing::Contains(result.at("level").get<std::string>()));
  size_t index = result.at("ruleIndex");
  ASSERT_LT(index, rules.size());
  EXPECT_EQ(rules[index].at("id"), result.at("ruleId")); // 3.27.6: both name the same rule
  EXPECT_GE(result.value("occurrenceCount", 1), 1);
  for (const ordered_json &location : result.at("locations"))
    expectLocation(location, bases);
  for (const ordered_json &location : result.value("relatedLocations", ordered_json::array()))
    expectLocation(location, bases);
}

void expectSarif(const ordered_json &log) { // 3.13, 3.14
  expectOnly(log, {"$schema", "version", "runs", "properties"}, "sarifLog");
  EXPECT_EQ(log.at("version"), "2.1.0");
  ASSERT_EQ(log.at("runs").size(), 1u);
  const ordered_json &run = log["runs"][0];
  expectOnly(run, {"tool", "originalUriBaseIds", "columnKind", "results", "artifacts", "invocations"}, "run");
  const ordered_json &bases = run.at("originalUriBaseIds");
  for (const auto &[name, base] : bases.items()) // 3.14.14: a folder, so it ends with a slash
    EXPECT_TRUE(base.at("uri").get<std::string>().ends_with("/"));
  const ordered_json &driver = run.at("tool").at("driver");
  EXPECT_FALSE(driver.at("name").get<std::string>().empty());
  for (const ordered_json &rule : driver.at("rules"))
    expectRule(rule);
  ASSERT_TRUE(run.at("results").is_array()); // 3.14.23: present, if empty, where the tool did look
  for (const ordered_json &result : run["results"])
    expectResult(result, driver["rules"], bases);
}

TEST(FindingsSarif, HasWhatTheStandardRequires) {
  expectSarif(findingsSarif({}, "/src"));
  std::vector<Finding> list;
  for (unsigned i = 0; i < check::Rules; ++i) {
    list.push_back(i % 3 ? sharedRace() : placeless());
    list.back().rule = Rule(i);
  }
  expectSarif(findingsSarif(list, "/src"));
}

TEST(FindingsSarif, ListsEveryRuleOnce) {
  ordered_json rules = findingsSarif({}, "/").at("/runs/0/tool/driver/rules"_json_pointer);
  ASSERT_EQ(rules.size(), check::Rules);
  for (unsigned i = 0; i < check::Rules; ++i) {
    EXPECT_EQ(rules[i]["id"], idOf(Rule(i)));
    EXPECT_EQ(rules[i]["shortDescription"]["text"], aboutOf(Rule(i)));
  }
}

TEST(FindingsSarif, TheOtherLocationIsARelatedLocation) {
  ordered_json log = findingsSarif({sharedRace()}, "/src"), result = log.at("/runs/0/results/0"_json_pointer);
  EXPECT_EQ(result["ruleId"], "race/shared");
  EXPECT_EQ(result["message"]["text"], "race: thread 0 writes 'tile[1]', which thread 33 reads\n"
                                       "hint: put __syncthreads() between the two");
  EXPECT_EQ(result.at("/locations/0/physicalLocation/region/startLine"_json_pointer), 14);
  EXPECT_EQ(result.at("/locations/0/logicalLocations/0/name"_json_pointer), "blur");
  ASSERT_EQ(result["relatedLocations"].size(), 1u);
  EXPECT_EQ(result.at("/relatedLocations/0/physicalLocation/region/startLine"_json_pointer), 17);
  EXPECT_EQ(result.at("/relatedLocations/0/message/text"_json_pointer), "read here by thread 33");
}

TEST(FindingsSarif, ANoteWithoutLocationJoinsTheMessage) {
  ordered_json result = findingsSarif({placeless()}, "/src").at("/runs/0/results/0"_json_pointer);
  EXPECT_EQ(result["message"]["text"], "deadlock: all warps wait\nwarp 0 waits for barrier 1");
  EXPECT_TRUE(result["locations"].empty());
  EXPECT_FALSE(result.contains("relatedLocations"));
}

TEST(FindingsSarif, FilesBelowTheBaseAreNamedRelativeToIt) {
  auto artifactOf = [](std::string file, std::string base) {
    Finding f = sharedRace();
    f.location.file = std::move(file);
    ordered_json log = findingsSarif({f}, base);
    expectSarif(log);
    return log.at("/runs/0/results/0/locations/0/physicalLocation/artifactLocation"_json_pointer);
  };
  EXPECT_EQ(artifactOf("/home/a/b/k.cu", "/home/a").dump(), R"({"uri":"b/k.cu","uriBaseId":"%SRCROOT%"})");
  EXPECT_EQ(artifactOf("/home/a/b/k.cu", "/home/a/").dump(), R"({"uri":"b/k.cu","uriBaseId":"%SRCROOT%"})");
  EXPECT_EQ(artifactOf("b/k.cu", "/home/a").dump(), R"({"uri":"b/k.cu","uriBaseId":"%SRCROOT%"})");
  EXPECT_EQ(artifactOf("./k.cu", "/home/a").dump(), R"({"uri":"k.cu","uriBaseId":"%SRCROOT%"})");
  EXPECT_EQ(artifactOf("/opt/k.cu", "/home/a").dump(), R"({"uri":"file:///opt/k.cu"})");
  EXPECT_EQ(artifactOf("../k.cu", "/home/a").dump(), R"({"uri":"file:///home/k.cu"})");
  EXPECT_EQ(artifactOf("my dir/50%:k.cu", "/home").dump(),
            R"({"uri":"my%20dir/50%25%3Ak.cu","uriBaseId":"%SRCROOT%"})");
}

} // namespace
} // namespace heddle::report
