// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Profile.h"

#include "cudart/Registers.h"
#include "cudart/Report.h"
#include "vm/Machine.h"

#include <algorithm>

namespace heddle::cudart {
namespace {

/// Vectors of every thread are kept for each launch that is watched, so programs that launch a kernel
/// thousands of times are watched for so many; the others are counted, and the report says so.
constexpr unsigned MostLaunchesOfAKernel = 16;

} // namespace

std::unique_ptr<divergence::Profiler> ProgramProfiler::watch(const vm::LaunchRequest &request) {
  std::lock_guard lock(guard);
  const std::string &name = vm::infoOf(*request.kernel).name;
  if (watched[name]++ >= MostLaunchesOfAKernel) {
    ++profile.skipped[name];
    return nullptr;
  }
  auto found = inputs.find(request.kernel);
  if (found == inputs.end())
    found = inputs.emplace(request.kernel, divergence::kernelInputs(*request.kernel)).first;
  return std::make_unique<divergence::Profiler>(*request.kernel, found->second);
}

void ProgramProfiler::launchEnded(divergence::Profiler &profiler, const vm::LaunchRequest &request,
                                  const vm::LaunchResult &result) {
  if (!result.ok())
    return; // it was stopped: its blocks did not come to their end
  std::lock_guard lock(guard);
  profile.launches.push_back(profiler.take(registersOf(arch, vm::infoOf(*request.kernel))));
}

void ProgramProfiler::write() {
  std::lock_guard lock(guard);
  // Launches of different streams end in any order.
  std::sort(profile.launches.begin(), profile.launches.end(),
            [](const auto &a, const auto &b) { return a.number < b.number; });
  profile.complete = true;
  if (!divergence::writeProfile(file, profile))
    tell("cannot write the profile '" + file + "'");
}

} // namespace heddle::cudart
