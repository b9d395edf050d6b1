// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle tune --device gpu` where the simulator is the driver: launches are captured and replayed as on a GPU.
#include "GpuTune.h"

namespace heddle::tune {
namespace {

class ReplaySearch : public GpuTune {
protected:
  ReplaySearch() : GpuTune(Driver::Simulator) {}
};

TEST_F(ReplaySearch, TheLaunchIsReplayedWithTheCodeOfEachCandidate) {
  json report = tuneJson("blocks.cu", {"-k", "add", "-d", "coarsen x=1|2|4"});
  EXPECT_THAT(report["device"].get<std::string>(), HasSubstr("simulator, one launch"));
  ASSERT_EQ(report["results"].size(), 3u) << report.dump(1);
  std::set<std::vector<unsigned>> blocks;
  for (const json &result : report["results"]) {
    EXPECT_EQ(result["status"], "measured") << result.dump(1);
    ASSERT_EQ(result["kernels"].size(), 1u);
    EXPECT_EQ(result["kernels"][0]["launches"], 1);
    blocks.insert(result["kernels"][0]["block"].get<std::vector<unsigned>>());
  }
  EXPECT_EQ(blocks.size(), 3u) << "each is launched in its own shape";
}

TEST_F(ReplaySearch, AKernelMayBeLaunchedInAnIncludedFile) {
  fs::copy_file(programs / "blocks.cu", in("blocks.h"));
  writeFileOrThrow(in("main.cu"), "#include \"blocks.h\"\n");
  json report = tuneJson(in("main.cu"), {"-k", "add", "-d", "coarsen x=1|2", "-o", in("out.cu")});
  EXPECT_THAT(report["device"].get<std::string>(), HasSubstr("simulator, one launch"));
  ASSERT_EQ(report["results"].size(), 2u) << report.dump(1);
  for (const json &result : report["results"])
    EXPECT_EQ(result["status"], "measured") << result.dump(1);
}

TEST_F(ReplaySearch, KernelsAreTunedEachByItselfAndThenTogether) {
  const std::vector<std::string> words = {"-d", "coarsen x=1|2", "-o", in("out.cu")};
  ProcessResult done = tune("three.cu", words);
  ASSERT_EQ(done.exitCode, 0) << done.standardError;
  EXPECT_THAT(done.standardError, HasSubstr("note: add executes"));
  EXPECT_THAT(done.standardError, HasSubstr("and is tuned first, then fill ("));
  EXPECT_THAT(done.standardError, HasSubstr("not tuned: tiny ("));
  EXPECT_THAT(done.standardOutput, HasSubstr("one launch of add (number 4): 2 of 2 tried"));

  // Again, from the cache, which has the results of both.
  json report = tuneJson("three.cu", words);
  EXPECT_EQ(report["from_cache"], 2);
  ASSERT_EQ(report["kernels"].size(), 3u) << report.dump(1);
  EXPECT_EQ(report["kernels"][0]["name"], "add");
  EXPECT_EQ(report["kernels"][0]["launches"], 6);
  EXPECT_EQ(report["kernels"][1]["name"], "fill");
  EXPECT_EQ(report["kernels"][2].value("not_tuned", ""), "its launches take too little time");
  EXPECT_LT(report["results"][1]["micros"], report["results"][0]["micros"]) << "fewer instructions";
  EXPECT_EQ(report["results"][1]["configuration"], "add: coarsen x=2");
  // What the whole program keeps of them is decided by a clock here.
  const std::string text = contentsOf(in("out.cu")), together = report["together"];
  for (const std::string kernel : {"add", "fill"}) {
    const bool isIn = together.find(kernel + ": coarsen x=2") != std::string::npos;
    EXPECT_EQ(text.find("#pragma heddle coarsen x=2\n__global__ void " + kernel) != std::string::npos, isIn)
        << together;
  }
  EXPECT_EQ(text.find("#pragma heddle coarsen x=2\n__global__ void tiny"), std::string::npos);
}

TEST_F(ReplaySearch, ABudgetOfRunsIsForAllKernels) {
  json report = tuneJson("three.cu", {"-d", "coarsen x=1|2|4|8", "--budget", "5"});
  ASSERT_EQ(report["kernels"].size(), 3u) << report.dump(1);
  EXPECT_EQ(report["kernels"][0].value("tried", 0), 4);
  EXPECT_EQ(report["kernels"][1].value("not_tuned", ""), "the budget is used up");
}

TEST_F(ReplaySearch, BeginsWhileTheProgramIsAtWorkOnTheHost) {
  const std::string cache = in("out.cu.tune.jsonl");
  json report = tuneJson("resting.cu", {"-d", "coarsen x=1|2", "-o", in("out.cu"), "--", cache});
  EXPECT_TRUE(fs::exists(cache + ".seen")) << "the program saw results before it ended";
  ASSERT_EQ(report["results"].size(), 2u) << report.dump(1);
  EXPECT_THAT(report["device"].get<std::string>(), testing::EndsWith("one launch of work"));
  for (const json &result : report["results"])
    EXPECT_EQ(result["status"], "measured") << result.dump(1);
}

TEST_F(ReplaySearch, BeginsAgainWhereALaterLaunchTakesLonger) {
  const std::string cache = in("out.cu.tune.jsonl");
  const std::vector<std::string> words = {"-d", "coarsen x=1|2", "-o", in("out.cu"), "--", cache, "later"};
  json report = tuneJson("resting.cu", words);
  EXPECT_TRUE(fs::exists(cache + ".seen"));
  EXPECT_THAT(report["device"].get<std::string>(), HasSubstr("one launch of work (number 2)"));
  ASSERT_EQ(report["results"].size(), 2u) << report.dump(1);
  std::multiset<std::string> devices;
  for (const json &result : kept("out.cu.tune.jsonl"))
    devices.insert(result["device"].get<std::string>());
  EXPECT_EQ(devices.size(), 4u) << "two of each launch";

  json again = tuneJson("resting.cu", words);
  EXPECT_EQ(again["from_cache"], 2);
  EXPECT_EQ(again["device"], report["device"]);
}

} // namespace
} // namespace heddle::tune
