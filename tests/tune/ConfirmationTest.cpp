// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Confirmation.h"

#include "EasyMaker.h"

#include <gmock/gmock.h>

#include <set>

using namespace heddle;
using namespace heddle::tune;
using runner::Status;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Times of the whole program by configuration; negative: wrong results.
class Program final : public Measurer {
public:
  std::string device() const override { return "GPU"; }
  bool predicts() const override { return false; }
  runner::Result measureBaseline(const Candidate &baseline) override { return measure(baseline); }
  runner::Result measure(const Candidate &candidate) override {
    runner::Result result;
    ran.push_back(candidate.configuration.str());
    result.micros = times.at(candidate.configuration.str());
    result.status = result.micros > 0 ? Status::Measured : Status::Wrong;
    result.reason = result.micros > 0 ? "" : "copy 1 differs";
    for (const auto &[kernel, micros] : kernels[candidate.configuration.str()]) {
      result.kernels.emplace_back();
      result.kernels.back().kernel = kernel;
      result.kernels.back().launches = 2;
      result.kernels.back().micros = micros;
    }
    return result;
  }
  void beginToPrepare(const Candidate &candidate) override {
    compiled.push_back(candidate.configuration.str());
  }

  std::vector<std::string> ran, compiled;
  std::map<std::string, double> times;
  std::map<std::string, std::map<std::string, double>>
      kernels; ///< time of one launch, of two, by configuration
};

/// A maker whose static check finds something in some. Every making takes as many looks as the test says.
class CheckingMaker final : public EasyMaker {
public:
  Made make(const Configuration &configuration) override {
    Made made = EasyMaker::make(configuration);
    made.candidate->id = configuration.str();
    if (fails.contains(configuration.str()))
      made = {{}, Status::FailsCheck, "line 7: a race", 0, ""};
    return made;
  }
  std::unique_ptr<Making> begin(const Configuration &configuration) override {
    begun.push_back(configuration.str());
    return std::make_unique<LateMaking>(make(configuration), looks);
  }
  std::set<std::string> fails;
  std::vector<std::string> begun;
  int looks = 0;

private:
  class LateMaking final : public Making {
  public:
    LateMaking(Made made, int looks) : result(std::move(made)), looks(looks) {}
    bool isOver() override { return looks-- <= 0; }
    Made made() override { return result; }

  private:
    Made result;
    int looks;
  };
};

struct ConfirmationTest : testing::Test {
  Problem problem;
  CheckingMaker maker;
  Program program;
  Report report;
  bool isLate = false;

  /// A candidate with the time of its replayed launch and of the whole program.
  void add(const std::string &flag, double launch, double all) {
    Report::Entry entry;
    if (!flag.empty())
      entry.evaluation.configuration.flags = {flag};
    entry.evaluation.result.status = Status::Measured;
    entry.evaluation.result.micros = launch;
    program.times[entry.evaluation.configuration.str()] = all;
    report.entries.push_back(entry);
    if (!report.best || launch < report.entries[*report.best].evaluation.result.micros)
      report.best = report.entries.size() - 1;
  }
  void confirm() {
    LocalExecutor whole(problem, maker, program);
    Confirmation confirmation(whole);
    if (isLate)
      confirmation.stopWhen([] { return true; });
    confirmation.confirm(report);
  }
};

TEST_F(ConfirmationTest, AWinnerThatHoldsIsKeptWithBothTimes) {
  add("", 10, 1000);
  add("-a", 8, 900);
  add("-b", 5, 700);
  confirm();
  EXPECT_EQ(report.best, 2u);
  EXPECT_EQ(report.wholeProgram, std::pair(1000.0, 700.0));
}

TEST_F(ConfirmationTest, OneThatMakesTheProgramSlowerGivesWayToTheNext) {
  add("", 10, 1000);
  add("-a", 8, 900);
  add("-b", 5, 1001);
  confirm();
  EXPECT_EQ(report.best, 1u);
  EXPECT_THAT(report.entries[2].whyNotChosen, HasSubstr("in the whole program its launches take 1001.0 us"));
}

