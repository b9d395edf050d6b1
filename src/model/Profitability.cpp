// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Profitability.h"

#include "arch/Common.h"
#include "model/Thresholds.h"

#include <algorithm>

namespace heddle::model {

double warpsToFill(const arch::Arch &arch) { return threshold::grid::leastWarpsPerSm * arch.deviceSms; }

bool fillsDevice(double warpsOfGrid, const arch::Arch &arch) { return warpsOfGrid >= warpsToFill(arch); }

// coarsen
// ------------------------------------------------------------------------------------------------------------

bool mergingPays(double gain) { return gain >= threshold::coarsen::leastGain; }

double nearlyLeast(double leastWork) { return leastWork * threshold::coarsen::nearBest; }

unsigned registersOfMerged(unsigned before, unsigned items, unsigned arrayRegistersPerItem) {
  return before + (items - 1) * (threshold::coarsen::registersPerItem + arrayRegistersPerItem);
}

bool mayTakeRegisters(unsigned registers, const arch::Arch &arch) {
  return registers <= threshold::coarsen::registerShare * arch.maxRegistersPerThread;
}

bool keepsOccupancy(double before, double after) {
  return after >=
         std::min(threshold::coarsen::leastOccupancy, before * threshold::coarsen::leastOccupancyLeft);
}

bool keepsOccupancyForMemory(double after) { return after >= threshold::coarsen::occupancyForMemory; }

// consolidate
// ------------------------------------------------------------------------------------------------------------

bool hidesBarriers(double workBetweenBarriers) {
  return workBetweenBarriers > threshold::consolidate::mostWorkBetweenBarriers;
}

bool keepsWarps(double before, double after) {
  return after >= threshold::consolidate::leastWarps &&
         after >= threshold::consolidate::leastWarpsLeft * before;
}

bool mayMoveToRegisters(int64_t registersPerLane) {
  return registersPerLane <= threshold::consolidate::mostRemappedRegisters;
}

// delegate
// ------------------------------------------------------------------------------------------------------------

unsigned persistentWarpsPerBlock(int64_t sharedBytes, unsigned throttle) {
  int64_t warps = threshold::delegate::warpsPerBlock;
  if (sharedBytes)
    warps = std::clamp<int64_t>(arch::commonLimits().staticSharedBytes / sharedBytes, 1, warps);
  return unsigned(throttle ? std::min<int64_t>(warps, throttle) : warps);
}

Persistence persistence(const TaskWork &work, const arch::Arch *arch) {
  const bool isSmall = work.workOfLane < threshold::delegate::smallTask;
  if (arch) {
    const int64_t resident = int64_t(work.residentAtBest()) * arch->deviceSms;
    if (work.tasks && *work.tasks < threshold::delegate::leastTasksPerWarp * resident)
      return Persistence::TooFewTasks;
    if (work.residentTogether >= threshold::delegate::leastGain * work.residentAlone)
      return Persistence::MoreResidentWarps;
  }
  return isSmall ? Persistence::SmallTasks : Persistence::LargeTasks;
}

bool pays(Persistence answer) {
  return answer == Persistence::MoreResidentWarps || answer == Persistence::SmallTasks;
}

// specialize
// ------------------------------------------------------------------------------------------------------------

Roles rolesPay(const TileWork &work, bool isBulkCopy) {
  using namespace threshold::specialize;
  if (work.loads < fewLoads)
    return Roles::FewLoads;
  if (work.reads == 0)
    return Roles::UnknownReuse;
  if (work.reuse() > muchReuse || (work.loads < manyLoads && work.reuse() >= someReuse))
    return Roles::ComputeBound;
  // Producers are fewer than the threads that load now; a bulk copy takes one of them whatever it copies.
  if (!isBulkCopy && work.steps > work.reads)
    return Roles::LongLoads;
  return Roles::Pay;
}

bool needsSeveralProducers(const TileWork &work) { return work.loads >= threshold::specialize::manyLoads; }

unsigned mostProducerWarps() { return threshold::specialize::mostProducers; }

unsigned buffersFor(int64_t tileBytes, bool isBulkCopy) {
  return isBulkCopy && tileBytes <= threshold::specialize::smallStage
             ? threshold::specialize::smallStageBuffers
             : threshold::specialize::buffers;
}

bool suitsBulkCopy(int64_t rowBytes) { return rowBytes >= threshold::specialize::longRow; }

namespace {

/// Registers are given to warps in units, so a thread has a multiple of this many. setmaxnreg takes no other numbers.
int64_t registerStep(const arch::Arch &arch) { return arch.registerAllocationUnit / arch.warpSize; }

int64_t roundedDown(int64_t registers, const arch::Arch &arch) {
  return registers / registerStep(arch) * registerStep(arch);
}

} // namespace

int64_t registersAtFirst(int64_t threads, const arch::Arch &arch) {
  return roundedDown(int64_t(arch.registersPerSm) / threads, arch);
}

RegisterSplit splitRegisters(int64_t producerThreads, int64_t consumerThreads, const arch::Arch &arch) {
  using namespace threshold::specialize;
  const int64_t threads = producerThreads + consumerThreads;
  const int64_t left = registersAtFirst(threads, arch) * threads - producerRegisters * producerThreads;
  const int64_t each = roundedDown(left / consumerThreads, arch);
  return {producerRegisters, unsigned(std::min<int64_t>(each, mostConsumerRegisters))};
}

} // namespace heddle::model
