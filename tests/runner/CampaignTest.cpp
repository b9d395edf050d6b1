// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Plan.h"

#include <gmock/gmock.h>

#include <signal.h>
#include <sys/wait.h>

namespace heddle::runner {
namespace {

using testing::HasSubstr;

TEST(Campaign, MeasuresEveryCandidateAsMedianTimesLaunches) {
  Plan plan;
  plan.with("baseline", reportOf(10)).with("better", reportOf(4));
  CampaignEnd end = plan.run();
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(end.measured, 2u);
  EXPECT_EQ(resultOf(end, "baseline").micros, 20);
  const Result &better = resultOf(end, "better");
  EXPECT_EQ(better.status, Status::Measured);
  EXPECT_EQ(better.micros, 8);
  ASSERT_EQ(better.kernels.size(), 1u);
  EXPECT_EQ(better.kernels[0].kernel, "k");
  EXPECT_EQ(better.kernels[0].grid[0], 2u);
  EXPECT_EQ(better.kernels[0].registers, 7u);
  EXPECT_EQ(better.device, "a script");
}

TEST(Campaign, KillsACandidateThatHangsWithAllItStarted) {
  Plan plan;
  plan.manifest.runSeconds = 2;
  plan.with("baseline", reportOf(1))
      .with("hangs", "sleep 1000 & echo $! > sleeper; wait\n")
      .with("next", reportOf(2));
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "hangs").status, Status::TimedOut);
  EXPECT_THAT(resultOf(end, "hangs").reason, HasSubstr("still running after 2 s"));
  EXPECT_EQ(resultOf(end, "next").status, Status::Measured);
  pid_t sleeper = 0;
  std::ifstream(plan.folder / "sleeper") >> sleeper;
  ASSERT_GT(sleeper, 0);
  for (int tries = 0; tries < 500 && kill(sleeper, 0) == 0; ++tries)
    usleep(10000); // the process that adopts it has to see its end first
  // A machine without a process that collects orphans keeps the dead one as a zombie.
  std::ifstream status("/proc/" + std::to_string(sleeper) + "/status");
  std::string text((std::istreambuf_iterator<char>(status)), {});
  EXPECT_TRUE(text.empty() || text.find("State:\tZ") != std::string::npos) << text;
}

TEST(Campaign, SaysWhichSignalEndedACandidate) {
  Plan plan;
  plan.with("baseline", reportOf(1))
      .with("crashes", "echo about to fail; kill -SEGV $$\n")
      .with("next", reportOf(2));
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "crashes").status, Status::Crashed);
  EXPECT_THAT(resultOf(end, "crashes").reason, HasSubstr("signal 11"));
  EXPECT_THAT(resultOf(end, "crashes").reason, HasSubstr("about to fail"));
  EXPECT_EQ(resultOf(end, "next").status, Status::Measured);
}

TEST(Campaign, ReportsACudaErrorAsACrash) {
  Plan plan;
  plan.with("baseline", reportOf(1)).with("faults", reportOf(2, "aa", "k: an illegal memory access"));
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "faults").status, Status::Crashed);
  EXPECT_EQ(resultOf(end, "faults").reason, "k: an illegal memory access");
}

TEST(Campaign, ReportsAnotherExitCodeThanTheBaselines) {
  Plan plan;
  plan.with("baseline", reportOf(1) + "exit 3\n").with("same", reportOf(2) + "exit 3\n");
  plan.with("other", reportOf(2) + "echo FAILED; exit 1\n");
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "same").status, Status::Measured);
  EXPECT_EQ(resultOf(end, "other").status, Status::Crashed);
  EXPECT_EQ(resultOf(end, "other").reason, "exit code 1, the baseline's is 3: FAILED");
}

TEST(Campaign, ReportsOtherBitsAsWrongAndWhichCopyHasThem) {
  Plan plan;
  plan.with("baseline", reportOf(1)).with("wrong", reportOf(0.1, "bb") + "exit 1\n");
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "wrong").status, Status::Wrong);
  EXPECT_THAT(resultOf(end, "wrong").reason, HasSubstr("copy 1 of 1 (4 bytes)"));
  EXPECT_EQ(resultOf(end, "wrong").device, "a script");
}

