// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Crews.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace heddle::tune {
namespace {

using runner::Status;

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

} // namespace

// --- This process --------------------------------------------------------------------------------------

void LocalCrew::evaluate(const std::vector<Recipe> &recipes, const Heard &heard) {
  for (const Recipe &recipe : recipes)
    if (!heard(evaluate(recipe)))
      return;
}

Evaluation LocalCrew::evaluate(const Recipe &recipe) {
  if (!original)
    original = evaluateOne({});
  return recipe.isOriginal() ? *original : evaluateOne(recipe);
}

Evaluation LocalCrew::evaluateOne(const Recipe &recipe) {
  Made made = maker.make(recipe);
  Evaluation evaluation{recipe, {}, {}, {}};
  runner::Result &result = evaluation.result;
  if (!made.candidate) {
    result.status = made.status;
    result.reason = made.reason;
    result.predicted = measurer.predicts(); // by these a search that is resumed finds it
    result.device = measurer.device();
  } else {
    evaluation.digest = made.candidate->digest;
    auto same = recipe.isOriginal() ? known.end() : known.find(evaluation.digest);
    if (same != known.end()) {
      result = same->second;
      evaluation.sameAs = result.id;
    } else {
      result =
          recipe.isOriginal() ? measurer.measureOriginal(*made.candidate) : measurer.measure(*made.candidate);
      remember(evaluation.digest, result);
    }
  }
  result.id = problem.idOf(recipe);
  result.when = now();
  result.makeSeconds = made.seconds;
  result.failsCheck = made.failsCheck;
  return evaluation;
}

void LocalCrew::remember(const std::string &digest, const runner::Result &result) {
  if (!digest.empty() && result.status != Status::Lost)
    known.emplace(digest, result);
}

// --- Recorded ------------------------------------------------------------------------------------------

RecordedCrew::RecordedCrew(const std::vector<Kept> &kept, const Problem &problem) : problem(problem) {
  for (const Kept &each : kept)
    if (each.result.status == Status::Measured && !each.result.predicted)
      isPredicted = false, deviceName = each.result.device;
  for (const Kept &each : kept) {
    const runner::Result &result = each.result;
    if (result.predicted && result.status == Status::Measured)
      predictions[each.recipe] = result.micros;
    const bool couldNotBeMade = result.status == Status::Refused || result.status == Status::FailsCheck;
    if (couldNotBeMade || result.predicted == isPredicted)
      results.insert_or_assign(each.recipe, each);
  }
  if (isPredicted && !kept.empty())
    deviceName = kept.front().result.device;
}

void RecordedCrew::evaluate(const std::vector<Recipe> &recipes, const Heard &heard) {
  for (const Recipe &recipe : recipes) {
    auto found = results.find(recipe.str());
    if (found == results.end())
      continue; // the recorded search did not look at it
    Evaluation evaluation{recipe, found->second.result, found->second.digest, found->second.sameAs};
    evaluation.result.id = problem.idOf(recipe);
    if (!heard(evaluation))
      return;
  }
}

std::optional<double> RecordedCrew::predicted(const std::string &recipe) const {
  auto found = predictions.find(recipe);
  return found == predictions.end() ? std::nullopt : std::optional(found->second);
}

} // namespace heddle::tune