TEST_F(ConfirmationTest, OneThatHelpsOneInstantiationAndHurtsAnotherSaysWhich) {
  add("", 10, 1000);
  add("-b", 5, 1020);
  program.kernels["baseline"] = {{"_Z4scanILi1EEvPi", 10}, {"_Z4scanILi8EEvPi", 30}, {"_Z4fillPi", 1}};
  program.kernels["-b"] = {{"_Z4scanILi1EEvPii", 5}, {"_Z4scanILi8EEvPii", 45}, {"_Z4fillPi", 1}};
  confirm();
  EXPECT_EQ(report.best, 0u);
  EXPECT_THAT(report.entries[1].whyNotChosen,
              HasSubstr("1000.0 us: 'scan<1>' takes 10.0 us instead of 20.0 us, but 'scan<8>' takes 90.0 us "
                        "instead of 60.0 us"));
}

TEST_F(ConfirmationTest, WrongResultsInTheProgramNeverWin) {
  add("", 10, 1000);
  add("-b", 5, -1);
  confirm();
  EXPECT_EQ(report.best, 0u);
  EXPECT_FALSE(report.wholeProgram);
  EXPECT_THAT(report.entries[1].whyNotChosen, HasSubstr("copy 1 differs"));
}

TEST_F(ConfirmationTest, OneWithTheSameBitsIsPreferredToOneThatIsHardlyFaster) {
  add("", 100, 1000);
  add("-same", 80.4, 804);
  add("-fused", 80.0, 800);
  report.entries.back().evaluation.result.reason = "other bits";
  confirm();
  EXPECT_EQ(report.winner()->evaluation.configuration.str(), "-same");
}

TEST_F(ConfirmationTest, OneWithOtherBitsThatIsFasterWins) {
  add("", 100, 1000);
  add("-same", 90, 900);
  add("-fused", 80.0, 800);
  report.entries.back().evaluation.result.reason = "other bits";
  confirm();
  EXPECT_EQ(report.winner()->evaluation.configuration.str(), "-fused");
}

TEST_F(ConfirmationTest, WhereTheBaselineWonNothingIsRun) {
  add("", 10, 1000);
  add("-a", 12, 1);
  program.times.clear(); // asking for a time would throw
  confirm();
  EXPECT_EQ(report.best, 0u);
}

TEST_F(ConfirmationTest, ACandidateWithinTheSpreadIsNotTried) {
  add("", 10, 1000);
  add("-a", 9, 500);
  add("-b", 5, 1200);
  report.entries[0].evaluation.result.q1 = 9;
  report.entries[0].evaluation.result.q3 = 11;
  confirm();
  EXPECT_EQ(report.best, 0u) << "'-a' may be as fast by chance";
}

TEST_F(ConfirmationTest, OneThatFailsTheStaticCheckNeverWinsAndCostsNoRun) {
  add("", 10, 1000);
  add("-a", 8, 900);
  for (const char *racy : {"-b", "-c", "-d", "-e"}) {
    add(racy, 5, 700);
    maker.fails.insert(racy);
  }
  confirm();
  EXPECT_EQ(report.best, 1u) << "more than are tried by running them";
  EXPECT_EQ(report.entries[2].evaluation.result.status, Status::FailsCheck);
  EXPECT_EQ(report.entries[2].whyNotChosen, "fails check: line 7: a race");
  EXPECT_THAT(program.ran, ElementsAre("baseline", "-a"));
}

