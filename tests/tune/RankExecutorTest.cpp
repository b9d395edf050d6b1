// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/RankExecutor.h"

#include <gmock/gmock.h>

namespace heddle::tune {
namespace {

using runner::Status;

/// Makes anything; what is measured is the length of the configuration's words.
class WordMaker final : public Maker {
public:
  Made make(const Configuration &configuration) override {
    Candidate candidate;
    candidate.configuration = configuration;
    candidate.digest = configuration.str();
    return {candidate, Status::Measured, "", 0};
  }
};
class WordMeasurer final : public Measurer {
public:
  std::string device() const override { return "words"; }
  bool predicts() const override { return false; }
  runner::Result measureBaseline(const Candidate &baseline) override { return measure(baseline); }
  runner::Result measure(const Candidate &candidate) override {
    runner::Result result;
    result.status = Status::Measured;
    result.micros = double(candidate.configuration.str().size());
    return result;
  }
};

/// Everybody in one process: the answers come from an executor of its own, except to task `lost` and from task
/// `left` on.
class Pretended final : public ranks::Ranks {
public:
  Pretended(LocalExecutor &worker, size_t lost, size_t left) : worker(worker), lost(lost), left(left) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  unsigned numberOnThisMachine() const override { return 0; }
  std::vector<size_t> handOut(const std::vector<std::string> &tasks, double, const Heard &heard) override {
    std::vector<size_t> rest;
    for (size_t i = 0; i < tasks.size(); ++i) {
      toDo = tasks[i];
      serveConfigurations(*this, worker);
      if (i >= left)
        rest.push_back(i);
      else if (!heard(i, i == lost ? std::nullopt : std::optional(answer)))
        return {};
    }
    return rest;
  }
  void serve(const std::function<std::string(const std::string &)> &work) override { answer = work(toDo); }
  void finish() override {}

private:
  LocalExecutor &worker;
  size_t lost, left;
  std::string toDo, answer;
};

Configuration configurationOf(const std::string &directive, const std::string &flag) {
  Configuration configuration;
  Diagnostics diagnostics;
  if (!directive.empty())
    configuration.directives = transform::readDirectives(directive, diagnostics);
  configuration.blocks = {{"", "x=128"}, {"add", "x=64"}};
  configuration.defines = {"TILE=8", "NAME=\"a b\""};
  configuration.flags = {flag};
  return configuration;
}

TEST(RankExecutor, AConfigurationIsReadBackFromItsText) {
  for (const Configuration &configuration :
       {Configuration(), configurationOf("coarsen x=2 map=blocked", "-maxrregcount=64"),
        configurationOf("coarsen x=2; consolidate", "--use_fast_math"), [] {
          Configuration named = configurationOf("coarsen x=2", "-O1");
          named.directives.front().kernel = "ns::add";
          return named;
        }()}) {
    std::optional<Configuration> back = configurationFrom(textOf(configuration));
    ASSERT_TRUE(back) << textOf(configuration);
    EXPECT_EQ(back->str(), configuration.str());
  }
  EXPECT_FALSE(configurationFrom("{}"));
  EXPECT_FALSE(configurationFrom("no JSON"));
}

class RankExecutorTest : public testing::Test {
protected:
  std::vector<Evaluation> evaluate(Executor &executor) {
    std::vector<Evaluation> all;
    executor.evaluate(configurations, [&](const Evaluation &evaluation) {
      all.push_back(evaluation);
      return all.size() < most;
    });
    return all;
  }
  Problem problem;
  WordMaker maker;
  WordMeasurer measurer;
  LocalExecutor worker{problem, maker, measurer}, own{problem, maker, measurer};
  std::vector<Configuration> configurations = {
      configurationOf("", "-a"), configurationOf("coarsen x=4", "-bb"), configurationOf("", "-ccc")};
  size_t most = 100;
};

TEST_F(RankExecutorTest, GivesTheResultsOfOneProcess) {
  Pretended ranks(worker, 99, 99);
  RankExecutor executor(ranks, own, problem);
  LocalExecutor alone(problem, maker, measurer);
  std::vector<Evaluation> shared = evaluate(executor), single = evaluate(alone);
  ASSERT_EQ(shared.size(), single.size());
  for (size_t i = 0; i < shared.size(); ++i) {
    EXPECT_EQ(shared[i].configuration.str(), single[i].configuration.str());
    EXPECT_EQ(shared[i].result.id, single[i].result.id);
    EXPECT_EQ(shared[i].result.micros, single[i].result.micros);
    EXPECT_EQ(shared[i].digest, single[i].digest);
  }
}

TEST_F(RankExecutorTest, ReportsLostForWhatNoRankSurvived) {
  Pretended ranks(worker, 1, 99);
  RankExecutor executor(ranks, own, problem);
  std::vector<Evaluation> all = evaluate(executor);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].result.status, Status::Lost);
  EXPECT_EQ(all[1].result.id, problem.idOf(configurations[1]));
  EXPECT_EQ(all[2].result.status, Status::Measured);
}

TEST_F(RankExecutorTest, DoesItselfWhatNoRankIsLeftToDo) {
  Pretended ranks(worker, 99, 1);
  RankExecutor executor(ranks, own, problem);
  std::vector<Evaluation> all = evaluate(executor);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].result.status, Status::Measured);
}

TEST_F(RankExecutorTest, StopsWhenEnoughWasHeard) {
  most = 2;
  Pretended ranks(worker, 99, 1);
  RankExecutor executor(ranks, own, problem);
  EXPECT_EQ(evaluate(executor).size(), 2u);
}

} // namespace
} // namespace heddle::tune
