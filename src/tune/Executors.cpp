// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Executors.h"

#include "support/StartedProcess.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <list>

namespace heddle::tune {
namespace {

using runner::Status;

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

} // namespace

// --- This process --------------------------------------------------------------------------------------

namespace {

/// Makes candidates of a list ahead of the one that wants them.
class MakingAhead {
public:
  MakingAhead(Maker &maker, const std::vector<Configuration> &configurations, unsigned jobs, bool inOrder)
      : maker(maker), configurations(configurations), jobs(jobs), inOrder(inOrder) {}

  struct Ready {
    const Configuration &configuration;
    Made made;
  };
  /// Waits for the next one; nothing where all were taken, or `isEnough` says so meanwhile.
  std::optional<Ready> next(const std::function<bool()> &isEnough) {
    for (;; waitForCopies()) {
      fill();
      if (atWork.empty() || isEnough())
        return std::nullopt;
      for (auto each = atWork.begin(); each != atWork.end(); ++each) {
        if (each->making->isOver()) {
          Ready ready{*each->configuration, each->making->made()};
          atWork.erase(each);
          fill(); // others are made while this one is measured
          return ready;
        }
        if (inOrder)
          break;
      }
    }
  }

private:
  struct AtWork {
    const Configuration *configuration;
    std::unique_ptr<Making> making;
  };

  void fill() {
    size_t busy = 0;
    for (AtWork &each : atWork)
      busy += !each.making->isOver();
    for (; begun < configurations.size() && busy < jobs && atWork.size() < mostAhead * jobs; ++begun) {
      atWork.push_back({&configurations[begun], maker.begin(configurations[begun])});
      busy += !atWork.back().making->isOver();
    }
  }

  /// Made and not measured yet, for each job: text and PTX of these are kept.
  static constexpr size_t mostAhead = 4;

  Maker &maker;
  const std::vector<Configuration> &configurations;
  const size_t jobs;
  const bool inOrder;
  size_t begun = 0;
  std::list<AtWork> atWork;
};

} // namespace

void LocalExecutor::evaluate(const std::vector<Configuration> &configurations, const Heard &heard) {
  if (!baseline)
    baseline = evaluateOne({}, maker.make({}));
  std::vector<Configuration> others;
  for (const Configuration &configuration : configurations)
    if (!configuration.isBaseline())
      others.push_back(configuration);
    else if (!heard(*baseline))
      return;
  MakingAhead ahead(maker, others, jobs, measurer.predicts());
  while (auto ready = ahead.next(isEnough))
    if (!heard(evaluateOne(ready->configuration, ready->made)))
      return;
}

Evaluation LocalExecutor::evaluate(const Configuration &configuration) {
  if (!baseline)
    baseline = evaluateOne({}, maker.make({}));
  return configuration.isBaseline() ? *baseline : evaluateOne(configuration, maker.make(configuration));
}

Evaluation LocalExecutor::evaluateOne(const Configuration &configuration, const Made &made) {
  Evaluation evaluation{configuration, {}, {}, {}};
  runner::Result &result = evaluation.result;
  if (!made.candidate) {
    result.status = made.status;
    result.reason = made.reason;
    result.predicted = measurer.predicts(); // by these a search that is resumed finds it
    result.device = measurer.device();
  } else {
    evaluation.digest = made.candidate->digest;
    auto same = configuration.isBaseline() ? known.end() : known.find(evaluation.digest);
    if (same != known.end()) {
      result = same->second;
      evaluation.sameAs = result.id;
    } else {
      result = configuration.isBaseline() ? measurer.measureBaseline(*made.candidate)
                                          : measurer.measure(*made.candidate);
      remember(evaluation.digest, result);
    }
  }
  result.id = problem.idOf(configuration);
  result.when = now();
  result.makeSeconds = made.seconds;
  result.failsCheck = made.failsCheck;
  return evaluation;
}

void LocalExecutor::remember(const std::string &digest, const runner::Result &result) {
  if (!digest.empty() && result.status != Status::Lost)
    known.emplace(digest, result);
}

// --- Recorded ------------------------------------------------------------------------------------------

RecordedExecutor::RecordedExecutor(const std::vector<Kept> &kept, const Problem &problem) : problem(problem) {
  for (const Kept &each : kept)
    if (each.result.status == Status::Measured && !each.result.predicted)
      isPredicted = false, deviceName = each.result.device;
  for (const Kept &each : kept) {
    const runner::Result &result = each.result;
    if (result.predicted && result.status == Status::Measured)
      predictions[each.configuration] = result.micros;
    const bool couldNotBeMade = result.status == Status::Refused || result.status == Status::FailsCheck;
    if (couldNotBeMade || result.predicted == isPredicted)
      results.insert_or_assign(each.configuration, each);
  }
  if (isPredicted && !kept.empty())
    deviceName = kept.front().result.device;
}

void RecordedExecutor::evaluate(const std::vector<Configuration> &configurations, const Heard &heard) {
  for (const Configuration &configuration : configurations) {
    auto found = results.find(configuration.str());
    if (found == results.end())
      continue; // the recorded search did not look at it
    Evaluation evaluation{configuration, found->second.result, found->second.digest, found->second.sameAs};
    evaluation.result.id = problem.idOf(configuration);
    if (!heard(evaluation))
      return;
  }
}

std::optional<double> RecordedExecutor::predicted(const std::string &configuration) const {
  auto found = predictions.find(configuration);
  return found == predictions.end() ? std::nullopt : std::optional(found->second);
}

} // namespace heddle::tune
