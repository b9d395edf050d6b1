// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Confirmation.h"

#include "EasyMaker.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::tune;
using runner::Status;
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
  std::map<std::string, double> times;
  std::map<std::string, std::map<std::string, double>>
      kernels; ///< time of one launch, of two, by configuration
};

struct ConfirmationTest : testing::Test {
  Problem problem;
  EasyMaker maker;
  Program program;
  Report report;

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
    confirmWinner(report, whole);
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
    confirmTogether(reports, whole);
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
