// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/Ranks.h"
#include "tune/Executors.h"

namespace heddle::tune {

/// The processes of mpirun, each with a GPU of its own. Rank 0 searches and keeps the cache; the others make
/// and measure candidates, and each measures the baseline too, since it compares candidates with
/// it. A rank that dies loses only its candidate, which another one gets.
class RankExecutor final : public Executor {
public:
  /// `own` does what no other rank is left to do.
  RankExecutor(ranks::Ranks &ranks, LocalExecutor &own, const Problem &problem)
      : ranks(ranks), own(own), problem(problem) {}
  void evaluate(const std::vector<Configuration> &configurations, const Heard &heard) override;

private:
  ranks::Ranks &ranks;
  LocalExecutor &own;
  const Problem &problem;
};

/// What every rank but the first does: evaluates what it is given, until the search is over.
void serveConfigurations(ranks::Ranks &ranks, LocalExecutor &executor);

/// A configuration as one text, and back; nothing where it is none.
std::string textOf(const Configuration &configuration);
std::optional<Configuration> configurationFrom(const std::string &text);

} // namespace heddle::tune
