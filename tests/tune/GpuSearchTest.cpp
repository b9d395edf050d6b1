// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle tune --device gpu` where the driver only knows a name: nothing can be replayed, and each candidate is timed in the whole
// program. Times are the simulator's and mean nothing.
#include "GpuTune.h"

namespace heddle::tune {
namespace {

class GpuSearch : public GpuTune {
protected:
  GpuSearch() : GpuTune(Driver::KnowsAName) {}
};

TEST_F(GpuSearch, MeasuresEachAsksTheModelAndKeepsBothInOneCache) {
  const std::vector<std::string> words = {"-d", "coarsen x=1|2", "--strategy", "guided", "--seed", "7",
                                          "-o", in("out.cu")};
  json report = tuneJson("blocks.cu", words);
  EXPECT_EQ(report["device"], "Test GPU");
  EXPECT_EQ(report["predicted"], false);
  ASSERT_EQ(report["results"].size(), 2u) << report.dump(1);
  EXPECT_EQ(report["results"][0]["configuration"], "baseline");
  EXPECT_EQ(report["results"][1]["configuration"], "coarsen x=2");
  for (const json &result : report["results"]) {
    EXPECT_EQ(result["status"], "measured") << result.dump(1);
    EXPECT_GT(result["micros"], 0);
    EXPECT_EQ(result["kernels"].size(), 2u);
  }
  EXPECT_GT(report["results"][1].value("predicted_micros", 0.0), 0) << "the model was asked, too";
  EXPECT_THAT(contentsOf(in("out.cu")), HasSubstr("__global__"));

  const std::vector<json> results = kept("out.cu.tune.jsonl");
  std::multiset<std::string> devices;
  for (const json &result : results)
    devices.insert(result["device"].get<std::string>() +
                   (result.value("predicted", false) ? " predicted" : ""));
  EXPECT_THAT(devices, testing::UnorderedElementsAre("Test GPU", "Test GPU", "sm_90 (model) predicted",
                                                     "sm_90 (model) predicted"));

  json again = tuneJson("blocks.cu", words);
  EXPECT_EQ(again["from_cache"], 2);
  EXPECT_EQ(again["best"], report["best"]);
  EXPECT_EQ(kept("out.cu.tune.jsonl").size(), results.size()) << "nothing is measured or predicted twice";
}

TEST_F(GpuSearch, WhatErrsCrashesOrDoesNotCompileIsKeptWithItsReasonAndNeverWins) {
  json report = tuneJson("choices.cu", {"--define", "CHOICE=2|3|4|6", "--no-check"});
  std::map<std::string, std::string> status, reason;
  for (const json &result : report["results"]) {
    status[result["configuration"]] = result["status"];
    reason[result["configuration"]] = result.value("reason", "");
  }
  EXPECT_EQ(status["baseline"], "measured");
  EXPECT_EQ(status["-DCHOICE=2"], "crashed");
  EXPECT_EQ(status["-DCHOICE=3"], "wrong");
  EXPECT_EQ(status["-DCHOICE=4"], "does not compile");
  EXPECT_EQ(status["-DCHOICE=6"], "crashed");
  EXPECT_THAT(reason["-DCHOICE=2"], HasSubstr("signal 6"));
  EXPECT_THAT(reason["-DCHOICE=3"], HasSubstr("copy 1 of 1 (400 bytes)"));
  EXPECT_THAT(reason["-DCHOICE=4"], HasSubstr("this choice does not compile"));
  EXPECT_THAT(reason["-DCHOICE=6"], HasSubstr("illegal memory access"));
  EXPECT_EQ(report["best"], "baseline");
}

TEST_F(GpuSearch, WhatIsWithinTheToleranceIsNotWrong) {
  json report = tuneJson("choices.cu", {"--define", "CHOICE=3|5", "--no-check", "--tol", "rel=0.5"});
  ASSERT_EQ(report["results"].size(), 3u);
  std::map<std::string, json> results; // where a clock is read, they come as they are made
  for (const json &result : report["results"])
    results[result["configuration"]] = result;
  const json &near = results["-DCHOICE=3"];
  EXPECT_EQ(near["status"], "measured") << near.dump(1);
  EXPECT_THAT(near.value("reason", ""), HasSubstr("within rel=0.5"));
  EXPECT_EQ(results["-DCHOICE=5"]["status"], "crashed") << "another exit code is not within any tolerance";
}

TEST_F(GpuSearch, CompilesForTheGpuThatIsThere) {
  setenv("HEDDLE_TEST_CAPABILITY", "80", 1);
  const ProcessResult done =
      tune("blocks.cu", {"-d", "coarsen x=1|2", "--strategy", "guided", "-o", in("out.cu")});
  const ProcessResult other = tune("blocks.cu", {"-d", "coarsen x=1|2", "--arch", "sm_90"});
  unsetenv("HEDDLE_TEST_CAPABILITY");
  EXPECT_EQ(done.exitCode, 0) << done.standardError;
  std::set<std::string> devices;
  for (const json &result : kept("out.cu.tune.jsonl"))
    devices.insert(result["device"].get<std::string>());
  EXPECT_THAT(devices, testing::UnorderedElementsAre("Test GPU", "sm_80 (model)"));
  EXPECT_EQ(other.exitCode, 1);
  EXPECT_THAT(other.standardError, HasSubstr("is an sm_80, which does not run machine code for sm_90"));
  EXPECT_EQ(other.standardOutput, "");
}

TEST_F(GpuSearch, AGpuThatIsNotThereIsTheWholeAnswer) {
  ProcessResult done = tune("blocks.cu", {"-d", "coarsen x=1|2"}, "");
  EXPECT_EQ(done.exitCode, 1);
  EXPECT_THAT(done.standardError, HasSubstr("there is no GPU here"));
}

} // namespace
} // namespace heddle::tune
