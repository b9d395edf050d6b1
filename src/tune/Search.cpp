// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Search.h"

#include "model/Thresholds.h"
#include "support/Numbers.h"
#include "tune/Gain.h"

#include <llvm/ADT/ScopeExit.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace heddle::tune {

using runner::Status;

namespace {

using model::threshold::tune::leastGain;

} // namespace

std::optional<Budget> readBudget(const std::string &text) {
  if (const auto runs = readNumber<uint64_t>(text))
    return *runs > 0 ? std::optional(Budget{std::nullopt, *runs}) : std::nullopt;
  const std::optional<double> seconds = readSeconds(text);
  const bool hasUnit = !text.empty() && std::isalpha(static_cast<unsigned char>(text.back()));
  return seconds && *seconds > 0 && hasUnit ? std::optional(Budget{*seconds, std::nullopt}) : std::nullopt;
}

bool wasRun(const Evaluation &evaluation) {
  const Status status = evaluation.result.status;
  return evaluation.sameAs.empty() && status != Status::Refused && status != Status::FailsCheck &&
         status != Status::Lost;
}

Search::Search(const Problem &problem, const Space &space, Evaluator evaluator, Cache *cache,
               SearchOptions options)
    : problem(problem), space(space), evaluator(std::move(evaluator)), cache(cache),
      options(std::move(options)) {}

/// What is known of a configuration, of this search or of an earlier one; null where it has to be found out.
const Report::Entry *Search::known(const Configuration &configuration) {
  if (auto found = byConfiguration.find(configuration.str()); found != byConfiguration.end())
    return &report.entries[found->second];
  const Kept *kept =
      cache ? cache->find(problem.idOf(configuration), evaluator.predicts, evaluator.device) : nullptr;
  if (!kept)
    return nullptr;
  take({configuration, kept->result, kept->digest, kept->sameAs}, {}, true);
  return &report.entries.back();
}

/// The first that is measured is the baseline, which others have to beat by more than chance; of those that do, the fastest
/// counts, and of equal ones the one that changes less.
bool Search::isBest(const Evaluation &evaluation) const {
  const runner::Result &result = evaluation.result;
  if (!report.best)
    return result.status == Status::Measured;
  const Evaluation &best = report.entries[*report.best].evaluation;
  return beats(result, report.baseline().evaluation.result) &&
         (*report.best == 0 || result.micros < best.result.micros * (1 - leastGain) ||
          (result.micros <= best.result.micros &&
           evaluation.configuration.changes() < best.configuration.changes()));
}

void Search::take(const Evaluation &evaluation, const std::string &settings, bool fromCache) {
  Report::Entry entry;
  entry.evaluation = evaluation;
  entry.settings = settings;
  entry.fromCache = fromCache;
  entry.atSeconds = fromCache ? 0 : seconds();
  entry.predictedMicros = predicted(evaluation.configuration);
  const runner::Result &result = evaluation.result;
  const std::optional<double> before =
      report.best ? std::optional(report.entries[*report.best].evaluation.result.micros) : std::nullopt;
  if (isBest(evaluation))
    report.best = report.entries.size();
  entry.bestMicros = report.best == report.entries.size() ? std::optional(result.micros) : before;
  byConfiguration[evaluation.configuration.str()] = report.entries.size();
  report.entries.push_back(std::move(entry));
  report.fromCache += fromCache;
  report.seconds = seconds();
  runs += wasRun(evaluation);
  if (options.watch)
    options.watch(report);
}

void Search::keep(const Evaluation &evaluation) {
  if (cache && !cache->append(evaluation))
    ++report.unkept;
}

bool Search::isOver() const {
  return options.isStopped() || (options.budget.runs && runs >= *options.budget.runs) ||
         (options.budget.seconds && seconds() >= *options.budget.seconds);
}

/// Finds out about each point that is not known. Points that mean the same are looked at once.
void Search::lookAt(const std::vector<Point> &points) {
  std::vector<Configuration> configurations;
  std::map<std::string, std::string> settings;
  for (const Point &point : points) {
    Configuration configuration = space.configurationAt(point);
    const bool isNew = settings.emplace(configuration.str(), space.settingsAt(point)).second;
    if (isOver() || !isNew || known(configuration))
      continue;
    configurations.push_back(std::move(configuration));
  }
  if (configurations.empty() || isOver())
    return;
  const double share = std::exchange(decideSeconds, 0) / double(configurations.size());
  evaluator.executor->evaluate(configurations, [&](const Evaluation &evaluation) {
    return hear(evaluation, settings[evaluation.configuration.str()], share);
  });
}

/// A result. False: enough.
bool Search::hear(const Evaluation &evaluation, const std::string &settings, double deciding) {
  if (options.isStopped())
    return false; // it may have failed because everything is being stopped
  keep(evaluation);
  take(evaluation, settings, false);
  report.entries.back().decideSeconds = deciding;
  return !isOver();
}

/// What a strategy proposes that has to be found out; empty where it proposes nothing now.
std::vector<Configuration> Search::proposed(Strategy &strategy) {
  std::vector<Configuration> unknown;
  for (std::vector<Point> points;
       unknown.empty() && !isOver() && !(points = deciding([&] { return strategy.next(); })).empty();)
    for (const Point &point : points) {
      Configuration configuration = space.configurationAt(point);
      if (known(configuration))
        teach(strategy, {point});
      else if (asked.emplace(configuration.str(), point).second)
        unknown.push_back(std::move(configuration));
    }
  return unknown;
}

