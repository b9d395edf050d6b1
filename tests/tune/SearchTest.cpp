// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Search.h"

#include "support/Paths.h"
#include "tune/Executors.h"
#include "tune/Formats.h"
#include "tune/Strategy.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <set>

using namespace heddle;
using namespace heddle::tune;
using runner::Status;

namespace {

/// Knows what comes of each configuration without making it.
class FakeExecutor final : public Executor {
public:
  explicit FakeExecutor(const Problem &problem) : problem(problem) {}
  void evaluate(const std::vector<Configuration> &configurations, const Heard &heard) override {
    for (const Configuration &configuration : configurations) {
      asked.push_back(configuration.str());
      Evaluation made{configuration, {}, {}, {}};
      made.result.id = problem.idOf(configuration);
      made.result.device = "fake";
      made.result.when = "2026-01-01T00:00:00Z";
      made.result.makeSeconds = 0.5;
      auto known = special.find(configuration.str());
      made.result.status = known == special.end() ? Status::Measured : known->second;
      made.result.reason = known == special.end() ? "" : "because";
      const bool isTwo = configuration.str().find("x=2") != std::string::npos; // no ties
      made.result.micros = 100 - double(configuration.str().size()) - isTwo;
      if (areTied && !configuration.isBaseline())
        made.result.micros = 50;
      made.result.q1 = made.result.micros - (configuration.isBaseline() ? spreadOfBaseline : spread) / 2;
      made.result.q3 = made.result.q1 + (configuration.isBaseline() ? spreadOfBaseline : spread);
      if (!heard(made))
        return;
    }
  }
  std::vector<std::string> asked;
  std::map<std::string, Status> special;
  bool areTied = false;                    ///< all but the baseline
  double spread = 0, spreadOfBaseline = 0; ///< between the quartiles

private:
  const Problem &problem;
};

struct SearchTest : testing::Test {
  TemporaryFolder folder;
  Problem problem;
  std::string error;
  SearchOptions options;
  Space space;