/// A compiler that writes its last flag into the program, as the value of FLAG.
void useScriptThatKnowsFlags(Plan &plan, CampaignOptions &options) {
  std::ofstream(plan.folder / "cc") << "#!/bin/sh\nsed \"2iFLAG=$3\" $1 > $2 && chmod +x $2\n";
  std::filesystem::permissions(plan.folder / "cc", std::filesystem::perms::owner_all);
  options.toolchain.compileCommand = "./cc {files} {out} {flags}";
  options.toolchain.unfusedFlag = "-apart";
}

TEST(Campaign, ForgivesBitsThatDifferOnlyByFusedMultiplications) {
  Plan plan;
  plan.with("baseline", reportOf(3));
  plan.with("fused",
            "if [ \"$FLAG\" = -apart ]; then\n" + reportOf(9) + "else\n" + reportOf(2, "bb") + "fi\n");
  plan.with("wrong",
            "if [ \"$FLAG\" = -apart ]; then\n" + reportOf(9, "cc") + "else\n" + reportOf(2, "bb") + "fi\n");
  CampaignOptions options = plan.options();
  useScriptThatKnowsFlags(plan, options);
  CampaignEnd end = plan.run(options);
  EXPECT_EQ(resultOf(end, "fused").status, Status::Measured);
  EXPECT_EQ(resultOf(end, "fused").micros, 4); // of the program as it is meant, not of the second one
  EXPECT_THAT(resultOf(end, "fused").reason, HasSubstr("fused"));
  EXPECT_EQ(resultOf(end, "wrong").status, Status::Wrong);
}

TEST(Campaign, LeavesTheVerdictToTheProgramWhereThePlanSaysSo) {
  Plan plan;
  plan.manifest.comparesCopies = false;
  plan.with("baseline", reportOf(3))
      .with("other", reportOf(2, "bb"))
      .with("fails", reportOf(2, "cc") + "exit 1\n");
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "other").status, Status::Measured);
  EXPECT_EQ(resultOf(end, "fails").status, Status::Crashed);
}

TEST(Campaign, DoesNotCompareWhatVariesFromRunToRunOfTheBaseline) {
  Plan plan;
  plan.with("baseline", reportOf(1, "$$")).with("other", reportOf(2, "$$"));
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "other").status, Status::Measured);
  EXPECT_THAT(resultOf(end, "other").reason, HasSubstr("1 of 1 copies vary"));
}

const std::string kNoCopies = reportOf(1, "");

TEST(Campaign, ComparesWhatIsPrintedWhereNothingIsCopiedToTheHost) {
  Plan plan;
  plan.with("baseline", kNoCopies + "echo $0 begins; echo sum 5.0\n")
      .with("same", kNoCopies + "echo $0 begins; echo sum 5.0\n")
      .with("wrong", kNoCopies + "echo $0 begins; echo sum 5.1\n")
      .with("fails", kNoCopies + "echo $0 begins; echo FAILED; exit 1\n");
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "same").status, Status::Measured) << resultOf(end, "same").reason;
  EXPECT_EQ(resultOf(end, "same").reason, "");
  EXPECT_EQ(resultOf(end, "wrong").status, Status::Wrong);
  EXPECT_EQ(resultOf(end, "wrong").reason, "line 2 of its output is 'sum 5.1', the original's is 'sum 5.0'");
  EXPECT_EQ(resultOf(end, "fails").status, Status::Crashed) << "the exit code says more";
  // A runner that is called again knows what the baseline printed.
  plan.with("later", kNoCopies + "echo $0 begins; echo sum 7\n");
  EXPECT_EQ(resultOf(plan.run(), "later").status, Status::Wrong);
  plan.manifest.comparesCopies = false;
  plan.with("unchecked", kNoCopies + "echo sum 7\n");
  EXPECT_EQ(resultOf(plan.run(), "unchecked").status, Status::Measured);
}

TEST(Campaign, ComparesNumbersThatArePrintedWithinTheTolerance) {
  Plan plan;
  plan.manifest.tolerance.relative = 0.01;
  plan.with("baseline", kNoCopies + "echo sum 5.0\n")
      .with("near", kNoCopies + "echo sum 5.01\n")
      .with("far", kNoCopies + "echo sum 6\n");
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "near").status, Status::Measured) << resultOf(end, "near").reason;
  EXPECT_EQ(resultOf(end, "far").status, Status::Wrong);
}

