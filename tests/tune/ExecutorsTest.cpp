// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Executors.h"

#include "EasyMaker.h"
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
  EXPECT_EQ(report.warning(), "the baseline fails the static check: line 7: a race; candidates are compared "
                              "only by running them, not statically");
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

/// Makes candidates that are over when the test says so.
class SlowMaker final : public EasyMaker {
public:
  std::unique_ptr<Making> begin(const Configuration &configuration) override {
    begun.push_back(configuration.str());
    return std::make_unique<SlowMaking>(*this, configuration);
  }
  std::vector<std::string> begun;
  std::function<bool(const std::string &)> isOver = [](const std::string &) { return true; };
  size_t atWork = 0, mostAtWork = 0;

private:
  class SlowMaking final : public Making {
  public:
    SlowMaking(SlowMaker &maker, const Configuration &configuration)
        : maker(maker), configuration(configuration) {
      maker.mostAtWork = std::max(maker.mostAtWork, ++maker.atWork);
    }
    ~SlowMaking() override { --maker.atWork; }
    bool isOver() override { return maker.isOver(configuration.str()); }
    Made made() override { return maker.make(configuration); }

  private:
    SlowMaker &maker;
    Configuration configuration;
  };
};

struct MakingAheadTest : testing::Test {
  /// The candidates in the order in which they are heard of.
  std::vector<std::string> heard(bool isModel, unsigned jobs, size_t most = 100) {
    EasyMeasurer measurer(isModel);
    LocalExecutor executor(problem, maker, measurer, jobs);
    if (isEnough)
      executor.stopWhen(isEnough);
    std::vector<Configuration> wanted(4);
    for (size_t i = 0; i < wanted.size(); ++i)
      wanted[i].flags = {"-" + std::to_string(i)};
    std::vector<std::string> names;
    executor.evaluate(wanted, [&](const Evaluation &evaluation) {
      names.push_back(evaluation.configuration.str());
      return names.size() < most;
    });
    return names;
  }
  Problem problem;
  SlowMaker maker;
  std::function<bool()> isEnough;
};

using testing::ElementsAre;

TEST_F(MakingAheadTest, PredictionsComeInTheOrderOfTheListWhateverIsMadeFirst) {
  size_t asked = 0;
  maker.isOver = [&](const std::string &name) { return name != "-0" || ++asked > 5; };
  EXPECT_THAT(heard(true, 4), ElementsAre("-0", "-1", "-2", "-3"));
  EXPECT_THAT(maker.begun, ElementsAre("-0", "-1", "-2", "-3"));
}

TEST_F(MakingAheadTest, WhereAClockIsReadWhatIsMadeFirstIsMeasuredFirst) {
  size_t asked = 0;
  maker.isOver = [&](const std::string &name) { return name != "-0" || ++asked > 20; };
  EXPECT_THAT(heard(false, 4), ElementsAre("-1", "-2", "-3", "-0"));
}

TEST_F(MakingAheadTest, NoMoreAreAtWorkThanThereAreJobs) {
  size_t asked = 0;
  maker.isOver = [&](const std::string &) { return ++asked % 7 == 0; };
  EXPECT_EQ(heard(true, 2).size(), 4u);
  EXPECT_LE(maker.mostAtWork, 8u); // two at work, and some that are made and wait
  maker.mostAtWork = 0;
  maker.isOver = [&](const std::string &name) { return name == "-0" || ++asked > 200; };
  heard(true, 1);
  EXPECT_LE(maker.mostAtWork, 4u);
}

TEST_F(MakingAheadTest, WhatIsAtWorkIsGivenUpAfterTheLastThatWasWanted) {
  EXPECT_THAT(heard(true, 4, 2), ElementsAre("-0", "-1"));
  EXPECT_EQ(maker.atWork, 0u);
}

TEST_F(MakingAheadTest, NothingWaitsForACandidateAfterTheEndOfTheBudget) {
  maker.isOver = [](const std::string &name) { return name == "-0"; }; // the others never
  int looks = 0;
  isEnough = [&] { return ++looks > 10; };
  EXPECT_THAT(heard(true, 2), ElementsAre("-0"));
  EXPECT_EQ(maker.atWork, 0u);
}

