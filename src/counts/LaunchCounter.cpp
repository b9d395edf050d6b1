// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts/LaunchCounter.h"

#include "divergence/InstructionLatency.h"
#include "model/Thresholds.h"
#include "vm/Code.h"
#include "vm/Lanes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heddle::counts {
namespace {

/// To find which warp, or block, takes longest: who answers a round of memory is not known yet.
double weightOf(const WarpTime &time) {
  return time.cycles + model::threshold::launch::cyclesPerRound * time.rounds;
}
constexpr double micros = 1e6;
int64_t micro(double value) { return std::llround(value * micros); }
/// Which lane has which element of a fragment is not specified: a GPU reads rows of 8 elements, without conflicts where their
/// distance allows it.
bool isFragment(const ptx::Instr &instr) {
  using enum ptx::Op;
  return instr.op == WmmaLoadA || instr.op == WmmaLoadB || instr.op == WmmaLoadC || instr.op == WmmaStoreD;
}

bool isShorter(const WarpTime &a, const WarpTime &b) { return weightOf(a) < weightOf(b); }

} // namespace

KernelCode codeOf(const vm::Kernel &kernel, const arch::Arch &arch) {
  KernelCode code{mergedLoadsOf(kernel), {}};
  code.spans = spansOf(kernel, code.loads, arch.latencies);
  return code;
}

void LaunchCounter::kernelBegin(const vm::LaunchRequest &request, const vm::KernelInfo &info,
                                uint64_t number) {
  Counters::kernelBegin(request, info, number);
  facts.kernel = info.name;
  facts.number = number;
  facts.sharedBytes = info.staticSharedBytes + request.dynamicSharedBytes;
  const vm::Dim3 sizes[] = {request.grid, request.block};
  for (int i = 0; i < 2; ++i) {
    uint32_t (&to)[3] = i == 0 ? facts.grid : facts.block;
    to[0] = sizes[i].x, to[1] = sizes[i].y, to[2] = sizes[i].z;
  }
  running.resize(request.grid.count());
}

LaunchCounter::OfCore &LaunchCounter::coreOf(const vm::WarpRef &at) {
  OfCore &core = cores[at.core % MostCores];
  if (core.codeBlocks.empty())
    core.codeBlocks.resize(kernel.codeBlocks.size());
  return core;
}

void LaunchCounter::blockBegin(const vm::WarpRef &at) {
  Counters::blockBegin(at);
  auto block = std::make_unique<BlockState>();
  block->entries.resize((facts.threadsPerBlock() + vm::Lanes - 1) / vm::Lanes * kernel.codeBlocks.size());
  running[at.blockIndex] = std::move(block);
}

void LaunchCounter::codeBlock(const vm::WarpRef &at, const vm::BlockOfCode &block, uint32_t mask) {
  codeBlocks(at, block, mask, 1);
}

void LaunchCounter::codeBlocks(const vm::WarpRef &at, const vm::BlockOfCode &block, uint32_t mask,
                               uint64_t times) {
  CodeCount &count = coreOf(at).codeBlocks[block.index];
  count.entries += times;
  count.lanes += times * vm::countLanes(mask);
  running[at.blockIndex]->entries[at.warp * kernel.codeBlocks.size() + block.index] += times;
}

/// Loads that are part of another one are none in the machine code; the one that they are part of is wider.
LaunchCounter::SharedCost LaunchCounter::costOf(vm::SiteRef site, const uint64_t *addresses, uint32_t mask,
                                                unsigned bytes) const {
  const MergedLoad &load = code.loads[site.site];
  if (load.isPartOfAnother())
    return {};
  if (isFragment(*site.instruction))
    return {.fragmentBytes = uint64_t(bytes) * vm::countLanes(mask)};
  const unsigned width = load.isAlone() ? bytes : load.bytes;
  return {vm::bankUse(addresses, mask, width).wavefronts, vm::passesOfWords(addresses, mask, width)};
}

LaunchCounter::SharedCost LaunchCounter::costOf(vm::SiteRef site, const vm::PlainAccess &access) const {
  std::array<uint64_t, vm::Lanes> buffer;
  if (!code.loads[site.site].isAlone() || access.bytes > 4)
    return costOf(site, vm::addressesOf(access, buffer), access.mask, access.bytes);
  const uint64_t wavefronts = vm::bankUse(access).wavefronts;
  return {wavefronts, wavefronts};
}

void LaunchCounter::access(const vm::WarpRef &at, vm::SiteRef site, const vm::AccessEvent &event) {
  Counters::access(at, site, event);
  if (event.space != vm::Space::Shared)
    return;
  if (event.kind == vm::AccessKind::Atomic || event.kind == vm::AccessKind::Reduction)
    coreOf(at).passesOfAtomics +=
        vm::bankUse(event.addresses, event.mask, event.bytes, vm::Sharing::Nothing).wavefronts;
  else
    coreOf(at).shared.add(costOf(site, event.addresses, event.mask, event.bytes));
}

bool LaunchCounter::plainAccess(const vm::WarpRef &at, vm::SiteRef site, const vm::PlainAccess &access) {
  Counters::plainAccess(at, site, access);
  if (access.space == vm::Space::Shared)
    coreOf(at).shared.add(costOf(site, access));
  return true;
}

void LaunchCounter::notedLoads(const vm::WarpRef &at, const vm::NotedLoads &loads) {
  Counters::notedLoads(at, loads);
  if (loads.space != vm::Space::Shared)
    return; // each was counted as a plain access
  OfCore &core = coreOf(at);
  auto [known, isNew] = core.seen.find(loads);
  if (isNew)
    vm::eachLoad(loads,
                 [&](vm::SiteRef site, const vm::PlainAccess &access) { known.add(costOf(site, access)); });
  core.shared.add(known);
}