TEST_F(ConfirmationTest, WhatIsBestIsMadeAndCompiledWhileTheSearchGoesOn) {
  add("", 10, 1000);
  maker.looks = 2;
  maker.fails = {"-b"};
  LocalExecutor whole(problem, maker, program);
  Confirmation confirmation(whole, 16);
  confirmation.follow(report);
  EXPECT_THAT(maker.begun, ElementsAre("baseline")) << "others are checked by what it passes";
  add("-a", 8, 900);
  add("-b", 5, 700);
  for (int i = 0; i < 20; ++i)
    confirmation.follow(report);
  EXPECT_THAT(maker.begun, ElementsAre("baseline", "-b", "-a"));
  EXPECT_THAT(program.compiled, ElementsAre("baseline", "-a")) << "not one that fails the check";
  for (const char *better : {"-c", "-d", "-e"})
    add(better, 4, 600);
  for (int i = 0; i < 20; ++i)
    confirmation.goOn();
  EXPECT_EQ(maker.begun.size(), 3u) << "no result was heard since";
  for (int i = 0; i < 20; ++i)
    confirmation.follow(report);
  EXPECT_THAT(maker.begun, ElementsAre("baseline", "-b", "-a", "-c", "-d", "-e"));
  EXPECT_THAT(program.ran, ElementsAre()) << "the GPU is the search's";
  confirmation.confirm(report);
  EXPECT_EQ(maker.begun.size(), 6u) << "nothing is made again";
  EXPECT_THAT(program.ran, ElementsAre("baseline", "-c"));
  EXPECT_EQ(report.best, 3u);
}

TEST_F(ConfirmationTest, OneAtATimeIsMadeWhereProcessorsAreFew) {
  add("", 10, 1000);
  add("-a", 8, 900);
  add("-b", 5, 700);
  maker.looks = 3;
  LocalExecutor whole(problem, maker, program);
  Confirmation confirmation(whole, 2);
  while (maker.begun.size() < 2)
    confirmation.follow(report);
  EXPECT_THAT(maker.begun, ElementsAre("baseline", "-b"));
}

TEST_F(ConfirmationTest, AfterTheBudgetOnlyTheFirstIsRun) {
  add("", 10, 1000);
  add("-a", 8, 900);
  add("-b", 5, 1001);
  isLate = true;
  confirm();
  EXPECT_EQ(report.best, 0u);
  EXPECT_THAT(program.ran, ElementsAre("baseline", "-b"));
  EXPECT_THAT(report.entries[1].whyNotChosen, HasSubstr("the budget is used up"));
}

/// Two kernels, each with a winner; times of the whole program are by configuration.
struct TogetherTest : ConfirmationTest {
  std::vector<Report> reports{2};

  TogetherTest() {
    for (size_t i = 0; i < 2; ++i) {
      report = {};
      add("", 10, 1000);
      add(i == 0 ? "-a" : "-b", 5, 900);
      reports[i] = report;
    }
  }
  void confirmAll() {
    LocalExecutor whole(problem, maker, program);
    Confirmation confirmation(whole);
    for (Report &each : reports)
      confirmation.confirm(each);
    reports[0].chosen = confirmation.chosen();
    reports[0].wholeProgram = confirmation.times();
  }
};

TEST_F(TogetherTest, WinnersThatHelpTogetherAreChosenTogether) {
  program.times["-a -b"] = 800;
  confirmAll();
  EXPECT_EQ(reports[0].chosen->str(), "-a -b");
  EXPECT_EQ(reports[0].wholeProgram, std::make_pair(1000.0, 800.0));
  EXPECT_EQ(reports[1].best, 1u);
}

TEST_F(TogetherTest, OneThatHurtsBesideTheOtherIsLeftOut) {
  program.times["-a -b"] = 950;
  confirmAll();
  EXPECT_EQ(reports[0].chosen->str(), "-a");
  EXPECT_EQ(reports[0].wholeProgram, std::make_pair(1000.0, 900.0));
  EXPECT_EQ(reports[1].best, 0u);
  EXPECT_THAT(reports[1].entries[1].whyNotChosen, HasSubstr("950.0 us, the baseline's 900.0 us"));
}

TEST_F(TogetherTest, WhereTheFirstDoesNotHoldTheSecondIsByItself) {
  program.times["-a"] = -1;
  confirmAll();
  EXPECT_EQ(reports[0].chosen->str(), "-b");
  EXPECT_EQ(reports[0].best, 0u);
}

} // namespace
