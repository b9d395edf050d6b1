// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tables.h"
#include "arch/ArchJson.h"
#include "arch/Fields.h"
#include "support/Paths.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace heddle;
using namespace heddle::arch;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

std::string textOf(const fs::path &file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// What reading sm_90's table says after `change`.
std::string messagesAfter(const std::function<void(Json &)> &change, const char *fileName = "sm_90.json") {
  Json json = Json::parse(textOf(fs::path(HEDDLE_SOURCE_DIR) / "arch" / "sm_90.json"));
  change(json);
  TemporaryFolder folder;
  std::ofstream(folder.path() / fileName) << json.dump(2);
  Diagnostics diagnostics;
  bool read = readArch(folder.path() / fileName, diagnostics).has_value();
  EXPECT_EQ(read, diagnostics.empty());
  return messages(diagnostics);
}

std::string found(std::string_view name) {
  Diagnostics diagnostics;
  const Arch *arch = findArch(name, tables(), diagnostics);
  return arch ? arch->name : messages(diagnostics);
}

} // namespace

TEST(ArchTables, AreTheThirteenGenerationsOldestFirst) {
  std::vector<std::string> names;
  for (const Arch &arch : tables())
    names.push_back(arch.name);
  EXPECT_EQ(names, (std::vector<std::string>{"sm_20", "sm_35", "sm_37", "sm_52", "sm_60", "sm_70", "sm_75",
                                             "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}));
}

TEST(ArchTables, EveryFieldIsExplainedInTheReadme) {
  std::string readme = textOf(fs::path(HEDDLE_SOURCE_DIR) / "arch" / "README.md");
  for (const NumberField &field : numberFields())
    EXPECT_THAT(readme, HasSubstr("`" + std::string(field.group) + "." + std::string(field.key) + "`"));
  for (Feature feature : allFeatures())
    EXPECT_THAT(readme, HasSubstr("`" + std::string(nameOf(feature)) + "`"));
}

TEST(ArchTables, ComeBackAsTheyWereReadWhenWrittenAsJson) {
  for (const Arch &arch : tables())
    EXPECT_EQ(nlohmann::json(toJson(arch)),
              nlohmann::json::parse(textOf(fs::path(HEDDLE_SOURCE_DIR) / "arch" / (arch.name + ".json"))));
}

TEST(ArchTables, NoTwoTablesAnswerToOneAlias) {
  std::set<std::string> seen;
  for (const Arch &arch : tables())
    for (const std::string &alias : arch.aliases)
      EXPECT_TRUE(seen.insert(alias).second) << alias;
}

/// A feature stays once it is there, but for those that NVIDIA ties to one chip or to its data-centre parts.
TEST(ArchTables, GenerationsKeepTheFeaturesOfTheirForebears) {
  const std::set<Feature> comeAndGo = {Feature::Wgmma, Feature::Tcgen05, Feature::Fp64Mma};
  std::set<Feature> before;
  for (const Arch &arch : tables()) {
    for (Feature feature : before)
      EXPECT_TRUE(arch.has(feature) || comeAndGo.count(feature)) << arch.name << " lost " << nameOf(feature);
    before.insert(arch.features.begin(), arch.features.end());
  }
  EXPECT_EQ(before.size(), allFeatures().size()) << "a feature that no table has";
}

TEST(FindArch, KnowsEverySpellingOfACapability) {
  for (const char *name : {"sm_90", "sm_90a", "SM_90", "compute_90", "compute_90a", "90", "9.0"})
    EXPECT_EQ(found(name), "sm_90") << name;
  EXPECT_EQ(found("10.0"), "sm_100");
  EXPECT_EQ(found("sm_100f"), "sm_100");
  EXPECT_EQ(found("120"), "sm_120");
  EXPECT_EQ(found("2.0"), "sm_20");
}

TEST(FindArch, KnowsMarketingNamesInAnyCase) {
  EXPECT_EQ(found("Hopper"), "sm_90");
  EXPECT_EQ(found("NVIDIA H200"), "sm_90");
  EXPECT_EQ(found("Tesla V100"), "sm_70");
  EXPECT_EQ(found("GeForce RTX 5090"), "sm_120");
  EXPECT_EQ(found("ada lovelace"), "sm_89");
  EXPECT_EQ(found("ampere"), "sm_80") << "a generation of two tables means the first";
}

TEST(FindArch, AGpuWithoutATableHasThatOfTheNewestBeforeIt) {
  Diagnostics none;
  const std::vector<Arch> archs = loadArchs(none);
  EXPECT_EQ(newestUpTo(8, 7, archs)->name, "sm_86");
  EXPECT_EQ(newestUpTo(9, 0, archs)->name, "sm_90");
  EXPECT_EQ(newestUpTo(10, 3, archs)->name, "sm_100");
  EXPECT_EQ(newestUpTo(1, 3, archs), nullptr);
}

TEST(FindArch, UnknownNamesGetTheNearest) {
  EXPECT_THAT(found("sm_91"),
              HasSubstr("error: there is no architecture 'sm_91'\nhint: nearest: sm_90, sm_89 and sm_86"));
  EXPECT_THAT(found("hoper"), HasSubstr("did you mean 'hopper'?"));
  EXPECT_THAT(found(""), HasSubstr("there is no architecture ''"));
  EXPECT_THAT(found("9..0"), HasSubstr("there is no architecture"));
}

TEST(ReadArch, AnUnchangedTableHasNoErrors) {
  EXPECT_EQ(messagesAfter([](Json &) {}), "");
}

Json someLatencies() {
  return {{"source", "a test"}, {"cycles", {{"add.s32", 4.5}}}, {"perCycle", Json::object()}};
}

TEST(ReadArch, LatenciesAreAllowedAndNotRequired) {
  EXPECT_EQ(messagesAfter([](Json &t) { t["latency"] = someLatencies(); }), "");
  EXPECT_EQ(messagesAfter([](Json &t) { t.erase("latency"); }), "");
}

TEST(ReadArch, LatenciesSayWhereTheyComeFromAndOnlyOfKnownClasses) {
  EXPECT_THAT(messagesAfter([](Json &t) { t["latency"] = {{"add", 4}}; }),
              HasSubstr("the field 'latency.source' is missing"));
  EXPECT_THAT(messagesAfter([](Json &t) { (t["latency"] = someLatencies())["cycles"]["add.s23"] = 4; }),
              HasSubstr("'latency.cycles' has the unknown class 'add.s23'\nhint: did you mean 'add.s32'?"));
  EXPECT_THAT(messagesAfter([](Json &t) { (t["latency"] = someLatencies())["perCycle"]["bra"] = "2"; }),
              HasSubstr("'latency.perCycle.bra' should be a number, found \"2\""));
  EXPECT_THAT(messagesAfter([](Json &t) { (t["latency"] = someLatencies())["source"] = ""; }),
              HasSubstr("who measured, when, how"));
}

TEST(Latencies, AClassWithoutCyclesTakesThoseOfItsSubstitute) {
  const std::optional<LatencyTable> table =
      LatencyTable{"a test", {{"div.u32", 264}, {"mul.lo.s32", 18}}, {}};
  EXPECT_EQ(latencyOf(table, "div.u32").from, LatencyFrom::Table);
  const Latency remainder = latencyOf(table, "rem.s32");
  EXPECT_EQ(remainder.cycles, 264);
  EXPECT_EQ(remainder.from, LatencyFrom::Substitute);
  EXPECT_EQ(remainder.substitute, "div.u32");
}

TEST(Latencies, WithoutATableEachInstructionCountsOne) {
  for (std::string_view name : latencyClasses()) {
    EXPECT_EQ(latencyOf(std::nullopt, name).cycles, 1) << name;
    EXPECT_EQ(latencyOf(LatencyTable{}, name).from, LatencyFrom::Nothing) << name;
  }
}

TEST(Latencies, EveryClassFindsItsWayToAMultiplication) {
  const std::optional<LatencyTable> table = LatencyTable{"a test", {{"mul.lo.s32", 18}}, {}};
  for (std::string_view name : latencyClasses())
    EXPECT_TRUE(latencyOf(table, name).cycles == 18 || name == "div.u32" || name.find("rem") != name.npos ||
                name.find("div.") == 0)
        << name;
}

TEST(Latencies, Listing2OfTheDivergencePaperTakes610CyclesOnAGtx480) {
  Diagnostics diagnostics;
  const std::optional<Arch> gtx480 = findArch("gtx480", diagnostics);
  ASSERT_TRUE(gtx480);
  double sum = 0;
  for (const char *name : {"mul.lo.s32", "ld.const", "mul.lo.s32", "rem.u32", "div.u32"})
    sum += latencyOf(gtx480->latencies, name).cycles;
  EXPECT_EQ(sum, 610);
}

TEST(Latencies, ThroughputIsWhatTheTableSaysOrNothing) {
  const std::optional<LatencyTable> table = LatencyTable{"a test", {}, {{"add.s32", 64}}};
  EXPECT_EQ(throughputOf(table, "add.s32"), 64);
  EXPECT_EQ(throughputOf(table, "mul.lo.s32"), std::nullopt);
  EXPECT_EQ(throughputOf(std::nullopt, "add.s32"), std::nullopt);
}

TEST(ReadArch, BandwidthsMayBeUnknownButMustBeStated) {
  EXPECT_EQ(messagesAfter([](Json &t) { t["device"]["dramGigabytesPerSecond"] = 0; }), "");
  EXPECT_THAT(messagesAfter([](Json &t) { t["device"].erase("l2BytesPerCycle"); }),
              HasSubstr("the field 'device.l2BytesPerCycle' is missing"));
  EXPECT_THAT(messagesAfter([](Json &t) { t["device"]["launchNanos"] = 2.5; }),
              HasSubstr("'device.launchNanos' should be an integer"));
  EXPECT_THAT(messagesAfter([](Json &t) { t["device"]["launchNano"] = 1; }),
              HasSubstr("there is no field 'device.launchNano'\nhint: did you mean 'device.launchNanos'?"));
}

TEST(ReadArch, NamesTheMissingField) {
  EXPECT_THAT(messagesAfter([](Json &t) { t["registers"].erase("perSm"); }),
              HasSubstr("sm_90.json: error: the field 'registers.perSm' is missing"));
  EXPECT_THAT(messagesAfter([](Json &t) { t.erase("threads"); }),
              HasSubstr("the field 'threads.warpSize' is missing"));
}

TEST(ReadArch, NamesTheUnknownFieldAndTheNearestKnownOne) {
  EXPECT_THAT(messagesAfter([](Json &t) { t["threads"]["warpsize"] = 32; }),
              HasSubstr("there is no field 'threads.warpsize'\nhint: did you mean 'threads.warpSize'?"));
}

TEST(ReadArch, RefusesValuesOfTheWrongKind) {
  EXPECT_THAT(messagesAfter([](Json &t) { t["threads"]["warpSize"] = "32"; }),
              HasSubstr("'threads.warpSize' should be an integer, found \"32\""));
  EXPECT_THAT(messagesAfter([](Json &t) { t["threads"]["warpSize"] = -1; }), HasSubstr("integer"));
  EXPECT_THAT(messagesAfter([](Json &t) { t["threads"]["warpSize"] = 0; }), HasSubstr("cannot be 0"));
  EXPECT_THAT(messagesAfter([](Json &t) { t["threads"]["maxGridDim"] = {1, 2}; }), HasSubstr("x, y and z"));
  EXPECT_THAT(messagesAfter([](Json &t) { t["computeCapability"] = "nine"; }),
              HasSubstr("look like \"9.0\""));
  EXPECT_THAT(messagesAfter([](Json &t) { t["features"].push_back("cp-asink"); }),
              HasSubstr("unknown name 'cp-asink'\nhint: did you mean 'cp-async'?"));
  EXPECT_THAT(messagesAfter([](Json &t) { t["registers"]["allocationGranularity"] = "block"; }),
              HasSubstr("can only be \"warp\""));
}

TEST(ReadArch, RefusesNumbersThatContradictEachOther) {
  EXPECT_THAT(messagesAfter([](Json &t) { t["threads"]["maxPerSm"] = 1536; }),
              HasSubstr("'threads.maxPerSm' is 1536, but 64 warps of 32 threads make 2048"));
  EXPECT_THAT(messagesAfter([](Json &t) { t["sharedMemory"]["maxBytesPerBlockOptIn"] = 233472; }),
              HasSubstr("more than an SM has"));
  EXPECT_THAT(messagesAfter([](Json &t) { t["sharedMemory"]["carveoutBytes"] = {8192, 0}; }),
              HasSubstr("should rise and end with"));
  EXPECT_THAT(messagesAfter([](Json &) {}, "sm_91.json"), HasSubstr("belongs into sm_90.json"));
}

TEST(ReadArch, PointsAtTheLineWhereTheJsonBreaks) {
  TemporaryFolder folder;
  fs::path file = folder.path() / "sm_90.json";
  std::ofstream(file) << "{\n  \"name\": sm_90\n}\n";
  Diagnostics diagnostics;
  EXPECT_FALSE(readArch(file, diagnostics));
  EXPECT_THAT(messages(diagnostics), HasSubstr("sm_90.json:2:11: error: this is not JSON"));
}

TEST(ReadArch, AMissingFileAndAnEmptyFolderAreReported) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  EXPECT_FALSE(readArch(folder.path() / "sm_1.json", diagnostics));
  EXPECT_TRUE(loadArchs(folder.path(), diagnostics).empty());
  EXPECT_THAT(messages(diagnostics), HasSubstr("cannot be read: No such file or directory"));
  EXPECT_THAT(messages(diagnostics), HasSubstr("there are no architecture tables in this folder"));
}
