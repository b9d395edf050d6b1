// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-replay is a script here, which says what a GPU would have made it say: what becomes of a candidate that hangs, traps or
// leaves something else behind is decided on this side.
#include "tune/ReplayMeasurer.h"

#include "EasyMaker.h"
#include "support/Files.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::tune;
using runner::Status;
using testing::HasSubstr;

namespace {

/// The whole program: as slow as the test states.
class ReplayedProgram final : public Measurer {
public:
  std::string device() const override { return "GPU"; }
  bool predicts() const override { return false; }
  runner::Result measureBaseline(const Candidate &baseline) override { return measure(baseline); }
  runner::Result measure(const Candidate &candidate) override {
    ++measured;
    runner::Result result;
    result.status = candidate.isBaseline() ? Status::Measured : status;
    result.reason = reason;
    result.micros = candidate.isBaseline() ? 1000 : 500;
    return result;
  }
  Status status = Status::Measured;
  std::string reason;
  int measured = 0;
};

/// Makes candidates without fused multiplications: the module's name says so.
class UnfusedMaker final : public EasyMaker {
public:
  Made make(const Configuration &configuration) override {
    Made made = EasyMaker::make(configuration);
    made.candidate->id = "unfused";
    const std::string &first = configuration.flags.front();
    const bool isBaseline = first == "-fmad=false" || first == "-ffp-contract=off";
    made.candidate->replay = {ReplayLaunch{"_Z5scalePfi", {4, 2, 1}, {32, 1, 1}, 16, false}, "",
                              (isBaseline ? "baseline" : first.substr(1)) + "-unfused"};
    return made;
  }
};

struct ReplayMeasurerTest : testing::Test {
  TemporaryFolder folder;
  Problem problem;
  EasyMaker maker;
  ReplayedProgram program;
  LocalExecutor whole{problem, maker, program};
  bool timesInProgram = true;

  /// `replies`: for the word of each request (its module), what is done by a shell.
  ReplayMeasurer replayed(const std::string &replies) {
    const std::filesystem::path script = folder.path() / "replay";
    writeFileOrThrow(script, R"(echo '{"event":"ready","device":"Test GPU"}'
result() { echo "{\"event\":\"result\",\"id\":\"x\",\"status\":\"$1\",\"text\":\"$2\",\"micros\":[$3],\"registers\":40,\"occupancy\":50.0,\"seconds\":0.01}"; }
leave() { text=$1; set -- $rest; printf %s "$text" > "${13}"; result differs bits ''; }
while read verb id module rest; do
  echo "$id $module $rest" >> )" +
                                 (folder.path() / "asked").string() + R"(
  case $module in
  baseline) result same "" 9,10,11 ;;
)" + replies + R"(
  esac
done
)");
    return ReplayMeasurer(problem, {"sh", script.string()}, whole, "scale", timesInProgram);
  }
  Candidate candidate(const std::string &module) {
    Candidate made;
    made.id = module + "-id";
    if (module != "baseline")
      made.configuration.flags = {"-" + module};
    made.replay = {ReplayLaunch{"_Z5scalePfi", {4, 2, 1}, {32, 1, 1}, 16, false}, "", module};
    return made;
  }
};

TEST_F(ReplayMeasurerTest, ATimeIsTheMedianOfItsRounds) {
  ReplayMeasurer measurer = replayed("fast) result same '' 5,4,7,6,5 ;;");
  ASSERT_EQ(measurer.prepare(), "");
  EXPECT_EQ(measurer.device(), "Test GPU, one launch of scale");
  EXPECT_EQ(measurer.measureBaseline(candidate("baseline")).micros, 10);
  const runner::Result result = measurer.measure(candidate("fast"));
  EXPECT_EQ(result.status, Status::Measured) << result.reason;
  EXPECT_EQ(result.micros, 5);
  EXPECT_EQ(result.id, "fast-id");
  ASSERT_EQ(result.kernels.size(), 1u);
  EXPECT_EQ(result.kernels[0].registers, 40u);
  EXPECT_EQ(result.kernels[0].grid[1], 2u);
  EXPECT_THAT(contentsOf(folder.path() / "asked"), HasSubstr("fast-id fast _Z5scalePfi 4 2 1 32 1 1 16 "));
  EXPECT_EQ(program.measured, 0);
}