TEST(Campaign, SaysThatItComparedNothingButExitCodes) {
  Plan varies, silent;
  varies.with("baseline", kNoCopies + "echo $$\n").with("other", kNoCopies + "echo $$\n");
  CampaignEnd end = varies.run();
  EXPECT_EQ(resultOf(end, "other").status, Status::Measured);
  EXPECT_THAT(resultOf(end, "other").reason, HasSubstr("varies between runs"));
  silent.with("baseline", kNoCopies).with("other", kNoCopies);
  EXPECT_THAT(resultOf(silent.run(), "other").reason, HasSubstr("no output"));
}

TEST(Campaign, ForgivesWhatIsPrintedForFusedMultiplications) {
  Plan plan;
  plan.with("baseline", kNoCopies + "echo 1.0\n");
  plan.with("fused", kNoCopies + "if [ \"$FLAG\" = -apart ]; then echo 1.0; else echo 1.1; fi\n");
  plan.with("wrong", kNoCopies + "echo 1.2\n");
  CampaignOptions options = plan.options();
  useScriptThatKnowsFlags(plan, options);
  CampaignEnd end = plan.run(options);
  EXPECT_EQ(resultOf(end, "fused").status, Status::Measured) << resultOf(end, "fused").reason;
  EXPECT_EQ(resultOf(end, "wrong").status, Status::Wrong);
}

TEST(Campaign, ReportsTheCompilersFirstError) {
  Plan plan;
  plan.with("baseline", reportOf(1)).with("broken", reportOf(1)).with("next", reportOf(2));
  plan.manifest.candidates[1].files = {"nowhere.sh"};
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "broken").status, Status::DoesNotCompile);
  EXPECT_THAT(resultOf(end, "broken").reason, HasSubstr("nowhere.sh"));
  EXPECT_EQ(resultOf(end, "next").status, Status::Measured);
}

TEST(Campaign, KillsACompilerThatHangs) {
  Plan plan;
  plan.manifest.compileSeconds = 2;
  plan.with("baseline", reportOf(1)).with("slow", reportOf(1));
  CampaignOptions options = plan.options();
  std::ofstream(plan.folder / "cc") << "#!/bin/sh\ncase $1 in slow*) sleep 1000;; esac\ncp $1 $2\n";
  std::filesystem::permissions(plan.folder / "cc", std::filesystem::perms::owner_all);
  options.toolchain.compileCommand = "./cc {files} {out}";
  CampaignEnd end = plan.run(options);
  EXPECT_EQ(resultOf(end, "slow").status, Status::TimedOut);
  EXPECT_THAT(resultOf(end, "slow").reason, HasSubstr("still compiling"));
}

TEST(Campaign, StopsWhereTheBaselineCannotBeMeasured) {
  Plan plan;
  plan.with("baseline", "echo no device; exit 1\n").with("other", reportOf(1));
  CampaignEnd end = plan.run();
  EXPECT_THAT(end.error, HasSubstr("the baseline cannot be measured"));
  EXPECT_THAT(end.error, HasSubstr("no device"));
  EXPECT_EQ(plan.runsOf("other"), 0);
}

TEST(Campaign, MeasuresNothingTwice) {
  Plan plan;
  plan.with("baseline", reportOf(1)).with("other", reportOf(2));
  plan.run();
  plan.with("added", reportOf(3));
  CampaignEnd again = plan.run();
  EXPECT_EQ(again.measured, 1u);
  EXPECT_EQ(again.results.size(), 3u);
  EXPECT_EQ(plan.runsOf("baseline"), 2); // both of them in the first campaign, for the reference
  EXPECT_EQ(plan.runsOf("other"), 1);
  EXPECT_EQ(plan.runsOf("added"), 1);
}

TEST(Campaign, DoesNotCompareCandidatesWithABaselineOfAnotherPlan) {
  Plan plan;
  plan.with("baseline", reportOf(1));
  plan.run();
  plan.manifest.candidates.clear();
  plan.with("changed", reportOf(1, "zz")).with("other", reportOf(2, "zz"));
  EXPECT_EQ(resultOf(plan.run(), "other").status, Status::Measured);
}

TEST(Campaign, DropsALineThatAKillCutShortAndMeasuresThatOneAgain) {
  Plan plan;
  plan.with("baseline", reportOf(1)).with("other", reportOf(2));
  plan.run();
  const auto ledger = plan.folder / "results.jsonl";
  std::filesystem::resize_file(ledger, std::filesystem::file_size(ledger) - 10);
  CampaignEnd again = plan.run();
  EXPECT_EQ(again.measured, 1u);
  EXPECT_EQ(plan.runsOf("other"), 2);
  EXPECT_EQ(readResults(ledger).size(), 2u);
}

