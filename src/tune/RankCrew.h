// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/Ranks.h"
#include "tune/Crews.h"

namespace heddle::tune {

/// The processes of mpirun, each with a GPU of its own. Rank 0 searches and keeps the cache; the others make
/// and measure candidates, and each measures the original too, since that is what it holds candidates
/// against. A rank that dies loses only its candidate, which another one gets.
class RankCrew final : public Crew {
public:
  /// `own` does what nobody else is left to do.
  RankCrew(ranks::Ranks &ranks, LocalCrew &own, const Problem &problem)
      : ranks(ranks), own(own), problem(problem) {}
  void evaluate(const std::vector<Recipe> &recipes, const Heard &heard) override;

private:
  ranks::Ranks &ranks;
  LocalCrew &own;
  const Problem &problem;
};

/// What every rank but the first does: evaluates what it is given, until the search is over.
void serveRecipes(ranks::Ranks &ranks, LocalCrew &crew);

/// A recipe as one text, and back; nothing where it is none.
std::string textOf(const Recipe &recipe);
std::optional<Recipe> recipeFrom(const std::string &text);

} // namespace heddle::tune
