// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Executors.h"

#include "support/Paths.h"
#include "tune/Search.h"

#include <gmock/gmock.h>

namespace heddle::tune {
namespace {

using runner::Status;

/// Cannot make anything but the baseline, which fails the static check.
class PoorMaker final : public Maker {
public:
  Made make(const Configuration &configuration) override {
    made.push_back(configuration.str());
    if (!configuration.isBaseline())
      return {{}, Status::DoesNotCompile, "no such type", 0.5};
    Candidate candidate;
    candidate.configuration = configuration;
    candidate.digest = "baseline";
    return {candidate, Status::Measured, "", 0.25, "line 7: a race"};
  }
  std::vector<std::string> made;
};

class EasyMeasurer final : public Measurer {
public:
  explicit EasyMeasurer(bool isModel) : isModel(isModel) {}
  std::string device() const override { return "easy"; }
  bool predicts() const override { return isModel; }
  runner::Result measureBaseline(const Candidate &baseline) override { return measure(baseline); }
  runner::Result measure(const Candidate &) override {
    runner::Result result;
    result.status = Status::Measured;
    result.micros = 5;
    result.device = device();
    result.predicted = isModel;
    return result;
  }

private:
  bool isModel;
};

struct LocalExecutorTest : testing::TestWithParam<bool> {
  LocalExecutorTest() {
    problem.file = "saxpy.cu";
    Diagnostics diagnostics;
    space = Space::read({.flags = {"-a|-b"}}, diagnostics).value();
  }
  Report search(Cache *cache = nullptr) {
    EasyMeasurer measurer(GetParam());
    LocalExecutor executor(problem, maker, measurer);
    return Search(problem, space, {&executor, measurer.predicts(), measurer.device()}, cache, {}).run();
  }
  Problem problem;
  Space space;
  PoorMaker maker;
};

TEST_P(LocalExecutorTest, AResultSaysWhatMakingTookAndWhatTheStaticCheckHoldsAgainstTheBaseline) {
  Report report = search();
  ASSERT_EQ(report.entries.size(), 3u);
  EXPECT_EQ(report.baseline().evaluation.result.makeSeconds, 0.25);
  EXPECT_EQ(report.entries[1].evaluation.result.makeSeconds, 0.5);
  EXPECT_EQ(
      report.warning(),
      "the baseline fails the static check: line 7: a race; candidates are compared by running them alone");
}

TEST_P(LocalExecutorTest, WhatCannotBeMadeIsNotTriedAgainByASearchThatIsResumed) {
  TemporaryFolder folder;
  std::string error;
  {
    auto cache = Cache::open(folder.path() / "cache", problem, error);
    search(cache.get());
  }
  EXPECT_THAT(maker.made, testing::ElementsAre("baseline", "-a", "-b"));
  auto cache = Cache::open(folder.path() / "cache", problem, error);
  Report again = search(cache.get());
  EXPECT_EQ(maker.made.size(), 3u) << "everything was known";
  EXPECT_EQ(again.entries.size(), 3u);
  EXPECT_NE(again.warning(), "") << "what was held against the baseline is kept too";
}

INSTANTIATE_TEST_SUITE_P(MeasuredAndPredicted, LocalExecutorTest, testing::Bool());

} // namespace
} // namespace heddle::tune
