// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who is to blame for an empty lane-slot: when part of a warp goes through a basic block, each lane that is
// not with it is elsewhere because of one branch, the last one at which the two were together and went
// different ways. Lanes that have diverged are not together again before they reconverge, so it is enough to note for
// each pair of lanes where that was.
#include "divergence/Profiler.h"

#include "divergence/KernelCode.h"
#include "vm/Code.h"
#include "vm/Counters.h"
#include "vm/Lanes.h"
#include "vm/NotedLoads.h"
#include "vm/Simulator.h"
#include "vm/Source.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::divergence {

namespace {

using vm::eachLane;
constexpr uint32_t Lanes = vm::Lanes;
constexpr uint32_t Together = ~0u; ///< two lanes that never diverged

} // namespace

struct Profiler::WarpState {
  bool divergent = false;
  std::vector<uint32_t> divergedAt; ///< by pair of lanes, the branch; made when the first lanes diverge

  uint32_t &diverged(unsigned a, unsigned b) { return divergedAt[a * Lanes + b]; }
};

struct Profiler::BlockState {
  std::vector<WarpState> warps;
  std::vector<uint32_t> counts; ///< of each thread, each basic block
  std::vector<uint64_t> entries, lanes, absent;
  struct OfBranch {
    uint64_t executions = 0, divergent = 0;
    std::vector<uint64_t> lost;
  };
  std::vector<OfBranch> branches;
  uint64_t globalRequests = 0, globalSectors = 0;
};

namespace {

/// The instructions of a kernel by site, its functions included.
template <class Use> void eachSite(const vm::Kernel &kernel, Use use) {
  for (const auto &code : kernel.codes)
    for (uint32_t i = 0; i < code->function->instrs.size(); ++i)
      use(*code, code->firstSite + i, code->function->instrs[i]);
}

std::vector<CodePart> partsOf(const vm::Kernel &kernel) {
  std::vector<CodePart> parts;
  for (const auto &code : kernel.codes)
    parts.push_back({code->module, code->function});
  return parts;
}

} // namespace

Inputs kernelInputs(const vm::Kernel &kernel) {
  const vm::Code &entry = kernel.entry();
  Inputs found = inputsOf(*entry.module, *entry.function);
  std::vector<std::vector<uint32_t>> ofBlock(kernel.codeBlocks.size());
  for (const vm::BlockOfCode &block : kernel.codeBlocks)
    if (const uint32_t instr = block.firstSite - entry.firstSite;
        block.firstSite >= entry.firstSite && instr < entry.function->instrs.size())
      ofBlock[block.index] = found.ofBlock[entry.function->blockOf[instr]];
  found.ofBlock = std::move(ofBlock);
  return found;
}

Profiler::Profiler(const vm::Kernel &watched, const Inputs &inputs) : kernel(watched) {
  profile.inputs = inputs;
  inputsOfSite.resize(kernel.info.sites);
  for (uint32_t input : decidingElements(inputs)) {
    inputsOfSite[kernel.entry().firstSite + inputs.inputs[input].instr].push_back(input);
    wantsValues = true;
  }
}
Profiler::~Profiler() = default;

void Profiler::kernelBegin(const vm::LaunchRequest &request, const vm::KernelInfo &info, uint64_t number) {
  profile.kernel = info.name;
  profile.number = number;
  profile.staticSharedBytes = info.staticSharedBytes;
  profile.dynamicSharedBytes = request.dynamicSharedBytes;
  for (int i = 0; i < 3; ++i) {
    profile.grid[i] = i == 0 ? request.grid.x : i == 1 ? request.grid.y : request.grid.z;
    profile.block[i] = i == 0 ? request.block.x : i == 1 ? request.block.y : request.block.z;
  }
  branchOfSite.assign(info.sites, Together);
  eachSite(kernel, [&](const vm::Code &code, uint32_t site, const ptx::Instr &instr) {
    if (!mayDiverge(instr))
      return;
    branchOfSite[site] = uint32_t(profile.branches.size());
    profile.branches.push_back({vm::sourceOf(*code.module, instr), 0, 0, {}});
  });
  codeBlockCount = info.codeBlocks;
  profile.blocks = codeBlocksOf(partsOf(kernel));
  profile.vectors = BlockVectors(codeBlockCount);
  profile.vectors.setThreads(uint32_t(request.grid.count() * request.block.count()));
  profile.absentLanes.assign(codeBlockCount, 0);
  running.resize(request.grid.count());
  for (const std::vector<uint32_t> &wanted : inputsOfSite)
    for (uint32_t input : wanted)
      profile.inputs.values[input].assign(profile.vectors.threads(),
                                          std::numeric_limits<double>::quiet_NaN());
}

