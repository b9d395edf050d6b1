// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Crews.h"

#include "support/Paths.h"
#include "tune/Search.h"

#include <gmock/gmock.h>

namespace heddle::tune {
namespace {

using runner::Status;

/// Cannot make anything but the original, which fails the static check.
class PoorMaker final : public Maker {
public:
  Made make(const Recipe &recipe) override {
    made.push_back(recipe.str());
    if (!recipe.isOriginal())
      return {{}, Status::DoesNotCompile, "no such type", 0.5};
    Candidate candidate;
    candidate.recipe = recipe;
    candidate.digest = "original";
    return {candidate, Status::Measured, "", 0.25, "line 7: a race"};
  }
  std::vector<std::string> made;
};

class EasyMeasurer final : public Measurer {
public:
  explicit EasyMeasurer(bool isModel) : isModel(isModel) {}
  std::string device() const override { return "easy"; }
  bool predicts() const override { return isModel; }
  runner::Result measureOriginal(const Candidate &original) override { return measure(original); }
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

struct LocalCrewTest : testing::TestWithParam<bool> {
  LocalCrewTest() {
    problem.file = "saxpy.cu";
    Diagnostics diagnostics;
    space = Space::read({.flags = {"-a|-b"}}, diagnostics).value();
  }
  Report search(Cache *cache = nullptr) {
    EasyMeasurer measurer(GetParam());
    LocalCrew crew(problem, maker, measurer);
    return Search(problem, space, {&crew, measurer.predicts(), measurer.device()}, cache, {}).run();
  }
  Problem problem;
  Space space;
  PoorMaker maker;
};

TEST_P(LocalCrewTest, AResultSaysWhatMakingTookAndWhatTheStaticCheckHoldsAgainstTheOriginal) {
  Report report = search();
  ASSERT_EQ(report.entries.size(), 3u);
  EXPECT_EQ(report.original().evaluation.result.makeSeconds, 0.25);
  EXPECT_EQ(report.entries[1].evaluation.result.makeSeconds, 0.5);
  EXPECT_EQ(report.warning(), "the original fails the static check: line 7: a race; "
                              "candidates are judged by running them alone");
}

TEST_P(LocalCrewTest, WhatCannotBeMadeIsNotTriedAgainByASearchThatIsResumed) {
  TemporaryFolder folder;
  std::string error;
  {
    auto cache = Cache::open(folder.path() / "cache", problem, error);
    search(cache.get());
  }
  EXPECT_THAT(maker.made, testing::ElementsAre("original", "-a", "-b"));
  auto cache = Cache::open(folder.path() / "cache", problem, error);
  Report again = search(cache.get());
  EXPECT_EQ(maker.made.size(), 3u) << "everything was known";
  EXPECT_EQ(again.entries.size(), 3u);
  EXPECT_NE(again.warning(), "") << "what was held against the original is kept too";
}

INSTANTIATE_TEST_SUITE_P(MeasuredAndPredicted, LocalCrewTest, testing::Bool());

} // namespace
} // namespace heddle::tune
