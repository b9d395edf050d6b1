// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/ReplayMeasurer.h"

#include "replay/Protocol.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace heddle::tune {
namespace {

using PlainJson = nlohmann::json;
using runner::Result;
using runner::Status;

/// How a launch is timed. As many rounds as its spread needs, up to this number; kernels of seconds get a few.
constexpr unsigned warmUps = 3, rounds = 41;
constexpr double steadySpread = 0.005;
constexpr double mostTimingSeconds = 1;
/// Loading a capture may mean gigabytes.
constexpr double secondsToLoad = 120;
/// Objects that differ are written whole, and may have gigabytes.
constexpr double secondsToWrite = 60;
/// A GPU that is reset is back after this time. (One that is not is gone.)
constexpr double secondsToComeBack = 30;
constexpr auto pauseBetweenStarts = std::chrono::milliseconds(200);
/// What a candidate may take before it counts as hanging: a multiple of the baseline, and never less than this.
constexpr double leastLimit = 5, limitOverBaseline = 20;

Result failed(const Candidate &candidate, Status status, std::string reason) {
  Result result;
  result.id = candidate.id;
  result.status = status;
  result.reason = std::move(reason);
  return result;
}

double quantile(std::vector<double> sorted, double share) {
  return sorted[size_t(share * double(sorted.size() - 1) + 0.5)];
}

} // namespace

/// `rest`: how it is timed, and what else is wanted.
std::string ReplayMeasurer::lineFor(const Candidate &candidate, const std::string &rest) const {
  const ReplayLaunch &launch = *candidate.replay.launch;
  return fmt::format("measure {} {} {} {} {} {} {} {} {} {} {}{}", candidate.id,
                     replay::percentEncoded(candidate.replay.module.string()),
                     replay::percentEncoded(launch.kernel), launch.grid[0], launch.grid[1], launch.grid[2],
                     launch.block[0], launch.block[1], launch.block[2], launch.sharedBytes, rest,
                     launch.isCooperative ? " cooperative=1" : "");
}

std::string ReplayMeasurer::lineToMeasure(const Candidate &candidate) const {
  const std::string counters =
      model ? " counters=" + replay::percentEncoded(model->countersFile().string()) : "";
  return lineFor(candidate, fmt::format("{} {} {} {} steady={}{}", rounds, warmUps, problem.flushesL2 ? 1 : 0,
                                        mostTimingSeconds, steadySpread, counters));
}

ReplayMeasurer::ReplayMeasurer(const Problem &problem, std::vector<std::string> command, LocalExecutor &whole,
                               std::string kernel, bool timesInProgram, std::unique_ptr<ReplayModel> model)
    : problem(problem), command(std::move(command)), whole(whole), kernel(std::move(kernel)),
      timesInProgram(timesInProgram), model(std::move(model)) {}

bool ReplayMeasurer::start(std::string &error) {
  worker = std::make_unique<Conversation>(command, model ? model->environment() : std::vector<std::string>());
  const std::optional<std::string> greeting = worker->hear(secondsToLoad);
  const PlainJson json = PlainJson::parse(greeting.value_or(""), nullptr, false);
  if (json.is_object() && json.value("event", "") == "ready") {
    // Results of whole programs, and of launches of other kernels, are others.
    name = model ? model->device()
                 : fmt::format("{}, one launch of {}{}", json.value("device", ""), kernel,
                               problem.flushesL2 ? ", L2 flushed" : "");
    return true;
  }
  error = json.is_object() ? json.value("text", "") : fmt::format("heddle-replay {}", worker->howItEnded());
  worker.reset();
  return false;
}

std::string ReplayMeasurer::prepare() {
  std::string error;
  start(error);
  return error;
}

double ReplayMeasurer::limit() const {
  return std::min(problem.limits.run, baselineSeconds > 0
                                          ? std::max(leastLimit, limitOverBaseline * baselineSeconds)
                                          : problem.limits.run);
}

/// It was ended by the candidate, or is busy with it still.
Result ReplayMeasurer::workersEnd(const Candidate &candidate) {
  Result result =
      worker->hasEnded()
          ? failed(candidate, Status::Crashed, fmt::format("replaying it {}", worker->howItEnded()))
          : failed(candidate, Status::TimedOut, fmt::format("still running after {:.3g} s", limit()));
  worker.reset();
  return result;
}