  SearchTest() {
    problem.file = "saxpy.cu";
    problem.text = "int main() {}";
    Diagnostics diagnostics;
    space = Space::read({.directives = {"coarsen x=1|2|4 map=interleaved|blocked"}}, diagnostics).value();
  }
  Report run(FakeExecutor &executor, Cache *cache = nullptr) {
    return Search(problem, space, {&executor, false, "fake"}, cache, options).run();
  }
  std::unique_ptr<Cache> cache() { return Cache::open(folder.path() / "cache", problem, error); }
};

TEST_F(SearchTest, TheBaselineComesFirstAndNothingIsAskedTwice) {
  FakeExecutor executor(problem);
  Report report = run(executor);
  EXPECT_THAT(executor.asked,
              testing::ElementsAre("baseline", "coarsen x=2 map=interleaved", "coarsen x=2 map=blocked",
                                   "coarsen x=4 map=interleaved", "coarsen x=4 map=blocked"));
  EXPECT_EQ(report.winner()->evaluation.configuration.str(), "coarsen x=2 map=interleaved");
  EXPECT_EQ(report.spaceSize, 5u);
}

TEST_F(SearchTest, WhatFailsNeverWinsAndTheSearchGoesOn) {
  FakeExecutor executor(problem);
  executor.special = {{"coarsen x=2 map=interleaved", Status::TimedOut},
                      {"coarsen x=4 map=interleaved", Status::Wrong},
                      {"coarsen x=2 map=blocked", Status::Crashed}};
  Report report = run(executor);
  EXPECT_EQ(report.entries.size(), 5u);
  EXPECT_EQ(report.winner()->evaluation.configuration.str(), "coarsen x=4 map=blocked");
}

TEST_F(SearchTest, WhereNothingIsFasterTheBaselineWins) {
  FakeExecutor executor(problem);
  for (const char *configuration : {"coarsen x=2 map=interleaved", "coarsen x=2 map=blocked",
                                    "coarsen x=4 map=interleaved", "coarsen x=4 map=blocked"})
    executor.special[configuration] = Status::Refused;
  Report report = run(executor);
  EXPECT_EQ(report.winner(), &report.entries.front());
  EXPECT_EQ(report.speedup(), 1);
}

TEST_F(SearchTest, NothingWaitsForTheModel) {
  for (const bool hasBudget : {false, true}) {
    FakeExecutor clock(problem), model(problem);
    size_t measuredBefore = 0;
    // Called at the first result of the model.
    struct Asked final : Executor {
      void evaluate(const std::vector<Configuration> &configurations, const Heard &heard) override {
        whenAsked();
        model->evaluate(configurations, heard);
      }
      std::function<void()> whenAsked;
      FakeExecutor *model = nullptr;
    } asked;
    asked.model = &model;
    asked.whenAsked = [&] { measuredBefore = clock.asked.size(); };
    options.strategy = "guided";
    options.predictor = Evaluator{&asked, true, "model"};
    options.budget.runs = hasBudget ? std::optional<uint64_t>(5) : std::nullopt;
    const Report report = run(clock);
    // A budget of runs is for what the model finds best.
    EXPECT_EQ(measuredBefore, hasBudget ? 1u : 1 + firstGuesses(space).size());
    EXPECT_EQ(model.asked.size(), 5u);
    std::set<std::string> different(clock.asked.begin(), clock.asked.end());
    EXPECT_EQ(different.size(), clock.asked.size()) << "nothing is measured twice";
    EXPECT_EQ(report.winner()->evaluation.configuration.str(), "coarsen x=2 map=interleaved");
  }
}

TEST_F(SearchTest, OfEqualOnesTheOneThatChangesLessWins) {
  Diagnostics diagnostics;
  space = Space::read({.defines = {"UNROLL=16|"}, .flags = {"-maxrregcount=16|"}}, diagnostics).value();
  FakeExecutor executor(problem);
  executor.areTied = true;
  const Report report = run(executor);
  EXPECT_EQ(executor.asked[1], "-DUNROLL=16 -maxrregcount=16");
  EXPECT_EQ(report.winner()->evaluation.configuration.changes(), 1u);
}

TEST_F(SearchTest, AGainWithinTheSpreadIsNone) {
  // "baseline" has 92, the fastest 72.
  for (double spread : {0.0, 15.0, 25.0})
    for (double spreadOfBaseline : {0.0, 15.0, 25.0}) {
      FakeExecutor executor(problem);
      executor.spread = spread;
      executor.spreadOfBaseline = spreadOfBaseline;
      const Report report = run(executor);
      const std::string winner = report.winner()->evaluation.configuration.str();
      EXPECT_EQ(winner, std::max(spread, spreadOfBaseline) > 20 ? "baseline" : "coarsen x=2 map=interleaved")
          << spread << " " << spreadOfBaseline;
    }
}

TEST_F(SearchTest, ASearchThatIsStoppedHasWhatWasKnownBefore) {
  for (const char *strategy : {"auto", "exhaustive"}) {
    FakeExecutor executor(problem);
    options.strategy = strategy;
    options.isStopped = [&] { return executor.asked.size() > 2; };
    std::unique_ptr<Cache> file = Cache::open(folder.path() / strategy, problem, error);
    const Report report = run(executor, file.get());
    EXPECT_EQ(report.entries.size(), 2u) << "the third may have failed because it was stopped";
    EXPECT_EQ(file->all().size(), 2u);
    EXPECT_TRUE(report.winner());
  }
}

TEST_F(SearchTest, ABaselineThatFailsEndsIt) {
  FakeExecutor executor(problem);
  executor.special = {{"baseline", Status::Crashed}};
  Report report = run(executor);
  EXPECT_EQ(report.entries.size(), 1u);
  EXPECT_FALSE(report.winner());
}

TEST_F(SearchTest, ABudgetOfRunsCountsThoseThatWereRun) {
  FakeExecutor executor(problem);
  executor.special = {{"coarsen x=2 map=interleaved", Status::Refused}};
  options.budget.runs = 3;
  Report report = run(executor);
  EXPECT_EQ(report.entries.size(), 4u) << "the refused one cost nothing";
}

TEST_F(SearchTest, ASearchThatWasStoppedGoesOnWhereItWas) {
  FakeExecutor first(problem), second(problem);
  options.budget.runs = 3;
  {
    std::unique_ptr<Cache> file = cache();
    run(first, file.get());
  }
  options.budget.runs.reset();
  std::unique_ptr<Cache> file = cache();
  ASSERT_TRUE(file) << error;
  Report report = run(second, file.get());
  EXPECT_EQ(report.fromCache, 3u);
  EXPECT_EQ(report.entries.size(), 5u);
  EXPECT_THAT(second.asked, testing::ElementsAre("coarsen x=4 map=interleaved", "coarsen x=4 map=blocked"));
  std::set<std::string> ids;
  for (const Kept &kept : file->all())
    EXPECT_TRUE(ids.insert(kept.result.id).second) << kept.configuration << " was measured twice";
}

TEST_F(SearchTest, EveryStrategyFindsTheSameBestOfASmallSpace) {
  for (const std::string &name : strategyNames()) {
    FakeExecutor executor(problem);
    options.strategy = name;
    EXPECT_EQ(run(executor).winner()->evaluation.configuration.str(), "coarsen x=2 map=interleaved") << name;
  }
}

TEST_F(SearchTest, APlanHoldsWhatIsNotKnownYetAndNeverTheBaseline) {
  FakeExecutor executor(problem);
  options.budget.runs = 3;
  std::unique_ptr<Cache> file = cache();
  run(executor, file.get());
  auto planned = [&](std::optional<uint64_t> runs) {
    options.budget.runs = runs;
    std::vector<std::string> words;
    for (const Configuration &configuration :
         Search(problem, space, {nullptr, false, ""}, file.get(), options).plan())
      words.push_back(configuration.str());
    return words;
  };
  EXPECT_THAT(planned({}), testing::ElementsAre("coarsen x=4 map=interleaved", "coarsen x=4 map=blocked"));
  EXPECT_THAT(planned(2), testing::ElementsAre("coarsen x=4 map=interleaved"));
}

TEST_F(SearchTest, AStrategyThatNeedsAnswersPlansOneRound) {
  options.strategy = "genetic";
  Diagnostics diagnostics;
  space = Space::read({.directives = {"coarsen x=1|2|4|8|16|32 y=1|2|4|8|16|32"}}, diagnostics).value();
  EXPECT_LE(Search(problem, space, {nullptr, false, ""}, nullptr, options).plan().size(), 12u);
}

TEST_F(SearchTest, RecordedResultsReplaceMeasuring) {
  FakeExecutor executor(problem);
  {
    std::unique_ptr<Cache> file = cache();
    run(executor, file.get());
  }
  RecordedExecutor recorded(*readKept(folder.path() / "cache"), problem);
  EXPECT_FALSE(recorded.predicts());
  EXPECT_EQ(recorded.device(), "fake");
  options.strategy = "random";
  Report report = Search(problem, space, {&recorded, false, recorded.device()}, nullptr, options).run();
  EXPECT_EQ(report.winner()->evaluation.configuration.str(), "coarsen x=2 map=interleaved");
}

TEST_F(SearchTest, T4HasTheFieldsThatTheSchemaRequires) {
  FakeExecutor executor(problem);
  executor.special = {{"coarsen x=2 map=interleaved", Status::TimedOut},
                      {"coarsen x=2 map=blocked", Status::Refused},
                      {"coarsen x=4 map=interleaved", Status::Wrong}};
  nlohmann::json json = nlohmann::json::parse(t4Json(run(executor)));
  EXPECT_EQ(json["schema_version"], "1.0.0");
  ASSERT_EQ(json["results"].size(), 5u);
  std::vector<std::string> invalidity;
  for (const nlohmann::json &result : json["results"]) {
    EXPECT_TRUE(result["configuration"].is_object());
    EXPECT_TRUE(result["times"].is_object());
    EXPECT_TRUE(result["times"]["compilation_time"].is_number());
    EXPECT_TRUE(result["times"]["runtimes"].is_array());
    EXPECT_TRUE(result["correctness"].is_number());
    invalidity.push_back(result["invalidity"]);
  }
  EXPECT_THAT(invalidity,
              testing::ElementsAre("correct", "timeout", "constraints", "correctness", "correct"));
  double deciding = 0;
  for (const nlohmann::json &result : json["results"]) {
    EXPECT_EQ(result["times"]["framework"], 500) << "milliseconds, for making it";
    deciding += result["times"]["search_algorithm"].get<double>();
  }
  EXPECT_GT(deciding, 0);
  EXPECT_EQ(json["results"][0]["times"]["search_algorithm"], 0) << "nobody has to choose the baseline";
  EXPECT_EQ(json["results"][1]["configuration"]["coarsen.x"], 2);
  EXPECT_EQ(json["results"][0]["configuration"]["coarsen.x"], 1) << "the baseline is a point of this space";
}

TEST_F(SearchTest, T1NamesEveryParameterWithItsValues) {
  FakeExecutor executor(problem);
  nlohmann::json json = nlohmann::json::parse(t1Json(run(executor), problem, *readBudget("120s")));
  const nlohmann::json &parameters = json["ConfigurationSpace"]["TuningParameters"];
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[0]["Name"], "coarsen.x");
  EXPECT_EQ(parameters[0]["Type"], "uint");
  EXPECT_EQ(parameters[0]["Values"], "[1, 2, 4]");
  EXPECT_EQ(parameters[1]["Values"], "['interleaved', 'blocked']");
  for (const char *field : {"Language", "KernelName", "KernelFile", "GlobalSize", "LocalSize"})
    EXPECT_TRUE(json["KernelSpecification"].contains(field)) << field;
  EXPECT_EQ(json["Budget"][0]["Type"], "TuningDuration");
}

TEST(Budget, IsTimeOrRuns) {
  EXPECT_EQ(readBudget("120s")->seconds, 120);
  EXPECT_EQ(readBudget("5m")->seconds, 300);
  EXPECT_EQ(readBudget("1.5h")->seconds, 5400);
  EXPECT_EQ(readBudget("50")->runs, 50u);
  for (const char *text : {"", "0", "-3", "much", "5 days", "1.5"})
    EXPECT_FALSE(readBudget(text)) << text;
}

} // namespace
