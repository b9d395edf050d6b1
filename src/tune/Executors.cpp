// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Executors.h"

#include "support/StartedProcess.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <deque>
#include <filesystem>
#include <list>
#include <utility>

namespace heddle::tune {
namespace {

using runner::Status;

/// Less than this is what a candidate needs.
constexpr uintmax_t leastFreeBytes = uintmax_t(1) << 20;

bool isTemporaryDiskFull() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  const std::filesystem::space_info space = std::filesystem::space(folder, failed);
  return !failed && space.available < leastFreeBytes;
}

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

} // namespace

// --- This process --------------------------------------------------------------------------------------

namespace {

/// Makes candidates ahead of the one that wants them.
class MakingAhead {
public:
  struct Order {
    unsigned jobs = 1;    ///< candidates that are made at a time
    size_t mostAhead = 1; ///< made and not measured yet, for each job
    bool isFixed = false; ///< they are wanted as they come from `more`; else what is made first comes first
  };
  MakingAhead(Maker &maker, const More &more, Order order) : maker(maker), more(more), order(order) {}

  struct Ready {
    Configuration configuration;
    Made made;
  };
  /// Waits for the next one; nothing where there are no more, or `isEnough` says so meanwhile. What became of the one before
  /// must be known to `more` by now.
  std::optional<Ready> next(const std::function<bool()> &isEnough, const std::function<void()> &meanwhile) {
    isAskedInVain = false;
    for (;; waitForCopies()) {
      meanwhile();
      fill();
      if (atWork.empty() || isEnough())
        return std::nullopt;
      for (auto each = atWork.begin(); each != atWork.end(); ++each) {
        if (each->making->isOver()) {
          Ready ready{each->configuration, each->making->made()};
          atWork.erase(each);
          fill(); // others are made while this one is measured
          return ready;
        }
        if (order.isFixed)
          break;
      }
    }
  }

private:
  struct AtWork {
    Configuration configuration;
    std::unique_ptr<Making> making;
  };

  void fill() {
    size_t busy = 0;
    for (AtWork &each : atWork)
      busy += !each.making->isOver();
    while (busy < order.jobs && atWork.size() < order.mostAhead * order.jobs && hasWaiting()) {
      std::unique_ptr<Making> making = maker.begin(waiting.front());
      atWork.push_back({std::move(waiting.front()), std::move(making)});
      waiting.pop_front();
      busy += !atWork.back().making->isOver();
    }
  }
  bool hasWaiting() {
    if (waiting.empty() && !isAskedInVain)
      for (Configuration &each : more())
        waiting.push_back(std::move(each));
    isAskedInVain = waiting.empty();
    return !waiting.empty();
  }

  Maker &maker;
  const More &more;
  const Order order;
  std::deque<Configuration> waiting;
  std::list<AtWork> atWork;
  bool isAskedInVain = false; ///< until something else is known
};

/// Text and PTX of what was made are kept until it is measured.
constexpr size_t mostAhead = 4;
/// Where what comes next depends on what was measured, as few as keep the processors busy.
constexpr size_t mostAheadWhereAsked = 2;

} // namespace

LocalExecutor::LocalExecutor(const Problem &problem, Maker &maker, Measurer &measurer, unsigned jobs)
    : problem(problem), maker(maker), measurer(measurer), jobs(jobs), isDiskFull(isTemporaryDiskFull) {}

void LocalExecutor::evaluate(const std::vector<Configuration> &configurations, const Heard &heard) {
  theBaseline();
  std::vector<Configuration> others;
  for (const Configuration &configuration : configurations)
    if (!configuration.isBaseline())
      others.push_back(configuration);
    else if (!heard(*baseline))
      return;
  const More more = [&] { return std::exchange(others, {}); };
  MakingAhead ahead(maker, more, {jobs, mostAhead, measurer.predicts()});
  while (auto ready = ahead.next(isEnough, meanwhile))
    if (!heard(evaluateOne(ready->configuration, ready->made)))
      return;
}

