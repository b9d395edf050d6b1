// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps that stay pay off in two ways. A multiprocessor has fewer places for blocks than for warps, so blocks
// of one warp fill only half of it, and blocks of several warps all of it. And a block that is done in no
// time costs more to start than to do. Neither helps where there are hardly more blocks than warps to do
// them: then the last of them to finish decides, and the hardware deals blocks out more evenly.
#include "transform/consolidate/DelegateChoice.h"

#include "arch/Common.h"
#include "transform/work/WorkEstimate.h"

#include <algorithm>

namespace heddle::transform {
namespace {

/// Enough to fill the warps of a multiprocessor from its places for blocks (64 and 32, 48 and 16 to 24).
/// More in a block would only end later together.
constexpr unsigned usualWarps = 4;

/// Below that many blocks for each resident warp, the hardware's own dealing is as good.
constexpr int64_t fewestRounds = 4;

/// A gain in resident warps that shows: on an H200 twice as many did (1.2 to 2.7 times as fast), a quarter
/// more did not pay for the loop.
constexpr double leastGain = 1.75;

/// Work of one lane, in arithmetic instructions, that starting a block compares with.
constexpr double smallTask = 256;

constexpr unsigned warpLanes = 32;

int64_t staticSharedBytes(Context &context) {
  int64_t most = 0;
  for (const source::Kernel *kernel : context.target.instances)
    most = std::max(most, context.facts(*kernel).staticSharedBytes);
  return most;
}

unsigned residentWarps(const arch::Arch &arch, const analysis::KernelFacts &facts, unsigned warps) {
  arch::KernelResources resources;
  resources.threadsPerBlock = warpLanes * warps;
  resources.registersPerThread = facts.registersPerThread();
  resources.staticSharedBytes = size_t(facts.staticSharedBytes) * warps;
  resources.dynamicSharedBytes = size_t(facts.dynamicSharedBytes.value_or(0)) * warps;
  return arch::occupancy(arch, resources).warpsPerSm;
}

std::optional<int64_t> tasksOf(const analysis::KernelFacts &facts) {
  const auto &grid = facts.launch.grid;
  if (!grid[0] || !grid[1] || !grid[2])
    return std::nullopt;
  return *grid[0] * *grid[1] * *grid[2];
}

} // namespace

unsigned warpsOfBlock(Context &context, unsigned throttle) {
  int64_t warps = usualWarps;
  if (const int64_t bytes = staticSharedBytes(context))
    warps = std::clamp<int64_t>(arch::commonLimits().staticSharedBytes / bytes, 1, warps);
  return unsigned(throttle ? std::min<int64_t>(warps, throttle) : warps);
}

DelegateChoice chooseDelegation(Context &context) {
  const analysis::KernelFacts &facts = context.facts(context.target.first());
  const double work = estimateWork(facts, nullptr, {}).total();
  if (!context.options.arch)
    return {work < smallTask, work < smallTask ? "a block's work is small" : "a block's work is not small"};
  const arch::Arch &arch = *context.options.arch;
  const unsigned alone = residentWarps(arch, facts, 1);
  const unsigned together = residentWarps(arch, facts, warpsOfBlock(context, 0));
  const std::optional<int64_t> tasks = tasksOf(facts);
  const int64_t places = int64_t(std::max(alone, together)) * arch.deviceSms;
  if (tasks && *tasks < fewestRounds * places)
    return {false, fmt::format("{} blocks for {} warps are too few for warps to stay", *tasks, places)};
  if (together >= leastGain * alone)
    return {true, fmt::format("a multiprocessor holds {} warps instead of {}", together, alone)};
  if (work < smallTask)
    return {true, "a block's work is small against starting it"};
  return {false,
          fmt::format("a multiprocessor holds {} warps either way, and a block's work is large against "
                      "starting it",
                      alone)};
}

} // namespace heddle::transform