/// Starts another worker. Where the GPU is not there, it may be back soon; where it was waited for in vain, it is not waited for
/// again.
bool ReplayMeasurer::startAgain(std::string &error) {
  const auto began = std::chrono::steady_clock::now();
  const auto isTimeLeft = [&] {
    return !isGone &&
           std::chrono::steady_clock::now() - began < std::chrono::duration<double>(secondsToComeBack);
  };
  bool isStarted = start(error);
  while (!isStarted && isTimeLeft()) {
    std::this_thread::sleep_for(pauseBetweenStarts);
    isStarted = start(error);
  }
  isGone = !isStarted;
  return isStarted;
}

/// A candidate that fails together with the worker may not be to blame: workers are killed, and GPUs are reset. What fails twice
/// fails.
Result ReplayMeasurer::replayed(const Candidate &candidate) {
  if (const std::string *known = model ? model->reply(candidate) : nullptr) {
    Result result = heard(candidate, *known);
    if (!candidate.isBaseline()) // which is replayed before a search begins
      result.runSeconds = 0;
    return result;
  }
  Result result = replayedOnce(candidate);
  return result.status == Status::Crashed && !worker ? replayedOnce(candidate) : result;
}

Result ReplayMeasurer::replayedOnce(const Candidate &candidate) {
  std::string error;
  if (!worker && !startAgain(error))
    return failed(candidate, Status::Lost, error);
  const Turn turn = takeTurn();
  const std::optional<std::string> reply =
      worker->say(lineToMeasure(candidate)) ? worker->hear(limit() + mostTimingSeconds) : std::nullopt;
  if (!reply)
    return workersEnd(candidate);
  const PlainJson json = PlainJson::parse(*reply, nullptr, false);
  if (json.is_object() && json.value("fatal", false))
    worker.reset(); // it is about to end, and the next candidate has nothing to do with that
  else if (model)
    model->learn(candidate, *reply);
  return heard(candidate, *reply);
}

Result ReplayMeasurer::heard(const Candidate &candidate, const std::string &reply) {
  Result result = fromReply(candidate, reply);
  if (model && (result.status == Status::Measured || result.status == Status::Wrong))
    model->predict(candidate, result);
  result.predicted = predicts();
  return result;
}

/// A result that differs has the status Wrong here.
Result ReplayMeasurer::fromReply(const Candidate &candidate, const std::string &line) const {
  const PlainJson json = PlainJson::parse(line, nullptr, false);
  if (!json.is_object() || json.value("event", "") != "result")
    return failed(candidate, Status::Lost,
                  "heddle-replay: " + (json.is_object() ? json.value("text", "") : line));
  const std::string status = json.value("status", "");
  if (status == "failed")
    return failed(candidate, Status::Crashed, json.value("text", ""));
  std::vector<double> micros = json.value("micros", std::vector<double>());
  if (micros.empty())
    return failed(candidate, Status::Crashed, "no time could be taken of it");
  std::ranges::sort(micros);
  // A program that reads the same may be lucky: what lies there is somebody's. (A baseline that does it has somebody.)
  if (!json.value("outside", PlainJson::array()).empty() && isReproduced && !candidate.isBaseline())
    return failed(candidate, Status::Crashed, json.value("text", ""));
  Result result =
      failed(candidate, status == "same" ? Status::Measured : Status::Wrong, json.value("text", ""));
  const ReplayLaunch &launch = *candidate.replay.launch;
  runner::KernelTime time;
  time.kernel = launch.kernel;
  std::ranges::copy(launch.grid, time.grid);
  std::ranges::copy(launch.block, time.block);
  time.launches = 1;
  result.micros = time.micros = quantile(micros, 0.5);
  result.q1 = time.q1 = quantile(micros, 0.25);
  result.q3 = time.q3 = quantile(micros, 0.75);
  time.samples = unsigned(micros.size());
  time.registers = json.value("registers", 0u);
  time.localBytes = json.value("local_bytes", uint64_t(0));
  time.sharedBytes = json.value("shared_bytes", uint64_t(0));
  time.occupancy = json.value("occupancy", 0.0);
  if (auto needs = candidate.needs.find(launch.kernel); needs != candidate.needs.end())
    time.spillBytes = needs->second.spillBytes;
  result.kernels = {time};
  result.runSeconds = json.value("seconds", 0.0);
  return result;
}

Result ReplayMeasurer::measureBaseline(const Candidate &baseline) {
  if (!baseline.replay.launch)
    return failed(baseline, Status::Crashed, "it cannot be replayed: " + baseline.replay.whyNot);
  Result result = replayed(baseline);
  if (result.status == Status::Wrong) {
    // Atomics in another order, or a race: then no replay can say whether a candidate is right.
    isReproduced = false;
    result.status = Status::Measured;
    result.reason = "what the launch leaves in memory varies: results are compared in the whole program";
  }
  baselineSeconds = result.runSeconds;
  baselineMicros = bestMicros = result.micros;
  result.device = name;
  result.predicted = predicts();
  return result;
}

