// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneElsewhere.h"

#include "build/Build.h"
#include "tune/GpuMeasurer.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <unistd.h>

namespace heddle::cli {

void writePlan(const tune::Space &space, tune::Maker &maker, tune::Plan &plan, const std::string &folder,
               Session &session) {
  const bool onTerminal = isatty(STDERR_FILENO);
  const std::string error = tune::writePlanOf(space, maker, plan, [&](size_t made, size_t of) {
    if (onTerminal)
      std::cerr << fmt::format("\r\033[K[{}/{}] made", made, of) << std::flush;
  });
  if (onTerminal)
    std::cerr << "\r\033[K";
  if (!error.empty())
    return complain(session, error, "--plan names a folder that may be written", 1);
  std::cout << fmt::format("{0}: {1} candidates to measure\n"
                           "carry it to the GPU, call  heddle-runner {0}  there, bring it back, and then\n"
                           "say the same again with  --collect {0}  in the place of --plan\n",
                           folder, plan.size());
}

std::optional<std::vector<tune::Kept>> collectResults(const std::string &folder, const tune::Space &space,
                                                      const tune::Problem &problem, tune::Cache *cache,
                                                      Session &session) {
  std::string error;
  std::optional<tune::Collected> collected = tune::collect(folder, problem, error);
  if (!collected) {
    complain(session, error, "what was said for --plan must be said again for --collect", 2);
    return std::nullopt;
  }
  if (collected->device.empty()) {
    complain(session, fmt::format("'{}' holds no results", folder),
             fmt::format("heddle-runner {} measures them", folder), 1);
    return std::nullopt;
  }
  std::vector<tune::Kept> kept;
  for (const auto &[id, each] : collected->byId)
    kept.push_back(each);
  if (cache)
    tune::takeOver(*collected, space, problem, *cache);
  if (collected->missing)
    std::cerr << fmt::format("{} of {} candidates have no result yet\n", collected->missing,
                             collected->missing + collected->byId.size());
  return kept;
}

bool SharedSearch::join(Session &session) {
  if (!ranks::isUnderMpirun())
    return true;
  std::string error;
  joined = ranks::openRanks(build::libraryFolder().string(), error);
  if (!joined)
    complain(session, error, "without mpirun one process does everything", 2);
  if (!isWorker())
    return joined != nullptr;
  const char *now = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string mine = ranks::deviceOf(joined->numberOnThisMachine(), tune::gpuCount(), now ? now : "");
  setenv("CUDA_VISIBLE_DEVICES", mine.c_str(), 1);
  return true;
}

SharedSearch::~SharedSearch() {
  if (joined)
    joined->finish();
}

} // namespace heddle::cli