TEST_F(ReplayMeasurerTest, AnotherWorkerTakesOverFromOneThatACandidateEnded) {
  ReplayMeasurer measurer = replayed("trap) exit 4 ;; killed) kill -9 $$ ;; fast) result same '' 5 ;;");
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  const runner::Result trap = measurer.measure(candidate("trap"));
  EXPECT_EQ(trap.status, Status::Crashed);
  EXPECT_THAT(trap.reason, HasSubstr("ended with 4"));
  const runner::Result killed = measurer.measure(candidate("killed"));
  EXPECT_EQ(killed.status, Status::Crashed);
  EXPECT_THAT(killed.reason, HasSubstr("signal 9"));
  EXPECT_EQ(measurer.measure(candidate("fast")).micros, 5);
}

TEST_F(ReplayMeasurerTest, ACandidateIsTriedAgainWhereItsWorkerWasKilledByAnother) {
  ReplayMeasurer measurer = replayed(
      "unlucky) if [ -e \"$0.once\" ]; then result same '' 5; else touch \"$0.once\"; kill -9 $$; fi ;;");
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  const runner::Result result = measurer.measure(candidate("unlucky"));
  EXPECT_EQ(result.status, Status::Measured) << result.reason;
  EXPECT_EQ(result.micros, 5);
}

TEST_F(ReplayMeasurerTest, ACandidateThatHangsIsStopped) {
  problem.limits.run = 0.2;
  ReplayMeasurer measurer = replayed("hang) sleep 1000 ;; fast) result same '' 5 ;;");
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  EXPECT_EQ(measurer.measure(candidate("hang")).status, Status::TimedOut);
  EXPECT_EQ(measurer.measure(candidate("fast")).status, Status::Measured);
}

TEST_F(ReplayMeasurerTest, OtherBitsAreWrongWhereTheProgramSaysSo) {
  program.status = Status::Wrong;
  program.reason = "copy 1 differs";
  ReplayMeasurer measurer = replayed("wrong) result differs 'region 0x10: 1 byte' 5 ;;");
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  const runner::Result result = measurer.measure(candidate("wrong"));
  EXPECT_EQ(result.status, Status::Wrong);
  EXPECT_EQ(result.reason, "copy 1 differs");
  EXPECT_EQ(result.id, "wrong-id");
}

TEST_F(ReplayMeasurerTest, TheProgramIsNotRunForOtherBitsThatWouldNotWin) {
  ReplayMeasurer measurer =
      replayed("fast) result same '' 5 ;; other) result differs 'region 0x10: 1 byte' 6 ;;");
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  measurer.measure(candidate("fast"));
  const runner::Result result = measurer.measure(candidate("other"));
  EXPECT_EQ(result.status, Status::Wrong);
  EXPECT_THAT(result.reason, HasSubstr("it is not the fastest: region 0x10: 1 byte"));
  EXPECT_EQ(program.measured, 0);
}

TEST_F(ReplayMeasurerTest, OtherBitsThatTheProgramNeverReadsAreReported) {
  ReplayMeasurer measurer = replayed("scratch) result differs 'region 0x10: 1 byte' 5 ;;");
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  const runner::Result result = measurer.measure(candidate("scratch"));
  EXPECT_EQ(result.status, Status::Measured);
  EXPECT_EQ(result.micros, 5); // the launch's, not the program's
  EXPECT_THAT(result.reason, HasSubstr("memory that it does not read differs: region 0x10: 1 byte"));
}

TEST_F(ReplayMeasurerTest, WhatWritesOutsideIsNotLeftToTheProgram) {
  ReplayMeasurer measurer = replayed(
      R"(outside) echo '{"event":"result","id":"x","status":"differs","text":"it writes outside","micros":[5],"outside":[{"address":4096,"bytes":4}]}' ;;)");
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  const runner::Result result = measurer.measure(candidate("outside"));
  EXPECT_EQ(result.status, Status::Crashed);
  EXPECT_EQ(result.reason, "it writes outside");
  EXPECT_EQ(program.measured, 0);
}

TEST_F(ReplayMeasurerTest, WhereTheBaselineVariesTheProgramDecidesEachTime) {
  ReplayMeasurer measurer = replayed("atomic) result differs 'region 0x10' 8 ;; fast) result same '' 5 ;;");
  ASSERT_EQ(measurer.prepare(), "");
  const runner::Result baseline = measurer.measureBaseline([&] {
    Candidate varying = candidate("atomic");
    varying.configuration = {};
    return varying;
  }());
  EXPECT_EQ(baseline.status, Status::Measured);
  EXPECT_THAT(baseline.reason, HasSubstr("varies"));
  EXPECT_EQ(measurer.measure(candidate("fast")).status, Status::Measured);
  EXPECT_GT(program.measured, 0);
}

