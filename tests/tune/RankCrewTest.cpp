// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/RankCrew.h"

#include <gmock/gmock.h>

namespace heddle::tune {
namespace {

using runner::Status;

/// Makes anything; what is measured is the length of the recipe's words.
class WordMaker final : public Maker {
public:
  Made make(const Recipe &recipe) override {
    Candidate candidate;
    candidate.recipe = recipe;
    candidate.digest = recipe.str();
    return {candidate, Status::Measured, "", 0};
  }
};
class WordMeasurer final : public Measurer {
public:
  std::string device() const override { return "words"; }
  bool predicts() const override { return false; }
  runner::Result measureOriginal(const Candidate &original) override { return measure(original); }
  runner::Result measure(const Candidate &candidate) override {
    runner::Result result;
    result.status = Status::Measured;
    result.micros = double(candidate.recipe.str().size());
    return result;
  }
};

/// Everybody in one process: the answers come from a crew of its own, except to task `lost` and from task
/// `left` on.
class Pretended final : public ranks::Ranks {
public:
  Pretended(LocalCrew &worker, size_t lost, size_t left) : worker(worker), lost(lost), left(left) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  unsigned numberOnThisMachine() const override { return 0; }
  std::vector<size_t> handOut(const std::vector<std::string> &tasks, double, const Heard &heard) override {
    std::vector<size_t> rest;
    for (size_t i = 0; i < tasks.size(); ++i) {
      toDo = tasks[i];
      serveRecipes(*this, worker);
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
  LocalCrew &worker;
  size_t lost, left;
  std::string toDo, answer;
};

Recipe recipeOf(const std::string &directive, const std::string &flag) {
  Recipe recipe;
  Diagnostics diagnostics;
  if (!directive.empty())
    recipe.directives = transform::readDirectives(directive, diagnostics);
  recipe.block = "x=128";
  recipe.defines = {"TILE=8", "NAME=\"a b\""};
  recipe.flags = {flag};
  return recipe;
}

TEST(RankCrew, ARecipeComesBackFromItsText) {
  for (const Recipe &recipe : {Recipe(), recipeOf("coarsen x=2 map=blocked", "-maxrregcount=64"),
                               recipeOf("coarsen x=2; consolidate", "--use_fast_math")}) {
    std::optional<Recipe> back = recipeFrom(textOf(recipe));
    ASSERT_TRUE(back) << textOf(recipe);
    EXPECT_EQ(back->str(), recipe.str());
  }
  EXPECT_FALSE(recipeFrom("{}"));
  EXPECT_FALSE(recipeFrom("no JSON"));
}

class RankCrewTest : public testing::Test {
protected:
  std::vector<Evaluation> evaluate(Crew &crew) {
    std::vector<Evaluation> all;
    crew.evaluate(recipes, [&](const Evaluation &evaluation) {
      all.push_back(evaluation);
      return all.size() < most;
    });
    return all;
  }
  Problem problem;
  WordMaker maker;
  WordMeasurer measurer;
  LocalCrew worker{problem, maker, measurer}, own{problem, maker, measurer};
  std::vector<Recipe> recipes = {recipeOf("", "-a"), recipeOf("coarsen x=4", "-bb"), recipeOf("", "-ccc")};
  size_t most = 100;
};

TEST_F(RankCrewTest, GivesTheResultsOfOneProcess) {
  Pretended ranks(worker, 99, 99);
  RankCrew crew(ranks, own, problem);
  LocalCrew alone(problem, maker, measurer);
  std::vector<Evaluation> shared = evaluate(crew), single = evaluate(alone);
  ASSERT_EQ(shared.size(), single.size());
  for (size_t i = 0; i < shared.size(); ++i) {
    EXPECT_EQ(shared[i].recipe.str(), single[i].recipe.str());
    EXPECT_EQ(shared[i].result.id, single[i].result.id);
    EXPECT_EQ(shared[i].result.micros, single[i].result.micros);
    EXPECT_EQ(shared[i].digest, single[i].digest);
  }
}

TEST_F(RankCrewTest, SaysLostOfWhatNobodySurvived) {
  Pretended ranks(worker, 1, 99);
  RankCrew crew(ranks, own, problem);
  std::vector<Evaluation> all = evaluate(crew);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].result.status, Status::Lost);
  EXPECT_EQ(all[1].result.id, problem.idOf(recipes[1]));
  EXPECT_EQ(all[2].result.status, Status::Measured);
}

TEST_F(RankCrewTest, DoesItselfWhatNobodyIsLeftToDo) {
  Pretended ranks(worker, 99, 1);
  RankCrew crew(ranks, own, problem);
  std::vector<Evaluation> all = evaluate(crew);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].result.status, Status::Measured);
}

TEST_F(RankCrewTest, StopsWhenEnoughWasHeard) {
  most = 2;
  Pretended ranks(worker, 99, 1);
  RankCrew crew(ranks, own, problem);
  EXPECT_EQ(evaluate(crew).size(), 2u);
}

} // namespace
} // namespace heddle::tune
