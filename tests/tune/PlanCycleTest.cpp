// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle tune --plan and --collect, round after round, with results that are made up in the place of a GPU's.
#include "TestPaths.h"
#include "runner/Ledger.h"
#include "runner/Manifest.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "tune/Cache.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace heddle;
using nlohmann::json;
using testing::ElementsAre;
using testing::SizeIs;

namespace {

namespace fs = std::filesystem;

struct PlanCycle : testing::Test {
  TemporaryFolder folder;
  const fs::path plan = folder.path() / "plan", cache = folder.path() / "cache";
  const std::string program = (fs::path(HEDDLE_SOURCE_DIR) / "tests/tune/programs/blocks.cu").string();

  ProcessResult tune(const std::vector<std::string> &further) const {
    std::vector<std::string> words = {(fs::path(HEDDLE_BUILD_DIR) / "heddle").string(),
                                      "tune",
                                      program,
                                      "-d",
                                      "coarsen x=1|2|4|8",
                                      "--compiler",
                                      "clang",
                                      "--cuda-path",
                                      "none",
                                      "--cache",
                                      cache.string()};
    words.insert(words.end(), further.begin(), further.end());
    ProcessResult done = runProcess(words);
    EXPECT_EQ(done.exitCode, 0) << done.standardError;
    return done;
  }

  std::vector<runner::Candidate> planned(std::vector<std::string> further) const {
    further.insert(further.end(), {"--plan", plan.string()});
    tune(further);
    std::string error;
    auto manifest = runner::readManifest(plan / "manifest.json", error);
    EXPECT_TRUE(manifest) << error;
    return manifest ? manifest->candidates : std::vector<runner::Candidate>();
  }
  static std::vector<std::string> configurationsOf(const std::vector<runner::Candidate> &candidates) {
    std::vector<std::string> configurations;
    for (const runner::Candidate &each : candidates)
      configurations.push_back(each.configuration);
    return configurations;
  }

  /// What heddle-runner would write: longer configurations take less time.
  void measure(const std::vector<runner::Candidate> &candidates) const {
    std::string error;
    auto ledger = runner::Ledger::open(plan / "results.jsonl", error);
    ASSERT_TRUE(ledger) << error;
    for (const runner::Candidate &each : candidates) {
      runner::Result result;
      result.id = each.id;
      result.status = runner::Status::Measured;
      result.device = "a GPU";
      result.micros = result.q1 = result.q3 = 100 - double(each.configuration.size());
      if (!ledger->newest(each.id))
        ledger->append(result);
    }
  }

  json collected() const {
    return json::parse(tune({"--collect", plan.string(), "--json"}).standardOutput, nullptr, false);
  }
};

TEST_F(PlanCycle, EveryRoundHoldsTheBaselineAndWhatIsNotKnownYet) {
  std::vector<runner::Candidate> first = planned({"--budget", "3"});
  EXPECT_THAT(configurationsOf(first), ElementsAre("baseline", "coarsen x=2", "coarsen x=4"));
  measure(first);
  json report = collected();
  EXPECT_FALSE(report["predicted"]);
  EXPECT_EQ(report["device"], "a GPU");
  EXPECT_THAT(report["results"], SizeIs(3));

  std::vector<runner::Candidate> second = planned({"--budget", "3"});
  EXPECT_THAT(configurationsOf(second), ElementsAre("baseline", "coarsen x=8"));
  measure(second);
  report = collected();
  EXPECT_THAT(report["results"], SizeIs(4)) << "what earlier rounds found is not forgotten";
  EXPECT_EQ(report["best"], "coarsen x=2") << "of those that take the same time the first";
  EXPECT_THAT(configurationsOf(planned({})), ElementsAre("baseline")) << "everything is known";
}

TEST_F(PlanCycle, AGuidedPlanAsksTheModelOnASmallerProblemAndKeepsItsPredictions) {
  std::vector<runner::Candidate> first = planned({"--strategy", "guided", "--budget", "2", "--small", "1"});
  EXPECT_THAT(first, SizeIs(2));
  auto kept = tune::readKept(cache);
  ASSERT_TRUE(kept);
  std::map<std::string, double> said;
  for (const tune::Kept &each : *kept) {
    EXPECT_TRUE(each.result.predicted);
    EXPECT_EQ(each.result.device, "sm_90 (model, from 1)");
    said[each.configuration] = each.result.micros;
  }
  ASSERT_EQ(said.size(), 4u);
  for (const auto &[configuration, micros] : said)
    EXPECT_LE(configuration == "baseline" ? micros : said[first[1].configuration], micros)
        << "the likeliest comes first";

  measure(first);
  EXPECT_THAT(collected()["results"], SizeIs(2)) << "predictions are not results";
  std::vector<runner::Candidate> second = planned({"--strategy", "guided", "--budget", "2", "--small", "1"});
  ASSERT_THAT(second, SizeIs(2));
  EXPECT_NE(second[1].configuration, first[1].configuration);
  EXPECT_THAT(*tune::readKept(cache), SizeIs(kept->size() + 2)) << "the model is asked once";
}

} // namespace
