// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Cache.h"
#include "tune/Report.h"
#include "tune/Strategy.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

namespace heddle::tune {

/// When to stop: after so many seconds, or after so many candidates were run (the baseline is one of them;
/// what was in the cache counts, so that a search that was killed goes on to the same end).
struct Budget {
  std::optional<double> seconds;
  std::optional<uint64_t> runs;
};
/// "120s", "5m", "1h", "50"; nothing for what is no budget.
std::optional<Budget> readBudget(const std::string &text);

/// Who measures, and what the results are to be called.
struct Evaluator {
  Executor *executor = nullptr;
  bool predicts = false;
  std::string device;
};

struct SearchOptions {
  std::string strategy = "exhaustive";
  uint64_t seed = 1;
  Budget budget;
  /// For the guided strategy: who predicts, where the evaluator reads a clock. None: predictions of the evaluator's
  /// own, or none at all.
  std::optional<Evaluator> predictor;
  std::function<std::optional<double>(const std::string &configuration)>
      predicted; ///< predictions that are there
  /// True: the search ends at once, with what is known so far. What is heard after that does not count.
  std::function<bool()> isStopped = [] { return false; };
  /// Called after each result, with what is known so far.
  std::function<void(const Report &)> watch;
};

/// One search: what a strategy proposes is looked up or measured, kept, and given to the strategy.
class Search {
public:
  /// `cache` may be null: then nothing is kept.
  Search(const Problem &problem, const Space &space, Evaluator evaluator, Cache *cache,
         SearchOptions options);

  /// Ends when the strategy has no more ideas or the budget is used up. A report whose baseline was not
  /// measured has no winner and no other entries.
  Report run();

  /// For measuring somewhere else: what the strategy would have looked at next, given what is known, up to
  /// the budget of runs. A strategy that needs results to go on gives what it can: call it again with them.
  std::vector<Configuration> plan();

private:
  using Clock = std::chrono::steady_clock;

  const Report::Entry *known(const Configuration &configuration);
  bool isBest(const Evaluation &evaluation) const;
  void take(const Evaluation &evaluation, const std::string &settings, bool fromCache);
  void keep(const Evaluation &evaluation);
  bool isOver() const;
  /// What a strategy does; the time that takes is shared by what is looked at next.
  template <class Work> auto deciding(Work work) {
    const double before = seconds();
    auto decided = work();
    decideSeconds += seconds() - before;
    return decided;
  }
  void lookAt(const std::vector<Point> &points);
  void lookAtAll(Strategy &strategy);
  std::vector<Configuration> proposed(Strategy &strategy);
  bool hear(const Evaluation &evaluation, const std::string &settings, double deciding);
  void predictAll();
  std::vector<Point> baselines() const;
  std::unique_ptr<Strategy> strategy() const;
  void teach(Strategy &strategy, const std::vector<Point> &points);
  std::optional<double> predicted(const Configuration &configuration) const;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }

  const Problem &problem;
  const Space &space;
  Evaluator evaluator;
  Cache *cache;
  SearchOptions options;
  Clock::time_point begin = Clock::now();
  Report report;
  std::map<std::string, size_t> byConfiguration; ///< index of its entry
  std::map<std::string, double> predictions;     ///< by configuration
  uint64_t runs = 0;
  std::map<std::string, Point>
      asked;                ///< by configuration: what is or was looked at for a strategy that does not wait
  double decideSeconds = 0; ///< since something was looked at last
};

/// True where a candidate got as far as being run: those are what a budget counts.
bool wasRun(const Evaluation &evaluation);

} // namespace heddle::tune
