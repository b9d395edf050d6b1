// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch needs several things at once, each of which alone would take some time: issue slots, arithmetic
// units, passes over shared memory and L1, bytes from L2 and from DRAM, and the time that its warps are under
// way by themselves, one set of resident blocks after the other. The longest of them decides; where two are
// about as long they get into each other's way, so the estimate is a smooth maximum of all. Nothing here is
// fitted to a program: the constants below are of the device or of how such devices are known to behave, and
// docs/model.md shows how far the result is from what an H200 took.
#include "model/Estimate.h"

#include "arch/Occupancy.h"
#include "model/Rates.h"
#include "model/Thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::model {
namespace {

namespace bound = threshold::launch;

/// What the bounds are made of, in the words of the device: cycles of all SMs, bytes.
struct Needs {
  double issueSlots = 0;
  double pipeCycles[Pipes] = {}; ///< of an SM's units, all SMs together
  double passes = 0;             ///< over shared memory and L1: they are one memory
  double l2Bytes = 0, dramBytes = 0;
  double l2ReadBytes = 0; ///< as many reads as take L2 as long: writes take longer
  double roundCycles = 0; ///< what a round of global memory takes, on average
};

/// Each has a part of the register file of its own.
double schedulersOf(const arch::Arch &arch) { return arch.warpAllocationGranularity; }

void addInstructions(Needs &needs, const LaunchWork &launch, const arch::Arch &arch) {
  for (const auto &[cls, count] : launch.instructions) {
    const std::optional<ClassRate> rate = rateOf(cls, arch);
    if (cls == "mov.b32" || cls == "cvt.s64.s32")
      continue; // names of registers, mostly
    if (!rate) {
      needs.issueSlots += double(count);
      continue;
    }
    const double cycles = double(count) * arch.warpSize / rate->perCycle;
    if (rate->pipe == Sequence)
      needs.issueSlots += cycles * schedulersOf(arch);
    else
      needs.issueSlots += double(count), needs.pipeCycles[rate->pipe] += cycles;
  }
}

struct Residency {
  double blocksPerSm = 1;
  double l1Bytes = 0; ///< what shared memory leaves of it
};

/// What is read, and from where, in sectors.
struct Reads {
  double all = 0, pastL1 = 0;
  double missing = 0; ///< share of what the launch touches that L2 does not have
};

/// Reads that a block makes again come from L1 as far as what resident blocks read fits into it. L2 has what
/// fits into half of it, since each half of the device keeps its own copies, and nothing of what is larger
/// than all of it: launches are taken to follow others on the same data, as in a time step or in a
/// measurement.
Reads readsOf(const LaunchWork &launch, const arch::Arch &arch, const Residency &resident) {
  Reads reads;
  reads.all = launch.loadSectors;
  const double once = std::min(reads.all, launch.blockSectors);
  const double workingSet = once / launch.blocks * resident.blocksPerSm * arch.l2SectorBytes;
  const double kept = workingSet > resident.l1Bytes ? resident.l1Bytes / workingSet : 1;
  reads.pastL1 = once + (reads.all - once) * (1 - kept);
  const double footprint = launch.distinctSectors * arch.l2SectorBytes, half = arch.deviceL2Bytes / 2.0;
  reads.missing = half > 0 ? std::clamp((footprint - half) / half, 0.0, 1.0) : 1;
  return reads;
}

/// Writes go through L1; DRAM sees what is read and what is written, each once.
void addTraffic(Needs &needs, const LaunchWork &launch, const arch::Arch &arch, const Reads &reads) {
  needs.passes += launch.bankPasses + launch.atomicPasses + launch.lines;
  needs.l2Bytes += (reads.pastL1 + launch.storeSectors) * arch.l2SectorBytes;
  needs.l2ReadBytes += (reads.pastL1 + launch.storeSectors * bound::l2WriteCost) * arch.l2SectorBytes;
  needs.dramBytes += (launch.readSectors + launch.writtenSectors) * arch.l2SectorBytes * reads.missing;
}

/// Local memory passes L1 as global memory does, a line for each word of a warp. How often a spilled register
/// is stored and loaded is not counted: once for each time that it is in the code.
void addLocal(Needs &needs, const LaunchWork &launch, const arch::Arch &arch, const Residency &resident) {
  const double spills = double(launch.spillBytes) / 4 * launch.warps;
  needs.issueSlots += spills;
  needs.passes += spills + launch.localAccesses;
  const double frames = double(launch.spillBytes) * launch.threadsPerBlock * resident.blocksPerSm;
  if (frames > resident.l1Bytes) {
    needs.l2Bytes += spills * arch.warpSize * 4;
    needs.l2ReadBytes += spills * arch.warpSize * 4;
  }
}

/// What a round of global memory takes, by the shares of who answers.
double roundCyclesOf(const LaunchWork &launch, const arch::Arch &arch, const Reads &reads) {
  auto cyclesOf = [&](const char *cls, double otherwise) {
    return arch.latencies ? arch::latencyOf(arch.latencies, cls).cycles : otherwise;
  };
  // Sectors of textures are not counted: their data is taken to be read once.
  if (reads.all == 0)
    return cyclesOf("ld.global.dram", bound::dramCycles);
  const double pastL1 = reads.pastL1 / reads.all;
  const double pastL2 =
      reads.pastL1 > 0 ? std::min(1.0, launch.readSectors * reads.missing / reads.pastL1) : 0;
  return (1 - pastL1) * cyclesOf("ld.global.l1", bound::l1Cycles) +
         pastL1 * ((1 - pastL2) * cyclesOf("ld.global.l2", bound::l2Cycles) +
                   pastL2 * cyclesOf("ld.global.dram", bound::dramCycles));
}

Residency residencyOf(const arch::Occupancy &occupancy, const LaunchWork &launch, const arch::Arch &arch) {
  const double used = double(occupancy.blocksPerSm) * double(launch.sharedBytes);
  // Some of it is L1 always; of that there are no public numbers for each generation.
  const double leastL1 = arch.sharedBytesPerSm * bound::leastL1Share;
  return {double(occupancy.blocksPerSm), std::max(leastL1, arch.sharedBytesPerSm - used)};
}

double microsOf(double cycles, const arch::Arch &arch) { return cycles / arch.deviceClockMhz; }

/// Blocks are whole: with 133 of them on 132 SMs one has two, and all wait for it.
double evenness(double blocks, double places) { return std::ceil(blocks / places) * places / blocks; }

void addLatency(Estimate &made, const LaunchWork &launch, const arch::Arch &arch, const Needs &needs,
                const Residency &resident) {
  const double roundCycles = needs.roundCycles * bound::loadedLatency;
  const double warpsPerBlock = std::ceil(double(launch.threadsPerBlock) / arch.warpSize);
  LatencyParts &parts = made.latency;
  parts.waves = launch.blocks / (arch.deviceSms * resident.blocksPerSm);
  parts.startMicros = microsOf(bound::blockCycles, arch);
  parts.chainMicros = microsOf(launch.blockTime.cycles / launch.blocks * bound::loadedChain, arch);
  parts.waitMicros = microsOf(launch.blockTime.rounds / launch.blocks * roundCycles, arch);
  if (launch.warps > 0)
    parts.barrierMicros =
        microsOf(launch.barriers / launch.warps * bound::barrierCycles * (warpsPerBlock - 1), arch);
  parts.longestMicros = microsOf(
      launch.longestBlock.cycles * bound::loadedChain + launch.longestBlock.rounds * roundCycles, arch);
  parts.dispatchMicros = microsOf(launch.blocks / (arch.deviceSms * bound::blocksPerSmCycle), arch);
  made.microsBy[unsigned(Limit::Latency)] =
      std::max({std::ceil(parts.waves) * parts.blockMicros(), parts.longestMicros, parts.dispatchMicros});
  const double own = parts.chainMicros + parts.waitMicros;
  made.memoryShareOfLatency = own > 0 ? parts.waitMicros / own : 0;
}

void addBounds(Estimate &made, const LaunchWork &launch, const arch::Arch &arch, const Needs &needs) {
  auto by = [&](Limit limit) -> double & { return made.microsBy[unsigned(limit)]; };
  // Of what SMs do by themselves the one with most blocks decides.
  const double sms = arch.deviceSms / evenness(launch.blocks, arch.deviceSms);
  by(Limit::Issue) = microsOf(needs.issueSlots / schedulersOf(arch) / sms, arch);
  const double busiest = *std::max_element(needs.pipeCycles, needs.pipeCycles + Memory);
  by(Limit::Arithmetic) = microsOf(busiest / sms, arch);
  made.memoryShareOfPasses = needs.passes > 0 ? launch.lines / needs.passes : 0;
  by(Limit::SharedMemory) = microsOf(std::max(needs.passes, needs.pipeCycles[Memory]) / sms, arch);
  const double l2Rate =
      arch.deviceL2BytesPerCycle ? arch.deviceL2BytesPerCycle : bound::l2BytesPerSmCycle * arch.deviceSms;
  // Atomics on one page go to a few slices of L2.
  by(Limit::L2) = std::max(microsOf(needs.l2ReadBytes / (l2Rate * bound::l2Efficiency), arch),
                           microsOf(launch.hottestAtomics / bound::hotAtomicsPerCycle, arch));
  if (arch.deviceDramGigabytesPerSecond)
    by(Limit::Dram) = needs.dramBytes / (arch.deviceDramGigabytesPerSecond * bound::dramEfficiency * 1e3);
  by(Limit::Launch) = arch.deviceLaunchNanos / 1e3;
}

/// What must pass before and after stays outside of the maximum.
double join(const Estimate &made) {
  double sum = 0;
  for (unsigned i = 0; i < Limits; ++i)
    if (Limit(i) != Limit::Launch)
      sum += std::pow(made.microsBy[i], bound::smoothness);
  return std::pow(sum, 1 / bound::smoothness) + made.microsBy[unsigned(Limit::Launch)];
}

arch::Occupancy occupancyOf(const LaunchWork &launch, const arch::Arch &arch) {
  // The simulator has run it, so whatever it asks for was asked for in the right way.
  return arch::occupancy(arch, {launch.threadsPerBlock, launch.registers, 0, launch.sharedBytes});
}

} // namespace