void LocalExecutor::evaluateAll(const More &more, const Heard &heard) {
  if (measurer.predicts()) // a search gives the same twice only if it hears everything before it asks
    return Executor::evaluateAll(more, heard);
  std::vector<Configuration> first = more();
  if (first.empty())
    return;
  theBaseline();
  const More others = [&] { return first.empty() ? more() : std::exchange(first, {}); };
  MakingAhead ahead(maker, others, {jobs, mostAheadWhereAsked, false});
  while (auto ready = ahead.next(isEnough, meanwhile))
    if (!heard(ready->configuration.isBaseline() ? *baseline
                                                 : evaluateOne(ready->configuration, ready->made)))
      return;
}

Evaluation LocalExecutor::evaluate(const Configuration &configuration) {
  const Evaluation &first = theBaseline();
  return configuration.isBaseline() ? first : evaluateOne(configuration, finished(configuration));
}

const Evaluation &LocalExecutor::theBaseline() {
  if (!baseline)
    baseline = evaluateOne({}, finished({}));
  return *baseline;
}

LocalExecutor::Prepared &LocalExecutor::begun(const Configuration &configuration) {
  auto [found, isNew] = prepared.try_emplace(configuration.str());
  if (isNew)
    found->second.making = maker.begin(configuration);
  return found->second;
}

/// One step further. True where nothing is at work any more.
bool LocalExecutor::advance(Prepared &each) {
  if (each.making) {
    if (!each.making->isOver())
      return false;
    each.made = each.making->made();
    each.making.reset();
    if (each.made.candidate)
      measurer.beginToPrepare(*each.made.candidate);
  }
  return !each.made.candidate || measurer.isPrepared(*each.made.candidate);
}

/// Waits. What was not prepared is made now.
Made LocalExecutor::finished(const Configuration &configuration) {
  const auto found = prepared.find(configuration.str());
  if (found == prepared.end())
    return maker.make(configuration);
  if (found->second.making) {
    found->second.made = found->second.making->made();
    found->second.making.reset();
  }
  return found->second.made;
}

void LocalExecutor::prepare(const std::vector<Configuration> &wanted, unsigned most) {
  // Whether others are checked depends on the findings of the check in the baseline.
  Prepared &first = begun({});
  if (!advance(first) && first.making)
    return;
  size_t busy = 0;
  for (auto &[name, each] : prepared)
    busy += !advance(each);
  for (const Configuration &configuration : wanted)
    if (busy < most && !prepared.contains(configuration.str()))
      busy += !advance(begun(configuration));
}

bool LocalExecutor::isPrepared(const Configuration &configuration) {
  const auto found = prepared.find(configuration.str());
  return found != prepared.end() && advance(found->second);
}

const Made *LocalExecutor::rejected(const Configuration &configuration) const {
  const auto found = prepared.find(configuration.str());
  const bool isMade = found != prepared.end() && !found->second.making;
  return isMade && !found->second.made.candidate ? &found->second.made : nullptr;
}

std::string LocalExecutor::failsCheckOfBaseline() const {
  const auto found = prepared.find(Configuration().str());
  return baseline                  ? baseline->result.failsCheck
         : found != prepared.end() ? found->second.made.failsCheck
                                   : "";
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
      loseWhereDiskIsFull(result);
      remember(evaluation.digest, result);
    }
  }
  loseWhereDiskIsFull(result);
  result.id = problem.idOf(configuration);
  result.when = now();
  result.makeSeconds = made.seconds;
  result.failsCheck = made.failsCheck;
  return evaluation;
}

void LocalExecutor::loseWhereDiskIsFull(runner::Result &result) const {
  if (result.status == Status::Measured || result.status == Status::Lost || !isDiskFull())
    return;
  result.status = Status::Lost;
  result.reason = "the disk of temporary files is full: " + result.reason;
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
