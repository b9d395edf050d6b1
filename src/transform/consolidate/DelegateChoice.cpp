// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Persistent warps pay off in two ways. A multiprocessor has fewer places for blocks than for warps, so blocks
// of one warp fill only half of it, and blocks of several warps all of it. And a block that is done in no
// time costs more to start than to do. Neither helps where there are hardly more blocks than warps to do
// them: then the last of them to finish decides, and the hardware distributes blocks more evenly.
#include "transform/consolidate/DelegateChoice.h"

#include "arch/Common.h"
#include "model/Profitability.h"
#include "transform/work/WorkEstimate.h"

#include <algorithm>

namespace heddle::transform {
namespace {

int64_t staticSharedBytes(Context &context) {
  int64_t most = 0;
  for (const Kernel *kernel : context.target.instances)
    most = std::max(most, context.facts(*kernel).staticSharedBytes);
  return most;
}

unsigned residentWarps(const arch::Arch &arch, const KernelFacts &facts, unsigned warps) {
  arch::KernelResources resources = facts.resources(arch.warpSize * warps, facts.registersPerThread());
  resources.staticSharedBytes *= warps;
  resources.dynamicSharedBytes *= warps;
  return arch::occupancy(arch, resources).warpsPerSm;
}

std::string reasonOn(const arch::Arch &arch, const model::TaskWork &work, model::Persistence answer) {
  switch (answer) {
  case model::Persistence::TooFewTasks:
    return fmt::format("{} blocks are too few for {} persistent warps", *work.tasks,
                       int64_t(work.residentAtBest()) * arch.deviceSms);
  case model::Persistence::MoreResidentWarps:
    return fmt::format("a multiprocessor holds {} warps instead of {}", work.residentTogether,
                       work.residentAlone);
  case model::Persistence::SmallTasks:
    return "the work of a block is small compared with the cost of starting it";
  case model::Persistence::LargeTasks: break;
  }
  return fmt::format("a multiprocessor holds {} warps either way, and the work of a block is large compared "
                     "with the cost of starting it",
                     work.residentAlone);
}

} // namespace

unsigned warpsOfBlock(Context &context, unsigned throttle) {
  return model::persistentWarpsPerBlock(staticSharedBytes(context), throttle);
}

DelegateChoice chooseDelegation(Context &context) {
  const arch::Arch *device = context.options.arch;
  const arch::Arch &arch = device ? *device : arch::defaultArch();
  const KernelFacts &facts = context.facts(context.target.first());
  model::TaskWork work;
  work.workOfLane = estimateWork(facts, arch).total();
  work.residentAlone = residentWarps(arch, facts, 1);
  work.residentTogether = residentWarps(arch, facts, warpsOfBlock(context, 0));
  work.tasks = facts.blocksOfGrid();
  const model::Persistence answer = model::persistence(work, device);
  return {model::pays(answer),
          device                ? reasonOn(arch, work, answer)
          : model::pays(answer) ? "the work of a block is small compared with the cost of starting it"
                                : "the work of a block is not small compared with the cost of starting it"};
}

} // namespace heddle::transform