/// For a strategy that does not wait: whoever measures gets the next ones while others are being made.
void Search::lookAtAll(Strategy &strategy) {
  evaluator.executor->evaluateAll([&] { return proposed(strategy); },
                                  [&](const Evaluation &evaluation) {
                                    const Point &point = asked.at(evaluation.configuration.str());
                                    const bool goesOn = hear(evaluation, space.settingsAt(point),
                                                             std::exchange(decideSeconds, 0));
                                    teach(strategy, {point});
                                    return goesOn;
                                  });
}

/// Has the model look at everything, also at what was measured before it was asked. What it says is kept like anything else.
void Search::predictAll() {
  if (!options.predictor)
    return;
  std::vector<Configuration> configurations;
  auto learn = [&](const Configuration &configuration, const runner::Result &result) {
    if (result.status != Status::Measured)
      return;
    predictions[configuration.str()] = result.micros;
    if (auto taken = byConfiguration.find(configuration.str()); taken != byConfiguration.end())
      report.entries[taken->second].predictedMicros = result.micros;
  };
  for (const Point &point : space.distinct(mostPoints)) {
    Configuration configuration = space.configurationAt(point);
    const Kept *kept =
        cache ? cache->find(problem.idOf(configuration), true, options.predictor->device) : nullptr;
    if (kept)
      learn(configuration, kept->result);
    else
      configurations.push_back(configuration);
  }
  options.predictor->executor->evaluate(configurations, [&](const Evaluation &evaluation) {
    keep(evaluation);
    learn(evaluation.configuration, evaluation.result);
    return !isOver();
  });
}

std::optional<double> Search::predicted(const Configuration &configuration) const {
  if (auto found = predictions.find(configuration.str()); found != predictions.end())
    return found->second;
  return options.predicted ? options.predicted(configuration.str()) : std::nullopt;
}

std::unique_ptr<Strategy> Search::strategy() const {
  return makeStrategy(
      options.strategy, space, options.seed,
      [this](const Point &point) { return predicted(space.configurationAt(point)); },
      options.budget.seconds || options.budget.runs);
}

/// Gives a strategy the known points.
void Search::teach(Strategy &strategy, const std::vector<Point> &points) {
  for (const Point &point : points) {
    auto found = byConfiguration.find(space.configurationAt(point).str());
    if (found == byConfiguration.end())
      continue;
    Report::Entry &entry = report.entries[found->second];
    if (entry.settings.empty())
      entry.settings = space.settingsAt(point);
    const runner::Result &result = entry.evaluation.result;
    strategy.learn(point, result.status == Status::Measured ? std::optional(result.micros) : std::nullopt);
  }
}

/// The points that mean the baseline: one, or none where every point changes something.
std::vector<Point> Search::baselines() const {
  std::vector<Point> found = space.distinct(mostPoints);
  std::erase_if(found, [&](const Point &point) { return !space.configurationAt(point).isBaseline(); });
  return found;
}

std::vector<Configuration> Search::plan() {
  begin = Clock::now();
  if (options.strategy == "guided")
    predictAll();
  // These need what came of their proposals before they have others.
  const bool needsAnswers = options.strategy == "genetic" || options.strategy == "annealing";
  const uint64_t most = options.budget.runs.value_or(UINT64_MAX);
  std::unique_ptr<Strategy> adviser = strategy();
  if (known(Configuration()))
    teach(*adviser, baselines());
  std::vector<Configuration> planned;
  std::set<std::string> seen = {Configuration().str()}; // the baseline is measured where others are
  for (std::vector<Point> points; planned.size() + 1 < most && !(points = adviser->next()).empty();) {
    for (const Point &point : points)
      if (Configuration configuration = space.configurationAt(point);
          !known(configuration) && seen.insert(configuration.str()).second && planned.size() + 1 < most)
        planned.push_back(configuration);
    teach(*adviser, points);
    if (needsAnswers && !planned.empty())
      break;
  }
  return planned;
}

Report Search::run() {
  begin = Clock::now();
  report.dimensions = space.dimensions();
  report.strategy = options.strategy;
  report.predicted = evaluator.predicts;
  report.device = evaluator.device;
  Executor &executor = *evaluator.executor;
  executor.stopWhen([this] {
    return options.isStopped() || (options.budget.seconds && seconds() >= *options.budget.seconds);
  });
  // The executor may be used after this search, which its condition refers to.
  const auto forget = llvm::make_scope_exit([&executor] { executor.stopWhen([] { return false; }); });
  const Configuration baseline;
  const std::vector<Point> same = baselines();
  report.spaceSize = space.distinct(mostPoints).size() + same.empty();

  if (!known(baseline))
    evaluator.executor->evaluate({baseline},
                                 [&](const Evaluation &evaluation) { return hear(evaluation, {}, 0); });
  if (report.entries.empty() || report.baseline().evaluation.result.status != Status::Measured)
    return report;
  const bool isGuided = options.strategy == "guided";
  // Nobody waits for the model: what each value does by itself is measured before it is asked. Where runs are counted, those that
  // the model finds best are worth more.
  std::vector<Point> guesses;
  if (isGuided && options.predictor && !options.budget.runs)
    lookAt(guesses = firstGuesses(space));
  std::unique_ptr<Strategy> adviser = deciding([&] {
    if (isGuided)
      predictAll();
    return strategy();
  });
  teach(*adviser, same);
  teach(*adviser, guesses);
  if (!adviser->waitsForAnswers())
    lookAtAll(*adviser);
  else
    for (std::vector<Point> points;
         !isOver() && !(points = deciding([&] { return adviser->next(); })).empty();) {
      lookAt(points);
      teach(*adviser, points);
    }
  report.seconds = seconds();
  return report;
}

} // namespace heddle::tune