void Profiler::blockBegin(const vm::WarpRef &at) {
  auto block = std::make_unique<BlockState>();
  const unsigned threads = profile.threadsPerBlock();
  block->warps.resize((threads + Lanes - 1) / Lanes);
  block->counts.resize(size_t(threads) * codeBlockCount);
  block->entries.resize(codeBlockCount), block->lanes.resize(codeBlockCount),
      block->absent.resize(codeBlockCount);
  block->branches.resize(profile.branches.size());
  running[at.blockIndex] = std::move(block);
}

void Profiler::codeBlocks(const vm::WarpRef &at, const vm::BlockOfCode &code, uint32_t mask, uint64_t times) {
  BlockState &block = of(at);
  block.entries[code.index] += times;
  block.lanes[code.index] += times * vm::countLanes(mask);
  uint32_t *counts = block.counts.data() + size_t(at.warp) * Lanes * codeBlockCount + code.index;
  eachLane(mask, [&](unsigned lane) { counts[size_t(lane) * codeBlockCount] += uint32_t(times); });
}

void Profiler::codeBlock(const vm::WarpRef &at, const vm::BlockOfCode &code, uint32_t mask) {
  codeBlocks(at, code, mask, 1);
  if (mask == ~0u)
    return;
  BlockState &block = of(at);
  WarpState &warp = block.warps[at.warp];
  const unsigned reference = vm::firstLane(mask);
  eachLane(~mask, [&](unsigned lane) {
    const uint32_t site = warp.divergedAt.empty() ? Together : warp.diverged(reference, lane);
    if (site == Together)
      return void(++block.absent[code.index]);
    std::vector<uint64_t> &lost = block.branches[site].lost;
    lost.resize(codeBlockCount);
    ++lost[code.index];
  });
}

void Profiler::part(BlockState &block, const vm::WarpRef &at, uint32_t branchIndex, uint32_t some,
                    uint32_t others) {
  WarpState &warp = block.warps[at.warp];
  warp.divergent = true;
  if (warp.divergedAt.empty())
    warp.divergedAt.assign(size_t(Lanes) * Lanes, Together);
  eachLane(some, [&](unsigned a) {
    eachLane(others, [&](unsigned b) { warp.diverged(a, b) = warp.diverged(b, a) = branchIndex; });
  });
}

void Profiler::branch(const vm::WarpRef &at, vm::SiteRef site, uint32_t mask, uint32_t taken) {
  const uint32_t index = branchOfSite[site.site];
  if (index == Together)
    return; // without a condition
  BlockState &block = of(at);
  ++block.branches[index].executions;
  if (taken == 0 || taken == mask)
    return;
  ++block.branches[index].divergent;
  // Of an indirect branch only the lanes that go with the first are recorded; the others are taken to stay
  // together until they diverge at the same branch, which is the cause anyway.
  part(block, at, index, taken, mask & ~taken);
  if (site.instruction->op == ptx::Op::BrxIdx)
    part(block, at, index, mask & ~taken, mask & ~taken);
}

void Profiler::branches(const vm::WarpRef &at, vm::SiteRef site, uint64_t times) {
  if (const uint32_t index = branchOfSite[site.site]; index != Together)
    of(at).branches[index].executions += times;
}

