// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Search.h"

#include "model/Thresholds.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace heddle::tune {

using runner::Status;

namespace {

using model::threshold::tune::leastGain;

} // namespace

std::optional<Budget> readBudget(const std::string &text) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  if (error != std::errc() || number <= 0)
    return std::nullopt;
  if (unit.empty() && number == double(uint64_t(number)))
    return Budget{std::nullopt, uint64_t(number)};
  const double factor = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  return factor > 0 ? std::optional(Budget{number * factor, std::nullopt}) : std::nullopt;
}

bool wasRun(const Evaluation &evaluation) {
  const Status status = evaluation.result.status;
  return evaluation.sameAs.empty() && status != Status::Refused && status != Status::FailsCheck &&
         status != Status::Lost;
}

Search::Search(const Problem &problem, const Space &space, Judge judge, Cache *cache, SearchOptions options)
    : problem(problem), space(space), judge(std::move(judge)), cache(cache), options(std::move(options)) {}

/// What is known of a recipe, of this search or of an earlier one; null where it has to be found out.
const Report::Entry *Search::known(const Recipe &recipe) {
  if (auto found = byRecipe.find(recipe.str()); found != byRecipe.end())
    return &report.entries[found->second];
  const Kept *kept = cache ? cache->find(problem.idOf(recipe), judge.predicts, judge.device) : nullptr;
  if (!kept)
    return nullptr;
  take({recipe, kept->result, kept->digest, kept->sameAs}, {}, true);
  return &report.entries.back();
}

void Search::take(const Evaluation &evaluation, const std::string &configuration, bool fromCache) {
  Report::Entry entry;
  entry.evaluation = evaluation;
  entry.configuration = configuration;
  entry.fromCache = fromCache;
  entry.atSeconds = fromCache ? 0 : seconds();
  entry.predictedMicros = foretold(evaluation.recipe);
  const runner::Result &result = evaluation.result;
  const std::optional<double> before =
      report.best ? std::optional(report.entries[*report.best].evaluation.result.micros) : std::nullopt;
  if (result.status == Status::Measured && (!before || result.micros < *before * (1 - leastGain)))
    report.best = report.entries.size();
  entry.bestMicros = report.best == report.entries.size() ? std::optional(result.micros) : before;
  byRecipe[evaluation.recipe.str()] = report.entries.size();
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
  return (options.budget.runs && runs >= *options.budget.runs) ||
         (options.budget.seconds && seconds() >= *options.budget.seconds);
}

/// Finds out about each point that is not known. Points that mean the same are looked at once.
void Search::lookAt(const std::vector<Point> &points) {
  std::vector<Recipe> recipes;
  std::map<std::string, std::string> configurations;
  for (const Point &point : points) {
    Recipe recipe = space.recipeAt(point);
    const bool isNew = configurations.emplace(recipe.str(), space.configurationAt(point)).second;
    if (isOver() || !isNew || known(recipe))
      continue;
    recipes.push_back(std::move(recipe));
  }
  if (recipes.empty() || isOver())
    return;
  const double share = std::exchange(decideSeconds, 0) / double(recipes.size());
  judge.crew->evaluate(recipes, [&](const Evaluation &evaluation) {
    keep(evaluation);
    take(evaluation, configurations[evaluation.recipe.str()], false);
    report.entries.back().decideSeconds = share;
    return !isOver();
  });
}

/// Has the model look at everything before a clock is read. What it says is kept like anything else.
void Search::predictAll() {
  if (!options.predictor)
    return;
  std::vector<Recipe> recipes;
  auto learn = [&](const Recipe &recipe, const runner::Result &result) {
    if (result.status == Status::Measured)
      predictions[recipe.str()] = result.micros;
  };
  for (const Point &point : space.distinct(mostPoints)) {
    Recipe recipe = space.recipeAt(point);
    const Kept *kept = cache ? cache->find(problem.idOf(recipe), true, options.predictor->device) : nullptr;
    if (kept)
      learn(recipe, kept->result);
    else
      recipes.push_back(recipe);
  }
  options.predictor->crew->evaluate(recipes, [&](const Evaluation &evaluation) {
    keep(evaluation);
    learn(evaluation.recipe, evaluation.result);
    return !isOver();
  });
}

std::optional<double> Search::foretold(const Recipe &recipe) const {
  if (auto found = predictions.find(recipe.str()); found != predictions.end())
    return found->second;
  return options.foretold ? options.foretold(recipe.str()) : std::nullopt;
}

std::unique_ptr<Strategy> Search::strategy() const {
  return makeStrategy(options.strategy, space, options.seed,
                      [this](const Point &point) { return foretold(space.recipeAt(point)); });
}

/// Tells a strategy what is known of points.
void Search::teach(Strategy &strategy, const std::vector<Point> &points) {
  for (const Point &point : points) {
    auto found = byRecipe.find(space.recipeAt(point).str());
    if (found == byRecipe.end())
      continue;
    Report::Entry &entry = report.entries[found->second];
    if (entry.configuration.empty())
      entry.configuration = space.configurationAt(point);
    const runner::Result &result = entry.evaluation.result;
    strategy.learn(point, result.status == Status::Measured ? std::optional(result.micros) : std::nullopt);
  }
}

/// The points that mean the original: one, or none where every point changes something.
std::vector<Point> Search::originals() const {
  std::vector<Point> found = space.distinct(mostPoints);
  std::erase_if(found, [&](const Point &point) { return !space.recipeAt(point).isOriginal(); });
  return found;
}

std::vector<Recipe> Search::plan() {
  begin = Clock::now();
  if (options.strategy == "guided")
    predictAll();
  // These need what came of their proposals before they have others.
  const bool needsAnswers = options.strategy == "genetic" || options.strategy == "annealing";
  const uint64_t most = options.budget.runs.value_or(UINT64_MAX);
  std::unique_ptr<Strategy> adviser = strategy();
  if (known(Recipe()))
    teach(*adviser, originals());
  std::vector<Recipe> planned;
  std::set<std::string> seen = {Recipe().str()}; // the original is measured wherever others are
  for (std::vector<Point> points; planned.size() + 1 < most && !(points = adviser->next()).empty();) {
    for (const Point &point : points)
      if (Recipe recipe = space.recipeAt(point);
          !known(recipe) && seen.insert(recipe.str()).second && planned.size() + 1 < most)
        planned.push_back(recipe);
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
  report.predicted = judge.predicts;
  report.device = judge.device;
  const Recipe original;
  const std::vector<Point> same = originals();
  report.spaceSize = space.distinct(mostPoints).size() + same.empty();

  if (!known(original))
    judge.crew->evaluate({original}, [&](const Evaluation &evaluation) {
      keep(evaluation);
      take(evaluation, {}, false);
      return true;
    });
  if (report.entries.empty() || report.original().evaluation.result.status != Status::Measured)
    return report;
  std::unique_ptr<Strategy> adviser = deciding([&] {
    if (options.strategy == "guided")
      predictAll();
    return strategy();
  });
  teach(*adviser, same);
  for (std::vector<Point> points;
       !isOver() && !(points = deciding([&] { return adviser->next(); })).empty();) {
    lookAt(points);
    teach(*adviser, points);
  }
  report.seconds = seconds();
  return report;
}

} // namespace heddle::tune