TEST_F(ReplayMeasurerTest, WhatCannotBeReplayedIsTimedInTheProgramOnTheSameScale) {
  ReplayMeasurer measurer = replayed("");
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  Candidate regrouped = candidate("regrouped");
  regrouped.replay = {std::nullopt, "its launch does more on the host", {}};
  const runner::Result result = measurer.measure(regrouped);
  EXPECT_EQ(result.status, Status::Measured);
  EXPECT_EQ(result.micros, 5); // half of the baseline's 10, as 500 is of 1000
  EXPECT_THAT(result.reason, HasSubstr("timed in the whole program"));
}

TEST_F(ReplayMeasurerTest, ASearchOfSecondsRefusesWhatCannotBeReplayed) {
  timesInProgram = false;
  ReplayMeasurer measurer = replayed("");
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  Candidate regrouped = candidate("regrouped");
  regrouped.replay = {std::nullopt, "its launch does more on the host", {}};
  const runner::Result result = measurer.measure(regrouped);
  EXPECT_EQ(result.status, Status::Refused);
  EXPECT_THAT(result.reason, HasSubstr("its launch does more on the host; --whole-program measures it"));
  EXPECT_EQ(program.measured, 0);
}

TEST_F(ReplayMeasurerTest, OtherBitsAreRightWhereWithoutFusedMultiplicationsTheyAreTheSame) {
  UnfusedMaker unfused;
  ReplayMeasurer measurer = replayed(R"(baseline-unfused) leave left ;;
    fast) result differs 'a: 4 bytes differ' 5 ;; fast-unfused) leave left ;;
    wrong) result differs 'a: 4 bytes differ' 4 ;; wrong-unfused) leave other ;;
    trap) result differs 'a: 4 bytes differ' 3 ;; trap-unfused) exit 4 ;;)");
  measurer.makeUnfusedBy(unfused);
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  const runner::Result fast = measurer.measure(candidate("fast"));
  EXPECT_EQ(fast.status, Status::Measured);
  EXPECT_EQ(fast.micros, 5);
  EXPECT_EQ(fast.reason, "not bit-identical: other multiply-adds are fused");
  EXPECT_EQ(program.measured, 0);
  // Others are still decided by the program.
  program.status = Status::Wrong;
  EXPECT_EQ(measurer.measure(candidate("wrong")).status, Status::Wrong);
  EXPECT_EQ(measurer.measure(candidate("trap")).status, Status::Wrong);
  EXPECT_GT(program.measured, 0);
}

TEST_F(ReplayMeasurerTest, WithoutFusedMultiplicationsBothMayBeAsCaptured) {
  UnfusedMaker unfused;
  ReplayMeasurer measurer = replayed(R"(baseline-unfused) result same '' '' ;;
    fast) result differs 'a: 4 bytes differ' 5 ;; fast-unfused) result same '' '' ;;)");
  measurer.makeUnfusedBy(unfused);
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  EXPECT_EQ(measurer.measure(candidate("fast")).status, Status::Measured);
  EXPECT_EQ(program.measured, 0);
}

TEST_F(ReplayMeasurerTest, TheCandidateAfterAFaultHasAWorkerOfItsOwn) {
  ReplayMeasurer measurer = replayed(
      R"(fault) echo '{"event":"result","id":"x","status":"failed","text":"an illegal address","fatal":true}'; sleep 0.2; exit 4 ;;
  fast) result same '' 5 ;;)");
  ASSERT_EQ(measurer.prepare(), "");
  measurer.measureBaseline(candidate("baseline"));
  const runner::Result fault = measurer.measure(candidate("fault"));
  EXPECT_EQ(fault.status, Status::Crashed);
  EXPECT_EQ(fault.reason, "an illegal address");
  EXPECT_EQ(measurer.measure(candidate("fast")).status, Status::Measured);
}

TEST_F(ReplayMeasurerTest, AWorkerThatCannotLoadTheCaptureSaysWhy) {
  ReplayMeasurer damaged(problem, {"sh", "-c", R"(echo '{"event":"error","text":"memory.bin is damaged"}')"},
                         whole, "scale", true);
  EXPECT_EQ(damaged.prepare(), "memory.bin is damaged");
  ReplayMeasurer missing(problem, {"/no/such/program"}, whole, "scale", true);
  EXPECT_THAT(missing.prepare(), HasSubstr("could not be started"));
}

} // namespace