/// Runs the campaign in a process of its own until `file` is there, then kills it.
void killOnce(Plan &plan, const std::filesystem::path &file) {
  const CampaignOptions options = plan.options();
  const pid_t child = fork();
  if (child == 0) {
    plan.run(options);
    _exit(0);
  }
  while (!std::filesystem::exists(file))
    usleep(2000);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(Campaign, ResumesAfterAKillWithNothingLostAndNothingMeasuredTwice) {
  Plan plan;
  plan.with("baseline", reportOf(1)).with("a", reportOf(2));
  plan.with("b", "if [ ! -e once ]; then touch once; sleep 1000; fi\n" + reportOf(3)).with("c", reportOf(4));
  killOnce(plan, plan.folder / "once");
  CampaignEnd end = plan.run();
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(plan.runsOf("baseline"), 2);
  EXPECT_EQ(plan.runsOf("a"), 1);
  EXPECT_EQ(plan.runsOf("c"), 1);
  EXPECT_EQ(resultOf(end, "b").status,
            Status::Measured); // lost with the first runner, tried again at the end
  std::vector<Result> lines = readResults(plan.folder / "results.jsonl");
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[2].status, Status::Lost);
  EXPECT_EQ(lines[4].id, "b");
}

TEST(Campaign, LeavesAloneWhatWasLostTwiceUnlessAsked) {
  Plan plan;
  plan.with("baseline", reportOf(1));
  plan.with("deadly",
            "if [ ! -e thrice ]; then if [ -e once ]; then touch twice; fi; touch once; sleep 1000; fi\n" +
                reportOf(3));
  killOnce(plan, plan.folder / "once");
  killOnce(plan, plan.folder / "twice");
  CampaignEnd end = plan.run();
  EXPECT_EQ(resultOf(end, "deadly").status, Status::Lost);
  EXPECT_EQ(plan.runsOf("deadly"), 2);
  std::ofstream(plan.folder / "thrice") << "now it ends";
  CampaignOptions options = plan.options();
  options.againLost = true;
  EXPECT_EQ(resultOf(plan.run(options), "deadly").status, Status::Measured);
}

TEST(Campaign, MeasuresOnlyWhatIsAskedForAndTheBaseline) {
  Plan plan;
  plan.with("baseline", reportOf(1)).with("a", reportOf(2)).with("b", reportOf(3));
  CampaignOptions options = plan.options();
  options.only = {"b"};
  CampaignEnd end = plan.run(options);
  EXPECT_EQ(end.results.size(), 2u);
  EXPECT_EQ(plan.runsOf("a"), 0);
  options.only = {"z"};
  EXPECT_EQ(plan.run(options).error, "no candidate has the id 'z'");
}

TEST(Campaign, RefusesToShareALedger) {
  Plan plan;
  plan.with("baseline", reportOf(1));
  std::string error;
  auto held = Ledger::open(plan.folder / "results.jsonl", error);
  EXPECT_THAT(plan.run().error, HasSubstr("another runner is at work"));
}

TEST(Campaign, LeavesNoProgramsBehind) {
  Plan plan;
  plan.with("baseline", reportOf(1)).with("a", reportOf(2)).with("wrong", reportOf(3, "zz"));
  plan.run();
  std::vector<std::string> left;
  for (const auto &entry : std::filesystem::directory_iterator(plan.folder / "work"))
    left.push_back(entry.path().filename());
  EXPECT_THAT(left, testing::ElementsAre("reference.json"));
}

TEST(Campaign, PrintsProgressAndTheBest) {
  Plan plan;
  plan.with("baseline", reportOf(5)).with("best", reportOf(2)).with("wrong", reportOf(1, "zz"));
  std::vector<std::string> report;
  runCampaign(plan.options(), [&](const Progress &p) {
    report.push_back(std::to_string(p.done) + "/" + std::to_string(p.of) + " " + p.best->id + " " +
                     std::to_string(p.failed));
  });
  EXPECT_THAT(report, testing::ElementsAre("1/3 baseline 0", "2/3 best 0", "3/3 best 1"));
}

} // namespace
} // namespace heddle::runner
