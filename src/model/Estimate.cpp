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

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::model {
namespace {

/// What streaming kernels reach of the memory bandwidth of a data sheet. On an H200 the best saxpy has 0.76,
/// the best sum of an array 0.83.
constexpr double DramEfficiency = 0.8;
/// Of an L2 cache's bytes a cycle: requests do not spread evenly over its slices.
constexpr double L2Efficiency = 0.7;
/// Where tables know nothing: latencies of Hopper, and what each SM gets from L2 in a cycle since Volta.
constexpr double L1Cycles = 32, L2Cycles = 280, DramCycles = 660;
constexpr double L2BytesPerSmCycle = 32;
/// From the end of one block to the first instruction of the next in its place: resources are given back and
/// given out, code and parameters fetched.
constexpr double BlockCycles = 1000;
/// Of the norm that joins the bounds: high enough that a lone bound is itself, low enough that two equal ones
/// cost a fifth more.
constexpr double Smoothness = 4;
/// A launch is said to fill a device with this many sets of resident blocks, so that the last, partly filled
/// one matters little.
constexpr double WavesToFill = 8;
constexpr double SectorBytes = 32, WarpSize = 32, Schedulers = 4;

/// Those before Memory are units of their own; what goes to memory is joined with the passes that it makes.
enum Pipe { Float, Alu, Double, Special, Tensor, Texture, Atomic, Barrier, Memory, Sequence, Pipes };

struct ClassRow {
  std::string_view name;
  Pipe pipe;
  double rate;
};
constexpr ClassRow classRows[] = {
#define MODEL_CLASS(NAME, PIPE, RATE) {NAME, PIPE, RATE},
#include "model/Pipes.def"
};

const ClassRow *rowOf(std::string_view cls) {
  const auto *found = std::find_if(std::begin(classRows), std::end(classRows),
                                   [&](const ClassRow &row) { return row.name == cls; });
  return found == std::end(classRows) ? nullptr : found;
}

/// What the bounds are made of, in the words of the device: cycles of all SMs, bytes.
struct Needs {
  double issueSlots = 0;
  double pipeCycles[Pipes] = {}; ///< of an SM's units, all SMs together
  double passes = 0;             ///< over shared memory and L1: they are one memory
  double l2Bytes = 0, dramBytes = 0;
  double roundCycles = 0; ///< what a round of global memory takes, on average
};

/// Rates of the table, but for fma.f32: bench/latency gets half of the 128 of the programming guide, which
/// are the 67 TFLOP/s of an H200's data sheet.
double rateOf(const ClassRow &row, const arch::Arch &arch) {
  const double measured = arch::throughputOf(arch.latencies, row.name).value_or(row.rate);
  return row.name == "fma.f32" ? std::max(measured, row.rate) : measured;
}

void addInstructions(Needs &needs, const LaunchWork &launch, const arch::Arch &arch) {
  for (const auto &[cls, count] : launch.instructions) {
    const ClassRow *row = rowOf(cls);
    if (cls == "mov.b32" || cls == "cvt.s64.s32")
      continue; // names of registers, mostly
    if (!row) {
      needs.issueSlots += double(count);
      continue;
    }
    const double cycles = double(count) * WarpSize / rateOf(*row, arch);
    if (row->pipe == Sequence)
      needs.issueSlots += cycles * Schedulers;
    else
      needs.issueSlots += double(count), needs.pipeCycles[row->pipe] += cycles;
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
  const double workingSet = once / launch.blocks * resident.blocksPerSm * SectorBytes;
  const double kept = workingSet > resident.l1Bytes ? resident.l1Bytes / workingSet : 1;
  reads.pastL1 = once + (reads.all - once) * (1 - kept);
  const double footprint = launch.distinctSectors * SectorBytes, half = arch.deviceL2Bytes / 2.0;
  reads.missing = half > 0 ? std::clamp((footprint - half) / half, 0.0, 1.0) : 1;
  return reads;
}

/// Writes go through L1; DRAM sees what is read and what is written, each once.
void addTraffic(Needs &needs, const LaunchWork &launch, const Reads &reads) {
  needs.passes += launch.bankPasses + launch.lines;
  needs.l2Bytes += (reads.pastL1 + launch.storeSectors) * SectorBytes;
  needs.dramBytes += (launch.readSectors + launch.writtenSectors) * SectorBytes * reads.missing;
}

/// Local memory passes L1 as global memory does, a line for each word of a warp. How often a spilled register
/// is stored and loaded nobody counts: once for each time that it stands in the code.
void addLocal(Needs &needs, const LaunchWork &launch, const Residency &resident) {
  const double spills = double(launch.spillBytes) / 4 * launch.warps;
  needs.issueSlots += spills;
  needs.passes += spills + launch.localAccesses;
  const double frames = double(launch.spillBytes) * launch.threadsPerBlock * resident.blocksPerSm;
  if (frames > resident.l1Bytes)
    needs.l2Bytes += spills * WarpSize * 4;
}

/// What a round of global memory takes, by the shares of who answers.
double roundCyclesOf(const LaunchWork &launch, const arch::Arch &arch, const Reads &reads) {
  auto cyclesOf = [&](const char *cls, double otherwise) {
    return arch.latencies ? arch::latencyOf(arch.latencies, cls).cycles : otherwise;
  };
  const double pastL1 = reads.all > 0 ? reads.pastL1 / reads.all : 0;
  const double pastL2 =
      reads.pastL1 > 0 ? std::min(1.0, launch.readSectors * reads.missing / reads.pastL1) : 0;
  return (1 - pastL1) * cyclesOf("ld.global.l1", L1Cycles) +
         pastL1 * ((1 - pastL2) * cyclesOf("ld.global.l2", L2Cycles) +
                   pastL2 * cyclesOf("ld.global.dram", DramCycles));
}

Residency residencyOf(const arch::Occupancy &occupancy, const LaunchWork &launch, const arch::Arch &arch) {
  const double used = double(occupancy.blocksPerSm) * double(launch.sharedBytes);
  // Some of it is L1 always; of that there are no public numbers for each generation.
  const double leastL1 = arch.sharedBytesPerSm / 8.0;
  return {double(occupancy.blocksPerSm), std::max(leastL1, arch.sharedBytesPerSm - used)};
}

double microsOf(double cycles, const arch::Arch &arch) { return cycles / arch.deviceClockMhz; }

/// Blocks are whole: with 133 of them on 132 SMs one has two, and all wait for it.
double evenness(double blocks, double places) { return std::ceil(blocks / places) * places / blocks; }

void addLatency(Estimate &made, const LaunchWork &launch, const arch::Arch &arch, const Needs &needs,
                const Residency &resident) {
  const double waves = std::ceil(launch.blocks / (arch.deviceSms * resident.blocksPerSm));
  const double cycles = launch.blockTime.cycles / launch.blocks,
               waiting = launch.blockTime.rounds / launch.blocks * needs.roundCycles;
  const double longest = launch.longestBlock.cycles + launch.longestBlock.rounds * needs.roundCycles;
  made.microsBy[unsigned(Limit::Latency)] =
      microsOf(std::max(waves * (BlockCycles + cycles + waiting), longest), arch);
  made.memoryShareOfLatency = cycles + waiting > 0 ? waiting / (cycles + waiting) : 0;
}

void addBounds(Estimate &made, const LaunchWork &launch, const arch::Arch &arch, const Needs &needs) {
  auto by = [&](Limit limit) -> double & { return made.microsBy[unsigned(limit)]; };
  // Of what SMs do by themselves the one with most blocks decides.
  const double sms = arch.deviceSms / evenness(launch.blocks, arch.deviceSms);
  by(Limit::Issue) = microsOf(needs.issueSlots / Schedulers / sms, arch);
  const double busiest = *std::max_element(needs.pipeCycles, needs.pipeCycles + Memory);
  by(Limit::Arithmetic) = microsOf(busiest / sms, arch);
  made.memoryShareOfPasses = needs.passes > 0 ? launch.lines / needs.passes : 0;
  by(Limit::SharedMemory) = microsOf(std::max(needs.passes, needs.pipeCycles[Memory]) / sms, arch);
  const double l2Rate =
      arch.deviceL2BytesPerCycle ? arch.deviceL2BytesPerCycle : L2BytesPerSmCycle * arch.deviceSms;
  by(Limit::L2) = microsOf(needs.l2Bytes / (l2Rate * L2Efficiency), arch);
  if (arch.deviceDramGigabytesPerSecond)
    by(Limit::Dram) = needs.dramBytes / (arch.deviceDramGigabytesPerSecond * DramEfficiency * 1e3);
  by(Limit::Launch) = arch.deviceLaunchNanos / 1e3;
}

/// What must pass before and after stays outside of the maximum.
double join(const Estimate &made) {
  double sum = 0;
  for (unsigned i = 0; i < Limits; ++i)
    if (Limit(i) != Limit::Launch)
      sum += std::pow(made.microsBy[i], Smoothness);
  return std::pow(sum, 1 / Smoothness) + made.microsBy[unsigned(Limit::Launch)];
}

arch::Occupancy occupancyOf(const LaunchWork &launch, const arch::Arch &arch) {
  // The machine has run it, so whatever it asks for was asked for in the right way.
  return arch::occupancy(arch, {launch.threadsPerBlock, launch.registers, 0, launch.sharedBytes});
}

} // namespace

const char *nameOf(Limit limit) {
  constexpr const char *names[Limits] = {"issue", "arithmetic", "shared memory", "L2",
                                         "DRAM",  "latency",    "launch"};
  return names[unsigned(limit)];
}

double blocksToFill(const LaunchWork &launch, const arch::Arch &arch) {
  return WavesToFill * arch.deviceSms * std::max(1u, occupancyOf(launch, arch).blocksPerSm);
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
  addTraffic(needs, launch, reads);
  addLocal(needs, launch, resident);
  needs.roundCycles = roundCyclesOf(launch, arch, reads);
  addBounds(made, launch, arch, needs);
  addLatency(made, launch, arch, needs, resident);
  made.limit = Limit(std::max_element(made.microsBy, made.microsBy + Limits) - made.microsBy);
  made.micros = join(made);
  return made;
}

} // namespace heddle::model
