// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Counting.h"

#include "cudart/Registers.h"
#include "cudart/Report.h"
#include "vm/Machine.h"

#include <algorithm>

namespace heddle::cudart {
namespace {

/// Of a program that launches a kernel thousands of times so many say enough; the others are counted.
constexpr unsigned MostLaunchesOfAKernel = 256;

} // namespace

std::unique_ptr<model::LaunchCounter> ProgramCounting::watch(const vm::LaunchRequest &request) {
  std::lock_guard lock(guard);
  const std::string &name = vm::infoOf(*request.kernel).name;
  if (watched[name]++ >= MostLaunchesOfAKernel) {
    ++counters.skipped[name];
    return nullptr;
  }
  auto found = codes.find(request.kernel);
  if (found == codes.end())
    found = codes.emplace(request.kernel, model::codeOf(*request.kernel, arch)).first;
  return std::make_unique<model::LaunchCounter>(*request.kernel, found->second);
}

void ProgramCounting::launchEnded(model::LaunchCounter &counter, const vm::LaunchRequest &request,
                                  const vm::LaunchResult &result) {
  if (!result.ok())
    return; // it was stopped: its blocks did not come to their end
  std::lock_guard lock(guard);
  counters.launches.push_back(counter.take(registersOf(arch, vm::infoOf(*request.kernel))));
}

void ProgramCounting::write() {
  std::lock_guard lock(guard);
  // Launches of different streams end in any order.
  std::sort(counters.launches.begin(), counters.launches.end(),
            [](const auto &a, const auto &b) { return a.number < b.number; });
  counters.arch = arch.name;
  counters.complete = true;
  if (!model::writeCounters(file, counters))
    tell("cannot write the counters '" + file + "'");
}

} // namespace heddle::cudart