/// Sums of times are made here, block by block, and not while the warp runs: the order in which it enters blocks must not matter.
WarpTime LaunchCounter::slowestWarp(const BlockState &block, ExactTime &sum) const {
  WarpTime slowest;
  const size_t each = kernel.codeBlocks.size();
  for (size_t first = 0; first < block.entries.size(); first += each) {
    WarpTime time;
    for (size_t b = 0; b < each; ++b) {
      time.cycles += double(block.entries[first + b]) * code.spans[b].cycles;
      time.rounds += double(block.entries[first + b]) * code.spans[b].rounds;
    }
    sum.cycles += micro(time.cycles), sum.rounds += micro(time.rounds);
    slowest = std::max(slowest, time, isShorter);
  }
  return slowest;
}

void LaunchCounter::touched(const vm::WarpRef &at, std::span<const uint64_t> sectors, Touch touch) {
  BlockState &block = *running[at.blockIndex];
  if (touch != Touch::Write)
    block.read.add(sectors);
  if (touch != Touch::Read)
    block.written.add(sectors);
  if (touch != Touch::Both)
    return;
  constexpr uint64_t SectorsOfAPage = 128;
  OfCore &core = coreOf(at);
  for (uint64_t sector : sectors)
    ++core.atomics[sector / SectorsOfAPage];
}

void LaunchCounter::blockEnd(const vm::WarpRef &at) {
  const std::unique_ptr<BlockState> block = std::move(running[at.blockIndex]);
  OfCore &core = coreOf(at);
  core.blockSectors += block->read.count();
  core.read.addBlock(block->read);
  core.written.addBlock(block->written);
  ++core.endedBlocks;
  const WarpTime slowest = slowestWarp(*block, core.sumOfWarps);
  core.sum.cycles += micro(slowest.cycles), core.sum.rounds += micro(slowest.rounds);
  core.longest = std::max(core.longest, slowest, isShorter);
}

void LaunchCounter::addInstructions(const std::vector<CodeCount> &counts) {
  for (const auto &function : kernel.codes)
    for (const vm::BlockOfCode &block : kernel.codeBlocks) {
      if (block.firstSite < function->firstSite ||
          block.firstSite - function->firstSite >= function->function->instrs.size())
        continue;
      const CodeCount &count = counts[block.index];
      for (uint32_t site = block.firstSite; count.entries && site < block.firstSite + block.sites; ++site) {
        const ptx::Instr &instr = function->function->instrs[site - function->firstSite];
        vm::CounterSums::PerClass &cls = facts.sums.classes[unsigned(vm::classOf(instr))];
        cls.warp += count.entries;
        cls.thread += count.lanes;
        if (auto name = divergence::latencyClassOf(*function->function, instr);
            name != divergence::NoInstruction && !code.loads[site].isPartOfAnother())
          facts.instructions[std::string(name)] += count.entries;
      }
    }
}

/// What blocks that were not executed would access is estimated, allocation by allocation.
void LaunchCounter::addSectors() {
  SampledSectors read, written;
  std::unordered_map<uint64_t, uint64_t> atomics;
  for (unsigned c = 0; c < MostCores; ++c) {
    read.add(cores[c].read);
    written.add(cores[c].written);
    for (const auto &[page, count] : cores[c].atomics)
      atomics[page] += count;
  }
  for (const auto &[page, count] : atomics) {
    facts.atomicSectors += count;
    facts.hottestAtomics = std::max(facts.hottestAtomics, count);
  }
  const Extrapolation whole{facts.countedBlocks ? facts.countedBlocks : uint64_t(facts.blocks()),
                            uint64_t(facts.blocks()), allocations};
  facts.readSectors = whole.sectors(read);
  facts.writtenSectors = whole.sectors(written);
  read.join(written);
  facts.distinctSectors = whole.sectors(read);
}

LaunchFacts LaunchCounter::take(unsigned registers) {
  facts.sums = launches().back().sums;
  facts.registers = registers;
  std::vector<CodeCount> counts(kernel.codeBlocks.size());
  ExactTime sum, sumOfWarps;
  uint64_t ended = 0;
  SharedCost shared;
  for (unsigned c = 0; c < MostCores; ++c) {
    const OfCore &core = cores[c];
    for (size_t b = 0; b < core.codeBlocks.size(); ++b) {
      counts[b].entries += core.codeBlocks[b].entries;
      counts[b].lanes += core.codeBlocks[b].lanes;
    }
    ended += core.endedBlocks;
    facts.blockSectors += core.blockSectors;
    shared.add(core.shared);
    facts.sharedPasses.ofAtomics += core.passesOfAtomics;
    sum.cycles += core.sum.cycles, sum.rounds += core.sum.rounds;
    sumOfWarps.cycles += core.sumOfWarps.cycles, sumOfWarps.rounds += core.sumOfWarps.rounds;
    facts.longestBlock = std::max(facts.longestBlock, core.longest, isShorter);
  }
  constexpr uint64_t BankBytes = 128; // of all banks together
  facts.sharedPasses.byParts = shared.byParts + shared.fragmentBytes / BankBytes;
  facts.sharedPasses.byWords = shared.byWords + shared.fragmentBytes / BankBytes;
  facts.countedBlocks = ended < uint64_t(facts.blocks()) ? ended : 0;
  facts.blockTime = {double(sum.cycles) / micros, double(sum.rounds) / micros};
  facts.warpTime = {double(sumOfWarps.cycles) / micros, double(sumOfWarps.rounds) / micros};
  addSectors();
  addInstructions(counts);
  if (facts.countedBlocks)
    extrapolate(facts);
  return std::move(facts);
}

} // namespace heddle::counts