void Profiler::lanesExit(const vm::WarpRef &at, vm::SiteRef site, uint32_t mask) {
  const uint32_t index = branchOfSite[site.site];
  BlockState &block = of(at);
  const uint32_t stay = at.lanes & ~mask;
  if (index == Together || !stay)
    return;
  ++block.branches[index].executions, ++block.branches[index].divergent;
  part(block, at, index, mask, stay);
}

void Profiler::access(const vm::WarpRef &at, vm::SiteRef site, const vm::AccessEvent &event) {
  if (event.space == vm::Space::Global) {
    BlockState &block = of(at);
    ++block.globalRequests;
    block.globalSectors += vm::sectors(event.addresses, event.mask, event.bytes);
  }
  const std::vector<uint32_t> &wanted = inputsOfSite[site.site];
  if (wanted.empty() || event.kind != vm::AccessKind::Load || !event.at)
    return;
  const ptx::Type type = site.instruction->type();
  const uint64_t first = at.blockIndex * profile.threadsPerBlock() + uint64_t(at.warp) * Lanes;
  for (uint32_t input : wanted)
    eachLane(event.mask, [&](unsigned lane) {
      double &value = profile.inputs.values[input][first + lane];
      if (std::isnan(value))
        value =
            valueAt(event.at[lane] + size_t(profile.inputs.inputs[input].element) * ptx::bytesOf(type), type);
    });
}

bool Profiler::plainAccess(const vm::WarpRef &at, vm::SiteRef site, const vm::PlainAccess &access) {
  if (!inputsOfSite[site.site].empty())
    return false;
  if (access.space == vm::Space::Global) {
    BlockState &block = of(at);
    ++block.globalRequests;
    block.globalSectors += vm::sectors(access);
  }
  return true;
}

void Profiler::notedLoads(const vm::WarpRef &at, const vm::NotedLoads &loads) {
  if (loads.space == vm::Space::Global)
    vm::eachLoad(loads,
                 [&](vm::SiteRef site, const vm::PlainAccess &access) { plainAccess(at, site, access); });
}

void Profiler::blockEnd(const vm::WarpRef &at) {
  std::unique_ptr<BlockState> block = std::move(running[at.blockIndex]);
  const unsigned threads = profile.threadsPerBlock();
  std::lock_guard lock(guard);
  for (unsigned t = 0; t < threads; ++t) {
    const std::span<const uint32_t> counts(block->counts.data() + size_t(t) * codeBlockCount, codeBlockCount);
    profile.vectors.setRow(uint32_t(at.blockIndex * threads + t), profile.vectors.rowWith(counts));
  }
  for (uint32_t b = 0; b < codeBlockCount; ++b) {
    profile.blocks[b].entries += block->entries[b];
    profile.blocks[b].lanes += block->lanes[b];
    profile.absentLanes[b] += block->absent[b];
  }
  for (size_t i = 0; i < block->branches.size(); ++i) {
    Branch &branch = profile.branches[i];
    branch.executions += block->branches[i].executions;
    branch.divergent += block->branches[i].divergent;
    if (block->branches[i].lost.empty())
      continue;
    branch.lostLanes.resize(codeBlockCount);
    for (uint32_t b = 0; b < codeBlockCount; ++b)
      branch.lostLanes[b] += block->branches[i].lost[b];
  }
  profile.globalRequests += block->globalRequests;
  profile.globalSectors += block->globalSectors;
  profile.warps += block->warps.size();
  profile.divergentWarps += uint64_t(std::count_if(block->warps.begin(), block->warps.end(),
                                                   [](const WarpState &w) { return w.divergent; }));
}

LaunchProfile Profiler::take(unsigned registers) {
  addCombinations(profile.inputs, profile.vectors.threads());
  profile.registers = registers;
  return std::move(profile);
}

} // namespace heddle::divergence