TEST_F(MakingAheadTest, AnExecutorCanBeUsedAfterASearchWhoseTimeIsOver) {
  EasyMeasurer measurer(false);
  LocalExecutor executor(problem, maker, measurer, 2);
  Diagnostics diagnostics;
  const Space space = Space::read({.flags = {"-a|-b"}}, diagnostics).value();
  SearchOptions options;
  options.budget.seconds = 1e-9;
  Search(problem, space, {&executor, false, measurer.device()}, nullptr, options).run();
  Configuration later;
  later.flags = {"-later"};
  size_t count = 0;
  executor.evaluate({later}, [&](const Evaluation &) { return ++count > 0; });
  EXPECT_EQ(count, 1u);
}

/// Asks for one after the other, each when something new is known or there is nothing at work.
struct AskedTest : MakingAheadTest {
  std::vector<std::string> heardWhen(bool isModel, unsigned jobs, size_t all) {
    EasyMeasurer measurer(isModel);
    LocalExecutor executor(problem, maker, measurer, jobs);
    size_t next = 0;
    std::vector<std::string> names;
    executor.evaluateAll(
        [&]() -> std::vector<Configuration> {
          if (next == all)
            return {};
          mostAhead = std::max(mostAhead, next + 1 - names.size());
          Configuration configuration;
          configuration.flags = {"-" + std::to_string(next++)};
          return {configuration};
        },
        [&](const Evaluation &evaluation) {
          names.push_back(evaluation.configuration.str());
          return true;
        });
    return names;
  }
  size_t mostAhead = 0; ///< asked for and not heard of
};

TEST_F(AskedTest, OthersAreMadeBeforeOneIsHeardOf) {
  size_t asked = 0;
  maker.isOver = [&](const std::string &name) { return name != "-0" || ++asked > 20; };
  EXPECT_THAT(heardWhen(false, 2, 5), ElementsAre("-1", "-2", "-3", "-4", "-0"));
  EXPECT_GE(mostAhead, 2u);
  EXPECT_LE(mostAhead, 5u) << "two for each job, and the one that is being measured";
}

TEST_F(AskedTest, AModelIsAskedForOneAfterTheOther) {
  EXPECT_THAT(heardWhen(true, 4, 3), ElementsAre("-0", "-1", "-2"));
  EXPECT_EQ(mostAhead, 1u);
}

TEST(FullDisk, LosesCandidatesUntilTheSearchIsResumed) {
  Problem problem;
  PoorMaker maker;
  EasyMeasurer measurer(false);
  Diagnostics diagnostics;
  const Space space = Space::read({.flags = {"-a|-b"}}, diagnostics).value();
  TemporaryFolder folder;
  std::string error;
  auto cache = Cache::open(folder.path() / "cache", problem, error);
  bool isFull = true;
  auto search = [&] {
    LocalExecutor executor(problem, maker, measurer);
    executor.askWhetherDiskIsFull([&] { return isFull; });
    return Search(problem, space, {&executor, false, measurer.device()}, cache.get(), {}).run();
  };
  auto countOf = [](const Report &report, runner::Status status) {
    return std::ranges::count_if(report.entries,
                                 [&](const auto &entry) { return entry.evaluation.result.status == status; });
  };
  const Report full = search();
  EXPECT_EQ(countOf(full, runner::Status::DoesNotCompile), 0);
  ASSERT_GT(countOf(full, runner::Status::Lost), 0);
  for (const Report::Entry &entry : full.entries)
    if (entry.evaluation.result.status == runner::Status::Lost)
      EXPECT_THAT(entry.evaluation.result.reason, testing::HasSubstr("the disk of temporary files is full"));
  isFull = false;
  const Report resumed = search();
  EXPECT_EQ(countOf(resumed, runner::Status::Lost), 0);
  EXPECT_EQ(countOf(resumed, runner::Status::DoesNotCompile), 2) << "what is bad on an empty disk";
}

INSTANTIATE_TEST_SUITE_P(MeasuredAndPredicted, LocalExecutorTest, testing::Bool());

} // namespace
} // namespace heddle::tune