bool Estimate::isMemoryBound() const {
  return limit == Limit::L2 || limit == Limit::Dram ||
         (limit == Limit::Latency && memoryShareOfLatency > bound::memoryBoundShare) ||
         (limit == Limit::SharedMemory && memoryShareOfPasses > bound::memoryBoundShare);
}

const char *nameOf(Limit limit) {
  constexpr const char *names[Limits] = {"issue", "arithmetic", "shared memory", "L2",
                                         "DRAM",  "latency",    "launch"};
  return names[unsigned(limit)];
}

double blocksToFill(const LaunchWork &launch, const arch::Arch &arch) {
  return bound::wavesToFill * arch.deviceSms * std::max(1u, occupancyOf(launch, arch).blocksPerSm);
}

Estimate estimate(const LaunchWork &launch, const arch::Arch &arch) {
  Estimate made;
  const arch::Occupancy occupancy = occupancyOf(launch, arch);
  if (occupancy.blocksPerSm == 0) {
    made.micros = std::numeric_limits<double>::infinity();
    made.impossible = occupancy.impossible.empty() ? "it does not fit" : occupancy.impossible.front();
    return made;
  }
  made.occupancy = occupancy.percent;
  const Residency resident = residencyOf(occupancy, launch, arch);
  Needs needs;
  addInstructions(needs, launch, arch);
  const Reads reads = readsOf(launch, arch, resident);
  addTraffic(needs, launch, arch, reads);
  addLocal(needs, launch, arch, resident);
  needs.roundCycles = roundCyclesOf(launch, arch, reads);
  made.l2Bytes = needs.l2Bytes, made.dramBytes = needs.dramBytes;
  addBounds(made, launch, arch, needs);
  addLatency(made, launch, arch, needs, resident);
  made.limit = Limit(std::max_element(made.microsBy, made.microsBy + Limits) - made.microsBy);
  made.micros = join(made);
  return made;
}

} // namespace heddle::model