void ReplayMeasurer::makeUnfusedBy(Maker &maker) {
  unfused =
      std::make_unique<UnfusedReplay>(problem, maker, [this](const Candidate &candidate, const auto &file) {
        return leaves(candidate, file);
      });
}

/// Replays it once, untimed. False where it fails.
bool ReplayMeasurer::leaves(const Candidate &candidate, const std::filesystem::path &differences) {
  std::string error;
  if (!worker && !startAgain(error))
    return false;
  const Turn turn = takeTurn();
  const std::string rest =
      fmt::format("0 0 0 {} {}", mostTimingSeconds, replay::percentEncoded(differences.string()));
  const std::optional<std::string> reply =
      worker->say(lineFor(candidate, rest)) ? worker->hear(limit() + secondsToWrite) : std::nullopt;
  const PlainJson json = PlainJson::parse(reply.value_or(""), nullptr, false);
  if (!json.is_object() || json.value("fatal", false))
    worker.reset();
  if (!json.is_object())
    return false;
  const std::string status = json.value("status", "");
  std::error_code ignored;
  return status == "same" || (status == "differs" && std::filesystem::exists(differences, ignored));
}

/// The replay left other bits behind, or cannot compare them.
Result ReplayMeasurer::decided(const Candidate &candidate, Result replayed) {
  if (isReproduced && unfused && unfused->isSame(candidate.configuration)) {
    replayed.status = Status::Measured;
    replayed.reason = "not bit-identical: other multiply-adds are fused";
    return replayed;
  }
  return decidedByProgram(candidate, std::move(replayed));
}

/// The program decides, the replay has the time.
Result ReplayMeasurer::decidedByProgram(const Candidate &candidate, Result replayed) {
  waitForProgram();
  if (!hasTime())
    return failed(candidate, Status::Lost,
                  fmt::format("no time is left to compare results in the whole program; in memory: {}",
                              replayed.reason));
  const Result inProgram = whole.evaluate(candidate.configuration).result;
  if (inProgram.status != Status::Measured) {
    replayed = inProgram;
    replayed.id = candidate.id;
    return replayed;
  }
  const std::string difference = replayed.reason;
  replayed.status = Status::Measured;
  replayed.reason =
      !inProgram.reason.empty() ? inProgram.reason
      : !isReproduced           ? ""
      : problem.tolerance.isExact()
          ? fmt::format("the whole program computes the same; memory that it does not read differs: {}",
                        difference)
          : fmt::format("the whole program computes the same within the tolerance; in memory: {}",
                        difference);
  return replayed;
}

/// As much faster or slower than the baseline as the whole program's launches are.
Result ReplayMeasurer::timedByProgram(const Candidate &candidate) {
  waitForProgram();
  const Result before = whole.evaluate(Configuration()).result;
  Result result = whole.evaluate(candidate.configuration).result;
  result.id = candidate.id;
  if (before.status != Status::Measured || result.status != Status::Measured || before.micros <= 0)
    return result;
  const double scale = baselineMicros / before.micros;
  for (double *time : {&result.micros, &result.q1, &result.q3})
    *time *= scale;
  result.reason = fmt::format("timed in the whole program, since {}", candidate.replay.whyNot);
  return result;
}

Result ReplayMeasurer::measure(const Candidate &candidate) {
  if (!candidate.replay.launch && !timesInProgram)
    return failed(
        candidate, Status::Refused,
        fmt::format("it cannot be replayed: {}; --whole-program measures it", candidate.replay.whyNot));
  Result result = candidate.replay.launch ? replayed(candidate) : timedByProgram(candidate);
  const bool isOpen = result.status == Status::Wrong || (result.status == Status::Measured && !isReproduced);
  if (candidate.replay.launch && isOpen && result.micros < bestMicros)
    result = decided(candidate, std::move(result));
  else if (candidate.replay.launch && isOpen) // where it would not win, running the program would be a waste
    result.reason =
        result.status == Status::Wrong
            ? fmt::format("memory differs from the baseline's, and it is not the fastest: {}", result.reason)
            : "not compared: it is not the fastest";
  if (result.status == Status::Measured)
    bestMicros = std::min(bestMicros, result.micros);
  result.device = name;
  result.predicted = predicts();
  return result;
}

} // namespace heddle::tune
