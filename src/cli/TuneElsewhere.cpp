// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneElsewhere.h"

#include "InputOutput.h"
#include "build/Build.h"
#include "build/Gpu.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "support/ShellText.h"
#include "tune/Report.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <unistd.h>

namespace heddle::cli {

void writePlan(const TuneRun &run, Session &session) {
  const std::string &folder = run.request.plan;
  if (std::optional<FileFailure> failure = makeFolder(folder))
    return complain(*failure, session);
  std::unique_ptr<tune::Maker> maker = run.maker();
  Predictor predictor(run, *maker);
  tune::SearchOptions options = run.searchOptions();
  options.predictor = predictor.evaluator();
  const bool onTerminal = isatty(STDERR_FILENO);
  auto report = [&](size_t made, size_t of) {
    if (onTerminal)
      std::cerr << fmt::format("\r\033[K[{}/{}] made", made, of) << std::flush;
  };
  tune::Search search(run.problem, run.space, {nullptr, false, ""}, run.cache.get(), options);
  tune::Plan plan(run.problem, folder);
  plan.rounds = run.request.rounds;
  plan.copies = run.request.copies;
  const std::string error = tune::writePlanOf(search.plan(), *maker, plan, report);
  if (onTerminal)
    std::cerr << "\r\033[K";
  if (!error.empty())
    return complain(session, error, "", ExitRefused);
  if (std::string warning = tune::Report::warningOf(plan.baselineFails()); !warning.empty())
    std::cerr << fmt::format("heddle: {}\n", warning);
  if (plan.size() == 1 && run.cache)
    std::cout << "all candidates have results already; the plan has the baseline only\n";
  std::cout << fmt::format("{0}: {1} to measure, compiled for {2}{3}\n"
                           "next: copy it to a machine with a GPU, run this there, copy it back:\n"
                           "  heddle-runner {4}\n"
                           "and repeat this command with this instead of --plan:\n"
                           "  --collect {4}\n",
                           folder, counted(plan.size(), "candidate"), run.problem.arch,
                           run.request.source.isArchGiven() ? "" : ", the default: --arch names another GPU",
                           shellWord(folder));
}

tune::Report reportOn(const std::vector<tune::Kept> &kept, const TuneRun &run, tune::SearchOptions options) {
  tune::RecordedExecutor executor(kept, run.problem);
  options.predicted = [&executor](const std::string &configuration) {
    return executor.predicted(configuration);
  };
  return tune::Search(run.problem, run.space, {&executor, executor.predicts(), executor.device()}, nullptr,
                      options)
      .run();
}

std::optional<tune::Report> collect(const TuneRun &run, tune::SearchOptions options, Session &session) {
  const std::string &folder = run.request.collect;
  if (!canReadText(std::filesystem::path(folder) / "plan.json", session))
    return std::nullopt;
  std::string error;
  std::optional<tune::Collected> collected = tune::collect(folder, run.problem, error);
  if (!collected) {
    complain(session, error, "--collect needs the same files, options and arguments as --plan", ExitBadUsage);
    return std::nullopt;
  }
  if (collected->device.empty()) {
    complain(session, fmt::format("'{}' holds no results", folder),
             fmt::format("heddle-runner {} measures them", shellWord(folder)), ExitRefused);
    return std::nullopt;
  }
  std::vector<tune::Kept> kept;
  if (run.cache) {
    tune::takeOver(*collected, run.space, run.problem, *run.cache);
    for (const tune::Kept &each : run.cache->all())
      if (each.result.predicted || each.result.device == collected->device || each.result.device.empty())
        kept.push_back(each);
  }
  for (const auto &[id, each] : collected->byId)
    kept.push_back(each);
  if (collected->missing)
    std::cerr << fmt::format("{} of {} candidates have no result yet\n", collected->missing,
                             collected->missing + collected->byId.size());
  // Everything that is there is shown, whatever proposed it.
  options.strategy = "exhaustive";
  options.budget = {};
  tune::Report report = reportOn(kept, run, options);
  report.strategy = run.request.strategy;
  return report;
}

bool SharedSearch::join(Session &session) {
  if (!ranks::isUnderMpirun())
    return true;
  std::string error;
  joined = ranks::openRanks(build::libraryFolder().string(), error);
  if (!joined)
    complain(session, error, "without mpirun one process does everything", ExitBadUsage);
  if (!isWorker())
    return joined != nullptr;
  const char *now = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string mine = ranks::deviceOf(joined->numberOnThisMachine(), build::gpuCount(), now ? now : "");
  setenv("CUDA_VISIBLE_DEVICES", mine.c_str(), 1);
  return true;
}

SharedSearch::~SharedSearch() {
  if (joined)
    joined->finish();
}

} // namespace heddle::cli
